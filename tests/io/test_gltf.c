/* glTF as motion: JSON to the letter, and every allocation made to fail in turn. */
#include "io/gltf_read.h"

#include "base/alloc.h"
#include "check.h"
#include "io/file.h"

#include <stdio.h>
#include <string.h>

static void json_is_read_to_the_letter(void **state)
{
    (void)state;
    static const char text[] =
        " {\"a\" : [1, -2.5e-1, true, null, \"\\u00e9\\ud83d\\ude00\\n\\/\"], \"b\": {}, \"a\": 3} ";
    snArena arena = {0};
    snJsonValue root;
    snError error = {0};
    assert_int_equal(sn_json_parse("a", text, strlen(text), &arena, &root, &error), SN_OK);
    const snJsonValue *a = sn_json_member(&root, "a");
    assert_int_equal(a->count, 5);
    assert_true(a->item[0].number == 1 && a->item[1].number == -0.25 && a->item[2].number == 1);
    assert_int_equal(a->item[3].kind, SN_JSON_NULL);
    assert_string_equal(a->item[4].text, "\xC3\xA9\xF0\x9F\x98\x80\n/");
    assert_int_equal(sn_json_member(&root, "b")->count, 0);
    assert_null(sn_json_member(a, "b"));
    assert_null(sn_json_item(a, 5));
    assert_int_equal(sn_json_member_index(&root, "c"), -1);
    sn_arena_free(&arena);
}

static void damaged_json_names_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int line, column;
    } cases[] = {
        {"", "the file ends where a value was expected", 1, 1},
        {"[1,]", "found ] where a value was expected", 1, 4},
        {"{\"a\":1,}", "found } where a name in quotes was expected", 1, 8},
        {"{\"a\" 1}", "found 1 where a colon was expected", 1, 6},
        {"[1 2]", "found 2 where a comma or ] was expected", 1, 4},
        {"\n[\"ab", "the string does not end", 2, 3},
        {"[\"\\x\"]", "found x where an escape such as \\n was expected", 1, 4},
        {"[\"\\u12\"]", "\\u needs four hexadecimal digits", 1, 7},
        {"[1e999]", "not a finite number", 1, 2},
        {"[] x", "found x where the end of the file was expected", 1, 4},
        {"[\"a\nb\"]", "found byte 10 where a character of a string was expected", 1, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        snArena arena = {0};
        snJsonValue root;
        snError error = {0};
        snStatus status = sn_json_parse("a", cases[i].text, strlen(cases[i].text), &arena, &root, &error);
        if (status != SN_BAD_FILE || strcmp(error.message, cases[i].message) != 0 || error.line != cases[i].line ||
            error.column != cases[i].column)
            fail_msg("%s: %s at %d:%d", cases[i].text, error.message, error.line, error.column);
        sn_arena_free(&arena);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char *data;
    size_t size;
    snError error;
    assert_int_equal(sn_file_read(SINEW_SOURCE_DIR "/tests/fuzz/corpus/gltf/cubic.gltf", 1 << 20, &data, &size, &error),
                     SN_OK);
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    int n = 0;
    for (; status != SN_OK && n < 2000; ++n) {
        snBvhFile skeleton;
        sn_alloc_fail_after(n);
        status = sn_parse_gltf("a.gltf", data, size, true, NULL, &skeleton, &error);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) {
            assert_int_equal(skeleton.frames, 3);
            assert_string_equal(skeleton.joint.at[1].name, "RightHandIndex1");
            assert_near(v3_len(q_log(sn_bvh_local(&skeleton, 1, 2).q)), 30 * SN_DEG, 1e-6);
            sn_bvh_free(&skeleton);
        }
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        assert_true(sn_alloc_live() == live);
    }
    assert_true(n > 20 && status == SN_OK);
    sn_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_read_to_the_letter),
        cmocka_unit_test(damaged_json_names_its_place),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
