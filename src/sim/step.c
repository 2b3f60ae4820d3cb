/* One step: semi-implicit Euler on velocities, [Sueda 2008] section 3.4, with the quasi-definite KKT system
 *     [ M + h D + h^2 K   G' ] [ v ]   [ M v0 + h f ]
 *     [ G            -delta I ] [ y ] = [ -gap / h   ]. */
#include "sim/state.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double MAX_SPEED = 1e3;  /* m/s, rad/s: anything faster has diverged */

/* Residual over the largest impulse on a strand that needs no refinement: 4e-12 on the hand changes its velocities by
 * less than 1e-8 of the largest. */
static const double ENOUGH = 1e-10;

static const double SAFE_RISE = 0.3;  /* of the tension, within one step; 1 would be the limit of stability */
static const double LEAST_RISE = 0.02; /* N */
enum { MAX_STIFF_ROUNDS = 4 };

typedef struct Work {
    const snModel *m;
    snState *s;
} Work;

static void strand_contacts(void *context, int32_t strand)
{
    Work *w = context;
    sn_rows_of_strand(w->m, w->s, strand);
}

static void strand_forces(void *context, int32_t strand)
{
    Work *w = context;
    const snModel *m = w->m;
    snState *s = w->s;
    const snStrand *st = &m->strand[strand];
    int32_t p0 = m->strand_pointadr[strand];
    double *impulse = s->impulse + s->point0 + 3 * p0, *block = s->value->point_A + 36 * p0;
    const double *q = s->point + 3 * p0, *qdot = s->pointdot + 3 * p0;
    int32_t muscle = m->strand_muscle[strand];
    double a = muscle < 0 ? 0 : s->activation[muscle] * s->strength[muscle];
    s->stiff_activation[strand] = a;
    sn_strand_assemble(st, q, qdot, a, s->h, v3_scale(m->gravity, s->def.gravity_scale), impulse,
                       muscle < 0 ? NULL : s->active + 3 * p0, block);
    sn_eyelet_stiffness(m, s, strand);
}

static void body_inertia(const snModel *m, snState *s, int32_t body, int32_t f)
{
    double *block = s->value->body_A + 36 * f, *impulse = s->impulse + 6 * f;
    memset(block, 0, sizeof(double) * 36);
    memset(impulse, 0, sizeof(double) * 6);
    if (s->driven[body]) {
        for (int i = 0; i < 6; ++i) block[7 * i] = SN_HEAVY, impulse[i] = SN_HEAVY * s->velocity[6 * body + i];
        return;
    }
    v3 g = v3_scale(m->gravity, s->def.gravity_scale);
    sn_body_inertia(m->body_mass[body], m->body_inertia[body], s->velocity + 6 * body, g, s->h, block, impulse);
    v3 torque = q_unrotate(s->body[body].q, v3_load(s->torque + 3 * body)), force = v3_load(s->force + 3 * body);
    v3_store(impulse, v3_mad(v3_load(impulse), s->h, torque));
    v3_store(impulse + 3, v3_mad(v3_load(impulse + 3), s->h, force));
}

static void assemble_bodies(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0) body_inertia(m, s, b, m->body_free[b]);
    memset(s->value->pair_A, 0, sizeof(double) * 36 * (size_t)m->pattern.npair);
    sn_rows_of_joints(m, s);
    sn_rows_of_links(m, s);
}

void sn_sim_add_active(const snModel *m, snState *s)
{
    memcpy(s->rhs, s->impulse, sizeof(double) * (size_t)s->size);
    for (int32_t i = 0; i < m->nstrand; ++i) {
        int32_t muscle = m->strand_muscle[i], p0 = m->strand_pointadr[i];
        if (muscle < 0) continue;
        double a = s->level[i] = s->h * s->activation[muscle] * s->strength[muscle];
        double *rhs = s->rhs + s->point0 + 3 * p0;
        const double *active = s->active + 3 * p0;
        for (int32_t k = 0; k < 3 * m->strand[i].n; ++k) rhs[k] += a * active[k];
    }
}

/* ---- the stages ----------------------------------------------------------------------------- */

static double lap(snState *s, int stage, double since)
{
    double now = sn_clock();
    s->info.stage_seconds[stage] += now - since;
    return now;
}

static snStatus blame_strand(const snModel *m, snState *s, int32_t strand)
{
    snprintf(s->info.culprit, sizeof s->info.culprit, "strand \"%s\"", m->strand_name[strand]);
    return SN_DIVERGED;
}

static snStatus blame_body(const snModel *m, snState *s, int32_t free_body)
{
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] == free_body)
            snprintf(s->info.culprit, sizeof s->info.culprit, "body \"%s\"", m->body_name[b]);
    return SN_DIVERGED;
}

static snStatus factor(const snModel *m, snState *s, bool all)
{
    int32_t culprit = 0;
    snStatus status = sn_kkt_factor(s->kkt, all ? NULL : s->strand_dirty, &culprit);
    if (status == SN_OK) return SN_OK;
    return culprit >= 0 ? blame_strand(m, s, culprit) : blame_body(m, s, -1 - culprit);
}

/* Velocities beyond reason mean that the step has diverged; NaN fails the comparison too. */
static snStatus check_velocities(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < 6 * m->nfree; ++i)
        if (!(fabs(s->solution[i]) < MAX_SPEED)) return blame_body(m, s, i / 6);
    for (int32_t k = 0; k < m->nstrand; ++k)
        for (int32_t i = 3 * m->strand_pointadr[k]; i < 3 * m->strand_pointadr[k + 1]; ++i)
            if (!(fabs(s->solution[s->point0 + i]) < MAX_SPEED)) return blame_strand(m, s, k);
    return SN_OK;
}

/* A controller may choose an activation much above the one that the stiffness was taken at. The lateral stiffness of a
 * strand is its tension, and a step whose tension is twice that of its stiffness overshoots: so the strands in question
 * are assembled again. Returns how many. */
static int32_t restiffen(const snModel *m, snState *s)
{
    Work work = {m, s};
    int32_t count = 0;
    for (int32_t i = 0; i < m->nstrand; ++i) {
        int32_t muscle = m->strand_muscle[i];
        double rise = muscle < 0 ? 0 : s->activation[muscle] * s->strength[muscle] - s->stiff_activation[i];
        double tension = fmax(s->out_tension[i], s->stiff_activation[i] * m->strand_force[i]);
        s->strand_dirty[i] = rise * m->strand_force[i] > fmax(SAFE_RISE * tension, LEAST_RISE);
        if (!s->strand_dirty[i]) continue;
        strand_forces(&work, i);
        ++count;
    }
    return count;
}

static snStatus solve_with_contacts(const snModel *m, snState *s)
{
    memset(s->flips, 0, (size_t)(m->pattern.nown + m->pattern.njoint));
    double t = sn_clock();
    int32_t stiff_rounds = 0;
    bool all = true;
    for (int32_t round = 0;; ++round) {
        snStatus status = factor(m, s, all);
        all = false;
        if (status != SN_OK) return status;
        t = lap(s, SN_STAGE_FACTOR, t);
        if (s->choose) s->choose(s->choose_context, m, s);
        if (s->choose && stiff_rounds < MAX_STIFF_ROUNDS && restiffen(m, s) > 0) {
            ++stiff_rounds, --round;
            t = lap(s, SN_STAGE_CONTROL, t);
            continue;
        }
        sn_sim_add_active(m, s);
        t = lap(s, SN_STAGE_CONTROL, t);
        if (sn_kkt_is_attached(s->kkt))
            sn_kkt_attached_solve(s->kkt, s->level, s->rhs, s->solution, s->def.refine, ENOUGH);
        else
            sn_kkt_solve_to(s->kkt, s->rhs, s->solution, s->def.refine, ENOUGH);
        t = lap(s, SN_STAGE_SOLVE, t);
        s->info.contact_rounds = round;
        if (round >= s->def.contact_rounds || sn_contact_repair(m, s) == 0) break;
        t = lap(s, SN_STAGE_CONTACTS, t);
    }
    snStatus status = check_velocities(m, s);
    if (status != SN_OK) s->info.residual = sn_kkt_residual(s->kkt, s->rhs, s->solution, s->residual);
    return status;
}

static void strand_advance(void *context, int32_t strand)
{
    Work *w = context;
    const snModel *m = w->m;
    snState *s = w->s;
    int32_t p0 = m->strand_pointadr[strand], n = m->strand[strand].n;
    const double *v = s->solution + s->point0 + 3 * p0;
    double *q = s->point + 3 * p0, *qdot = s->pointdot + 3 * p0;
    for (int32_t i = 0; i < 3 * n; ++i) {
        qdot[i] = v[i] * s->settle_damping;
        q[i] += s->h * v[i];
    }
    sn_eyelet_remember(m, s, strand);
    double max_change = 0.5 / (n - 3);
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (c->type != SN_CONSTRAINT_SLIDING) continue;
        v3 x = rigid_apply(s->body[c->body], c->point);
        s->s[i] = sn_strand_closest(&m->strand[strand], q, x, s->s[i], max_change, &s->span[i]);
    }
}

static void advance_bodies(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t f = m->body_free[b];
        if (f < 0 || s->driven[b]) {
            s->body[b] = s->body_target[b];
            continue;
        }
        memcpy(s->velocity + 6 * b, s->solution + 6 * f, sizeof(double) * 6);
        sn_body_advance(&s->body[b].q, &s->body[b].p, s->velocity + 6 * b, s->h);
    }
}

snStatus sn_step(const snModel *m, snState *s)
{
    Work work = {m, s};
    double t = sn_clock();
    sn_rows_move_bodies(m, s);
    sn_pool_loop(s->pool, m->nstrand, strand_contacts, &work);
    t = lap(s, SN_STAGE_CONTACTS, t);
    sn_pool_loop(s->pool, m->nstrand, strand_forces, &work);
    t = lap(s, SN_STAGE_FORCES, t);
    assemble_bodies(m, s);
    lap(s, SN_STAGE_ASSEMBLY, t);
    snStatus status = solve_with_contacts(m, s);
    if (status != SN_OK) return status;
    t = sn_clock();
    advance_bodies(m, s);
    sn_pool_loop(s->pool, m->nstrand, strand_advance, &work);
    s->time += s->h;
    ++s->info.steps;
    t = lap(s, SN_STAGE_INTEGRATE, t);
    sn_measure(m, s);
    lap(s, SN_STAGE_RECORD, t);
    return SN_OK;
}

const snStepInfo *sn_info(const snState *s) { return &s->info; }
double sn_time(const snState *s) { return s->time; }

const char *sn_stage_name(int32_t stage)
{
    static const char *const name[] = {
#define X(id, text) text,
        SN_STAGE_TABLE(X)
#undef X
    };
    return stage >= 0 && stage < SN_STAGE_COUNT ? name[stage] : NULL;
}
