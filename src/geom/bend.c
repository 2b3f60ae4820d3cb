/* Places on surfaces with their curvature, also of the surface that lies an offset outside.
 *
 * dn/dx = S is the second derivative of the distance, seen along the surface. A surface at the distance o has
 * S (I + o S)^-1. Of a patch S comes from the two fundamental forms, of a level F = const it is H / |dF| along it. */
#include "geom/surface.h"

enum { LEVEL_STEPS = 8 };

static m3 outer(double s, v3 a, v3 b)
{
    return (m3){{s * a.x * b.x, s * a.x * b.y, s * a.x * b.z, s * a.y * b.x, s * a.y * b.y, s * a.y * b.z,
                 s * a.z * b.x, s * a.z * b.y, s * a.z * b.z}};
}

/* In the plane of two unit vectors p and q: xx p p' + xy (p q' + q p') + yy q q'. */
typedef struct {
    v3 p, q;
    double xx, xy, yy;
} Plane;

static m3 plane_matrix(const Plane *a)
{
    m3 s = outer(a->xx, a->p, a->p),
       part[3] = {outer(a->xy, a->p, a->q), outer(a->xy, a->q, a->p), outer(a->yy, a->q, a->q)};
    for (int k = 0; k < 3; ++k)
        for (int e = 0; e < 9; ++e) s.m[e] += part[k].m[e];
    return s;
}

static Plane seen_along(const m3 *h, double scale, v3 n)
{
    Plane a = {.p = v3_perp(n)};
    a.q = v3_cross(n, a.p);
    v3 hp = m3_mulv(h, a.p), hq = m3_mulv(h, a.q);
    a.xx = scale * v3_dot(a.p, hp), a.xy = scale * v3_dot(a.q, hp), a.yy = scale * v3_dot(a.q, hq);
    return a;
}

/* S (I + o S)^-1; where the offset reaches past the centre of a hollow, S itself. */
static void move_out(Plane *a, double o)
{
    double xx = 1 + o * a->xx, xy = o * a->xy, yy = 1 + o * a->yy, det = xx * yy - xy * xy;
    if (!(det > 1e-6 && xx > 0)) return;
    double sxx = (a->xx * yy - a->xy * xy) / det, sxy = (a->xy * xx - a->xx * xy) / det;
    double syy = (a->yy * xx - a->xy * xy) / det;
    a->xx = sxx, a->xy = sxy, a->yy = syy;
}

/* S = -(second form) by (first form)^-1, the normal pointing outwards. False where the patch has no tangent plane. */
static bool patch_plane(const snSurface *s, double u, double v, v3 n, Plane *a)
{
    snPatchJet j = sn_surface_patch_jet(s, u, v);
    double size = v3_len(j.u), det = v3_len(v3_cross(j.u, j.v));
    *a = (Plane){.p = v3_perp(n)};
    a->q = v3_cross(n, a->p);
    if (!(det > 1e-7 * (v3_len2(j.u) + v3_len2(j.v)))) return false;
    /* e and f: unit vectors along and across du; du = size e, dv = shear e + wide f */
    v3 e = v3_scale(j.u, 1 / size), f = v3_cross(n, e);
    double shear = v3_dot(j.v, e), wide = v3_dot(j.v, f);
    double uu = -v3_dot(n, j.uu), uv = -v3_dot(n, j.uv), vv = -v3_dot(n, j.vv);
    a->p = e, a->q = f;
    a->xx = uu / (size * size);
    a->xy = (uv / size - shear * a->xx) / wide;
    a->yy = (vv - shear * shear * a->xx - 2 * shear * wide * a->xy) / (wide * wide);
    return true;
}

static bool at_end(double x, const double *knot, int32_t n, bool closed)
{
    return !closed && (x <= knot[3] || x >= knot[n]);
}

/* By kind, in the surface's frame; p lies on the surface. */
static Plane plane_at(const snSurface *s, v3 p, v3 n, const snSurfaceHint *hint, bool *edge)
{
    m3 h = m3_identity();
    double radius = s->size.x;
    *edge = false;
    if (s->kind == SN_SURFACE_SPHERE) return seen_along(&h, 1 / radius, n);
    if (s->kind == SN_SURFACE_CYLINDER) {
        h.m[8] = 0;
        return seen_along(&h, 1 / radius, n);
    }
    if (s->kind == SN_SURFACE_ELLIPSOID) {
        v3 inverse = v3_of(1 / (s->size.x * s->size.x), 1 / (s->size.y * s->size.y), 1 / (s->size.z * s->size.z));
        h.m[0] = inverse.x, h.m[4] = inverse.y, h.m[8] = inverse.z;
        return seen_along(&h, 1 / v3_len(v3_mul(inverse, p)), n);
    }
    Plane a = {.p = v3_perp(n), .q = v3_cross(n, v3_perp(n))};
    if (s->kind != SN_SURFACE_PATCH) return a;
    *edge = !patch_plane(s, hint->u, hint->v, n, &a) || at_end(hint->u, s->knot_u, s->nu, s->closed_u) ||
            at_end(hint->v, s->knot_v, s->nv, s->closed_v);
    return a;
}

static snSurfaceSpot level_spot(const snSurface *s, double offset, v3 query)
{
    const snDistance *f = s->distance;
    v3 q = rigid_unapply(s->frame, query), g;
    m3 h;
    double d = sn_distance_sample(f, q, &g);
    snSurfaceSpot spot = {.height = d - offset};
    for (int i = 0; i < LEVEL_STEPS && fabs(d - offset) > 1e-15; ++i) {
        q = v3_mad(q, -(d - offset) / fmax(v3_len2(g), 0.01), g);
        d = sn_distance_sample(f, q, &g);
    }
    sn_distance_bend(f, q, &g, &h);
    double slope = fmax(v3_len(g), 1e-3);
    v3 n = v3_unit(g);
    Plane a = seen_along(&h, 1 / slope, n);
    a.p = q_rotate(s->frame.q, a.p), a.q = q_rotate(s->frame.q, a.q);
    spot.point = rigid_apply(s->frame, q), spot.normal = q_rotate(s->frame.q, n), spot.bend = plane_matrix(&a);
    return spot;
}

snSurfaceSpot sn_surface_spot(const snSurface *s, double offset, v3 query, snSurfaceHint *hint)
{
    if (s->kind == SN_SURFACE_DISTANCE) return level_spot(s, offset, query);
    snSurfaceHit hit = sn_surface_closest(s, query, hint);
    snSurfaceSpot spot = {
        .point = v3_mad(hit.point, offset, hit.normal), .normal = hit.normal, .height = hit.distance - offset};
    Plane a = plane_at(s, rigid_unapply(s->frame, hit.point), q_unrotate(s->frame.q, hit.normal), hint, &spot.edge);
    move_out(&a, offset);
    a.p = q_rotate(s->frame.q, a.p), a.q = q_rotate(s->frame.q, a.q);
    spot.bend = plane_matrix(&a);
    return spot;
}

double sn_surface_height(const snSurface *s, double offset, v3 query, snSurfaceHint *hint)
{
    if (s->kind == SN_SURFACE_DISTANCE)
        return sn_distance_sample(s->distance, rigid_unapply(s->frame, query), NULL) - offset;
    return sn_surface_closest(s, query, hint).distance - offset;
}
