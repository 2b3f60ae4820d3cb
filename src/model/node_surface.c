#include "model/node_surface.h"

#include "base/error.h"
#include "math/spline.h"
#include "model/nodes.h"
#include "model/spec_internal.h"

#include <string.h>

static const snSurfaceKind kind_of[] = {
    [SN_SHAPE_PLANE] = SN_SURFACE_PLANE,
    [SN_SHAPE_SPHERE] = SN_SURFACE_SPHERE,
    [SN_SHAPE_CYLINDER] = SN_SURFACE_CYLINDER,
    [SN_SHAPE_ELLIPSOID] = SN_SURFACE_ELLIPSOID,
};

static double column_length(const m3 *a, int column)
{
    return v3_len(v3_of(a->m[column], a->m[3 + column], a->m[6 + column]));
}

/* Knots of n control points: as given, or clamped, or uniform when the direction closes on itself. */
static const double *knots(snArena *arena, int32_t n, int32_t nknot, const double *given, bool closed)
{
    double *knot = sn_arena_alloc(arena, (size_t)n + 4, sizeof *knot);
    if (!knot) return NULL;
    if (nknot == n + 4)
        memcpy(knot, given, sizeof *knot * (size_t)nknot);
    else if (closed)
        spline_uniform_knots(knot, n);
    else
        spline_clamped_knots(knot, n);
    return knot;
}

/* Control points in the surface's own frame; closed directions repeat their first three. */
static bool make_patch(const snNodeDef *node, const affine *world, rigid frame, snArena *arena, snSurface *s)
{
    s->closed_u = node->closed, s->closed_v = node->closed_v;
    s->nu = node->nu + (s->closed_u ? 3 : 0), s->nv = node->nv + (s->closed_v ? 3 : 0);
    double *point = sn_arena_alloc(arena, 3 * (size_t)s->nu * (size_t)s->nv, sizeof *point);
    s->knot_u = knots(arena, s->nu, node->nknot, node->knot, s->closed_u);
    s->knot_v = knots(arena, s->nv, node->nknot_v, node->knot_v, s->closed_v);
    if (!point || !s->knot_u || !s->knot_v) return false;
    for (int32_t i = 0; i < s->nu; ++i)
        for (int32_t j = 0; j < s->nv; ++j) {
            const double *from = node->point + 3 * ((i % node->nu) * node->nv + j % node->nv);
            v3_store(point + 3 * (i * s->nv + j), rigid_unapply(frame, affine_apply(world, v3_load(from))));
        }
    s->point = point;
    return true;
}

bool sn_node_mesh(const snSpec *spec, snId id, rigid frame, snTriMesh *mesh)
{
    const snNodeDef *node = sn_spec_node(spec, id);
    affine world = sn_node_world(spec, id);
    bool mirrored = m3_det(&world.a) < 0;
    if (!sn_trimesh_alloc(mesh, node->nvertex, node->ntriangle)) return false;
    for (int32_t k = 0; k < node->nvertex; ++k)
        v3_store(mesh->vertex + 3 * k, rigid_unapply(frame, affine_apply(&world, v3_load(node->vertex + 3 * k))));
    for (int32_t t = 0; t < node->ntriangle; ++t) {
        const int32_t *from = node->triangle + 3 * t;
        int32_t *to = mesh->triangle + 3 * t;
        to[0] = from[0], to[1] = from[mirrored ? 2 : 1], to[2] = from[mirrored ? 1 : 2];
    }
    return true;
}

/* The distance grid in the arena, in the node's frame. */
static snStatus make_field(const snSpec *spec, snId id, rigid frame, snArena *arena, snSurface *s, snError *error)
{
    snTriMesh mesh;
    snDistance distance = {0}, *kept;
    if (!sn_node_mesh(spec, id, frame, &mesh)) return sn_fail_no_memory(error);
    double unit = sn_unit_metres(sn_spec_scene(spec)->units);
    snStatus status = sn_distance_create(&mesh, unit * sn_spec_node(spec, id)->grid_spacing, &distance, error);
    sn_trimesh_free(&mesh);
    if (status == SN_OK) {
        kept = sn_arena_copy(arena, &distance, 1, sizeof distance);
        if (kept)
            kept->coefficient = sn_arena_copy(arena, distance.coefficient, sn_distance_count(&distance), sizeof(float));
        if (!kept || !kept->coefficient) status = sn_fail_no_memory(error);
        s->distance = kept;
    } else if (status == SN_BAD_INPUT) {
        snOrigin origin = sn_spec_origin(spec, SN_KIND_NODE, id);
        sn_error_place(error, origin.file, origin.line, origin.column);
        sn_error_element(error, "Mesh", sn_spec_node(spec, id)->name);
        sn_error_remedy(error, "change grid_spacing of the mesh, or use a Surface");
    }
    sn_distance_free(&distance);
    return status;
}

snStatus sn_node_surface(const snSpec *spec, snId id, rigid body, snArena *arena, snSurface *s, snError *error)
{
    const snNodeDef *node = sn_spec_node(spec, id);
    affine world = sn_node_world(spec, id);
    rigid frame = sn_node_frame(spec, id);
    *s = (snSurface){.frame = rigid_mul(rigid_inverse(body), frame), .flip = 1};
    if (node->kind == SN_NODE_MESH) {
        s->kind = SN_SURFACE_DISTANCE;
        return make_field(spec, id, frame, arena, s, error);
    }
    if (node->kind == SN_NODE_SURFACE) {
        s->kind = SN_SURFACE_PATCH;
        return make_patch(node, &world, frame, arena, s) ? SN_OK : sn_fail_no_memory(error);
    }
    s->kind = kind_of[node->shape];
    s->size = v3_of(node->extent[0] * column_length(&world.a, 0), node->extent[1] * column_length(&world.a, 1),
                    node->extent[2] * column_length(&world.a, 2));
    return SN_OK;
}
