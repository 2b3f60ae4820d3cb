/* tile.h in plain C with the compiler's vectors. */
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors never leave this file */
typedef float vf __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) vf vf_nmadd(vf a, vf b, vf c)
{
    return c - a * b;
}

#define TILE_NAME "portable"
#include "sparse/tile_impl.h"

const snTileKernel *sn_tile_portable(void)
{
    return &tile_table;
}
