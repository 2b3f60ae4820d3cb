/* track --converge: the same motion at half the step, and what changes. */
#ifndef SN_CLI_TRACK_CONVERGE_H
#define SN_CLI_TRACK_CONVERGE_H

#include "result.h"

#include "sinew/control.h"

typedef struct snConverge {
    snCli *cli;
    int32_t nmuscle, frames[2], room; /* of the run itself, and at half its step */
    double *activation[2];            /* room * nmuscle each */
    bool done;
    double step;  /* s, of the second run */
    double rms;   /* of the difference over that of the activations at half the step */
    double worst; /* largest difference of one activation at one frame */
    int32_t worst_muscle, worst_frame;
    double largest[2], error[2]; /* activation; m, rms of the tracking error */
} snConverge;

/* Room for the activations of so many frames. */
snStatus converge_create(snConverge *c, snCli *cli, const snModel *model, int32_t frames);
void converge_free(snConverge *c);
/* Notes the activations of a frame of the run (0) or of the second one (1). */
snStatus converge_note(snConverge *c, int which, const snModel *model, snState *state);
/* Runs again at half the step of def and compares with the report of the first run. SN_CANCELLED on Ctrl-C. */
snStatus converge_run(snConverge *c, const snModel *model, const snTrack *motion, const snFollowDef *def,
                      const snFollowReport *first, snError *error);
/* For OUT.report.txt; for the terminal, with a warning where it matters, and JSON. Nothing where it was not run. */
void converge_report(const snConverge *c, const snModel *model, snText *text);
void converge_tell(const snConverge *c, const snModel *model);

#endif
