/* Method of multipliers around the box QP: each round minimises ridge |a|^2 / 2 + |R a - target|^2 / 2 and moves the
 * target by what is still missing. With a feasible tau the miss shrinks by about ridge over the smallest squared
 * singular value per round; with an infeasible one the answer tends to the least-norm point among the nearest. */
#include "opt/minnorm.h"

#include "base/alloc.h"
#include "opt/boxqp.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double relative_ridge = 1e-5; /* of the mean diagonal of R'R: well above rounding, yet a fast penalty */
enum { MAX_ROUNDS = 30 };

struct snMinNorm {
    int32_t max_rows, max_n;
    snBoxQp *qp;
    double *Q, *c, *lo, *hi, *target, *miss;
};

snMinNorm *sn_minnorm_create(int32_t max_rows, int32_t max_n)
{
    snMinNorm *w = SN_NEW(snMinNorm);
    if (!w) return NULL;
    size_t n = (size_t)max_n, m = (size_t)max_rows;
    w->max_rows = max_rows, w->max_n = max_n;
    w->qp = sn_boxqp_create(max_n);
    w->Q = SN_NEW_ARRAY(double, n *n + 3 * n + 2 * m);
    if (!w->qp || !w->Q) {
        sn_minnorm_destroy(w);
        return NULL;
    }
    w->c = w->Q + n * n, w->lo = w->c + n, w->hi = w->lo + n, w->target = w->hi + n, w->miss = w->target + m;
    for (size_t i = 0; i < n; ++i) w->hi[i] = 1;
    return w;
}

void sn_minnorm_destroy(snMinNorm *w)
{
    if (!w) return;
    sn_boxqp_destroy(w->qp);
    sn_free(w->Q);
    sn_free(w);
}

/* Q = R'R + ridge I */
static void normal_matrix(snMinNorm *w, int32_t nrow, int32_t n, const double *R)
{
    size_t m = (size_t)n;
    double trace = 0;
    memset(w->Q, 0, sizeof(double) * m * m);
    for (int32_t r = 0; r < nrow; ++r) {
        const double *row = R + (size_t)r * m;
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n; ++j) w->Q[(size_t)i * m + (size_t)j] += row[i] * row[j];
    }
    for (size_t i = 0; i < m; ++i) trace += w->Q[i * m + i];
    for (size_t i = 0; i < m; ++i) w->Q[i * m + i] += trace > 0 ? relative_ridge * trace / n : 1;
}

static void linear_term(snMinNorm *w, int32_t nrow, int32_t n, const double *R)
{
    for (int32_t i = 0; i < n; ++i) {
        w->c[i] = 0;
        for (int32_t r = 0; r < nrow; ++r) w->c[i] -= R[(size_t)r * (size_t)n + (size_t)i] * w->target[r];
    }
}

/* miss = tau - R a; returns its norm. */
static double measure(snMinNorm *w, int32_t nrow, int32_t n, const double *R, const double *tau, const double *a)
{
    double sum = 0;
    for (int32_t r = 0; r < nrow; ++r) {
        w->miss[r] = tau[r];
        for (int32_t i = 0; i < n; ++i) w->miss[r] -= R[(size_t)r * (size_t)n + (size_t)i] * a[i];
        sum += w->miss[r] * w->miss[r];
    }
    return sqrt(sum);
}

snStatus sn_minnorm_solve(snMinNorm *w, int32_t nrow, int32_t n, const double *R, const double *tau, double *a,
                          snMinNormInfo *info)
{
    assert(nrow <= w->max_rows && n <= w->max_n);
    snBoxQpProblem problem = {.n = n, .Q = w->Q, .c = w->c, .lo = w->lo, .hi = w->hi};
    double size = 0, miss = INFINITY, before = INFINITY;
    int32_t round = 0;
    snStatus status = SN_OK;
    normal_matrix(w, nrow, n, R);
    for (int32_t r = 0; r < nrow; ++r) w->target[r] = tau[r], size += tau[r] * tau[r];
    while (status == SN_OK && round < MAX_ROUNDS) {
        linear_term(w, nrow, n, R);
        status = sn_boxqp_solve(w->qp, &problem, a, NULL);
        before = miss, miss = measure(w, nrow, n, R, tau, a);
        ++round;
        if (miss <= 1e-12 * sqrt(size) || fabs(before - miss) <= 1e-10 * miss) break;
        for (int32_t r = 0; r < nrow; ++r) w->target[r] += w->miss[r];
    }
    double norm2 = 0;
    for (int32_t i = 0; i < n; ++i) norm2 += a[i] * a[i];
    if (info) *info = (snMinNormInfo){norm2, miss, round};
    return status;
}
