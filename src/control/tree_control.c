/* Inverse with passive joints, coactivation and sensor: see tree_control.h. */
#include "control/tree_control.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "opt/dense.h"

#include <math.h>
#include <string.h>

typedef struct treeControlWork {
    int32_t nm, np; /* driven, passive */
    int32_t nrow;   /* of the program: driven, and passive ones where they are steadied */
    int32_t *place; /* ndof: row among the driven, or -1 - row among the passive */
    int32_t *driven, *passive;
    int32_t ldm, ldp;
    double *App; /* np rows of ldp: factored */
    double *P;   /* np rows of ldp: the same before */
    double *G;   /* nm rows of ldp: G by rows */
    double *S;   /* nm rows of ldm: A_mm - G A_pm */
    double *M;  /* nrow rows of ldm: metric of what is missing: mass of the driven, and of the passive what a step makes
                   of it */
    double *Bt; /* nunit rows of ldm */
    double *bp, *tau, *y, *y_other, *dv, *least, *load; /* vectors of max(ldm, ldp, ndof) */
    double *q, *passive_tau;                            /* the same; of the paper's inverse */
    double *active;                                     /* npath */
    double *a, *other, *bias;                           /* nunit */
    snDualQp *qp;
    void *block;
} treeControlWork;

static bool lay_out(treeControlWork *w, const snTreeSim *sim, int32_t nunit)
{
    size_t n = (size_t)sim->tree->ndof, np = (size_t)sim->paths->npath, nu = (size_t)nunit, ld = (size_t)sim->ld;
    size_t ldm = (size_t)w->ldm, ldp = (size_t)w->ldp;
    w->block = sn_alloc(2 * ldp * ldp + ldm * ldp + 2 * ldm * ldm + nu * ldm + 9 * ld + np + 4 * nu, sizeof(double));
    w->place = SN_NEW_ARRAY(int32_t, 3 * n + 1);
    w->qp = sn_dualqp_create(w->nm + w->np, nunit);
    if (!w->block || !w->place || !w->qp) return false;
    double *at = w->block;
    w->App = at, at += ldp * ldp;
    w->P = at, at += ldp * ldp;
    w->G = at, at += ldm * ldp;
    w->S = at, at += ldm * ldm;
    w->M = at, at += ldm * ldm;
    w->Bt = at, at += nu * ldm;
    double **vector[9] = {&w->bp, &w->tau, &w->y, &w->y_other, &w->dv, &w->least, &w->load, &w->q, &w->passive_tau};
    double **each[3] = {&w->a, &w->other, &w->bias};
    for (int k = 0; k < 9; ++k) *vector[k] = at, at += ld;
    for (int k = 0; k < 3; ++k) *each[k] = at, at += nu;
    w->active = at;
    w->driven = w->place + n, w->passive = w->driven + n;
    return true;
}

static treeControlWork *create_work(const snTreeSim *sim, int32_t nunit)
{
    treeControlWork *w = SN_NEW(treeControlWork);
    if (!w) return NULL;
    for (int32_t i = 0; i < sim->tree->ndof; ++i) w->nm += sim->tree->driven[i];
    w->np = sim->tree->ndof - w->nm;
    w->ldm = sn_dense_ld(sim->tree->ndof), w->ldp = sn_dense_ld(w->np > 0 ? w->np : 1);
    if (!lay_out(w, sim, nunit)) return w; /* the caller sees that block or qp is missing */
    int32_t m = 0, p = 0;
    for (int32_t i = 0; i < sim->tree->ndof; ++i) {
        if (sim->tree->driven[i])
            w->place[i] = m, w->driven[m++] = i;
        else
            w->place[i] = -1 - p, w->passive[p++] = i;
    }
    return w;
}

static void destroy_work(treeControlWork *w)
{
    if (!w) return;
    sn_dualqp_destroy(w->qp);
    sn_free(w->place);
    sn_free(w->block);
    sn_free(w);
}

snTreeControl *sn_treecontrol_create(const snTreeSim *sim, int32_t nunit, const int32_t *unit)
{
    snTreeControl *c = SN_NEW(snTreeControl);
    if (!c) return NULL;
    c->unit = unit, c->nunit = unit ? nunit : sim->paths->npath;
    size_t n = (size_t)sim->tree->ndof, np = (size_t)c->nunit;
    c->gamma = SN_NEW_ARRAY(double, 6 * np + 3 * n + 3 * SN_TREE_MAX_LOAD);
    c->work = create_work(sim, c->nunit);
    if (!c->gamma || !c->work || !c->work->block || !c->work->place || !c->work->qp) {
        sn_treecontrol_destroy(c);
        return NULL;
    }
    c->target = c->gamma + np, c->lo = c->target + np, c->hi = c->lo + np, c->activation = c->hi + np;
    c->weight = c->activation + np, c->missing = c->weight + np, c->unmet = c->missing + n, c->wanted = c->unmet + n,
    c->felt = c->wanted + n;
    for (size_t p = 0; p < np; ++p) c->hi[p] = c->weight[p] = 1;
    c->k_p = 100, c->k_v = 20, c->eps = 0.1, c->steady = 0.1, c->max_rounds = 10;
    sn_treecontrol_reset(c, sim);
    return c;
}

void sn_treecontrol_destroy(snTreeControl *control)
{
    if (!control) return;
    destroy_work(control->work);
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

/* G, S and the mass matrix of the driven coordinates. */
static bool eliminate_passive(treeControlWork *w, const snTreeSim *sim)
{
    const snDense *dense = sn_dense();
    for (int32_t r = 0; r < w->np; ++r) {
        const double *row = sim->A + (int64_t)w->passive[r] * sim->ld;
        for (int32_t c = 0; c < w->np; ++c)
            w->App[(int64_t)r * w->ldp + c] = w->P[(int64_t)r * w->ldp + c] = row[w->passive[c]];
        w->least[r] = 0;
    }
    if (!dense->factor(w->np, w->App, w->ldp, w->least)) return false;
    for (int32_t r = 0; r < w->nm; ++r) {
        const double *row = sim->A + (int64_t)w->driven[r] * sim->ld, *mass = sim->M + (int64_t)w->driven[r] * sim->ld;
        double *g = w->G + (int64_t)r * w->ldp, *s = w->S + (int64_t)r * w->ldm, *m = w->M + (int64_t)r * w->ldm;
        for (int32_t c = 0; c < w->np; ++c) g[c] = row[w->passive[c]];
        dense->solve(w->np, w->App, w->ldp, g);
        for (int32_t c = 0; c < w->nm; ++c) s[c] = row[w->driven[c]], m[c] = mass[w->driven[c]];
        s[r] -= sim->stop_A[w->driven[r]]; /* a stop does not hold what leaves it */
        for (int32_t k = 0; k < w->np; ++k) {
            const double *above = sim->A + (int64_t)w->passive[k] * sim->ld;
            for (int32_t c = 0; c < w->nm; ++c) s[c] -= g[k] * above[w->driven[c]];
        }
    }
    return true;
}

/* Torques of the driven coordinates that a step needs for dv; change: to be added to b. */
static void torques(treeControlWork *w, const snTreeSim *sim, const double *change)
{
    for (int32_t k = 0; k < w->np; ++k) w->bp[k] = sim->b[w->passive[k]] + change[w->passive[k]];
    for (int32_t r = 0; r < w->nm; ++r) {
        const double *s = w->S + (int64_t)r * w->ldm, *g = w->G + (int64_t)r * w->ldp;
        double sum = -(sim->b[w->driven[r]] - sim->stop_b[w->driven[r]] + change[w->driven[r]]);
        for (int32_t c = 0; c < w->nm; ++c) sum += s[c] * w->dv[w->driven[c]];
        for (int32_t k = 0; k < w->np; ++k) sum += g[k] * w->bp[k];
        w->tau[r] = sum / sim->h;
    }
}

/* Rows that ask the passive coordinates to come to rest, softly: what muscles would have to do to them for
 * dv_p = -h k_v v_p, and how dear it is to miss that, as a change of velocity in a step. */
static void steady(const snTreeControl *c, const snTreeSim *sim, const double *change)
{
    treeControlWork *w = c->work;
    w->nrow = c->steady > 0 && !c->paper ? w->nm + w->np : w->nm;
    for (int32_t k = 0; k < w->nrow - w->nm; ++k) {
        const double *own = w->P + (int64_t)k * w->ldp, *row = sim->A + (int64_t)w->passive[k] * sim->ld;
        double *metric = w->M + (int64_t)(w->nm + k) * w->ldm;
        double sum = -(sim->b[w->passive[k]] + change[w->passive[k]]);
        for (int32_t i = 0; i < w->nm; ++i) {
            sum += row[w->driven[i]] * w->dv[w->driven[i]];
            metric[i] = w->M[(int64_t)i * w->ldm + w->nm + k] = 0;
        }
        for (int32_t i = 0; i < w->np; ++i) {
            sum -= own[i] * sim->h * c->k_v * sim->v[w->passive[i]];
            metric[w->nm + i] = own[i] / (c->steady * c->eps); /* as dear whatever driven ones cost */
        }
        w->tau[w->nm + k] = sum / sim->h;
    }
}

static int32_t unit_of(const snTreeControl *c, int32_t path)
{
    return c->unit ? c->unit[path] : path;
}

/* What each muscle gives at activation 1. */
static void find_B(const snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    const snPathWork *line = sim->line;
    memset(w->Bt, 0, (size_t)c->nunit * (size_t)w->ldm * sizeof *w->Bt);
    for (int32_t p = 0; p < sim->paths->npath; ++p) {
        double *row = w->Bt + (int64_t)unit_of(c, p) * w->ldm;
        if (!(w->active[p] > 0)) continue;
        for (int32_t e = line->rowadr[p]; e < line->rowadr[p + 1]; ++e) {
            int32_t at = w->place[line->col[e]];
            double pull = -line->P[e] * w->active[p];
            if (at >= 0) {
                row[at] += pull;
                continue;
            }
            if (w->nrow > w->nm) row[w->nm - 1 - at] += pull;
            const double *column = w->G + (-1 - at);
            for (int32_t r = 0; r < w->nm; ++r) row[r] -= column[(int64_t)r * w->ldp] * pull;
        }
    }
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
        if (w->place[i] < 0) continue;
        c->wanted[i] = (qdd ? qdd[i] : 0) + c->k_p * (q[i] - sim->q[i]) + c->k_v * (v[i] - sim->v[i]);
        w->dv[i] = sim->h * c->wanted[i];
    }
}

static void report(snTreeControl *c, const snTreeSim *sim)
{
    treeControlWork *w = c->work;
    memset(c->missing, 0, (size_t)sim->tree->ndof * sizeof *c->missing);
    memset(c->unmet, 0, (size_t)sim->tree->ndof * sizeof *c->unmet);
    for (int32_t r = 0; r < w->nm; ++r) {
        double sum = 0;
        for (int32_t k = 0; k < w->nm; ++k) sum += w->M[(int64_t)r * w->ldm + k] * w->y[k];
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
            if (at < 0) w->bp[-1 - at] -= sim->h * line->P[e] * w->a[unit_of(control, p)] * w->active[p];
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
    find_B(c, sim);
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
    for (int32_t i = 0; i < n; ++i) w->q[i] = sim->q[i] + sim->h * sim->v[i], qdd[i] = c->wanted[i];
    sn_tree_place(sim->tree, sim->work, w->q);
    sn_tree_move(sim->tree, sim->work, sim->v);
    memset(tau, 0, (size_t)n * sizeof *tau);
    sn_tree_passive(sim->tree, sim->work, w->q, sim->v, tau);
    sn_treesim_push_loads(sim, c->felt, tau);
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] = -tau[w->driven[r]];
    bool fine = sn_tree_hybrid(sim->tree, sim->work, sim->tree->driven, sim->gravity, qdd, tau);
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] += tau[w->driven[r]];
    for (int32_t k = 0; k < w->np; ++k) w->dv[w->passive[k]] = sim->h * qdd[w->passive[k]];
    sn_treesim_prepare(sim);
    memset(w->q, 0, (size_t)n * sizeof *w->q);
    sn_treesim_pull(sim, sim->line->passive, w->q);
    for (int32_t r = 0; r < w->nm; ++r) w->tau[r] -= w->q[w->driven[r]];
    memset(w->G, 0, (size_t)w->nm * (size_t)w->ldp * sizeof *w->G);
    return fine;
}

static bool invert(snTreeControl *c, snTreeSim *sim)
{
    treeControlWork *w = c->work;
    feel(c, sim, w->load);
    if (!eliminate_passive(w, sim)) return false;
    steady(c, sim, w->load);
    if (c->paper) return predict(c, sim);
    torques(w, sim, w->load);
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
    for (int32_t p = 0; p < sim->paths->npath; ++p) sim->activation[p] = w->a[unit_of(c, p)];
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
    }
    return 2 + n + 2 * m + loads;
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
}
