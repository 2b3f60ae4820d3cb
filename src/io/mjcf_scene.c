/* Bodies, wraps and meshes of an MJCF file as nodes of the scene. */
#include "io/mjcf.h"

#include "base/alloc.h"
#include "sinew/io.h"

#include <string.h>

static snStatus add_node(snMjcf *m, const snXmlNode *at, snNodeDef *def, int32_t owner, rigid world, snId *id)
{
    rigid place = owner ? rigid_mul(rigid_inverse(m->body.at[owner].drawn), world) : world;
    v3_store(def->translate, place.p);
    q_store(def->rotate, q_unit(place.q));
    def->parent = owner ? m->body.at[owner].group : 0;
    return sn_spec_add(m->spec, SN_KIND_NODE, def, mjcf_origin(m, at), id) ? mjcf_no_memory(m) : SN_OK;
}

snStatus mjcf_wrap_node(snMjcf *m, mjcfPlace *g, bool cylinder, double radius, double half)
{
    snNodeDef def = sn_default_node_def();
    if (g->name) return SN_OK;
    if (!(g->name = def.name = sn_foreign_name(m->spec, m->arena, SN_KIND_NODE, g->called))) return mjcf_no_memory(m);
    def.kind = SN_NODE_SHAPE;
    def.shape = cylinder ? SN_SHAPE_CYLINDER : SN_SHAPE_SPHERE;
    def.extent[0] = radius;
    def.extent[1] = half > 0 ? 2 * half : 1;
    def.visible = false;
    return add_node(m, g->node, &def, m->body.at[g->body].owner, g->frame, NULL);
}

/* ---- meshes ------------------------------------------------------------------------------- */

static const snXmlNode *find_asset(const snMjcf *m, const char *name)
{
    for (const snXmlNode *s = NULL; (s = mjcf_section(m, "asset", s));)
        for (const snXmlNode *mesh = s->child; mesh; mesh = mesh->next) {
            const char *file = sn_xml_attribute(mesh->attribute, "file"), *own = mjcf_name(mesh);
            if (strcmp(mesh->tag, "mesh") != 0) continue;
            if (strcmp(own, name) == 0) return mesh;
            const char *last = !*own && file ? strrchr(file, '/') : NULL;
            const char *stem = last ? last + 1 : file;
            size_t n = stem ? strcspn(stem, ".") : 0;
            if (!*own && stem && strlen(name) == n && strncmp(stem, name, n) == 0) return mesh;
        }
    return NULL;
}

/* Names of what was not found, as far as there is room. */
static void list_missing(char *list, size_t room, const char *name)
{
    size_t n = strlen(list);
    if (n + strlen(name) + 8 < room)
        (void)snprintf(list + n, room - n, "%s%s", n ? ", " : "", name);
    else if (n > 3 && strcmp(list + n - 3, "...") != 0)
        strcat(list, ", ...");
}

static snStatus add_mesh(snMjcf *m, const mjcfPlace *g, const snXmlNode *asset, char *missing, size_t room)
{
    const char *file = sn_xml_attribute(asset->attribute, "file");
    snNodeDef def = sn_default_node_def();
    double rgba[4] = {def.color[0], def.color[1], def.color[2], 1};
    snMesh mesh = {0};
    snError error = {0};
    const char *name =
        file && *m->meshdir && file[0] != '/' ? sn_foreign_text(m->arena, "%s/%s", m->meshdir, file) : file;
    char *path = name ? sn_path_beside(m->file, name) : NULL;
    if (file && !path) return mjcf_no_memory(m);
    bool there = path && sn_file_exists(path);
    snStatus status = there ? sn_load_mesh(path, &mesh, &error) : SN_OK;
    sn_free(path);
    if (status == SN_NO_MEMORY) return mjcf_no_memory(m);
    if (status) return mjcf_miss(m, asset, "mesh %.100s is left out: %.250s", file, error.message);
    if (!there) {
        list_missing(missing, room, file ? file : mjcf_name(asset));
        return SN_OK;
    }
    def.kind = SN_NODE_MESH;
    def.nvertex = mesh.nvertex, def.vertex = mesh.vertex;
    def.ntriangle = mesh.ntriangle, def.triangle = mesh.triangle;
    def.name = sn_foreign_name(m->spec, m->arena, SN_KIND_NODE,
                               sn_foreign_text(m->arena, "%s.mesh", *g->called ? g->called : mjcf_name(asset)));
    status = mjcf_numbers(m, asset, NULL, "scale", 3, 3, def.scale, NULL);
    if (!status) status = mjcf_numbers(m, g->node, g->childclass, "rgba", 4, 4, rgba, NULL);
    for (int k = 0; k < 3; ++k) def.color[k] = fmin(fmax(rgba[k], 0), 1);
    if (!status) status = add_node(m, g->node, &def, m->body.at[g->body].owner, g->frame, NULL);
    sn_mesh_free(&mesh);
    return status;
}

static snStatus write_meshes(snMjcf *m)
{
    char missing[400] = "";
    snStatus status = SN_OK;
    for (int32_t i = 0; i < m->geom.count && !status; ++i) {
        const mjcfPlace *g = &m->geom.at[i];
        const char *mesh = mjcf_get(m, g->node, g->childclass, "mesh", NULL);
        const char *type = mjcf_get(m, g->node, g->childclass, "type", "sphere");
        const snXmlNode *asset = mesh ? find_asset(m, mesh) : NULL;
        if (!mesh || strcmp(type, "mesh") != 0 || !m->body.at[g->body].owner) continue; /* the world is scenery */
        if (asset)
            status = add_mesh(m, g, asset, missing, sizeof missing);
        else
            list_missing(missing, sizeof missing, mesh);
    }
    if (!status && *missing)
        status =
            mjcf_miss(m, m->root, "meshes not found in meshdir \"%.60s\", seen from the file: %s", m->meshdir, missing);
    return status;
}

/* ---- bodies ------------------------------------------------------------------------------- */

static snStatus write_body(snMjcf *m, int32_t index)
{
    mjcfBody *b = &m->body.at[index];
    snNodeDef group = sn_default_node_def(), locator = sn_default_node_def();
    snBodyDef def = sn_default_body_def();
    group.name = def.name = b->name;
    locator.kind = SN_NODE_LOCATOR;
    locator.name = def.center_of_mass = sn_foreign_text(m->arena, "%s.com", b->name);
    if (!locator.name) return mjcf_no_memory(m);
    snStatus status = add_node(m, b->node, &group, 0, b->drawn, &b->group);
    if (!status) status = add_node(m, b->node, &locator, index, (rigid){b->drawn.q, b->com}, NULL);
    if (status) return status;
    /* the tensor about the axes of the group */
    m3 r = m3_from_q(b->drawn.q), rt, own;
    const double *i = b->inertia;
    m3 t = {{i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}};
    for (int k = 0; k < 9; ++k) rt.m[k] = r.m[3 * (k % 3) + k / 3];
    own = m3_mul(&rt, &t), own = m3_mul(&own, &r);
    for (int k = 0; k < 3; ++k) def.inertia[k] = own.m[4 * k];
    def.inertia_products[0] = own.m[1], def.inertia_products[1] = own.m[2], def.inertia_products[2] = own.m[5];
    def.mass = b->mass;
    def.mass_from = SN_MASS_GIVEN;
    return sn_spec_add(m->spec, SN_KIND_BODY, &def, mjcf_origin(m, b->node), NULL) ? mjcf_no_memory(m) : SN_OK;
}

static snStatus say_geoms(snMjcf *m)
{
    int32_t count = 0, scenery = 0;
    for (int32_t i = 0; i < m->geom.count; ++i) {
        const mjcfPlace *g = &m->geom.at[i];
        bool mesh = strcmp(mjcf_get(m, g->node, g->childclass, "type", "sphere"), "mesh") == 0;
        count += !mesh, scenery += mesh && !m->body.at[g->body].owner;
    }
    snStatus status = scenery ? mjcf_miss(m, m->root, "%d meshes that do not move are not drawn", (int)scenery) : SN_OK;
    if (status) return status;
    return count ? mjcf_miss(m, m->root,
                             "%d geoms that are not meshes are not drawn and do not collide; those that tendons wrap "
                             "over are shapes, and they count in masses",
                             (int)count)
                 : SN_OK;
}

snStatus mjcf_write_scene(snMjcf *m)
{
    snStatus status = SN_OK;
    for (int32_t i = 1; i < m->body.count && !status; ++i)
        if (m->body.at[i].owner == i) status = write_body(m, i);
    if (!status) status = say_geoms(m);
    return status ? status : write_meshes(m);
}
