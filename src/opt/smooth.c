/* The certificate that every bounded minimiser of smooth functions shares. */
#include "opt/lbfgsb.h"

#include <math.h>

double sn_smooth_residual(const snSmoothProblem *problem, const double *x, const double *gradient)
{
    double worst = 0;
    for (int32_t i = 0; i < problem->n; ++i) {
        double to = x[i] - gradient[i];
        to = to < problem->lo[i] ? problem->lo[i] : to > problem->hi[i] ? problem->hi[i] : to;
        worst = fmax(worst, fabs(to - x[i]));
    }
    return worst;
}
