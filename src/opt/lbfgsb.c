/* L-BFGS-B 3.0 through its reverse communication: the Fortran routine returns whenever it wants a value and a gradient,
 * or has taken a step. Eight pairs of steps and gradient changes are remembered, as in [Tsang 2005].
 *
 * Invariant: x stays within the bounds; the routine never evaluates outside them. */
#include "opt/lbfgsb.h"

#include "base/alloc.h"
#include "base/error.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* The package prints a line where the projected gradient is exactly zero; it stops before that. */
static const double least_gradient = 1e-11;
enum { PAIRS = 8, TEXT = 60, ISAVE = 44, DSAVE = 29 };

/* Fortran: logicals are four bytes wide, lengths of texts follow the arguments. */
void setulb_(const int32_t *n, const int32_t *m, double *x, const double *l, const double *u, const int32_t *nbd,
             double *f, double *g, const double *factr, const double *pgtol, double *wa, int32_t *iwa, char *task,
             const int32_t *iprint, char *csave, int32_t *lsave, int32_t *isave, double *dsave, size_t task_length,
             size_t csave_length);

struct snLbfgsb {
    int32_t max_n;
    double *x, *g, *lo, *hi, *work;
    int32_t *kind, *iwork;
    char task[TEXT], csave[TEXT];
    int32_t lsave[4], isave[ISAVE];
    double dsave[DSAVE];
};

bool sn_lbfgsb_available(void)
{
    return true;
}

snStatus sn_lbfgsb_create(int32_t max_n, snLbfgsb **out, snError *error)
{
    *out = NULL;
    snLbfgsb *w = SN_NEW(snLbfgsb);
    if (!w) return sn_fail_no_memory(error);
    size_t n = (size_t)max_n;
    w->max_n = max_n;
    w->x = SN_NEW_ARRAY(double, 4 * n);
    w->work = SN_NEW_ARRAY(double, 2 * PAIRS * n + 5 * n + 11 * PAIRS * PAIRS + 8 * PAIRS);
    w->iwork = SN_NEW_ARRAY(int32_t, 4 * n);
    if (!w->x || !w->work || !w->iwork) {
        sn_lbfgsb_destroy(w);
        return sn_fail_no_memory(error);
    }
    w->g = w->x + n, w->lo = w->g + n, w->hi = w->lo + n;
    w->kind = w->iwork + 3 * n;
    *out = w;
    return SN_OK;
}

void sn_lbfgsb_destroy(snLbfgsb *w)
{
    if (!w) return;
    sn_free(w->x);
    sn_free(w->work);
    sn_free(w->iwork);
    sn_free(w);
}

static bool says(const snLbfgsb *w, const char *word)
{
    return strncmp(w->task, word, strlen(word)) == 0;
}

static void tell(snLbfgsb *w, const char *words)
{
    memset(w->task, ' ', TEXT);
    memcpy(w->task, words, strlen(words));
}

/* Which bounds each variable has: 0 none, 1 below, 2 both, 3 above. */
static void load(snLbfgsb *w, const snSmoothProblem *p, const double *x)
{
    for (int32_t i = 0; i < p->n; ++i) {
        bool below = isfinite(p->lo[i]), above = isfinite(p->hi[i]);
        w->kind[i] = below ? above ? 2 : 1 : above ? 3 : 0;
        w->lo[i] = below ? p->lo[i] : 0;
        w->hi[i] = above ? p->hi[i] : 0;
        w->x[i] = x[i] < p->lo[i] ? p->lo[i] : x[i] > p->hi[i] ? p->hi[i] : x[i];
    }
    tell(w, "START");
}

static bool is_finite(double value, int32_t n, const double *g)
{
    for (int32_t i = 0; i < n; ++i) value += 0 * g[i];
    return isfinite(value);
}

snStatus sn_lbfgsb_minimise(snLbfgsb *w, const snSmoothProblem *p, double *x, snSmoothInfo *info, snError *error)
{
    const int32_t pairs = PAIRS, silent = -1;
    double tolerance = p->value_tolerance > 0 ? p->value_tolerance : 1e-12, factor = tolerance / DBL_EPSILON;
    double gradient_tolerance = fmax(p->gradient_tolerance, least_gradient), value = 0;
    int32_t limit = p->max_evaluations > 0 ? p->max_evaluations : 1000;
    snSmoothInfo found = {0};
    assert(p->n <= w->max_n);
    load(w, p, x);
    for (;;) {
        setulb_(&p->n, &pairs, w->x, w->lo, w->hi, w->kind, &value, w->g, &factor, &gradient_tolerance, w->work,
                w->iwork, w->task, &silent, w->csave, w->lsave, w->isave, w->dsave, TEXT, TEXT);
        if (says(w, "FG")) {
            value = p->value(p->user, w->x, w->g);
            ++found.evaluations;
            if (!is_finite(value, p->n, w->g))
                return sn_fail(error, SN_FAILED, "the function to minimise has no finite value or gradient");
        } else if (says(w, "NEW_X")) {
            ++found.iterations;
            if (found.evaluations >= limit) break;
        } else
            break;
    }
    found.converged = says(w, "CONV");
    if (!found.converged) value = p->value(p->user, w->x, w->g);
    memcpy(x, w->x, sizeof *x * (size_t)p->n);
    found.value = value;
    found.gradient = sn_smooth_residual(p, w->x, w->g);
    if (info) *info = found;
    return SN_OK;
}
