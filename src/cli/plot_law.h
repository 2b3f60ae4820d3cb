/* sinew plot --what force-length. */
#ifndef SN_CLI_PLOT_LAW_H
#define SN_CLI_PLOT_LAW_H

#include "cli.h"

/* Draws the force-length curves of a model, of a file, or built-in ones by name. Says what is wrong. */
snStatus cli_plot_laws(snCli *cli, const char *from, const char *to);

#endif
