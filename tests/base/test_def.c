/* The size of a def: right, missing, of an older and of a newer program. */
#include "base/def.h"
#include "check.h"

#include <string.h>

typedef struct Known {
    size_t size;
    double value;
} Known;

typedef struct Newer {
    size_t size;
    double value, more;
} Newer;

static void a_def_of_the_known_size_is_taken(void **state)
{
    (void)state;
    Known def = {.size = sizeof def, .value = 3};
    assert_int_equal(SN_CHECK_DEF(&def, Known, NULL), SN_OK);
}

static void a_newer_def_is_taken_while_it_asks_for_nothing_new(void **state)
{
    (void)state;
    snError error = {0};
    Newer def = {.size = sizeof def, .value = 3};
    assert_int_equal(SN_CHECK_DEF(&def, Known, &error), SN_OK);
    def.more = 1;
    assert_int_equal(SN_CHECK_DEF(&def, Known, &error), SN_BAD_ARGUMENT);
    assert_non_null(strstr(error.message, "Known is 24, expected 16"));
}

static void other_sizes_are_refused(void **state)
{
    (void)state;
    static const size_t wrong[] = {0, 1, sizeof(Known) - 1, (size_t)-1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        snError error = {0};
        Known def = {.size = wrong[i]};
        assert_int_equal(SN_CHECK_DEF(&def, Known, &error), SN_BAD_ARGUMENT);
        assert_non_null(strstr(error.remedy, "default function"));
    }
    snError error = {0};
    assert_int_equal(SN_CHECK_DEF(NULL, Known, &error), SN_BAD_ARGUMENT);
    assert_string_equal(error.message, "the Known is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_def_of_the_known_size_is_taken),
                                       cmocka_unit_test(a_newer_def_is_taken_while_it_asks_for_nothing_new),
                                       cmocka_unit_test(other_sizes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
