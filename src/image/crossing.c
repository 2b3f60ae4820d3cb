/* Whether the loops of a slice cross, by sorting their segments along x. */
#include "image/outline.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double a[2], b[2];
    double low, high; /* extent along x */
    int32_t loop, point, npoint;
} Segment;

static int by_low(const void *a, const void *b)
{
    double x = ((const Segment *)a)->low, y = ((const Segment *)b)->low;
    return (x > y) - (x < y);
}

static double side(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static bool neighbours(const Segment *s, const Segment *t)
{
    int32_t gap = abs(s->point - t->point);
    return s->loop == t->loop && (gap <= 1 || gap == s->npoint - 1);
}

static bool cross(const Segment *s, const Segment *t)
{
    if (fmax(s->a[1], s->b[1]) < fmin(t->a[1], t->b[1]) || fmax(t->a[1], t->b[1]) < fmin(s->a[1], s->b[1]))
        return false;
    double p = side(s->a, s->b, t->a), q = side(s->a, s->b, t->b);
    double u = side(t->a, t->b, s->a), v = side(t->a, t->b, s->b);
    return (p > 0) != (q > 0) && (u > 0) != (v > 0);
}

bool sn_slice_crossing(const snSlice *slice, int32_t pair[4])
{
    size_t n = 0, count = 0;
    for (int32_t l = 0; l < slice->nloop; ++l) n += (size_t)slice->loop[l].npoint;
    Segment *segment = SN_NEW_ARRAY(Segment, n);
    if (!segment) return false;
    for (int32_t l = 0; l < slice->nloop; ++l) {
        const snLoop *loop = slice->loop + l;
        for (int32_t i = 0; i < loop->npoint; ++i) {
            const double *a = loop->point + 2 * i, *b = loop->point + 2 * ((i + 1) % loop->npoint);
            segment[count++] =
                (Segment){{a[0], a[1]}, {b[0], b[1]}, fmin(a[0], b[0]), fmax(a[0], b[0]), l, i, loop->npoint};
        }
    }
    if (count > 1) qsort(segment, count, sizeof *segment, by_low);
    bool found = false;
    for (size_t i = 0; i < count && !found; ++i)
        for (size_t j = i + 1; j < count && segment[j].low <= segment[i].high && !found; ++j) {
            const Segment *s = segment + i, *t = segment + j;
            if (neighbours(s, t) || !cross(s, t)) continue;
            pair[0] = s->loop, pair[1] = s->point, pair[2] = t->loop, pair[3] = t->point;
            found = true;
        }
    sn_free(segment);
    return found;
}
