/* Strands as tubes: rings around the spline of a strand, turned as little as possible from one to the next, closed by a
 * point at both ends. The first ring looks the same way from frame to frame, so that morphing does not twist it. */
#include "base/alloc.h"
#include "page/gltf.h"
#include "math/spline.h"

#include <string.h>

enum { MAX_POINTS = 1024 };

/* Strands of many control points need fewer rings between two of them. */
static int32_t ring_count(int32_t npoint)
{
    int32_t per_span = npoint <= 10 ? 3 : npoint <= 24 ? 2 : 1;
    return npoint >= 4 ? per_span * (npoint - 3) + 1 : npoint;
}

static void put_triangle(snTubes *t, int32_t *at, int32_t a, int32_t b, int32_t c)
{
    int32_t *to = t->triangle + 3 * (size_t)(*at)++;
    to[0] = a, to[1] = b, to[2] = c;
}

/* Vertices of a strand: the first tip, the rings, the last tip. */
static void connect(snTubes *t, int32_t strand, int32_t *at)
{
    int32_t rings = t->nring[strand], n = t->sides, tip = t->first[strand], ring = tip + 1,
            last = ring + (rings - 1) * n;
    for (int32_t k = 0; k < n; ++k) {
        int32_t next = (k + 1) % n;
        put_triangle(t, at, tip, ring + next, ring + k);
        for (int32_t r = 0; r + 1 < rings; ++r) {
            int32_t a = ring + r * n, b = a + n;
            put_triangle(t, at, a + k, a + next, b + k);
            put_triangle(t, at, a + next, b + next, b + k);
        }
        put_triangle(t, at, last + n, last + k, last + next);
    }
}

snStatus sn_tubes_create(snTubes *t, int32_t nstrand, const int32_t *npoint, const double *radius, int32_t sides)
{
    *t = (snTubes){.nstrand = nstrand, .sides = sides, .npoint = npoint, .radius = radius};
    t->nring = SN_NEW_ARRAY(int32_t, nstrand);
    t->first = SN_NEW_ARRAY(int32_t, nstrand);
    t->side = SN_NEW_ARRAY(double, 3 * nstrand);
    if (!t->nring || !t->first || !t->side) return SN_NO_MEMORY;
    for (int32_t s = 0; s < nstrand; ++s) {
        if (npoint[s] < 2 || npoint[s] > MAX_POINTS) return SN_BAD_INPUT;
        t->nring[s] = ring_count(npoint[s]);
        t->first[s] = t->nvertex;
        t->nvertex += t->nring[s] * sides + 2;
        t->ntriangle += 2 * sides * t->nring[s];
    }
    t->triangle = SN_NEW_ARRAY(int32_t, 3 * (int64_t)t->ntriangle);
    if (!t->triangle) return SN_NO_MEMORY;
    int32_t at = 0;
    for (int32_t s = 0; s < nstrand; ++s) connect(t, s, &at);
    return SN_OK;
}

void sn_tubes_free(snTubes *t)
{
    sn_free(t->nring);
    sn_free(t->first);
    sn_free(t->side);
    sn_free(t->triangle);
    *t = (snTubes){0};
}

/* Point and direction of the curve at ring r. */
static void curve_at(const double *point, int32_t npoint, const double *knot, int32_t r, int32_t rings, v3 *p,
                     v3 *tangent)
{
    if (npoint < 4) {
        int32_t a = r > 0 ? r - 1 : 0, b = r + 1 < npoint ? r + 1 : npoint - 1;
        *p = v3_load(point + 3 * r);
        *tangent = v3_sub(v3_load(point + 3 * b), v3_load(point + 3 * a));
        return;
    }
    double b[4], d[4];
    int32_t span = spline_basis(knot, npoint, (double)r / (rings - 1), 0, b, d, NULL);
    *p = *tangent = v3_of(0, 0, 0);
    for (int k = 0; k < 4; ++k) {
        v3 q = v3_load(point + 3 * (span + k));
        *p = v3_mad(*p, b[k], q);
        *tangent = v3_mad(*tangent, d[k], q);
    }
}

/* What is left of v at right angles to the unit vector t; some such direction where nothing is left. */
static v3 across(v3 v, v3 t)
{
    v3 w = v3_mad(v, -v3_dot(v, t), t);
    return v3_len(w) > 1e-9 ? v3_unit(w) : v3_perp(t);
}

static void shape_strand(snTubes *t, int32_t s, const double *point, double *vertex, double *normal)
{
    double knot[MAX_POINTS + 4];
    int32_t rings = t->nring[s], n = t->sides, at = t->first[s];
    v3 p = {0, 0, 0}, tangent = {0, 0, 1}, side = v3_load(t->side + 3 * s), old = tangent;
    if (t->npoint[s] >= 4) spline_clamped_knots(knot, t->npoint[s]);
    for (int32_t r = 0; r < rings; ++r) {
        curve_at(point, t->npoint[s], knot, r, rings, &p, &tangent);
        tangent = v3_len(tangent) > 1e-12 ? v3_unit(tangent) : old;
        side = across(side, tangent);
        old = tangent;
        v3 other = v3_cross(tangent, side);
        if (r == 0) {
            v3_store(t->side + 3 * s, side);
            v3_store(vertex + 3 * (size_t)at, p);
            v3_store(normal + 3 * (size_t)at++, v3_neg(tangent));
        }
        for (int32_t k = 0; k < n; ++k, ++at) {
            double angle = 2 * SN_PI * k / n;
            v3 out = v3_add(v3_scale(side, cos(angle)), v3_scale(other, sin(angle)));
            v3_store(vertex + 3 * (size_t)at, v3_mad(p, t->radius[s], out));
            v3_store(normal + 3 * (size_t)at, out);
        }
    }
    v3_store(vertex + 3 * (size_t)at, p);
    v3_store(normal + 3 * (size_t)at, tangent);
}

void sn_tubes_shape(snTubes *t, const double *point, double *vertex, double *normal)
{
    for (int32_t s = 0; s < t->nstrand; ++s) {
        shape_strand(t, s, point, vertex, normal);
        point += 3 * (size_t)t->npoint[s];
    }
}

void sn_vertex_normals(int32_t nvertex, int32_t ntriangle, const double *vertex, const int32_t *triangle,
                       double *normal)
{
    memset(normal, 0, 3 * (size_t)nvertex * sizeof *normal);
    for (int32_t i = 0; i < ntriangle; ++i) {
        const int32_t *c = triangle + 3 * (size_t)i;
        v3 a = v3_load(vertex + 3 * (size_t)c[0]), b = v3_load(vertex + 3 * (size_t)c[1]),
           d = v3_load(vertex + 3 * (size_t)c[2]);
        v3 area = v3_cross(v3_sub(b, a), v3_sub(d, a));
        for (int k = 0; k < 3; ++k) {
            double *n = normal + 3 * (size_t)c[k];
            v3_store(n, v3_add(v3_load(n), area));
        }
    }
    for (int32_t i = 0; i < nvertex; ++i) {
        double *n = normal + 3 * (size_t)i;
        v3 u = v3_load(n);
        v3_store(n, v3_len(u) > 0 ? v3_unit(u) : v3_of(0, 0, 1)); /* glTF wants unit vectors everywhere */
    }
}
