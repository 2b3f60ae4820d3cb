/* Nodes of the scene: hierarchy, transforms, meshes, curves, surfaces. */
#include "model/check.h"
#include "model/nodes.h"

#include <math.h>

static void check_transform(snChecker *c, snId id, const snNodeDef *d)
{
    double n = 0;
    for (int i = 0; i < 4; ++i) n += d->rotate[i] * d->rotate[i];
    if (!isfinite(n)) return; /* reported by its range */
    if (n == 0)
        sn_check_error(c, SN_KIND_NODE, id, "no rotation is 1 0 0 0", "rotate is zero; expected a unit quaternion");
    else if (fabs(sqrt(n) - 1) > 1e-4)
        sn_check_warning(c, SN_KIND_NODE, id, "quaternions are w first; normalise it",
                         "rotate has length %.6g instead of 1", sqrt(n));
    for (int i = 0; i < 3; ++i)
        if (d->scale[i] == 0) {
            sn_check_error(c, SN_KIND_NODE, id, "use 1 for no scaling", "scale is 0 along %c", "xyz"[i]);
            return;
        }
}

static void check_mesh(snChecker *c, snId id, const snNodeDef *d)
{
    if (d->nvertex == 0 || d->ntriangle == 0) {
        sn_check_warning(c, SN_KIND_NODE, id, "give Vertices and Triangles, or a file", "the mesh is empty");
        return;
    }
    for (int64_t i = 0; i < 3 * (int64_t)d->ntriangle; ++i)
        if (d->triangle[i] < 0 || d->triangle[i] >= d->nvertex) {
            sn_check_error(c, SN_KIND_NODE, id, "vertices count from 0",
                           "triangle %d has vertex %d, but there are %d vertices", (int)(i / 3), (int)d->triangle[i],
                           (int)d->nvertex);
            return;
        }
}

/* n: control points in this direction, repeated ones included. */
static void check_knots(snChecker *c, snId id, const char *name, int64_t n, int degree, int32_t nknot,
                        const double *knot)
{
    if (nknot == 0) return;
    if (nknot != n + degree + 1) {
        sn_check_error(c, SN_KIND_NODE, id, "leave them out for a clamped uniform curve",
                       "%s has %d knots; %lld points of degree %d need %lld", name, (int)nknot, (long long)n, degree,
                       (long long)n + degree + 1);
        return;
    }
    for (int32_t i = 1; i < nknot; ++i)
        if (knot[i] < knot[i - 1]) {
            sn_check_error(c, SN_KIND_NODE, id, NULL, "%s decreases at knot %d", name, (int)i);
            return;
        }
    if (!(knot[n] > knot[degree]))
        sn_check_error(c, SN_KIND_NODE, id, NULL, "%s leaves no range for the parameter", name);
}

static void check_weights(snChecker *c, snId id, const snNodeDef *d)
{
    if (d->nweight && d->nweight != d->npoint)
        sn_check_error(c, SN_KIND_NODE, id, "give one weight per point, or none", "there are %d weights for %d points",
                       (int)d->nweight, (int)d->npoint);
}

static void check_curve(snChecker *c, snId id, const snNodeDef *d)
{
    if (d->npoint < d->degree + 1)
        sn_check_error(c, SN_KIND_NODE, id, "add control points",
                       "the curve has %d control points; degree %d needs at least %d", (int)d->npoint, (int)d->degree,
                       (int)d->degree + 1);
    check_knots(c, id, "Knots", (int64_t)d->npoint + (d->closed ? d->degree : 0), d->degree, d->nknot, d->knot);
    check_weights(c, id, d);
}

static void check_surface(snChecker *c, snId id, const snNodeDef *d)
{
    if (d->nu < 0 || d->nv < 0 || (int64_t)d->nu * d->nv != d->npoint) {
        sn_check_error(c, SN_KIND_NODE, id, "nu times nv must be the number of points",
                       "nu is %d and nv is %d, but there are %d points", (int)d->nu, (int)d->nv, (int)d->npoint);
        return;
    }
    if (d->nu < d->degree + 1 - d->closed || d->nv < d->degree_v + 1 - d->closed_v)
        sn_check_error(c, SN_KIND_NODE, id, "add control points",
                       "%d x %d control points are too few for degrees %d and %d", (int)d->nu, (int)d->nv,
                       (int)d->degree, (int)d->degree_v);
    check_knots(c, id, "Knots", (int64_t)d->nu + (d->closed ? d->degree : 0), d->degree, d->nknot, d->knot);
    check_knots(c, id, "KnotsV", (int64_t)d->nv + (d->closed_v ? d->degree_v : 0), d->degree_v, d->nknot_v, d->knot_v);
    check_weights(c, id, d);
}

static double farthest_of(const affine *world, const double *point, int64_t count)
{
    double most = 0;
    for (int64_t i = 0; i < count; ++i) {
        v3 x = affine_apply(world, v3_load(point + 3 * i));
        most = fmax(most, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
    }
    return most;
}

/* A thousand kilometres: the units are wrong, and numbers lose the millimetres. */
static void check_distance(snChecker *c, snId id, const snNodeDef *d)
{
    static const double origin[3];
    affine world = sn_node_world(c->spec, id);
    double most = farthest_of(&world, origin, 1);
    if (d->kind == SN_NODE_MESH && d->vertex) most = fmax(most, farthest_of(&world, d->vertex, d->nvertex));
    if (d->kind == SN_NODE_CURVE && d->point) most = fmax(most, farthest_of(&world, d->point, d->npoint));
    if (most > 1e6)
        sn_check_error(c, SN_KIND_NODE, id, "check its translate and scale, and the units of the scene",
                       "it reaches %.3g m from the origin, farther than 1e6 m", most);
}

void sn_check_scene(snChecker *c)
{
    bool tree = true;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_NODE); ++id) {
        const snNodeDef *d = sn_spec_node(c->spec, id);
        if (d->parent < 0 || d->parent >= id) tree = false;
        if (d->parent < 0 || d->parent >= id)
            sn_check_error(c, SN_KIND_NODE, id, "add parents before their children",
                           "its parent is node %d, which does not come before it: the hierarchy would be cyclic",
                           (int)d->parent);
        check_transform(c, id, d);
        if (tree) check_distance(c, id, d);
        if (d->kind == SN_NODE_MESH) check_mesh(c, id, d);
        if (d->degree < 1 || d->degree > 9 || d->degree_v < 1 || d->degree_v > 9) continue; /* reported by its range */
        if (d->kind == SN_NODE_CURVE) check_curve(c, id, d);
        if (d->kind == SN_NODE_SURFACE) check_surface(c, id, d);
    }
}
