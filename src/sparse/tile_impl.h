/* tile.h in vectors of eight numbers. The including file defines vf (a vector of eight floats), vf_nmadd(a, b, c) =
 * c - a b and TILE_NAME. A tile is stored by columns, so that a column of 48 is six vectors. */
#include "sparse/tile.h"

#include <math.h>

enum { LANES = 8, COLUMN = SN_TILE / LANES };

typedef float vf_any __attribute__((vector_size(32), aligned(4), may_alias));

static inline vf vf_all(float a)
{
    return (vf){a, a, a, a, a, a, a, a};
}
static inline vf vf_get(const float *a)
{
    return *(const vf_any *)(const void *)a;
}
static inline void vf_put(float *a, vf x)
{
    *(vf_any *)(void *)a = x;
}

/* C -= A B' over the columns of A and B from `from` on: sixteen rows by six columns at a time stay in registers. lower:
 * what lies above the diagonal of C is not needed. */
static void tile_update(float *restrict C, const float *restrict A, const float *restrict B, int from, bool lower)
{
    for (int j = 0; j < SN_TILE; j += 6)
        for (int i = lower ? j / (2 * LANES) * 2 * LANES : 0; i < SN_TILE; i += 2 * LANES) {
            vf c[6][2];
            for (int q = 0; q < 6; ++q) {
                c[q][0] = vf_get(C + (j + q) * SN_TILE + i);
                c[q][1] = vf_get(C + (j + q) * SN_TILE + i + LANES);
            }
            for (int k = from; k < SN_TILE; ++k) {
                vf a0 = vf_get(A + k * SN_TILE + i), a1 = vf_get(A + k * SN_TILE + i + LANES);
                for (int q = 0; q < 6; ++q) {
                    vf b = vf_all(B[k * SN_TILE + j + q]);
                    c[q][0] = vf_nmadd(a0, b, c[q][0]);
                    c[q][1] = vf_nmadd(a1, b, c[q][1]);
                }
            }
            for (int q = 0; q < 6; ++q) {
                vf_put(C + (j + q) * SN_TILE + i, c[q][0]);
                vf_put(C + (j + q) * SN_TILE + i + LANES, c[q][1]);
            }
        }
}

/* Column j of X minus the columns from `from` on before it, each times the entry of row j of the factor D. */
static inline void column_update(float *X, const float *D, int from, int j, vf out[COLUMN])
{
    for (int v = 0; v < COLUMN; ++v) out[v] = vf_get(X + j * SN_TILE + v * LANES);
    for (int k = from; k < j; ++k) {
        vf f = vf_all(D[k * SN_TILE + j]);
        for (int v = 0; v < COLUMN; ++v) out[v] = vf_nmadd(vf_get(X + k * SN_TILE + v * LANES), f, out[v]);
    }
}

static inline void column_store(float *X, int j, float scale, const vf in[COLUMN])
{
    for (int v = 0; v < COLUMN; ++v) vf_put(X + j * SN_TILE + v * LANES, in[v] * vf_all(scale));
}

/* X = X D^-T, the diagonal of D holding reciprocals; the columns of X before `from` are zero. */
static void tile_right_solve(float *X, const float *D, int from)
{
    for (int j = from; j < SN_TILE; ++j) {
        vf column[COLUMN];
        column_update(X, D, from, j, column);
        column_store(X, j, D[j * SN_TILE + j], column);
    }
}

/* Lower factor in place; what lies above the diagonal is overwritten with numbers that nobody reads. */
static bool tile_factor(float *D)
{
    for (int j = 0; j < SN_TILE; ++j) {
        vf column[COLUMN];
        column_update(D, D, 0, j, column);
        float pivot = column[j / LANES][j % LANES];
        if (!(pivot > 0)) return false;
        float inverse = 1 / sqrtf(pivot);
        column_store(D, j, inverse, column);
        D[j * SN_TILE + j] = inverse;
    }
    return true;
}

/* Columns of the tile (i, column) that are zero before its first entry: none but in the first tile of a row. */
static inline int zeros(const snTiles *t, int32_t i, int32_t column)
{
    return column == t->first[i] ? t->lead[i] : 0;
}

static bool factor(const snTiles *t, float *value)
{
    for (int32_t i = 0; i < t->nrow; ++i)
        for (int32_t j = t->first[i]; j <= i; ++j) {
            float *target = value + (size_t)(t->start[i] + j - t->first[i]) * SN_TILE_SIZE;
            int32_t from = t->first[i] > t->first[j] ? t->first[i] : t->first[j];
            const float *a = value + (size_t)(t->start[i] + from - t->first[i]) * SN_TILE_SIZE;
            const float *b = value + (size_t)(t->start[j] + from - t->first[j]) * SN_TILE_SIZE;
            for (int32_t k = from; k < j; ++k, a += SN_TILE_SIZE, b += SN_TILE_SIZE) {
                int za = zeros(t, i, k), zb = zeros(t, j, k);
                tile_update(target, a, b, za > zb ? za : zb, i == j);
            }
            if (j < i)
                tile_right_solve(target, value + (size_t)(t->start[j + 1] - 1) * SN_TILE_SIZE, zeros(t, i, j));
            else if (!tile_factor(target))
                return false;
        }
    return true;
}

/* y -= A x and y -= A' x for one tile. */
static void multiply(const float *A, const float *x, float *y)
{
    vf sum[COLUMN];
    for (int v = 0; v < COLUMN; ++v) sum[v] = vf_get(y + v * LANES);
    for (int k = 0; k < SN_TILE; ++k)
        for (int v = 0; v < COLUMN; ++v) sum[v] = vf_nmadd(vf_get(A + k * SN_TILE + v * LANES), vf_all(x[k]), sum[v]);
    for (int v = 0; v < COLUMN; ++v) vf_put(y + v * LANES, sum[v]);
}

static inline float vf_sum(vf a)
{
    return ((a[0] + a[4]) + (a[1] + a[5])) + ((a[2] + a[6]) + (a[3] + a[7]));
}

static void multiply_transposed(const float *A, const float *x, float *y)
{
    for (int k = 0; k < SN_TILE; ++k) {
        vf sum = vf_all(0);
        for (int v = 0; v < COLUMN; ++v)
            sum = vf_nmadd(vf_get(A + k * SN_TILE + v * LANES), vf_get(x + v * LANES), sum);
        y[k] += vf_sum(sum);
    }
}

/* y = L^-1 y and y = L^-T y for a tile of the diagonal; whole vectors below the one that holds its entry. */
static void forward(const float *L, float *restrict y)
{
    for (int j = 0; j < SN_TILE; ++j, L += SN_TILE) {
        int whole = (j / LANES + 1) * LANES;
        y[j] *= L[j];
        for (int r = j + 1; r < whole; ++r) y[r] -= L[r] * y[j];
        vf f = vf_all(y[j]);
        for (int r = whole; r < SN_TILE; r += LANES) vf_put(y + r, vf_nmadd(vf_get(L + r), f, vf_get(y + r)));
    }
}

static void backward(const float *L, float *restrict y)
{
    L += SN_TILE_SIZE - SN_TILE;
    for (int j = SN_TILE - 1; j >= 0; --j, L -= SN_TILE) {
        int whole = (j / LANES + 1) * LANES;
        vf sum = vf_all(0);
        for (int r = whole; r < SN_TILE; r += LANES) sum = vf_nmadd(vf_get(L + r), vf_get(y + r), sum);
        float all = y[j] + vf_sum(sum);
        for (int r = j + 1; r < whole; ++r) all -= L[r] * y[r];
        y[j] = all * L[j];
    }
}

static void solve(const snTiles *t, const float *value, float *x)
{
    for (int32_t i = 0; i < t->nrow; ++i) {
        const float *row = value + (size_t)t->start[i] * SN_TILE_SIZE;
        float *y = x + i * SN_TILE;
        for (int32_t k = t->first[i]; k < i; ++k, row += SN_TILE_SIZE) multiply(row, x + k * SN_TILE, y);
        forward(row, y);
    }
    for (int32_t i = t->nrow - 1; i >= 0; --i) {
        const float *row = value + (size_t)t->start[i] * SN_TILE_SIZE;
        const float *diagonal = value + (size_t)(t->start[i + 1] - 1) * SN_TILE_SIZE;
        float *y = x + i * SN_TILE;
        backward(diagonal, y);
        for (int32_t k = t->first[i]; k < i; ++k, row += SN_TILE_SIZE) multiply_transposed(row, y, x + k * SN_TILE);
    }
}

static const snTileKernel tile_table = {TILE_NAME, factor, solve};
