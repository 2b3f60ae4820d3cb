/* Where the program is, and the build tree that it runs from. */
#include "base/where.h"
#include "check.h"

#include <string.h>
#include <unistd.h>

enum { SIZE = 4096 };

static void the_program_knows_its_folder(void **state)
{
    (void)state;
    char folder[SIZE], path[SIZE];
    for (int which = 0; which < SN_WHERE_COUNT; ++which) {
        assert_true(sn_where(which, folder, sizeof folder));
        assert_true(sn_beside(which, "test_base_where", path, sizeof path));
        assert_int_equal(access(path, X_OK), 0);
        assert_false(sn_beside(which, "no-such-file", path, sizeof path));
    }
    assert_false(sn_where(SN_WHERE_COUNT, folder, sizeof folder));
}

static void a_path_that_does_not_fit_is_not_given(void **state)
{
    (void)state;
    char folder[SIZE];
    for (size_t size = 0; size < 4; ++size) {
        assert_false(sn_where(SN_WHERE_PROGRAM, folder, size));
        assert_false(sn_beside(SN_WHERE_PROGRAM, "x", folder, size));
        assert_false(sn_build_tree(folder, size));
    }
}

static void the_build_tree_has_its_mark(void **state)
{
    (void)state;
    char folder[SIZE + 16];
    assert_true(sn_build_tree(folder, SIZE));
    strcat(folder, "/sinew-tree");
    assert_int_equal(access(folder, R_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_program_knows_its_folder),
                                       cmocka_unit_test(a_path_that_does_not_fit_is_not_given),
                                       cmocka_unit_test(the_build_tree_has_its_mark)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
