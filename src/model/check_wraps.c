/* Meshes that strands lie on. Only a closed mesh that does not cross itself has an inside, and only with an inside does
 * it have sides to keep a strand on. */
#include "model/check.h"

#include "geom/bvh.h"
#include "model/node_surface.h"

#include <math.h>

static const char REMEDY[] = "close and repair the mesh, or let the strand lie on a Surface or a Shape";

static bool lies_on(const snChecker *c, const snConstraintDef *d, snId node)
{
    return d->enabled && d->type == SN_CONSTRAINT_SURFACE && sn_spec_find(c->spec, SN_KIND_NODE, d->attachment) == node;
}

/* The first constraint on a node, 0: none. What is wrong with the mesh is reported there, once. */
static snId user_of(const snChecker *c, snId node)
{
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_CONSTRAINT); ++id)
        if (lies_on(c, sn_spec_constraint(c->spec, id), node)) return id;
    return 0;
}

/* Whether the arrays can be looked at: what is wrong with them was reported with the scene. */
static bool is_readable(const snNodeDef *d)
{
    for (int64_t i = 0; i < 3 * (int64_t)d->ntriangle; ++i)
        if (d->triangle[i] < 0 || d->triangle[i] >= d->nvertex) return false;
    for (int64_t i = 0; i < 3 * (int64_t)d->nvertex; ++i)
        if (!isfinite(d->vertex[i])) return false;
    return true;
}

static bool is_closed(snChecker *c, snId node, snId user, const snTriMesh *mesh)
{
    snError error = {0};
    const snNodeDef *d = sn_spec_node(c->spec, node);
    snStatus status = sn_trimesh_require(mesh, true, d->name, &error);
    if (status == SN_NO_MEMORY) c->no_memory = true;
    if (status == SN_BAD_INPUT)
        sn_check_error(c, SN_KIND_CONSTRAINT, user, REMEDY, "strands cannot lie on mesh \"%.80s\": %.200s", d->name,
                       error.message);
    return status == SN_OK;
}

static bool is_free_of_crossings(snChecker *c, snId node, snId user, const snTriMesh *mesh, const snBvh *tree)
{
    int32_t pair[2];
    int32_t count = sn_bvh_self_intersections(tree, pair, 1);
    if (!count) return true;
    v3 p = sn_trimesh_corner(mesh, pair[0], 0);
    sn_check_error(
        c, SN_KIND_CONSTRAINT, user, REMEDY,
        "strands cannot lie on mesh \"%.80s\": it crosses itself %d times, first triangles %d and %d near (%.4g, "
        "%.4g, %.4g) m",
        sn_spec_node(c->spec, node)->name, (int)count, (int)pair[0], (int)pair[1], p.x, p.y, p.z);
    return false;
}

static void check_distances(snChecker *c, snId node, const snTriMesh *mesh, const snBvh *tree)
{
    snMeshSide side;
    if (!sn_mesh_side_create(mesh, &side)) {
        c->no_memory = true;
        return;
    }
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_CONSTRAINT); ++id) {
        const snConstraintDef *d = sn_spec_constraint(c->spec, id);
        snId strand = lies_on(c, d, node) ? sn_spec_find(c->spec, SN_KIND_STRAND, d->strand) : 0;
        if (!sn_strand_is_sound(c->spec, strand)) continue;
        v3 p = sn_strand_drawn_point(c->spec, strand, d->position);
        sn_check_distance(c, id, sn_bvh_signed_distance(tree, &side, p, INFINITY, NULL));
    }
    sn_mesh_side_free(&side);
}

static void check_wrap(snChecker *c, snId node, snId user)
{
    snTriMesh mesh;
    if (!sn_node_mesh(c->spec, node, rigid_identity(), &mesh)) {
        c->no_memory = true;
        return;
    }
    if (is_closed(c, node, user, &mesh)) {
        snBvh *tree = sn_bvh_create(&mesh);
        if (!tree)
            c->no_memory = true;
        else if (is_free_of_crossings(c, node, user, &mesh, tree))
            check_distances(c, node, &mesh, tree);
        sn_bvh_destroy(tree);
    }
    sn_trimesh_free(&mesh);
}

void sn_check_wraps(snChecker *c)
{
    for (snId node = 1; node <= sn_spec_count(c->spec, SN_KIND_NODE) && !c->no_memory; ++node) {
        const snNodeDef *d = sn_spec_node(c->spec, node);
        snId user = d->kind == SN_NODE_MESH ? user_of(c, node) : 0;
        if (user && is_readable(d)) check_wrap(c, node, user);
    }
}
