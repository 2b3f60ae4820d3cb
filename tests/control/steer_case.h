/* Shipped motions of the upper body at two steps. Shared by the quick and the long test. */
#ifndef SN_TESTS_STEER_CASE_H
#define SN_TESTS_STEER_CASE_H

#include "check.h"
#include "sinew/io.h"
#include "sinew/record.h"
#include "sinew/steer.h"

#include <stdlib.h>
#include <string.h>

static const double CONTROL = 1.0 / 144; /* s: steps of the default, six to a frame of 1/24 s */

static inline snModel *shipped_body(void)
{
    snSpec *spec = NULL;
    snModel *m = NULL;
    snError error = {0};
    char path[4096];
    if (sn_find_model("body", path, sizeof path, &error) != SN_OK || sn_load_model(path, &spec, &error) != SN_OK ||
        sn_compile(spec, &m, &error) != SN_OK)
        print_error("%s\n", error.message);
    assert_non_null(m);
    sn_spec_destroy(spec);
    return m;
}

/* Activations of all frames. */
typedef struct Course {
    const snModel *m;
    double *at;
    int32_t frames, room;
    snSteerReport report;
} Course;

static inline snStatus note_frame(void *user, const snSteer *run, snState *state, double time)
{
    Course *c = user;
    snView view;
    size_t n = (size_t)sn_count(c->m, SN_ITEM_MUSCLE);
    (void)run, (void)time;
    assert_true(c->frames < c->room);
    assert_int_equal(sn_field(c->m, state, "muscle.activation", &view), SN_OK);
    memcpy(c->at + (size_t)c->frames++ * n, view.data, n * sizeof(double));
    return SN_OK;
}

static inline Course steer_at(const snModel *m, const char *name, double step)
{
    enum { MOST_FRAMES = 400 };
    Course c = {.m = m, .room = MOST_FRAMES};
    snPoses *poses = NULL;
    snError error = {0};
    snMotionDef load = sn_default_motion_def();
    snSteerDef def = sn_default_steer_def();
    load.model = "body";
    if (sn_load_motion_poses(name, &load, &poses, &error) != SN_OK) fail_msg("%s: %s", name, error.message);
    c.at = calloc((size_t)MOST_FRAMES * (size_t)sn_count(m, SN_ITEM_MUSCLE), sizeof(double));
    assert_non_null(c.at);
    def.step = step, def.frame = note_frame, def.user = &c;
    if (sn_steer(m, poses, &def, &c.report, &error) != SN_OK) fail_msg("%s: %s", name, error.message);
    sn_poses_destroy(poses);
    return c;
}

static inline void free_course(Course *c)
{
    sn_steer_report_free(&c->report);
    free(c->at);
}

/* Rms difference of the activations over the rms at a quarter of the step. */
static inline double apart_at(const snModel *m, const char *name, double step)
{
    Course whole = steer_at(m, name, step), quarter = steer_at(m, name, step / 4);
    size_t n = (size_t)whole.frames * (size_t)sn_count(m, SN_ITEM_MUSCLE);
    double apart = 0, all = 0;
    assert_int_equal(whole.frames, quarter.frames);
    for (size_t i = 0; i < n; ++i)
        apart += (whole.at[i] - quarter.at[i]) * (whole.at[i] - quarter.at[i]), all += quarter.at[i] * quarter.at[i];
    assert_true(all > 0);
    apart = sqrt(apart / all);
    print_message("%-14s activations at %.2f and %.2f ms: %.2f %% apart; worst error %.4f and %.4f rad\n", name,
                  1e3 * step, 250 * step, 100 * apart, whole.report.trust.worst_angle,
                  quarter.report.trust.worst_angle);
    free_course(&whole), free_course(&quarter);
    return apart;
}

#endif
