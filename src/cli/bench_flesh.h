/* The flesh's part of the benchmark. */
#ifndef SN_CLI_BENCH_FLESH_H
#define SN_CLI_BENCH_FLESH_H

#include "cli.h"

/* Says and writes as JSON what it measured. */
snStatus cli_bench_flesh(snCli *cli);

#endif
