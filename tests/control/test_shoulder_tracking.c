/* The shipped motions of the shoulder followed by its muscles: every bone within a millimetre in the mean, and the
 * activations of rotation the same at a quarter of the step.
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

/* Step 0: that of the model. Returns what was recorded. */
static snTrack *follow_with(const Case *c, const char *name, double step, snFollowReport *report)
{
    char path[512];
    snTrack *motion = NULL, *replay = NULL;
    snError error = {0};
    snprintf(path, sizeof path, "%s/motions/%s.pose.csv", MODEL, name);
    snMotionDef load = sn_default_motion_def();
    if (sn_load_motion(c->model, path, &load, &motion, &error) != SN_OK) fail_msg("%s: %s", name, error.message);
    snFollowDef def = sn_default_follow_def();
    def.sim.threads = 1;
    def.sim.step = step;
    assert_int_equal(sn_follow(c->model, motion, &def, &replay, report, &error), SN_OK);
    sn_track_destroy(motion);
    return replay;
}

static void follow(const Case *c, const char *name, double mean, double worst)
{
    snFollowReport report = {0};
    snTrack *replay = follow_with(c, name, 0, &report);
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
}

/* Rms difference of all activations of two runs over their rms. */
static double difference(const snTrack *a, const snTrack *b)
{
    const snTrackDef *def = sn_track_def(a);
    double apart = 0, all = 0;
    assert_int_equal(sn_track_frames(a), sn_track_frames(b));
    for (int32_t f = 0; f < sn_track_frames(a); ++f)
        for (int32_t i = 0; i < def->nscalar; ++i) {
            if (strncmp(def->scalar_name[i], "activation/", 11) != 0) continue;
            double x = sn_track_scalar(a, f)[i], y = sn_track_scalar(b, f)[i];
            apart += (x - y) * (x - y), all += y * y;
        }
    assert_true(all > 0);
    return sqrt(apart / all);
}

static void rotation_does_not_depend_on_the_step(void **state)
{
    (void)state;
    heavy_case();
    Case c = {0};
    snFollowReport report[2] = {0};
    open_case(&c);
    snTrack *whole = follow_with(&c, "rotation", 4e-3, &report[0]);
    snTrack *quarter = follow_with(&c, "rotation", 1e-3, &report[1]);
    double apart = difference(whole, quarter);
    print_message("activations of rotation at 4 and 1 ms: %.1f %% apart\n", 100 * apart);
    assert_at_most(apart, 0.05);
    sn_track_destroy(whole);
    sn_track_destroy(quarter);
    for (int i = 0; i < 2; ++i) sn_follow_report_free(&report[i]);
    sn_model_destroy(c.model);
    sn_spec_destroy(c.spec);
}

static void shipped_motions(void **state)
{
    (void)state;
    Case c = {0};
    open_case(&c);
    follow(&c, "abduction", 1e-5, 1.5e-4);
    follow(&c, "flexion", 5e-5, 1e-3);
    follow(&c, "shrug", 1e-5, 1e-4);
    follow(&c, "rotation", 2e-5, 1e-4);
    follow(&c, "reach", 1e-5, 1e-4);
    sn_model_destroy(c.model);
    sn_spec_destroy(c.spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_motions),
                                       cmocka_unit_test(rotation_does_not_depend_on_the_step)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
