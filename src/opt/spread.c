#include "opt/spread.h"

#include "base/alloc.h"
#include "opt/dense.h"
#include "opt/dualqp.h"

#include <math.h>
#include <string.h>

static const double OTHERS = 0.01; /* what it costs the others to move, of what it is worth to the one that is pulled */
static const double SLACK = 1e-4;  /* of the rows: a range of 1 is paid with a thousandth of a row or so */

struct snSpread {
    int32_t n, ld, most_rows;
    double *Bt, *M, *tau, *y, *target, *weight, *lo, *hi, *x;
    snDualQp *qp;
};

snSpread *sn_spread_create(int32_t nrow, int32_t n)
{
    snSpread *s = SN_NEW(snSpread);
    if (!s) return NULL;
    size_t ld = (size_t)(s->ld = sn_dense_ld(nrow > 0 ? nrow : 1)), nx = (size_t)(n > 0 ? n : 1);
    s->n = n, s->most_rows = nrow;
    s->Bt = SN_NEW_ARRAY(double, nx *ld + ld * ld + 2 * ld + 5 * nx);
    s->qp = sn_dualqp_create((int32_t)ld, (int32_t)nx);
    if (!s->Bt || !s->qp) {
        sn_spread_destroy(s);
        return NULL;
    }
    s->M = s->Bt + nx * ld, s->tau = s->M + ld * ld, s->y = s->tau + ld, s->target = s->y + ld;
    s->weight = s->target + nx, s->lo = s->weight + nx, s->hi = s->lo + nx, s->x = s->hi + nx;
    for (int32_t i = 0; i < n; ++i) s->hi[i] = 1;
    for (size_t i = 0; i < ld; ++i) s->M[i * (ld + 1)] = 1;
    return s;
}

void sn_spread_destroy(snSpread *s)
{
    if (!s) return;
    sn_free(s->Bt);
    sn_dualqp_destroy(s->qp);
    sn_free(s);
}

/* Rows of unit size that have any, and what they make now. */
static int32_t take_rows(snSpread *s, int32_t nrow, const double *R, int32_t ld, const double *a)
{
    int32_t m = 0;
    for (int32_t r = 0; r < nrow && m < s->most_rows; ++r) {
        const double *row = R + (size_t)r * (size_t)ld;
        double size2 = 0, sum = 0;
        for (int32_t i = 0; i < s->n; ++i) size2 += row[i] * row[i];
        if (!(size2 > 0)) continue;
        double scale = 1 / sqrt(size2);
        for (int32_t i = 0; i < s->n; ++i) {
            s->Bt[(size_t)i * (size_t)s->ld + (size_t)m] = scale * row[i];
            sum += scale * row[i] * a[i];
        }
        s->tau[m++] = sum;
    }
    return m;
}

/* How far unknown `which` goes towards an end of its range. */
static double pull(snSpread *s, int32_t m, const double *a, int32_t which, double end)
{
    snDualQpProblem problem = {.m = m,
                               .n = s->n,
                               .ld = s->ld,
                               .Bt = s->Bt,
                               .M = s->M,
                               .tau = s->tau,
                               .target = s->target,
                               .weight = s->weight,
                               .lo = s->lo,
                               .hi = s->hi,
                               .eps = SLACK};
    for (int32_t i = 0; i < s->n; ++i) s->target[i] = a[i], s->weight[i] = OTHERS;
    s->target[which] = end, s->weight[which] = 1;
    memset(s->y, 0, sizeof *s->y * (size_t)s->ld);
    if (sn_dualqp_solve(s->qp, &problem, s->y, s->x, NULL) != SN_OK) return 0;
    return fabs(s->x[which] - a[which]);
}

double sn_spread_find(snSpread *s, int32_t nrow, const double *R, int32_t ld, const double *a, int32_t most)
{
    int32_t count = s->n < most ? s->n : most, m = take_rows(s, nrow, R, ld, a);
    double sum = 0;
    for (int32_t k = 0; k < count && m > 0; ++k) {
        int32_t which = (int32_t)((int64_t)k * s->n / count);
        sum += pull(s, m, a, which, 1) + pull(s, m, a, which, 0);
    }
    return count > 0 && m > 0 ? sum / count : NAN;
}
