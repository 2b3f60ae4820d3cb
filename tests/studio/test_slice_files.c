/* The slices screen where the rest of the tests does not look: what it puts on the disk for a moment, and what it says
 * when it cannot. */
#define _GNU_SOURCE /* memmem */
#include "small_stack.h"
#include "watched.h"

static unsigned char *ask(snSlices *slices, const char *request, size_t *size)
{
    const char *type = NULL;
    return sn_slices_answer(slices, request, size, &type);
}

static bool answers(snSlices *slices, const char *request, const char *text)
{
    size_t size = 0;
    unsigned char *answer = ask(slices, request, &size);
    bool found = answer && memmem(answer, size, text, strlen(text));
    free(answer);
    return found;
}

static const char SEED[] = "/slices/seed/16,12,3", PUSH[] = "/slices/push/10,10,14,12,5,3",
                  CONTOURS_FILE[] = "/slices/file.contours.xml", NO_FOLDER[] = "cannot create a temporary folder";

static void files_pass_through_tmpdir(void **state)
{
    (void)state;
    snSlices *slices = open_small_stack();
    Watched w;
    watch_begin(&w);
    assert_true(answers(slices, SEED, "{"));
    assert_false(answers(slices, PUSH, NO_FOLDER)); /* is written and read to see whether it is sound */
    assert_true(answers(slices, CONTOURS_FILE, "<Contours version=\"1\""));
    assert_int_equal(watch_end(&w), 2);
    sn_slices_destroy(slices);
}

static void no_place_for_files_is_said(void **state)
{
    (void)state;
    snSlices *slices = open_small_stack();
    size_t size = 0, again = 0;
    assert_true(answers(slices, SEED, "{"));
    unsigned char *before = ask(slices, "/slices", &size), *after;
    assert_non_null(before);
    assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
    assert_true(answers(slices, PUSH, "cannot create a temporary folder in /nowhere/at/all"));
    assert_null(ask(slices, CONTOURS_FILE, &again));
    assert_int_equal(unsetenv("TMPDIR"), 0);
    after = ask(slices, "/slices", &again); /* the push was taken back */
    assert_non_null(after);
    assert_int_equal(again, size);
    assert_memory_equal(after, before, size);
    free(before);
    free(after);
    sn_slices_destroy(slices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_pass_through_tmpdir),
        cmocka_unit_test(no_place_for_files_is_said),
    };
    return cmocka_run_group_tests_name("studio.slice_files", tests, NULL, NULL);
}
