/* From a model to its skin: gathers what sn_skin_create wants in one arena. */
#include "base/def.h"
#include "sinew/author.h"

#include "base/arena.h"
#include "base/error.h"
#include "model/nodes.h"
#include "skin/skin.h"

#include <string.h>

/* Stress of a muscle at full force, Pa: with it the maximal force tells the cross-section of the belly. */
static const double SPECIFIC_TENSION = 0.3e6;

typedef struct {
    const snSpec *spec;
    snArena arena;
    snSkinDef def;
    int32_t *index; /* of body id - 1 among the enabled, -1 */
} Gather;

static double *world_points(Gather *g, snId node, int32_t n, const double *from)
{
    affine world = sn_node_world(g->spec, node);
    double *to = sn_arena_alloc(&g->arena, 3 * (size_t)n, sizeof *to);
    for (int32_t i = 0; to && i < n; ++i) v3_store(to + 3 * i, affine_apply(&world, v3_load(from + 3 * i)));
    return to;
}

static snStatus gather_mesh(Gather *g, const char *name, snError *error)
{
    if (!name || !*name) name = sn_spec_model(g->spec)->skin;
    if (!name || !*name) {
        sn_fail(error, SN_BAD_INPUT, "the model names no skin");
        if (error) sn_error_remedy(error, "give the attribute skin of Muscle the name of a mesh");
        return SN_BAD_INPUT;
    }
    snId id = sn_spec_find(g->spec, SN_KIND_NODE, name);
    const snNodeDef *node = id ? sn_spec_node(g->spec, id) : NULL;
    if (!node || node->kind != SN_NODE_MESH)
        return sn_fail(error, SN_BAD_INPUT, "\"%.100s\" is not a mesh of the scene, so it cannot be the skin", name);
    g->def.nvertex = node->nvertex, g->def.ntriangle = node->ntriangle, g->def.triangle = node->triangle;
    g->def.vertex = world_points(g, id, node->nvertex, node->vertex);
    return g->def.vertex ? SN_OK : sn_fail_no_memory(error);
}

static snStatus gather_bodies(Gather *g, snError *error)
{
    int32_t n = sn_spec_count(g->spec, SN_KIND_BODY);
    double *rest = sn_arena_alloc(&g->arena, 7 * (size_t)n, sizeof *rest);
    int32_t *parent = sn_arena_alloc(&g->arena, (size_t)n, sizeof *parent);
    g->index = sn_arena_alloc(&g->arena, (size_t)n, sizeof *g->index);
    if (!rest || !parent || !g->index) return sn_fail_no_memory(error);
    for (snId id = 1; id <= n; ++id) {
        const snBodyDef *body = sn_spec_body(g->spec, id);
        g->index[id - 1] = body->enabled ? g->def.nbody : -1;
        if (!body->enabled) continue;
        rigid frame = sn_node_frame(g->spec, sn_body_node(g->spec, id));
        v3_store(rest + 7 * g->def.nbody, frame.p), q_store(rest + 7 * g->def.nbody + 3, frame.q);
        parent[g->def.nbody++] = -1;
    }
    for (snId id = 1; id <= sn_spec_count(g->spec, SN_KIND_JOINT); ++id) {
        const snJointDef *joint = sn_spec_joint(g->spec, id);
        snId a = sn_spec_find(g->spec, SN_KIND_BODY, joint->body_a),
             b = sn_spec_find(g->spec, SN_KIND_BODY, joint->body_b);
        if (joint->enabled && a && b && g->index[a - 1] >= 0 && g->index[b - 1] >= 0)
            parent[g->index[b - 1]] = g->index[a - 1];
    }
    /* On a tree the bones of a trunk lie side by side without hanging on each other: all may share its skin. */
    g->def.rest = rest, g->def.parent = sn_spec_model(g->spec)->type == SN_MODEL_TREE ? NULL : parent;
    return SN_OK;
}

/* A body without meshes is stood for by its origin and those of its joints. */
static bool add_stick(Gather *g, snId body, snSkinBone *bone)
{
    const char *name = sn_spec_body(g->spec, body)->name;
    int32_t njoint = sn_spec_count(g->spec, SN_KIND_JOINT), n = 0;
    double *point = sn_arena_alloc(&g->arena, 3 * ((size_t)njoint + 1), sizeof *point);
    if (!point) return false;
    v3_store(point + 3 * n++, sn_node_frame(g->spec, sn_body_node(g->spec, body)).p);
    for (snId id = 1; id <= njoint; ++id) {
        const snJointDef *joint = sn_spec_joint(g->spec, id);
        if (strcmp(joint->body_a, name) == 0)
            v3_store(point + 3 * n++, sn_node_frame(g->spec, sn_joint_node(g->spec, id)).p);
    }
    *bone = (snSkinBone){.body = g->index[body - 1], .nvertex = n, .vertex = point};
    return true;
}

static snStatus gather_bones(Gather *g, snError *error)
{
    int32_t nnode = sn_spec_count(g->spec, SN_KIND_NODE), nbody = sn_spec_count(g->spec, SN_KIND_BODY);
    snSkinBone *bone = sn_arena_alloc(&g->arena, (size_t)(nnode + nbody) + 1, sizeof *bone);
    bool *has = sn_arena_alloc(&g->arena, (size_t)nbody + 1, sizeof *has);
    if (!bone || !has) return sn_fail_no_memory(error);
    for (snId id = 1; id <= nnode; ++id) {
        const snNodeDef *node = sn_spec_node(g->spec, id);
        snId body = node->kind == SN_NODE_MESH && node->ntriangle > 0 ? sn_node_body(g->spec, id) : 0;
        if (!body || g->index[body - 1] < 0 || node->triangle == g->def.triangle) continue;
        double *vertex = world_points(g, id, node->nvertex, node->vertex);
        if (!vertex) return sn_fail_no_memory(error);
        has[body] = true;
        bone[g->def.nbone++] = (snSkinBone){g->index[body - 1], node->nvertex, node->ntriangle, vertex, node->triangle};
    }
    for (snId body = 1; body <= nbody; ++body)
        if (!has[body] && g->index[body - 1] >= 0 && !add_stick(g, body, &bone[g->def.nbone++]))
            return sn_fail_no_memory(error);
    g->def.bone = bone;
    return SN_OK;
}

/* Extent of a body's bone along an axis, and the furthest it reaches from the middle of that across. */
typedef struct {
    double low, high, across;
} Extent;

static Extent extent_of(const snSkinDef *def, int32_t body, v3 axis)
{
    Extent e = {INFINITY, -INFINITY, 0};
    v3 middle = {0};
    int32_t n = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (int32_t i = 0; i < def->nbone; ++i)
            for (int32_t v = 0; def->bone[i].body == body && v < def->bone[i].nvertex; ++v) {
                v3 p = v3_load(def->bone[i].vertex + 3 * v), way = v3_mad(p, -1.0 / (n ? n : 1), middle);
                double along = v3_dot(p, axis);
                e.low = fmin(e.low, along), e.high = fmax(e.high, along);
                if (pass)
                    e.across = fmax(e.across, v3_len(v3_mad(way, -v3_dot(way, axis), axis)));
                else
                    middle = v3_add(middle, p), ++n;
            }
    return e;
}

/* A hinge along two long bones that lie side by side (the radius turns about the ulna) twists the skin over them. The
 * end near the joint's own place stays with the parent. */
static bool find_twist(const Gather *g, snId id, snSkinTwist *twist)
{
    const snJointDef *joint = sn_spec_joint(g->spec, id);
    snId a = sn_spec_find(g->spec, SN_KIND_BODY, joint->body_a), b = sn_spec_find(g->spec, SN_KIND_BODY, joint->body_b);
    if (!joint->enabled || joint->type != SN_JOINT_TYPE_HINGE || !a || !b) return false;
    *twist = (snSkinTwist){.parent = g->index[a - 1], .child = g->index[b - 1]};
    if (twist->parent < 0 || twist->child < 0) return false;
    rigid frame = sn_node_frame(g->spec, sn_joint_node(g->spec, id));
    v3 axis = q_rotate(frame.q, v3_of(0, 0, 1));
    Extent p = extent_of(&g->def, twist->parent, axis), c = extent_of(&g->def, twist->child, axis);
    double low = fmax(p.low, c.low), high = fmin(p.high, c.high), shorter = fmin(p.high - p.low, c.high - c.low);
    if (!(high - low > 0.5 * shorter && shorter > 4 * fmax(p.across, c.across))) return false;
    double at = v3_dot(frame.p, axis);
    bool upwards = fabs(at - low) < fabs(at - high);
    v3_store(twist->from, v3_mad(frame.p, (upwards ? low : high) - at, axis));
    v3_store(twist->to, v3_mad(frame.p, (upwards ? high : low) - at, axis));
    return true;
}

static snStatus gather_twists(Gather *g, snError *error)
{
    int32_t n = sn_spec_count(g->spec, SN_KIND_JOINT);
    snSkinTwist *twist = sn_arena_alloc(&g->arena, (size_t)n + 1, sizeof *twist);
    if (!twist) return sn_fail_no_memory(error);
    for (snId id = 1; id <= n; ++id) g->def.ntwist += find_twist(g, id, twist + g->def.ntwist);
    g->def.twist = twist;
    return SN_OK;
}

static snStatus gather_strands(Gather *g, snError *error)
{
    int32_t n = sn_spec_count(g->spec, SN_KIND_STRAND);
    snSkinStrand *strand = sn_arena_alloc(&g->arena, (size_t)n + 1, sizeof *strand);
    if (!strand) return sn_fail_no_memory(error);
    for (snId id = 1; id <= n; ++id) {
        const snStrandDef *def = sn_spec_strand(g->spec, id);
        if (!def->enabled) continue;
        snId node_id = sn_strand_node(g->spec, id);
        const snNodeDef *node = sn_spec_node(g->spec, node_id);
        double *point = world_points(g, node_id, node->npoint, node->point);
        if (!point) return sn_fail_no_memory(error);
        double section = def->max_force > 0 ? def->max_force / SPECIFIC_TENSION : SN_PI * def->radius * def->radius;
        strand[g->def.nstrand++] = (snSkinStrand){.npoint = node->npoint,
                                                  .knot = node->nknot == node->npoint + 4 ? node->knot : NULL,
                                                  .point = point,
                                                  .height = NAN,
                                                  .lateral = NAN,
                                                  .depth = NAN,
                                                  .belly_start = def->belly_start,
                                                  .belly_end = def->belly_end,
                                                  .belly_radius = sqrt(section / SN_PI)};
    }
    g->def.strand = strand;
    return SN_OK;
}

snStatus sn_create_model_skin(const snSpec *spec, const snModelSkinDef *def, snSkin **skin, snError *error)
{
    if (!spec || !def) return sn_fail_argument(error, "sn_create_model_skin without spec or def");
    snModelSkinDef taken = sn_default_model_skin_def();
    if (SN_TAKE_DEF(def, snModelSkinDef, taken, error)) return SN_BAD_ARGUMENT;
    Gather g = {.spec = spec, .def = sn_default_skin_def()};
    const snModelDef *model = sn_spec_model(spec);
    g.def.height = isnan(def->height) ? model->skin_a : def->height;
    g.def.lateral = isnan(def->lateral) ? model->skin_b : def->lateral;
    g.def.depth = isnan(def->depth) ? model->skin_c : def->depth;
    g.def.base_given = def->base_given;
    g.def.bound = def->bound, g.def.bound_size = def->bound_size;
    g.def.influence = def->influence, g.def.blend = def->blend;
    if (!def->base_given) g.def.weight_body = def->weight_body, g.def.weight = def->weight;
    g.def.prominence = def->prominence, g.def.belly = def->belly;
    snStatus status = gather_mesh(&g, def->mesh, error);
    if (status == SN_OK) status = gather_bodies(&g, error);
    if (status == SN_OK && !def->base_given) status = gather_bones(&g, error);
    if (status == SN_OK && !def->base_given) status = gather_twists(&g, error);
    if (status == SN_OK) status = gather_strands(&g, error);
    if (status == SN_OK) status = sn_skin_create(&g.def, skin, error);
    sn_arena_free(&g.arena);
    return status;
}
