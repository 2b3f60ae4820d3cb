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

/* C -= A B': sixteen rows by six columns at a time stay in registers. */
static void tile_update(float *restrict C, const float *restrict A, const float *restrict B)
{
    for (int j = 0; j < SN_TILE; j += 6)
        for (int i = 0; i < SN_TILE; i += 2 * LANES) {
            vf c[6][2];
            for (int q = 0; q < 6; ++q) {
                c[q][0] = vf_get(C + (j + q) * SN_TILE + i);
                c[q][1] = vf_get(C + (j + q) * SN_TILE + i + LANES);
            }
            for (int k = 0; k < SN_TILE; ++k) {
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

/* Column j of X minus the columns before it, each times the entry of row j of the factor D. */
static inline void column_update(float *X, const float *D, int j, vf out[COLUMN])
{
    for (int v = 0; v < COLUMN; ++v) out[v] = vf_get(X + j * SN_TILE + v * LANES);
    for (int k = 0; k < j; ++k) {
        vf f = vf_all(D[k * SN_TILE + j]);
        for (int v = 0; v < COLUMN; ++v) out[v] = vf_nmadd(vf_get(X + k * SN_TILE + v * LANES), f, out[v]);
    }
}

static inline void column_store(float *X, int j, float scale, const vf in[COLUMN])
{
    for (int v = 0; v < COLUMN; ++v) vf_put(X + j * SN_TILE + v * LANES, in[v] * vf_all(scale));
}

/* X = X D^-T, the diagonal of D holding reciprocals. */
static void tile_right_solve(float *X, const float *D)
{
    for (int j = 0; j < SN_TILE; ++j) {
        vf column[COLUMN];
        column_update(X, D, j, column);
        column_store(X, j, D[j * SN_TILE + j], column);
    }
}

/* Lower factor in place; what lies above the diagonal is overwritten with numbers that nobody reads. */
static bool tile_factor(float *D)
{
    for (int j = 0; j < SN_TILE; ++j) {
        vf column[COLUMN];
        column_update(D, D, j, column);
        float pivot = column[j / LANES][j % LANES];
        if (!(pivot > 0)) return false;
        float inverse = 1 / sqrtf(pivot);
        column_store(D, j, inverse, column);
        D[j * SN_TILE + j] = inverse;
    }
    return true;
}

static bool factor(const snTiles *t, float *value)
{
    for (int32_t i = 0; i < t->nrow; ++i)
        for (int32_t j = t->first[i]; j <= i; ++j) {
            float *target = value + (size_t)(t->start[i] + j - t->first[i]) * SN_TILE_SIZE;
            int32_t from = t->first[i] > t->first[j] ? t->first[i] : t->first[j];
            const float *a = value + (size_t)(t->start[i] + from - t->first[i]) * SN_TILE_SIZE;
            const float *b = value + (size_t)(t->start[j] + from - t->first[j]) * SN_TILE_SIZE;
            for (int32_t k = from; k < j; ++k, a += SN_TILE_SIZE, b += SN_TILE_SIZE) tile_update(target, a, b);
            if (j < i)
                tile_right_solve(target, value + (size_t)(t->start[j + 1] - 1) * SN_TILE_SIZE);
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

static void multiply_transposed(const float *A, const float *x, float *y)
{
    for (int k = 0; k < SN_TILE; ++k) {
        vf sum = vf_all(0);
        for (int v = 0; v < COLUMN; ++v)
            sum = vf_nmadd(vf_get(A + k * SN_TILE + v * LANES), vf_get(x + v * LANES), sum);
        y[k] += ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    }
}

static void solve(const snTiles *t, const float *value, float *x)
{
    for (int32_t i = 0; i < t->nrow; ++i) {
        const float *row = value + (size_t)t->start[i] * SN_TILE_SIZE;
        float *y = x + i * SN_TILE;
        for (int32_t k = t->first[i]; k < i; ++k, row += SN_TILE_SIZE) multiply(row, x + k * SN_TILE, y);
        for (int j = 0; j < SN_TILE; ++j) {
            y[j] *= row[j * SN_TILE + j];
            for (int r = j + 1; r < SN_TILE; ++r) y[r] -= row[j * SN_TILE + r] * y[j];
        }
    }
    for (int32_t i = t->nrow - 1; i >= 0; --i) {
        const float *row = value + (size_t)t->start[i] * SN_TILE_SIZE;
        const float *diagonal = value + (size_t)(t->start[i + 1] - 1) * SN_TILE_SIZE;
        float *y = x + i * SN_TILE;
        for (int j = SN_TILE - 1; j >= 0; --j) {
            float sum = y[j];
            for (int r = j + 1; r < SN_TILE; ++r) sum -= diagonal[j * SN_TILE + r] * y[r];
            y[j] = sum * diagonal[j * SN_TILE + j];
        }
        for (int32_t k = t->first[i]; k < i; ++k, row += SN_TILE_SIZE) multiply_transposed(row, y, x + k * SN_TILE);
    }
}

static const snTileKernel tile_table = {TILE_NAME, factor, solve};
