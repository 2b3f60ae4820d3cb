/* World transforms of scene nodes. A parent always comes before its children in a sound spec; a node whose parent does
 * not is taken as a child of the scene (sn_check reports it), so that no walk upwards can run in a circle. */
#include "model/nodes.h"

double sn_unit_metres(snUnits units)
{
    static const double metres[] = {
        [SN_UNITS_M] = 1, [SN_UNITS_CM] = 0.01, [SN_UNITS_MM] = 0.001, [SN_UNITS_IN] = 0.0254};
    return (unsigned)units < sizeof metres / sizeof *metres ? metres[units] : 1;
}

static v3 up_vector(snAxis axis)
{
    return axis == SN_AXIS_Z ? v3_of(0, 0, 1) : v3_of(0, 1, 0);
}

v3 sn_spec_gravity(const snSpec *spec)
{
    const double *g = sn_spec_model(spec)->gravity;
    if (isnan(g[0]) || isnan(g[1]) || isnan(g[2])) return v3_scale(up_vector(sn_spec_scene(spec)->up), -9.81);
    return v3_load(g);
}

static snId parent_of(const snSpec *spec, snId node)
{
    snId parent = sn_spec_node(spec, node)->parent;
    return parent > 0 && parent < node ? parent : 0;
}

/* A quaternion of any length but zero turns the same way; zero or NaN count as no rotation. */
static quat rotation_of(const snNodeDef *node)
{
    quat q = q_load(node->rotate);
    double n = q_dot(q, q);
    if (!(n > 0) || isinf(n)) return q_identity();
    return n == 1 ? q : q_unit(q);
}

static affine local_of(const snNodeDef *node)
{
    affine e = {m3_from_q(rotation_of(node)), v3_load(node->translate)};
    for (int i = 0; i < 9; ++i) e.a.m[i] *= node->scale[i % 3];
    return e;
}

static affine affine_mul(const affine *a, const affine *b)
{
    return (affine){m3_mul(&a->a, &b->a), affine_apply(a, b->t)};
}

affine sn_node_world(const snSpec *spec, snId node)
{
    affine world = {m3_identity(), {0, 0, 0}};
    for (; node; node = parent_of(spec, node)) {
        affine local = local_of(sn_spec_node(spec, node));
        world = affine_mul(&local, &world);
    }
    double metres = sn_unit_metres(sn_spec_scene(spec)->units);
    for (int i = 0; i < 9; ++i) world.a.m[i] *= metres;
    world.t = v3_scale(world.t, metres);
    return world;
}

/* The nearest right-handed frame by orthogonalising the columns in turn. */
static quat frame_of_columns(const m3 *a)
{
    v3 x = v3_unit(v3_of(a->m[0], a->m[3], a->m[6])), y = v3_of(a->m[1], a->m[4], a->m[7]);
    y = v3_unit(v3_mad(y, -v3_dot(x, y), x));
    m3 r = m3_columns(x, y, v3_cross(x, y));
    return q_from_m3(&r);
}

rigid sn_node_frame(const snSpec *spec, snId node)
{
    affine world = sn_node_world(spec, node);
    quat q = q_identity();
    for (; node; node = parent_of(spec, node)) {
        const snNodeDef *def = sn_spec_node(spec, node);
        if (!(def->scale[0] > 0 && def->scale[1] > 0 && def->scale[2] > 0))
            return (rigid){frame_of_columns(&world.a), world.t};
        q = q_mul(rotation_of(def), q);
    }
    return (rigid){q, world.t};
}

bool sn_node_is_under(const snSpec *spec, snId node, snId above)
{
    for (; node; node = parent_of(spec, node))
        if (node == above) return true;
    return false;
}

static snId node_named(const snSpec *spec, const char *node, const char *name)
{
    return sn_spec_find(spec, SN_KIND_NODE, *node ? node : name);
}

snId sn_body_node(const snSpec *spec, snId body)
{
    const snBodyDef *def = sn_spec_body(spec, body);
    return node_named(spec, def->node, def->name);
}

snId sn_joint_node(const snSpec *spec, snId joint)
{
    const snJointDef *def = sn_spec_joint(spec, joint);
    return node_named(spec, def->node, def->name);
}

snId sn_strand_node(const snSpec *spec, snId strand)
{
    const snStrandDef *def = sn_spec_strand(spec, strand);
    return node_named(spec, def->node, def->name);
}

/* Linear in the bodies: few, and asked for once per surface when a model is compiled or checked. */
snId sn_node_body(const snSpec *spec, snId node)
{
    int32_t nbody = sn_spec_count(spec, SN_KIND_BODY);
    for (; node; node = parent_of(spec, node))
        for (snId body = 1; body <= nbody; ++body)
            if (sn_body_node(spec, body) == node) return body;
    return 0;
}
