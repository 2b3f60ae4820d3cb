/* Rigid bodies and joints. */
#include "model/check.h"

#include "base/alloc.h"
#include "body/body.h"
#include "geom/mesh.h"
#include "model/nodes.h"

#include <math.h>
#include <string.h>

/* ---- bodies ------------------------------------------------------------------------------- */

static bool triangles_exist(const snNodeDef *d)
{
    for (int64_t i = 0; i < 3 * (int64_t)d->ntriangle; ++i)
        if (d->triangle[i] < 0 || d->triangle[i] >= d->nvertex) return false;
    return true;
}

/* What is wrong with a mesh as a closed solid; SN_MESH_SOUND for nothing. */
static snMeshDefect defect_of(snChecker *c, const snNodeDef *d)
{
    snMeshPlace place = {.defect = SN_MESH_BAD_INDEX};
    if (!triangles_exist(d)) return SN_MESH_BAD_INDEX;
    snTriMesh mesh;
    if (!sn_trimesh_alloc(&mesh, d->nvertex, d->ntriangle)) {
        c->no_memory = true;
        return SN_MESH_SOUND;
    }
    memcpy(mesh.vertex, d->vertex, 3 * (size_t)d->nvertex * sizeof *mesh.vertex);
    memcpy(mesh.triangle, d->triangle, 3 * (size_t)d->ntriangle * sizeof *mesh.triangle);
    if (sn_trimesh_check(&mesh, true, &place) == SN_NO_MEMORY) c->no_memory = true, place.defect = SN_MESH_SOUND;
    sn_trimesh_free(&mesh);
    return place.defect;
}

static const char *defect_text(snMeshDefect defect)
{
    static const char *const text[] = {
#define X(name, words) words,
        SN_MESH_DEFECT_TABLE(X)
#undef X
    };
    return text[defect];
}

/* Meshes of the body that are to give its mass. */
static void check_mass_meshes(snChecker *c, snId body, const snBodyDef *d)
{
    int32_t found = 0;
    if (!c->first_mesh) return;
    for (snId id = c->first_mesh[body]; id; id = c->next_mesh[id]) {
        const snNodeDef *node = sn_spec_node(c->spec, id);
        ++found;
        snMeshDefect defect = defect_of(c, node);
        if (defect == SN_MESH_SOUND) continue;
        if (d->mass_from == SN_MASS_MESH)
            sn_check_error(c, SN_KIND_BODY, body, "close the mesh, or set mass_from to given or cylinder",
                           "mass_from is mesh, but mesh \"%.80s\" cannot be used: %s", node->name, defect_text(defect));
        else
            sn_check_warning(c, SN_KIND_BODY, body, "close the mesh, or give the mass",
                             "mesh \"%.80s\" gives no mass: %s", node->name, defect_text(defect));
    }
    if (!found && d->mass_from == SN_MASS_MESH)
        sn_check_error(c, SN_KIND_BODY, body, "add a mesh below its node, or set mass_from to given or cylinder",
                       "mass_from is mesh, but the body has no mesh");
}

static bool has_products(const snBodyDef *d)
{
    return d->inertia_products[0] != 0 || d->inertia_products[1] != 0 || d->inertia_products[2] != 0;
}

/* The rule of the moments holds for the principal ones. */
static void check_products(snChecker *c, snId id, const snBodyDef *d)
{
    const double *i = d->inertia, *p = d->inertia_products;
    m3 tensor = {{i[0], p[0], p[1], p[0], i[1], p[2], p[1], p[2], i[2]}}, axes;
    double moment[3];
    if (!has_products(d)) return;
    if (!(i[0] > 0 && i[1] > 0 && i[2] > 0)) {
        sn_check_error(c, SN_KIND_BODY, id, "give inertia, or remove inertia_products",
                       "inertia_products are given, but inertia is not");
        return;
    }
    m3_eigen_symmetric(&tensor, moment, &axes);
    if (!(moment[0] > 0) || moment[2] > (moment[0] + moment[1]) * (1 + 1e-6))
        sn_check_error(c, SN_KIND_BODY, id, "all must be positive and none may exceed the sum of the others",
                       "no solid has the principal moments of inertia %g %g %g", moment[0], moment[1], moment[2]);
}

static void check_mass(snChecker *c, snId id, const snBodyDef *d)
{
    check_products(c, id, d);
    if (d->mass_from == SN_MASS_GIVEN && d->mass == 0)
        sn_check_error(c, SN_KIND_BODY, id, "set mass", "mass_from is given, but mass is 0");
    bool from_mesh = d->mass_from == SN_MASS_MESH || (d->mass_from == SN_MASS_AUTO && d->mass == 0);
    if (from_mesh) check_mass_meshes(c, id, d);
    const double *inertia = d->inertia;
    int given = (inertia[0] > 0) + (inertia[1] > 0) + (inertia[2] > 0);
    double sum = inertia[0] + inertia[1] + inertia[2];
    if (given == 1 || given == 2)
        sn_check_error(c, SN_KIND_BODY, id, "give all three, or none", "inertia has %d of 3 moments", given);
    else
        for (int i = 0; given == 3 && i < 3 && !has_products(d); ++i)
            if (inertia[i] > (sum - inertia[i]) * (1 + 1e-9)) {
                sn_check_error(c, SN_KIND_BODY, id, "no moment may exceed the sum of the others",
                               "no solid has the inertia %g %g %g", inertia[0], inertia[1], inertia[2]);
                break;
            }
}

static void check_center(snChecker *c, snId id, const snBodyDef *d, snId node)
{
    if (!*d->center_of_mass) return;
    snId center = sn_spec_find(c->spec, SN_KIND_NODE, d->center_of_mass);
    if (!center)
        sn_check_dangling(c, SN_KIND_BODY, id, "center_of_mass", d->center_of_mass, SN_KIND_NODE, "node");
    else if (node && !sn_node_is_under(c->spec, center, node))
        sn_check_warning(c, SN_KIND_BODY, id, "put the locator below the body's node",
                         "center_of_mass \"%.100s\" is not part of the body", d->center_of_mass);
}

/* owner: by node, the first body that has it; may be NULL. */
static void check_body_node(snChecker *c, snId id, snId node, snId *owner)
{
    if (owner && owner[node])
        sn_check_error(c, SN_KIND_BODY, id, "give each body a group of its own", "body \"%.100s\" has the same node",
                       sn_spec_body(c->spec, owner[node])->name);
    else if (owner)
        owner[node] = id;
    affine world = sn_node_world(c->spec, node);
    if (m3_det(&world.a) < 0)
        sn_check_warning(c, SN_KIND_BODY, id, "mirror the points instead of the node",
                         "its node is mirrored by a negative scale; the body's frame is not");
}

/* Marks the bodies that a joint or a strand holds; NULL when out of memory. */
static const bool *find_attached(snChecker *c)
{
    bool *attached = sn_arena_alloc(&c->memory, (size_t)sn_spec_count(c->spec, SN_KIND_BODY) + 1, sizeof *attached);
    if (!attached) {
        c->no_memory = true;
        return NULL;
    }
    for (snId j = 1; j <= sn_spec_count(c->spec, SN_KIND_JOINT); ++j) {
        const snJointDef *d = sn_spec_joint(c->spec, j);
        if (d->enabled) attached[sn_spec_find(c->spec, SN_KIND_BODY, d->body_a)] = true;
        if (d->enabled) attached[sn_spec_find(c->spec, SN_KIND_BODY, d->body_b)] = true;
    }
    for (snId k = 1; k <= sn_spec_count(c->spec, SN_KIND_COORDINATE); ++k) {
        const snCoordinateDef *d = sn_spec_coordinate(c->spec, k);
        attached[sn_spec_find(c->spec, SN_KIND_BODY, d->body)] = true;
        attached[sn_spec_find(c->spec, SN_KIND_BODY, d->parent)] = true;
    }
    for (snId k = 1; k <= sn_spec_count(c->spec, SN_KIND_CONSTRAINT); ++k) attached[c->constraint_body[k - 1]] = true;
    return attached;
}

/* The meshes of each body as a list, so that asking for them does not go through all nodes again. */
static void list_meshes(snChecker *c)
{
    int32_t nnode = sn_spec_count(c->spec, SN_KIND_NODE);
    c->first_mesh = sn_arena_alloc(&c->memory, (size_t)sn_spec_count(c->spec, SN_KIND_BODY) + 1, sizeof *c->first_mesh);
    c->next_mesh = sn_arena_alloc(&c->memory, (size_t)nnode + 1, sizeof *c->next_mesh);
    if (!c->first_mesh || !c->next_mesh) {
        c->no_memory = true;
        c->first_mesh = NULL;
        return;
    }
    for (snId id = nnode; id > 0; --id) {
        const snNodeDef *node = sn_spec_node(c->spec, id);
        if (node->kind != SN_NODE_MESH || node->ntriangle == 0) continue;
        snId body = c->node_body[id - 1];
        c->next_mesh[id] = c->first_mesh[body];
        c->first_mesh[body] = id;
    }
}

void sn_check_bodies(snChecker *c)
{
    list_meshes(c);
    const bool *attached = find_attached(c);
    snId *owner = sn_arena_alloc(&c->memory, (size_t)sn_spec_count(c->spec, SN_KIND_NODE) + 1, sizeof *owner);
    if (!owner) c->no_memory = true;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_BODY); ++id) {
        const snBodyDef *d = sn_spec_body(c->spec, id);
        snId node = sn_body_node(c->spec, id);
        if (!node)
            sn_check_dangling(c, SN_KIND_BODY, id, "node", *d->node ? d->node : d->name, SN_KIND_NODE, "node");
        else
            check_body_node(c, id, node, owner);
        check_mass(c, id, d);
        check_center(c, id, d, node);
        if (d->pinned && d->kinematic)
            sn_check_warning(c, SN_KIND_BODY, id, "drop one of the two",
                             "the body is pinned and kinematic; pinned wins");
        if (d->enabled && !d->pinned && !d->kinematic && attached && !attached[id])
            sn_check_warning(c, SN_KIND_BODY, id, "add a joint, pin it, or disable it",
                             "neither a joint nor a strand holds the body");
    }
}

/* ---- joints ------------------------------------------------------------------------------- */

/* "world", or empty */
static bool is_world(const snSpec *spec, const char *body)
{
    return !*body || (strcmp(body, "world") == 0 && !sn_spec_find(spec, SN_KIND_BODY, body));
}

static bool is_held(const snSpec *spec, const char *body)
{
    if (is_world(spec, body)) return true;
    const snBodyDef *d = sn_spec_body(spec, sn_spec_find(spec, SN_KIND_BODY, body));
    return d->pinned || d->kinematic;
}

/* One end of a joint; false when it dangles. */
static bool check_end(snChecker *c, snId id, const char *attribute, const char *body)
{
    if (is_world(c->spec, body)) return true;
    snId found = sn_spec_find(c->spec, SN_KIND_BODY, body);
    if (!found)
        sn_check_dangling(c, SN_KIND_JOINT, id, attribute, body, SN_KIND_BODY, "body");
    else if (!sn_spec_body(c->spec, found)->enabled && sn_spec_joint(c->spec, id)->enabled)
        sn_check_warning(c, SN_KIND_JOINT, id, "enable the body, or disable the joint too",
                         "body \"%.100s\" is disabled, so the joint does nothing", body);
    return found != 0;
}

static bool check_ends(snChecker *c, snId id, const snJointDef *d)
{
    bool a = check_end(c, id, "body_a", d->body_a), b = check_end(c, id, "body_b", d->body_b);
    if (!a || !b) return false;
    if (strcmp(d->body_a, d->body_b) == 0 || (is_world(c->spec, d->body_a) && is_world(c->spec, d->body_b))) {
        sn_check_error(c, SN_KIND_JOINT, id, "name two different bodies", "both ends of the joint are \"%.100s\"",
                       *d->body_a ? d->body_a : "world");
        return false;
    }
    if (d->enabled && is_held(c->spec, d->body_a) && is_held(c->spec, d->body_b))
        sn_check_warning(c, SN_KIND_JOINT, id, "free one of the bodies, or remove the joint",
                         "both bodies are pinned or kinematic, so the joint does nothing");
    return true;
}

static const snJointKind kind_of[] = {
    [SN_JOINT_TYPE_BALL] = SN_JOINT_BALL,           [SN_JOINT_TYPE_HINGE] = SN_JOINT_HINGE,
    [SN_JOINT_TYPE_RIGID] = SN_JOINT_RIGID,         [SN_JOINT_TYPE_CYLINDRICAL] = SN_JOINT_CYLINDRICAL,
    [SN_JOINT_TYPE_UNIVERSAL] = SN_JOINT_UNIVERSAL, [SN_JOINT_TYPE_PRISMATIC] = SN_JOINT_PRISMATIC,
};

static void check_limits(snChecker *c, snId id, const snJointDef *d)
{
    if ((unsigned)d->type >= sizeof kind_of / sizeof *kind_of) return;
    int32_t dofs = d->limited ? sn_joint_dofs(kind_of[d->type]) : 0;
    for (int32_t i = 0; i < dofs; ++i) {
        const char *unit = sn_joint_dof_is_angle(kind_of[d->type], i) ? "deg" : "m";
        if (d->lower[i] > d->upper[i])
            sn_check_error(c, SN_KIND_JOINT, id, "exchange them",
                           "coordinate %d has lower limit %g %s above upper limit %g %s", (int)i, d->lower[i], unit,
                           d->upper[i], unit);
        else if (d->lower[i] > 0 || d->upper[i] < 0)
            sn_check_warning(c, SN_KIND_JOINT, id, "the drawn pose is 0; move the limits or draw another pose",
                             "coordinate %d is outside its limits %g to %g %s as drawn", (int)i, d->lower[i],
                             d->upper[i], unit);
    }
}

static void check_cone(snChecker *c, snId id, const snJointDef *d)
{
    v3 center = v3_load(d->swing_center);
    bool given = d->swing > 0 || d->twist[0] != 0 || d->twist[1] != 0;
    if (!given) return;
    if (d->type != SN_JOINT_TYPE_BALL)
        sn_check_warning(c, SN_KIND_JOINT, id, "use limited, lower and upper",
                         "swing and twist do nothing: the joint is not a ball joint");
    if (!(v3_len(center) > 1e-9))
        sn_check_error(c, SN_KIND_JOINT, id, "1 0 0 is the x axis", "swing_center is zero; expected a direction");
    else if (d->swing > 0 && acos(fmax(-1, fmin(1, v3_unit(center).x))) > d->swing * SN_DEG)
        sn_check_warning(c, SN_KIND_JOINT, id, "turn swing_center, or widen swing",
                         "x is outside its cone of %g deg as drawn", d->swing);
    if (d->twist[0] > d->twist[1])
        sn_check_error(c, SN_KIND_JOINT, id, "exchange them",
                       "twist has its lower limit %g deg above the upper one %g deg", d->twist[0], d->twist[1]);
    else if (d->twist[0] > 0 || d->twist[1] < 0)
        sn_check_warning(c, SN_KIND_JOINT, id, "the drawn pose is 0; move the limits or draw another pose",
                         "twist is outside its limits %g to %g deg as drawn", d->twist[0], d->twist[1]);
}

/* ---- loops: joining sets of bodies, the last set being the world --------------------------- */

static int32_t root_of(int32_t *set, int32_t i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

static int32_t index_of(const snSpec *spec, const char *body)
{
    return is_world(spec, body) ? sn_spec_count(spec, SN_KIND_BODY) : sn_spec_find(spec, SN_KIND_BODY, body) - 1;
}

static void join(snChecker *c, snId id, const snJointDef *d, int32_t *set)
{
    int32_t a = root_of(set, index_of(c->spec, d->body_a)), b = root_of(set, index_of(c->spec, d->body_b));
    if (a == b)
        sn_check_error(c, SN_KIND_JOINT, id, "remove one joint of the loop, or disable it",
                       "the joint closes a loop: bodies \"%.80s\" and \"%.80s\" are already connected by joints",
                       d->body_a, d->body_b);
    set[a] = b;
}

void sn_check_joints(snChecker *c)
{
    int32_t nset = sn_spec_count(c->spec, SN_KIND_BODY) + 1;
    int32_t *set = SN_NEW_ARRAY(int32_t, nset);
    if (!set) {
        c->no_memory = true;
        return;
    }
    for (int32_t i = 0; i < nset; ++i) set[i] = i;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_JOINT); ++id) {
        const snJointDef *d = sn_spec_joint(c->spec, id);
        if (!sn_joint_node(c->spec, id))
            sn_check_dangling(c, SN_KIND_JOINT, id, "node", *d->node ? d->node : d->name, SN_KIND_NODE, "node");
        bool sound = check_ends(c, id, d);
        check_limits(c, id, d);
        check_cone(c, id, d);
        if (sound && d->enabled) join(c, id, d, set);
    }
    sn_free(set);
}
