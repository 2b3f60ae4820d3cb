/* sn_arc_closest for four pairs of arc and point at a time, with the same operations in the same order. Included by
 * chords.c and chords_avx2.c only, after the lanes' operations. */
#ifndef SN_SKIN_CLOSEST_LOOP_H
#define SN_SKIN_CLOSEST_LOOP_H

typedef struct {
    vd x, y, z;
} vd3;

LANE_INLINE vd3 vd3_of(const double *a, const double *b, const double *c, const double *d)
{
    return (vd3){{a[0], b[0], c[0], d[0]}, {a[1], b[1], c[1], d[1]}, {a[2], b[2], c[2], d[2]}};
}
LANE_INLINE vd3 vd3_sub(vd3 a, vd3 b)
{
    return (vd3){a.x - b.x, a.y - b.y, a.z - b.z};
}
LANE_INLINE vd3 vd3_mad(vd3 a, vd s, vd3 b)
{
    return (vd3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
LANE_INLINE vd vd3_dot(vd3 a, vd3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct {
    vd3 c0, c1, c2, c3, twice; /* twice c2 */
} vdArc;

LANE_INLINE vd3 vd_arc_at(const vdArc *a, vd t)
{
    return vd3_mad(a->c0, t, vd3_mad(a->c1, t, vd3_mad(a->c2, t, a->c3)));
}

LANE_INLINE vd vd_slope_at(const vdArc *a, vd3 p, vd t, vd *derivative)
{
    vd3 d = vd3_mad(a->c1, t, vd3_mad(a->twice, 3 * t, a->c3));
    vd3 r = vd3_sub(vd_arc_at(a, t), p), dd = vd3_mad(a->twice, 6 * t, a->c3);
    *derivative = vd3_dot(d, d) + vd3_dot(r, dd);
    return vd3_dot(r, d);
}

/* Where `between`: the place where the slope vanishes. A lane that has come to rest stays as it is. */
LANE_INLINE vd vd_minimum_between(const vdArc *a, vd3 p, vd g0, vd g1, vl between)
{
    vd low = vd_all(0), high = vd_all(1), t = g0 / (g0 - g1), derivative;
    vl done = ~between;
    for (int i = 0; i < SN_ARC_NEWTON && !vd_all_of(done); ++i) {
        vd g = vd_slope_at(a, p, t, &derivative);
        vl left = g < 0;
        low = vd_select(left, t, low), high = vd_select(left, high, t);
        vd step = -g / derivative, next = t + step;
        vl last = (step < SN_ARC_AT_REST) & (step > -SN_ARC_AT_REST);
        vl keep = last | ((next > low) & (next < high));
        next = vd_select(keep, next, 0.5 * (low + high));
        t = vd_select(done, t, next);
        done |= last;
    }
    t = vd_select(t < 0, vd_all(0), t);
    return vd_select(t > 1, vd_all(1), t);
}

LANE_INLINE vdArc vd_arcs(const snArc *const arc[4])
{
    const double *a = &arc[0]->c[0].x, *b = &arc[1]->c[0].x, *c = &arc[2]->c[0].x, *d = &arc[3]->c[0].x;
    vdArc to = {vd3_of(a, b, c, d),
                vd3_of(a + 3, b + 3, c + 3, d + 3),
                vd3_of(a + 6, b + 6, c + 6, d + 6),
                vd3_of(a + 9, b + 9, c + 9, d + 9),
                {{0}, {0}, {0}}};
    to.twice = (vd3){to.c2.x * 2, to.c2.y * 2, to.c2.z * 2};
    return to;
}

static void closest_four(const snArc *const arc[4], const double *const point[4], double distance2[4], double at[4][3])
{
    vdArc a = vd_arcs(arc);
    vd3 p = vd3_of(point[0], point[1], point[2], point[3]), from0 = vd3_sub(a.c0, p), end = vd_arc_at(&a, vd_all(1));
    vd unused, g0 = vd3_dot(from0, a.c1), g1 = vd_slope_at(&a, p, vd_all(1), &unused);
    vl between = (g0 < 0) & (g1 > 0);
    vd t = vd_minimum_between(&a, p, g0, g1, between);
    vd3 inner = vd_arc_at(&a, t), way = vd3_sub(inner, p), from1 = vd3_sub(end, p);
    vd d0 = vd3_dot(from0, from0), d1 = vd3_dot(from1, from1);
    vl second = d1 < d0;
    vd d = vd_select(between, vd3_dot(way, way), vd_select(second, d1, d0));
    vd x = vd_select(between, inner.x, vd_select(second, end.x, a.c0.x));
    vd y = vd_select(between, inner.y, vd_select(second, end.y, a.c0.y));
    vd z = vd_select(between, inner.z, vd_select(second, end.z, a.c0.z));
    for (int i = 0; i < 4; ++i) distance2[i] = d[i], at[i][0] = x[i], at[i][1] = y[i], at[i][2] = z[i];
}

static void closest_loop(int32_t n, const snArc *arc, const int32_t *which, const double *position,
                         const int32_t *vertex, double *distance2, double *at)
{
    for (int32_t first = 0; first < n; first += 4) {
        const snArc *four[4];
        const double *point[4];
        double d[4], place[4][3];
        int32_t count = n - first < 4 ? n - first : 4;
        for (int32_t i = 0; i < 4; ++i) {
            int32_t k = first + (i < count ? i : count - 1);
            four[i] = arc + which[k], point[i] = position + 3 * vertex[k];
        }
        closest_four(four, point, d, place);
        for (int32_t i = 0; i < count; ++i) {
            distance2[first + i] = d[i];
            for (int c = 0; c < 3; ++c) at[3 * (first + i) + c] = place[i][c];
        }
    }
}

#endif
