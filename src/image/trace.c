/* Marching squares. The image is surrounded by one row of pixels outside, so that every loop is closed.
 *
 * Edges of the lattice between a pixel inside and one outside carry the points. Within a cell a piece of contour runs
 * from an edge where, going round counter-clockwise, the corners change from inside to outside, to one where they
 * change back. Each edge is therefore the start of one piece and the end of another, and following them gives loops
 * that never cross; what they go round is on their left. A saddle is joined where the mean of its corners is inside. */
#include "image/outline.h"

#include "base/alloc.h"
#include "base/array.h"

#include <math.h>

typedef struct {
    const float *field;
    int32_t n[2], width; /* width: pixels of a row with the two outside */
    int32_t *next;       /* per edge: the edge that the piece from here leads to, plus 1; 0: none */
} Trace;

/* Coordinates run from -1 to n. */
static double value(const Trace *t, int32_t x, int32_t y)
{
    if (x < 0 || y < 0 || x >= t->n[0] || y >= t->n[1]) return -1;
    return t->field[(size_t)y * (size_t)t->n[0] + (size_t)x];
}

/* Edge 2 i runs from pixel i to the right, 2 i + 1 upwards. */
static int32_t edge_id(const Trace *t, int32_t x, int32_t y, bool up)
{
    return 2 * ((y + 1) * t->width + x + 1) + up;
}

static void trace_cell(Trace *t, int32_t x, int32_t y)
{
    double v[4] = {value(t, x, y), value(t, x + 1, y), value(t, x + 1, y + 1), value(t, x, y + 1)};
    bool in[4];
    int inside = 0;
    for (int i = 0; i < 4; ++i) inside += in[i] = v[i] > 0;
    if (inside == 0 || inside == 4) return;
    int32_t edge[4] = {edge_id(t, x, y, false), edge_id(t, x + 1, y, true), edge_id(t, x, y + 1, false),
                       edge_id(t, x, y, true)};
    int turn = v[0] + v[1] + v[2] + v[3] > 0 ? 1 : 3; /* only a saddle has a choice */
    for (int i = 0; i < 4; ++i) {
        if (!in[i] || in[(i + 1) % 4]) continue;
        int j = (i + turn) % 4;
        while (in[j] || !in[(j + 1) % 4]) j = (j + turn) % 4;
        t->next[edge[i]] = edge[j] + 1;
    }
}

static void edge_point(const Trace *t, int32_t edge, double point[2])
{
    int32_t pixel = edge / 2, x = pixel % t->width - 1, y = pixel / t->width - 1, up = edge % 2;
    double a = value(t, x, y), b = value(t, x + !up, y + up), s = fmax(0.01, fmin(0.99, a / (a - b)));
    point[0] = x + (up ? 0 : s);
    point[1] = y + (up ? s : 0);
}

static bool add_loop(const Trace *t, int32_t first, snSlice *slice, double least)
{
    SN_ARRAY(double) point = {0};
    int32_t edge = first;
    do {
        double p[2];
        edge_point(t, edge, p);
        if (!sn_array_push(&point, p[0]) || !sn_array_push(&point, p[1])) {
            sn_array_free(&point);
            return false;
        }
        int32_t next = t->next[edge] - 1;
        t->next[edge] = 0;
        edge = next;
    } while (edge != first);
    snLoop loop = {point.count / 2, point.at};
    if (fabs(sn_loop_area(&loop)) < least) {
        sn_array_free(&point);
        return true;
    }
    snLoop *more = sn_realloc(slice->loop, (size_t)slice->nloop, (size_t)slice->nloop + 1, sizeof *more);
    if (!more) {
        sn_array_free(&point);
        return false;
    }
    slice->loop = more;
    slice->loop[slice->nloop++] = loop;
    return true;
}

bool sn_slice_trace(snSlice *slice, const float *field, int32_t columns, int32_t rows, double least)
{
    snSliceState state = slice->state;
    sn_slice_free(slice);
    slice->state = state;
    Trace t = {.field = field, .n = {columns, rows}, .width = columns + 2};
    int32_t edges = 2 * t.width * (rows + 2);
    t.next = SN_NEW_ARRAY(int32_t, edges);
    if (!t.next) return false;
    for (int32_t y = -1; y < rows; ++y)
        for (int32_t x = -1; x < columns; ++x) trace_cell(&t, x, y);
    bool ok = true;
    for (int32_t e = 0; ok && e < edges; ++e)
        if (t.next[e]) ok = add_loop(&t, e, slice, least);
    if (!ok) {
        sn_slice_free(slice);
        slice->state = state;
    }
    sn_free(t.next);
    return ok;
}
