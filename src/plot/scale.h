/* The part of plots that needs no cairo. */
#ifndef SN_PLOT_SCALE_H
#define SN_PLOT_SCALE_H

#include "math/ticks.h"

/* Where the scale of a quantity (by its prefix) ends whose largest value is given: a round value above it. */
double sn_plot_top(const char *which, double largest);

#endif
