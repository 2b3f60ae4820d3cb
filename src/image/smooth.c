/* Contours without the tremor that noise gives them: each point moves to where a parabola through the points around it,
 * fitted over the length of the contour, passes it. A parabola keeps the curvature, so nothing shrinks. */
#include "image/outline.h"

#include "base/alloc.h"

#include <math.h>

enum { LEAST_POINTS = 24 };
static const double SHARE = 0.2;     /* of a loop to either side at most: beyond, a circle is no parabola */
static const double LEAST_REACH = 9; /* pixels, however short the loop is */

static double perimeter(const snLoop *loop)
{
    double sum = 0;
    for (int32_t i = 0, j = loop->npoint - 1; i < loop->npoint; j = i++)
        sum += hypot(loop->point[2 * i] - loop->point[2 * j], loop->point[2 * i + 1] - loop->point[2 * j + 1]);
    return sum;
}

/* Value at 0 of the weighted parabola; sums of w s^k and of w s^k v. */
static double at_zero(const double m[5], const double r[3])
{
    double a = m[2] * m[4] - m[3] * m[3], b = m[1] * m[4] - m[2] * m[3], c = m[1] * m[3] - m[2] * m[2];
    double det = m[0] * a - m[1] * b + m[2] * c;
    return (r[0] * a - r[1] * b + r[2] * c) / det;
}

/* Where point i of a loop belongs, from those within `reach` along it. */
static void settle(const snLoop *loop, int32_t i, double reach, double out[2])
{
    double m[5] = {1, 0, 0, 0, 0}, r[2][3];
    const double *p = loop->point;
    for (int e = 0; e < 2; ++e) r[e][0] = p[2 * i + e], r[e][1] = r[e][2] = 0;
    for (int32_t way = -1; way <= 1; way += 2) {
        double s = 0;
        for (int32_t k = 1, at = i; k < loop->npoint / 2; ++k) {
            int32_t next = (at + way + loop->npoint) % loop->npoint;
            s += hypot(p[2 * next] - p[2 * at], p[2 * next + 1] - p[2 * at + 1]);
            if (s >= reach) break;
            double w = 1 - s * s / (reach * reach), t = way * s, power = w = w * w * w;
            for (int q = 0; q < 5; ++q, power *= t) {
                m[q] += power;
                for (int e = 0; e < 2 && q < 3; ++e) r[e][q] += power * p[2 * next + e];
            }
            at = next;
        }
    }
    for (int e = 0; e < 2; ++e) out[e] = at_zero(m, r[e]);
}

bool sn_slice_smooth(snSlice *slice, double reach, int32_t columns, int32_t rows)
{
    snSlice made = {.state = slice->state};
    int32_t pair[4];
    if (slice->nloop == 0) return true;
    if (!sn_outline_copy_slice(&made, slice)) return false;
    for (int32_t k = 0; k < made.nloop; ++k) {
        double near = fmax(fmin(reach, SHARE * perimeter(slice->loop + k)), fmin(reach, LEAST_REACH));
        for (int32_t i = 0; i < made.loop[k].npoint && made.loop[k].npoint >= LEAST_POINTS; ++i) {
            double *to = made.loop[k].point + 2 * (size_t)i;
            settle(slice->loop + k, i, near, to); /* 24 points are more than a parabola needs: never singular */
            to[0] = fmin(fmax(to[0], 0), columns - 1), to[1] = fmin(fmax(to[1], 0), rows - 1);
        }
    }
    if (sn_slice_crossing(&made, pair)) { /* too thin a place: as it was */
        sn_slice_free(&made);
        return true;
    }
    sn_slice_free(slice);
    *slice = made;
    return true;
}
