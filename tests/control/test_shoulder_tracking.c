/* The shipped motions of the shoulder followed by its muscles: every bone within a millimetre in the mean.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "check.h"
#include "shoulder/shoulder.h"
#include "sinew/author.h"
#include "sinew/io.h"
#include "sinew/record.h"

#include <string.h>

#define MODEL SINEW_SOURCE_DIR "/models/shoulder"

typedef struct Case {
    snSpec *spec;
    snModel *model;
} Case;

static void open_case(Case *c)
{
    snShoulderDef def = sn_default_shoulder_def();
    snError error;
    def.tables = MODEL;
    assert_int_equal(sn_author_shoulder(&def, &c->spec, &error), SN_OK);
    assert_int_equal(sn_compile(c->spec, &c->model, &error), SN_OK);
}

static void follow(const Case *c, const char *name, double mean, double worst)
{
    char path[512];
    snTrack *motion = NULL, *replay = NULL;
    snFollowReport report = {0};
    snError error = {0};
    snprintf(path, sizeof path, "%s/motions/%s.pose.csv", MODEL, name);
    snMotionDef load = sn_default_motion_def();
    if (sn_load_motion(c->model, path, &load, &motion, &error) != SN_OK) fail_msg("%s: %s", name, error.message);
    snFollowDef def = sn_default_follow_def();
    def.sim.threads = 1;
    assert_int_equal(sn_follow(c->model, motion, &def, &replay, &report, &error), SN_OK);
    print_message("%-10s mean %.3f rms %.3f worst %.3f mm, largest activation %.2f\n", name, 1e3 * report.all.mean,
                  1e3 * report.all.rms, 1e3 * report.all.worst, report.max_activation);
    assert_false(report.diverged);
    assert_int_equal(report.wrong_sides, 0);
    assert_int_equal(report.clamped_targets, 0);
    assert_at_most(report.all.mean, mean);
    assert_at_most(report.all.worst, worst);
    for (int32_t b = 0; b < report.nbody; ++b) assert_at_most(report.body[b].mean, mean);
    sn_follow_report_free(&report);
    sn_track_destroy(replay);
    sn_track_destroy(motion);
}

static void shipped_motions(void **state)
{
    (void)state;
    Case c = {0};
    open_case(&c);
    follow(&c, "abduction", 1e-5, 1.5e-4);
    follow(&c, "flexion", 2.5e-4, 3e-3);
    follow(&c, "shrug", 1e-3, 5e-3);
    follow(&c, "rotation", 0.001, 0.010);
    follow(&c, "reach", 1e-5, 1e-4);
    sn_model_destroy(c.model);
    sn_spec_destroy(c.spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
