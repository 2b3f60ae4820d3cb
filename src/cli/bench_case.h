/* What several benchmarks start from. */
#ifndef SN_CLI_BENCH_CASE_H
#define SN_CLI_BENCH_CASE_H

#include "cli.h"

/* The hand over its fist, followed at 24 frames a second. What is there after a failure is the caller's to free too. */
typedef struct snFist {
    snSpec *spec;
    snModel *model;
    snTrack *motion, *replay;
} snFist;
snStatus cli_follow_fist(snCli *cli, snFist *fist);
void cli_fist_free(snFist *fist);

/* Sorts and gives the one in the middle. */
double cli_median(double *value, int32_t count);

#endif
