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
    s->cord_rate[i] = sn_cord_rate(k, g, s->velocity);
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

/* A straight piece between two bodies under tension resists turning. */
static void add_turning(snCordSheet *t, int32_t i, double sign)
{
    snState *s = t->s;
    const snCordNode *node = s->cord_node + t->k->node;
    double tension = s->cord_pull[i].tension;
    const snPathKnot *knot = t->k->knot >= 0 ? &t->m->knot[t->k->knot] : NULL;
    bool in_net = knot && sn_knot_unknowns(&knot->knot) > knot->knot.njunction; /* bands between two junctions turn */
    for (int32_t e = 0; e + 1 < t->nnode && tension > 0; ++e) {
        snSheetNode *a = &t->node[e], *b = a + 1, joint = {0};
        bool same = node[e].slot == node[e + 1].slot && !(node[e].slot < 0 && in_net);
        if (node[e].arc || same) continue;
        double weight = s->h * s->h * tension / fmax(node[e].length, SHORT);
        v3 along = a->row || b->row ? v3_unit(node[e].t) : node[e].t; /* shorter than one next to a free junction */
        v3 v = v3_sub(b->v, a->v), push = v3_scale(v3_mad(v, -v3_dot(v, along), along), weight);
        a->push = v3_sub(a->push, push), b->push = v3_add(b->push, push);
        if (a->row || b->row) {
            sn_sheet_rows_across(t, b, a, along, weight);
            continue;
        }
        sn_sheet_add_across(&joint, along, weight);
        for (int c = 0; c < 6; ++c) a->S[c] += joint.S[c], b->S[c] += joint.S[c];
        sn_sheet_couple(t, a, b, joint.S, sign);
    }
}

static void add_elastic(snCordSheet *t, int32_t i, double sign)
{
    const snState *s = t->s;
    const snCordPull *p = &s->cord_pull[i];
    double h = s->h, drag = h * t->k->cord.beta * p->slope, base = p->tension - p->by_a * s->cord_activation[i];
    double change = h * h * p->slope + h * p->drag; /* meets v - v0 */
    t->along_g += change * t->rate - h * base - drag * t->moved;
    t->weight_g += change + drag;
    add_turning(t, i, sign);
}

/* Puts the elastic part of a cord into the system, or takes it out again (sign -1). */
static void put_elastic(const snModel *m, snState *s, int32_t i, double sign)
{
    snCordSheet t = sn_sheet_begin(m, s, i);
    add_elastic(&t, i, sign);
    sn_sheet_close(&t, sign);
}

static void assemble(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) {
        snCordSheet t = sn_sheet_begin(m, s, i);
        sn_cord_add_mass(&t, i);
        add_elastic(&t, i, 1);
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

/* to -= pull g, for the free bodies of a cord */
static void pull_bodies(const snModel *m, const snPathCord *k, const double *g, double pull, double *restrict to)
{
    for (int32_t i = 0; i < k->cord.nslot; ++i) {
        int32_t f = m->body_free[k->body[i]];
        for (int c = 0; c < 6 && f >= 0; ++c) to[6 * f + c] -= pull * g[6 * i + c];
    }
}

static void activate(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) {
        const snPathCord *k = &m->cord[i];
        const snCordPull *p = &s->cord_pull[i];
        const double *g = s->cord_g + 6 * k->slot;
        double more = tension_ahead(m, s, i) - p->tension + p->by_a * s->cord_activation[i];
        double pull = s->h * more;
        pull_bodies(m, k, g, pull, s->rhs);
    }
}

void sn_path_active_force(const snModel *m, const snState *s, int32_t strand, double *force)
{
    for (int32_t i = m->strand_cordadr[strand]; i < m->strand_cordadr[strand + 1]; ++i) {
        const snPathCord *k = &m->cord[i];
        pull_bodies(m, k, s->cord_g + 6 * k->slot, s->cord_pull[i].by_a, force);
    }
}

/* ---- after the solve -------------------------------------------------------------------------- */

/* The tension that acted at the end of the step, with the velocities it has given. */
static void keep_tension(const snModel *m, snState *s, int32_t i)
{
    const snPathCord *k = &m->cord[i];
    const double *g = s->cord_g + 6 * k->slot;
    double rate = sn_cord_rate(k, g, s->velocity), slope = s->cord_pull[i].slope;
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
    double since = s->points_late += s->h; /* over quiet steps as well */
    if (s->quiet) return;
    for (int32_t e = first; e < end; ++e) s->pointdot[e] = -s->point[e];
    sn_paths_place(m, s);
    for (int32_t i = 0; i < m->ncord; ++i)
        if (m->cord[i].knot >= 0) keep_knot_tension(m, s, i);
    for (int32_t e = first; e < end; ++e) s->pointdot[e] = (s->pointdot[e] + s->point[e]) / since;
}

static void start(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->ncord; ++i) s->cord_x[i] = 1;
    memcpy(s->junction_s, m->junction_start, sizeof(double) * (size_t)m->njunction_s);
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
