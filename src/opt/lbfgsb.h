/* Smooth functions with bounds: minimise f(x), lo <= x <= hi, by L-BFGS-B 3.0 [Zhu 1997, Morales 2011], the packaged
 * liblbfgsb. For quadratic functions opt/boxqp.h is exact and faster; this is the method that published hand
 * animation uses, kept as a reference, and the one for functions that are not quadratic.
 *
 * sinew builds without the package; sn_lbfgsb_create and sn_lbfgsb_minimise then end with SN_FAILED and say so. */
#ifndef SN_OPT_LBFGSB_H
#define SN_OPT_LBFGSB_H

#include "sinew/base.h"

#include <stdbool.h>
#include <stdint.h>

/* The value at x (n) and its gradient (n). */
typedef double (*snSmoothFn)(void *user, const double *x, double *gradient);

typedef struct snSmoothProblem {
    int32_t n;
    const double *lo, *hi; /* n, lo <= hi; infinite ones are no bound */
    snSmoothFn value;
    void *user;
    double value_tolerance;    /* stop when a step lowers the value by less, relative; 0: 1e-12 */
    double gradient_tolerance; /* stop when no entry of the projected gradient is larger; 0: 1e-11 */
    int32_t max_evaluations;   /* 0: 1000 */
} snSmoothProblem;

typedef struct snSmoothInfo {
    int32_t iterations, evaluations;
    double value;    /* at the answer */
    double gradient; /* largest entry of the projected gradient there */
    bool converged;  /* by one of the tolerances; false: max_evaluations, or the line search could not go on */
} snSmoothInfo;

typedef struct snLbfgsb snLbfgsb; /* workspace: minimising allocates nothing */

bool sn_lbfgsb_available(void);
/* SN_NO_MEMORY, or SN_FAILED without the package. */
snStatus sn_lbfgsb_create(int32_t max_n, snLbfgsb **w, snError *error);
void sn_lbfgsb_destroy(snLbfgsb *w); /* NULL is fine */
/* x (n): in, where to start (clamped to the bounds); out, the best point found. info may be NULL. SN_FAILED when the
 * function gives something that is not a number, x then being as given. */
snStatus sn_lbfgsb_minimise(snLbfgsb *w, const snSmoothProblem *problem, double *x, snSmoothInfo *info, snError *error);

/* Largest entry of the projected gradient: how far x is from satisfying the optimality conditions. */
double sn_smooth_residual(const snSmoothProblem *problem, const double *x, const double *gradient);

#endif
