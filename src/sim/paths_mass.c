/* The material of a cord flows through its points, and takes part in the inertia of what it passes.
 *
 * A piece of mass m between two nodes a, b moves with w = v_node + c t, c being how fast material passes the node (see
 * path/cord.h). Across the piece its mass is lumped at both ends; along it all of it has the speed of its middle:
 *     2 E = m/2 sum over both ends of |v_node - (v_node . t) t|^2 + m ((t . v_a + c_a + t . v_b + c_b) / 2)^2
 * Of a piece on a wrap each half counts at its own end, since the direction changes between them. Terms of the second
 * order in the velocities are left out: about 1e-4 N in a hand. */
#include "sim/paths.h"

#include <string.h>

/* One end of a piece: mass that is lumped there, direction. */
typedef struct End {
    double mass;
    v3 t;
} End;

/* Damping by mass is on the left side only. */
static double drag_of(const snCordSheet *t)
{
    return 1 + t->s->h * t->k->cord.alpha;
}

static void weigh(const snCordSheet *t, double *row, double mass)
{
    double drag = drag_of(t);
    sn_sheet_weigh(t, row, t->before_step, mass * drag, 1 / drag);
}

/* ---- along the cord --------------------------------------------------------------------------- */

/* Rows of the flow at all nodes: c = phi g - ds/dv; and the rest length up to each of them. */
static void find_flow(const snCordSheet *t, const snCordPull *pull, int32_t n, const snCordNode *node, double *rest)
{
    double along = 0, tendon, belly;
    memset(t->before, 0, sizeof *t->before * (size_t)t->n);
    for (int32_t k = 0; k < n; ++k) {
        double *restrict flow = t->flow + t->ld * k;
        sn_cord_material(&t->k->cord, pull, along, &tendon, &belly);
        double phi = sn_cord_share(&t->k->cord, pull, tendon, belly);
        rest[k] = tendon + belly;
        for (int32_t e = 0; e < t->n; ++e) flow[e] = phi * t->g[e] - t->before[e];
        along += node[k].length;
        bool still = node[k].arc || k + 1 == n ||
                     (node[k].slot == node[k + 1].slot && !node[k].junction && !node[k + 1].junction);
        if (still) continue;
        sn_sheet_node(t, &node[k + 1], node[k].t, t->before);
        sn_sheet_node(t, &node[k], v3_neg(node[k].t), t->before);
    }
}

/* Adds part of the speed of material at node k to a row. */
static void add_speed(const snCordSheet *t, const snCordNode *node, int32_t k, v3 along, double part, double *row)
{
    const double *restrict flow = t->flow + t->ld * k;
    for (int32_t e = 0; e < t->n; ++e) row[e] += part * flow[e];
    sn_sheet_node(t, &node[k], v3_scale(along, part), row);
}

static void add_along(snCordSheet *t, const snCordNode *node, int32_t k, const End end[2])
{
    if (node[k].arc) {
        for (int e = 0; e < 2; ++e) {
            double *row = sn_sheet_row(t);
            add_speed(t, node, k + e, end[e].t, 1, row);
            weigh(t, row, end[e].mass);
        }
        return;
    }
    double *row = sn_sheet_row(t);
    for (int e = 0; e < 2; ++e) add_speed(t, node, k + e, end[e].t, 0.5, row);
    weigh(t, row, 2 * end[0].mass);
}

/* ---- across it -------------------------------------------------------------------------------- */

/* Gravity does work on material as it slides along. */
static void add_slide(const snCordSheet *t, int32_t k, const End end[2], v3 gravity)
{
    const double *restrict flow = t->flow + t->ld * k;
    double pull = 0;
    for (int e = 0; e < 2; ++e) pull += t->s->h * end[e].mass * v3_dot(gravity, end[e].t);
    for (int32_t i = 0; i < t->n; ++i) t->impulse[i] += pull * flow[i];
}

/* A junction moves with several bodies: rows as for the motion along. */
static void add_junction(snCordSheet *t, const snCordNode *node, const End end[2], v3 gravity)
{
    double *weight = sn_sheet_row(t); /* of nothing: it only carries the pull */
    sn_sheet_node(t, node, gravity, weight);
    for (int32_t i = 0; i < t->n; ++i) t->impulse[i] += t->s->h * (end[0].mass + end[1].mass) * weight[i];
    memset(weight, 0, sizeof *weight * (size_t)t->ld);
    for (int e = 0; e < 2; ++e) {
        if (!(end[e].mass > 0)) continue;
        v3 n = v3_perp(end[e].t), b = v3_cross(end[e].t, n);
        for (int side = 0; side < 2; ++side) {
            double *row = sn_sheet_row(t);
            sn_sheet_node(t, node, side ? b : n, row);
            weigh(t, row, end[e].mass);
        }
    }
}

static void add_square(double *restrict block, const double row[6], double weight)
{
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) block[6 * i + j] += weight * row[i] * row[j];
}

/* J'J of the velocity J of a point: |r|^2 - r r' for omega, r x R' between omega and v. */
static void add_point_mass(double *block, quat q, v3 r, double mass)
{
    double at[3] = {r.x, r.y, r.z}, square = v3_len2(r);
    m3 R = m3_from_q(q);
    for (int j = 0; j < 3; ++j) {
        double c[3];
        v3_store(c, v3_cross(r, v3_of(R.m[3 * j], R.m[3 * j + 1], R.m[3 * j + 2])));
        for (int i = 0; i < 3; ++i) {
            block[6 * i + j] += mass * ((i == j ? square : 0) - at[i] * at[j]);
            block[6 * i + 3 + j] += mass * c[i];
            block[6 * (3 + j) + i] += mass * c[i];
        }
        block[7 * (3 + j)] += mass;
    }
}

/* Mass that moves with its node at right angles to the cord, and its weight: in the block of one body. A point mass is
 * J'J, and what it would have along the cord is taken away. */
static void add_across(const snCordSheet *t, const snCordNode *node, const End end[2], v3 gravity)
{
    const snState *s = t->s;
    int32_t body = t->k->body[node->slot], at = t->m->body_free[body];
    if (at < 0) return;
    double *block = s->value->body_A + 36 * at, *impulse = s->impulse + 6 * at, row[6], drag = drag_of(t);
    double mass = end[0].mass + end[1].mass;
    v3 v = sn_body_point_velocity(s->ahead[body].q, s->velocity_before + 6 * body, node->r);
    v3 push = v3_scale(v3_mad(v, s->h, gravity), mass);
    add_point_mass(block, s->ahead[body].q, node->r, mass * drag);
    for (int e = 0; e < 2; ++e) {
        if (!(end[e].mass > 0)) continue;
        push = v3_mad(push, -end[e].mass * v3_dot(v, end[e].t), end[e].t);
        sn_body_point_row(s->ahead[body].q, node->r, end[e].t, row);
        add_square(block, row, -end[e].mass * drag);
    }
    sn_body_point_row(s->ahead[body].q, node->r, push, row);
    for (int i = 0; i < 6; ++i) impulse[i] += row[i];
}

void sn_cord_add_mass(snCordSheet *t, int32_t cord)
{
    const snPathCord *k = t->k;
    snState *s = t->s;
    const snCordNode *node = s->cord_node + k->node;
    int32_t n = s->cord_nnode[cord];
    double *rest = t->rest;
    v3 gravity = sn_gravity(t->m, s);
    End end[2] = {{0, {0, 0, 0}}, {0, {0, 0, 0}}}; /* of the piece before and of that behind a node */
    find_flow(t, &s->cord_pull[cord], n, node, rest);
    for (int32_t e = 0; e < n; ++e) {
        End piece[2] = {{0, {0, 0, 0}}, {0, {0, 0, 0}}};
        if (e + 1 < n) {
            piece[0].mass = piece[1].mass = 0.5 * k->cord.line_mass * (rest[e + 1] - rest[e]);
            piece[0].t = node[e].t;
            piece[1].t = node[e].arc && e + 2 < n ? node[e + 1].t : node[e].t;
            add_along(t, node, e, piece);
        }
        end[1] = piece[0];
        add_slide(t, e, end, gravity);
        if (node[e].junction)
            add_junction(t, &node[e], end, gravity);
        else
            add_across(t, &node[e], end, gravity);
        end[0] = piece[1];
    }
}
