/* The page of a plot: cairo's SVG, PDF or image surface, written beside the name and renamed as every file. */
#include "base/error.h"
#include "plot/plot.h"

#include <cairo-ft.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

bool sn_plot_available(void)
{
    return true;
}

const snColor sn_ink = {0.13, 0.13, 0.13}, sn_pale = {0.38, 0.38, 0.38}, sn_grid = {0.88, 0.88, 0.88};

static cairo_status_t write_bytes(void *user, const unsigned char *bytes, unsigned size)
{
    snPage *page = user;
    sn_writer_bytes(&page->out, bytes, size);
    return page->out.status ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static void abandon(snPage *page)
{
    if (page->cairo) cairo_destroy(page->cairo);
    if (page->surface) cairo_surface_destroy(page->surface);
    if (page->out.file) sn_writer_abort(&page->out);
    page->cairo = NULL;
    page->surface = NULL;
}

static snStatus start(snPage *page, snError *error)
{
    page->cairo = cairo_create(page->surface);
    if (cairo_status(page->cairo) == CAIRO_STATUS_SUCCESS) return SN_OK;
    abandon(page);
    return sn_fail_no_memory(error);
}

static double scale_of(const snPlotStyle *style)
{
    return style->text > 0 ? fmin(fmax(style->text, 4), 72) / SN_PLOT_TEXT : 1;
}

double sn_style_width(const snPlotStyle *style)
{
    return style->width > 0 ? fmax(style->width / scale_of(style), 200) : SN_PLOT_WIDTH;
}

double sn_style_height(const snPlotStyle *style)
{
    return fmax(style->height, 0) / scale_of(style);
}

snStatus sn_page_measure(snPage *page, const snPlotStyle *style, snError *error)
{
    *page = (snPage){.vector = true, .font = style->font, .scale = scale_of(style)};
    page->surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    return start(page, error);
}

static cairo_surface_t *make_surface(snPage *page, const char *path)
{
    double width = page->width * page->scale, height = page->height * page->scale, pixels = SN_PLOT_PIXELS;
    if (sn_path_ends(path, ".pdf")) return cairo_pdf_surface_create_for_stream(write_bytes, page, width, height);
    if (page->vector) return cairo_svg_surface_create_for_stream(write_bytes, page, width, height);
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width * pixels), (int)ceil(height * pixels));
}

snStatus sn_page_open(snPage *page, const char *path, const snPlotStyle *style, double width, double height,
                      snError *error)
{
    *page = (snPage){.width = width, .height = height, .scale = scale_of(style), .font = style->font};
    page->vector = sn_path_ends(path, ".svg") || sn_path_ends(path, ".pdf");
    if (!page->vector && !sn_path_ends(path, ".png")) {
        sn_fail(error, SN_BAD_INPUT, "the name does not end in .svg, .pdf or .png");
        sn_error_place(error, path, 0, 0);
        return SN_BAD_INPUT;
    }
    snStatus status = sn_writer_open(&page->out, path, error);
    if (status != SN_OK) return status;
    page->surface = make_surface(page, path);
    status = start(page, error);
    if (status != SN_OK) return status;
    double scale = page->scale * (page->vector ? 1 : SN_PLOT_PIXELS);
    cairo_scale(page->cairo, scale, scale);
    cairo_set_source_rgb(page->cairo, 1, 1, 1);
    cairo_paint(page->cairo);
    return SN_OK;
}

static snStatus end_drawing(snPage *page, snError *error)
{
    cairo_status_t status = cairo_status(page->cairo);
    if (status == CAIRO_STATUS_SUCCESS && page->out.file && !page->vector)
        status = cairo_surface_write_to_png_stream(page->surface, write_bytes, page);
    cairo_surface_finish(page->surface);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(page->surface);
    if (status == CAIRO_STATUS_SUCCESS || page->out.status) return SN_OK; /* a full disk is told by the writer */
    return sn_fail(error, status == CAIRO_STATUS_NO_MEMORY ? SN_NO_MEMORY : SN_FAILED, "the plot cannot be drawn: %s",
                   cairo_status_to_string(status));
}

snStatus sn_page_finish(snPage *page, snError *error)
{
    snStatus status = end_drawing(page, error);
    cairo_destroy(page->cairo);
    cairo_surface_destroy(page->surface);
    page->cairo = NULL;
    page->surface = NULL;
    if (page->out.file && status == SN_OK) return sn_writer_commit(&page->out, error);
    if (page->out.file) sn_writer_abort(&page->out);
    return status;
}

/* ---- drawing -------------------------------------------------------------------------------- */

void sn_page_color(snPage *page, snColor c, double alpha)
{
    cairo_set_source_rgba(page->cairo, c.r, c.g, c.b, alpha);
}

static void set_font(snPage *page, double size, bool bold)
{
    cairo_select_font_face(page->cairo, page->font && *page->font ? page->font : "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(page->cairo, size);
}

void sn_plot_font_used(const char *font, char *used, size_t size)
{
    snPage page;
    snPlotStyle style = {.font = font};
    (void)snprintf(used, size, "%s", "");
    if (sn_page_measure(&page, &style, NULL) != SN_OK) return;
    set_font(&page, SN_PLOT_TEXT, false);
    cairo_scaled_font_t *scaled = cairo_get_scaled_font(page.cairo);
    if (cairo_scaled_font_get_type(scaled) == CAIRO_FONT_TYPE_FT) {
        FT_Face face = cairo_ft_scaled_font_lock_face(scaled);
        if (face && face->family_name) (void)snprintf(used, size, "%s", face->family_name);
        if (face) cairo_ft_scaled_font_unlock_face(scaled);
    }
    (void)sn_page_finish(&page, NULL);
}

/* cairo stops for good at text that is not UTF-8: every byte outside ASCII that is not part of a character becomes '?'.
 */
static void clean_text(const char *text, char *out, size_t n)
{
    size_t at = 0;
    while (*text && at + 5 < n) {
        unsigned char c = (unsigned char)*text;
        int more = c < 0x80                ? 0
                   : c >= 0xC2 && c < 0xE0 ? 1
                   : c >= 0xE0 && c < 0xF0 ? 2
                   : c >= 0xF0 && c < 0xF5 ? 3
                                           : -1;
        bool good = more >= 0 && c >= 32;
        for (int i = 1; good && i <= more; ++i) good = ((unsigned char)text[i] & 0xC0) == 0x80;
        if (good && more == 2)
            good = !(c == 0xE0 && (unsigned char)text[1] < 0xA0) && !(c == 0xED && (unsigned char)text[1] >= 0xA0);
        if (good && more == 3)
            good = !(c == 0xF0 && (unsigned char)text[1] < 0x90) && !(c == 0xF4 && (unsigned char)text[1] >= 0x90);
        int take = good ? more + 1 : 1;
        for (int i = 0; i < take; ++i) out[at++] = good ? text[i] : '?';
        text += take;
    }
    out[at] = 0;
}

double sn_page_text_width(snPage *page, const char *text, double size, bool bold)
{
    char clean[256];
    cairo_text_extents_t extents;
    clean_text(text, clean, sizeof clean);
    set_font(page, size, bold);
    cairo_text_extents(page->cairo, clean, &extents);
    return extents.x_advance;
}

void sn_page_text(snPage *page, const char *text, double x, double y, double size, bool bold, double anchor)
{
    char clean[256];
    clean_text(text, clean, sizeof clean);
    double width = sn_page_text_width(page, clean, size, bold);
    cairo_move_to(page->cairo, x - anchor * width, y);
    cairo_show_text(page->cairo, clean);
    cairo_new_path(page->cairo);
}

void sn_page_fit(snPage *page, const char *text, double size, bool bold, double room, char *out, size_t n)
{
    clean_text(text, out, n);
    size_t length = strlen(out);
    while (length > 1 && sn_page_text_width(page, out, size, bold) > room) {
        while (length > 1 && ((unsigned char)out[length - 1] & 0xC0) == 0x80) --length;
        --length;
        memcpy(out + length, "\xe2\x80\xa6", 4); /* ellipsis; clean_text leaves room for it */
    }
}

/* Whether a byte goes on with a character that began before it. */
static bool inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

void sn_page_fit_middle(snPage *page, const char *text, double size, double room, char *out, size_t n)
{
    char clean[256];
    clean_text(text, clean, sizeof clean);
    size_t length = strlen(clean);
    snprintf(out, n, "%s", clean);
    for (size_t cut = 1; cut + 2 < length && sn_page_text_width(page, out, size, false) > room; ++cut) {
        size_t head = (length - cut + 1) / 2, tail = head + cut;
        while (head > 1 && inside_character(clean[head])) --head;
        while (tail < length && inside_character(clean[tail])) ++tail;
        snprintf(out, n, "%.*s\xe2\x80\xa6%s", (int)head, clean, clean + tail);
    }
}

void sn_page_line(snPage *page, double x0, double y0, double x1, double y1, double width)
{
    cairo_set_line_width(page->cairo, width);
    cairo_move_to(page->cairo, x0, y0);
    cairo_line_to(page->cairo, x1, y1);
    cairo_stroke(page->cairo);
}

void sn_page_title(snPage *page, const char *title, double left, double y)
{
    char text[256];
    if (!title || !*title) return;
    sn_page_fit(page, title, SN_PLOT_TITLE, true, page->width - 2 * left, text, sizeof text);
    sn_page_color(page, sn_ink, 1);
    sn_page_text(page, text, left, y, SN_PLOT_TITLE, true, 0);
}

/* ---- colours -------------------------------------------------------------------------------- */

/* The palette of Okabe and Ito (2008) without its yellow, which is lost on white. */
snColor sn_series_color(int32_t series)
{
    static const unsigned char palette[SN_PLOT_COLORS][3] = {
        {0, 114, 178}, {213, 94, 0}, {0, 158, 115}, {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {0, 0, 0}};
    const unsigned char *c = palette[series % SN_PLOT_COLORS];
    return (snColor){c[0] / 255.0, c[1] / 255.0, c[2] / 255.0};
}

void sn_series_dash(snPage *page, int32_t series)
{
    static const double dashed[] = {4, 2}, dotted[] = {1.2, 1.6}, both[] = {4, 1.6, 1.2, 1.6};
    int32_t kind = series / SN_PLOT_COLORS % 4;
    cairo_set_dash(page->cairo, kind == 1 ? dashed : kind == 2 ? dotted : both, kind == 0 ? 0 : kind == 3 ? 4 : 2, 0);
}

static double to_srgb(double linear)
{
    double c = fmin(1, fmax(0, linear));
    return c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

/* From the Oklab space (Ottosson 2020); chroma and hue in degrees. */
static snColor from_oklch(double lightness, double chroma, double degrees)
{
    double hue = degrees * 3.14159265358979 / 180, a = chroma * cos(hue), b = chroma * sin(hue);
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    return (snColor){to_srgb(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
                     to_srgb(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
                     to_srgb(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/* Lightness rises evenly, the hue turns from violet over blue and green to yellow, the chroma stays just inside what a
 * screen can show along it. */
snColor sn_heat_color(double share)
{
    double t = fmin(1, fmax(0, share));
    return from_oklch(0.24 + 0.68 * t, 0.113 - 0.13 * t + 0.2 * t * t, 305 - 200 * t);
}

/* Blue and orange are told apart with every kind of colour vision; both arms darken evenly away from white. */
snColor sn_diverging_color(double share)
{
    double t = 2 * fmin(1, fmax(0, share)) - 1, way = fabs(t);
    return from_oklch(1 - 0.5 * way, 0.125 * way, t < 0 ? 252 : 52);
}

/* ---- axes ----------------------------------------------------------------------------------- */

const char *sn_axis_label(const snAxisTicks *axis, int32_t tick, char text[32])
{
    double value = tick * axis->step;
    if (tick != 0 && (fabs(value) >= 1e6 || axis->decimals > 5))
        snprintf(text, 32, "%.2g", value);
    else
        snprintf(text, 32, "%s%.*f", value < 0 ? "\xe2\x88\x92" : "", axis->decimals, fabs(value)); /* minus sign */
    return text;
}

double sn_axis_width(snPage *page, const snAxisTicks *axis)
{
    double widest = 0;
    char text[32];
    for (int32_t i = axis->first; i <= axis->last; ++i)
        widest = fmax(widest, sn_page_text_width(page, sn_axis_label(axis, i, text), SN_PLOT_TEXT, false));
    return widest;
}

void sn_page_x_axis(snPage *page, double low, double high, double left, double right, double y, const char *label)
{
    char text[32];
    int at_most = 11;
    snAxisTicks axis = sn_axis_ticks(low, high, at_most, false);
    while (at_most > 2) {
        double spacing = (right - left) * axis.step / (axis.high - axis.low);
        if (sn_axis_width(page, &axis) + 10 <= spacing) break;
        axis = sn_axis_ticks(low, high, --at_most, false);
    }
    for (int32_t i = axis.first; i <= axis.last; ++i) {
        double x = left + (right - left) * (i * axis.step - axis.low) / (axis.high - axis.low);
        sn_page_color(page, sn_pale, 1);
        sn_page_line(page, x, y, x, y + 3, 0.7);
        sn_page_color(page, sn_ink, 1);
        double half = sn_page_text_width(page, sn_axis_label(&axis, i, text), SN_PLOT_TEXT, false) / 2;
        double at = fmin(fmax(x, half + 1), page->width - half - 1);
        sn_page_text(page, text, at, y + 4 + SN_PLOT_TEXT, SN_PLOT_TEXT, false, 0.5);
    }
    sn_page_color(page, sn_pale, 1);
    sn_page_text(page, label ? label : "", (left + right) / 2, y + 8 + 2 * SN_PLOT_TEXT, SN_PLOT_TEXT, false, 0.5);
}
