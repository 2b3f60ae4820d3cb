/* Clavicle, scapula and humerus: rods and slabs around the landmarks, united as a distance field with fillets, its zero
 * surface cut into well-shaped triangles. */
#include "shoulder/shoulder.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/grid.h"
#include "geom/remesh.h"

#include <string.h>

static const double FILLET = 0.005, SPACING = 0.002, EDGE = 0.0038; /* m */

typedef struct shape {
    const snShoulder *s;
    const char *bone;
    snGrid grid;
} shape;

static double rod(const snShoulderPiece *p, v3 x)
{
    v3 way = v3_sub(p->b, p->a);
    double t = fmin(fmax(v3_dot(v3_sub(x, p->a), way) / v3_len2(way), 0), 1);
    return v3_dist(x, v3_mad(p->a, t, way)) - p->radius_a - t * (p->radius_b - p->radius_a);
}

static double to_edge(v3 x, v3 a, v3 b)
{
    v3 way = v3_sub(b, a);
    double t = fmin(fmax(v3_dot(v3_sub(x, a), way) / v3_len2(way), 0), 1);
    return v3_dist(x, v3_mad(a, t, way));
}

static double slab(const snShoulderPiece *p, v3 x)
{
    v3 n = v3_unit(v3_cross(v3_sub(p->b, p->a), v3_sub(p->c, p->a)));
    const v3 corner[4] = {p->a, p->b, p->c, p->a};
    bool inside = true;
    double d = INFINITY;
    for (int i = 0; i < 3; ++i) {
        v3 way = v3_sub(corner[i + 1], corner[i]);
        inside = inside && v3_dot(v3_cross(way, v3_sub(x, corner[i])), n) >= 0;
        d = fmin(d, to_edge(x, corner[i], corner[i + 1]));
    }
    return (inside ? fabs(v3_dot(v3_sub(x, p->a), n)) : d) - p->radius_a;
}

static double field(const void *context, v3 x, double limit)
{
    const shape *f = context;
    double d = limit + FILLET;
    for (int32_t i = 0; i < f->s->piece.count; ++i) {
        const snShoulderPiece *p = &f->s->piece.at[i];
        if (p->kind == SN_SHOULDER_HOLLOW || strcmp(p->bone, f->bone) != 0) continue;
        d = sn_distance_union(d, p->kind == SN_SHOULDER_ROD ? rod(p, x) : slab(p, x), FILLET);
    }
    for (int32_t i = 0; i < f->s->piece.count; ++i) {
        const snShoulderPiece *p = &f->s->piece.at[i];
        if (p->kind == SN_SHOULDER_HOLLOW && strcmp(p->bone, f->bone) == 0) d = fmax(d, p->radius_a - v3_dist(x, p->a));
    }
    return d;
}

static void widen(v3 p, double by, v3 *low, v3 *high)
{
    *low = v3_of(fmin(low->x, p.x - by), fmin(low->y, p.y - by), fmin(low->z, p.z - by));
    *high = v3_of(fmax(high->x, p.x + by), fmax(high->y, p.y + by), fmax(high->z, p.z + by));
}

static void bounds(const shape *f, v3 *low, v3 *high)
{
    *low = v3_of(INFINITY, INFINITY, INFINITY), *high = v3_of(-INFINITY, -INFINITY, -INFINITY);
    for (int32_t i = 0; i < f->s->piece.count; ++i) {
        const snShoulderPiece *p = &f->s->piece.at[i];
        double by = fmax(p->radius_a, p->radius_b) + FILLET + 4 * SPACING;
        if (p->kind == SN_SHOULDER_HOLLOW || strcmp(p->bone, f->bone) != 0) continue;
        widen(p->a, by, low, high);
        widen(p->b, by, low, high);
        if (p->kind == SN_SHOULDER_SLAB) widen(p->c, by, low, high);
    }
}

static double edge(const void *context, v3 p)
{
    (void)context, (void)p;
    return EDGE;
}

static v3 project(const void *context, v3 p)
{
    return sn_grid_project(&((const shape *)context)->grid, p);
}

static v3 normal(const void *context, v3 p)
{
    v3 gradient;
    sn_grid_sample(&((const shape *)context)->grid, p, &gradient);
    return gradient;
}

snStatus sn_shoulder_shape(const snShoulder *s, const char *bone, snTriMesh *mesh, snError *error)
{
    shape f = {.s = s, .bone = bone};
    snGridDef def = {.spacing = SPACING, .distance = field, .context = &f};
    bounds(&f, &def.low, &def.high);
    if (!(def.low.x < def.high.x)) return sn_fail(error, SN_BAD_FILE, "shapes.tsv has no piece of \"%s\"", bone);
    snStatus status = sn_grid_create(&def, &f.grid, error);
    if (status == SN_OK) status = sn_grid_extract(&f.grid, mesh, error);
    snRemeshDef remesh = sn_default_remesh_def();
    remesh.size = edge, remesh.project = project, remesh.normal = normal, remesh.context = &f;
    if (status == SN_OK) status = sn_remesh(&remesh, mesh, error);
    sn_grid_free(&f.grid);
    if (status != SN_OK) sn_trimesh_free(mesh);
    return status;
}
