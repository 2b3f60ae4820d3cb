/* Cholesky factors of a symmetric matrix with a skyline, in single precision, by square tiles.
 *
 * For systems that are long and narrow once their unknowns are sorted along an axis. The lower half is stored: row i
 * of tiles from column first[i] to the diagonal, each tile by columns, SN_TILE x SN_TILE. The factor takes the place of
 * the matrix and has the same skyline. Written once in tile_impl.h and compiled for each instruction set. The result
 * does not depend on how many threads run elsewhere. */
#ifndef SN_SPARSE_TILE_H
#define SN_SPARSE_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SN_TILE = 48, SN_TILE_SIZE = SN_TILE * SN_TILE };

typedef struct snTiles {
    int32_t n;      /* unknowns */
    int32_t nrow;   /* rows of tiles; the last one is filled up with ones on the diagonal */
    int32_t *first; /* nrow: first column of tiles in each row */
    int32_t *lead;  /* nrow: columns of that tile that are zero in all of the row, in the factor too */
    int32_t *start; /* nrow + 1: tiles before each row */
} snTiles;          /* zeroed memory is an empty pattern */

/* reach: for each unknown the least unknown that it is coupled to, itself at most. False: out of memory. */
bool sn_tiles_create(int32_t n, const int32_t *reach, snTiles *tiles);
void sn_tiles_free(snTiles *tiles);
/* Numbers to store. */
static inline size_t sn_tiles_count(const snTiles *tiles)
{
    return (size_t)tiles->start[tiles->nrow] * SN_TILE_SIZE;
}
/* Sets the matrix to zero, and the diagonal behind the last unknown to one. */
void sn_tiles_clear(const snTiles *tiles, float *value);
/* Where the entry (row, column) is stored; row >= column, within the skyline. */
static inline size_t sn_tiles_at(const snTiles *tiles, int32_t row, int32_t column)
{
    int32_t i = row / SN_TILE, j = column / SN_TILE;
    return (size_t)(tiles->start[i] + j - tiles->first[i]) * SN_TILE_SIZE + (size_t)(column - j * SN_TILE) * SN_TILE +
           (size_t)(row - i * SN_TILE);
}

typedef struct snTileKernel {
    const char *name;
    /* A = L L' in place; the diagonal then holds 1 / L_kk. False at a pivot that is not positive. */
    bool (*factor)(const snTiles *tiles, float *value);
    /* x = (L L')^-1 x; x has nrow * SN_TILE numbers, those behind the last unknown are zero. */
    void (*solve)(const snTiles *tiles, const float *value, float *x);
} snTileKernel;

const snTileKernel *sn_tile_portable(void);
const snTileKernel *sn_tile_avx2(void); /* NULL where it cannot run */
const snTileKernel *sn_tile(void);      /* the faster of those that can run */

#endif
