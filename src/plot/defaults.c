/* The default definitions of plots; they exist whether plots can be drawn or not. */
#include "sinew/io.h"

#include <math.h>

snPlotDef sn_default_plot_def(void)
{
    return (snPlotDef){.title = "", .x_label = "", .y_label = "", .y_low = NAN, .y_high = NAN};
}

snHeatDef sn_default_heat_def(void)
{
    return (snHeatDef){.title = "", .x_label = "", .value_label = ""};
}

snTrackPlot sn_default_track_plot(void)
{
    return (snTrackPlot){.which = "activation/", .title = ""};
}
