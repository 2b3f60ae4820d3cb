/* The index page of a demonstration. */
#ifndef SN_CLI_DEMO_PAGE_H
#define SN_CLI_DEMO_PAGE_H

#include "cli.h"

enum { DEMO_MOTIONS = 4 };

/* What came out for one motion. Files are named after the motion, with the endings of the commands. */
typedef struct snDemoMotion {
    const char *name;
    bool flesh; /* there is a page with flesh */
    double frames, simulated, seconds, real_time_factor;
    double mean_error, rms_error, worst_error; /* mm; on a tree rad */
    double max_activation;
    double skin_ms, bulge, volume_low, volume_high; /* of the skin */
} snDemoMotion;

typedef struct snDemo {
    const char *model;
    char chosen[DEMO_MOTIONS][CLI_NAME]; /* motions that the model shows when none are asked for */
    bool chosen_flesh[DEMO_MOTIONS];     /* with a page in flesh */
    char folder[3000];
    bool page;  /* the studio's page is there */
    bool plots; /* the library draws them */
    bool skin;  /* the model has one */
    bool tree;  /* the model is on one */
    bool many;  /* muscles: too many for a row each */
    int nmotion;
    snDemoMotion motion[DEMO_MOTIONS];
    double seconds;
} snDemo;

/* HTML of FOLDER/index.html; free with text_free. text is NULL when memory ran out. */
snText cli_demo_page(const snDemo *demo);

#endif
