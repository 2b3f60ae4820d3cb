/* The small dense kernels against plain loops, for every instruction set that runs here, at all sizes around the width
 * of their blocks; what lies behind the last column must not matter. */
#include "check.h"

#include "opt/dense.h"

#include <math.h>
#include <string.h>

enum { MAX = 40, ROWS = 23 };

static uint64_t seed = 7;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(seed >> 11) / 9007199254740992.0 - 1;
}

/* Random numbers, and NaN behind column n. */
static void fill(int32_t nrow, int32_t n, int32_t ld, double *a)
{
    for (int32_t i = 0; i < nrow * ld; ++i) a[i] = i % ld < n ? uniform() : NAN;
}

static int32_t kinds(const snDense *list[2])
{
    list[0] = sn_dense_portable();
    list[1] = sn_dense_avx2();
    if (!list[1]) print_message("no AVX2 here: only the portable kernels are tested\n");
    return list[1] ? 2 : 1;
}

static void products(void **state)
{
    (void)state;
    static double X[6 * MAX], C[ROWS * 6], out[ROWS * MAX];
    const snDense *kind[2];
    for (int32_t k = 0, count = kinds(kind); k < count; ++k)
        for (int32_t n = 1; n <= MAX; ++n) {
            int32_t ld = sn_dense_ld(n);
            fill(6, n, ld, X);
            fill(ROWS, 6, 6, C);
            kind[k]->product(ROWS, 6, C, X, ld, out);
            for (int32_t i = 0; i < ROWS; ++i)
                for (int32_t j = 0; j < n; ++j) {
                    double sum = 0;
                    for (int32_t e = 0; e < 6; ++e) sum += C[6 * i + e] * X[ld * e + j];
                    assert_near(out[ld * i + j], sum, 1e-14);
                }
        }
}

static void gram_is_symmetric_and_right(void **state)
{
    (void)state;
    static double H[ROWS * MAX], Q[MAX * MAX];
    const snDense *kind[2];
    for (int32_t k = 0, count = kinds(kind); k < count; ++k)
        for (int32_t n = 1; n <= MAX; ++n) {
            int32_t ld = sn_dense_ld(n);
            fill(ROWS, n, ld, H);
            kind[k]->gram(ROWS, n, H, ld, Q);
            for (int32_t i = 0; i < n; ++i)
                for (int32_t j = 0; j < n; ++j) {
                    double sum = 0;
                    for (int32_t r = 0; r < ROWS; ++r) sum += H[ld * r + i] * H[ld * r + j];
                    assert_near(Q[ld * i + j], sum, 1e-13);
                    assert_memory_equal(&Q[ld * i + j], &Q[ld * j + i], sizeof(double));
                }
        }
}

/* Q = R'R + I */
static void definite(int32_t n, int32_t ld, double *Q)
{
    static double R[MAX * MAX];
    fill(n, n, n, R);
    fill(ld, n, ld, Q);
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j) {
            double sum = i == j;
            for (int32_t r = 0; r < n; ++r) sum += R[n * r + i] * R[n * r + j];
            Q[ld * i + j] = sum;
        }
}

static void factor_and_solve_undo_multiply(void **state)
{
    (void)state;
    static double Q[MAX * MAX], U[MAX * MAX], x[MAX], y[MAX], size[MAX], least[MAX];
    const snDense *kind[2];
    for (int32_t k = 0, count = kinds(kind); k < count; ++k)
        for (int32_t n = 1; n <= MAX; ++n) {
            int32_t ld = sn_dense_ld(n);
            definite(n, ld, Q);
            fill(1, n, ld, x);
            memcpy(U, Q, sizeof U);
            kind[k]->multiply(n, Q, ld, x, y, size);
            for (int32_t i = 0; i < n; ++i) {
                double sum = 0, all = 0;
                for (int32_t j = 0; j < n; ++j) sum += Q[ld * i + j] * x[j], all += fabs(Q[ld * i + j] * x[j]);
                assert_near(y[i], sum, 1e-13);
                assert_near(size[i], all, 1e-12);
            }
            assert_true(kind[k]->factor(n, U, ld, least));
            kind[k]->solve(n, U, ld, y);
            for (int32_t i = 0; i < n; ++i) assert_near(y[i], x[i], 1e-11);
        }
}

static void small_pivots_are_refused(void **state)
{
    (void)state;
    static double Q[MAX * MAX], U[MAX * MAX], least[MAX];
    const snDense *kind[2];
    for (int32_t k = 0, count = kinds(kind); k < count; ++k)
        for (int32_t n = 1; n <= MAX; n += 3)
            for (int32_t bad = 0; bad < n; ++bad) {
                int32_t ld = sn_dense_ld(n);
                definite(n, ld, Q);
                memcpy(U, Q, sizeof U);
                least[bad] = 1e6;
                assert_false(kind[k]->factor(n, U, ld, least));
                least[bad] = 0;
                memcpy(U, Q, sizeof U);
                U[(ld + 1) * bad] = NAN;
                assert_false(kind[k]->factor(n, U, ld, least));
            }
}

static void mirror_copies_the_upper_half(void **state)
{
    (void)state;
    static double Q[MAX * MAX], before[MAX * MAX];
    for (int32_t n = 0; n <= MAX; ++n) {
        fill(MAX, n, MAX, Q);
        memcpy(before, Q, sizeof Q);
        sn_dense_mirror(n, Q, MAX);
        for (int32_t i = 0; i < MAX; ++i)
            for (int32_t j = 0; j < MAX; ++j) {
                bool lower = i < n && j < i;
                assert_memory_equal(&Q[i * MAX + j], &before[lower ? j * MAX + i : i * MAX + j], sizeof *Q);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(gram_is_symmetric_and_right),
        cmocka_unit_test(factor_and_solve_undo_multiply),
        cmocka_unit_test(small_pivots_are_refused),
        cmocka_unit_test(mirror_copies_the_upper_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
