/* Convex quadratic programs with bounds: minimise a'Qa/2 + c'a, lo <= a <= hi, dense, up to a few hundred variables.
 * Built for the controller: the same small problem thousands of times, each a little different from the last. */
#ifndef SN_OPT_BOXQP_H
#define SN_OPT_BOXQP_H

#include "sinew/base.h"

#include <stdint.h>

typedef struct snBoxQpProblem {
    int32_t n;
    const double *Q;       /* n * n, symmetric, positive definite or semidefinite */
    const double *c;       /* n */
    const double *lo, *hi; /* n, lo <= hi; equal fixes a variable. Infinite ones are fine where Q is definite */
    int32_t ld; /* from one row of Q to the next: 0 for n, or at least sn_dense_ld(n) as opt/dense.h asks, which saves a
                   copy of Q */
} snBoxQpProblem;

typedef struct snBoxQpInfo {
    int32_t iterations; /* active sets tried, one factorisation each */
    int32_t nfree;      /* variables between their bounds */
    double residual;    /* sn_boxqp_residual of the answer */
} snBoxQpInfo;

typedef struct snBoxQp snBoxQp; /* workspace: solving allocates nothing */

snBoxQp *sn_boxqp_create(int32_t max_n); /* NULL when out of memory */
void sn_boxqp_destroy(snBoxQp *qp);      /* NULL is fine */

/* a (n): in, where to start, best the last answer, whose entries at bounds are the active set to begin with (anything
 * out of bounds or NaN is clamped); out, the minimiser. info may be NULL. SN_FAILED when the residual stays above
 * 1e-9 (Q not semidefinite, NaN, unbounded): a then is the best point found, within the bounds. */
snStatus sn_boxqp_solve(snBoxQp *qp, const snBoxQpProblem *problem, double *a, snBoxQpInfo *info);

/* Certificate: how far a is from satisfying the optimality conditions, 0 at a minimiser. The largest wrong gradient
 * entry (any between the bounds, one that points inwards at a bound) over the largest of |c| + |Q| |a|, or the largest
 * step out of the bounds if that is more. */
double sn_boxqp_residual(const snBoxQpProblem *problem, const double *a);

#endif
