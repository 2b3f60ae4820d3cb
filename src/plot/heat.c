/* Heat maps: a row per name, time along, colour for the value, with a scale of colours below. */
#include "plot/heat.h"
#include "base/alloc.h"
#include "base/error.h"
#include "plot/plot.h"

#include <math.h>
#include <string.h>

enum { MAX_ROWS = 1000, MAX_CELLS = 720, ROW_PIXELS = 8 }; /* finer columns are averaged: twice the pixels of a phone */

typedef struct heatLayout {
    double width, height, left, right, top, bottom, row, low, high;
} heatLayout;

static snColor color_at(const snHeatDef *def, double share)
{
    return def->diverging ? sn_diverging_color(share) : sn_heat_color(share);
}

static snStatus check_def(const snHeatDef *def, snError *error)
{
    if (def->rows < 1 || def->columns < 1) return sn_fail(error, SN_BAD_INPUT, "there is nothing to plot");
    if (def->rows > MAX_ROWS) return sn_fail(error, SN_BAD_INPUT, "%d rows; the limit is %d", def->rows, MAX_ROWS);
    for (int32_t i = 0; i < def->columns; ++i)
        if (!isfinite(def->x[i]) || (i && def->x[i] <= def->x[i - 1]))
            return sn_fail(error, SN_BAD_INPUT, "the x of the columns does not increase");
    for (int64_t i = 0; i < (int64_t)def->rows * def->columns; ++i)
        if (!isfinite(def->value[i]))
            return sn_fail(error, SN_BAD_INPUT, "\"%.80s\" is not finite", def->row_name[i / def->columns]);
    return SN_OK;
}

static void lay_out(snPage *page, const snHeatDef *def, heatLayout *l)
{
    double widest = 0;
    for (int32_t r = 0; r < def->rows; ++r)
        widest = fmax(widest, sn_page_text_width(page, def->row_name[r], SN_PLOT_TEXT, false));
    l->width = sn_style_width(&def->style);
    l->row = SN_PLOT_TEXT + 1.5;
    l->left = 8 + fmin(widest, 0.35 * l->width) + 4;
    l->right = l->width - 10;
    l->top = def->title && *def->title ? 24 : 6;
    l->bottom = l->top + l->row * def->rows;
    l->height = l->bottom + 40 + 7 + 34;
    l->low = def->low, l->high = def->high;
    if (l->low != l->high) return;
    l->low = l->high = def->value[0];
    for (int64_t i = 0; i < (int64_t)def->rows * def->columns; ++i) {
        l->low = fmin(l->low, def->value[i]);
        l->high = fmax(l->high, def->value[i]);
    }
    snAxisTicks axis = sn_axis_ticks(l->low, l->high, 6, true);
    l->low = axis.low, l->high = axis.high;
}

/* Mean of the columns whose share of the time falls into cell [from, to), or the nearest column. */
static double cell_value(const snHeatDef *def, const double *value, double from, double to, int32_t *column)
{
    double sum = 0, middle = (from + to) / 2;
    int32_t count = 0;
    while (*column < def->columns && def->x[*column] < to) {
        sum += value[*column];
        ++count;
        ++*column;
    }
    if (count) return sum / count;
    int32_t next = *column < def->columns ? *column : def->columns - 1, before = next > 0 ? next - 1 : 0;
    return value[fabs(def->x[before] - middle) <= fabs(def->x[next] - middle) ? before : next];
}

static void fill_row(const snHeatDef *def, const heatLayout *l, int32_t row, int32_t cells, uint32_t *pixel)
{
    const double *value = def->value + (int64_t)row * def->columns;
    double start = def->x[0], span = def->x[def->columns - 1] - start;
    int32_t column = 0;
    for (int32_t i = 0; i < cells; ++i) {
        double from = start + span * i / cells, to = i + 1 < cells ? start + span * (i + 1) / cells : INFINITY;
        double v = cell_value(def, value, from, to, &column);
        snColor c = color_at(def, (v - l->low) / (l->high - l->low));
        pixel[i] = (uint32_t)(255 * c.r + 0.5) << 16 | (uint32_t)(255 * c.g + 0.5) << 8 | (uint32_t)(255 * c.b + 0.5);
    }
}

/* The cells as one picture, which keeps an SVG small. Programs that show it may smooth over its pixels: a row is
 * several of them high, so that the blur stays under the white lines between rows. */
static void draw_cells(snPage *page, const snHeatDef *def, const heatLayout *l)
{
    int32_t cells = def->columns < MAX_CELLS ? def->columns : MAX_CELLS;
    cairo_surface_t *picture = cairo_image_surface_create(CAIRO_FORMAT_RGB24, cells, ROW_PIXELS * def->rows);
    if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS) {
        cairo_surface_flush(picture);
        unsigned char *bytes = cairo_image_surface_get_data(picture);
        int stride = cairo_image_surface_get_stride(picture);
        for (int32_t r = 0; r < ROW_PIXELS * def->rows; ++r)
            fill_row(def, l, r / ROW_PIXELS, cells, (uint32_t *)(void *)(bytes + (size_t)r * (size_t)stride));
        cairo_surface_mark_dirty(picture);
    }
    cairo_save(page->cairo);
    cairo_translate(page->cairo, l->left, l->top);
    cairo_scale(page->cairo, (l->right - l->left) / cells, l->row / ROW_PIXELS);
    cairo_set_source_surface(page->cairo, picture, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(page->cairo), CAIRO_FILTER_NEAREST);
    cairo_rectangle(page->cairo, 0, 0, cells, ROW_PIXELS * def->rows);
    cairo_fill(page->cairo);
    cairo_restore(page->cairo);
    cairo_surface_destroy(picture);
    if (def->diverging) /* white is a value here */
        sn_page_color(page, sn_grid, 1);
    else
        cairo_set_source_rgb(page->cairo, 1, 1, 1);
    for (int32_t r = 1; r < def->rows; ++r)
        sn_page_line(page, l->left, l->top + r * l->row, l->right, l->top + r * l->row, 0.7);
}

static void draw_scale(snPage *page, const snHeatDef *def, const heatLayout *l)
{
    double y = l->bottom + 40, left = l->left, right = l->right;
    enum { STOPS = 32 };
    cairo_pattern_t *colors = cairo_pattern_create_linear(left, 0, right, 0);
    for (int i = 0; i <= STOPS; ++i) {
        snColor c = color_at(def, (double)i / STOPS);
        cairo_pattern_add_color_stop_rgb(colors, (double)i / STOPS, c.r, c.g, c.b);
    }
    cairo_set_source(page->cairo, colors);
    cairo_rectangle(page->cairo, left, y, right - left, 7);
    cairo_fill(page->cairo);
    cairo_pattern_destroy(colors);
    sn_page_x_axis(page, l->low, l->high, left, right, y + 7, def->value_label);
}

static void draw_names(snPage *page, const snHeatDef *def, const heatLayout *l)
{
    char text[256];
    sn_page_color(page, sn_ink, 1);
    for (int32_t r = 0; r < def->rows; ++r) {
        sn_page_fit_middle(page, def->row_name[r], SN_PLOT_TEXT, l->left - 12, text, sizeof text);
        sn_page_text(page, text, l->left - 4, l->top + r * l->row + l->row - 0.25 * SN_PLOT_TEXT, SN_PLOT_TEXT, false,
                     1);
    }
}

snStatus sn_plot_heat(const snHeatDef *def, const char *path, snError *error)
{
    if (!def) return sn_fail_argument(error, "sn_plot_heat without def");
    heatLayout l;
    snPage page;
    snStatus status = check_def(def, error);
    if (status == SN_OK) status = sn_page_measure(&page, &def->style, error);
    if (status != SN_OK) return status;
    lay_out(&page, def, &l);
    status = sn_page_finish(&page, error);
    if (status == SN_OK) status = sn_page_open(&page, path, &def->style, l.width, l.height, error);
    if (status != SN_OK) return status;
    sn_page_title(&page, def->title, 8, 15);
    draw_cells(&page, def, &l);
    draw_names(&page, def, &l);
    sn_page_x_axis(&page, def->x[0], def->x[def->columns - 1], l.left, l.right, l.bottom, def->x_label);
    draw_scale(&page, def, &l);
    return sn_page_finish(&page, error);
}
