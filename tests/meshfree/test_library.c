/* Libraries of the scene spindle: one thread against two, written and read, played against the samples, refused where
 * the mesh is another. */
#include "check.h"

#include "base/alloc.h"
#include "meshfree/library.h"
#include "scenes.h"
#include "sinew/sinew.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const snLibraryAxisDef SLIDE = {"slide.0", 3, -0.01, 0.01};

static snLibrary *make(const snSpec *spec, int32_t threads)
{
    snError error = {0};
    snLibrary *library = NULL;
    snLibraryDef def = sn_default_library_def();
    def.muscle = "belly", def.naxis = 1, def.axis = &SLIDE;
    def.points = 120, def.activations = 2, def.threads = threads, def.most_samples = 3;
    snStatus status = sn_create_library(spec, &def, &library, &error);
    if (status != SN_OK) print_error("%s\n", error.message);
    assert_int_equal(status, SN_OK);
    return library;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("spindle");
    snLibrary *one = make(spec, 1), *two = make(spec, 2);
    const snLibraryMuscle *a = one->muscle, *b = two->muscle;
    assert_int_equal(a->nsample, b->nsample);
    assert_memory_equal(a->delta, b->delta, 3 * (size_t)a->nsample * (size_t)a->nvertex * sizeof *a->delta);
    assert_memory_equal(a->sample, b->sample, (size_t)a->nsample * sizeof *a->sample);
    snLibraryInfo info;
    assert_int_equal(sn_library_info(one, 0, &info), SN_OK);
    print_message("%d samples, jump %.4f mm, step %.2f mm, middles %.2f mm, volume %.4f\n", info.samples,
                  info.jump * 1e3, info.step * 1e3, info.midpoint_max * 1e3, info.least_volume);
    assert_at_most(info.jump, 5e-3);
    assert_at_most(0.98, info.least_volume);
    assert_int_equal(sn_library_info(one, 1, &info), SN_BAD_INPUT);
    sn_library_destroy(one), sn_library_destroy(two);
    sn_spec_destroy(spec);
}

static void written_and_read(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("spindle"), *other = sn_scene_spindle_of(12);
    snLibrary *made = make(spec, 0), *read = NULL;
    snError error = {0};
    snDeformer *deformer = NULL;
    char path[] = "/tmp/sinew-library-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(sn_save_library(made, path, &error), SN_OK);
    assert_int_equal(sn_load_library(path, &read, &error), SN_OK);
    const snLibraryMuscle *a = made->muscle, *b = read->muscle;
    assert_string_equal(a->name, b->name);
    assert_memory_equal(a->delta, b->delta, 3 * (size_t)a->nsample * (size_t)a->nvertex * sizeof *a->delta);
    assert_memory_equal(a->weight, b->weight, (size_t)a->nbody * (size_t)a->nvertex * sizeof *a->weight);
    assert_memory_equal(a->sample, b->sample, (size_t)a->nsample * sizeof *a->sample);
    /* another mesh is refused, and the library stays with the caller */
    assert_int_equal(sn_library_deformer(other, read, &deformer, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "another shape"));
    assert_int_equal(sn_library_deformer(spec, read, &deformer, &error), SN_OK);
    assert_int_equal(sn_deformer_points(deformer), a->nvertex);
    sn_deformer_destroy(deformer);
    sn_library_destroy(made);
    unlink(path);
    sn_spec_destroy(spec), sn_spec_destroy(other);
}

/* At a sample the blend gives the sample, to the 16 bits; between, something between. */
static void plays_its_samples(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("spindle");
    snLibrary *library = make(spec, 0);
    const snLibraryMuscle *m = library->muscle;
    for (int32_t s = 0; s < m->nsample; ++s) {
        double at[2] = {m->axis[0].value[s / m->axis[1].n], m->axis[1].value[s % m->axis[1].n]}, own = 0;
        snLibraryMix mix = sn_library_mix(m, at);
        float sum = 0;
        for (int32_t k = 0; k < mix.count; ++k) {
            sum += mix.weight[k];
            if (mix.sample[k] == s) own += (double)mix.weight[k];
        }
        assert_near(own, 1, 1e-6);
        assert_near((double)sum, 1, 1e-6);
    }
    double beyond[2] = {1, 5};
    snLibraryMix mix = sn_library_mix(m, beyond);
    float last = 0;
    for (int32_t k = 0; k < mix.count; ++k)
        if (mix.sample[k] == m->nsample - 1) last += mix.weight[k];
    assert_near((double)last, 1, 1e-6);
    sn_library_destroy(library);
    sn_spec_destroy(spec);
}

/* The blend in blocks and single precision against the sum in double. */
static void blends_as_the_formula_says(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("spindle");
    snLibrary *library = make(spec, 0);
    const snLibraryMuscle *m = library->muscle;
    size_t n = (size_t)m->nvertex;
    double at[2] = {0.0043, 0.37}, B[12], *vertex = calloc(3 * n, sizeof *vertex);
    float *rest = calloc(3 * n, sizeof *rest);
    assert_true(vertex && rest);
    for (size_t i = 0; i < 3 * n; ++i) rest[i] = 0.1F * sinf((float)i);
    rigid motion[SN_LIBRARY_BODIES];
    for (int b = 0; b < SN_LIBRARY_BODIES; ++b)
        motion[b] = (rigid){q_exp(v3_of(0.3 * b, -0.2, 0.5)), v3_of(0.01, 0.02 * b, -0.03)};
    snLibraryMix mix = sn_library_mix(m, at);
    assert_true(mix.count > 1);
    sn_library_blend(m, &mix, rest, motion, vertex);
    for (size_t v = 0; v < n; ++v) {
        double x[3];
        for (size_t e = 0; e < 3; ++e) {
            x[e] = (double)rest[e * n + v];
            for (int32_t s = 0; s < mix.count; ++s)
                x[e] += (double)mix.weight[s] * m->unit * m->delta[(3 * (size_t)mix.sample[s] + e) * n + v];
        }
        sn_library_frame(m, (int32_t)v, motion, B);
        for (int e = 0; e < 3; ++e)
            assert_near(vertex[3 * v + (size_t)e],
                        B[4 * e] * x[0] + B[4 * e + 1] * x[1] + B[4 * e + 2] * x[2] + B[4 * e + 3], 1e-7);
    }
    free(vertex), free(rest);
    sn_library_destroy(library);
    sn_spec_destroy(spec);
}

static void refuses_what_is_not_there(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("spindle");
    snError error = {0};
    snLibrary *library = NULL;
    snLibraryAxisDef wrong = {"nothing.0", 3, 0, 0};
    snLibraryDef def = sn_default_library_def();
    def.muscle = "nobody";
    assert_int_equal(sn_create_library(spec, &def, &library, &error), SN_BAD_INPUT);
    def.muscle = "belly", def.axis = &wrong, def.naxis = 1, def.points = 120;
    assert_int_equal(sn_create_library(spec, &def, &library, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "nothing.0"));
    def.muscle = NULL;
    assert_int_equal(sn_create_library(spec, &def, &library, &error), SN_BAD_INPUT);
    assert_null(library);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),     cmocka_unit_test(written_and_read),
        cmocka_unit_test(plays_its_samples),         cmocka_unit_test(blends_as_the_formula_says),
        cmocka_unit_test(refuses_what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
