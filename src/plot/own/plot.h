/* Pictures of curves. In a library without cairo every one of them is refused. */
#ifndef SN_PLOT_OWN_PLOT_H
#define SN_PLOT_OWN_PLOT_H

#include "sinew/motion.h"

#include <math.h>

/* Plots: .svg or .png by the ending, legible at the width of a phone and in a column of a paper, colours that the
 * colour-blind can tell apart. */
typedef struct snPlotSeries {
    const char *name;
    int32_t count;
    const double *x, *y; /* x increases; a NaN in y breaks the line */
} snPlotSeries;
typedef struct snPlotBand { /* drawn behind the lines, in the colour of a series */
    int32_t series;
    int32_t count;
    const double *x, *lower, *upper;
} snPlotBand;
/* How large, and in which letters. */
typedef struct snPlotStyle {
    double width, height; /* points (PNG: 3 pixels each), 0: 360 and what the labels need; height: at least */
    double text;          /* size of ordinary text, points; 0: 9. The rest grows with it */
    const char *font;     /* a family that is installed; NULL: sans-serif */
} snPlotStyle;
typedef struct snPlotDef {
    size_t size;                           /* of this struct: set by its default function */
    const char *title, *x_label, *y_label; /* labels with units, such as "time (s)" */
    int32_t nseries, nband;
    const snPlotSeries *series; /* 24 at most */
    const snPlotBand *band;
    double y_low, y_high; /* NaN: as the values need; a range that is given still grows to hold them */
    snPlotStyle style;    /* of several panels that of the first counts */
} snPlotDef;
/* Whether the library was built with cairo. Without it every plot ends with SN_FAILED and says so. */
bool sn_plot_available(void);
/* The family that plots in this font are really drawn with: another one where it is not installed. Empty: unknown. */
void sn_plot_font_used(const char *font, char *used, size_t size);
static inline snPlotDef sn_default_plot_def(void)
{
    SN_DEF(snPlotDef, def);
    def.title = "";
    def.x_label = "";
    def.y_label = "";
    def.y_low = NAN;
    def.y_high = NAN;
    return def;
}
/* One or several of them one below the other, as wide as the first. */
enum { SN_PLOT_PANELS = 6 };
snStatus sn_plot_panels(const snPlotDef *def, int32_t count, const char *path, snError *error);
static inline snStatus sn_plot_lines(const snPlotDef *def, const char *path, snError *error)
{
    return sn_plot_panels(def, 1, path, error);
}

/* Scalars of a track over time. which: the prefix, such as "activation/", "force_insertion/" or "length/"; it decides
 * label, unit and range. names: blank-separated, NULL all. Lines where at most 24 are chosen and heat is false. The
 * scale ends at the next round value above the largest one: give another end to compare plots. */
typedef struct snTrackPlot {
    size_t size; /* of this struct: set by its default function */
    const char *which, *names, *title;
    bool heat;
    double top; /* in the unit of the plot; 0: as the values need */
    snPlotStyle style;
} snTrackPlot;
static inline snTrackPlot sn_default_track_plot(void)
{
    SN_DEF(snTrackPlot, def);
    def.which = "activation/";
    def.title = "";
    return def;
}
snStatus sn_plot_track_as(const snTrack *track, const snTrackPlot *plot, const char *path, snError *error);

#endif
