/* Inverse with passive joints, coactivation and sensor: see tree_control.h. */
#include "control/tree_control.h"

#include "control/tree_rows.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "opt/dense.h"

#include <math.h>
#include <string.h>

snTreeControl *sn_treecontrol_create(const snTreeSim *sim, int32_t nunit, const int32_t *unit)
{
    snTreeControl *c = SN_NEW(snTreeControl);
    if (!c) return NULL;
    c->unit = unit, c->nunit = unit ? nunit : sim->paths->npath;
    size_t n = (size_t)sim->tree->ndof, np = (size_t)c->nunit;
    c->gamma = SN_NEW_ARRAY(double, 6 * np + 4 * n + 3 * SN_TREE_MAX_LOAD);
    c->work = sn_treerows_create(sim, c->nunit, unit);
    if (!c->gamma || !c->work) {
        sn_treecontrol_destroy(c);
        return NULL;
    }
    c->target = c->gamma + np, c->lo = c->target + np, c->hi = c->lo + np, c->activation = c->hi + np;
    c->weight = c->activation + np, c->missing = c->weight + np, c->unmet = c->missing + n, c->wanted = c->unmet + n,
    c->asked = c->wanted + n, c->felt = c->asked + n;
    for (size_t p = 0; p < np; ++p) c->hi[p] = c->weight[p] = 1;
    c->k_p = 100, c->k_v = 20, c->eps = 0.1, c->steady = 0.1, c->max_rounds = 10;
    sn_treecontrol_reset(c, sim);
    return c;
}

void sn_treecontrol_destroy(snTreeControl *control)
{
    if (!control) return;
    sn_treerows_destroy(control->work);
    sn_free(control->gamma);
    sn_free(control);
}

void sn_treecontrol_reset(snTreeControl *c, const snTreeSim *sim)
{
    c->eps_used = 0;
    memset(c->work->dv, 0, (size_t)sim->tree->ndof * sizeof(double));
    c->warm = false;
    memset(c->work->y, 0, (size_t)c->work->ldm * sizeof(double));
    memset(c->work->y_other, 0, (size_t)c->work->ldm * sizeof(double));
    for (int32_t k = 0; k < SN_TREE_MAX_LOAD; ++k)
        for (int i = 0; i < 3; ++i) c->felt[3 * k + i] = k < sim->nload ? sim->load[k].force[i] : 0;
}

/* df/dt = sensor (load - f): what the inverse knows of the loads, as a change of Q. */
static void feel(snTreeControl *c, const snTreeSim *sim, double *change)
{
    int32_t n = sim->tree->ndof;
    double keep = c->sensor > 0 ? exp(-c->sensor * sim->h) : 0;
    memset(change, 0, (size_t)n * sizeof *change);
    for (int32_t k = 0; k < sim->nload; ++k)
        for (int i = 0; i < 3; ++i) {
            double now = sim->load[k].force[i];
            c->felt[3 * k + i] = now + keep * (c->felt[3 * k + i] - now);
        }
    sn_treesim_push_loads(sim, c->felt, change);
    for (int32_t i = 0; i < n; ++i) change[i] = sim->h * (change[i] - sim->pushed[i]);
}

/* Muscles far out of reach are smoothed by a larger eps, which the next steps begin with and work down from. y is that
 * of eps_used. */
static snStatus solve(snTreeControl *c, const double *bias, double *y, double *a)
{
    const double converged = 1e-6, most = 10;
    treeControlWork *w = c->work;
    snDualQpProblem p = {.m = w->nrow,
                         .n = c->nunit,
                         .ld = w->ldm,
                         .Bt = w->Bt,
                         .adr = w->joined ? w->adr : NULL,
                         .col = w->col,
                         .M = w->M,
                         .tau = w->tau,
                         .target = bias,
                         .weight = c->weight,
                         .lo = c->lo,
                         .hi = c->hi,
                         .max_rounds = c->warm ? c->max_rounds : 10 * c->max_rounds};
    int32_t rounds = c->info.rounds;
    snStatus status = SN_OK;
    for (p.eps = c->eps_used;; p.eps *= 10) {
        status = sn_dualqp_solve(w->qp, &p, y, a, &c->info);
        c->info.rounds = rounds += c->info.rounds;
        if (status != SN_OK || c->info.residual < converged || p.eps >= most * c->eps) break;
        for (int32_t r = 0; r < w->nrow; ++r) y[r] /= 10;
    }
    c->eps_used = p.eps;
    return status;
}

/* Muscles that give the torques and those that oppose them, both: the same torque, stiffer. */
static snStatus coactivate(snTreeControl *c)
{
    treeControlWork *w = c->work;
    for (int32_t r = 0; r < w->nrow; ++r) w->tau[r] = -w->tau[r];
    snStatus status = solve(c, c->target, w->y_other, w->other);
    for (int32_t r = 0; r < w->nrow; ++r) w->tau[r] = -w->tau[r];
    if (status != SN_OK) return status;
    for (int32_t p = 0; p < c->nunit; ++p) {
        double more = c->gamma[p] > 0 ? c->gamma[p] * (w->a[p] + w->other[p]) : 0, sum = c->target[p] + more;
        w->bias[p] = sum > c->hi[p] ? c->hi[p] : sum;
    }
    return solve(c, w->bias, w->y, w->a);
}

static bool any_coactivation(const snTreeControl *c)
{
    for (int32_t p = 0; p < c->nunit; ++p)
        if (c->gamma[p] > 0) return true;
    return false;
}

/* Wanted accelerations, and the change of velocity that goes with them; passive coordinates as guessed in the last
 * step. */
static void want(snTreeControl *c, const snTreeSim *sim, const double *q, const double *v, const double *qdd)
{
    treeControlWork *w = c->work;
    for (int32_t i = 0; i < sim->tree->ndof; ++i) {
        c->wanted[i] = 0;
        bool driven = w->place[i] >= 0;
        if (!driven && !(c->asked[i] > 0)) continue;
        c->wanted[i] = (qdd ? qdd[i] : 0) + c->k_p * (q[i] - sim->q[i]) + c->k_v * (v[i] - sim->v[i]);
        if (driven) w->dv[i] = sim->h * c->wanted[i];
    }
}

static void report(snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    memset(c->missing, 0, (size_t)sim->tree->ndof * sizeof *c->missing);
    memset(c->unmet, 0, (size_t)sim->tree->ndof * sizeof *c->unmet);
    for (int32_t r = 0; r < w->nm; ++r) {
        const double *mass = sim->M + (int64_t)w->driven[r] * sim->ld;
        double sum = 0;
        for (int32_t k = 0; k < w->nm; ++k) sum += mass[w->driven[k]] * w->y[k];
        c->missing[w->driven[r]] = c->eps_used * w->y[r];
        c->unmet[w->driven[r]] = c->eps_used * sum;
    }
}

/* What the chosen activations do to the passive coordinates; returns the largest change of the guess. */
static double guess_passive(const snTreeControl *control, const snTreeSim *sim, const double *change)
{
    treeControlWork *w = control->work;
    const snPathWork *line = sim->line;
    double most = 0;
    for (int32_t k = 0; k < w->np; ++k) {
        const double *row = sim->A + (int64_t)w->passive[k] * sim->ld;
        w->bp[k] = sim->b[w->passive[k]] + change[w->passive[k]];
        for (int32_t c = 0; c < w->nm; ++c) w->bp[k] -= row[w->driven[c]] * w->dv[w->driven[c]];
    }
    for (int32_t p = 0; p < sim->paths->npath; ++p)
        for (int32_t e = line->rowadr[p]; e < line->rowadr[p + 1]; ++e) {
            int32_t at = w->place[line->col[e]];
            if (at < 0) w->bp[-1 - at] -= sim->h * line->P[e] * w->a[sn_treerows_unit(control->unit, p)] * w->active[p];
        }
    sn_dense()->solve(w->np, w->App, w->ldp, w->bp);
    for (int32_t k = 0; k < w->np; ++k) {
        most = fmax(most, fabs(w->bp[k] - w->dv[w->passive[k]]));
        w->dv[w->passive[k]] = w->bp[k];
    }
    return most;
}

/* Activations for the torques, with the contractile forces that go with the guess of the passive coordinates. */
static snStatus find_activations(snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    double start = sn_clock_thread();
    sn_treesim_active_after(sim, w->dv, w->active);
    sn_treerows_B(c, sim);
    double made = sn_clock_thread();
    snStatus status = solve(c, c->target, w->y, w->a);
    if (status == SN_OK && any_coactivation(c)) status = coactivate(c);
    c->time_B += made - start, c->time_qp += sn_clock_thread() - made;
    return status;
}

/* A tenth of the last step's eps, as far as the setting allows; y keeps what it means. */
static void relax_less(snTreeControl *c)
{
    treeControlWork *w = c->work;
    double before = c->eps_used, now = before > c->eps ? before / 10 : c->eps;
    if (now < c->eps) now = c->eps;
    c->eps_used = now;
    if (!(before > 0) || before == now) return;
    for (int32_t r = 0; r < w->nm + w->np; ++r) w->y[r] *= before / now, w->y_other[r] *= before / now;
}

/* The paper's torques: hybrid dynamics where the body would be at its present velocity, muscles of passive joints not
 * counted. */
static bool predict(snTreeControl *c, snTreeSim *sim)
{
    treeControlWork *w = c->work;
    int32_t n = sim->tree->ndof;
    double *tau = w->passive_tau, *qdd = w->bp;
    double lead = sim->lead > 0 ? sim->lead : sim->h;
    for (int32_t i = 0; i < n; ++i) w->q[i] = sim->q[i] + lead * sim->v[i], qdd[i] = c->wanted[i];
    sn_tree_place(sim->tree, sim->work, w->q);
    sn_tree_move(sim->tree, sim->work, sim->v);
    memset(tau, 0, (size_t)n * sizeof *tau);
    sn_tree_passive(sim->tree, sim->work, w->q, sim->v, tau);
    sn_treesim_push_loads(sim, c->felt, tau);
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] = -tau[w->driven[r]];
    bool fine = sn_tree_hybrid(sim->tree, sim->work, sim->tree->driven, sim->gravity, qdd, tau);
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] += tau[w->driven[r]];
    for (int32_t k = 0; k < w->np; ++k) w->dv[w->passive[k]] = sim->h * qdd[w->passive[k]];
    sim->is_seen = false;
    sn_treesim_prepare(sim);
    memset(w->q, 0, (size_t)n * sizeof *w->q);
    sn_treesim_pull(sim, sim->line->passive, w->q);
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] -= w->q[w->driven[r]];
    memset(w->G, 0, (size_t)w->np * (size_t)w->ldm * sizeof *w->G);
    return fine;
}

static bool invert(snTreeControl *c, snTreeSim *sim)
{
    treeControlWork *w = c->work;
    feel(c, sim, w->load);
    if (!sn_treerows_metric(c, sim)) return false;
    if (c->paper) return predict(c, sim);
    sn_treerows_torques(c, sim, w->load);
    return true;
}

snStatus sn_treecontrol_choose(snTreeControl *c, snTreeSim *sim, const double *q, const double *v, const double *qdd)
{
    enum { MOST_PASSES = 3 };
    const double settled = 1e-3; /* rad/s: changes of passive velocities that matter to nobody */
    treeControlWork *w = c->work;
    double start = sn_clock_thread();
    want(c, sim, q, v, qdd);
    if (!invert(c, sim)) return SN_FAILED;
    c->time_inverse = sn_clock_thread() - start, c->time_B = c->time_qp = 0;
    c->info.rounds = 0;
    relax_less(c);
    snStatus status = SN_OK;
    for (int pass = 0; pass < MOST_PASSES; ++pass) { /* once, but where passive joints jump */
        status = find_activations(c, sim);
        if (status != SN_OK || c->paper || guess_passive(c, sim, w->load) < settled) break;
    }
    if (status != SN_OK) return status;
    c->warm = true;
    memcpy(c->activation, w->a, (size_t)c->nunit * sizeof *c->activation);
    for (int32_t p = 0; p < sim->paths->npath; ++p) sim->activation[p] = w->a[sn_treerows_unit(c->unit, p)];
    report(c, sim);
    return SN_OK;
}

size_t sn_treecontrol_save(const snTreeControl *c, const snTreeSim *sim, double *values)
{
    const treeControlWork *w = c->work;
    const size_t n = (size_t)sim->tree->ndof, m = n, loads = 3 * SN_TREE_MAX_LOAD;
    if (values) {
        values[0] = c->eps_used, values[1] = c->warm;
        memcpy(values + 2, w->dv, n * sizeof *values);
        memcpy(values + 2 + n, w->y, m * sizeof *values);
        memcpy(values + 2 + n + m, w->y_other, m * sizeof *values);
        memcpy(values + 2 + n + 2 * m, c->felt, loads * sizeof *values);
        memcpy(values + 2 + n + 2 * m + loads, c->activation, (size_t)c->nunit * sizeof *values);
    }
    return 2 + n + 2 * m + loads + (size_t)c->nunit;
}

void sn_treecontrol_load(snTreeControl *c, const snTreeSim *sim, const double *values)
{
    treeControlWork *w = c->work;
    const size_t n = (size_t)sim->tree->ndof, m = n, loads = 3 * SN_TREE_MAX_LOAD;
    c->eps_used = values[0], c->warm = values[1] > 0;
    memcpy(w->dv, values + 2, n * sizeof *values);
    memcpy(w->y, values + 2 + n, m * sizeof *values);
    memcpy(w->y_other, values + 2 + n + m, m * sizeof *values);
    memcpy(c->felt, values + 2 + n + 2 * m, loads * sizeof *values);
    memcpy(c->activation, values + 2 + n + 2 * m + loads, (size_t)c->nunit * sizeof *values);
}
