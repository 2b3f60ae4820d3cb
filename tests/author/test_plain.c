/* Primitives turned back into plain nodes, with every allocation failing once; force-length curves by name. */
#include "check.h"

#include "author/own/variants.h"
#include "base/alloc.h"
#include "io/own/files.h"
#include "scenes.h"
#include "sinew/author.h"
#include "sinew/io.h"

#include <string.h>

static void what_hangs_on_a_bone_goes_with_it(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger"), *plain = NULL;
    snProblems problems = {0};
    snError error;
    int32_t nodes = sn_spec_count(spec, SN_KIND_NODE), strands = sn_spec_count(spec, SN_KIND_STRAND);
    assert_int_equal(sn_make_plain(spec, "distal", &plain, &error), SN_OK);
    assert_int_equal(sn_spec_count(plain, SN_KIND_NODE), nodes);
    assert_int_equal(sn_spec_count(plain, SN_KIND_STRAND), strands);
    assert_int_equal(sn_spec_find(plain, SN_KIND_BODY, "distal"), 0);
    assert_int_equal(sn_spec_find(plain, SN_KIND_JOINT, "DIP"), 0);
    for (snId id = 1; id <= sn_spec_count(plain, SN_KIND_CONSTRAINT); ++id)
        assert_string_not_equal(sn_spec_constraint(plain, id)->attachment, "distal");
    (void)sn_check(plain, &problems);
    for (int32_t i = 0; i < problems.count; ++i) assert_null(strstr(problems.problem[i].message, "distal"));
    sn_problems_free(&problems);
    sn_spec_destroy(plain);
    assert_int_equal(sn_make_plain(spec, "distal, nobody", &plain, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "nobody"));
    sn_spec_destroy(spec);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    snFunctionDef def = sn_default_function_def();
    const double level[4] = {0.1, 0.2, 0.3, 0.4}, time[2] = {0, 1};
    def.name = "bend", def.muscles = "FDP2 FDS2", def.nlevel = 4, def.level = level, def.ntime = 2, def.time = time;
    sn_add_function(spec, &def, NULL);
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK; ++n) {
        snSpec *plain = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_make_plain(spec, "FDP2", &plain, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        if (status == SN_OK) { /* the levels of the muscle that stays, at both times */
            const snFunctionDef *kept = sn_spec_function(plain, 1);
            assert_string_equal(kept->muscles, "FDS2");
            assert_int_equal(kept->nlevel, 2);
            assert_near(kept->level[0], 0.2, 0);
            assert_near(kept->level[1], 0.4, 0);
        }
        if (plain) sn_spec_destroy(plain);
        assert_int_equal(sn_alloc_live(), before);
    }
    sn_spec_destroy(spec);
}

static void curves_go_through_their_points(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    snForceLengthDef def = sn_default_force_length_def();
    const double x[4] = {0.8, 1, 1.2, 1.5}, y[4] = {0, 0, 0.25, 1};
    double force[4], between[2];
    snError error;
    def.name = "mine", def.npoint = 4, def.stretch = x, def.force = y;
    sn_add_force_length(spec, &def, NULL);
    assert_int_equal(sn_force_length_at(spec, "mine", 4, x, force, &error), SN_OK);
    for (int i = 0; i < 4; ++i) assert_near(force[i], y[i], 1e-15);
    assert_int_equal(sn_force_length_at(spec, "mine", 2, (const double[2]){1.1, 1.3}, between, &error), SN_OK);
    assert_true(between[0] > 0 && between[0] < 0.25 && between[1] > 0.25 && between[1] < 1);
    for (int32_t i = 0; sn_force_length_name(i); ++i)
        assert_int_equal(sn_force_length_at(NULL, sn_force_length_name(i), 4, x, force, &error), SN_OK);
    assert_int_equal(sn_force_length_at(NULL, "linear", 4, x, force, &error), SN_OK);
    for (int i = 0; i < 4; ++i) assert_near(force[i], x[i] - 1, 1e-15);
    assert_int_equal(sn_force_length_at(spec, "nosuch.csv", 4, x, force, &error), SN_NO_FILE);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_hangs_on_a_bone_goes_with_it),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(curves_go_through_their_points),
    };
    return cmocka_run_group_tests_name("author.plain", tests, NULL, NULL);
}
