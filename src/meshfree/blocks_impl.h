/* blocks.h in vectors of four numbers; included once for each instruction set.
 *
 * In single precision: H_ab = sum over j of g_aj D_bj, D_bj[3 i + k] = sum over l of C[(i, j), (k, l)] g_bl. Columns
 * are added four numbers at a time: the fourth, which is another entry's, gets zero. */
#include "meshfree/blocks.h"
#include "meshfree/quads.h"

typedef float four __attribute__((vector_size(16))); /* three numbers, the last is zero */
typedef float four_any __attribute__((vector_size(16), aligned(4), may_alias));

static void add(const snTiles *t, float *value, int32_t count, const int32_t *entry, const int32_t *node,
                const int32_t *place, const double *gradient, double volume, const double C[81])
{
    ptrdiff_t row[SN_SOFT_MAX_STENCIL], column[SN_SOFT_MAX_STENCIL]; /* an entry is at the sum of both */
    float g[SN_SOFT_MAX_STENCIL][3];
    four D[3][3], M[3][3][3]; /* columns k of a block */
    for (int j = 0; j < 3; ++j)
        for (int l = 0; l < 3; ++l)
            for (int k = 0; k < 3; ++k) {
                const double *c = C + 9 * j + 3 * k + l;
                M[j][l][k] = (four){(float)(volume * c[0]), (float)(volume * c[27]), (float)(volume * c[54]), 0};
            }
    for (int32_t a = 0; a < count; ++a) {
        /* three unknowns of a node never straddle a tile: 48 is a multiple of 3 */
        int32_t first = 3 * place[node[entry[a]]], tile = first / SN_TILE, in = first - tile * SN_TILE;
        row[a] = (ptrdiff_t)(t->start[tile] - t->first[tile]) * SN_TILE_SIZE + in;
        column[a] = (ptrdiff_t)tile * SN_TILE_SIZE + (ptrdiff_t)in * SN_TILE;
        for (int j = 0; j < 3; ++j) g[a][j] = (float)gradient[3 * entry[a] + j];
    }
    for (int32_t b = 0; b < count; ++b) {
        float *from = value + column[b];
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) D[j][k] = M[j][0][k] * g[b][0] + M[j][1][k] * g[b][1] + M[j][2][k] * g[b][2];
        for (int32_t a = b; a < count; ++a) {
            float *at = from + row[a];
            for (int k = 0; k < 3; ++k, at += SN_TILE)
                *(four_any *)at += D[0][k] * g[a][0] + D[1][k] * g[a][1] + D[2][k] * g[a][2];
        }
    }
}

static const snBlocksKernel blocks_table = {add};
