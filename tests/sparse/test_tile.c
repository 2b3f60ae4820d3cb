/* The tile-skyline Cholesky against the matrix it came from, for every instruction set that runs here. */
#include "check.h"

#include "base/alloc.h"
#include "sparse/tile.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 7;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(seed >> 11) / 9007199254740992.0 - 1;
}

/* A diagonally dominant matrix with a ragged skyline, full (n x n). */
static void make(int32_t n, int32_t band, int32_t *reach, double *full)
{
    memset(full, 0, (size_t)n * (size_t)n * sizeof *full);
    for (int32_t i = 0; i < n; ++i) {
        reach[i] = i - (int32_t)(fabs(uniform()) * band);
        if (reach[i] < 0) reach[i] = 0;
        for (int32_t j = reach[i]; j < i; ++j) full[i * n + j] = full[j * n + i] = uniform();
    }
    for (int32_t i = 0; i < n; ++i) {
        double sum = 1;
        for (int32_t j = 0; j < n; ++j) sum += fabs(full[i * n + j]);
        full[i * n + i] = sum;
    }
}

static void solves(void **state)
{
    (void)state;
    const snTileKernel *kernel[2] = {sn_tile_portable(), sn_tile_avx2()};
    const int32_t sizes[] = {1, 3, 47, 48, 49, 100, 331};
    for (int k = 0; k < 2; ++k)
        for (size_t s = 0; kernel[k] && s < sizeof sizes / sizeof *sizes; ++s) {
            int32_t n = sizes[s];
            int32_t *reach = calloc((size_t)n, sizeof *reach);
            double *full = calloc((size_t)n * (size_t)n, sizeof *full), *x = calloc((size_t)n, sizeof *x);
            snTiles tiles;
            make(n, 120, reach, full);
            assert_true(sn_tiles_create(n, reach, &tiles));
            float *value = SN_NEW_ARRAY(float, sn_tiles_count(&tiles)),
                  *right = SN_NEW_ARRAY(float, tiles.nrow *SN_TILE);
            sn_tiles_clear(&tiles, value);
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = reach[i]; j <= i; ++j) value[sn_tiles_at(&tiles, i, j)] = (float)full[i * n + j];
            for (int32_t i = 0; i < n; ++i) x[i] = uniform();
            for (int32_t i = 0; i < n; ++i) {
                double sum = 0;
                for (int32_t j = 0; j < n; ++j) sum += full[i * n + j] * x[j];
                right[i] = (float)sum;
            }
            assert_true(kernel[k]->factor(&tiles, value));
            kernel[k]->solve(&tiles, value, right);
            for (int32_t i = 0; i < n; ++i) assert_near((double)right[i], x[i], 2e-5);
            sn_free(value), sn_free(right), free(reach), free(full), free(x);
            sn_tiles_free(&tiles);
        }
}

static void refuses_indefinite(void **state)
{
    (void)state;
    const snTileKernel *kernel[2] = {sn_tile_portable(), sn_tile_avx2()};
    for (int k = 0; k < 2; ++k) {
        if (!kernel[k]) continue;
        int32_t reach[2] = {0, 0};
        snTiles tiles;
        assert_true(sn_tiles_create(2, reach, &tiles));
        float *value = SN_NEW_ARRAY(float, sn_tiles_count(&tiles));
        sn_tiles_clear(&tiles, value);
        value[sn_tiles_at(&tiles, 0, 0)] = 1, value[sn_tiles_at(&tiles, 1, 1)] = 1,
                                     value[sn_tiles_at(&tiles, 1, 0)] = 2;
        assert_false(kernel[k]->factor(&tiles, value));
        sn_free(value);
        sn_tiles_free(&tiles);
    }
}

static void survives_no_memory(void **state)
{
    (void)state;
    int32_t reach[3] = {0, 0, 0};
    int64_t before = sn_alloc_live();
    for (int64_t n = 0; n < 2; ++n) {
        snTiles tiles;
        sn_alloc_fail_after(n);
        assert_false(sn_tiles_create(3, reach, &tiles));
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(refuses_indefinite),
                                       cmocka_unit_test(survives_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
