/* Linear programs with bounds: the dual bound as certificate, all vertices of small ones, degenerate and unbounded ones. */
#include "check.h"

#include "base/alloc.h"
#include "opt/simplex.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ROWS = 12, COLUMNS = 300 };

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static void the_bound_is_reached(void **state)
{
    (void)state;
    static double At[COLUMNS * ROWS], c[COLUMNS], lo[COLUMNS], hi[COLUMNS], x[COLUMNS], y[ROWS];
    uint64_t seed = 3;
    int32_t pivots = 0;
    for (int round = 0; round < 200; ++round) {
        int32_t m = 1 + round % ROWS, n = m + 1 + (round * 37) % (COLUMNS - ROWS);
        for (int32_t i = 0; i < n * m; ++i) At[i] = round % 3 == 1 && noise(&seed) < 0 ? 0 : noise(&seed);
        for (int32_t v = 0; v < n; ++v) {
            c[v] = round % 2 ? noise(&seed) : v == n - 1;
            lo[v] = round % 5 == 4 ? -1 : 0, hi[v] = 1;
        }
        snSimplexProblem p = {.m = m, .n = n, .At = At, .c = c, .lo = lo, .hi = hi};
        snSimplexInfo info;
        assert_int_equal(sn_simplex_solve(&p, x, y, &info), SN_OK);
        for (int32_t v = 0; v < n; ++v) assert_true(x[v] >= lo[v] - 1e-9 && x[v] <= hi[v] + 1e-9);
        assert_at_most(info.residual, 1e-9);
        assert_near(info.value, info.bound, 1e-9 * (1 + fabs(info.bound)));
        pivots = info.pivots > pivots ? info.pivots : pivots;
    }
    print_message("200 programs: at most %d pivots\n", pivots);
}

/* One row: variables in the order of what they gain per unit of the row, as a merchant would. */
static void one_row_by_hand(void **state)
{
    (void)state;
    /* maximise s with 3 a + 2 b - c - s = 0 within 0..1: a = b = 1, c = 0, s = 5 */
    const double At[4] = {3, 2, -1, -1}, c[4] = {0, 0, 0, 1}, lo[4] = {0}, hi[4] = {1, 1, 1, INFINITY};
    double x[4], y[1];
    snSimplexInfo info;
    snSimplexProblem p = {.m = 1, .n = 4, .At = At, .c = c, .lo = lo, .hi = hi};
    assert_int_equal(sn_simplex_solve(&p, x, y, &info), SN_OK);
    assert_near(info.value, 5, 1e-12);
    assert_near(x[2], 0, 0);
    /* two rows, one balanced: a pulls both, only b can undo the second, half as well: s = 2 * 0.5 */
    const double two[6] = {2, 1, 0, -0.5, -1, 0}, gain[3] = {0, 0, 1}, none[3] = {0}, most[3] = {1, 1, INFINITY};
    double x2[3], y2[2];
    snSimplexProblem q = {.m = 2, .n = 3, .At = two, .c = gain, .lo = none, .hi = most};
    assert_int_equal(sn_simplex_solve(&q, x2, y2, &info), SN_OK);
    assert_near(info.value, 1, 1e-12);
    assert_near(x2[0], 0.5, 1e-12);
}

static void what_has_no_answer_fails(void **state)
{
    (void)state;
    const double At[2] = {1, -1}, c[2] = {0, 1}, lo[2] = {0}, hi[2] = {INFINITY, INFINITY};
    double x[2], y[1];
    snSimplexInfo info;
    snSimplexProblem p = {.m = 1, .n = 2, .At = At, .c = c, .lo = lo, .hi = hi};
    assert_int_equal(sn_simplex_solve(&p, x, y, &info), SN_FAILED);
    int64_t live = sn_alloc_live();
    for (int n = 0; n < 3; ++n) {
        sn_alloc_fail_after(n);
        assert_int_equal(sn_simplex_solve(&p, x, y, &info), SN_NO_MEMORY);
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_reached),
        cmocka_unit_test(one_row_by_hand),
        cmocka_unit_test(what_has_no_answer_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
