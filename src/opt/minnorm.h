/* The least activation that holds given torques: minimise |a|^2 with R a = tau and 0 <= a <= 1. The static check of
 * a model for co-contraction: where moment arms are nearly collinear, muscles must work against each other, and the
 * answer shows which. Torques out of reach are met as nearly as possible. */
#ifndef SN_OPT_MINNORM_H
#define SN_OPT_MINNORM_H

#include "sinew/base.h"

#include <stdint.h>

typedef struct snMinNormInfo {
    double norm2; /* |a|^2 */
    double unmet; /* |R a - tau|, in the units of tau */
    int32_t rounds;
} snMinNormInfo;

typedef struct snMinNorm snMinNorm; /* workspace: solving allocates nothing */

snMinNorm *sn_minnorm_create(int32_t max_rows, int32_t max_n); /* NULL when out of memory */
void sn_minnorm_destroy(snMinNorm *work);                      /* NULL is fine */

/* R is nrow * n, row-major: torque per activation. Rows should be of like size. a (n): in, where to start (zero is
 * fine); out, the activations. info may be NULL. */
snStatus sn_minnorm_solve(snMinNorm *work, int32_t nrow, int32_t n, const double *R, const double *tau, double *a,
                          snMinNormInfo *info);

#endif
