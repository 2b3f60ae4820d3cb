/* Activations over time: courses are the straight lines through their keys, functions mix as sums, nothing leaves 0 to
 * 1, wrong names and levels are refused with what to do. */
#include "check.h"

#include "base/alloc.h"
#include "build.h"
#include "control/own/drive.h"
#include "sinew/io.h"

#include <string.h>
#include <unistd.h>

/* Two strands between a frame and a weight; "raise" is constant, "sway" goes from the one to the other and back. */
static snSpec *make_spec(void)
{
    static const double nowhere[3] = {0}, small[3] = {0.01, 0.01, 0.01}, below[3] = {0, -0.2, 0};
    static const double raise[2] = {0.8, 0.6}, time[3] = {0.1, 0.2, 0.4}, sway[6] = {1, 0, 0, 1, 0.5, 0};
    snBuild build = sn_build_begin();
    sn_build_body(&build, "frame", nowhere, NULL, small, 0);
    sn_build_body(&build, "weight", below, NULL, small, 1);
    for (int i = 0; i < 3; ++i) {
        static const char *const name[] = {"left", "right", "string"};
        double x = 0.05 * (i - 1);
        snVia via[] = {{.p = {x, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                       {.p = {x, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
        snPath path = {.via = via, .nvia = 2, .npoint = 8, .belly = i < 2 ? 0.1 : 0};
        snStrandDef def = sn_default_strand_def();
        def.name = name[i];
        if (i == 2) def.belly_start = def.belly_end = 0;
        sn_build_strand(&build, &def, &path);
    }
    snFunctionDef def = sn_default_function_def();
    def.name = "raise", def.muscles = "left right", def.nlevel = 2, def.level = raise;
    sn_add_function(build.spec, &def, NULL);
    def.name = "sway", def.nlevel = 6, def.level = sway, def.ntime = 3, def.time = time;
    sn_add_function(build.spec, &def, NULL);
    def.name = "left", def.muscles = "left", def.nlevel = 1, def.ntime = 0;
    sn_add_function(build.spec, &def, NULL);
    return sn_build_end(&build);
}

typedef struct Case {
    snSpec *spec;
    snModel *model;
    snDrive *drive;
} Case;

static Case begin(void)
{
    Case c = {make_spec(), NULL, NULL};
    snError error;
    assert_non_null(c.spec);
    if (sn_compile(c.spec, &c.model, &error) != SN_OK) print_error("%s\n", error.message);
    assert_int_equal(sn_drive_create(c.spec, c.model, &c.drive, &error), SN_OK);
    assert_int_equal(sn_drive_muscles(c.drive), 2);
    assert_int_equal(sn_drive_functions(c.drive), 3);
    return c;
}

static void end(Case *c)
{
    sn_drive_destroy(c->drive);
    sn_model_destroy(c->model);
    sn_spec_destroy(c->spec);
}

static int32_t channel(const Case *c, const char *name)
{
    int32_t found = -1;
    snError error;
    assert_int_equal(sn_drive_find(c->drive, name, &found, &error), SN_OK);
    return found;
}

static void levels_are_straight_lines_through_their_keys(void **state)
{
    (void)state;
    Case c = begin();
    const double time[] = {0, 0.1, 0.3}, level[] = {0, 0.8, 0};
    assert_int_equal(sn_drive_add(c.drive, channel(&c, "muscle.left"), 3, time, level, NULL), SN_OK);
    double a[2];
    for (int i = -10; i <= 50; ++i) {
        double t = 0.01 * i, expected = t < 0 ? 0 : t < 0.1 ? 8 * t : t < 0.3 ? 4 * (0.3 - t) : 0;
        assert_int_equal(sn_drive_at(c.drive, t, a), 0);
        assert_near(a[0], expected, 1e-14);
        assert_near(a[1], 0, 0);
    }
    end(&c);
}

static void functions_mix_as_sums_kept_at_one(void **state)
{
    (void)state;
    Case c = begin();
    const double zero = 0, half = 0.5, one = 1;
    assert_int_equal(sn_drive_add(c.drive, channel(&c, "raise"), 1, &zero, &half, NULL), SN_OK);
    assert_int_equal(sn_drive_add(c.drive, channel(&c, "function.sway"), 1, &zero, &one, NULL), SN_OK);
    double a[2];
    /* raise: 0.4 and 0.3; sway goes (1, 0) at 0.1 to (0, 1) at 0.2 to (0.5, 0) at 0.4, held outside. */
    assert_int_equal(sn_drive_at(c.drive, 0, a), 1);
    assert_near(a[0], 1, 0);
    assert_near(a[1], 0.3, 1e-15);
    assert_int_equal(sn_drive_at(c.drive, 0.15, a), 0);
    assert_near(a[0], 0.9, 1e-14);
    assert_near(a[1], 0.8, 1e-14);
    assert_int_equal(sn_drive_at(c.drive, 0.3, a), 0);
    assert_near(a[0], 0.65, 1e-14);
    assert_near(a[1], 0.8, 1e-14);
    assert_int_equal(sn_drive_at(c.drive, 9, a), 0);
    assert_near(a[0], 0.9, 1e-14);
    assert_near(sn_drive_demand(c.drive, 0).most, 1.4, 1e-14);
    assert_near(sn_drive_demand(c.drive, 0).time, 0, 0);
    sn_drive_set(c.drive, 1, 7); /* a slider cannot leave its range */
    assert_near(sn_drive_level(c.drive, 1), 1, 0);
    assert_int_equal(sn_drive_at(c.drive, 0.3, a), 1);
    assert_near(a[1], 1, 0);
    sn_drive_set(c.drive, 1, 0);
    int64_t before = sn_alloc_count();
    for (int i = 0; i < 1000; ++i) (void)sn_drive_at(c.drive, 0.001 * i, a);
    assert_int_equal(sn_alloc_count(), before);
    end(&c);
}

static void refused(const Case *c, const char *name, const char *message, const char *remedy)
{
    int32_t found = -7;
    snError error = {0};
    assert_int_equal(sn_drive_find(c->drive, name, &found, &error), SN_BAD_INPUT);
    assert_int_equal(found, -7);
    if (!strstr(error.message, message) || !strstr(error.remedy, remedy))
        fail_msg("%s: %s; %s", name, error.message, error.remedy);
}

static void wrong_names_and_levels_are_refused(void **state)
{
    (void)state;
    Case c = begin();
    const double time[] = {0, 0}, level[] = {0.5, 1.5};
    snError error;
    refused(&c, "left", "both a muscle and a function", "muscle.left or function.left");
    refused(&c, "righth", "no muscle or function 'righth'", "did you mean 'right'");
    refused(&c, "function.right", "it has these: raise sway left", "add a Function");
    refused(&c, "function.rais", "no function 'rais'", "did you mean 'raise'");
    refused(&c, "string", "has no muscle", "belly");
    refused(&c, "xyzzy", "no muscle", "sinew info --list");
    assert_int_equal(sn_drive_add(c.drive, 0, 2, time, level, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "does not come after"));
    assert_int_equal(sn_drive_add(c.drive, 0, 1, time, level + 1, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the level at 0 s is 1.5, expected 0 to 1");
    assert_string_equal(error.element, "muscle \"left\"");
    assert_int_equal(sn_drive_add(c.drive, 0, 0, time, level, &error), SN_BAD_INPUT);
    end(&c);
}

static void put_file(const char *text)
{
    FILE *file = fopen("drive.csv", "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void files_drive_muscles_and_functions(void **state)
{
    (void)state;
    Case c = begin();
    double a[2], last = 0;
    snError error;
    put_file("# by hand\ntime,activation/left,function.raise,length/left\n0,0,1,7\n1,1,0,7\n");
    assert_int_equal(sn_load_activations("drive.csv", c.drive, &last, &error), SN_OK);
    assert_near(last, 1, 0);
    (void)sn_drive_at(c.drive, 0.25, a);
    assert_near(a[0], 0.25 + 0.75 * 0.8, 1e-14);
    assert_near(a[1], 0.75 * 0.6, 1e-14);
    put_file("time,muscle.right,muscle.left\n0,0.1,0\n0.5,0.1,-0.25\n");
    assert_int_equal(sn_load_activations("drive.csv", c.drive, &last, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "column \"muscle.left\" is -0.25 at 0.5 s, expected 0 to 1");
    assert_int_equal(error.line, 3);
    put_file("time,right,lift\n0,1,1\n");
    assert_int_equal(sn_load_activations("drive.csv", c.drive, &last, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.remedy, "did you mean 'left'"));
    assert_string_equal(error.file, "drive.csv");
    put_file("time,length/left\n0,1\n");
    assert_int_equal(sn_load_activations("drive.csv", c.drive, &last, &error), SN_BAD_INPUT);
    (void)sn_drive_at(c.drive, 0.25, a); /* none of them has left a trace */
    assert_near(a[1], 0.75 * 0.6, 1e-14);
    (void)unlink("drive.csv");
    end(&c);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    Case c = begin();
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    put_file("time,right\n0,1\n");
    for (int n = 0; status != SN_OK; ++n) {
        snDrive *drive = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_drive_create(c.spec, c.model, &drive, &error);
        if (status == SN_OK) status = sn_load_activations("drive.csv", drive, NULL, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_drive_destroy(drive);
        assert_int_equal(sn_alloc_live(), before);
    }
    (void)unlink("drive.csv");
    end(&c);
}

static void times_of_a_function_are_checked(void **state)
{
    (void)state;
    static const double back[2] = {0.5, 0.5}, levels[3] = {0, 1, 0};
    snSpec *spec = make_spec();
    snFunctionDef def = sn_default_function_def();
    snProblems problems = {0};
    def.name = "odd", def.muscles = "right", def.nlevel = 3, def.level = levels, def.ntime = 2, def.time = back;
    sn_add_function(spec, &def, NULL);
    assert_int_equal(sn_check(spec, &problems), SN_BAD_INPUT);
    assert_int_equal(problems.nerror, 2);
    for (int32_t i = 0; i < problems.count; ++i)
        if (problems.problem[i].status != SN_OK) assert_string_equal(problems.problem[i].element, "Function \"odd\"");
    sn_problems_free(&problems);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_straight_lines_through_their_keys),
        cmocka_unit_test(functions_mix_as_sums_kept_at_one),
        cmocka_unit_test(wrong_names_and_levels_are_refused),
        cmocka_unit_test(files_drive_muscles_and_functions),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(times_of_a_function_are_checked),
    };
    return cmocka_run_group_tests_name("control.drive", tests, NULL, NULL);
}
