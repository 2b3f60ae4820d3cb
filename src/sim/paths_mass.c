/* The material of a cord flows through its points, and takes part in the inertia of what it passes.
 *
 * A piece of mass m between two nodes a, b moves with w = v_node + c t, c being how fast material passes the node (see
 * path/cord.h). Across the piece its mass is lumped at both ends; along it all of it has the speed of its middle:
 *     2 E = m/2 sum over both ends of |v_node - (v_node . t) t|^2 + m ((t . v_a + c_a + t . v_b + c_b) / 2)^2
 * Of a piece on a wrap each half counts at its own end, since the direction changes between them. Terms of the second
 * order in the velocities are left out: about 1e-4 N in a hand. */
#include "sim/paths.h"

#include <string.h>

typedef struct End {
    const snCordNode *node;
    v3 t;
    double phi, along;    /* of the flow; length up to here */
    double tendon, belly; /* material before it */
} End;

typedef struct Flow {
    const snModel *m;
    snState *s;
    const snPathCord *k;
    const double *g;
    double *before[2], *row; /* ds/dv at both ends of the piece, and scratch: 6 for each slot */
} Flow;

static void clear(const Flow *f)
{
    memset(f->row, 0, sizeof(double) * 6 * (size_t)f->k->cord.nslot);
}

/* Adds part of the row of the speed of material at an end. */
static void add_flow(const Flow *f, const End *end, int which, double part)
{
    for (int32_t e = 0; e < 6 * f->k->cord.nslot; ++e) f->row[e] += part * (end->phi * f->g[e] - f->before[which][e]);
}

static void add_speed(const Flow *f, const End *end, int which, double part)
{
    sn_cord_node_row(f->s, f->k, end->node, v3_scale(end->t, part), f->row);
    add_flow(f, end, which, part);
}

static void put(const Flow *f, double mass)
{
    double drag = f->s->h * f->k->cord.alpha; /* damping by mass: on the left side only */
    sn_cord_add_row(f->m, f->s, f->k, f->row, mass * (1 + drag), 1 / (1 + drag));
}

/* Six coefficients of a node's velocity along n; false where its body is not simulated. */
static bool node_row(const Flow *f, const snCordNode *node, v3 n, double row[6], int32_t *body, int32_t *free_body)
{
    *body = f->k->body[node->slot], *free_body = f->m->body_free[*body];
    if (*free_body < 0) return false;
    sn_body_point_row(f->s->ahead[*body].q, node->r, n, row);
    return true;
}

/* Mass that moves with its node, at right angles to the cord: in the block of one body. */
static void add_across(const Flow *f, const End *end, double mass)
{
    v3 n = v3_perp(end->t), b = v3_cross(end->t, n);
    if (end->node->junction) { /* moves with several bodies */
        for (int side = 0; side < 2; ++side)
            clear(f), sn_cord_node_row(f->s, f->k, end->node, side ? b : n, f->row), put(f, mass);
        return;
    }
    double row[6], heavy = mass * (1 + f->s->h * f->k->cord.alpha);
    int32_t body, at;
    for (int side = 0; side < 2 && node_row(f, end->node, side ? b : n, row, &body, &at); ++side) {
        double *block = f->s->value->body_A + 36 * at, along = 0;
        for (int i = 0; i < 6; ++i) along += row[i] * f->s->velocity[6 * body + i];
        for (int i = 0; i < 6; ++i) {
            f->s->impulse[6 * at + i] += mass * along * row[i];
            for (int e = 0; e < 6; ++e) block[6 * i + e] += heavy * row[i] * row[e];
        }
    }
}

/* Gravity does work on material as it moves: with its node, and along the cord. */
static void add_weight(const Flow *f, const End *end, int which, double mass)
{
    v3 gravity = sn_gravity(f->m, f->s);
    double row[6], pull = f->s->h * mass, slide = pull * v3_dot(gravity, end->t);
    int32_t body, at;
    if (end->node->junction) {
        clear(f);
        sn_cord_node_row(f->s, f->k, end->node, gravity, f->row);
        sn_cord_add_impulse(f->m, f->s, f->k, f->row, pull);
    } else if (node_row(f, end->node, gravity, row, &body, &at))
        for (int i = 0; i < 6; ++i) f->s->impulse[6 * at + i] += pull * row[i];
    for (int32_t e = 0; e < 6 * f->k->cord.nslot; ++e) {
        int32_t b = f->m->body_free[f->k->body[e / 6]];
        if (b >= 0) f->s->impulse[6 * b + e % 6] += slide * (end->phi * f->g[e] - f->before[which][e]);
    }
}

static void add_piece(const Flow *f, const End end[2], double mass, bool arc)
{
    if (arc) {
        for (int e = 0; e < 2; ++e) clear(f), add_speed(f, &end[e], e, 1), put(f, mass / 2);
    } else {
        clear(f);
        for (int e = 0; e < 2; ++e) add_speed(f, &end[e], e, 0.5);
        put(f, mass);
    }
    for (int e = 0; e < 2; ++e) {
        add_across(f, &end[e], mass / 2);
        add_weight(f, &end[e], e, mass / 2);
    }
}

static void place_end(const Flow *f, const snCordPull *pull, const snCordNode *node, double along, End *end)
{
    end->node = node, end->along = along;
    sn_cord_material(&f->k->cord, pull, along, &end->tendon, &end->belly);
    end->phi = sn_cord_share(&f->k->cord, pull, end->tendon, end->belly);
}

/* ds/dv behind a piece from the one before it. */
static void pass_piece(const Flow *f, const snCordNode *node)
{
    memcpy(f->before[1], f->before[0], sizeof(double) * 6 * (size_t)f->k->cord.nslot);
    if (node->arc || (node[0].slot == node[1].slot && !node[0].junction && !node[1].junction)) return;
    sn_cord_node_row(f->s, f->k, &node[1], node->t, f->before[1]);
    sn_cord_node_row(f->s, f->k, &node[0], v3_neg(node->t), f->before[1]);
}

void sn_cord_add_mass(const snModel *m, snState *s, int32_t i)
{
    const snPathCord *k = &m->cord[i];
    const snCordNode *node = s->cord_node + k->node;
    double before[2][6 * SN_CORD_BODIES];
    Flow f = {m, s, k, s->cord_g + 6 * k->slot, {before[0], before[1]}, s->cord_row + 6 * k->slot};
    memset(before[0], 0, sizeof(double) * 6 * (size_t)k->cord.nslot);
    End end[2];
    place_end(&f, &s->cord_pull[i], &node[0], 0, &end[0]);
    for (int32_t e = 0; e + 1 < s->cord_nnode[i]; ++e) {
        pass_piece(&f, &node[e]);
        place_end(&f, &s->cord_pull[i], &node[e + 1], end[0].along + node[e].length, &end[1]);
        end[0].t = node[e].t;
        end[1].t = node[e].arc && e + 2 < s->cord_nnode[i] ? node[e + 1].t : node[e].t;
        double mass = k->cord.line_mass * (end[1].tendon - end[0].tendon + end[1].belly - end[0].belly);
        add_piece(&f, end, mass, node[e].arc);
        double *swap = f.before[0];
        f.before[0] = f.before[1], f.before[1] = swap;
        end[0] = end[1];
    }
}
