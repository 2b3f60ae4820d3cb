/* Square matrices of 3 x 3 blocks in single precision, for the nodes of a lattice: pattern, colours, product, sweeps.
 *
 * Vectors have four floats a node; the fourth is zero. Rows are numbered colour by colour, and rows of one colour do
 * not meet, so that a Gauss-Seidel sweep runs over a colour in any order and the result never depends on threads.
 *
 * Invariants: columns of a row ascend; the pattern is symmetric and every row has its diagonal. */
#ifndef SN_FLESH_BLOCKS_H
#define SN_FLESH_BLOCKS_H

#include "base/parallel.h"
#include "sinew/base.h"

enum { SN_BLOCKS_COLORS = 64, SN_BLOCKS_CHUNK = 256 };

typedef float snF4 __attribute__((vector_size(16)));
typedef float snF4Any __attribute__((vector_size(16), aligned(4), may_alias));

typedef struct snBlocks {
    int32_t n;
    int32_t *start, *column; /* n + 1; where each block stands */
    int32_t *diagonal;       /* n: of the blocks */
    float *block;            /* 9 each, by columns; room for one more float than needed at the end */
    float *inverse;          /* 12 each: the inverted diagonal, columns of four */
    int32_t ncolor, color[SN_BLOCKS_COLORS + 1]; /* first row of each */
} snBlocks;                                      /* zeroed memory is an empty matrix */

/* Groups of nodes that all meet each other: `size` each. Only the pattern, in the numbering given. */
snStatus sn_blocks_pattern(int32_t n, int32_t ngroup, int32_t size, const int32_t *group, snBlocks *m);
/* The pattern of P' A P: parent has two columns of P for each row of A; ncoarse columns in all. */
snStatus sn_blocks_coarse_pattern(const snBlocks *fine, const int32_t *parent, int32_t ncoarse, snBlocks *m);
/* New numbers that sort the rows by colours; the pattern takes them on. SN_BAD_INPUT: more colours than there are. */
snStatus sn_blocks_color(snBlocks *m, int32_t *number);
/* Room for the numbers. */
snStatus sn_blocks_allocate(snBlocks *m);
void sn_blocks_free(snBlocks *m);
int64_t sn_blocks_bytes(const snBlocks *m);
/* Where the block (row, column) is; it must exist. */
int32_t sn_blocks_find(const snBlocks *m, int32_t row, int32_t column);

/* Inverts the diagonal blocks. Rows whose block is not positive definite get the inverse of the trace; returns how
 * many there were. */
int32_t sn_blocks_invert(snBlocks *m, snPool *pool);
void sn_blocks_product(const snBlocks *m, snPool *pool, const float *x, float *y); /* y = A x */
/* x = (D + L)^-1 b and the residual r = b - A x. */
void sn_blocks_first_sweep(const snBlocks *m, snPool *pool, const float *b, float *x, float *r);
/* A sweep back over all colours: x improves. */
void sn_blocks_back_sweep(const snBlocks *m, snPool *pool, const float *b, float *x);

/* Loops over rows [first, last) in chunks; small ones stay on the calling thread. */
typedef void (*snRowsFn)(void *context, int32_t first, int32_t last);
void sn_rows_loop(snPool *pool, int32_t first, int32_t last, snRowsFn body, void *context);
/* Sums that do not depend on the number of threads. */
double sn_rows_dot(snPool *pool, int32_t n, const float *a, const float *b, double *scratch);
static inline int32_t sn_rows_chunks(int32_t n)
{
    return (n + SN_BLOCKS_CHUNK - 1) / SN_BLOCKS_CHUNK;
}

#endif
