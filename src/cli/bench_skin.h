/* The skin's part of the benchmark. */
#ifndef SN_CLI_BENCH_SKIN_H
#define SN_CLI_BENCH_SKIN_H

#include "cli.h"

/* Says and writes as JSON what it measured. */
snStatus cli_bench_skin(snCli *cli);

#endif
