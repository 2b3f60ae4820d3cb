/* The part of a library's grid that is kept: the largest box without a jump, against a search of all boxes. */
#include "check.h"

#include "author/library_grid.h"

enum { N0 = 5, N1 = 4, TOTAL = N0 * N1 };

static uint64_t seed = 11;
static bool chance(int32_t of_ten)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)(seed >> 33) % 10 < of_ten;
}

/* Whether samples (i, k), low[0] <= i <= high[0] and so on, are all solved and pairs of them do not jump. */
static bool holds(snLibraryPoint point[N0][N1], const int32_t low[2], const int32_t high[2])
{
    for (int32_t i = low[0]; i <= high[0]; ++i)
        for (int32_t k = low[1]; k <= high[1]; ++k) {
            const snLibraryPoint *p = &point[i][k];
            if (!p->info.converged) return false;
            if (i < high[0] && p->jump[0] > 5e-3) return false;
            if (k < high[1] && p->jump[1] > 5e-3) return false;
        }
    return true;
}

static int32_t most_samples(snLibraryPoint point[N0][N1])
{
    int32_t best = 0;
    for (int32_t i = 0; i < N0; ++i)
        for (int32_t j = i; j < N0; ++j)
            for (int32_t k = 0; k < N1; ++k)
                for (int32_t l = k; l < N1; ++l) {
                    int32_t count = (j - i + 1) * (l - k + 1);
                    if (count > best && holds(point, (int32_t[2]){i, k}, (int32_t[2]){j, l})) best = count;
                }
    return best;
}

static void largest_box_is_kept(void **state)
{
    (void)state;
    for (int trial = 0; trial < 500; ++trial) {
        static snLibraryPoint point[N0][N1];
        snLibraryPoint *list[TOTAL];
        int32_t low[3], high[3], rate = trial % 10;
        snLibraryGrid g = {.naxis = 2, .limit = 5e-3, .point = list};
        g.axis[0].n = N0, g.axis[1].n = N1;
        for (int32_t i = 0; i < TOTAL; ++i) {
            snLibraryPoint *p = list[i] = &point[i / N1][i % N1];
            *p = (snLibraryPoint){.solved = true};
            p->info.converged = !chance(rate / 3);
            for (int a = 0; a < 2; ++a) p->jump[a] = chance(rate / 2) ? (chance(5) ? 0.02 : INFINITY) : 1e-5;
        }
        int32_t count = sn_library_sound_box(&g, low, high);
        assert_int_equal(count, most_samples(point));
        if (count == 0) continue;
        assert_int_equal(count, (high[0] - low[0] + 1) * (high[1] - low[1] + 1));
        assert_true(holds(point, low, high));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(largest_box_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
