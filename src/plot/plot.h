/* What the plots share: a page that becomes an SVG, PDF or PNG file, text that is measured before it is placed, axes
 * with round numbers, colours. Lengths are points; y runs down. */
#ifndef SN_IO_PLOT_H
#define SN_IO_PLOT_H

#include "io/file.h"
#include "plot/own/plot.h"
#include "plot/scale.h"
#include "sinew/io.h"

#include <cairo.h>

typedef struct snColor {
    double r, g, b;
} snColor;

typedef struct snPage {
    cairo_surface_t *surface;
    cairo_t *cairo;
    double width, height; /* in the units that are drawn in: text is SN_PLOT_TEXT high */
    double scale;         /* points of such a unit */
    const char *font;
    bool vector; /* SVG or PDF */
    snWriter out;
} snPage;

#define SN_PLOT_TEXT 9.0 /* size of ordinary text: 9 px on a phone that shows a plot over its 360 px */
#define SN_PLOT_TITLE 10.5
#define SN_PLOT_WIDTH 360.0
#define SN_PLOT_PIXELS 3.0 /* of a PNG to a point */

/* A page whose text can be measured but that writes no file: size it, then open the real one. */
snStatus sn_page_measure(snPage *page, const snPlotStyle *style, snError *error);
snStatus sn_page_open(snPage *page, const char *path, const snPlotStyle *style, double width, double height,
                      snError *error);
/* Width to lay out for, in the units of the page: what the style asks for, SN_PLOT_WIDTH otherwise. */
double sn_style_width(const snPlotStyle *style);
double sn_style_height(const snPlotStyle *style);      /* 0: as needed */
snStatus sn_page_finish(snPage *page, snError *error); /* also ends a page for measuring */

void sn_page_color(snPage *page, snColor color, double alpha);
double sn_page_text_width(snPage *page, const char *text, double size, bool bold);
/* anchor 0: x is the left end, 0.5: the middle, 1: the right end. y is the base line. */
void sn_page_text(snPage *page, const char *text, double x, double y, double size, bool bold, double anchor);
void sn_page_line(snPage *page, double x0, double y0, double x1, double y1, double width);
void sn_page_title(snPage *page, const char *title, double left, double y);
/* Copies text cut off with an ellipsis so that it is at most `room` wide. */
void sn_page_fit(snPage *page, const char *text, double size, bool bold, double room, char *out, size_t n);
/* The same with the middle left out: names often differ at their ends. */
void sn_page_fit_middle(snPage *page, const char *text, double size, double room, char *out, size_t n);

enum { SN_PLOT_COLORS = 7 };
snColor sn_series_color(int32_t series);           /* repeats after SN_PLOT_COLORS */
void sn_series_dash(snPage *page, int32_t series); /* whole, dashed, dotted, changing when the colours repeat */
snColor sn_heat_color(double share);               /* dark violet at 0 to yellow at 1; lightness rises evenly */
snColor sn_diverging_color(double share);          /* blue at 0, white at 0.5, orange at 1 */
extern const snColor sn_ink, sn_pale, sn_grid;

const char *sn_axis_label(const snAxisTicks *axis, int32_t tick, char text[32]);
double sn_axis_width(snPage *page, const snAxisTicks *axis); /* of the widest label */
/* Horizontal axis below y, with as many ticks as have room. */
void sn_page_x_axis(snPage *page, double low, double high, double left, double right, double y, const char *label);

#endif
