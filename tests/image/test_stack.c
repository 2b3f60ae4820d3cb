/* Stacks: what is written is read back, and what cannot be read is refused with place and remedy. */
#include "io/io_case.h"

#include "image/stack.h"
#include "io/own/kept.h"
#include "io/stack_read.h"

#include <sys/resource.h>
#include <sys/stat.h>

static snStack make_stack(void)
{
    snStackPlace place = sn_default_stack_place();
    snStack stack = {0};
    snError error;
    uint32_t seed = 3;
    const double s = sqrt(0.5), axis[9] = {s, s, 0, 0, 0, 1, s, -s, 0};
    place.n[0] = 7, place.n[1] = 5, place.n[2] = 12;
    place.spacing[0] = 0.5e-3, place.spacing[1] = 0.75e-3, place.spacing[2] = 5e-3;
    place.origin[0] = -0.01, place.origin[1] = 0.02, place.origin[2] = 0.03;
    memcpy(place.axis, axis, sizeof axis);
    assert_ok(sn_stack_create(&place, &stack, &error), error);
    for (int i = 0; i < 7 * 5 * 12; ++i) stack.value[i] = (float)round(30000 * (1 + noise(&seed)));
    return stack;
}

static void assert_same(const snStack *a, const snStack *b)
{
    for (int c = 0; c < 3; ++c) {
        assert_int_equal(a->place.n[c], b->place.n[c]);
        assert_near(a->place.spacing[c], b->place.spacing[c], 1e-9);
        assert_near(a->place.origin[c], b->place.origin[c], 1e-8);
    }
    for (int i = 0; i < 9; ++i) assert_near(a->place.axis[i], b->place.axis[i], 1e-6);
    for (int i = 0; i < 7 * 5 * 12; ++i) assert_near(a->value[i], b->value[i], 0);
}

static void test_every_format_is_read_back(void **state)
{
    (void)state;
    static const struct {
        const char *path, *format;
    } form[] = {{"stack_test.nii", NULL},
                {"stack_test.nii.gz", NULL},
                {"stack_test.nrrd", NULL},
                {"stack_test_png", "png"},
                {"stack_test_pgm", "pgm"}};
    snStack stack = make_stack();
    for (size_t i = 0; i < sizeof form / sizeof *form; ++i) {
        snStack back = {0};
        snError error = {0};
        assert_ok(sn_save_stack(&stack, form[i].path, form[i].format, &error), error);
        assert_ok(sn_load_stack(form[i].path, NULL, &back, &error), error);
        assert_same(&stack, &back);
        sn_stack_free(&back);
    }
    double spacing[3] = {1e-3, 2e-3, 3e-3};
    snStack other = {0};
    snError error = {0};
    assert_ok(sn_load_stack("stack_test.nii", spacing, &other, &error), error);
    assert_near(other.place.spacing[2], 3e-3, 0);
    sn_stack_free(&other);
    /* slices of another stack in the same folder would be mixed up */
    other = stack, other.place.n[2] = 6;
    assert_int_equal(sn_save_stack(&other, "stack_test_png", "png", &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.remedy, "another folder"));
    sn_stack_free(&stack);
}

static void test_pixels_are_in_the_world(void **state)
{
    (void)state;
    snStack stack = make_stack();
    double p[3], pixel[3] = {2, 1, 3};
    sn_stack_point(&stack.place, pixel, p);
    assert_near(p[0], -0.01 + (2 * 0.5e-3 + 3 * 5e-3) * sqrt(0.5), 1e-12);
    assert_near(p[1], 0.02 + (2 * 0.5e-3 - 3 * 5e-3) * sqrt(0.5), 1e-12);
    assert_near(p[2], 0.03 + 0.75e-3, 1e-12);
    sn_stack_free(&stack);
}

/* The corpus has files whose numbers are known. */
static snStatus load_corpus(const char *name, snStack *stack, snError *error)
{
    char path[500];
    (void)snprintf(path, sizeof path, "%s/tests/image/corpus/%s", SINEW_SOURCE_DIR, name);
    return sn_load_stack(path, NULL, stack, error);
}

static void test_headers_are_understood(void **state)
{
    (void)state;
    snStack stack = {0};
    snError error = {0};
    assert_ok(load_corpus("nifti/int16_scaled.nii", &stack, &error), error);
    assert_near(stack.value[0], -10, 0); /* -4 times 2.5 */
    assert_near(stack.place.spacing[2], 5e-3, 1e-9);
    assert_near(stack.place.origin[1], 2e-3, 1e-9);
    sn_stack_free(&stack);
    assert_ok(load_corpus("nifti/big.nii", &stack, &error), error);
    assert_near(stack.value[7], 7, 0);
    sn_stack_free(&stack);
    assert_ok(load_corpus("nifti/qform.nii", &stack, &error), error); /* a quarter turn about z, slices downwards */
    assert_near(stack.place.axis[1], 1, 1e-6);
    assert_near(stack.place.axis[3], -1, 1e-6);
    assert_near(stack.place.axis[8], -1, 1e-6);
    sn_stack_free(&stack);
    assert_ok(load_corpus("nrrd/raw.nrrd", &stack, &error), error); /* left and back become right and front */
    assert_near(stack.place.axis[0], -1, 1e-12);
    assert_near(stack.place.origin[1], -2e-3, 1e-12);
    assert_near(stack.place.origin[2], 3e-3, 1e-12);
    sn_stack_free(&stack);
}

static void test_bad_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *says;
    } bad[] = {{"nifti/cut.nii", "ends after"},
               {"nifti/huge.nii", "too large"},
               {"nifti/nan.nii", "not a finite"},
               {"nifti/sheared.nii", "sheared"},
               {"nifti/pair.nii", "another file"},
               {"nifti/time.nii", "volumes"},
               {"nifti/no_spacing.nii", "spacing"},
               {"nifti/complex.nii", "type"},
               {"nifti/cut.nii.gz", "compressed data"},
               {"nifti/large.nii.gz", "announced"},
               {"nrrd/cut.nrrd", "the file has"},
               {"nrrd/detached.nrrd", "another file"},
               {"nrrd/no_spacing.nrrd", "spacings"},
               {"nrrd/text.nrrd", "encoding"},
               {"nrrd/four.nrrd", "3 dimensions"},
               {"nrrd/broken_gzip.nrrd", "compressed"},
               {"png", "spacing"},
               {"nowhere", "no such"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        snStack stack = {0};
        snError error = {0};
        snStatus status = load_corpus(bad[i].name, &stack, &error);
        if (status == SN_OK || !strstr(message_of(status, &error), bad[i].says)) {
            print_error("%s: %s\n", bad[i].name, message_of(status, &error));
            fail();
        }
        assert_null(stack.value);
        assert_non_null(strstr(error.file, bad[i].name));
    }
    assert_int_equal(sn_alloc_live(), 0);
}

static void test_slices_of_different_size(void **state)
{
    (void)state;
    snStack stack = {0};
    snError error = {0};
    double spacing[3] = {1e-3, 1e-3, 1e-3};
    (void)mkdir("stack_test_mixed", 0777);
    assert_ok(sn_save_bytes("stack_test_mixed/a.pgm", "P2 2 1 9 1 2", 12, &error), error);
    assert_ok(sn_save_bytes("stack_test_mixed/b.pgm", "P2 1 2 9 1 2", 12, &error), error);
    assert_int_equal(sn_load_stack("stack_test_mixed", spacing, &stack, &error), SN_BAD_FILE);
    assert_non_null(strstr(error.message, "1 x 2 pixels, the first one 2 x 1"));
}

/* Every allocation fails once: an error, no leak. */
static void test_no_memory(void **state)
{
    (void)state;
    snStack stack = make_stack();
    static const char *const path[] = {"stack_test.nii.gz", "stack_test.nrrd", "stack_test_png"};
    int64_t live = sn_alloc_live();
    for (size_t f = 0; f < 3; ++f) {
        snStatus status = SN_NO_MEMORY;
        for (int64_t n = 0; status == SN_NO_MEMORY && n < 5000; ++n) {
            snStack back = {0};
            snError error = {0};
            sn_alloc_fail_after(n);
            status = sn_load_stack(path[f], NULL, &back, &error);
            sn_alloc_fail_after(-1);
            sn_stack_free(&back);
            assert_int_equal(sn_alloc_live(), live);
        }
        assert_int_equal(status, SN_OK);
    }
    sn_stack_free(&stack);
}

/* A chunk that says it has 2 GB in a file of 42 bytes; libpng would take them before it reads. Found by fuzzing. */
static void test_a_long_chunk_takes_no_memory(void **state)
{
    (void)state;
    static const char bytes[] = "\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\4\0\0\0\1\2\3\0\0\0\204R\347^{\0\0\014sPLTE";
    snPicture picture = {0};
    snError error = {0};
    struct rusage before;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    assert_int_equal(sn_parse_png("long.png", bytes, sizeof bytes - 1, &picture, &error), SN_BAD_FILE);
    struct rusage after;
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss < before.ru_maxrss + 100000); /* kB */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_is_read_back),    cmocka_unit_test(test_pixels_are_in_the_world),
        cmocka_unit_test(test_headers_are_understood),       cmocka_unit_test(test_bad_files_are_refused),
        cmocka_unit_test(test_slices_of_different_size),     cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_a_long_chunk_takes_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
