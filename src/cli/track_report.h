/* What every way to track reports alike: one table of figures for --json and OUT.report.txt, the lines that say how far
 * the result can be trusted, and the files. */
#ifndef SN_CLI_TRACK_REPORT_H
#define SN_CLI_TRACK_REPORT_H

#include "cli.h"

/* One run and what came of it, whichever controller did it. */
typedef struct snTracked {
    snCli *cli;
    const snModel *model;
    const snTrust *trust;
    const char *motion, *method, *culprit;
    int32_t frames, resumed;
    double frame_rate, simulated, seconds, real_time_factor, activation_step_rms;
    bool diverged, cancelled;
    const char *settings;
    char path[3][4096]; /* replay, table, report */
} snTracked;

#define CLI_STRICT_OPTION                                                                                              \
    {                                                                                                                  \
        "strict", SN_OPTION_FLAG, "",                                                                                  \
            "exit with 1 where the motion was not reached; the files are written all the same", 0, 0                   \
    }

/* Names the files that -o asks for and sees that they can be written. */
snStatus cli_track_outputs(snCli *cli, char path[3][4096]);
/* The first line of what is said: how many frames, how fast. */
void cli_track_say(const snTracked *t);
/* The figures of the table, in --json and as lines of a report. */
void cli_track_json(const snTracked *t);
void cli_track_lines(const snTracked *t, snText *text);
/* The settings, as the end of a report. */
void cli_track_settings(const snTracked *t, snText *text);
/* Warns of what was not reached, of the step, of saturated muscles. */
void cli_track_warn(const snTracked *t);
/* What to say where a run ended early, or where --strict asks for more than was reached. */
snStatus cli_track_verdict(const snTracked *t, snStatus outcome, snError *error);

#endif
