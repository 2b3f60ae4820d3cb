/* Block principal pivoting [Judice 1994], and projected Newton [Bertsekas 1982] where that does not apply.
 *
 * Pivoting: with each variable on one of its bounds or free, the free ones follow from a linear system; all that then
 * leave their bounds become bound and all whose gradient leads inwards become free, at once. From the active set of the
 * last answer that is mostly right at the first try, and nearly always at the third. It may go round in circles.
 *
 * Newton: variables at (or very near) a bound with a gradient that holds them there are bound and take a gradient step;
 * the others are free and take a Newton step. A search along the projected path takes the longest of 1, 1/2, 1/4 ...
 * that descends enough. It needs ten times as many factorisations, but always arrives, also for a semidefinite Q.
 *
 * Invariants: a is within the bounds at all times, and a variable at a bound equals it exactly. */
#include "opt/boxqp.h"

#include "base/alloc.h"
#include "opt/dense.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double good_enough = 1e-9, aim = 1e-13; /* residuals: converged; as good as rounding allows */
static const double near_limit = 0.01;               /* part of the width that counts as near a bound, at most */
enum { MAX_ITERATIONS = 200, MAX_HALVINGS = 50 };
enum { PATIENCE = 6 }; /* rounds of pivoting without fewer variables on the wrong side */

struct snBoxQp {
    const snDense *dense;
    int32_t max_n, nfree;
    const double *Q; /* that of the problem, or the copy */
    int32_t ld;
    int32_t *free;                   /* indices of the free variables */
    double *g, *d, *x, *delta, *row; /* gradient, direction, trial, trial - a, Q delta */
    double *size;                    /* |Q| |x| */
    double *sub;                     /* on the free variables: the right-hand side */
    double *least;                   /* the least pivots */
    double *upper;                   /* Cholesky factor of the free part */
    double *copy;                    /* of Q, where its rows are not padded */
    uint8_t *bound;
    int8_t *side, *next; /* -1 at the lower bound, 1 at the upper, 0 free; in the next round */
};

enum { VECTORS = 8 };

snBoxQp *sn_boxqp_create(int32_t max_n)
{
    snBoxQp *w = SN_NEW(snBoxQp);
    if (!w) return NULL;
    size_t n = (size_t)sn_dense_ld(max_n);
    w->dense = sn_dense();
    w->max_n = max_n;
    w->free = SN_NEW_ARRAY(int32_t, n);
    w->bound = SN_NEW_ARRAY(uint8_t, n);
    w->side = SN_NEW_ARRAY(int8_t, 2 * n);
    w->g = SN_NEW_ARRAY(double, VECTORS *n);
    w->upper = SN_NEW_ARRAY(double, 2 * n * n);
    if (!w->free || !w->bound || !w->side || !w->g || !w->upper) {
        sn_boxqp_destroy(w);
        return NULL;
    }
    double **vector[VECTORS] = {&w->g, &w->d, &w->x, &w->delta, &w->row, &w->size, &w->sub, &w->least};
    for (size_t i = 1; i < VECTORS; ++i) *vector[i] = w->g + i * n;
    w->copy = w->upper + n * n;
    w->next = w->side + n;
    return w;
}

void sn_boxqp_destroy(snBoxQp *w)
{
    if (!w) return;
    sn_free(w->free);
    sn_free(w->bound);
    sn_free(w->side);
    sn_free(w->g);
    sn_free(w->upper);
    sn_free(w);
}

/* Makes sure that the rows of Q are as the kernels want them. */
static void load(snBoxQp *w, const snBoxQpProblem *p)
{
    w->Q = p->Q;
    w->ld = p->ld;
    if (p->ld) return;
    w->Q = w->copy;
    w->ld = sn_dense_ld(p->n);
    for (int32_t i = 0; i < p->n; ++i)
        memcpy(w->copy + (size_t)i * (size_t)w->ld, p->Q + (size_t)i * (size_t)p->n, sizeof(double) * (size_t)p->n);
}

/* The larger, or NaN once there has been one. */
static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

static double clamped(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* g = Q a + c. Returns the largest of |c| + |Q| |a|: what the entries of the gradient are made of. */
static double gradient(snBoxQp *w, const snBoxQpProblem *p, const double *a)
{
    double largest = 0;
    w->dense->multiply(p->n, w->Q, w->ld, a, w->g, w->size);
    for (int32_t i = 0; i < p->n; ++i) {
        w->g[i] += p->c[i];
        largest = larger(largest, fabs(p->c[i]) + w->size[i]);
    }
    return largest;
}

static double wrong_gradient(const snBoxQpProblem *p, const double *a, const double *g)
{
    double worst = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        double wrong = fabs(g[i]);
        if (p->lo[i] == p->hi[i]) continue;
        if (a[i] <= p->lo[i]) wrong = -g[i];
        if (a[i] >= p->hi[i]) wrong = g[i];
        worst = larger(worst, wrong);
    }
    return worst;
}

static double ratio(double x, double y)
{
    return x == 0 ? 0 : x / y;
}

double sn_boxqp_residual(const snBoxQpProblem *p, const double *a)
{
    double worst = 0, outside = 0, scale = 0;
    size_t ld = (size_t)(p->ld ? p->ld : p->n);
    for (int32_t i = 0; i < p->n; ++i) {
        const double *q = p->Q + (size_t)i * ld;
        double g = p->c[i], size = fabs(g);
        for (int32_t j = 0; j < p->n; ++j) g += q[j] * a[j], size += fabs(q[j] * a[j]);
        snBoxQpProblem one = {.n = 1, .lo = p->lo + i, .hi = p->hi + i};
        worst = larger(worst, wrong_gradient(&one, a + i, &g));
        scale = larger(scale, size);
        outside = fmax(outside, fmax(p->lo[i] - a[i], a[i] - p->hi[i]));
    }
    worst = ratio(worst, scale);
    return worst >= outside || isnan(worst) ? worst : outside;
}

/* Scale of variable i for gradient steps: Q_ii, and something above zero where Q_ii is none. */
static double diagonal(const snBoxQp *w, int32_t i, double floor)
{
    double q = w->Q[(size_t)i * (size_t)w->ld + (size_t)i];
    return q > floor ? q : floor;
}

static double diagonal_floor(const snBoxQp *w, const snBoxQpProblem *p)
{
    double largest = 0;
    for (int32_t i = 0; i < p->n; ++i) largest = fmax(largest, diagonal(w, i, 0));
    return largest > 0 ? 1e-12 * largest : 1;
}

static double width(const snBoxQpProblem *p, int32_t i)
{
    double w = p->hi[i] - p->lo[i];
    return isfinite(w) ? w : 1;
}

/* How near a bound counts as on it: shrinks with the length of a projected gradient step, so that the set is exact in
 * the end, and keeps variables from creeping towards a bound in ever smaller steps. */
static double nearness(const snBoxQp *w, const snBoxQpProblem *p, const double *a, double floor)
{
    double longest = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        if (p->lo[i] == p->hi[i]) continue;
        double to = clamped(a[i] - w->g[i] / diagonal(w, i, floor), p->lo[i], p->hi[i]);
        longest = fmax(longest, fabs(a[i] - to) / width(p, i));
    }
    return fmin(near_limit, longest);
}

static void choose_free(snBoxQp *w, const snBoxQpProblem *p, const double *a, double floor)
{
    double eps = nearness(w, p, a, floor);
    w->nfree = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        double near = eps * width(p, i);
        w->bound[i] = p->lo[i] == p->hi[i] || (a[i] - p->lo[i] <= near && w->g[i] > 0) ||
                      (p->hi[i] - a[i] <= near && w->g[i] < 0);
        if (!w->bound[i]) w->free[w->nfree++] = i;
    }
}

/* The rows and columns of the free variables, upper half and whole blocks on the diagonal. */
static void copy_free_part(snBoxQp *w, double ridge, double floor)
{
    int32_t m = w->nfree;
    for (int32_t i = 0; i < m; ++i) {
        const double *q = w->Q + (size_t)w->free[i] * (size_t)w->ld;
        double *u = w->upper + (size_t)i * (size_t)w->ld;
        for (int32_t j = i & ~3; j < m; ++j) u[j] = q[w->free[j]];
        u[i] += ridge * diagonal(w, w->free[i], floor);
        w->least[i] = 1e-15 * m * u[i]; /* a pivot below is nothing but rounding */
    }
}

/* sub = minus the inverse of the free part, with a ridge, times the gradient. False where there is no inverse. */
static bool newton_step(snBoxQp *w, double ridge, double floor)
{
    copy_free_part(w, ridge, floor);
    if (!w->dense->factor(w->nfree, w->upper, w->ld, w->least)) return false;
    for (int32_t i = 0; i < w->nfree; ++i) w->sub[i] = -w->g[w->free[i]];
    w->dense->solve(w->nfree, w->upper, w->ld, w->sub);
    return true;
}

/* ---- pivoting ------------------------------------------------------------------------------- */

/* x = the minimiser with the bound variables on their sides, g its gradient. False where Q is not definite. */
static bool solve_sides(snBoxQp *w, const snBoxQpProblem *p, double *scale)
{
    w->nfree = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        if (w->side[i])
            w->x[i] = w->side[i] < 0 ? p->lo[i] : p->hi[i];
        else
            w->free[w->nfree++] = i;
    }
    gradient(w, p, w->x);
    if (!newton_step(w, 0, 0)) return false;
    for (int32_t i = 0; i < w->nfree; ++i) w->x[w->free[i]] += w->sub[i];
    *scale = gradient(w, p, w->x);
    return isfinite(*scale);
}

/* next = the side that each variable wants to be on, `rounding` the gradient that is none. Returns how many differ. */
static int32_t wanted_sides(snBoxQp *w, const snBoxQpProblem *p, double rounding)
{
    int32_t count = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        int8_t side = w->side[i];
        if (side == 0)
            w->next[i] = (int8_t)((w->x[i] > p->hi[i]) - (w->x[i] < p->lo[i]));
        else
            w->next[i] = p->lo[i] < p->hi[i] && side * w->g[i] > rounding ? 0 : side;
        count += w->next[i] != side;
    }
    return count;
}

/* a = the minimiser, from the active set of a; as it was where pivoting finds none. */
static void pivot(snBoxQp *w, const snBoxQpProblem *p, double *a, int32_t *iteration)
{
    int32_t fewest = p->n + 1;
    double scale;
    for (int32_t i = 0; i < p->n; ++i) {
        w->side[i] = (int8_t)(a[i] <= p->lo[i] ? -1 : a[i] >= p->hi[i]);
        w->x[i] = a[i];
    }
    for (int patience = PATIENCE; patience > 0; --patience) {
        ++*iteration;
        if (!solve_sides(w, p, &scale)) return;
        int32_t wrong = wanted_sides(w, p, aim * scale);
        if (wrong == 0) {
            memcpy(a, w->x, sizeof(double) * (size_t)p->n);
            return;
        }
        if (wrong < fewest) fewest = wrong, patience = PATIENCE;
        memcpy(w->side, w->next, (size_t)p->n);
    }
}

/* ---- projected Newton ----------------------------------------------------------------------- */

/* Newton on the free variables, a scaled gradient step on the bound ones. A semidefinite Q gets the least ridge that
 * lets it be factored: its flat directions are then followed to their bounds. False when there is none (NaN). */
static bool direction(snBoxQp *w, const snBoxQpProblem *p, double floor)
{
    for (int32_t i = 0; i < p->n; ++i) w->d[i] = p->lo[i] == p->hi[i] ? 0 : -w->g[i] / diagonal(w, i, floor);
    for (double ridge = 0; !newton_step(w, ridge, floor);) {
        ridge = ridge > 0 ? 100 * ridge : 1e-10;
        if (ridge > 1) return false;
    }
    for (int32_t i = 0; i < w->nfree; ++i) w->d[w->free[i]] = w->sub[i];
    return true;
}

/* Moves a along the projected path. False when nothing along it descends. */
static bool search(snBoxQp *w, const snBoxQpProblem *p, double *a, int trials)
{
    double t = 1;
    for (int trial = 0; trial < trials; ++trial, t /= 2) {
        double linear = 0, curved = 0, promised = 0;
        for (int32_t i = 0; i < p->n; ++i) {
            w->x[i] = clamped(a[i] + t * w->d[i], p->lo[i], p->hi[i]);
            w->delta[i] = w->x[i] - a[i];
            linear += w->g[i] * w->delta[i];
            promised += w->g[i] * (w->bound[i] ? w->delta[i] : t * w->d[i]);
        }
        w->dense->multiply(p->n, w->Q, w->ld, w->delta, w->row, w->size);
        for (int32_t i = 0; i < p->n; ++i) curved += w->delta[i] * w->row[i];
        if (linear + curved / 2 <= 1e-4 * promised && promised < 0) {
            memcpy(a, w->x, sizeof(double) * (size_t)p->n);
            return true;
        }
    }
    return false;
}

static void clamp_start(const snBoxQpProblem *p, double *a)
{
    for (int32_t i = 0; i < p->n; ++i) a[i] = clamped(isfinite(a[i]) ? a[i] : 0, p->lo[i], p->hi[i]);
}

static int32_t count_between(const snBoxQpProblem *p, const double *a)
{
    int32_t count = 0;
    for (int32_t i = 0; i < p->n; ++i) count += a[i] > p->lo[i] && a[i] < p->hi[i];
    return count;
}

static double residual_of(snBoxQp *w, const snBoxQpProblem *p, const double *a)
{
    double scale = gradient(w, p, a);
    return ratio(wrong_gradient(p, a, w->g), scale);
}

/* Returns the residual. */
static double newton(snBoxQp *w, const snBoxQpProblem *p, double *a, int32_t *iteration)
{
    double floor = diagonal_floor(w, p), residual = residual_of(w, p, a);
    for (int round = 0; !(residual <= aim) && round < MAX_ITERATIONS; ++round, ++*iteration) {
        choose_free(w, p, a, floor);
        /* A converged answer that the full step does not improve is as good as rounding allows. */
        if (!direction(w, p, floor) || !search(w, p, a, residual <= good_enough ? 1 : MAX_HALVINGS)) break;
        residual = residual_of(w, p, a);
    }
    return residual;
}

snStatus sn_boxqp_solve(snBoxQp *w, const snBoxQpProblem *p, double *a, snBoxQpInfo *info)
{
    assert(p->n <= w->max_n && (p->ld == 0 || (p->ld >= p->n && p->ld % SN_DENSE_PAD == 0)));
    int32_t iteration = 0;
    load(w, p);
    clamp_start(p, a);
    double residual = residual_of(w, p, a);
    if (!(residual <= aim)) {
        pivot(w, p, a, &iteration);
        residual = newton(w, p, a, &iteration);
    }
    if (info) *info = (snBoxQpInfo){iteration, count_between(p, a), residual};
    return residual <= good_enough ? SN_OK : SN_FAILED;
}
