/* The public way to the skin builder: tables in, mesh out. */
#include "base/def.h"
#include "sinew/author.h"

#include "author/own/skin_mesh.h"
#include "author/skin_builder.h"
#include "author/skin_table.h"
#include "base/alloc.h"
#include "base/error.h"

/* Red is the influence of the tendons (all of it), green and blue are lower on the nails so that viewers can tint them.
 */
static bool colour(const snSkinBuild *build, snMesh *mesh)
{
    mesh->color = SN_NEW_ARRAY(double, 3 * (size_t)build->mesh.nvertex);
    for (int32_t v = 0; mesh->color && v < build->mesh.nvertex; ++v) {
        mesh->color[3 * v] = 1;
        mesh->color[3 * v + 1] = mesh->color[3 * v + 2] = 1 - 0.2 * build->nail[v];
    }
    return mesh->color != NULL;
}

static void mirror(snTriMesh *mesh)
{
    for (int32_t v = 0; v < mesh->nvertex; ++v) mesh->vertex[3 * v + 2] = -mesh->vertex[3 * v + 2];
    for (int32_t t = 0; t < mesh->ntriangle; ++t) {
        int32_t swap = mesh->triangle[3 * t + 1];
        mesh->triangle[3 * t + 1] = mesh->triangle[3 * t + 2], mesh->triangle[3 * t + 2] = swap;
    }
}

snStatus sn_author_skin(const snSkinMeshDef *def, snMesh *mesh, snError *error)
{
    if (!mesh) return sn_fail_argument(error, "sn_author_skin without mesh");
    if (!def) return sn_fail_argument(error, "sn_author_skin without def");
    snSkinMeshDef taken = sn_default_skin_mesh_def();
    if (SN_TAKE_DEF(def, snSkinMeshDef, taken, error)) return SN_BAD_ARGUMENT;
    snSkinTables tables;
    snSkinBuild build = {0};
    snMesh made = {0};
    snPool *pool = sn_pool_create(def->threads > 0 ? def->threads : sn_hardware_threads());
    snStatus status = pool ? sn_skin_tables_load(&tables, def->tables, error) : sn_fail_no_memory(error);
    if (!pool) return status;
    snSkinBuildDef d = sn_default_skin_build_def();
    d.nchain = tables.nchain, d.chain = tables.chain, d.nnail = tables.nnail, d.nail = tables.nail;
    d.triangles = def->triangles, d.pool = pool;
    if (status == SN_OK) status = sn_skin_build(&d, &build, error);
    if (status == SN_OK && !colour(&build, &made)) status = sn_fail_no_memory(error);
    if (status == SN_OK) {
        if (def->left) mirror(&build.mesh);
        made.nvertex = build.mesh.nvertex, made.ntriangle = build.mesh.ntriangle;
        made.vertex = build.mesh.vertex, made.triangle = build.mesh.triangle;
        build.mesh = (snTriMesh){0};
        *mesh = made;
    }
    sn_skin_build_free(&build);
    sn_skin_tables_free(&tables);
    sn_pool_destroy(pool);
    return status;
}
