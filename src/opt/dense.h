/* Small dense matrices in vectors of four numbers: what the controller and its quadratic program are made of, a hundred
 * rows at most by as many columns. Written once in dense_impl.h and compiled for each instruction set.
 *
 * Matrices are by rows, `ld` numbers apart, ld a multiple of SN_DENSE_PAD. Numbers behind the last column of a row may
 * be anything: they are read, but nothing that counts is made of them. Vectors are as long as ld. Sums do not depend
 * on how many cores there are or on where the arrays lie in memory. */
#ifndef SN_OPT_DENSE_H
#define SN_OPT_DENSE_H

#include <stdbool.h>
#include <stdint.h>

enum { SN_DENSE_PAD = 8 };

typedef struct snDense {
    const char *name;
    /* out (nrow rows) = C X; C by rows of ncolumn numbers, X of ncolumn rows. */
    void (*product)(int32_t nrow, int32_t ncolumn, const double *C, const double *X, int32_t ld, double *out);
    /* Q = H'H for the first n columns of H, both halves, the same to the last bit. Q has room for ld rows, which are
     * all written. */
    void (*gram)(int32_t nrow, int32_t n, const double *H, int32_t ld, double *Q);
    /* y = Q x and size = |Q| |x| for a symmetric Q of n rows. */
    void (*multiply)(int32_t n, const double *Q, int32_t ld, const double *x, double *y, double *size);
    /* Q = U'U in place, upper half; the diagonal then holds 1 / U_kk. Rows and columns up to the next multiple of four
     * behind n must be there and are overwritten. False at a pivot that is not above least[k]. */
    bool (*factor)(int32_t n, double *U, int32_t ld, const double *least);
    /* x = (U'U)^-1 x; the numbers up to the next multiple of four behind n are overwritten. */
    void (*solve)(int32_t n, const double *U, int32_t ld, double *x);
} snDense;

const snDense *sn_dense_portable(void);
const snDense *sn_dense_avx2(void); /* NULL where it cannot run */
const snDense *sn_dense(void);      /* the faster of those that can run */

/* Makes the lower half of a matrix what the upper one is. */
void sn_dense_mirror(int32_t n, double *Q, int32_t ld);

/* The least ld for n columns. */
static inline int32_t sn_dense_ld(int32_t n)
{
    return (n + SN_DENSE_PAD - 1) / SN_DENSE_PAD * SN_DENSE_PAD;
}

#endif
