/* Kept results are taken in their order and never from another computation; errors carry what they were given; clocks
 * go forward. */
#include "check.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memo.h"

#include <string.h>

static void keep_three(snMemo *m)
{
    static const double a[3] = {1, 2, 3};
    static const int32_t b[2] = {7, 8};
    sn_memo_keep(m, a, sizeof a);
    sn_memo_keep(m, NULL, 0);
    sn_memo_keep(m, b, sizeof b);
}

static void what_was_kept_is_taken_in_order(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    snMemo first = {0};
    double a[3];
    int32_t b[2];
    assert_false(sn_memo_take(&first, a, sizeof a)); /* nothing yet */
    keep_three(&first);
    snMemo second = {.from = first.kept.at, .size = (size_t)first.kept.count};
    assert_true(sn_memo_take(&second, a, sizeof a));
    assert_true(sn_memo_take(&second, b, 0));
    assert_true(sn_memo_take(&second, b, sizeof b));
    assert_true(a[0] == 1 && a[2] == 3 && b[0] == 7 && b[1] == 8);
    assert_false(sn_memo_take(&second, b, sizeof b)); /* there is no more */
    assert_int_equal(second.kept.count, 0);
    sn_memo_free(&first);
    sn_memo_free(&second);
    assert_int_equal(sn_alloc_live(), live);
}

/* A piece of another size, and every length at which the bytes may be cut: taking ends there for good. */
static void what_does_not_fit_ends_the_taking(void **state)
{
    (void)state;
    snMemo first = {0};
    keep_three(&first);
    for (size_t size = 0; size < (size_t)first.kept.count; ++size) {
        snMemo cut = {.from = first.kept.at, .size = size};
        double a[3];
        int32_t b[2];
        bool all = sn_memo_take(&cut, a, sizeof a) && sn_memo_take(&cut, b, 0) && sn_memo_take(&cut, b, sizeof b);
        assert_false(all);
        assert_null(cut.from);
    }
    snMemo other = {.from = first.kept.at, .size = (size_t)first.kept.count};
    double a[3] = {9, 9, 9};
    assert_false(sn_memo_take(&other, a, 2 * sizeof *a));
    assert_false(sn_memo_take(&other, a, 3 * sizeof *a)); /* what comes behind belongs to the other computation */
    assert_true(a[0] == 9);
    sn_memo_free(&first);
}

static void without_memory_nothing_is_kept(void **state)
{
    (void)state;
    snMemo m = {0};
    keep_three(&m);
    unsigned char large[4096] = {0};
    sn_alloc_fail_after(0);
    sn_memo_keep(&m, large, sizeof large);
    sn_alloc_fail_after(-1);
    assert_true(m.failed && m.kept.count == 0);
    sn_memo_keep(&m, large, 8); /* half of a computation would be worse than none */
    assert_int_equal(m.kept.count, 0);
    sn_memo_keep(NULL, large, 8);
    assert_false(sn_memo_take(NULL, large, 8));
    sn_memo_free(NULL);
}

static void errors_carry_what_they_were_given(void **state)
{
    (void)state;
    snError error = {.line = 5};
    assert_int_equal(sn_fail(&error, SN_BAD_FILE, "%d of %s", 3, "four"), SN_BAD_FILE);
    assert_string_equal(error.message, "3 of four");
    assert_int_equal(error.line, 0); /* of an earlier error */
    sn_error_place(&error, "a.xml", 7, 2);
    sn_error_element(&error, "Strand", "FDP2");
    sn_error_remedy(&error, "write %d", 4);
    assert_string_equal(error.file, "a.xml");
    assert_true(error.line == 7 && error.column == 2);
    assert_non_null(strstr(error.element, "FDP2"));
    assert_string_equal(error.remedy, "write 4");
    assert_int_equal(sn_fail_no_memory(&error), SN_NO_MEMORY);
    assert_int_equal(sn_fail_argument(&error, "the model is NULL"), SN_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "the model is NULL"));
    assert_int_equal(sn_fail(NULL, SN_FAILED, "nobody listens"), SN_FAILED);
    for (int i = SN_OK; i <= SN_BAD_ARGUMENT; ++i) {
        const snStatusInfo *info = sn_status_info((snStatus)i);
        assert_true(strncmp(info->name, "SN_", 3) == 0 && info->text[0] && info->exit_code >= 0);
        assert_true((info->exit_code == 0) == (i == SN_OK));
    }
    assert_string_equal(sn_status_info((snStatus)1000)->name, "SN_BAD_ARGUMENT");
}

static void clocks_go_forward(void **state)
{
    (void)state;
    double wall = sn_clock(), own = sn_clock_thread(), sum = 0;
    while (sn_clock_thread() - own < 0.002) sum += sqrt(sum + 1); /* work that takes processor time */
    assert_true(sum > 0);
    assert_true(sn_clock() - wall >= 0.0015); /* one thread cannot use more than there was */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_kept_is_taken_in_order),
        cmocka_unit_test(what_does_not_fit_ends_the_taking),
        cmocka_unit_test(without_memory_nothing_is_kept),
        cmocka_unit_test(errors_carry_what_they_were_given),
        cmocka_unit_test(clocks_go_forward),
    };
    return cmocka_run_group_tests_name("base.memo", tests, NULL, NULL);
}
