/* Slices with their contours, as tiles of one picture. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/outline.h"
#include "image/stack.h"
#include "io/stack_read.h"

#include <math.h>
#include <string.h>

enum { TILES = 20, ACROSS = 5, ROOM = 8, MOST_SIDE = 8000 };

typedef struct {
    const snStack *stack;
    const snOutline *muscle;
    int32_t low[2], n[2]; /* the part of a slice that is shown */
    int32_t zoom, columns, rows;
    double dark, bright;
    unsigned char *rgb;
} Picture;

static void frame(Picture *p)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int32_t k = 0; k < p->muscle->nslice; ++k)
        for (int32_t l = 0; l < p->muscle->slice[k].nloop; ++l)
            for (int32_t i = 0; i < p->muscle->slice[k].loop[l].npoint; ++i)
                for (int c = 0; c < 2; ++c) {
                    double x = p->muscle->slice[k].loop[l].point[2 * i + c];
                    low[c] = fmin(low[c], x), high[c] = fmax(high[c], x);
                }
    for (int c = 0; c < 2; ++c) {
        int32_t side = p->stack->place.n[c];
        p->low[c] = (int32_t)fmax(0, floor(low[c]) - ROOM);
        p->n[c] = (int32_t)fmin(side - 1, ceil(high[c]) + ROOM) - p->low[c] + 1;
    }
    p->zoom = p->n[0] * ACROSS * 3 <= 1600 ? 3 : p->n[0] * ACROSS * 2 <= 2000 ? 2 : 1;
}

static void find_range(Picture *p)
{
    const float *v = p->stack->value;
    size_t count = sn_stack_slice_pixels(&p->stack->place) * (size_t)p->stack->place.n[2];
    double sum = 0, square = 0, least = INFINITY;
    for (size_t i = 0; i < count; ++i) sum += v[i], square += (double)v[i] * v[i], least = fmin(least, v[i]);
    double mean = sum / (double)count, deviation = sqrt(fmax(0, square / (double)count - mean * mean));
    p->dark = least, p->bright = fmax(mean + 2 * deviation, least + 1e-6);
}

static void put(Picture *p, double x, double y, const unsigned char color[3])
{
    int32_t i = (int32_t)lround(x), j = (int32_t)lround(y);
    if (i < 0 || j < 0 || i >= p->columns || j >= p->rows) return;
    memcpy(p->rgb + 3 * ((size_t)j * (size_t)p->columns + (size_t)i), color, 3);
}

static void draw_tile(Picture *p, int32_t k, int32_t x0, int32_t y0)
{
    static const unsigned char color[][3] = {
        {255, 60, 60}, {255, 60, 60}, {255, 210, 0}, {80, 160, 255}, {60, 220, 80}};
    const snSlice *slice = p->muscle->slice + k;
    const float *value = sn_stack_slice(p->stack, k);
    for (int32_t j = 0; j < p->n[1] * p->zoom; ++j)
        for (int32_t i = 0; i < p->n[0] * p->zoom; ++i) {
            size_t at =
                (size_t)(p->low[1] + j / p->zoom) * (size_t)p->stack->place.n[0] + (size_t)(p->low[0] + i / p->zoom);
            double grey = fmax(0, fmin(1, (value[at] - p->dark) / (p->bright - p->dark)));
            unsigned char byte = (unsigned char)(255 * grey), pixel[3] = {byte, byte, byte};
            put(p, x0 + i, y0 + j, pixel);
        }
    for (int32_t l = 0; l < slice->nloop; ++l) {
        const snLoop *loop = slice->loop + l;
        for (int32_t i = 0; i < loop->npoint; ++i) {
            const double *a = loop->point + 2 * i, *b = loop->point + 2 * ((i + 1) % loop->npoint);
            int32_t steps = 1 + (int32_t)(2 * p->zoom * hypot(b[0] - a[0], b[1] - a[1]));
            for (int32_t s = 0; s < steps; ++s) {
                double t = (double)s / steps, x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
                put(p, x0 + (x + 0.5 - p->low[0]) * p->zoom - 0.5, y0 + (y + 0.5 - p->low[1]) * p->zoom - 0.5,
                    color[slice->state]);
            }
        }
    }
}

/* Evenly over those that show the muscle. */
static int32_t choose(const snOutline *m, int32_t chosen[TILES])
{
    int32_t count = 0, some = 0;
    for (int32_t k = 0; k < m->nslice; ++k) some += m->slice[k].nloop > 0;
    for (int32_t k = 0, seen = 0; k < m->nslice; ++k) {
        if (m->slice[k].nloop == 0) continue;
        bool due = (int64_t)seen * TILES >= (int64_t)count * some;
        ++seen;
        if (!due || count == TILES) continue;
        chosen[count++] = k;
    }
    return count;
}

snStatus sn_save_contour_picture(const snStack *stack, const snOutline *muscle, const char *path, snError *error)
{
    if (!muscle) return sn_fail_argument(error, "sn_save_contour_picture without muscle");
    Picture p = {.stack = stack, .muscle = muscle};
    int32_t chosen[TILES], count = choose(muscle, chosen);
    if (count == 0) return sn_fail(error, SN_BAD_INPUT, "muscle %s has no contours to draw", muscle->name);
    if (muscle->nslice != stack->place.n[2])
        return sn_fail(error, SN_BAD_INPUT, "the contours belong to another stack");
    frame(&p);
    find_range(&p);
    int32_t across = count < ACROSS ? count : ACROSS, down = (count + ACROSS - 1) / ACROSS;
    int32_t wide = p.n[0] * p.zoom + 4, high = p.n[1] * p.zoom + 4;
    p.columns = across * wide, p.rows = down * high;
    if (p.columns > 4 * MOST_SIDE || p.rows > 4 * MOST_SIDE)
        return sn_fail(error, SN_BAD_INPUT, "the slices are too large to draw");
    p.rgb = SN_NEW_ARRAY(unsigned char, 3 * (size_t)p.columns * (size_t)p.rows);
    if (!p.rgb) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < count; ++i) draw_tile(&p, chosen[i], i % ACROSS * wide, i / ACROSS * high);
    snStatus status = sn_write_png(path, p.columns, p.rows, 8, 3, p.rgb, error);
    sn_free(p.rgb);
    return status;
}
