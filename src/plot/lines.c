/* Line plots: curves with their names at the right ends, bands behind them.
 *
 * A name stands beside the end of its curve; where ends are close, names are moved apart and a thin line leads to each,
 * so that none overlaps another however many there are. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SERIES = 24 };

typedef struct frame {
    double left, right, top, bottom; /* of the area of the curves */
    double x_low, x_high, y_low, y_high;
} frame;

typedef struct endLabel {
    int32_t series;
    double end, y; /* where the curve ends, where the name stands */
} endLabel;

static double to_x(const frame *f, double x)
{
    return f->left + (f->right - f->left) * (x - f->x_low) / (f->x_high - f->x_low);
}

static double to_y(const frame *f, double y)
{
    return f->bottom - (f->bottom - f->top) * (y - f->y_low) / (f->y_high - f->y_low);
}

/* ---- ranges --------------------------------------------------------------------------------- */

static void grow_to(double *low, double *high, double value)
{
    if (isnan(value)) return;
    if (isnan(*low) || value < *low) *low = value;
    if (isnan(*high) || value > *high) *high = value;
}

static snStatus check_x(const double *x, int32_t count, const char *name, snError *error)
{
    for (int32_t i = 0; i < count; ++i)
        if (!isfinite(x[i]) || (i && x[i] < x[i - 1]))
            return sn_fail(error, SN_BAD_INPUT, "the x of \"%.80s\" does not increase", name);
    return SN_OK;
}

static snStatus find_ranges(const snPlotDef *def, frame *f, snError *error)
{
    f->x_low = f->x_high = NAN;
    f->y_low = def->y_low, f->y_high = def->y_high;
    for (int32_t s = 0; s < def->nseries; ++s) {
        const snPlotSeries *series = &def->series[s];
        snStatus status = check_x(series->x, series->count, series->name, error);
        if (status != SN_OK) return status;
        for (int32_t i = 0; i < series->count; ++i) {
            if (isinf(series->y[i])) return sn_fail(error, SN_BAD_INPUT, "\"%.80s\" is infinite", series->name);
            grow_to(&f->x_low, &f->x_high, series->x[i]);
            grow_to(&f->y_low, &f->y_high, series->y[i]);
        }
    }
    for (int32_t b = 0; b < def->nband; ++b)
        for (int32_t i = 0; i < def->band[b].count; ++i) {
            if (!isfinite(def->band[b].lower[i]) || !isfinite(def->band[b].upper[i]))
                return sn_fail(error, SN_BAD_INPUT, "a band is not finite");
            grow_to(&f->y_low, &f->y_high, def->band[b].lower[i]);
            grow_to(&f->y_low, &f->y_high, def->band[b].upper[i]);
        }
    if (isnan(f->x_low) || isnan(f->y_low) || isnan(f->y_high))
        return sn_fail(error, SN_BAD_INPUT, "there is nothing to plot");
    if (!(f->x_high > f->x_low)) f->x_low -= 0.5, f->x_high += 0.5;
    return SN_OK;
}

static snStatus check_def(const snPlotDef *def, snError *error)
{
    if (def->nseries < 1) return sn_fail(error, SN_BAD_INPUT, "there is nothing to plot");
    if (def->nseries > MAX_SERIES) {
        sn_fail(error, SN_BAD_INPUT, "%d lines cannot be told apart; the limit is %d", def->nseries, MAX_SERIES);
        sn_error_remedy(error, "choose fewer names, or draw a heat map");
        return SN_BAD_INPUT;
    }
    for (int32_t b = 0; b < def->nband; ++b)
        if (def->band[b].series < 0 || def->band[b].series >= def->nseries)
            return sn_fail(error, SN_BAD_INPUT, "a band without its line");
    return SN_OK;
}

/* ---- names at the ends ---------------------------------------------------------------------- */

static int by_end(const void *a, const void *b)
{
    const endLabel *p = a, *q = b;
    return p->end < q->end ? -1 : p->end > q->end ? 1 : p->series - q->series;
}

/* Moves names apart: each block of names that touch is centred on its wishes, then held inside. */
static void spread(endLabel *label, int count, double gap, double top, double bottom)
{
    for (int i = 0; i < count; ++i) label[i].y = label[i].end;
    for (int round = 0; round < 200; ++round) {
        bool moved = false;
        for (int i = 1; i < count; ++i) {
            double short_by = gap - (label[i].y - label[i - 1].y);
            if (short_by <= 1e-3) continue;
            label[i - 1].y -= short_by / 2;
            label[i].y += short_by / 2;
            moved = true;
        }
        if (!moved) break;
    }
    /* whatever is left is settled from the two ends; the area is high enough for all */
    for (int i = 0; i < count; ++i) label[i].y = fmax(label[i].y, i ? label[i - 1].y + gap : top);
    for (int i = count - 1; i >= 0; --i) label[i].y = fmin(label[i].y, i < count - 1 ? label[i + 1].y - gap : bottom);
}

static void last_value(const snPlotSeries *series, double *y)
{
    *y = NAN;
    for (int32_t i = series->count - 1; i >= 0 && isnan(*y); --i) *y = series->y[i];
}

static void draw_names(snPage *page, const snPlotDef *def, const frame *f, double room)
{
    endLabel label[MAX_SERIES];
    int count = 0;
    char text[256];
    for (int32_t s = 0; s < def->nseries; ++s) {
        double y;
        last_value(&def->series[s], &y);
        label[count++] = (endLabel){s, isnan(y) ? f->bottom : to_y(f, y), 0};
    }
    qsort(label, (size_t)count, sizeof *label, by_end);
    spread(label, count, SN_PLOT_TEXT + 2, f->top + 3, f->bottom - 1);
    for (int i = 0; i < count; ++i) {
        const snPlotSeries *series = &def->series[label[i].series];
        sn_page_color(page, sn_series_color(label[i].series), 1);
        sn_page_line(page, f->right, label[i].end, f->right + 8, label[i].y, 0.6);
        sn_series_dash(page, label[i].series);
        sn_page_line(page, f->right + 8, label[i].y, f->right + 20, label[i].y, 1.6);
        cairo_set_dash(page->cairo, NULL, 0, 0);
        sn_page_color(page, sn_ink, 1);
        sn_page_fit_middle(page, series->name, SN_PLOT_TEXT, room, text, sizeof text);
        sn_page_text(page, text, f->right + 23, label[i].y + 0.36 * SN_PLOT_TEXT, SN_PLOT_TEXT, false, 0);
    }
}

/* ---- the area ------------------------------------------------------------------------------ */

static void draw_grid(snPage *page, const snAxisTicks *axis, const frame *f)
{
    char text[32];
    for (int32_t i = axis->first; i <= axis->last; ++i) {
        double y = to_y(f, i * axis->step);
        sn_page_color(page, i == 0 ? sn_pale : sn_grid, 1);
        sn_page_line(page, f->left, y, f->right, y, i == 0 ? 0.7 : 0.5);
        sn_page_color(page, sn_ink, 1);
        sn_page_text(page, sn_axis_label(axis, i, text), f->left - 4, y + 0.36 * SN_PLOT_TEXT, SN_PLOT_TEXT, false, 1);
    }
}

static void draw_band(snPage *page, const snPlotBand *band, const frame *f)
{
    cairo_t *c = page->cairo;
    for (int32_t i = 0; i < band->count; ++i) cairo_line_to(c, to_x(f, band->x[i]), to_y(f, band->upper[i]));
    for (int32_t i = band->count - 1; i >= 0; --i) cairo_line_to(c, to_x(f, band->x[i]), to_y(f, band->lower[i]));
    cairo_close_path(c);
    sn_page_color(page, sn_series_color(band->series), 0.16);
    cairo_fill_preserve(c);
    sn_page_color(page, sn_series_color(band->series), 0.6);
    sn_series_dash(page, band->series);
    cairo_set_line_width(c, 0.6);
    cairo_stroke(c);
    cairo_set_dash(c, NULL, 0, 0);
}

static void draw_curve(snPage *page, const snPlotSeries *series, int32_t index, const frame *f)
{
    cairo_t *c = page->cairo;
    bool pen_down = false;
    for (int32_t i = 0; i < series->count; ++i) {
        bool gap = isnan(series->y[i]);
        if (!gap && pen_down)
            cairo_line_to(c, to_x(f, series->x[i]), to_y(f, series->y[i]));
        else if (!gap)
            cairo_move_to(c, to_x(f, series->x[i]), to_y(f, series->y[i]));
        pen_down = !gap;
    }
    sn_page_color(page, sn_series_color(index), 1);
    sn_series_dash(page, index);
    cairo_set_line_width(c, 1.3);
    cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
    cairo_stroke(c);
    cairo_set_dash(c, NULL, 0, 0);
}

static void draw_field(snPage *page, const snPlotDef *def, const frame *f)
{
    cairo_save(page->cairo);
    cairo_rectangle(page->cairo, f->left, f->top - 1, f->right - f->left, f->bottom - f->top + 2);
    cairo_clip(page->cairo);
    for (int32_t b = 0; b < def->nband; ++b) draw_band(page, &def->band[b], f);
    for (int32_t s = def->nseries - 1; s >= 0; --s) draw_curve(page, &def->series[s], s, f);
    cairo_restore(page->cairo);
}

/* ---- layout --------------------------------------------------------------------------------- */

static double widest_name(snPage *page, const snPlotDef *def)
{
    double widest = 0;
    for (int32_t s = 0; s < def->nseries; ++s)
        widest = fmax(widest, sn_page_text_width(page, def->series[s].name, SN_PLOT_TEXT, false));
    return widest;
}

/* One plot of a page, sized. */
typedef struct panel {
    const snPlotDef *def;
    frame f;
    snAxisTicks axis;
    double room, top, height; /* of the names; of the panel on the page */
} panel;

static snStatus measure_panel(panel *p, const snPlotDef *def, snError *error)
{
    p->def = def;
    snStatus status = check_def(def, error);
    if (status == SN_OK) status = find_ranges(def, &p->f, error);
    if (status != SN_OK) return status;
    p->axis = sn_axis_ticks(p->f.y_low, p->f.y_high, SN_SCALE_TICKS, true);
    p->f.y_low = p->axis.low, p->f.y_high = p->axis.high;
    return SN_OK;
}

/* Sizes everything on a page for measuring. Panels one below the other share their left and right ends. */
static void lay_out(snPage *page, panel *p, int32_t count, double *width, double *height)
{
    double left = 0, room = 0;
    *width = sn_style_width(&p->def->style);
    *height = 0;
    for (int32_t i = 0; i < count; ++i) {
        bool title = p[i].def->title && *p[i].def->title;
        double names_high = (p[i].def->nseries + 1) * (SN_PLOT_TEXT + 2);
        p[i].f.top = (title ? 18 : 4) + 16;
        p[i].height = fmax(p[i].f.top + fmax(150, names_high) + 36, sn_style_height(&p[i].def->style));
        p[i].f.bottom = p[i].height - 36;
        p[i].top = *height;
        *height += p[i].height;
        left = fmax(left, 8 + sn_axis_width(page, &p[i].axis) + 4);
        /* hinting at the real scale may widen text by a hair */
        room = fmax(room, fmin(widest_name(page, p[i].def) + 1, 0.3 * *width));
    }
    for (int32_t i = 0; i < count; ++i) p[i].room = room, p[i].f.left = left, p[i].f.right = *width - 27 - room;
}

static void draw_panel(snPage *page, const panel *p)
{
    const frame *f = &p->f;
    cairo_save(page->cairo);
    cairo_translate(page->cairo, 0, p->top);
    sn_page_title(page, p->def->title, 8, 15);
    sn_page_color(page, sn_pale, 1);
    sn_page_text(page, p->def->y_label ? p->def->y_label : "", 8, f->top - 7, SN_PLOT_TEXT, false, 0);
    draw_grid(page, &p->axis, f);
    draw_field(page, p->def, f);
    sn_page_x_axis(page, f->x_low, f->x_high, f->left, f->right, f->bottom, p->def->x_label);
    draw_names(page, p->def, f, p->room);
    cairo_restore(page->cairo);
}

snStatus sn_plot_panels(const snPlotDef *def, int32_t count, const char *path, snError *error)
{
    panel p[SN_PLOT_PANELS] = {0};
    snPage page;
    double width, height;
    if (count < 1 || count > SN_PLOT_PANELS)
        return sn_fail(error, SN_BAD_INPUT, "%d plots on one page, expected 1 to %d", (int)count, SN_PLOT_PANELS);
    snStatus status = SN_OK;
    for (int32_t i = 0; i < count && status == SN_OK; ++i)
        if (def[i].size != sizeof(snPlotDef)) /* shorter ones would not lie where the array has them */
            status = sn_fail(error, SN_BAD_ARGUMENT, "size of the snPlotDef is %zu, expected %zu", def[i].size,
                             sizeof(snPlotDef));
    for (int32_t i = 0; i < count && status == SN_OK; ++i) status = measure_panel(&p[i], &def[i], error);
    if (status == SN_OK) status = sn_page_measure(&page, &def->style, error);
    if (status != SN_OK) return status;
    lay_out(&page, p, count, &width, &height);
    status = sn_page_finish(&page, error);
    if (status == SN_OK) status = sn_page_open(&page, path, &def->style, width, height, error);
    if (status != SN_OK) return status;
    for (int32_t i = 0; i < count; ++i) draw_panel(&page, &p[i]);
    return sn_page_finish(&page, error);
}
