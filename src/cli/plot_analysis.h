/* sinew plot --what fascicles, sums, moment. */
#ifndef SN_CLI_PLOT_ANALYSIS_H
#define SN_CLI_PLOT_ANALYSIS_H

#include "result.h"

/* Draws, or writes as a table (.sto .csv), what the chosen fascicles of a replay did. Says what is wrong. */
snStatus cli_plot_analysis(snCli *cli, const char *what, const char *from, const char *to);
/* A coordinate of the model: joint, joint.0 or, as in motions, joint.flexion (0) and joint.deviation (1); -1: none. */
int32_t cli_find_coordinate(const snModel *model, const char *text);

#endif
