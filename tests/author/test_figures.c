/* Reading of the tables that models are made from. */
#include "author/table.h"
#include "base/alloc.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A table with this text, in the folder for temporary files. */
static snStatus read_text(snFigures *table, const char *text)
{
    char path[] = "/tmp/sinew_figures_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (int)strlen(text));
    close(file);
    snStatus status = sn_figures_load(table, "/tmp", path + strlen("/tmp/"));
    unlink(path);
    return status;
}

static void cells_by_name(void **state)
{
    (void)state;
    snFigures t;
    assert_int_equal(read_text(&t, "# comment\nname\tat\tsize\na\t1 -2 3e-1\t0.5\r\n\nb\t-\t7\n"), SN_OK);
    assert_int_equal(t.nrow, 2);
    assert_string_equal(sn_figures_text(&t, 1, "name"), "b");
    assert_near(sn_figures_number(&t, 0, "size"), 0.5, 0);
    assert_near(sn_figures_v3(&t, 0, "at").z, 0.3, 1e-15);
    assert_true(sn_figures_has(&t, 0, "at"));
    assert_false(sn_figures_has(&t, 1, "at"));
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
}

/* The first thing that is wrong is kept, with its line. */
static void complaints_name_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
        int line;
    } bad[] = {
        {"", "has no rows", 0},
        {"a\tb\n", "has no rows", 0},
        {"a\tb\n1\t2\n3\n", "has 1 cells, expected 2", 3},
        {"# x\na\tb\none\t2\n", "expected a number", 3},
        {"a\tb\nnan\t2\n", "expected a number", 2},
        {"a\tb\n1 2\t2\n", "more than expected", 2},
        {"b\n1\n", "has no column a", 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        snFigures t;
        if (read_text(&t, bad[i].text) == SN_OK) sn_figures_number(&t, 0, "a");
        assert_int_equal(t.error.status, SN_BAD_FILE);
        assert_non_null(strstr(t.error.message, bad[i].expected));
        assert_int_equal(t.error.line, bad[i].line);
        sn_figures_free(&t);
    }
}

static void missing_file(void **state)
{
    (void)state;
    snFigures t;
    assert_int_equal(sn_figures_load(&t, SINEW_SOURCE_DIR, "no_such.tsv"), SN_NO_FILE);
    assert_non_null(strstr(t.error.file, "no_such.tsv"));
    sn_figures_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_by_name),
        cmocka_unit_test(complaints_name_the_line),
        cmocka_unit_test(missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
