/* Multigrid over nested lattices: Galerkin matrices, one V cycle with a sweep of block Gauss-Seidel down and one up. */
#ifndef SN_FLESH_MULTIGRID_H
#define SN_FLESH_MULTIGRID_H

#include "flesh/blocks.h"
#include "flesh/lattice.h"

enum { SN_GRID_LEVELS = 12 };

typedef struct snGridLevel {
    snBlocks matrix;
    int32_t *parent;              /* 2 per row: rows of the next level; the mean of both; NULL on the coarsest */
    int32_t *child_start, *child; /* of the level above: its rows that name a row here, once or twice */
    float *x, *b, *r;             /* 4 per row */
} snGridLevel;

typedef struct snMultigrid {
    int32_t nlevel;
    snGridLevel level[SN_GRID_LEVELS];
    double *factor, *work; /* dense Cholesky factor of the coarsest matrix */
    int32_t **slot;        /* per thread chunk: where a column is in the row being gathered */
    int32_t nslot;
    snPool *pool;
} snMultigrid; /* zeroed memory is an empty one */

/* Lattice of the finest level and all matrices' patterns; the lattice's nodes are renumbered to rows. The pool (may be
 * NULL) must outlive it. */
snStatus sn_multigrid_create(const snSamples *samples, snPool *pool, snLattice *finest, snMultigrid *grid);
void sn_multigrid_free(snMultigrid *grid);
int64_t sn_multigrid_bytes(const snMultigrid *grid);
/* After the finest matrix has changed: its diagonal. */
void sn_multigrid_refresh(snMultigrid *grid);
/* The coarser matrices and the factor. False: the coarsest is not positive definite. */
bool sn_multigrid_coarsen(snMultigrid *grid);
/* z = B r, B about the inverse of the finest matrix, symmetric and positive definite when the matrix is. */
void sn_multigrid_cycle(snMultigrid *grid, const float *r, float *z);

#endif
