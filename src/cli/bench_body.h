/* sinew bench --rung body. */
#ifndef SN_CLI_BENCH_BODY_H
#define SN_CLI_BENCH_BODY_H

#include "cli.h"

snStatus cli_bench_body(snCli *cli);

#endif
