/* A strand as a tube: rings around its spline, turned as little as possible from one to the next, closed by a point at
 * both ends. The first ring looks the same way from frame to frame, so that morphing does not twist it. */
#include "base/alloc.h"
#include "math/spline.h"
#include "page/gltf.h"

#include <string.h>

enum { MAX_POINTS = 1024 };

/* Strands of many control points need fewer rings between two of them. */
static int32_t ring_count(const snTubeDef *def)
{
    int32_t npoint = def->npoint;
    if (def->straight) return npoint < 4 ? 5 : 2 * npoint + 1;
    int32_t per_span = npoint <= 10 ? 3 : npoint <= 24 ? 2 : 1;
    return npoint >= 4 ? per_span * (npoint - 3) + 1 : npoint;
}

static double smooth(double x)
{
    double t = fmin(fmax(x, 0), 1);
    return t * t * (3 - 2 * t);
}

/* 0 in the tendon, 1 in the middle of the belly. */
static double swell_at(const snTube *t, int32_t ring)
{
    double u = (double)ring / (t->nring - 1), a = t->def.belly_start, b = t->def.belly_end, edge = 0.35 * (b - a);
    return b > a ? smooth((u - a) / edge) * smooth((b - u) / edge) : 0;
}

static void put_triangle(snTube *t, int32_t *at, int32_t a, int32_t b, int32_t c)
{
    int32_t *to = t->triangle + 3 * (size_t)(*at)++;
    to[0] = a, to[1] = b, to[2] = c;
}

static bool is_belly(const snTube *t, int32_t ring)
{
    return swell_at(t, ring) + swell_at(t, ring + 1) > 0.3;
}

/* The bands of the belly, or the tips and the bands of the tendon. */
static void connect(snTube *t, int32_t *at, bool belly)
{
    int32_t n = t->def.sides, wide = n + 1, last = 1 + (t->nring - 1) * wide;
    for (int32_t k = 0; k < n && !belly; ++k) put_triangle(t, at, 0, 1 + k + 1, 1 + k);
    for (int32_t r = 0; r + 1 < t->nring; ++r) {
        if (is_belly(t, r) != belly) continue;
        for (int32_t k = 0; k < n; ++k) {
            int32_t a = 1 + r * wide + k, b = a + wide;
            put_triangle(t, at, a, a + 1, b);
            put_triangle(t, at, a + 1, b + 1, b);
        }
    }
    for (int32_t k = 0; k < n && !belly; ++k) put_triangle(t, at, last + wide, last + k, last + k + 1);
}

snStatus sn_tube_create(snTube *t, const snTubeDef *def)
{
    *t = (snTube){.def = *def};
    if (def->npoint < 2 || def->npoint > MAX_POINTS) return SN_BAD_INPUT;
    t->nring = ring_count(def);
    t->nvertex = t->nring * (def->sides + 1) + 2;
    t->ntriangle = 2 * def->sides * t->nring;
    t->triangle = SN_NEW_ARRAY(int32_t, 3 * (int64_t)t->ntriangle);
    if (!t->triangle) return SN_NO_MEMORY;
    int32_t at = 0;
    connect(t, &at, false);
    t->ntendon = at;
    connect(t, &at, true);
    return SN_OK;
}

void sn_tube_free(snTube *t)
{
    sn_free(t->triangle);
    *t = (snTube){0};
}

/* Place at a fraction of the length of a line of straight pieces, and its direction there. */
static void line_at(const double *point, int32_t npoint, double fraction, v3 *p, v3 *tangent)
{
    double all = 0, left;
    int32_t k = 0;
    for (int32_t i = 0; i + 1 < npoint; ++i) all += v3_dist(v3_load(point + 3 * i), v3_load(point + 3 * i + 3));
    for (left = fraction * all; k + 2 < npoint; ++k) {
        double piece = v3_dist(v3_load(point + 3 * k), v3_load(point + 3 * k + 3));
        if (left <= piece) break;
        left -= piece;
    }
    v3 a = v3_load(point + 3 * k), b = v3_load(point + 3 * k + 3);
    double piece = v3_dist(a, b);
    *p = v3_lerp(a, b, piece > 0 ? fmin(left / piece, 1) : 0);
    *tangent = v3_sub(b, a);
}

/* Point and direction of the curve at ring r. */
static void curve_at(const snTube *t, const double *point, const double *knot, int32_t r, v3 *p, v3 *tangent)
{
    int32_t npoint = t->def.npoint, rings = t->nring;
    if (t->def.straight) {
        line_at(point, npoint, (double)r / (rings - 1), p, tangent);
        return;
    }
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

/* A shorter belly is a thicker one: radius goes with one over the root of the length. */
static double squeeze_of(snTube *t, const double *point, const double *knot)
{
    double length = 0;
    v3 p, before = {0}, tangent;
    for (int32_t r = 0; r < t->nring; ++r, before = p) {
        curve_at(t, point, knot, r, &p, &tangent);
        if (r) length += v3_dist(p, before);
    }
    if (!(t->drawn_length > 0)) t->drawn_length = length;
    return length > 0 ? sqrt(fmin(fmax(t->drawn_length / length, 0.5), 2)) : 1;
}

static int32_t put_ring(const snTube *t, int32_t at, double radius, v3 p, v3 side, v3 other, double *vertex,
                        double *normal)
{
    for (int32_t k = 0; k <= t->def.sides; ++k, ++at) {
        double angle = 2 * SN_PI * (k % t->def.sides) / t->def.sides;
        v3 out = v3_add(v3_scale(side, cos(angle)), v3_scale(other, sin(angle)));
        v3_store(vertex + 3 * (size_t)at, v3_mad(p, radius, out));
        v3_store(normal + 3 * (size_t)at, out);
    }
    return at;
}

void sn_tube_shape(snTube *t, const double *point, double *vertex, double *normal)
{
    double knot[MAX_POINTS + 4];
    int32_t at = 0;
    v3 p = {0, 0, 0}, tangent = {0, 0, 1}, side = v3_load(t->side), old = tangent;
    if (t->def.npoint >= 4) spline_clamped_knots(knot, t->def.npoint);
    double squeeze = squeeze_of(t, point, knot);
    for (int32_t r = 0; r < t->nring; ++r) {
        curve_at(t, point, knot, r, &p, &tangent);
        tangent = v3_len(tangent) > 1e-12 ? v3_unit(tangent) : old;
        side = across(side, tangent);
        old = tangent;
        if (r == 0) {
            v3_store(t->side, side);
            v3_store(vertex, p);
            v3_store(normal, v3_neg(tangent));
            at = 1;
        }
        double radius = t->def.tendon + fmax(0, t->def.belly * squeeze - t->def.tendon) * swell_at(t, r);
        at = put_ring(t, at, radius, p, side, v3_cross(tangent, side), vertex, normal);
    }
    v3_store(vertex + 3 * (size_t)at, p);
    v3_store(normal + 3 * (size_t)at, tangent);
}

void sn_tube_texture(const snTube *t, double *uv)
{
    int32_t at = 0;
    uv[at++] = 0.5, uv[at++] = 0;
    for (int32_t r = 0; r < t->nring; ++r)
        for (int32_t k = 0; k <= t->def.sides; ++k)
            uv[at++] = (double)k / t->def.sides, uv[at++] = (double)r / (t->nring - 1);
    uv[at++] = 0.5, uv[at] = 1;
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
