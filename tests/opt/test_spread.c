/* Ranges of unknowns at the same products: against those that can be told by hand, and by another program. */
#include "check.h"

#include "opt/boxqp.h"
#include "opt/spread.h"

#include <stdlib.h>
#include <string.h>

static double spread_of(int32_t nrow, int32_t n, const double *R, const double *a)
{
    snSpread *s = sn_spread_create(nrow, n);
    assert_non_null(s);
    double mean = sn_spread_find(s, nrow, R, n, a, n);
    sn_spread_destroy(s);
    return mean;
}

static void an_unknown_that_is_alone_has_no_range(void **state)
{
    (void)state;
    assert_at_most(spread_of(1, 1, (double[]){3}, (double[]){0.4}), 2e-3);
    const double R[] = {2, 0, 0, 5}, a[] = {0.3, 0.9};
    assert_at_most(spread_of(2, 2, R, a), 2e-3);
}

static void two_that_pull_alike_share_as_they_like(void **state)
{
    (void)state;
    const double R[] = {1, 1, 0, 0, 0, 7}, a[] = {0.5, 0.5, 0.2};
    assert_near(spread_of(2, 3, R, a), (1 + 1 + 0) / 3.0, 0.02);
    /* Two that oppose each other with 0.2 of one more: 0.2 to 1 and 0 to 0.8. */
    const double opposed[] = {1, -1}, b[] = {0.6, 0.4};
    assert_near(spread_of(1, 2, opposed, b), 0.8, 0.02);
}

static void nothing_made_is_not_a_number(void **state)
{
    (void)state;
    assert_true(isnan(spread_of(1, 2, (double[]){0, 0}, (double[]){0.1, 0.2})));
}

/* The same by a primal program that pulls with a force: ranges of the larger of the two are the truer. */
static double by_force(int32_t nrow, int32_t n, const double *R, const double *a, int32_t which, double side)
{
    double Q[16 * 16] = {0}, c[16], lo[16] = {0}, hi[16], x[16];
    for (int32_t i = 0; i < n; ++i) hi[i] = 1, x[i] = a[i], c[i] = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            for (int32_t r = 0; r < nrow; ++r) Q[i * n + j] += 1e4 * R[r * n + i] * R[r * n + j];
            if (i == j) Q[i * n + j] += 1e-4;
        }
        for (int32_t j = 0; j < n; ++j) c[i] -= Q[i * n + j] * a[j];
    }
    c[which] -= 0.1 * side;
    snBoxQp *qp = sn_boxqp_create(n);
    snBoxQpProblem problem = {.n = n, .Q = Q, .c = c, .lo = lo, .hi = hi};
    (void)sn_boxqp_solve(qp, &problem, x, NULL);
    sn_boxqp_destroy(qp);
    return side * (x[which] - a[which]);
}

static void both_programs_find_the_same_ranges(void **state)
{
    (void)state;
    enum { ROWS = 3, N = 9 };
    double R[ROWS * N], a[N], sum = 0;
    srand(3);
    for (int i = 0; i < N; ++i) a[i] = 0.2 + 0.6 * rand() / RAND_MAX;
    for (int r = 0; r < ROWS; ++r) {
        double size = 0;
        for (int i = 0; i < N; ++i) R[r * N + i] = 2.0 * rand() / RAND_MAX - 1, size += R[r * N + i] * R[r * N + i];
        for (int i = 0; i < N; ++i) R[r * N + i] /= sqrt(size);
    }
    for (int32_t i = 0; i < N; ++i) sum += by_force(ROWS, N, R, a, i, 1) + by_force(ROWS, N, R, a, i, -1);
    double mean = spread_of(ROWS, N, R, a);
    print_message("mean range %.4f, by the other program %.4f\n", mean, sum / N);
    assert_true(mean > 0.3);
    assert_near(mean, sum / N, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_unknown_that_is_alone_has_no_range),
                                       cmocka_unit_test(two_that_pull_alike_share_as_they_like),
                                       cmocka_unit_test(nothing_made_is_not_a_number),
                                       cmocka_unit_test(both_programs_find_the_same_ranges)};
    return cmocka_run_group_tests_name("opt.spread", tests, NULL, NULL);
}
