/* What several benchmarks start from. */
#ifndef SN_CLI_BENCH_CASE_H
#define SN_CLI_BENCH_CASE_H

#include "cli.h"

/* A model over a motion, 24 frames a second. What is there after a failure is the caller's to free too. */
typedef struct snBenchRun {
    snSpec *spec;
    snModel *model;
    snTrack *replay;
} snBenchRun;
snStatus cli_follow_fist(snCli *cli, snBenchRun *run); /* the hand closes to a fist */
snStatus cli_steer_curl(snCli *cli, snBenchRun *run);  /* the upper body bends both elbows, 5 kg in each hand */
void cli_bench_run_free(snBenchRun *run);

/* Sorts and gives the one in the middle. */
double cli_median(double *value, int32_t count);

#endif
