#include "control/ik.h"

#include "base/alloc.h"
#include "opt/boxqp.h"

#include <math.h>
#include <string.h>

static const double RHO = 1e-5;   /* of the stiffness over the largest */
static const double LEVER = 0.04; /* m^2/rad^2: a turn counts as the way of a point 0.2 m off */
static const double DONE = 1e-11; /* rad: steps this small change nothing */
enum { ROUNDS = 200 };

struct snIk {
    const snTree *tree;
    int32_t ntarget, nfree, most_rounds;
    double done; /* rad */
    snIkTarget *target;
    int32_t *free;  /* nfree: coordinates */
    double *weight; /* nfree: RHO k */
    snTreeWork *work;
    snBoxQp *qp;
    double *r, *J;                  /* 3 ntarget; by ndof */
    double *Q, *c, *lo, *hi, *step; /* of the program, nfree */
    double *trial;                  /* ndof */
};

/* ---- residuals -------------------------------------------------------------------------------- */

/* d(log(exp(e) exp(-x)))/dx at x = 0, applied to w, negative. */
static v3 turned_back(v3 e, v3 w)
{
    double a = v3_len(e), by = 1.0 / 12;
    if (a > 1e-4) by = 1 / (a * a) - 1 / (2 * a * tan(a / 2));
    v3 once = v3_cross(e, w), twice = v3_cross(e, once);
    return v3_mad(v3_mad(w, 0.5, once), by, twice);
}

static v3 value_of(const snIk *ik, const snIkTarget *t, v3 goal)
{
    rigid x = sn_tree_motion(ik->work, t->link);
    v3 at = sn_tree_point(ik->work, t->link, v3_load(t->point));
    if (t->kind == SN_IK_PLACE) return v3_sub(at, goal);
    if (t->kind == SN_IK_TURN) return q_log(q_mul(q_exp(goal), q_conj(x.q)));
    if (t->kind == SN_IK_AIM)
        return v3_sub(v3_unit(v3_sub(sn_tree_point(ik->work, t->far_link, v3_load(t->far)), at)), goal);
    return v3_sub(q_rotate(x.q, v3_of(1, 0, 0)), v3_unit(v3_sub(goal, at)));
}

/* Derivative by one coordinate: its point moves with `along`, its body turns with w. */
static v3 slope_of(const snIk *ik, const snIkTarget *t, v3 goal, v3 value, v3 w, v3 along)
{
    if (t->kind == SN_IK_PLACE) return along;
    if (t->kind == SN_IK_TURN) return v3_scale(turned_back(value, w), -1);
    v3 far = v3_sub(goal, sn_tree_point(ik->work, t->link, v3_load(t->point))), d = v3_unit(far);
    v3 front = q_rotate(sn_tree_motion(ik->work, t->link).q, v3_of(1, 0, 0));
    v3 aside = v3_mad(along, -v3_dot(d, along), d);
    return v3_mad(v3_cross(w, front), 1 / v3_len(far), aside);
}

/* Adds the columns of one end of an aim: sign 1 for its far point, -1 for the near one. */
static void slope_of_aim(const snIk *ik, const snIkTarget *t, double sign, double *J)
{
    const snTree *tree = ik->tree;
    v3 near = sn_tree_point(ik->work, t->link, v3_load(t->point));
    v3 far = sn_tree_point(ik->work, t->far_link, v3_load(t->far)), apart = v3_sub(far, near), u = v3_unit(apart);
    v3 at = sign > 0 ? far : near;
    for (int32_t i = sign > 0 ? t->far_link : t->link; i >= 0; i = tree->parent[i]) {
        const double *S = ik->work->S + 6 * i;
        v3 along = v3_add(v3_load(S + 3), v3_cross(v3_load(S), at));
        v3 by = v3_scale(v3_mad(along, -v3_dot(u, along), u), sign / v3_len(apart));
        const double row[3] = {by.x, by.y, by.z};
        int32_t c = tree->follows ? tree->follows[i] : i;
        for (int a = 0; a < 3; ++a) J[(size_t)a * (size_t)tree->ndof + (size_t)c] += row[a];
    }
}

void sn_ik_residual(snIk *ik, const double *goal, const double *q, double *r, double *J)
{
    const snTree *tree = ik->tree;
    size_t n = (size_t)tree->ndof;
    sn_tree_place(tree, ik->work, q);
    if (J) memset(J, 0, 3 * (size_t)ik->ntarget * n * sizeof *J);
    for (int32_t k = 0; k < ik->ntarget; ++k) {
        const snIkTarget *t = &ik->target[k];
        v3 aim = v3_load(goal + 3 * k), value = value_of(ik, t, aim);
        v3 at = sn_tree_point(ik->work, t->link, v3_load(t->point));
        v3_store(r + 3 * k, value);
        if (t->kind == SN_IK_AIM) {
            for (int end = -1; J && end <= 1; end += 2) slope_of_aim(ik, t, end, J + 3 * (size_t)k * n);
            continue;
        }
        for (int32_t i = t->link; J && i >= 0; i = tree->parent[i]) {
            const double *S = ik->work->S + 6 * i;
            v3 w = v3_load(S), along = v3_add(v3_load(S + 3), v3_cross(w, at)),
               by = slope_of(ik, t, aim, value, w, along);
            const double row[3] = {by.x, by.y, by.z};
            size_t c = (size_t)(tree->follows ? tree->follows[i] : i);
            for (int a = 0; a < 3; ++a) J[(3 * (size_t)k + (size_t)a) * n + c] += t->wanted[a] ? row[a] : 0;
        }
        for (int a = 0; a < 3; ++a)
            if (!t->wanted[a]) r[3 * k + a] = 0;
    }
}

double sn_ik_missed(snIk *ik, const double *goal, const double *q, int32_t target)
{
    sn_ik_residual(ik, goal, q, ik->r, NULL);
    double length = v3_len(v3_load(ik->r + 3 * target));
    bool chord = ik->target[target].kind == SN_IK_LOOK || ik->target[target].kind == SN_IK_AIM; /* of the unit circle */
    return chord ? 2 * asin(fmin(1, length / 2)) : length;
}

/* ---- the search ------------------------------------------------------------------------------- */

static double weight_of(const snIk *ik, int32_t row)
{
    const snIkTarget *t = &ik->target[row / 3];
    return (t->kind == SN_IK_PLACE ? 1 : LEVER) * (t->weight > 0 ? t->weight : 1);
}

static double cost_at(snIk *ik, const double *goal, const double *q, double *J)
{
    double sum = 0;
    sn_ik_residual(ik, goal, q, ik->r, J);
    for (int32_t k = 0; k < 3 * ik->ntarget; ++k) sum += weight_of(ik, k) * ik->r[k] * ik->r[k];
    for (int32_t i = 0; i < ik->nfree; ++i) sum += ik->weight[i] * q[ik->free[i]] * q[ik->free[i]];
    return sum / 2;
}

/* The program of a step, damped by mu. */
static void form(snIk *ik, const double *q, double mu)
{
    int32_t n = ik->nfree, nd = ik->tree->ndof;
    memset(ik->Q, 0, sizeof *ik->Q * (size_t)n * (size_t)n);
    for (int32_t i = 0; i < n; ++i) {
        int32_t f = ik->free[i];
        ik->c[i] = ik->weight[i] * q[f], ik->Q[i * n + i] = ik->weight[i] + mu;
        ik->lo[i] = fmin(ik->tree->lower[f] - q[f], 0), ik->hi[i] = fmax(ik->tree->upper[f] - q[f], 0);
    }
    for (int32_t k = 0; k < 3 * ik->ntarget; ++k) {
        const double *row = ik->J + (size_t)k * (size_t)nd;
        double w = weight_of(ik, k);
        for (int32_t i = 0; i < n; ++i) {
            double x = w * row[ik->free[i]];
            ik->c[i] += x * ik->r[k];
            for (int32_t j = 0; x != 0 && j < n; ++j) ik->Q[i * n + j] += x * row[ik->free[j]];
        }
    }
}

/* Tries the step; returns its largest entry. */
static double take(const snIk *ik, const double *q)
{
    double most = 0;
    memcpy(ik->trial, q, sizeof *q * (size_t)ik->tree->ndof);
    for (int32_t i = 0; i < ik->nfree; ++i) {
        int32_t f = ik->free[i];
        ik->trial[f] = fmin(fmax(q[f] + ik->step[i], ik->tree->lower[f]), ik->tree->upper[f]);
        most = fmax(most, fabs(ik->trial[f] - q[f]));
    }
    return most;
}

static snStatus search(snIk *ik, const double *goal, double *q, int32_t *rounds)
{
    double mu = 1e-6, cost = cost_at(ik, goal, q, ik->J);
    snBoxQpProblem problem = {.n = ik->nfree, .Q = ik->Q, .c = ik->c, .lo = ik->lo, .hi = ik->hi};
    for (*rounds = 0; *rounds < ik->most_rounds && mu < 1e6; ++*rounds) {
        if (!isfinite(cost)) return SN_FAILED;
        form(ik, q, mu);
        memset(ik->step, 0, sizeof *ik->step * (size_t)ik->nfree);
        (void)sn_boxqp_solve(ik->qp, &problem, ik->step, NULL);
        double moved = take(ik, q);
        if (moved < ik->done) return SN_OK;
        double then = cost_at(ik, goal, ik->trial, NULL);
        if (then <= cost) {
            memcpy(q, ik->trial, sizeof *q * (size_t)ik->tree->ndof);
            mu /= 10;
        } else {
            mu = fmax(10 * mu, 1e-9);
        }
        cost = cost_at(ik, goal, q, ik->J);
    }
    return SN_OK;
}

snStatus sn_ik_solve(snIk *ik, const double *goal, double *q, int32_t *rounds)
{
    for (int32_t k = 0; k < 3 * ik->ntarget; ++k)
        if (!isfinite(goal[k])) return SN_FAILED;
    *rounds = 0;
    return ik->nfree > 0 ? search(ik, goal, q, rounds) : SN_OK;
}

/* ---- set-up ------------------------------------------------------------------------------------ */

static void weigh(snIk *ik)
{
    double most = 0;
    for (int32_t i = 0; i < ik->nfree; ++i) most = fmax(most, ik->tree->stiffness[ik->free[i]]);
    for (int32_t i = 0; i < ik->nfree; ++i) {
        double k = most > 0 ? ik->tree->stiffness[ik->free[i]] / most : 1;
        ik->weight[i] = RHO * fmax(k, 0.01);
    }
}

void sn_ik_limit(snIk *ik, double step, int32_t rounds)
{
    ik->done = step, ik->most_rounds = rounds;
}

snIk *sn_ik_create(const snTree *tree, int32_t ntarget, const snIkTarget *target, const bool *free)
{
    snIk *ik = SN_NEW(snIk);
    size_t n = (size_t)tree->ndof, rows = 3 * (size_t)ntarget;
    if (!ik) return NULL;
    ik->tree = tree, ik->ntarget = ntarget;
    sn_ik_limit(ik, DONE, ROUNDS);
    ik->target = SN_NEW_ARRAY(snIkTarget, ntarget);
    ik->free = SN_NEW_ARRAY(int32_t, n);
    for (int32_t i = 0; ik->free && i < tree->ndof; ++i)
        if (free[i]) ik->free[ik->nfree++] = i;
    size_t m = (size_t)ik->nfree;
    double *at = ik->r = SN_NEW_ARRAY(double, rows + rows * n + n + m * m + 5 * m);
    ik->work = sn_tree_create(tree);
    ik->qp = sn_boxqp_create(ik->nfree);
    if (!ik->target || !ik->free || !at || !ik->work || !ik->qp) {
        sn_ik_destroy(ik);
        return NULL;
    }
    if (ntarget > 0) memcpy(ik->target, target, (size_t)ntarget * sizeof *target);
    ik->J = at + rows, ik->trial = ik->J + rows * n, ik->Q = ik->trial + n, ik->c = ik->Q + m * m;
    ik->lo = ik->c + m, ik->hi = ik->lo + m, ik->step = ik->hi + m, ik->weight = ik->step + m;
    weigh(ik);
    return ik;
}

void sn_ik_destroy(snIk *ik)
{
    if (!ik) return;
    sn_free(ik->target);
    sn_free(ik->free);
    sn_free(ik->r);
    if (ik->work) sn_tree_destroy(ik->work);
    sn_boxqp_destroy(ik->qp);
    sn_free(ik);
}
