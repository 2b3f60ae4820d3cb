/* Files written beside and renamed, XML refused where it should be. */
#include "base/alloc.h"
#include "base/nearest.h"
#include "check.h"
#include "io/xml.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_parser_is_strict(void **state)
{
    (void)state;
    const char *bad[] = {"",  "nan", "inf", "-inf", "0x10", "1e",    "1e+",   ".",
                         "-", "+-1", "1,5", "1 ",   " 1",   "1e999", "1.2.3", "e5"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        double value = 7;
        assert_false(sn_text_number(bad[i], strlen(bad[i]), &value));
    }
    double value;
    assert_true(sn_text_number("+.5e1", 5, &value) && value == 5);
    assert_true(sn_text_number("1e-999", 6, &value) && value == 0);
    int32_t whole;
    assert_true(sn_text_int("-2147483648", 11, &whole) && whole == INT32_MIN);
    assert_false(sn_text_int("2147483648", 10, &whole));
    assert_false(sn_text_int("-", 1, &whole) || sn_text_int("1.0", 3, &whole) || sn_text_int("", 0, &whole));
}

static void write_text(const char *path, const char *text)
{
    snWriter w;
    assert_int_equal(sn_writer_open(&w, path, NULL), SN_OK);
    sn_writer_text(&w, text);
    assert_int_equal(sn_writer_commit(&w, NULL), SN_OK);
}

static void expect_text(const char *path, const char *text)
{
    char *bytes;
    size_t size;
    assert_int_equal(sn_file_read(path, 1000000, &bytes, &size, NULL), SN_OK);
    assert_int_equal(size, strlen(text));
    assert_string_equal(bytes, text);
    sn_free(bytes);
}

static void test_a_file_is_never_half_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/sinew-file-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.txt", folder);
    write_text(path, "first");
    snWriter w;
    assert_int_equal(sn_writer_open(&w, path, NULL), SN_OK);
    sn_writer_text(&w, "second");
    expect_text(path, "first");
    sn_writer_abort(&w);
    expect_text(path, "first");
    write_text(path, "third");
    expect_text(path, "third");
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing left beside it */
}

static void test_write_errors(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    snWriter w;
    snError error;
    assert_int_equal(sn_writer_open(&w, "/nowhere/at/all", &error), SN_WRITE_FAILED);
    assert_non_null(strstr(error.message, "No such file"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(sn_writer_open(&w, "/dev/full", &error), SN_OK);
        for (int i = 0; i < 10000; ++i) sn_writer_number(&w, 0.1);
        assert_int_equal(sn_writer_commit(&w, &error), SN_WRITE_FAILED);
        assert_non_null(strstr(error.message, "No space left"));
    }
    char *bytes;
    size_t size;
    assert_int_equal(sn_file_read("/nowhere", 10, &bytes, &size, &error), SN_NO_FILE);
    assert_int_equal(sn_file_read("/", 10, &bytes, &size, &error), SN_NO_FILE);
    assert_int_equal(sn_file_read("/dev/zero", 100000, &bytes, &size, &error), SN_BAD_FILE);
    assert_int_equal(sn_alloc_live(), live);
}

static void test_paths(void **state)
{
    (void)state;
    char *p = sn_path_beside("a/b/c.xml", "d.xml");
    assert_string_equal(p, "a/b/d.xml");
    sn_free(p);
    p = sn_path_beside("c.xml", "d.xml");
    assert_string_equal(p, "d.xml");
    sn_free(p);
    p = sn_path_beside("a/c.xml", "/d.xml");
    assert_string_equal(p, "/d.xml");
    sn_free(p);
    assert_true(sn_path_ends("x.OBJ", ".obj") && !sn_path_ends("obj", ".obj"));
}

static void test_nearest(void **state)
{
    (void)state;
    const char *const names[] = {"density", "damping", "radius", "enabled", NULL};
    assert_string_equal(sn_nearest_name("densty", names), "density");
    assert_string_equal(sn_nearest_name("Radius", names), "radius");
    assert_null(sn_nearest_name("viscosity_of_water", names));
}

typedef struct Seen {
    snNumbers numbers;
    int starts, ends;
} Seen;
static snStatus on_start(void *user, snXml *xml, const char *tag, const char **attribute)
{
    (void)xml, (void)tag, (void)attribute;
    ((Seen *)user)->starts++;
    return SN_OK;
}
static snStatus on_end(void *user, snXml *xml, const char *tag)
{
    ((Seen *)user)->ends++;
    return sn_numbers_end(&((Seen *)user)->numbers, xml, tag);
}
static snStatus on_text(void *user, snXml *xml, const char *text, size_t length)
{
    return sn_numbers_text(&((Seen *)user)->numbers, xml, "a", text, length);
}

static snStatus read_text(const char *text, Seen *seen, snError *error)
{
    static const snXmlHandler handler = {on_start, on_end, on_text};
    *seen = (Seen){0};
    return sn_xml_read("t.xml", text, strlen(text), &handler, seen, error);
}

static void test_xml(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    Seen seen;
    snError error;
    assert_int_equal(read_text("<a>1 2.5\n-3e2</a>", &seen, &error), SN_OK);
    assert_true(seen.starts == 1 && seen.ends == 1 && seen.numbers.count == 3 && seen.numbers.number[2] == -300);
    sn_numbers_free(&seen.numbers);
    assert_int_equal(read_text("<a>1 2\n3 x4</a>", &seen, &error), SN_BAD_FILE);
    assert_true(error.line == 2 && error.column == 3);
    sn_numbers_free(&seen.numbers);
    assert_int_equal(read_text("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", &seen, &error), SN_BAD_FILE);
    assert_non_null(strstr(error.message, "document type"));
    assert_int_equal(read_text("<a>1 2", &seen, &error), SN_BAD_FILE);
    assert_non_null(strstr(error.message, "ends in the middle"));
    sn_numbers_free(&seen.numbers);
    char deep[4 * SN_XML_DEPTH + 16] = "";
    for (int i = 0; i < SN_XML_DEPTH + 1; ++i) strcat(deep, "<a>");
    assert_int_equal(read_text(deep, &seen, &error), SN_BAD_FILE);
    assert_non_null(strstr(error.message, "nested"));
    for (int64_t n = 0;; ++n) {
        sn_alloc_fail_after(n);
        snStatus status = read_text("<a b=\"c\">1 2 3 4 5 6 7 8 9</a>", &seen, &error);
        sn_alloc_fail_after(-1);
        sn_numbers_free(&seen.numbers);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parser_is_strict), cmocka_unit_test(test_a_file_is_never_half_there),
        cmocka_unit_test(test_write_errors),     cmocka_unit_test(test_paths),
        cmocka_unit_test(test_nearest),          cmocka_unit_test(test_xml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
