/* Projected Newton with an active set [Bertsekas 1982].
 *
 * Variables at (or very near) a bound with a gradient that holds them there are bound and take a gradient step; the
 * others are free and take a Newton step. A search along the projected path takes the longest of 1, 1/2, 1/4 ... that
 * descends enough, so many variables may meet or leave their bounds in one iteration. Once the active set is right, one
 * step is exact: from the last answer that is one to three factorisations.
 *
 * Invariants: a is within the bounds at all times, and a variable at a bound equals it exactly. */
#include "opt/boxqp.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double good_enough = 1e-9, aim = 1e-13; /* residuals: converged; as good as rounding allows */
static const double near_limit = 0.01;               /* part of the width that counts as near a bound, at most */
enum { MAX_ITERATIONS = 200, MAX_HALVINGS = 50 };

struct snBoxQp {
    int32_t max_n, nfree;
    int32_t *free;                   /* indices of the free variables */
    double *g, *d, *x, *delta, *row; /* gradient, direction, trial, trial - a, Q delta */
    double *sub;                     /* on the free variables: the least pivot, then the right-hand side */
    double *upper;                   /* Cholesky factor U of the free part, U'U; the diagonal holds 1 / U_kk */
    uint8_t *bound;
};

snBoxQp *sn_boxqp_create(int32_t max_n)
{
    snBoxQp *w = SN_NEW(snBoxQp);
    if (!w) return NULL;
    size_t n = (size_t)max_n;
    w->max_n = max_n;
    w->free = SN_NEW_ARRAY(int32_t, n);
    w->bound = SN_NEW_ARRAY(uint8_t, n);
    w->g = SN_NEW_ARRAY(double, 6 * n);
    w->upper = SN_NEW_ARRAY(double, n *n);
    if (!w->free || !w->bound || !w->g || !w->upper) {
        sn_boxqp_destroy(w);
        return NULL;
    }
    w->d = w->g + n, w->x = w->g + 2 * n, w->delta = w->g + 3 * n, w->row = w->g + 4 * n, w->sub = w->g + 5 * n;
    return w;
}

void sn_boxqp_destroy(snBoxQp *w)
{
    if (!w) return;
    sn_free(w->free);
    sn_free(w->bound);
    sn_free(w->g);
    sn_free(w->upper);
    sn_free(w);
}

static double clamped(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* y = Q x by rows, which by symmetry are columns: inner loops run along memory and zeros cost nothing. */
static void multiply(const snBoxQpProblem *p, const double *restrict x, double *restrict y)
{
    int32_t n = p->n;
    memset(y, 0, sizeof(double) * (size_t)n);
    for (int32_t j = 0; j < n; ++j) {
        const double *restrict q = p->Q + (size_t)j * (size_t)n;
        double xj = x[j];
        if (xj == 0) continue;
        for (int32_t i = 0; i < n; ++i) y[i] += q[i] * xj;
    }
}

/* Largest of |c| + |Q| |a|: what the entries of the gradient are made of. */
static double gradient_scale(const snBoxQpProblem *p, const double *a)
{
    double largest = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        const double *q = p->Q + (size_t)i * (size_t)p->n;
        double sum = fabs(p->c[i]);
        for (int32_t j = 0; j < p->n; ++j) sum += fabs(q[j] * a[j]);
        if (!(sum <= largest)) largest = sum;
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
        if (!(wrong <= worst)) worst = wrong;
    }
    return worst;
}

static double ratio(double x, double y)
{
    return x == 0 ? 0 : x / y;
}

double sn_boxqp_residual(const snBoxQpProblem *p, const double *a)
{
    double worst = 0, outside = 0, scale = gradient_scale(p, a);
    for (int32_t i = 0; i < p->n; ++i) {
        const double *q = p->Q + (size_t)i * (size_t)p->n;
        double g = p->c[i];
        for (int32_t j = 0; j < p->n; ++j) g += q[j] * a[j];
        snBoxQpProblem one = {1, NULL, NULL, p->lo + i, p->hi + i};
        double wrong = wrong_gradient(&one, a + i, &g);
        if (!(wrong <= worst)) worst = wrong;
        outside = fmax(outside, fmax(p->lo[i] - a[i], a[i] - p->hi[i]));
    }
    worst = ratio(worst, scale);
    return worst >= outside || isnan(worst) ? worst : outside;
}

/* Scale of variable i for gradient steps: Q_ii, and something above zero where Q_ii is none. */
static double diagonal(const snBoxQpProblem *p, int32_t i, double floor)
{
    double q = p->Q[(size_t)i * (size_t)p->n + (size_t)i];
    return q > floor ? q : floor;
}

static double diagonal_floor(const snBoxQpProblem *p)
{
    double largest = 0;
    for (int32_t i = 0; i < p->n; ++i) largest = fmax(largest, diagonal(p, i, 0));
    return largest > 0 ? 1e-12 * largest : 1;
}

static double width(const snBoxQpProblem *p, int32_t i)
{
    double w = p->hi[i] - p->lo[i];
    return isfinite(w) ? w : 1;
}

/* How near a bound counts as on it: shrinks with the length of a projected gradient step, so that the set is exact in
 * the end, and keeps variables from creeping towards a bound in ever smaller steps. */
static double nearness(const snBoxQpProblem *p, const double *a, const double *g, double floor)
{
    double longest = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        if (p->lo[i] == p->hi[i]) continue;
        double to = clamped(a[i] - g[i] / diagonal(p, i, floor), p->lo[i], p->hi[i]);
        longest = fmax(longest, fabs(a[i] - to) / width(p, i));
    }
    return fmin(near_limit, longest);
}

static void choose_free(snBoxQp *w, const snBoxQpProblem *p, const double *a, double floor)
{
    double eps = nearness(p, a, w->g, floor);
    w->nfree = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        double near = eps * width(p, i);
        w->bound[i] = p->lo[i] == p->hi[i] || (a[i] - p->lo[i] <= near && w->g[i] > 0) ||
                      (p->hi[i] - a[i] <= near && w->g[i] < 0);
        if (!w->bound[i]) w->free[w->nfree++] = i;
    }
}

static void copy_free_part(snBoxQp *w, const snBoxQpProblem *p, double ridge, double floor)
{
    int32_t m = w->nfree;
    for (int32_t i = 0; i < m; ++i) {
        const double *q = p->Q + (size_t)w->free[i] * (size_t)p->n;
        double *u = w->upper + (size_t)i * (size_t)m;
        for (int32_t j = i; j < m; ++j) u[j] = q[w->free[j]];
        u[i] += ridge * diagonal(p, w->free[i], floor);
        w->sub[i] = 1e-15 * m * u[i];
    }
}

/* U'U of the free part, in place. False at a pivot that is nothing but rounding. */
static bool factor(double *upper, const double *rounding, int32_t m)
{
    for (int32_t k = 0; k < m; ++k) {
        double *restrict uk = upper + (size_t)k * (size_t)m;
        if (!(uk[k] > rounding[k])) return false;
        double inverse = 1 / sqrt(uk[k]);
        for (int32_t j = k + 1; j < m; ++j) uk[j] *= inverse;
        uk[k] = inverse;
        for (int32_t i = k + 1; i < m; ++i) {
            double *restrict ui = upper + (size_t)i * (size_t)m, c = uk[i];
            for (int32_t j = i; j < m; ++j) ui[j] -= c * uk[j];
        }
    }
    return true;
}

static void solve_factored(const double *upper, int32_t m, double *restrict b)
{
    for (int32_t k = 0; k < m; ++k) {
        const double *restrict u = upper + (size_t)k * (size_t)m;
        double y = b[k] *= u[k];
        for (int32_t j = k + 1; j < m; ++j) b[j] -= u[j] * y;
    }
    for (int32_t k = m - 1; k >= 0; --k) {
        const double *restrict u = upper + (size_t)k * (size_t)m;
        double sum = b[k];
        for (int32_t j = k + 1; j < m; ++j) sum -= u[j] * b[j];
        b[k] = sum * u[k];
    }
}

/* Newton on the free variables, a scaled gradient step on the bound ones. A semidefinite Q gets the least ridge that
 * lets it be factored: its flat directions are then followed to their bounds. False when there is none (NaN). */
static bool direction(snBoxQp *w, const snBoxQpProblem *p, double floor)
{
    for (int32_t i = 0; i < p->n; ++i) w->d[i] = p->lo[i] == p->hi[i] ? 0 : -w->g[i] / diagonal(p, i, floor);
    double ridge = 0;
    for (copy_free_part(w, p, ridge, floor); !factor(w->upper, w->sub, w->nfree); copy_free_part(w, p, ridge, floor)) {
        ridge = ridge > 0 ? 100 * ridge : 1e-10;
        if (ridge > 1) return false;
    }
    for (int32_t i = 0; i < w->nfree; ++i) w->sub[i] = -w->g[w->free[i]];
    solve_factored(w->upper, w->nfree, w->sub);
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
        multiply(p, w->delta, w->row);
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

snStatus sn_boxqp_solve(snBoxQp *w, const snBoxQpProblem *p, double *a, snBoxQpInfo *info)
{
    assert(p->n <= w->max_n);
    double floor = diagonal_floor(p), residual = 0;
    int32_t iteration = 0;
    clamp_start(p, a);
    for (;; ++iteration) {
        multiply(p, a, w->g);
        for (int32_t i = 0; i < p->n; ++i) w->g[i] += p->c[i];
        residual = ratio(wrong_gradient(p, a, w->g), gradient_scale(p, a));
        if (residual <= aim || iteration == MAX_ITERATIONS) break;
        choose_free(w, p, a, floor);
        /* A converged answer that the full step does not improve is as good as rounding allows. */
        if (!direction(w, p, floor) || !search(w, p, a, residual <= good_enough ? 1 : MAX_HALVINGS)) break;
    }
    if (info) *info = (snBoxQpInfo){iteration, count_between(p, a), residual};
    return residual <= good_enough ? SN_OK : SN_FAILED;
}
