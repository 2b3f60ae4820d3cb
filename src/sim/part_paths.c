/* Path strands: one tension along straight pieces and wraps, no unknowns of its own.
 *
 * A cord pulls with -T g on the bodies it touches. All is taken at the pose ahead, x* = x0 + h v0, which is exact for a
 * motion without acceleration, and the step meets the change of velocity only:
 *     T = T* + (h k + d) g . (v - v0) + beta k g . v,      force = -T g - h K_g (v - v0)
 * with the slope d of the force-velocity law,
 * so that K_g, which stands for the turning of straight pieces and leaves the levers out, neither damps a joint nor
 * holds a tendon that slides.
 *
 * Invariants
 * 1. Cords only add to blocks of bodies and to impulses; bodies have cleared them before.
 * 2. cord_pull is the pull at the length ahead and at cord_activation; what the system holds is taken from it.
 * 3. The tension never falls below zero, whatever a controller chooses. */
#include "sim/paths.h"

#include <math.h>
#include <string.h>

static const double SHORT = 2e-3;      /* m: a shorter piece turns as stiffly as this one */
static const double SAFE_RISE = 0.3;   /* of the tension, within one step: as for splines */
static const double LEAST_RISE = 0.02; /* N */

/* ---- rows ------------------------------------------------------------------------------------- */

static void add_block(double *restrict block, const double *restrict a, const double *restrict b, double weight)
{
    for (int i = 0; i < 6; ++i) {
        double wa = weight * a[i];
        for (int j = 0; j < 6; ++j) block[6 * i + j] += wa * b[j];
    }
}

static bool is_zero(const double *row)
{
    return row[0] == 0 && row[1] == 0 && row[2] == 0 && row[3] == 0 && row[4] == 0 && row[5] == 0;
}

void sn_cord_add_row(const snModel *m, snState *s, const snPathCord *k, const double *row, double weight, double scale)
{
    int32_t n = k->cord.nslot, count = 0, slot[SN_CORD_BODIES], at[SN_CORD_BODIES];
    double along = 0;
    for (int32_t i = 0; i < n; ++i) { /* a row of a straight piece touches two of them */
        int32_t f = m->body_free[k->body[i]];
        if (f < 0 || is_zero(row + 6 * i)) continue;
        for (int e = 0; e < 6; ++e) along += row[6 * i + e] * s->velocity[6 * k->body[i] + e];
        slot[count] = i, at[count++] = f;
    }
    for (int32_t i = 0; i < count; ++i) {
        const double *one = row + 6 * slot[i];
        double *impulse = s->impulse + 6 * at[i], pull = weight * scale * along;
        add_block(s->value->body_A + 36 * at[i], one, one, weight);
        for (int e = 0; e < 6; ++e) impulse[e] += pull * one[e];
        for (int32_t j = i + 1; j < count; ++j) {
            const double *two = row + 6 * slot[j];
            double *pair = s->value->pair_A + 36 * k->pair[slot[i] * n + slot[j]];
            bool first = at[i] < at[j];
            add_block(pair, first ? one : two, first ? two : one, weight);
        }
    }
}

void sn_cord_add_impulse(const snModel *m, snState *s, const snPathCord *k, const double *row, double impulse)
{
    for (int32_t i = 0; i < k->cord.nslot; ++i) {
        int32_t f = m->body_free[k->body[i]];
        for (int e = 0; e < 6 && f >= 0; ++e) s->impulse[6 * f + e] += impulse * row[6 * i + e];
    }
}

void sn_cord_node_row(const snState *s, const snPathCord *k, const snCordNode *node, v3 n, double *row)
{
    double one[6];
    if (node->junction) {
        sn_junction_add_row(s->model, s, k, node->junction - 1, n, row);
        return;
    }
    sn_body_point_row(s->ahead[k->body[node->slot]].q, node->r, n, one);
    for (int e = 0; e < 6; ++e) row[6 * node->slot + e] += one[e];
}

/* ---- forces ----------------------------------------------------------------------------------- */

static void find_pull(const snModel *m, snState *s, int32_t i)
{
    double a = s->cord_activation[i] = sn_drive_of_strand(m, s, m->cord[i].strand);
    s->cord_pull[i] = sn_cord_pull_at(&m->cord[i].cord, s->cord_length[i], s->cord_rate[i], a, &s->cord_x[i]);
}

static void evaluate_one(void *context, int32_t i)
{
    const snModel *m = ((snState *)context)->model;
    snState *s = context;
    const snPathCord *k = &m->cord[i];
    rigid pose[SN_CORD_BODIES];
    double *g = s->cord_g + 6 * k->slot;
    if (k->knot >= 0) return;
    sn_cord_poses(k, s->ahead, pose);
    s->cord_nnode[i] = sn_cord_place(&k->cord, pose, s->cord_node + k->node, &s->cord_length[i]);
    sn_cord_gradient(&k->cord, pose, s->cord_nnode[i], s->cord_node + k->node, g);
    s->cord_rate[i] = 0;
    for (int32_t e = 0; e < 6 * k->cord.nslot; ++e) s->cord_rate[i] += g[e] * s->velocity[6 * k->body[e / 6] + e % 6];
    find_pull(m, s, i);
}

static void evaluate_knot(void *context, int32_t i)
{
    snState *s = context;
    sn_paths_solve_knot(s->model, s, i, s->ahead, s->cord_pull);
}

static void evaluate(const snModel *m, snState *s)
{
    s->cords_placed = false;
    sn_pool_loop(s->pool, m->ncord, evaluate_one, s);
    sn_pool_loop(s->pool, m->nknot, evaluate_knot, s);
}

/* Velocity of what is moved rather than simulated, along g. */
static double moved_rate(const snModel *m, const snState *s, const snPathCord *k, const double *g)
{
    double sum = 0;
    for (int32_t e = 0; e < 6 * k->cord.nslot; ++e)
        if (m->body_free[k->body[e / 6]] < 0) sum += g[e] * s->velocity[6 * k->body[e / 6] + e % 6];
    return sum;
}

/* A straight piece between two bodies under tension resists turning. */
static void add_turning(const snModel *m, snState *s, int32_t i, double sign)
{
    const snPathCord *k = &m->cord[i];
    const snCordNode *node = s->cord_node + k->node;
    double *row = s->cord_row + 6 * k->slot, tension = s->cord_pull[i].tension;
    for (int32_t e = 0; e + 1 < s->cord_nnode[i] && tension > 0; ++e) {
        if (node[e].arc || node[e].slot == node[e + 1].slot) continue;
        v3 n = v3_perp(node[e].t), b = v3_cross(node[e].t, n);
        double weight = sign * s->h * s->h * tension / fmax(node[e].length, SHORT);
        for (int side = 0; side < 2; ++side) {
            memset(row, 0, sizeof(double) * 6 * (size_t)k->cord.nslot);
            sn_cord_node_row(s, k, &node[e + 1], side ? b : n, row);
            sn_cord_node_row(s, k, &node[e], v3_neg(side ? b : n), row);
            sn_cord_add_row(m, s, k, row, weight, 1);
        }
    }
}

/* Puts the elastic part of a cord into the system, or takes it out again (sign -1). */
static void add_elastic(const snModel *m, snState *s, int32_t i, double sign)
{
    const snPathCord *k = &m->cord[i];
    const snCordPull *p = &s->cord_pull[i];
    const double *g = s->cord_g + 6 * k->slot;
    double h = s->h, drag = h * k->cord.beta * p->slope, base = p->tension - p->by_a * s->cord_activation[i];
    double change = h * h * p->slope + h * p->drag, weight = change + drag; /* change meets v - v0 */
    if (weight > 0) sn_cord_add_row(m, s, k, g, sign * weight, change / weight);
    sn_cord_add_impulse(m, s, k, g, -sign * (h * base + drag * moved_rate(m, s, k, g)));
    add_turning(m, s, i, sign);
}

static void assemble(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) {
        sn_cord_add_mass(m, s, i);
        add_elastic(m, s, i, 1);
    }
}

/* ---- activations ------------------------------------------------------------------------------ */

/* Takes a cord, with all of its knot, at the activation of now. */
static void renew(const snModel *m, snState *s, int32_t i)
{
    const snPathKnot *knot = m->cord[i].knot >= 0 ? &m->knot[m->cord[i].knot] : NULL;
    int32_t n = knot ? knot->knot.ncord : 1;
    for (int32_t e = 0; e < n; ++e) add_elastic(m, s, knot ? knot->cord[e] : i, -1);
    if (knot)
        evaluate_knot(s, m->cord[i].knot);
    else
        find_pull(m, s, i);
    for (int32_t e = 0; e < n; ++e) add_elastic(m, s, knot ? knot->cord[e] : i, 1);
}

static int32_t stiffen(const snModel *m, snState *s)
{
    int32_t count = 0;
    for (int32_t i = 0; i < m->ncord; ++i) {
        const snPathCord *k = &m->cord[i];
        if (m->strand_muscle[k->strand] < 0) continue;
        double rise = (sn_drive_of_strand(m, s, k->strand) - s->cord_activation[i]) * k->cord.active;
        if (!(rise > fmax(SAFE_RISE * s->cord_pull[i].tension, LEAST_RISE))) continue;
        renew(m, s, i);
        ++count;
    }
    return count;
}

/* Tension at the activation of now, the cord where it would be at v0. */
static double tension_ahead(const snModel *m, const snState *s, int32_t i)
{
    const snCordPull *p = &s->cord_pull[i];
    return fmax(0, p->tension + p->by_a * (sn_drive_of_strand(m, s, m->cord[i].strand) - s->cord_activation[i]));
}

static void activate(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) {
        const snPathCord *k = &m->cord[i];
        const snCordPull *p = &s->cord_pull[i];
        const double *g = s->cord_g + 6 * k->slot;
        double more = tension_ahead(m, s, i) - p->tension + p->by_a * s->cord_activation[i];
        for (int32_t e = 0; e < 6 * k->cord.nslot; ++e) {
            int32_t f = m->body_free[k->body[e / 6]];
            if (f >= 0) s->rhs[6 * f + e % 6] -= s->h * more * g[e];
        }
    }
}

void sn_path_active_force(const snModel *m, const snState *s, int32_t strand, double *force)
{
    for (int32_t i = m->strand_cordadr[strand]; i < m->strand_cordadr[strand + 1]; ++i) {
        const snPathCord *k = &m->cord[i];
        const double *g = s->cord_g + 6 * k->slot;
        for (int32_t e = 0; e < 6 * k->cord.nslot; ++e) {
            int32_t f = m->body_free[k->body[e / 6]];
            if (f >= 0) force[6 * f + e % 6] -= s->cord_pull[i].by_a * g[e];
        }
    }
}

/* ---- after the solve -------------------------------------------------------------------------- */

/* The tension that acted at the end of the step, with the velocities it has given. */
static void keep_tension(const snModel *m, snState *s, int32_t i)
{
    const snPathCord *k = &m->cord[i];
    const double *g = s->cord_g + 6 * k->slot;
    double rate = 0, slope = s->cord_pull[i].slope;
    for (int32_t e = 0; e < 6 * k->cord.nslot; ++e) rate += g[e] * s->velocity[6 * k->body[e / 6] + e % 6];
    double tension = tension_ahead(m, s, i) + slope * k->cord.beta * rate +
                     (slope * s->h + s->cord_pull[i].drag) * (rate - s->cord_rate[i]);
    s->cord_tension[i] = fmax(0, tension);
}

/* An activation shifts junctions, and with them the tension of the cords beside: so it is that of the new pose. */
static void keep_knot_tension(const snModel *m, snState *s, int32_t i)
{
    s->cord_tension[i] =
        fmax(0, s->cord_now[i].tension + s->cord_now[i].slope * m->cord[i].cord.beta * s->cord_rate[i]);
}

static void advance(const snModel *m, snState *s)
{
    int32_t first = 3 * m->nspline_point, end = 3 * m->npoint;
    for (int32_t i = 0; i < m->ncord; ++i)
        if (m->cord[i].knot < 0) keep_tension(m, s, i);
    for (int32_t e = first; e < end; ++e) s->pointdot[e] = -s->point[e];
    sn_paths_place(m, s);
    for (int32_t i = 0; i < m->ncord; ++i)
        if (m->cord[i].knot >= 0) keep_knot_tension(m, s, i);
    for (int32_t e = first; e < end; ++e) s->pointdot[e] = (s->pointdot[e] + s->point[e]) / s->h;
}

static void start(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) s->cord_x[i] = 1;
    memcpy(s->junction_s, m->junction_start, sizeof(double) * (size_t)m->njunction);
    memset(s->cord_tension, 0, sn_state_data_bytes(s, SN_ARRAY_cord_tension));
    if (m->ncord > 0) sn_paths_place(m, s);
}

const snPart sn_part_paths = {.name = "paths",
                              .start = start,
                              .evaluate = evaluate,
                              .assemble = assemble,
                              .stiffen = stiffen,
                              .activate = activate,
                              .advance = advance,
                              .measure = sn_paths_measure,
                              .energy = sn_paths_energy};
