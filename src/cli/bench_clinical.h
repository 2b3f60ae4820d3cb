/* sinew bench --rung hand-clinical. */
#ifndef SN_CLI_BENCH_CLINICAL_H
#define SN_CLI_BENCH_CLINICAL_H

#include "cli.h"

snStatus cli_bench_clinical(snCli *cli);

#endif
