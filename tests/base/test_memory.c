/* Allocation, arenas and growable arrays: zeroed, aligned, counted, and failing cleanly where they are told to. */
#include "check.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"

#include <string.h>

static bool is_zero(const void *block, size_t size)
{
    const unsigned char *b = block;
    for (size_t i = 0; i < size; ++i)
        if (b[i]) return false;
    return true;
}

static void blocks_are_zeroed_aligned_and_counted(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live(), bytes = sn_alloc_bytes(), count = sn_alloc_count();
    void *block[100];
    for (size_t i = 0; i < 100; ++i) {
        block[i] = sn_alloc(i, 7);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 64, 0);
        assert_true(is_zero(block[i], 7 * i));
        memset(block[i], 0xAB, 7 * i); /* so that a block that is used again has to be zeroed again */
    }
    assert_int_equal(sn_alloc_live() - live, 100);
    assert_int_equal(sn_alloc_count() - count, 100);
    assert_int_equal(sn_alloc_bytes() - bytes, 7 * 99 * 100 / 2);
    for (int i = 0; i < 100; ++i) sn_free(block[i]);
    sn_free(NULL);
    assert_int_equal(sn_alloc_live(), live);
    assert_int_equal(sn_alloc_bytes(), bytes);
    assert_null(sn_alloc(SIZE_MAX / 2, 16)); /* the product does not wrap round */
}

static void growing_keeps_what_was_there(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    int32_t *a = sn_alloc(10, sizeof *a);
    for (int32_t i = 0; i < 10; ++i) a[i] = i;
    a = sn_realloc(a, 10, 1000, sizeof *a);
    for (int32_t i = 0; i < 1000; ++i) assert_int_equal(a[i], i < 10 ? i : 0);
    sn_alloc_fail_after(0);
    assert_null(sn_realloc(a, 1000, 2000, sizeof *a));
    sn_alloc_fail_after(-1);
    assert_int_equal(a[9], 9); /* the old block is untouched */
    a = sn_realloc(a, 1000, 5, sizeof *a);
    for (int32_t i = 0; i < 5; ++i) assert_int_equal(a[i], i);
    sn_free(a);
    assert_int_equal(sn_alloc_live(), live);
}

static void allocations_fail_after_the_count_asked_for(void **state)
{
    (void)state;
    sn_alloc_fail_after(2);
    void *a = sn_alloc(1, 1), *b = sn_alloc(1, 1), *c = sn_alloc(1, 1);
    char *text = sn_strdup("text");
    sn_alloc_fail_after(-1);
    assert_true(a && b && !c && !text);
    sn_free(a);
    sn_free(b);
    text = sn_strdup("text");
    assert_string_equal(text, "text");
    sn_free(text);
}

static void arena_gives_separate_blocks_of_any_size(void **state)
{
    (void)state;
    enum { N = 300 };
    int64_t live = sn_alloc_live();
    snArena arena = {0};
    unsigned char *block[N];
    for (size_t i = 0; i < N; ++i) {
        size_t size = i % 50 == 49 ? 100000 : 37 * i; /* some are larger than a chunk */
        block[i] = sn_arena_alloc(&arena, size, 1);
        assert_non_null(block[i]);
        assert_int_equal((uintptr_t)block[i] % 16, 0);
        assert_true(is_zero(block[i], size));
        memset(block[i], (int)(i & 255), size);
    }
    for (size_t i = 1; i < N; ++i) assert_true(block[i][0] == (i & 255)); /* none has written into another */
    assert_string_equal(sn_arena_strdup(&arena, "flexor"), "flexor");
    const double from[3] = {1, 2, 3};
    double *copy = sn_arena_copy(&arena, from, 3, sizeof *from);
    assert_true(copy && copy != from && memcmp(copy, from, sizeof from) == 0);
    assert_null(sn_arena_alloc(&arena, SIZE_MAX / 2, 16));
    sn_arena_free(&arena);
    sn_arena_free(&arena); /* an empty one again */
    assert_int_equal(sn_alloc_live(), live);
}

static void array_grows_and_survives_a_failure(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    SN_ARRAY(double) a = {0};
    for (int i = 0; i < 1000; ++i) assert_true(sn_array_push(&a, 0.5 * i));
    assert_int_equal(a.count, 1000);
    for (int i = 0; i < 1000; ++i) assert_near(a.at[i], 0.5 * i, 0);
    sn_alloc_fail_after(0);
    assert_false(sn_array_reserve(&a, a.capacity));
    sn_alloc_fail_after(-1);
    assert_false(sn_array_reserve(&a, INT32_MAX)); /* past 2^31 items */
    assert_int_equal(a.count, 1000);
    assert_near(a.at[999], 499.5, 0);
    sn_array_free(&a);
    assert_true(!a.at && a.count == 0 && a.capacity == 0);
    assert_int_equal(sn_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_zeroed_aligned_and_counted),
        cmocka_unit_test(growing_keeps_what_was_there),
        cmocka_unit_test(allocations_fail_after_the_count_asked_for),
        cmocka_unit_test(arena_gives_separate_blocks_of_any_size),
        cmocka_unit_test(array_grows_and_survives_a_failure),
    };
    return cmocka_run_group_tests_name("base.memory", tests, NULL, NULL);
}
