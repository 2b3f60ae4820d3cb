/* Heat maps: what plots of many scalars of a track are. */
#ifndef SN_PLOT_HEAT_H
#define SN_PLOT_HEAT_H

#include "plot/own/plot.h"
#include "sinew/io.h"

/* Rows of colours over time. */
typedef struct snHeatDef {
    const char *title, *x_label, *value_label;
    int32_t rows, columns;
    const char *const *row_name;
    const double *x;     /* columns, increasing */
    const double *value; /* rows x columns */
    double low, high;    /* values of the first and the last colour; equal: as the values need */
    snPlotStyle style;
    bool diverging; /* blue below the middle of the scale, white there, orange above */
} snHeatDef;
snStatus sn_plot_heat(const snHeatDef *def, const char *path, snError *error);

#endif
