/* Bodies, wraps and meshes of an OpenSim file as nodes of the scene. */
#include "io/osim.h"

#include "base/alloc.h"
#include "sinew/io.h"

#include <string.h>

static snStatus add_node(snOsim *o, const snXmlNode *at, snNodeDef *def, rigid place, snId *id)
{
    v3_store(def->translate, place.p);
    q_store(def->rotate, q_unit(place.q));
    return sn_spec_add(o->spec, SN_KIND_NODE, def, osim_origin(o, at), id) ? osim_no_memory(o) : SN_OK;
}

/* Body and place of what hangs on a body, the ground or an offset frame. False: on something else. */
static snStatus owner_of(snOsim *o, const snXmlNode *owner, int32_t *body, rigid *place, bool *found)
{
    *place = rigid_identity();
    *found = true;
    for (int32_t i = 0; i < o->body.count; ++i)
        if (o->body.at[i].node == owner) {
            *body = i;
            return SN_OK;
        }
    if (!(*found = owner && strstr(owner->tag, "OffsetFrame") != NULL)) return SN_OK;
    double translation[3] = {0}, angle[3] = {0};
    snStatus status = osim_frame(o, owner, "parent", body, place);
    if (!status) status = osim_vector(o, owner, "translation", 3, translation);
    if (!status) status = osim_vector(o, owner, "orientation", 3, angle);
    if (!status) *place = rigid_mul(*place, osim_place_of(translation, angle));
    return status;
}

/* ---- wraps -------------------------------------------------------------------------------- */

/* +x, -y, x ...; anything else: all. */
static v3 quadrant(const char *text)
{
    double sign = *text == '-' ? -1 : 1;
    if (*text == '-' || *text == '+') ++text;
    if (strlen(text) != 1 || *text < 'x' || *text > 'z') return v3_of(0, 0, 0);
    return v3_of(*text == 'x' ? sign : 0, *text == 'y' ? sign : 0, *text == 'z' ? sign : 0);
}

static snStatus read_wrap(snOsim *o, const snXmlNode *node, int32_t body, rigid place)
{
    double translation[3] = {0}, angle[3] = {0};
    const snXmlNode *side = osim_property(o, node, "quadrant");
    bool sphere = strcmp(node->tag, "WrapSphere") == 0;
    osimWrap w = {.called = osim_name(node), .node = node, .body = body, .radius = 0, .length = 1};
    w.cylinder = strcmp(node->tag, "WrapCylinder") == 0;
    snStatus status = osim_vector(o, node, "translation", 3, translation);
    if (!status) status = osim_vector(o, node, "xyz_body_rotation", 3, angle);
    if (!status && (sphere || w.cylinder)) status = osim_number(o, node, "radius", &w.radius);
    if (!status && w.cylinder) status = osim_number(o, node, "length", &w.length);
    if (status) return status;
    w.frame = rigid_mul(place, osim_place_of(translation, angle));
    w.active = osim_flag(o, node, "active", true);
    w.side = side ? quadrant(side->text) : v3_of(0, 0, 0);
    if ((sphere || w.cylinder) && !(w.radius > 0 && w.radius < 100))
        return osim_fail(o, node, "give a radius above 0", "the radius of the wrap is %g m", w.radius);
    if ((sphere || w.cylinder) && !(w.name = sn_foreign_name(o->spec, o->arena, SN_KIND_NODE, w.called)))
        return osim_no_memory(o);
    return sn_array_push(&o->wrap, w) ? SN_OK : osim_no_memory(o);
}

snStatus osim_read_wraps(snOsim *o)
{
    snStatus status = SN_OK;
    for (const snXmlNode *set = o->model; set && !status; set = sn_xml_next(set, o->model)) {
        if (strcmp(set->tag, "WrapObjectSet") != 0) continue;
        int32_t body;
        rigid place;
        bool found;
        status = owner_of(o, set->parent, &body, &place, &found);
        const snXmlNode *objects = sn_xml_child(set, "objects");
        const snXmlNode *node = objects ? objects->child : set->child;
        for (; node && found && !status; node = node->next)
            if (strncmp(node->tag, "Wrap", 4) == 0) status = read_wrap(o, node, body, place);
    }
    return status;
}

static snStatus write_wrap(snOsim *o, osimWrap *w)
{
    snNodeDef def = sn_default_node_def();
    const char *name = w->name;
    if (!name) return SN_OK;
    /* names of wraps are unique on their body only */
    if (sn_spec_find(o->spec, SN_KIND_NODE, name)) {
        char *longer = sn_foreign_text(o->arena, "%s_%s", o->body.at[w->body].called, w->called);
        if (!longer || !(name = sn_foreign_name(o->spec, o->arena, SN_KIND_NODE, longer))) return osim_no_memory(o);
    }
    w->name = def.name = name;
    def.kind = SN_NODE_SHAPE;
    def.parent = o->body.at[w->body].group;
    def.shape = w->cylinder ? SN_SHAPE_CYLINDER : SN_SHAPE_SPHERE;
    def.extent[0] = w->radius;
    def.extent[1] = w->cylinder && w->length > 0 ? w->length : 1;
    def.visible = false;
    return add_node(o, w->node, &def, w->frame, NULL);
}

/* ---- meshes ------------------------------------------------------------------------------- */

/* Path of a mesh file seen from the model's file: beside it, or in the folder Geometry there or up to two above. */
static const char *find_mesh(snOsim *o, const char *file)
{
    static const char *const folders[] = {"", "Geometry/", "../Geometry/", "../../Geometry/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
        const char *name = sn_foreign_text(o->arena, "%s%s", folders[i], file);
        char *path = name ? sn_path_beside(o->file, name) : NULL;
        bool there = path && sn_file_exists(path);
        sn_free(path);
        if (there) return name;
    }
    return NULL;
}

static snStatus load_mesh(snOsim *o, const snXmlNode *at, const char *name, snNodeDef *def, rigid place)
{
    snMesh mesh = {0};
    snError error = {0};
    char *path = sn_path_beside(o->file, name);
    snStatus status = path ? sn_load_mesh(path, &mesh, &error) : osim_no_memory(o);
    sn_free(path);
    if (status == SN_NO_MEMORY) return osim_no_memory(o);
    if (status) return osim_miss(o, at, "mesh %.100s is left out: %.250s", name, error.message);
    def->file = name;
    def->nvertex = mesh.nvertex, def->vertex = mesh.vertex;
    def->ntriangle = mesh.ntriangle, def->triangle = mesh.triangle;
    status = add_node(o, at, def, place, NULL);
    sn_mesh_free(&mesh);
    return status;
}

/* missing: names of files that are not there are added to it. */
static snStatus add_mesh(snOsim *o, const snXmlNode *at, const char *file, int32_t body, rigid place,
                         const double scale[3], char *missing, size_t room)
{
    size_t n = strlen(missing);
    const char *found = *file && file[0] != '/' && !strstr(file, "..") ? find_mesh(o, file) : NULL;
    if (!found) {
        if (n + strlen(file) + 8 < room)
            (void)snprintf(missing + n, room - n, "%s%s", n ? ", " : "", file);
        else if (n && missing[n - 1] != '.')
            strcat(missing, ", ...");
        return SN_OK;
    }
    snNodeDef def = sn_default_node_def();
    const char *stem = sn_foreign_text(o->arena, "%.*s", (int)strcspn(osim_last(file), "."), osim_last(file));
    def.kind = SN_NODE_MESH;
    def.parent = o->body.at[body].group;
    def.name = stem ? sn_foreign_name(o->spec, o->arena, SN_KIND_NODE, stem) : NULL;
    memcpy(def.scale, scale, sizeof def.scale);
    if (!def.name) return osim_no_memory(o);
    return load_mesh(o, at, found, &def, place);
}

/* Version 3: <DisplayGeometry> below the body's <VisibleObject>. */
static snStatus add_display(snOsim *o, const snXmlNode *node, char *missing, size_t room)
{
    const snXmlNode *visible = node, *file = sn_xml_child(node, "geometry_file");
    while (visible && strcmp(visible->tag, "VisibleObject") != 0) visible = visible->parent;
    int32_t body;
    rigid place;
    bool found;
    double whole[3] = {1, 1, 1}, scale[3] = {1, 1, 1}, at[6] = {0};
    snStatus status = owner_of(o, visible ? visible->parent : NULL, &body, &place, &found);
    if (!status) status = osim_vector(o, visible, "scale_factors", 3, whole);
    if (!status) status = osim_vector(o, node, "scale_factors", 3, scale);
    if (!status) status = osim_vector(o, node, "transform", 6, at);
    if (status || !found || !file) return status;
    for (int k = 0; k < 3; ++k) scale[k] *= whole[k];
    place = rigid_mul(place, osim_place_of(at + 3, at));
    return add_mesh(o, node, file->text, body, place, scale, missing, room);
}

static snStatus add_attached(snOsim *o, const snXmlNode *node, char *missing, size_t room)
{
    const snXmlNode *file = sn_xml_child(node, "mesh_file"), *owner = node->parent;
    int32_t body;
    rigid place;
    bool found;
    double scale[3] = {1, 1, 1};
    if (!file || !owner) return SN_OK;
    snStatus status = owner_of(o, owner->parent, &body, &place, &found);
    if (!status) status = osim_vector(o, node, "scale_factors", 3, scale);
    if (status || !found) return status;
    return add_mesh(o, node, file->text, body, place, scale, missing, room);
}

static snStatus write_meshes(snOsim *o)
{
    char missing[400] = "";
    snStatus status = SN_OK;
    for (const snXmlNode *node = o->model; node && !status; node = sn_xml_next(node, o->model)) {
        if (strcmp(node->tag, "Mesh") == 0)
            status = add_attached(o, node, missing, sizeof missing);
        else if (strcmp(node->tag, "DisplayGeometry") == 0)
            status = add_display(o, node, missing, sizeof missing);
    }
    if (!status && *missing)
        status = osim_miss(o, o->model,
                           "meshes not found beside the file or in a folder Geometry there or up to two "
                           "above: %s",
                           missing);
    return status;
}

/* ---- bodies ------------------------------------------------------------------------------- */

static const double least_mass = 1e-9, least_inertia = 1e-12; /* kg, kg m^2: what stands for nothing */

/* Version 4 has one list, version 3 six elements. */
static snStatus read_inertia(snOsim *o, const snXmlNode *node, double inertia[6])
{
    static const char *const tags[] = {"inertia_xx", "inertia_yy", "inertia_zz",
                                       "inertia_xy", "inertia_xz", "inertia_yz"};
    snStatus status = SN_OK;
    if (sn_xml_child(node, "inertia")) return osim_vector(o, node, "inertia", 6, inertia);
    for (int i = 0; i < 6 && !status; ++i) status = osim_number(o, node, tags[i], &inertia[i]);
    return status;
}

/* Whether some solid has it. */
static bool is_solid(const double i[6])
{
    double moment[3];
    m3 tensor = {{i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]}}, axes;
    m3_eigen_symmetric(&tensor, moment, &axes);
    return moment[0] > 0 && moment[2] <= (moment[0] + moment[1]) * (1 + 1e-9) && i[0] > 0 && i[1] > 0 && i[2] > 0;
}

static snStatus give_mass(snOsim *o, osimBody *b, snBodyDef *def, double center[3])
{
    double i[6] = {0};
    snStatus status = SN_OK;
    if (b->node) status = osim_number(o, b->node, "mass", &def->mass);
    if (b->node && !status) status = osim_vector(o, b->node, "mass_center", 3, center);
    if (b->node && !status) status = read_inertia(o, b->node, i);
    if (status) return status;
    if (def->mass < 0) return osim_fail(o, b->node, "give a mass of 0 or more", "the mass is %g kg", def->mass);
    bool light = def->mass < least_mass;
    if (light) def->mass = least_mass;
    if (!is_solid(i)) {
        double most = fmax(fabs(i[0]), fmax(fabs(i[1]), fabs(i[2])));
        if (!light && b->node && most > 0)
            status = osim_miss(o, b->node,
                               "no solid has the inertia %g %g %g %g %g %g kg m^2: %g about every axis stands for it",
                               i[0], i[1], i[2], i[3], i[4], i[5], most);
        else if (!light && b->node)
            status = osim_miss(o, b->node, "the body has mass but no inertia: %g kg m^2 stands for it", least_inertia);
        i[0] = i[1] = i[2] = fmax(most, least_inertia);
        i[3] = i[4] = i[5] = 0;
    }
    memcpy(def->inertia, i, 3 * sizeof *i);
    memcpy(def->inertia_products, i + 3, 3 * sizeof *i);
    def->mass_from = SN_MASS_GIVEN;
    return status;
}

static snStatus write_body(snOsim *o, osimBody *b)
{
    snNodeDef group = sn_default_node_def(), locator = sn_default_node_def();
    snBodyDef def = sn_default_body_def();
    double center[3] = {0, 0, 0};
    const snXmlNode *at = b->node ? b->node : b->joint;
    group.name = def.name = b->name;
    locator.kind = SN_NODE_LOCATOR;
    locator.name = sn_foreign_text(o->arena, "%s.com", b->name);
    snStatus status = locator.name ? give_mass(o, b, &def, center) : osim_no_memory(o);
    if (!status) status = add_node(o, at, &group, b->drawn, &b->group);
    if (status) return status;
    if (center[0] != 0 || center[1] != 0 || center[2] != 0) {
        locator.parent = b->group;
        def.center_of_mass = locator.name;
        status = add_node(o, at, &locator, (rigid){q_identity(), v3_load(center)}, NULL);
    }
    if (status) return status;
    return sn_spec_add(o->spec, SN_KIND_BODY, &def, osim_origin(o, at), NULL) ? osim_no_memory(o) : SN_OK;
}

static snStatus write_root(snOsim *o)
{
    snSceneDef scene = sn_default_scene_def();
    snModelDef model = sn_default_model_def();
    double gravity[3] = {0, -9.80665, 0};
    snStatus status = osim_vector(o, o->model, "gravity", 3, gravity);
    if (status) return status;
    memcpy(model.gravity, gravity, sizeof gravity);
    if (fabs(gravity[2]) > fabs(gravity[1])) scene.up = SN_AXIS_Z;
    model.type = SN_MODEL_TREE;
    if (sn_set_scene(o->spec, &scene) || sn_set_model(o->spec, &model)) return osim_no_memory(o);
    sn_spec_set_origin(o->spec, SN_ELEMENT_SCENE, osim_origin(o, o->model));
    sn_spec_set_origin(o->spec, SN_ELEMENT_MODEL, osim_origin(o, o->model));
    return SN_OK;
}

snStatus osim_write_scene(snOsim *o)
{
    snStatus status = write_root(o);
    snNodeDef ground = sn_default_node_def();
    ground.name = "ground";
    if (!status) status = add_node(o, o->body.at[0].node, &ground, rigid_identity(), &o->body.at[0].group);
    for (int32_t i = 1; i < o->body.count && !status; ++i) status = write_body(o, &o->body.at[i]);
    for (int32_t i = 0; i < o->wrap.count && !status; ++i) status = write_wrap(o, &o->wrap.at[i]);
    return status ? status : write_meshes(o);
}
