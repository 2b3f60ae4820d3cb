/* sinew plot --what fascicles, sums, moment. */
#ifndef SN_CLI_PLOT_ANALYSIS_H
#define SN_CLI_PLOT_ANALYSIS_H

#include "result.h"

/* Draws, or writes as a table (.sto .csv), what the chosen fascicles of a replay did. Says what is wrong. */
snStatus cli_plot_analysis(snCli *cli, const char *what, const char *from, const char *to);

#endif
