/* Plots of the scalars of a track. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/def.h"
#include "base/error.h"
#include "plot/heat.h"
#include "plot/scale.h"
#include "sinew/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the prefixes mean: label, unit, factor from SI, a value that always shows (NaN: none), the least that the scale
 * reaches (so that noise near zero does not fill it), and the label of a heat map of changes since the first frame, for
 * what differs so much from row to row that its course would not show (NULL: the values themselves). */
static const struct {
    const char *prefix, *label;
    double factor, low, least;
    const char *change;
} kinds[] = {{"activation", "activation (full is 1)", 1, 0, 0.01, NULL},
             {"force", "force (N)", 1, 0, 0, NULL},
             {"tension", "tension (N)", 1, 0, 0, NULL},
             {"fibre_length", "fibre length (mm)", 1000, NAN, 0, "change of fibre length since the start (mm)"},
             {"fibre_velocity", "fibre velocity (mm/s)", 1000, NAN, 0, NULL},
             {"length", "length (mm)", 1000, NAN, 0, "change of length since the start (mm)"},
             {"volume", "volume (cm\u00b3)", 1e6, NAN, 0, NULL},
             {"area", "cross-section (cm\u00b2)", 1e4, NAN, 0, NULL},
             {"error", "tracking error (mm)", 1000, 0, 0, NULL},
             {"coordinate", "angle (degrees)", 57.29577951308232, NAN, 0, NULL},
             {"", "", 1, NAN, 0, NULL}};
enum { NKIND = sizeof kinds / sizeof *kinds };

static int find_kind(const char *which)
{
    int i = 0;
    while (i < NKIND - 1 && strncmp(which, kinds[i].prefix, strlen(kinds[i].prefix)) != 0) ++i;
    return i;
}

typedef struct choice {
    SN_ARRAY(int32_t) scalar;
    SN_ARRAY(const char *) name; /* without the prefix */
    double *time, *value;        /* value: scalars x frames, in the unit of the plot */
} choice;

static bool listed(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; at && *at;) {
        size_t blank = strspn(at, " "), word = strcspn(at + blank, " ");
        if (word == n && !strncmp(at + blank, name, n)) return true;
        at += blank + word;
    }
    return names == NULL;
}

/* Every name of the list must be there. */
static snStatus check_names(const snTrack *track, const char *which, const char *names, snError *error)
{
    char full[300];
    for (const char *at = names; at && *at;) {
        size_t blank = strspn(at, " "), word = strcspn(at + blank, " ");
        snprintf(full, sizeof full, "%s%.*s", which, (int)(word < 200 ? word : 200), at + blank);
        if (word && sn_track_find_scalar(track, full) < 0)
            return sn_fail(error, SN_BAD_INPUT, "the motion has no scalar \"%.250s\"", full);
        at += blank + word;
    }
    return SN_OK;
}

static snStatus choose(const snTrack *track, const char *which, const char *names, choice *c, snError *error)
{
    const snTrackDef *def = sn_track_def(track);
    int32_t frames = sn_track_frames(track);
    snStatus status = check_names(track, which, names, error);
    if (status != SN_OK) return status;
    for (int32_t i = 0; i < def->nscalar; ++i) {
        const char *name = def->scalar_name[i];
        if (strncmp(name, which, strlen(which)) != 0 || !listed(names, name + strlen(which))) continue;
        if (!sn_array_push(&c->scalar, i) || !sn_array_push(&c->name, name + strlen(which)))
            return sn_fail_no_memory(error);
    }
    if (c->scalar.count == 0 || frames == 0)
        return sn_fail(error, SN_BAD_INPUT, "the motion has no scalar that begins with \"%.100s\"", which);
    c->time = SN_NEW_ARRAY(double, frames);
    c->value = SN_NEW_ARRAY(double, (int64_t)frames * c->scalar.count);
    if (!c->time || !c->value) return sn_fail_no_memory(error);
    double factor = kinds[find_kind(which)].factor;
    for (int32_t f = 0; f < frames; ++f) {
        c->time[f] = sn_track_time(track, f);
        for (int32_t i = 0; i < c->scalar.count; ++i)
            c->value[(int64_t)i * frames + f] = factor * sn_track_scalar(track, f)[c->scalar.at[i]];
    }
    return SN_OK;
}

static double largest_value(const choice *c, int32_t frames)
{
    double largest = -INFINITY;
    for (int64_t i = 0; i < (int64_t)frames * c->scalar.count; ++i) largest = fmax(largest, c->value[i]);
    return largest;
}

double sn_plot_top(const char *which, double largest)
{
    return sn_axis_ticks(0, fmax(largest, kinds[find_kind(which)].least), SN_SCALE_TICKS, true).high;
}

/* Every row minus its first value; what the largest change is. */
static double take_changes(choice *c, int32_t frames)
{
    double most = 0;
    for (int32_t i = 0; i < c->scalar.count; ++i) {
        double *row = c->value + (int64_t)i * frames, start = row[0];
        for (int32_t f = 0; f < frames; ++f) {
            row[f] -= start;
            most = fmax(most, fabs(row[f]));
        }
    }
    return most;
}

static snStatus draw_heat(choice *c, int32_t frames, const snTrackPlot *plot, const char *path, snError *error)
{
    snHeatDef def = {.title = "", .x_label = "", .value_label = ""};
    int kind = find_kind(plot->which);
    double largest = largest_value(c, frames);
    char label[120];
    def.title = plot->title, def.x_label = "time (s)", def.value_label = kinds[kind].label;
    def.rows = c->scalar.count, def.columns = frames, def.row_name = c->name.at;
    def.x = c->time, def.value = c->value, def.style = plot->style;
    if (kinds[kind].change) {
        double most = take_changes(c, frames);
        def.high = plot->top > 0 ? plot->top : sn_plot_top(plot->which, most > 0 ? most : 1);
        def.low = -def.high, def.diverging = true, def.value_label = kinds[kind].change;
    } else if (!isnan(kinds[kind].low) && isfinite(largest)) {
        def.low = kinds[kind].low, def.high = plot->top > 0 ? plot->top : sn_plot_top(plot->which, largest);
        snprintf(label, sizeof label, "%.80s, largest here %.3g", kinds[kind].label, largest);
        def.value_label = label;
    }
    return sn_plot_heat(&def, path, error);
}

static snStatus draw_lines(const choice *c, int32_t frames, const snTrackPlot *plot, const char *path, snError *error)
{
    snPlotDef def = sn_default_plot_def();
    int kind = find_kind(plot->which);
    snPlotSeries *series = SN_NEW_ARRAY(snPlotSeries, c->scalar.count);
    if (!series) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < c->scalar.count; ++i)
        series[i] = (snPlotSeries){c->name.at[i], frames, c->time, c->value + (int64_t)i * frames};
    def.title = plot->title, def.x_label = "time (s)", def.y_label = kinds[kind].label;
    def.nseries = c->scalar.count, def.series = series, def.style = plot->style;
    def.y_low = kinds[kind].low;
    def.y_high = plot->top > 0 ? plot->top : kinds[kind].least > 0 ? kinds[kind].least : NAN;
    snStatus status = sn_plot_lines(&def, path, error);
    sn_free(series);
    return status;
}

snStatus sn_plot_track_as(const snTrack *track, const snTrackPlot *plot, const char *path, snError *error)
{
    if (!track || !plot || !path) return sn_fail_argument(error, "sn_plot_track_as without track, plot or path");
    snTrackPlot taken = sn_default_track_plot();
    if (SN_TAKE_DEF(plot, snTrackPlot, taken, error)) return SN_BAD_ARGUMENT;
    choice c = {0};
    int32_t frames = sn_track_frames(track);
    snStatus status = choose(track, plot->which, plot->names, &c, error);
    if (status == SN_OK)
        status = plot->heat ? draw_heat(&c, frames, plot, path, error) : draw_lines(&c, frames, plot, path, error);
    sn_array_free(&c.scalar);
    sn_array_free(&c.name);
    sn_free(c.time);
    sn_free(c.value);
    return status;
}
