/* Postures that a model offers in the studio's live mode. */
#ifndef SN_CLI_POSTURES_H
#define SN_CLI_POSTURES_H

#include "cli.h"

#include "page/own/studio.h"

enum { POSTURES = 32 };

typedef struct snPostures {
    int32_t count;
    char text[POSTURES][CLI_NAME];
    const char *name[POSTURES];
    double *value; /* a value for each coordinate, posture after posture */
} snPostures;

/* The motions named in postures.txt beside the model's file, one per line, each at its moment farthest from rest. A
 * model without that file has none, and a motion that does not fit the model is left out with a warning. */
snStatus cli_load_postures(snCli *cli, const char *model_name, const snModel *model, snPostures *postures);
void cli_free_postures(snPostures *postures); /* all zero is fine */

#endif
