/* tile.h: the pattern, and the choice of the kernel. */
#include "sparse/tile.h"

#include "base/alloc.h"

#include <string.h>

bool sn_tiles_create(int32_t n, const int32_t *reach, snTiles *tiles)
{
    *tiles = (snTiles){.n = n, .nrow = (n + SN_TILE - 1) / SN_TILE};
    tiles->first = SN_NEW_ARRAY(int32_t, tiles->nrow);
    tiles->lead = SN_NEW_ARRAY(int32_t, tiles->nrow);
    tiles->start = SN_NEW_ARRAY(int32_t, tiles->nrow + 1);
    if (!tiles->first || !tiles->lead || !tiles->start) {
        sn_tiles_free(tiles);
        return false;
    }
    for (int32_t i = 0; i < tiles->nrow; ++i) {
        int32_t least = i * SN_TILE;
        for (int32_t row = i * SN_TILE; row < (i + 1) * SN_TILE && row < n; ++row)
            if (reach[row] < least) least = reach[row];
        int32_t first = tiles->first[i] = least / SN_TILE;
        tiles->lead[i] = least % SN_TILE;
        tiles->start[i + 1] = tiles->start[i] + i - first + 1;
    }
    return true;
}

void sn_tiles_free(snTiles *tiles)
{
    sn_free(tiles->first);
    sn_free(tiles->lead);
    sn_free(tiles->start);
    *tiles = (snTiles){0};
}

void sn_tiles_clear(const snTiles *tiles, float *value)
{
    memset(value, 0, sn_tiles_count(tiles) * sizeof *value);
    for (int32_t row = tiles->n; row < tiles->nrow * SN_TILE; ++row) value[sn_tiles_at(tiles, row, row)] = 1;
}

const snTileKernel *sn_tile(void)
{
    const snTileKernel *fast = sn_tile_avx2();
    return fast ? fast : sn_tile_portable();
}
