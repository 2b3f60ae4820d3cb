/* Bodies and joints: principal frames, joint frames, coordinates with limits and passive stiffness. */
#include "model/compile.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool alloc_bodies(snCompiler *c, int32_t n)
{
    snModel *m = c->m;
    return COMPILE_ARRAY(c, m->body_name, n) && COMPILE_ARRAY(c, m->body_mode, n) &&
           COMPILE_ARRAY(c, m->body_free, n) && COMPILE_ARRAY(c, m->body_mass, n) &&
           COMPILE_ARRAY(c, m->body_inertia, n) && COMPILE_ARRAY(c, m->body_node, n) &&
           COMPILE_ARRAY(c, m->body_rest, n) && COMPILE_ARRAY(c, c->body_of, sn_spec_count(c->spec, SN_KIND_BODY));
}

/* Principal frame at the centre of mass. An inertia that is diagonal already keeps the node's axes. */
static rigid principal_frame(const snMass *mass, v3 *inertia)
{
    const double *I = mass->inertia.m;
    double off = fabs(I[1]) + fabs(I[2]) + fabs(I[5]);
    if (off <= 1e-12 * (I[0] + I[4] + I[8])) {
        *inertia = v3_of(I[0], I[4], I[8]);
        return (rigid){q_identity(), mass->center};
    }
    double value[3];
    m3 axes;
    m3_eigen_symmetric(&mass->inertia, value, &axes);
    if (m3_det(&axes) < 0)
        for (int i = 0; i < 3; ++i) axes.m[3 * i] = -axes.m[3 * i];
    *inertia = v3_of(value[0], value[1], value[2]);
    return (rigid){q_from_m3(&axes), mass->center};
}

static snStatus compile_body(snCompiler *c, snId id)
{
    snModel *m = c->m;
    const snBodyDef *def = sn_spec_body(c->spec, id);
    int32_t b = m->nbody++;
    snMass mass;
    snStatus status = sn_body_mass(c->spec, id, &mass, c->error);
    if (status != SN_OK) return status;
    rigid node = sn_node_frame(c->spec, sn_body_node(c->spec, id));
    rigid center = principal_frame(&mass, &m->body_inertia[b]);
    m->body_mass[b] = mass.mass;
    m->body_rest[b] = rigid_mul(node, center);
    m->body_node[b] = rigid_inverse(center);
    bool moved = def->kinematic || sn_spec_model(c->spec)->type == SN_MODEL_TREE;
    m->body_mode[b] = def->pinned ? SN_BODY_PINNED : moved ? SN_BODY_KINEMATIC : SN_BODY_FREE;
    m->body_free[b] = m->body_mode[b] == SN_BODY_FREE ? m->nfree++ : -1;
    m->body_name[b] = sn_compile_text(c, def->name);
    c->body_of[id - 1] = b;
    if (!m->body_name[b] || !sn_map_put(&m->body_map, m->body_name[b], b)) return sn_fail_no_memory(c->error);
    return SN_OK;
}

/* Whether a node belongs to a body; the quick question comes first. */
static bool is_part(const snSpec *spec, snId node, snId body)
{
    return sn_node_is_under(spec, node, sn_body_node(spec, body)) && sn_node_body(spec, node) == body;
}

/* A body without a mesh is measured at its node's origin and at a length from it along each axis. */
static int32_t vertex_count(const snCompiler *c, snId body)
{
    int32_t n = 0;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_NODE); ++id) {
        const snNodeDef *node = sn_spec_node(c->spec, id);
        if (node->kind == SN_NODE_MESH && is_part(c->spec, id, body)) n += node->nvertex;
    }
    return n ? n : 4;
}

static void copy_vertices(snCompiler *c, snId body, int32_t b)
{
    snModel *m = c->m;
    double *out = m->body_vertex + 3 * m->body_vertexadr[b];
    const double *first = out;
    rigid to_body = rigid_inverse(m->body_rest[b]);
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_NODE); ++id) {
        const snNodeDef *node = sn_spec_node(c->spec, id);
        if (node->kind != SN_NODE_MESH || !is_part(c->spec, id, body)) continue;
        affine world = sn_node_world(c->spec, id);
        for (int32_t k = 0; k < node->nvertex; ++k, out += 3)
            v3_store(out, rigid_apply(to_body, affine_apply(&world, v3_load(node->vertex + 3 * k))));
    }
    double length = sn_spec_body(c->spec, body)->length;
    for (int i = 0; i < 4 && first == out - 3 * i; ++i, out += 3)
        v3_store(out,
                 rigid_apply(m->body_node[b], v3_of(i == 1 ? length : 0, i == 2 ? length : 0, i == 3 ? length : 0)));
}

static snStatus compile_vertices(snCompiler *c)
{
    snModel *m = c->m;
    int32_t n = sn_spec_count(c->spec, SN_KIND_BODY);
    if (!COMPILE_ARRAY(c, m->body_vertexadr, m->nbody + 1)) return SN_NO_MEMORY;
    for (snId id = 1; id <= n; ++id) {
        int32_t b = c->body_of[id - 1];
        if (b >= 0) m->body_vertexadr[b + 1] = m->body_vertexadr[b] + vertex_count(c, id);
    }
    if (!COMPILE_ARRAY(c, m->body_vertex, 3 * (int64_t)m->body_vertexadr[m->nbody])) return SN_NO_MEMORY;
    for (snId id = 1; id <= n; ++id)
        if (c->body_of[id - 1] >= 0) copy_vertices(c, id, c->body_of[id - 1]);
    return SN_OK;
}

snStatus sn_compile_bodies(snCompiler *c)
{
    int32_t n = sn_spec_count(c->spec, SN_KIND_BODY);
    if (!alloc_bodies(c, n)) return SN_NO_MEMORY;
    for (snId id = 1; id <= n; ++id) {
        c->body_of[id - 1] = -1;
        if (!sn_spec_body(c->spec, id)->enabled) continue;
        snStatus status = compile_body(c, id);
        if (status != SN_OK) return status;
    }
    return compile_vertices(c);
}

/* ---- joints --------------------------------------------------------------------------------- */

static const snJointKind kind_of[] = {
    [SN_JOINT_TYPE_BALL] = SN_JOINT_BALL,           [SN_JOINT_TYPE_HINGE] = SN_JOINT_HINGE,
    [SN_JOINT_TYPE_RIGID] = SN_JOINT_RIGID,         [SN_JOINT_TYPE_CYLINDRICAL] = SN_JOINT_CYLINDRICAL,
    [SN_JOINT_TYPE_UNIVERSAL] = SN_JOINT_UNIVERSAL, [SN_JOINT_TYPE_PRISMATIC] = SN_JOINT_PRISMATIC,
};

static bool alloc_joints(snCompiler *c, int32_t n)
{
    snModel *m = c->m;
    int32_t k = n * SN_JOINT_MAX_DOF;
    return COMPILE_ARRAY(c, m->joint_name, n) && COMPILE_ARRAY(c, m->joint, n) && COMPILE_ARRAY(c, m->joint_a, n) &&
           COMPILE_ARRAY(c, m->joint_b, n) && COMPILE_ARRAY(c, m->joint_rowadr, n) &&
           COMPILE_ARRAY(c, m->joint_coordadr, n + 1) && COMPILE_ARRAY(c, m->joint_pair, n) &&
           COMPILE_ARRAY(c, m->joint_cone, n) && COMPILE_ARRAY(c, m->coord_name, k) &&
           COMPILE_ARRAY(c, m->coord_title, k) && COMPILE_ARRAY(c, m->coord_lower, k) &&
           COMPILE_ARRAY(c, m->coord_upper, k) && COMPILE_ARRAY(c, m->coord_stiffness, k) &&
           COMPILE_ARRAY(c, m->coord_damping, k) && COMPILE_ARRAY(c, m->coord_rest, k) &&
           COMPILE_ARRAY(c, m->coord_limit_row, k);
}

/* Index of a named body; -1 the world; -2 a disabled body. */
static int32_t body_index(const snCompiler *c, const char *name)
{
    if (!name[0] || strcmp(name, "world") == 0) return -1;
    int32_t b = c->body_of[sn_spec_find(c->spec, SN_KIND_BODY, name) - 1];
    return b < 0 ? -2 : b;
}

static bool is_held(const snModel *m, int32_t body)
{
    return body < 0 || m->body_free[body] < 0;
}

static snStatus compile_coordinate(snCompiler *c, int32_t j, int32_t dof, const snJointDef *def)
{
    snModel *m = c->m;
    int32_t k = m->ncoord++;
    double unit = sn_joint_dof_is_angle(m->joint[j].kind, dof) ? SN_DEG : 1;
    m->coord_lower[k] = def->limited ? def->lower[dof] * unit : -INFINITY;
    m->coord_upper[k] = def->limited ? def->upper[dof] * unit : INFINITY;
    m->coord_stiffness[k] = def->stiffness[dof];
    m->coord_damping[k] = def->damping[dof];
    m->coord_rest[k] = def->rest[dof] * unit;
    char name[160];
    snprintf(name, sizeof name, "%.150s.%d", def->name, (int)dof);
    m->coord_name[k] = sn_compile_text(c, name);
    if (!m->coord_name[k] || !sn_map_put(&m->coord_map, m->coord_name[k], k)) return sn_fail_no_memory(c->error);
    return SN_OK;
}

static snCone cone_of(const snJointDef *def)
{
    bool ball = def->type == SN_JOINT_TYPE_BALL;
    snCone cone = {.center = v3_unit(v3_load(def->swing_center)), .swing = def->swing * SN_DEG};
    for (int i = 0; i < 2; ++i) cone.twist[i] = def->twist[i] * SN_DEG;
    cone.swings = ball && def->swing > 0;
    cone.twists = ball && (def->twist[0] < 0 || def->twist[1] > 0);
    return cone;
}

static snStatus compile_joint(snCompiler *c, snId id)
{
    snModel *m = c->m;
    const snJointDef *def = sn_spec_joint(c->spec, id);
    int32_t a = body_index(c, def->body_a), b = body_index(c, def->body_b);
    if (a == -2 || b == -2) return SN_OK; /* goes with its disabled body */
    int32_t j = m->njoint++;
    rigid frame = sn_node_frame(c->spec, sn_joint_node(c->spec, id));
    m->joint[j].kind = kind_of[def->type];
    m->joint[j].frame_a = a < 0 ? frame : rigid_mul(rigid_inverse(m->body_rest[a]), frame);
    m->joint[j].frame_b = b < 0 ? frame : rigid_mul(rigid_inverse(m->body_rest[b]), frame);
    m->joint_a[j] = a;
    m->joint_b[j] = b;
    m->joint_rowadr[j] = is_held(m, a) && is_held(m, b) ? -1 : 0; /* numbered with the pattern */
    m->joint_name[j] = sn_compile_text(c, def->name);
    if (!m->joint_name[j] || !sn_map_put(&m->joint_map, m->joint_name[j], j)) return sn_fail_no_memory(c->error);
    m->joint_cone[j] = cone_of(def);
    m->joint_coordadr[j] = m->ncoord;
    for (int32_t dof = 0; dof < sn_joint_dofs(m->joint[j].kind); ++dof) {
        snStatus status = compile_coordinate(c, j, dof, def);
        if (status != SN_OK) return status;
    }
    m->joint_coordadr[j + 1] = m->ncoord;
    return sn_compile_motions(c, j, def);
}

snStatus sn_compile_joints(snCompiler *c)
{
    int32_t n = sn_spec_count(c->spec, SN_KIND_JOINT);
    if (!alloc_joints(c, n)) return SN_NO_MEMORY;
    for (snId id = 1; id <= n; ++id) {
        if (!sn_spec_joint(c->spec, id)->enabled) continue;
        snStatus status = compile_joint(c, id);
        if (status != SN_OK) return status;
    }
    return SN_OK;
}
