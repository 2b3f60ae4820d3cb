/* What cords add to the system against its definition, with velocities of all bodies drawn at random: what is assembled
 * as few rows and blocks is the same quadratic form, and the same impulses. Their inertia is that of their pieces, as
 * the head of sim/paths_mass.c has it; their elastic part is that of the head of sim/part_paths.c, with straight pieces
 * that resist turning. Cords through points, over wraps, and with junctions. */
#include "sim/rig.h"

#include "sim/own/state.h"
#include "sim/parts.h"
#include "sim/paths.h"

#include <math.h>

static double drawn(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

/* Velocity of a node by those of the free bodies, 6 each by body. */
static v3 node_velocity(const Rig *r, const snPathCord *k, const snCordNode *node, const double *v)
{
    double sum[3] = {0, 0, 0};
    int32_t width = 6 * k->cord.nslot;
    if (!node->junction) {
        int32_t b = k->body[node->slot];
        return r->m->body_free[b] < 0 ? v3_of(0, 0, 0) : sn_body_point_velocity(r->s->ahead[b].q, v + 6 * b, node->r);
    }
    const double *row = r->s->junction_row + r->m->knot[k->knot].row + 3 * width * (node->junction - 1);
    for (int axis = 0; axis < 3; ++axis)
        for (int32_t e = 0; e < width; ++e) {
            int32_t b = k->body[e / 6];
            if (r->m->body_free[b] >= 0) sum[axis] += row[axis * width + e] * v[6 * b + e % 6];
        }
    return v3_load(sum);
}

typedef struct Motion { /* of one end of a piece */
    v3 v, t;
    double flow; /* of the material past the node */
} Motion;

/* Sum over pieces of the product of two motions, and the power of gravity in the second. */
static double form(double mass, bool arc, const Motion a[2], const Motion b[2])
{
    double sum = 0, along[2][2];
    for (int e = 0; e < 2; ++e) {
        along[0][e] = v3_dot(a[e].v, a[e].t), along[1][e] = v3_dot(b[e].v, b[e].t);
        sum += 0.5 * mass * (v3_dot(a[e].v, b[e].v) - along[0][e] * along[1][e]);
        along[0][e] += a[e].flow, along[1][e] += b[e].flow;
    }
    if (arc) return sum + 0.5 * mass * (along[0][0] * along[1][0] + along[0][1] * along[1][1]);
    return sum + mass * 0.25 * (along[0][0] + along[0][1]) * (along[1][0] + along[1][1]);
}

/* The flow past every node, and its velocity. */
static void find_motion(const Rig *r, int32_t cord, const double *v, Motion *at, double *rest)
{
    const snPathCord *k = &r->m->cord[cord];
    const snCordNode *node = r->s->cord_node + k->node;
    const snCordPull *pull = &r->s->cord_pull[cord];
    double rate = 0, along = 0, before = 0, tendon, belly;
    for (int32_t e = 0; e < 6 * k->cord.nslot; ++e)
        if (r->m->body_free[k->body[e / 6]] >= 0) rate += r->s->cord_g[6 * k->slot + e] * v[6 * k->body[e / 6] + e % 6];
    for (int32_t i = 0; i < r->s->cord_nnode[cord]; ++i) {
        sn_cord_material(&k->cord, pull, along, &tendon, &belly);
        rest[i] = tendon + belly;
        at[i].v = node_velocity(r, k, &node[i], v);
        at[i].flow = sn_cord_share(&k->cord, pull, tendon, belly) * rate - before;
        if (i + 1 == r->s->cord_nnode[cord]) break;
        along += node[i].length;
        v3 next = node_velocity(r, k, &node[i + 1], v);
        if (!node[i].arc) before += v3_dot(node[i].t, v3_sub(next, at[i].v));
    }
}

enum { NODES = 64 };

/* The form of a cord between two sets of velocities; *weight is the power of gravity at the second. */
static double cord_form(const Rig *r, int32_t cord, const double *v, const double *w, double *weight)
{
    const snPathCord *k = &r->m->cord[cord];
    const snCordNode *node = r->s->cord_node + k->node;
    int32_t n = r->s->cord_nnode[cord];
    Motion a[NODES], b[NODES];
    double rest[NODES], sum = 0;
    assert_true(n <= NODES);
    find_motion(r, cord, v, a, rest);
    find_motion(r, cord, w, b, rest);
    *weight = 0;
    for (int32_t i = 0; i + 1 < n; ++i) {
        double mass = k->cord.line_mass * (rest[i + 1] - rest[i]);
        v3 end[2] = {node[i].t, node[i].arc && i + 2 < n ? node[i + 1].t : node[i].t};
        Motion first[2] = {a[i], a[i + 1]}, second[2] = {b[i], b[i + 1]};
        for (int e = 0; e < 2; ++e) {
            first[e].t = second[e].t = end[e];
            *weight += 0.5 * mass * v3_dot(sn_gravity(r->m, r->s), v3_mad(second[e].v, second[e].flow, end[e]));
        }
        sum += form(mass, node[i].arc, first, second);
    }
    return sum;
}

/* w' A v of the blocks that were assembled. */
static double assembled(const Rig *r, const double *v, const double *w)
{
    const snModel *m = r->m;
    double sum = 0;
    int32_t body[64] = {0};
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0) body[m->body_free[b]] = b;
    for (int32_t f = 0; f < m->nfree; ++f)
        for (int e = 0; e < 36; ++e)
            sum += r->s->value->body_A[36 * f + e] * w[6 * body[f] + e / 6] * v[6 * body[f] + e % 6];
    for (int32_t p = 0; p < m->pattern.npair; ++p) {
        int32_t i = body[m->pattern.pair_body[2 * p]], j = body[m->pattern.pair_body[2 * p + 1]];
        for (int e = 0; e < 36; ++e) {
            double A = r->s->value->pair_A[36 * p + e];
            sum += A * (w[6 * i + e / 6] * v[6 * j + e % 6] + v[6 * i + e / 6] * w[6 * j + e % 6]);
        }
    }
    return sum;
}

static double impulse_along(const Rig *r, const double *w)
{
    double sum = 0;
    for (int32_t b = 0; b < r->m->nbody; ++b)
        for (int e = 0; e < 6 && r->m->body_free[b] >= 0; ++e)
            sum += r->s->impulse[6 * r->m->body_free[b] + e] * w[6 * b + e];
    return sum;
}

static double rate_of(const Rig *r, const snPathCord *k, const double *v, bool free)
{
    double sum = 0;
    for (int32_t e = 0; e < 6 * k->cord.nslot; ++e)
        if ((r->m->body_free[k->body[e / 6]] >= 0) == free)
            sum += r->s->cord_g[6 * k->slot + e] * v[6 * k->body[e / 6] + e % 6];
    return sum;
}

/* The elastic part: h^2 K + h D between two sets of velocities; *impulse is what it gives along the second. */
static double elastic_form(const Rig *r, int32_t cord, const double *v, const double *w, double *impulse)
{
    const snPathCord *k = &r->m->cord[cord];
    const snCordNode *node = r->s->cord_node + k->node;
    const snCordPull *p = &r->s->cord_pull[cord];
    double h = r->s->h, drag = h * k->cord.beta * p->slope, change = h * h * p->slope + h * p->drag, turning = 0;
    const double *v0 = r->s->velocity;
    *impulse = change * rate_of(r, k, v0, true) - h * (p->tension - p->by_a * r->s->cord_activation[cord]) -
               drag * rate_of(r, k, v0, false);
    *impulse *= rate_of(r, k, w, true);
    for (int32_t i = 0; i + 1 < r->s->cord_nnode[cord]; ++i) {
        if (node[i].arc || node[i].slot == node[i + 1].slot) continue;
        double weight = h * h * p->tension / fmax(node[i].length, 2e-3);
        const double *each[3] = {v, w, v0};
        v3 d[3], t = node[i].t;
        for (int e = 0; e < 3; ++e) {
            d[e] = v3_sub(node_velocity(r, k, &node[i + 1], each[e]), node_velocity(r, k, &node[i], each[e]));
            d[e] = v3_mad(d[e], -v3_dot(d[e], t), t);
        }
        turning += weight * v3_dot(d[0], d[1]);
        *impulse += weight * v3_dot(d[2], d[1]);
    }
    return (change + drag) * rate_of(r, k, v, true) * rate_of(r, k, w, true) + turning;
}

static void clear(Rig *r)
{
    memset(r->s->value->body_A, 0, sizeof(double) * 36 * (size_t)r->m->nfree);
    memset(r->s->value->pair_A, 0, sizeof(double) * 36 * (size_t)r->m->pattern.npair);
    memset(r->s->impulse, 0, sizeof(double) * 6 * (size_t)r->m->nfree);
}

/* All cords as the step assembles them. */
static void compare_sum(Rig *r, double off[2])
{
    double v[6 * 64] = {0}, w[6 * 64] = {0};
    uint64_t seed = 77;
    clear(r);
    sn_part_paths.assemble(r->m, r->s);
    for (int trial = 0; trial < 5; ++trial) {
        double vw = 0, size = 0, along = 0, scale = 0;
        for (int32_t e = 0; e < 6 * r->m->nbody; ++e) v[e] = drawn(&seed), w[e] = drawn(&seed);
        for (int32_t i = 0; i < r->m->ncord; ++i) {
            double weight, impulse, drag = 1 + r->s->h * r->m->cord[i].cord.alpha;
            double inertia = drag * cord_form(r, i, v, w, &weight), elastic = elastic_form(r, i, v, w, &impulse);
            vw += inertia + elastic, size += fabs(inertia) + fabs(elastic);
            impulse += cord_form(r, i, r->s->velocity_before, w, &weight) + r->s->h * weight;
            along += impulse, scale += fabs(impulse);
        }
        off[0] = fmax(off[0], fabs(assembled(r, v, w) - vw) / size);
        off[1] = fmax(off[1], fabs(impulse_along(r, w) - along) / scale);
    }
}

/* Assembles one cord alone; the worst errors of the blocks and of the impulses, over their size. */
static void compare_cord(Rig *r, int32_t cord, double off[2])
{
    const snModel *m = r->m;
    snState *s = r->s;
    double v[6 * 64] = {0}, w[6 * 64] = {0}, weight, drag = 1 + s->h * m->cord[cord].cord.alpha;
    uint64_t seed = (uint64_t)cord + 1;
    assert_true(m->nbody <= 64);
    clear(r);
    snCordSheet sheet = sn_sheet_begin(m, s, cord);
    sn_cord_add_mass(&sheet, cord);
    sn_sheet_close(&sheet, 1);
    for (int trial = 0; trial < 5; ++trial) {
        for (int32_t e = 0; e < 6 * m->nbody; ++e) v[e] = drawn(&seed), w[e] = drawn(&seed);
        double vv = drag * cord_form(r, cord, v, v, &weight), ww = drag * cord_form(r, cord, w, w, &weight);
        double size = sqrt(vv * ww), vw = drag * cord_form(r, cord, v, w, &weight);
        off[0] = fmax(off[0], fabs(assembled(r, v, w) - vw) / size);
        double impulse = cord_form(r, cord, s->velocity_before, w, &weight) + s->h * weight;
        double scale =
            fabs(s->h * weight) + sqrt(cord_form(r, cord, s->velocity_before, s->velocity_before, &weight) * ww);
        off[1] = fmax(off[1], fabs(impulse_along(r, w) - impulse) / scale);
    }
}

static void compare_all(Rig *r, const char *name, bool meets)
{
    double off[2] = {0, 0}, all[2] = {0, 0};
    int32_t arcs = 0, junctions = 0;
    rig_run(r, 0.1);
    sn_set_quiet(r->s, true); /* leaves the cords where the step has taken them */
    assert_int_equal(sn_step(r->m, r->s), SN_OK);
    for (int32_t i = 0; i < r->m->ncord; ++i) {
        compare_cord(r, i, off);
        for (int32_t e = 0; e < r->s->cord_nnode[i]; ++e) {
            arcs += r->s->cord_node[r->m->cord[i].node + e].arc;
            junctions += r->s->cord_node[r->m->cord[i].node + e].junction > 0;
        }
    }
    compare_sum(r, all);
    print_message("%s: %d cords, %d arcs, %d ends at junctions: inertia off by %.1e, impulses by %.1e; all that is "
                  "assembled by %.1e, %.1e\n",
                  name, (int)r->m->ncord, (int)arcs, (int)junctions, off[0], off[1], all[0], all[1]);
    assert_true(!meets || (arcs > 0 && junctions > 0));
    assert_true(off[0] < 1e-12 && off[1] < 1e-12 && all[0] < 1e-12 && all[1] < 1e-12);
    rig_drop(r);
}

static void cords_of_a_hand_have_the_inertia_of_their_pieces(void **state)
{
    (void)state;
    Rig r = rig_scene("hand-paths", 0.004);
    compare_all(&r, "hand-paths", false);
}

/* The same finger with a lumbrical that begins on its flexor. */
static snSpec *finger_with_lumbrical(void)
{
    static const snVia via[] = {{.p = {-0.04, -0.0091, 0}, .kind = SN_VIA_FIXED, .on = "flexor"},
                                {.p = {0.012, -0.004, 0.004}, .kind = SN_VIA_SLIDING, .on = "one"},
                                {.p = {0.038, 0.006, 0.004}, .kind = SN_VIA_SLIDING, .on = "one"},
                                {.p = {0.058, 0.005, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    snBuild b = {.spec = sn_scene_path_finger(1e8)};
    snStrandDef def = sn_default_strand_def();
    def.kind = SN_STRAND_PATH, def.radius = 0.001, def.tendon_stiffness = 1e8;
    def.passive_fl = "hill-passive", def.active_fl = "hill-active", def.max_force = 1, def.stiffness = 1e6;
    def.name = "lumbrical", def.mass_damping = 3;
    snPath path = {.via = via, .nvia = 4, .npoint = 30, .belly = 0.05};
    sn_build_strand(&b, &def, &path);
    return sn_build_end(&b);
}

static void so_have_cords_with_wraps_and_junctions(void **state)
{
    (void)state;
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(finger_with_lumbrical(), sim);
    for (int32_t k = 0; k < r.m->nmuscle; ++k) r.s->activation[k] = 0.3;
    compare_all(&r, "finger with a lumbrical", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cords_of_a_hand_have_the_inertia_of_their_pieces),
                                       cmocka_unit_test(so_have_cords_with_wraps_and_junctions)};
    return cmocka_run_group_tests_name("sim.cord_mass", tests, NULL, NULL);
}
