/* sn_arc_closest for eight pairs of arc and point at a time, with the same operations in the same order: two times
 * four, so that one four works while the other waits for its division. Included by chords.c and chords_avx2.c only,
 * after the lanes' operations. */
#ifndef SN_SKIN_CLOSEST_LOOP_H
#define SN_SKIN_CLOSEST_LOOP_H

typedef struct {
    vd x, y, z;
} vd3;

VD_INLINE vd3 vd3_sub(vd3 a, vd3 b)
{
    return (vd3){a.x - b.x, a.y - b.y, a.z - b.z};
}
VD_INLINE vd3 vd3_mad(vd3 a, vd s, vd3 b)
{
    return (vd3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
VD_INLINE vd vd3_dot(vd3 a, vd3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct {
    vd3 c0, c1, c2, c3, twice; /* twice c2 */
} vdArc;

VD_INLINE vd3 vd_arc_at(const vdArc *a, vd t)
{
    return vd3_mad(a->c0, t, vd3_mad(a->c1, t, vd3_mad(a->c2, t, a->c3)));
}

VD_INLINE vd vd_slope_at(const vdArc *a, vd3 p, vd t, vd *derivative)
{
    vd3 d = vd3_mad(a->c1, t, vd3_mad(a->twice, 3 * t, a->c3));
    vd3 r = vd3_sub(vd_arc_at(a, t), p), dd = vd3_mad(a->twice, 6 * t, a->c3);
    *derivative = vd3_dot(d, d) + vd3_dot(r, dd);
    return vd3_dot(r, d);
}

/* Four pairs at work. Where `between`, the slope vanishes between low and high. */
typedef struct {
    vdArc arc;
    vd3 p, from0, from1; /* from the point to the arc's ends */
    vd low, high, t;
    vmask between, done;
} Four;

VD_INLINE void four_start(const snArc *const arc[4], const double *const point[4], Four *f)
{
    vd row[3][4];
    for (int i = 0; i < 4; ++i) {
        const double *c = (const double *)(const void *)arc[i]->c;
        row[0][i] = vd_get(c), row[1][i] = vd_get(c + 4), row[2][i] = vd_get(c + 8);
    }
    vd_transpose(row[0]), vd_transpose(row[1]), vd_transpose(row[2]);
    f->arc.c0 = (vd3){row[0][0], row[0][1], row[0][2]}, f->arc.c1 = (vd3){row[0][3], row[1][0], row[1][1]};
    f->arc.c2 = (vd3){row[1][2], row[1][3], row[2][0]}, f->arc.c3 = (vd3){row[2][1], row[2][2], row[2][3]};
    f->arc.twice = (vd3){f->arc.c2.x * 2, f->arc.c2.y * 2, f->arc.c2.z * 2};
    const double *p = point[0], *q = point[1], *r = point[2], *s = point[3];
    f->p = (vd3){{p[0], q[0], r[0], s[0]}, {p[1], q[1], r[1], s[1]}, {p[2], q[2], r[2], s[2]}};
    f->from0 = vd3_sub(f->arc.c0, f->p), f->from1 = vd3_sub(vd_arc_at(&f->arc, vd_all(1)), f->p);
    vd unused, g0 = vd3_dot(f->from0, f->arc.c1), g1 = vd_slope_at(&f->arc, f->p, vd_all(1), &unused);
    f->low = vd_all(0), f->high = vd_all(1), f->t = g0 / (g0 - g1);
    f->between = (g0 < 0) & (g1 > 0), f->done = ~f->between;
}

/* A lane that has come to rest stays as it is. */
VD_INLINE void four_step(Four *f)
{
    vd derivative, g = vd_slope_at(&f->arc, f->p, f->t, &derivative);
    vmask left = g < 0;
    f->low = vd_select(left, f->t, f->low), f->high = vd_select(left, f->high, f->t);
    vd step = -g / derivative, next = f->t + step;
    vmask last = (step < SN_ARC_AT_REST) & (step > -SN_ARC_AT_REST);
    vmask keep = last | ((next > f->low) & (next < f->high));
    next = vd_select(keep, next, 0.5 * (f->low + f->high));
    f->t = vd_select(f->done, f->t, next);
    f->done |= last;
}

VD_INLINE void four_finish(const Four *f, double *distance2, double (*at)[3])
{
    vd t = vd_select(f->t < 0, vd_all(0), f->t);
    t = vd_select(t > 1, vd_all(1), t);
    vd3 inner = vd_arc_at(&f->arc, t), end = vd_arc_at(&f->arc, vd_all(1)), way = vd3_sub(inner, f->p);
    vd d0 = vd3_dot(f->from0, f->from0), d1 = vd3_dot(f->from1, f->from1);
    vmask second = d1 < d0;
    vd d = vd_select(f->between, vd3_dot(way, way), vd_select(second, d1, d0));
    vd x = vd_select(f->between, inner.x, vd_select(second, end.x, f->arc.c0.x));
    vd y = vd_select(f->between, inner.y, vd_select(second, end.y, f->arc.c0.y));
    vd z = vd_select(f->between, inner.z, vd_select(second, end.z, f->arc.c0.z));
    for (int i = 0; i < 4; ++i) distance2[i] = d[i], at[i][0] = x[i], at[i][1] = y[i], at[i][2] = z[i];
}

static void closest_eight(const snArc *const arc[8], const double *const point[8], double distance2[8], double at[8][3])
{
    Four a, b;
    four_start(arc, point, &a), four_start(arc + 4, point + 4, &b);
    for (int i = 0; i < SN_ARC_NEWTON && !vd_all_of(a.done & b.done); ++i) four_step(&a), four_step(&b);
    four_finish(&a, distance2, at), four_finish(&b, distance2 + 4, at + 4);
}

static void closest_loop(int32_t n, const snArc *arc, const int32_t *which, const double *position,
                         const int32_t *vertex, double *distance2, double *at)
{
    for (int32_t first = 0; first < n; first += 8) {
        const snArc *eight[8];
        const double *point[8];
        double d[8], place[8][3];
        int32_t count = n - first < 8 ? n - first : 8;
        for (int32_t i = 0; i < 8; ++i) {
            int32_t k = first + (i < count ? i : count - 1);
            eight[i] = arc + which[k], point[i] = position + 3 * vertex[k];
        }
        closest_eight(eight, point, d, place);
        for (int32_t i = 0; i < count; ++i) {
            distance2[first + i] = d[i];
            for (int c = 0; c < 3; ++c) at[3 * (first + i) + c] = place[i][c];
        }
    }
}

#endif
