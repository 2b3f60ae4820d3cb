/* Size and font of plots from the options. */
#ifndef SN_CLI_PLOT_STYLE_H
#define SN_CLI_PLOT_STYLE_H

#include "cli.h"

static inline snPlotStyle cli_plot_style(const snCli *cli)
{
    return (snPlotStyle){.width = cli_option_number(cli, "width", 0),
                         .height = cli_option_number(cli, "height", 0),
                         .text = cli_option_number(cli, "font-size", 0),
                         .font = cli_option_text(cli, "font", NULL)};
}

#endif
