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

/* What moves in this step must have been where the step begins. */
static void prepare(const snModel *m, snState *s)
{
    if (m->ncord > 0 && s->points_late && !s->quiet) sn_paths_place(m, s);
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
static void add_turning(snCordSheet *t, int32_t i)
{
    snState *s = t->s;
    const snCordNode *node = s->cord_node + t->k->node;
    double tension = s->cord_pull[i].tension;
    for (int32_t e = 0; e + 1 < s->cord_nnode[i] && tension > 0; ++e) {
        if (node[e].arc || node[e].slot == node[e + 1].slot) continue;
        v3 n = v3_perp(node[e].t), b = v3_cross(node[e].t, n);
        double weight = s->h * s->h * tension / fmax(node[e].length, SHORT);
        for (int side = 0; side < 2; ++side) {
            double *row = sn_sheet_row(t);
            sn_sheet_node(t, &node[e + 1], side ? b : n, row);
            sn_sheet_node(t, &node[e], v3_neg(side ? b : n), row);
            sn_sheet_weigh(t, row, t->v0, weight, 1);
        }
    }
}

static void add_elastic(snCordSheet *t, int32_t i)
{
    const snState *s = t->s;
    const snCordPull *p = &s->cord_pull[i];
    const double *g = s->cord_g + 6 * t->k->slot;
    double h = s->h, drag = h * t->k->cord.beta * p->slope, base = p->tension - p->by_a * s->cord_activation[i];
    double change = h * h * p->slope + h * p->drag, weight = change + drag; /* change meets v - v0 */
    double pull = h * base + drag * moved_rate(t->m, s, t->k, g);
    for (int32_t e = 0; e < t->n; ++e) t->impulse[e] -= pull * t->g[e];
    if (weight > 0) {
        double *row = sn_sheet_row(t);
        memcpy(row, t->g, sizeof *row * (size_t)t->n);
        sn_sheet_weigh(t, row, t->v0, weight, change / weight);
    }
    add_turning(t, i);
}

/* Puts the elastic part of a cord into the system, or takes it out again (sign -1). */
static void put_elastic(const snModel *m, snState *s, int32_t i, double sign)
{
    snCordSheet t = sn_sheet_begin(m, s, i);
    add_elastic(&t, i);
    sn_sheet_close(&t, sign);
}

static void assemble(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) {
        snCordSheet t = sn_sheet_begin(m, s, i);
        sn_cord_add_mass(&t, i);
        add_elastic(&t, i);
        sn_sheet_close(&t, 1);
    }
}

/* ---- activations ------------------------------------------------------------------------------ */

/* Takes a cord, with all of its knot, at the activation of now. */
static void renew(const snModel *m, snState *s, int32_t i)
{
    const snPathKnot *knot = m->cord[i].knot >= 0 ? &m->knot[m->cord[i].knot] : NULL;
    int32_t n = knot ? knot->knot.ncord : 1;
    for (int32_t e = 0; e < n; ++e) put_elastic(m, s, knot ? knot->cord[e] : i, -1);
    if (knot)
        evaluate_knot(s, m->cord[i].knot);
    else
        find_pull(m, s, i);
    for (int32_t e = 0; e < n; ++e) put_elastic(m, s, knot ? knot->cord[e] : i, 1);
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
    s->points_late = s->quiet;
    if (s->quiet) return;
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
                              .prepare = prepare,
                              .evaluate = evaluate,
                              .assemble = assemble,
                              .stiffen = stiffen,
                              .activate = activate,
                              .advance = advance,
                              .measure = sn_paths_measure,
                              .energy = sn_paths_energy};
