/* The stiffness of one quadrature point, added to the tiles of a body; compiled for each instruction set. */
#ifndef SN_MESHFREE_BLOCKS_H
#define SN_MESHFREE_BLOCKS_H

#include "sparse/tile.h"

typedef struct snBlocksKernel {
    /* H_ab += volume g_a' C g_b for the free nodes a, b of a stencil. entry: count of them, in ascending
     * place[node[e]]; gradient: 3 for each entry of the stencil. The number behind the last tile is written to, with
     * what it holds. */
    void (*add)(const snTiles *tiles, float *value, int32_t count, const int32_t *entry, const int32_t *node,
                const int32_t *place, const double *gradient, double volume, const double C[81]);
} snBlocksKernel;

const snBlocksKernel *sn_blocks_portable(void);
const snBlocksKernel *sn_blocks_avx2(void); /* NULL where it cannot run */

#endif
