/* The pool: every item once, any number of threads, loops in quick succession. */
#include "check.h"

#include "base/parallel.h"

#include <stdatomic.h>
#include <unistd.h>

enum { ITEMS = 1000 };

static void count_item(void *context, int32_t i)
{
    atomic_int *seen = context;
    atomic_fetch_add(&seen[i], 1);
}

static void every_item_runs_once(void **state)
{
    (void)state;
    for (int32_t threads = 1; threads <= 4; ++threads) {
        snPool *pool = sn_pool_create(threads);
        assert_non_null(pool);
        for (int round = 0; round < 300; ++round) {
            static atomic_int seen[ITEMS];
            int32_t n = 1 + (round * 37) % ITEMS;
            for (int i = 0; i < ITEMS; ++i) atomic_store(&seen[i], 0);
            sn_pool_loop(pool, n, count_item, seen);
            for (int i = 0; i < ITEMS; ++i) assert_int_equal(atomic_load(&seen[i]), i < n);
            if (round % 100 == 99) usleep(2000); /* long enough for the workers to fall asleep */
        }
        sn_pool_destroy(pool);
    }
}

static void no_pool_runs_serially(void **state)
{
    (void)state;
    static atomic_int seen[ITEMS];
    sn_pool_loop(NULL, 10, count_item, seen);
    for (int i = 0; i < ITEMS; ++i) assert_int_equal(atomic_load(&seen[i]), i < 10);
    assert_int_equal(sn_pool_threads(NULL), 1);
    assert_true(sn_hardware_threads() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(no_pool_runs_serially),
    };
    return cmocka_run_group_tests_name("base.parallel", tests, NULL, NULL);
}
