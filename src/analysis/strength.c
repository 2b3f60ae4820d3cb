/* Strength of a joint: maximise s with B a = s d about the coordinates that count, 0 <= a <= 1. */
#include "analysis/own/strength.h"

#include "analysis/patient.h"
#include "base/alloc.h"
#include "opt/simplex.h"

#include <math.h>
#include <string.h>

/* Columns: of each unit, then that of s; a row of each coordinate that counts. */
static void fill_columns(const snPatient *p, const int32_t *row, int32_t m, const double *direction, double *At)
{
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t u = 0; u < p->nu; ++u)
            At[(size_t)u * (size_t)m + (size_t)i] = p->A[(size_t)row[i] * (size_t)p->nu + (size_t)u];
        At[(size_t)p->nu * (size_t)m + (size_t)i] = -direction[row[i]];
    }
}

static snStatus solve(const snPatient *p, const int32_t *row, int32_t m, const double *direction, double *activation,
                      snStrength *out)
{
    size_t n = (size_t)p->nu + 1;
    double *block = SN_NEW_ARRAY(double, n *(size_t)m + 4 * n + (size_t)m);
    if (!block) return SN_NO_MEMORY;
    double *At = block, *c = At + n * (size_t)m, *lo = c + n, *hi = lo + n, *x = hi + n, *y = x + n;
    fill_columns(p, row, m, direction, At);
    for (size_t u = 0; u + 1 < n; ++u) hi[u] = 1;
    hi[n - 1] = INFINITY, c[n - 1] = 1;
    snSimplexProblem problem = {.m = m, .n = (int32_t)n, .At = At, .c = c, .lo = lo, .hi = hi};
    snSimplexInfo info = {0};
    snStatus status = sn_simplex_solve(&problem, x, y, &info);
    *out = (snStrength){x[n - 1], info.bound - info.value, info.residual, info.pivots};
    if (activation) memcpy(activation, x, (n - 1) * sizeof *activation);
    sn_free(block);
    return status;
}

snStatus sn_strength(snPatient *p, const double *q, const double *direction, const bool *balanced, double *activation,
                     snStrength *strength)
{
    int32_t *row = SN_NEW_ARRAY(int32_t, p->nq > 0 ? p->nq : 1), m = 0, directed = 0;
    if (!row) return SN_NO_MEMORY;
    for (int32_t k = 0; k < p->nq; ++k) {
        directed += direction[k] != 0;
        if (direction[k] != 0 || (balanced && balanced[k])) row[m++] = k;
    }
    sn_patient_clamp(p, q, p->tau);
    sn_patient_assemble(p, p->tau, NULL, NULL);
    snStatus status = directed ? solve(p, row, m, direction, activation, strength) : SN_BAD_INPUT;
    sn_free(row);
    return status;
}
