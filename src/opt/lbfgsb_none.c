/* Without the package liblbfgsb: what callers are told. CMake takes this file or lbfgsb.c. */
#include "opt/lbfgsb.h"

#include "base/error.h"

static snStatus refuse(snError *error)
{
    (void)sn_fail(error, SN_FAILED, "this sinew was built without L-BFGS-B");
    sn_error_remedy(error, "install liblbfgsb-dev, build again, or choose another method");
    return SN_FAILED;
}

bool sn_lbfgsb_available(void)
{
    return false;
}

snStatus sn_lbfgsb_create(int32_t max_n, snLbfgsb **w, snError *error)
{
    (void)max_n;
    *w = NULL;
    return refuse(error);
}

void sn_lbfgsb_destroy(snLbfgsb *w)
{
    (void)w;
}

snStatus sn_lbfgsb_minimise(snLbfgsb *w, const snSmoothProblem *problem, double *x, snSmoothInfo *info, snError *error)
{
    (void)w, (void)problem, (void)x, (void)info;
    return refuse(error);
}
