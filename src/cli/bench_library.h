/* sinew bench --rung library. */
#ifndef SN_CLI_BENCH_LIBRARY_H
#define SN_CLI_BENCH_LIBRARY_H

#include "cli.h"

snStatus cli_bench_library(snCli *cli);

#endif
