#include "page/belly_bind.h"

#include "base/alloc.h"
#include "math/spline.h"
#include "page/gltf.h"

#include <string.h>

typedef struct Rings {
    v3 centre[SN_BELLY_RINGS], side[SN_BELLY_RINGS], other[SN_BELLY_RINGS], along[SN_BELLY_RINGS];
    double length;
} Rings;

/* Frames turned as little as possible from ring to ring. The first one looks the same way in the world at all times. */
static void trace(const snBellyBind *b, const double *point, Rings *r)
{
    int32_t span = 0;
    v3 side = {0};
    r->length = 0;
    for (int i = 0; i < SN_BELLY_RINGS; ++i) {
        double w[4], d[4], from = b->knot[3], to = b->knot[b->npoint];
        span = spline_basis(b->knot, b->npoint, from + (to - from) * i / (SN_BELLY_RINGS - 1), span, w, d, NULL);
        v3 at = {0}, way = {0};
        for (int k = 0; k < 4; ++k) {
            at = v3_mad(at, w[k], v3_load(point + 3 * (span + k)));
            way = v3_mad(way, d[k], v3_load(point + 3 * (span + k)));
        }
        v3 t = v3_len(way) > 1e-12 ? v3_unit(way) : i ? r->along[i - 1] : v3_of(0, 1, 0);
        if (i == 0) side = fabs(t.x) < 0.7 ? v3_of(0, t.z, -t.y) : v3_of(-t.z, 0, t.x);
        side = v3_unit(v3_mad(side, -v3_dot(side, t), t));
        r->centre[i] = at, r->along[i] = t, r->side[i] = side, r->other[i] = v3_cross(t, side);
        if (i) r->length += v3_dist(at, r->centre[i - 1]);
    }
}

static void bind_vertex(snBellyBind *b, const Rings *r, int32_t v, v3 p, v3 normal)
{
    int32_t nearest = 0;
    for (int i = 1; i < SN_BELLY_RINGS; ++i)
        if (v3_dist(p, r->centre[i]) < v3_dist(p, r->centre[nearest])) nearest = i;
    v3 d = v3_sub(p, r->centre[nearest]), s = r->side[nearest], o = r->other[nearest], t = r->along[nearest];
    b->ring[v] = nearest;
    v3_store(b->place + 3 * v, v3_of(v3_dot(d, s), v3_dot(d, o), v3_dot(d, t)));
    v3_store(b->outward + 3 * v, v3_of(v3_dot(normal, s), v3_dot(normal, o), v3_dot(normal, t)));
}

snStatus sn_belly_bind_create(const snMesh *mesh, int32_t npoint, const double *point, const double *knot,
                              snBellyBind *b)
{
    int32_t n = mesh->nvertex;
    *b = (snBellyBind){.nvertex = n, .ntriangle = mesh->ntriangle, .npoint = npoint};
    if (npoint < 4 || n < 3) return SN_BAD_INPUT;
    Rings *rings = SN_NEW(Rings);
    double *normal = SN_NEW_ARRAY(double, 3 * (int64_t)n);
    b->triangle = SN_NEW_ARRAY(int32_t, 3 * (int64_t)mesh->ntriangle), b->knot = SN_NEW_ARRAY(double, npoint + 4);
    b->ring = SN_NEW_ARRAY(int32_t, n), b->place = SN_NEW_ARRAY(double, 3 * (int64_t)n);
    b->outward = SN_NEW_ARRAY(double, 3 * (int64_t)n);
    bool fine = rings && normal && b->triangle && b->knot && b->ring && b->place && b->outward;
    if (fine) {
        memcpy(b->triangle, mesh->triangle, 3 * sizeof *b->triangle * (size_t)mesh->ntriangle);
        memcpy(b->knot, knot, sizeof *knot * (size_t)(npoint + 4));
        sn_vertex_normals(n, mesh->ntriangle, mesh->vertex, mesh->triangle, normal);
        trace(b, point, rings);
        b->drawn_length = rings->length;
        for (int32_t v = 0; v < n; ++v)
            bind_vertex(b, rings, v, v3_load(mesh->vertex + 3 * v), v3_load(normal + 3 * v));
    }
    sn_free(rings), sn_free(normal);
    return fine ? SN_OK : SN_NO_MEMORY;
}

void sn_belly_bind_free(snBellyBind *b)
{
    sn_free(b->triangle), sn_free(b->knot), sn_free(b->ring), sn_free(b->place), sn_free(b->outward);
    *b = (snBellyBind){0};
}

static v3 in_frame(const Rings *r, int32_t i, v3 p)
{
    return v3_mad(v3_mad(v3_scale(r->side[i], p.x), p.y, r->other[i]), p.z, r->along[i]);
}

void sn_belly_bind_shape(const snBellyBind *b, const double *point, double *vertex, double *normal)
{
    Rings r;
    trace(b, point, &r);
    double squeeze = r.length > 0 ? sqrt(fmin(fmax(b->drawn_length / r.length, 0.5), 2)) : 1;
    for (int32_t v = 0; v < b->nvertex; ++v) {
        v3 p = v3_load(b->place + 3 * v);
        p.x *= squeeze, p.y *= squeeze;
        v3_store(vertex + 3 * v, v3_add(r.centre[b->ring[v]], in_frame(&r, b->ring[v], p)));
        v3_store(normal + 3 * v, in_frame(&r, b->ring[v], v3_load(b->outward + 3 * v)));
    }
}
