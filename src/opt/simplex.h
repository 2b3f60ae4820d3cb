/* Linear programs with bounds through the origin: maximise c'x with A x = 0 and lo <= x <= hi, where lo <= 0 <= hi, so that
 * x = 0 is a start. Few rows, up to thousands of columns: the primal simplex method with bounded variables and an
 * explicit inverse of the basis; Bland's rule where it stands still, so that it ends. */
#ifndef SN_OPT_SIMPLEX_H
#define SN_OPT_SIMPLEX_H

#include "sinew/base.h"

#include <stdint.h>

typedef struct snSimplexProblem {
    int32_t m, n;
    const double *At;      /* n rows of m: the columns of A */
    const double *c;       /* n */
    const double *lo, *hi; /* n, lo <= 0 <= hi; infinite ones are fine */
} snSimplexProblem;

typedef struct snSimplexInfo {
    double value;    /* c'x */
    double bound;    /* what no x can exceed, from y: value and bound agree at an optimum, which is the certificate */
    double residual; /* largest entry of A x */
    int32_t pivots;
} snSimplexInfo;

/* x (n) and y (m): out. SN_FAILED: unbounded, or not done after 50 (m + n) pivots. */
snStatus sn_simplex_solve(const snSimplexProblem *problem, double *x, double *y, snSimplexInfo *info);

#endif
