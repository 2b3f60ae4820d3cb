/* Moment arms of a model as a plot. */
#ifndef SN_CLI_PLOT_ARMS_H
#define SN_CLI_PLOT_ARMS_H

#include "cli.h"

/* Arms of the tendons that --muscle chooses about the coordinate that --joint names, over its range; behind each the
 * published range, from --compare or the table of the shipped model. Says what is wrong. */
snStatus cli_plot_arms(snCli *cli, const char *model_name, const char *to);

#endif
