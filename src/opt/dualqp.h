/* Many muscles, few torques: minimise |W (a - target)|^2 / 2 + s' M^-1 s / (2 eps) with B a + s = tau and
 * lo <= a <= hi. The shortfall s is paid for in the metric M^-1: with M the mass matrix it is the acceleration that is
 * missing that counts, and eps y is that acceleration.
 *
 * Solved in the dual, which has one unknown per torque: a(y) = clip(target + W^-2 B'y), B a(y) + eps M y = tau, by
 * semismooth Newton with an exact line search on the (convex, piecewise quadratic) dual function. Warm-started from the
 * last y it takes one or two rounds; an active set that changes one muscle at a time takes hundreds. Torques
 * far out of reach with a small eps make every muscle 0 or 1, and that takes many rounds too: raise eps then. */
#ifndef SN_OPT_DUALQP_H
#define SN_OPT_DUALQP_H

#include "sinew/base.h"

#include <stdint.h>

typedef struct snDualQpProblem {
    int32_t m, n;          /* torques, muscles */
    int32_t ld;            /* from one row of M, or of a dense Bt, to the next: at least sn_dense_ld(m) */
    const double *Bt;      /* torques per activation of each muscle: n rows of m numbers, or the entries of `col` */
    const int32_t *adr;    /* n + 1: entries of muscle j are adr[j] .. adr[j + 1] - 1; NULL: Bt is dense */
    const int32_t *col;    /* torque of each entry, rising within a muscle */
    const double *M;       /* m * m, symmetric positive definite */
    const double *tau;     /* m */
    const double *target;  /* n; NULL: zero */
    const double *weight;  /* n: squares of W, above 0; NULL: 1 */
    const double *lo, *hi; /* n, lo <= hi; hi may be infinite */
    double eps;            /* above 0: how dear the shortfall is; smaller is dearer */
    int32_t max_rounds;    /* 0: 100 */
} snDualQpProblem;

typedef struct snDualQpInfo {
    int32_t rounds;  /* factorisations */
    int32_t nfree;   /* muscles between their bounds */
    double residual; /* largest |B a + eps M y - tau| over the largest |tau| + |B a| */
} snDualQpInfo;

typedef struct snDualQp snDualQp; /* workspace: solving allocates nothing */

snDualQp *sn_dualqp_create(int32_t max_m, int32_t max_n); /* NULL when out of memory */
void sn_dualqp_destroy(snDualQp *work);                   /* NULL is fine */

/* y (m): in, where to start (NaN counts as zero); out, the dual solution. a (n): out. info may be NULL. SN_FAILED when
 * M is not definite or numbers are not finite. Where max_rounds end the search, SN_OK and the residual says how far it
 * is: a then is within its bounds and fits y. */
snStatus sn_dualqp_solve(snDualQp *work, const snDualQpProblem *problem, double *y, double *a, snDualQpInfo *info);

/* Certificate: primal less dual value over their size, 0 at the solution; takes a factorisation of M. a need only lie
 * within its bounds. NaN when M is not definite. */
double sn_dualqp_gap(snDualQp *work, const snDualQpProblem *problem, const double *y, const double *a);

#endif
