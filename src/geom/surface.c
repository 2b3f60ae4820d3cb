/* Closest points on surfaces.
 *
 * Plane, sphere and cylinder are closed formulas. The ellipsoid's foot point is the root of one convex
 * decreasing function, which Newton's method started left of the root climbs monotonically. A patch is
 * searched by Newton's method on half the squared distance with a line search, from the hint or from
 * the best of a dense sampling. A grid gives its distance and gradient; a query that was pushed in past the middle of a
 * thin part comes out where it went in.
 *
 * Invariants:
 * 1. A hit lies on the surface to rounding, whatever the query; on a grid's as far as its gradient leads.
 * 2. A local search never ends further from the query than the hint.
 * 3. Parameters in a hint lie in the patch's range; closed directions wrap. */
#include "geom/surface.h"

#include "math/spline.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

enum { NEWTON_STEPS = 40, ROOT_STEPS = 80, SPAN_SAMPLES = 4, CANDIDATES = 6, WALK_STEPS = 200, EXIT_STEPS = 4 };

/* ---- analytic shapes, in the surface's frame -------------------------------------------------- */

static snSurfaceHit closest_plane(v3 q, snSurfaceHint *hint)
{
    hint->u = q.x, hint->v = q.y;
    return (snSurfaceHit){v3_of(q.x, q.y, 0), v3_of(0, 0, 1), q.z};
}

/* The direction of q, or of the hint when q is too near to zero to have one. */
static v3 direction_or_hint(v3 q, double scale, const snSurfaceHint *hint)
{
    double length = v3_len(q);
    if (length > 1e-12 * scale) return v3_scale(q, 1 / length);
    double u = hint->valid ? hint->u : 0, v = hint->valid ? hint->v : 0;
    return v3_of(cos(v) * cos(u), cos(v) * sin(u), sin(v));
}

static snSurfaceHit closest_sphere(double radius, v3 q, snSurfaceHint *hint)
{
    v3 n = direction_or_hint(q, radius, hint);
    hint->u = atan2(n.y, n.x), hint->v = asin(fmax(-1, fmin(1, n.z)));
    return (snSurfaceHit){v3_scale(n, radius), n, v3_len(q) - radius};
}

static snSurfaceHit closest_cylinder(double radius, v3 q, snSurfaceHint *hint)
{
    snSurfaceHint angle = {hint->u, 0, hint->valid};
    v3 n = direction_or_hint(v3_of(q.x, q.y, 0), radius, &angle);
    hint->u = atan2(n.y, n.x), hint->v = q.z;
    return (snSurfaceHit){v3_of(radius * n.x, radius * n.y, q.z), n, sqrt(q.x * q.x + q.y * q.y) - radius};
}

/* The foot point of y is a^2 y / (a^2 + t) at a root t of F = sum (a y / (a^2 + t))^2 - 1. Written in s = t + least^2
 * and the gaps a^2 - least^2, so that nothing cancels near the pole s = 0. */
typedef struct {
    double a[3], y[3], gap[3]; /* half axes; query, not negative */
    int least;                 /* the shortest axis */
} Ellipsoid;

static double ellipsoid_f(const Ellipsoid *e, double s, double *slope)
{
    double f = -1, df = 0;
    for (int i = 0; i < 3; ++i) {
        double denominator = e->gap[i] + s;
        if (e->y[i] == 0 || denominator == 0) continue;
        double k = e->a[i] * e->y[i] / denominator;
        f += k * k, df -= 2 * k * k / denominator;
    }
    *slope = df;
    return f;
}

/* The globally closest point. F is convex and falls for s > 0; the start is left of the root. */
static void ellipsoid_global(const Ellipsoid *e, double x[3])
{
    double s = 0, slope;
    for (int i = 0; i < 3; ++i) s = fmax(s, e->a[i] * e->y[i] - e->gap[i]);
    for (int step = 0; step < ROOT_STEPS; ++step) {
        double f = ellipsoid_f(e, s, &slope);
        if (!(f > 0) || !(slope < 0)) break;
        double next = s - f / slope;
        if (!(next > s)) break;
        s = next;
    }
    double rest = 1;
    for (int i = 0; i < 3; ++i) {
        double denominator = e->gap[i] + s;
        x[i] = e->y[i] == 0 || !(denominator > 0) ? 0 : e->a[i] * e->a[i] * e->y[i] / denominator;
        if (i != e->least) rest -= (x[i] / e->a[i]) * (x[i] / e->a[i]);
    }
    /* On the plane of the two longer axes and inside their evolute, the shortest axis has a height all the same. */
    if (x[e->least] == 0 && s <= 0) x[e->least] = e->a[e->least] * sqrt(fmax(rest, 0));
}

/* The nearest point across the plane of the two longer axes, if the distance has a local minimum there. */
static bool ellipsoid_across(const Ellipsoid *e, double x[3])
{
    double bound = INFINITY, s = -e->a[e->least] * e->y[e->least], slope;
    for (int i = 0; i < 3; ++i)
        if (i != e->least) bound = fmin(bound, e->gap[i]);
    if (!(s < 0)) return false;
    for (int step = 0; step < ROOT_STEPS; ++step) {
        if (!(s > -bound)) return false;
        double f = ellipsoid_f(e, s, &slope);
        if (!(f > 0)) break;
        if (!(slope > 0)) return false;
        double next = s - f / slope;
        if (!(next < s)) break;
        s = next;
    }
    for (int i = 0; i < 3; ++i) x[i] = e->y[i] == 0 ? 0 : e->a[i] * e->a[i] * e->y[i] / (e->gap[i] + s);
    return true;
}

static snSurfaceHit closest_ellipsoid(v3 size, v3 q, snSurfaceHint *hint)
{
    Ellipsoid e = {.a = {size.x, size.y, size.z}};
    double p[3] = {q.x, q.y, q.z}, sign[3], x[3], n[3], norm = 0;
    e.least = e.a[0] <= e.a[1] && e.a[0] <= e.a[2] ? 0 : e.a[1] <= e.a[2] ? 1 : 2;
    double at[3] = {cos(hint->v) * cos(hint->u), cos(hint->v) * sin(hint->u), sin(hint->v)};
    for (int i = 0; i < 3; ++i) {
        e.y[i] = fabs(p[i]) < 1e-14 * e.a[i] ? 0 : fabs(p[i]);
        /* On a plane of symmetry the hint says which side. */
        sign[i] = (e.y[i] == 0 && hint->valid ? at[i] : p[i]) < 0 ? -1 : 1;
        e.gap[i] = (e.a[i] - e.a[e.least]) * (e.a[i] + e.a[e.least]);
    }
    bool across = hint->valid && at[e.least] * sign[e.least] < -1e-6;
    if (!across || !ellipsoid_across(&e, x)) ellipsoid_global(&e, x);
    for (int i = 0; i < 3; ++i) norm += (x[i] / e.a[i]) * (x[i] / e.a[i]);
    norm = norm > 0 ? 1 / sqrt(norm) : 1;
    for (int i = 0; i < 3; ++i) x[i] *= sign[i] * norm, n[i] = x[i] / (e.a[i] * e.a[i]);
    hint->u = atan2(x[1] / e.a[1], x[0] / e.a[0]), hint->v = asin(fmax(-1, fmin(1, x[2] / e.a[2])));
    snSurfaceHit hit = {v3_load(x), v3_unit(v3_load(n)), 0};
    hit.distance = v3_dot(v3_sub(q, hit.point), hit.normal);
    return hit;
}

/* ---- patches ---------------------------------------------------------------------------------- */

typedef snPatchJet Jet;

typedef struct {
    double u, v, cost; /* cost: half the squared distance */
    Jet jet;
    int32_t span_u, span_v;
} Place;

static Jet patch_jet(const snSurface *s, double u, double v, int32_t *span_u, int32_t *span_v)
{
    double bu[4], du[4], ddu[4], bv[4], dv[4], ddv[4];
    *span_u = spline_basis(s->knot_u, s->nu, u, *span_u, bu, du, ddu);
    *span_v = spline_basis(s->knot_v, s->nv, v, *span_v, bv, dv, ddv);
    Jet jet = {0};
    for (int i = 0; i < 4; ++i) {
        const double *row = s->point + 3 * ((*span_u + i) * s->nv + *span_v);
        v3 r = {0}, rv = {0}, rvv = {0};
        for (int j = 0; j < 4; ++j) {
            v3 p = v3_load(row + 3 * j);
            r = v3_mad(r, bv[j], p), rv = v3_mad(rv, dv[j], p), rvv = v3_mad(rvv, ddv[j], p);
        }
        jet.p = v3_mad(jet.p, bu[i], r), jet.u = v3_mad(jet.u, du[i], r), jet.uu = v3_mad(jet.uu, ddu[i], r);
        jet.v = v3_mad(jet.v, bu[i], rv), jet.uv = v3_mad(jet.uv, du[i], rv), jet.vv = v3_mad(jet.vv, bu[i], rvv);
    }
    return jet;
}

static double into_range(double x, double low, double high, bool closed)
{
    if (!closed) return x < low ? low : x > high ? high : x;
    double period = high - low;
    if (x < low || x >= high) x -= period * floor((x - low) / period);
    return x >= high ? low : x;
}

static void place_at(const snSurface *s, v3 q, double u, double v, Place *place)
{
    place->u = into_range(u, s->knot_u[3], s->knot_u[s->nu], s->closed_u);
    place->v = into_range(v, s->knot_v[3], s->knot_v[s->nv], s->closed_v);
    place->jet = patch_jet(s, place->u, place->v, &place->span_u, &place->span_v);
    place->cost = 0.5 * v3_len2(v3_sub(place->jet.p, q));
}

/* A step is at most as long as a span, so that a local search stays local. */
static double span_length(const double *knot, int32_t span)
{
    return knot[span + 4] - knot[span + 3];
}

/* Whether the parameter sits at an open end and the descent direction leads out of the range. */
static bool pinned(double x, double gradient, const double *knot, int32_t n, bool closed)
{
    return !closed && ((x <= knot[3] && gradient > 0) || (x >= knot[n] && gradient < 0));
}

/* Newton direction of the cost over the parameters that are free; Gauss-Newton where the Hessian is not definite. */
static void descent(const Jet *j, v3 r, const bool fixed[2], double gu, double gv, double *du, double *dv)
{
    double nuu = v3_dot(j->u, j->u), nuv = v3_dot(j->u, j->v), nvv = v3_dot(j->v, j->v);
    double huu = nuu + v3_dot(r, j->uu), huv = nuv + v3_dot(r, j->uv), hvv = nvv + v3_dot(r, j->vv);
    *du = *dv = 0;
    if (fixed[0] || fixed[1]) {
        if (!fixed[0]) *du = -gu / (huu > 1e-3 * nuu ? huu : nuu + 1e-300);
        if (!fixed[1]) *dv = -gv / (hvv > 1e-3 * nvv ? hvv : nvv + 1e-300);
        return;
    }
    if (!(huu > 0 && huu * hvv - huv * huv > 1e-6 * nuu * nvv)) {
        double ridge = 1e-9 * (nuu + nvv) + 1e-300; /* a pole has no derivative along one parameter */
        huu = nuu + ridge, huv = nuv, hvv = nvv + ridge;
    }
    double determinant = huu * hvv - huv * huv;
    *du = (huv * gv - hvv * gu) / determinant;
    *dv = (huv * gu - huu * gv) / determinant;
}

/* Gradient of the cost, and whether it is zero to rounding over the parameters that are free. */
static bool gradient(const snSurface *s, v3 q, const Place *place, double g[2], bool fixed[2])
{
    const Jet *j = &place->jet;
    v3 r = v3_sub(j->p, q);
    double scale = 1e-15 * (v3_len(r) + v3_len(j->p));
    g[0] = v3_dot(r, j->u), g[1] = v3_dot(r, j->v);
    fixed[0] = pinned(place->u, g[0], s->knot_u, s->nu, s->closed_u);
    fixed[1] = pinned(place->v, g[1], s->knot_v, s->nv, s->closed_v);
    return (fixed[0] || fabs(g[0]) <= scale * v3_len(j->u)) && (fixed[1] || fabs(g[1]) <= scale * v3_len(j->v));
}

/* Near the foot point the cost is flat to rounding, but its gradient still tells which of two places is better. */
static bool flatter(const snSurface *s, v3 q, const Place *next, const double g[2], const Jet *j)
{
    double h[2], a = v3_len2(j->u) + 1e-300, b = v3_len2(j->v) + 1e-300;
    bool fixed[2];
    gradient(s, q, next, h, fixed);
    return h[0] * h[0] / a + h[1] * h[1] / b < 0.25 * (g[0] * g[0] / a + g[1] * g[1] / b);
}

/* Walks down from `place` until the residual stands on the surface at right angles. */
static void patch_newton(const snSurface *s, v3 q, Place *place)
{
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        double g[2], du, dv;
        bool fixed[2];
        if (gradient(s, q, place, g, fixed)) return;
        descent(&place->jet, v3_sub(place->jet.p, q), fixed, g[0], g[1], &du, &dv);
        double limit =
            fmax(fabs(du) / span_length(s->knot_u, place->span_u), fabs(dv) / span_length(s->knot_v, place->span_v));
        double length = limit > 1 ? 1 / limit : 1, gain = -0.5 * (g[0] * du + g[1] * dv);
        Place next = *place;
        place_at(s, q, place->u + length * du, place->v + length * dv, &next);
        if (gain < 1e-12 * place->cost) {
            if (!flatter(s, q, &next, g, &place->jet)) return;
        } else {
            for (int halving = 0; !(next.cost < place->cost) && halving < 30; ++halving) {
                length *= 0.5;
                place_at(s, q, place->u + length * du, place->v + length * dv, &next);
            }
            if (!(next.cost < place->cost)) return;
        }
        *place = next;
    }
}

/* Best sample of every span; the best few spans become starts for Newton's method. */
static void patch_sample(const snSurface *s, v3 q, Place best[CANDIDATES])
{
    for (int i = 0; i < CANDIDATES; ++i) best[i].cost = INFINITY;
    for (int32_t a = 0; a + 3 < s->nu; ++a)
        for (int32_t b = 0; b + 3 < s->nv; ++b) {
            double lu = span_length(s->knot_u, a), lv = span_length(s->knot_v, b);
            if (!(lu > 0 && lv > 0)) continue;
            Place here = {.cost = INFINITY}, sample = {.span_u = a, .span_v = b};
            for (int i = 0; i <= SPAN_SAMPLES; ++i)
                for (int j = 0; j <= SPAN_SAMPLES; ++j) {
                    place_at(s, q, s->knot_u[a + 3] + lu * i / SPAN_SAMPLES, s->knot_v[b + 3] + lv * j / SPAN_SAMPLES,
                             &sample);
                    if (sample.cost < here.cost) here = sample;
                }
            if (!(here.cost < best[CANDIDATES - 1].cost)) continue;
            int at = CANDIDATES - 1;
            for (; at > 0 && here.cost < best[at - 1].cost; --at) best[at] = best[at - 1];
            best[at] = here;
        }
}

static void patch_global(const snSurface *s, v3 q, Place *place)
{
    Place start[CANDIDATES];
    patch_sample(s, q, start);
    if (!(start[0].cost < INFINITY)) { /* numbers so large that no distance is finite */
        place_at(s, q, s->knot_u[3], s->knot_v[3], place);
        return;
    }
    *place = start[0];
    patch_newton(s, q, place);
    for (int i = 1; i < CANDIDATES && start[i].cost < INFINITY; ++i) {
        patch_newton(s, q, &start[i]);
        if (start[i].cost < place->cost) *place = start[i];
    }
}

/* At a pole the two tangents span no plane: look a little towards the middle of the patch. */
static v3 patch_normal(const snSurface *s, const Jet *jet, double u, double v)
{
    double middle_u = 0.5 * (s->knot_u[3] + s->knot_u[s->nu]), middle_v = 0.5 * (s->knot_v[3] + s->knot_v[s->nv]);
    v3 n = v3_cross(jet->u, jet->v);
    double size = v3_len2(jet->u) + v3_len2(jet->v);
    for (double towards = 1e-6; !(v3_len(n) > 1e-9 * size) && towards < 1; towards *= 10) {
        int32_t a = 0, b = 0;
        Jet near = patch_jet(s, u + towards * (middle_u - u), v + towards * (middle_v - v), &a, &b);
        n = v3_cross(near.u, near.v);
        size = v3_len2(near.u) + v3_len2(near.v);
    }
    n = v3_scale(v3_unit(n), s->flip < 0 ? -1 : 1);
    return v3_len2(n) > 0 ? n : v3_of(0, 0, 1);
}

static snSurfaceHit closest_patch(const snSurface *s, v3 q, snSurfaceHint *hint)
{
    Place place = {.cost = INFINITY, .span_u = -1, .span_v = -1};
    if (hint->valid) {
        place_at(s, q, hint->u, hint->v, &place);
        patch_newton(s, q, &place);
    } else {
        patch_global(s, q, &place);
    }
    hint->u = place.u, hint->v = place.v;
    snSurfaceHit hit = {place.jet.p, patch_normal(s, &place.jet, place.u, place.v), 0};
    hit.distance = v3_dot(v3_sub(q, hit.point), hit.normal);
    return hit;
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* From q inside the mesh along a direction to the surface; false when it is not met. */
static bool walk_out(const snDistance *f, v3 q, v3 way, snSurfaceHit *hit)
{
    double t = 0, d = -1;
    v3 g = way;
    for (int i = 0; i < WALK_STEPS && d < 0; ++i) {
        d = sn_distance_sample(f, v3_mad(q, t, way), &g);
        if (d < 0) t += fmax(-d, 0.1 * f->spacing);
    }
    if (!(d >= 0)) return false;
    for (int i = 0; i < EXIT_STEPS; ++i) {
        double slope = v3_dot(g, way);
        if (!(slope > 0.1)) return false; /* grazes: no surface to come out of */
        t -= d / slope;
        d = sn_distance_sample(f, v3_mad(q, t, way), &g);
    }
    v3 n = v3_unit(g);
    *hit = (snSurfaceHit){v3_mad(q, t, way), n, -t * v3_dot(n, way)};
    return t > 0;
}

static snSurfaceHit closest_distance(const snDistance *f, v3 q, snSurfaceHint *hint)
{
    v3 g;
    double d = sn_distance_sample(f, q, &g);
    v3 n = direction_or_hint(g, 1, hint);
    snSurfaceHit hit;
    v3 before = direction_or_hint(v3_of(0, 0, 0), 1, hint);
    bool turned = hint->valid && d < 0 && v3_dot(n, before) < 0;
    if (!turned || !walk_out(f, q, before, &hit)) hit = (snSurfaceHit){v3_mad(q, -d, n), n, d};
    hint->u = atan2(hit.normal.y, hit.normal.x), hint->v = asin(fmax(-1, fmin(1, hit.normal.z)));
    return hit;
}

/* ---- all of them ------------------------------------------------------------------------------ */

snSurfaceHit sn_surface_closest(const snSurface *surface, v3 query, snSurfaceHint *hint)
{
    v3 q = rigid_unapply(surface->frame, query);
    snSurfaceHit hit;
    switch (surface->kind) {
    case SN_SURFACE_PLANE:
        hit = closest_plane(q, hint);
        break;
    case SN_SURFACE_SPHERE:
        hit = closest_sphere(surface->size.x, q, hint);
        break;
    case SN_SURFACE_CYLINDER:
        hit = closest_cylinder(surface->size.x, q, hint);
        break;
    case SN_SURFACE_ELLIPSOID:
        hit = closest_ellipsoid(surface->size, q, hint);
        break;
    case SN_SURFACE_DISTANCE:
        hit = closest_distance(surface->distance, q, hint);
        break;
    default:
        hit = closest_patch(surface, q, hint);
        break;
    }
    hint->valid = 1;
    hit.point = rigid_apply(surface->frame, hit.point);
    hit.normal = q_rotate(surface->frame.q, hit.normal);
    return hit;
}

v3 sn_surface_patch_eval(const snSurface *surface, double u, double v, v3 *normal)
{
    assert(surface->kind == SN_SURFACE_PATCH);
    int32_t span_u = 0, span_v = 0;
    u = into_range(u, surface->knot_u[3], surface->knot_u[surface->nu], surface->closed_u);
    v = into_range(v, surface->knot_v[3], surface->knot_v[surface->nv], surface->closed_v);
    Jet jet = patch_jet(surface, u, v, &span_u, &span_v);
    if (normal) *normal = q_rotate(surface->frame.q, patch_normal(surface, &jet, u, v));
    return rigid_apply(surface->frame, jet.p);
}

snPatchJet sn_surface_patch_jet(const snSurface *surface, double u, double v)
{
    int32_t span_u = -1, span_v = -1;
    return patch_jet(surface, u, v, &span_u, &span_v);
}
