/* Which activations hold a pose: the torque-space program.
 *
 *     A = R' diag(strength F_max f_A),  b = M a + C - tau_passive - tau_load
 *     min 1/2 sum ((A c - b)_i / e_i)^2 + rho/2 sum w_j c_j^2 + kappa/2 sum (c_j - c_k)^2,  0 <= c <= 1
 *
 * e is the tolerance of a coordinate. A joint at its stop gets a column of its own: the stop pushes, at no cost. rho is
 * so small that a pose within reach leaves less than 0.5 mN m at any joint. Convex with one answer: a fast yes or no.
 * Solved in the dual (opt/dualqp.h), which has an unknown per torque and coupling instead of one per unit and stop. */
#include "analysis/patient.h"
#include "sim/tree_sim.h"

#include <math.h>
#include <string.h>

const double sn_effort_weight = 0.01, sn_couple_weight = 0.01, sn_stop_effort = 1e-6, sn_stop_limit = INFINITY;
static const double at_stop = 0.1 * SN_DEG;               /* nearer than this a joint lies on its stop */
static const double free_effort = 1e-9;                   /* of a unit whose effort costs nothing */
static const double range_push = 0.1, range_ridge = 1e-4; /* sn_ranges: pull on one unit, spring to the answer */

void sn_patient_clamp(snPatient *p, const double *target, double *q)
{
    for (int32_t k = 0; k < p->nq; ++k) {
        double lower = p->s->tree.lower[k], upper = p->s->tree.upper[k];
        double x = target[k] < lower ? lower : target[k] > upper ? upper : target[k];
        p->clamped[k] = fabs(x - target[k]) > 1e-9;
        q[k] = p->fused[k] ? p->fused_at[k] : x;
    }
}

/* ---- the linear statics --------------------------------------------------------------------- */

void sn_patient_loads(snPatient *p, double *tau)
{
    for (int32_t i = 0; i < p->nload; ++i) {
        const snLoad *l = &p->load[i];
        v3 force = q_rotate(sn_tree_motion(p->tree, l->link).q, v3_scale(l->force, p->load_scale));
        sn_tree_push(&p->s->tree, p->tree, l->link, l->point, force, tau);
    }
}

/* Tension of a path stiffens the coordinates that it crosses. */
static double compression_torque(const snPatient *p, int32_t k, double tension)
{
    return -p->s->compression[k] * (p->q[k] - p->s->tree.rest[k]) * tension;
}

void sn_patient_pull(const snPatient *p, int32_t i, double f, double *tau)
{
    const snPathWork *w = p->path;
    for (int32_t k = w->rowadr[i]; k < w->rowadr[i + 1]; ++k)
        tau[w->col[k]] += -w->P[k] * f + compression_torque(p, w->col[k], f);
}

void sn_patient_place(snPatient *p, const double *q, const double *v)
{
    size_t bytes = sizeof(double) * (size_t)p->nq;
    memcpy(p->q, q, bytes);
    memcpy(p->v, v ? v : p->zero, bytes);
    sn_tree_place(&p->s->tree, p->tree, p->q);
    sn_tree_move(&p->s->tree, p->tree, p->v);
    sn_path_lengths(&p->s->path, &p->links, p->path);
    sn_path_rates(&p->s->path, p->path, p->v);
    sn_path_forces(&p->s->path, p->path, p->strength, p->passive);
}

static void fill_A(snPatient *p)
{
    const snPathWork *w = p->path;
    memset(p->A, 0, sizeof *p->A * (size_t)p->nq * (size_t)p->nu);
    for (int32_t i = 0; i < p->np; ++i) {
        double f = w->active[i];
        double *column = p->A + p->s->path_unit[i];
        for (int32_t k = w->rowadr[i]; k < w->rowadr[i + 1]; ++k)
            column[(size_t)w->col[k] * (size_t)p->nu] += -w->P[k] * f + compression_torque(p, w->col[k], f);
    }
}

void sn_patient_borrow(snPatient *p, const snTreeSim *sim)
{
    size_t nq = sizeof(double) * (size_t)p->nq, np = sizeof(double) * (size_t)p->np;
    memcpy(p->q, sim->q, nq);
    memcpy(p->v, sim->v, nq);
    memcpy(p->path->length, sim->line->length, np);
    memcpy(p->path->P, sim->line->P, sizeof(double) * (size_t)p->path->nnz);
    memcpy(p->path->passive, sim->line->passive, np);
    memcpy(p->path->active, sim->line->active, np);
    fill_A(p);
}

void sn_patient_assemble(snPatient *p, const double *q, const double *v, const double *a)
{
    size_t bytes = sizeof(double) * (size_t)p->nq;
    sn_patient_place(p, q, v);
    sn_tree_inverse(&p->s->tree, p->tree, a, p->gravity, p->b);
    memset(p->tau, 0, bytes);
    sn_tree_passive(&p->s->tree, p->tree, p->q, p->v, p->tau);
    sn_patient_loads(p, p->tau);
    for (int32_t i = 0; i < p->np; ++i) sn_patient_pull(p, i, p->path->passive[i], p->tau);
    for (int32_t k = 0; k < p->nq; ++k) p->b[k] -= p->tau[k];
    fill_A(p);
}

static double tension(const snPatient *p, int32_t path, const double *activation)
{
    return p->path->passive[path] + activation[p->s->path_unit[path]] * p->path->active[path];
}

void sn_patient_torque(snPatient *p, const double *q, const double *activation, double *tau)
{
    sn_patient_place(p, q, NULL);
    sn_tree_inverse(&p->s->tree, p->tree, NULL, p->gravity, tau);
    for (int32_t k = 0; k < p->nq; ++k) tau[k] = -tau[k];
    sn_tree_passive(&p->s->tree, p->tree, p->q, p->v, tau);
    sn_patient_loads(p, tau);
    for (int32_t i = 0; i < p->np; ++i) sn_patient_pull(p, i, tension(p, i, activation), tau);
}

/* ---- the program ---------------------------------------------------------------------------- */

double sn_patient_stop(const snPatient *p, int32_t k, double at)
{
    const snTree *t = &p->s->tree;
    if (!(t->stop_stiffness[k] > 0)) return 0;
    return at <= t->lower[k] + at_stop ? 1 : at >= t->upper[k] - at_stop ? -1 : 0;
}

/* Rows of driven coordinates that are neither fused nor ignored, over their tolerance; a column per control and per
 * stop. */
static void fill_rows(snPatient *p)
{
    size_t ld = (size_t)p->ld;
    p->nrow = p->nstop = 0;
    for (int32_t k = 0; k < p->nq; ++k) {
        if (!p->s->tree.driven[k] || p->fused[k] || p->ignored[k]) continue;
        double e = 1 / p->s->tolerance[k], *h = p->H + (size_t)p->nrow * ld;
        memset(h, 0, sizeof *h * ld);
        for (int32_t u = 0; u < p->nu; ++u) h[p->control[u]] += e * p->A[(size_t)k * (size_t)p->nu + (size_t)u];
        double push = p->leaves[k] ? 0 : sn_patient_stop(p, k, p->q[k]);
        if (push != 0) {
            p->stop[p->nstop] = k;
            p->stop_sign[p->nstop] = push;
            h[p->nz + p->nstop++] = push * e;
        }
        p->rhs[p->nrow] = e * p->b[k];
        p->row[p->nrow++] = k;
    }
    p->nvar = p->nz + p->nstop;
}

/* Couplings are rows too: c_j - c_k is asked to be 0, at kappa. Unlike effort they need no other program then. */
static void add_couplings(snPatient *p)
{
    p->nasked = p->nrow;
    for (int32_t k = 0; p->coupling == SN_COUPLE_SOFT && k < p->s->ncouple; ++k) p->rhs[p->nasked++] = 0;
}

static double coupling_of(const snPatient *p, int32_t couple, int32_t control)
{
    const int32_t *pair = p->s->couple + 2 * couple;
    return (double)((p->control[pair[0]] == control) - (p->control[pair[1]] == control));
}

/* Columns of the rows by entries. */
static void fill_columns(snPatient *p)
{
    int32_t n = 0;
    for (int32_t i = 0; i < p->nvar; ++i) {
        p->entryadr[i] = n;
        for (int32_t r = 0; r < p->nrow; ++r) {
            double x = p->H[(size_t)r * (size_t)p->ld + (size_t)i];
            if (x != 0) p->entry[n] = x, p->entry_row[n++] = r;
        }
        for (int32_t r = p->nrow; i < p->nz && r < p->nasked; ++r) {
            double x = coupling_of(p, r - p->nrow, i);
            if (x != 0) p->entry[n] = x, p->entry_row[n++] = r;
        }
    }
    p->entryadr[p->nvar] = n;
}

/* What the columns cost, and what a row costs that is missed: the inverse of its metric. */
static void fill_costs(snPatient *p)
{
    size_t ld = (size_t)p->ldy;
    double effort = p->thrift * sn_effort_weight, couple = p->thrift * sn_couple_weight;
    memset(p->weight, 0, sizeof *p->weight * (size_t)p->nvar);
    for (int32_t u = 0; u < p->nu; ++u) p->weight[p->control[u]] += effort * p->cost[u];
    for (int32_t i = 0; i < p->nvar; ++i) p->weight[i] = i < p->nz ? fmax(p->weight[i], free_effort) : sn_stop_effort;
    memset(p->metric, 0, sizeof *p->metric * ld * (size_t)p->nasked);
    for (int32_t r = 0; r < p->nasked; ++r) p->metric[(size_t)r * (ld + 1)] = r < p->nrow ? 1 : 1 / couple;
}

/* The dual answer of the last program, by coordinate: rows come and go. */
static void start_from_the_last(snPatient *p, bool back)
{
    for (int32_t r = 0; r < p->nasked; ++r) {
        double *kept = p->price + (r < p->nrow ? p->row[r] : p->nq + r - p->nrow);
        if (back)
            *kept = p->y[r];
        else
            p->y[r] = *kept;
    }
}

static void keep_answer(snPatient *p)
{
    for (int32_t u = 0; u < p->nu; ++u) p->activation[u] = p->z[p->control[u]];
    for (int32_t i = 0; i < p->np; ++i) p->force[i] = tension(p, i, p->activation);
    memset(p->missing, 0, sizeof *p->missing * (size_t)p->nq);
    for (int32_t r = 0; r < p->nrow; ++r) {
        double sum = -p->rhs[r];
        for (int32_t i = 0; i < p->nvar; ++i) sum += p->H[(size_t)r * (size_t)p->ld + (size_t)i] * p->z[i];
        p->missing[p->row[r]] = -sum * p->s->tolerance[p->row[r]];
    }
}

snStatus sn_patient_solve(snPatient *p, snDualQpInfo *info)
{
    const double converged = 1e-9;
    const int32_t rounds = 2000; /* loads far out of reach took up to 152 of them in 30,000 random cases */
    snDualQpInfo found;
    fill_rows(p);
    add_couplings(p);
    fill_columns(p);
    fill_costs(p);
    for (int32_t i = 0; i < p->nvar; ++i) p->lo[i] = 0, p->hi[i] = i < p->nz ? 1 : sn_stop_limit;
    start_from_the_last(p, false);
    snDualQpProblem problem = {.m = p->nasked,
                               .n = p->nvar,
                               .ld = p->ldy,
                               .Bt = p->entry,
                               .adr = p->entryadr,
                               .col = p->entry_row,
                               .M = p->metric,
                               .tau = p->rhs,
                               .weight = p->weight,
                               .lo = p->lo,
                               .hi = p->hi,
                               .eps = 1,
                               .max_rounds = rounds};
    snStatus status = sn_dualqp_solve(p->program, &problem, p->y, p->z, &found);
    if (!(found.residual < converged)) { /* a start far off can lead in circles: begin anew */
        memset(p->y, 0, sizeof *p->y * (size_t)p->nasked);
        status = sn_dualqp_solve(p->program, &problem, p->y, p->z, &found);
    }
    start_from_the_last(p, true);
    keep_answer(p);
    if (info) *info = found;
    return status == SN_OK && !(found.residual < converged) ? SN_FAILED : status;
}

/* ---- answers -------------------------------------------------------------------------------- */

static void fill_hold(const snPatient *p, const snDualQpInfo *info, snHeld *h)
{
    double most = 0;
    *h = (snHeld){.worst = -1,
                  .activation = p->activation,
                  .force = p->force,
                  .missing = p->missing,
                  .pose = p->q,
                  .clamped = p->clamped,
                  .iterations = info->rounds,
                  .residual = info->residual};
    for (int32_t k = 0; k < p->nq; ++k) {
        double missing = fabs(p->missing[k]);
        h->unmet_torque = fmax(h->unmet_torque, missing);
        if (missing / p->s->tolerance[k] > h->unmet) h->unmet = missing / p->s->tolerance[k], h->worst = k;
    }
    for (int32_t u = 0; u < p->nu; ++u) {
        most = fmax(most, p->activation[u]);
        h->effort += p->cost[u] * p->activation[u] * p->activation[u];
    }
    h->reserve = 1 - most;
}

static bool is_finite(const double *x, int32_t n)
{
    for (int32_t i = 0; x && i < n; ++i)
        if (!isfinite(x[i])) return false;
    return true;
}

snStatus sn_hold(snPatient *p, const double *q, const double *velocity, const double *acceleration, snHeld *hold)
{
    if (!p) return SN_BAD_ARGUMENT;
    snDualQpInfo info = {0};
    if (!is_finite(q, p->nq) || !is_finite(velocity, p->nq) || !is_finite(acceleration, p->nq)) return SN_BAD_INPUT;
    sn_patient_clamp(p, q, p->tau);
    sn_patient_assemble(p, p->tau, velocity, acceleration);
    snStatus status = sn_patient_solve(p, &info);
    fill_hold(p, &info, hold);
    return status;
}

/* One unit is pulled down or up while a stiff weight keeps all torques, and a weak spring the other units. */
snStatus sn_ranges(snPatient *p, double *low, double *high)
{
    if (!p) return SN_BAD_ARGUMENT;
    size_t ld = (size_t)p->ld;
    double *start = p->rhs; /* the answer; the right side is not needed any more */
    snStatus status = SN_OK;
    memcpy(start, p->z, sizeof *start * (size_t)p->nvar);
    p->dense->gram(p->nrow, p->nvar, p->H, p->ld, p->Q);
    for (int32_t i = 0; i < p->nvar; ++i) p->Q[(size_t)i * (ld + 1)] += range_ridge;
    snBoxQpProblem problem = {.n = p->nvar, .Q = p->Q, .c = p->c, .lo = p->lo, .hi = p->hi, .ld = p->ld};
    for (int32_t u = 0; u < p->nu && status == SN_OK; ++u) {
        int32_t at = p->control[u];
        for (int side = -1; side <= 1 && status == SN_OK; side += 2) {
            for (int32_t i = 0; i < p->nvar; ++i) {
                double sum = 0;
                for (int32_t j = 0; j < p->nvar; ++j) sum += p->Q[(size_t)i * ld + (size_t)j] * start[j];
                p->c[i] = -sum - (i == at ? side * range_push : 0);
            }
            memcpy(p->z, start, sizeof *start * (size_t)p->nvar);
            status = sn_boxqp_solve(p->qp, &problem, p->z, NULL);
            if (status == SN_FAILED) status = SN_OK; /* its best point is within reach too, if not the farthest */
            (side < 0 ? low : high)[u] = side < 0 ? fmin(p->z[at], start[at]) : fmax(p->z[at], start[at]);
        }
    }
    memcpy(p->z, start, sizeof *start * (size_t)p->nvar);
    return status;
}

snStatus sn_load_factor(snPatient *p, const double *q, double *factor)
{
    if (!p) return SN_BAD_ARGUMENT;
    enum { HALVINGS = 24 };
    snHeld hold;
    double low = 0, high = 1000;
    snStatus status = SN_OK;
    *factor = INFINITY;
    for (int i = 0; p->nload && i < HALVINGS && status == SN_OK; ++i) {
        p->load_scale = i ? (low + high) / 2 : 0;
        status = sn_hold(p, q, NULL, NULL, &hold);
        if (i == 0 && hold.unmet > 1) high = 0;
        *(hold.unmet <= 1 ? &low : &high) = p->load_scale;
        *factor = low;
    }
    p->load_scale = 1;
    return status;
}

snVerdict sn_verdict(const snPatient *p, const snHeld *hold, const snNearest *nearest)
{
    if (!p || !hold) return SN_VERDICT_NO;
    static const double plain = 2e-3, far = 10 * SN_DEG; /* N m, rad */
    (void)p;
    if (hold->unmet_torque <= plain) return SN_VERDICT_YES;
    bool off = !nearest || nearest->error > far;
    return hold->unmet > 1 && off ? SN_VERDICT_NO : SN_VERDICT_MARGINAL;
}
