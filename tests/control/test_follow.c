/* The tracking controller on the finger: certificates of its parts and of a whole motion. */
#include "check.h"

#include "scenes.h"
#include "sim/state.h"
#include "sinew/record.h"

#include <stdlib.h>
#include <string.h>

typedef struct Rig {
    snSpec *spec;
    snModel *m;
} Rig;

static Rig rig(void)
{
    Rig r = {.spec = sn_scene("finger")};
    assert_non_null(r.spec);
    assert_int_equal(sn_compile(r.spec, &r.m, NULL), SN_OK);
    return r;
}

static void drop(Rig r)
{
    sn_model_destroy(r.m);
    sn_spec_destroy(r.spec);
}

/* Knuckle, middle and end joint bend in the proportions of a natural fist, and back. */
static snTrack *bend(const snModel *m, double degrees, double seconds)
{
    enum { FRAMES = 121 };
    double time[FRAMES];
    int32_t nc = sn_count(m, SN_ITEM_COORDINATE);
    double *c = calloc((size_t)(FRAMES * nc), sizeof *c);
    static const double share[4] = {1, 0, 1, 0.4}; /* mcp flexion, mcp deviation, pip, dip */
    assert_int_equal(nc, 4);
    for (int i = 0; i < FRAMES; ++i) {
        time[i] = seconds * i / (FRAMES - 1);
        double k = 0.5 - 0.5 * cos(2 * SN_PI * i / (FRAMES - 1.0));
        for (int32_t j = 0; j < nc; ++j) c[i * nc + j] = k * degrees * SN_DEG * share[j];
    }
    snTrack *motion = NULL;
    assert_int_equal(sn_motion_from_coordinates(m, FRAMES, time, c, &motion), SN_OK);
    free(c);
    return motion;
}

static void natural_bend_is_followed(void **state)
{
    (void)state;
    Rig r = rig();
    snTrack *motion = bend(r.m, 40, 2), *replay = NULL;
    snFollowReport report;
    snError error;
    assert_int_equal(sn_follow(r.m, motion, NULL, &replay, &report, &error), SN_OK);
    print_message("mean %.4f rms %.4f worst %.4f mm, activation at most %.3f, step change %.5f\n",
                  1e3 * report.all.mean, 1e3 * report.all.rms, 1e3 * report.all.worst, report.max_activation,
                  report.activation_step_rms);
    assert_at_most(report.all.mean, 0.1e-3);
    assert_at_most(report.all.worst, 2e-3);
    assert_at_most(report.activation_step_rms, 0.006);
    assert_int_equal(report.clamped_targets, 0);
    assert_int_equal(sn_track_frames(replay), report.frames);
    sn_follow_report_free(&report);
    sn_track_destroy(replay);
    sn_track_destroy(motion);
    drop(r);
}

static void kept_motion_is_exact(void **state)
{
    (void)state;
    Rig r = rig();
    snTrack *motion = bend(r.m, 30, 0.5), *replay = NULL;
    snFollowDef def = sn_default_follow_def();
    def.keep_input_motion = true;
    snFollowReport report;
    assert_int_equal(sn_follow(r.m, motion, &def, &replay, &report, NULL), SN_OK);
    for (int32_t f = 0; f < sn_track_frames(replay); ++f)
        for (int32_t b = 0; b < r.m->nbody; ++b) {
            double wanted[7];
            sn_track_pose_at(motion, b, sn_track_time(replay, f), wanted, NULL);
            const double *got = sn_track_pose(replay, f) + 7 * b;
            for (int k = 0; k < 3; ++k) assert_near(got[k], wanted[k], 1e-14);
        }
    sn_follow_report_free(&report);
    sn_track_destroy(replay);
    sn_track_destroy(motion);
    drop(r);
}

/* Beyond the joint's range: clamped and reported, error bounded, nothing diverges. */
static void infeasible_target_is_clamped(void **state)
{
    (void)state;
    Rig r = rig();
    snTrack *motion = bend(r.m, 150, 2), *replay = NULL;
    snFollowReport report;
    assert_int_equal(sn_follow(r.m, motion, NULL, &replay, &report, NULL), SN_OK);
    assert_true(report.clamped_targets >= 2);
    assert_false(report.diverged);
    assert_at_most(report.all.worst, 0.16);
    sn_follow_report_free(&report);
    sn_track_destroy(replay);
    sn_track_destroy(motion);
    drop(r);
}

static void a_limit_that_no_muscle_has_is_refused(void **state)
{
    (void)state;
    Rig r = rig();
    const double wrong[] = {1.1, 0, -1, NAN};
    for (int i = 0; i < 4; ++i) {
        snFollowerDef def = sn_default_follower_def();
        snFollower *follower = NULL;
        snState *s = NULL;
        snError error;
        def.max_activation = wrong[i];
        assert_int_equal(sn_state_create(r.m, NULL, &s, &error), SN_OK);
        assert_int_equal(sn_follower_create(r.m, s, &def, &follower, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.message, "max_activation"));
        sn_state_destroy(s);
    }
    drop(r);
}

static void unknown_body_is_refused(void **state)
{
    (void)state;
    Rig r = rig();
    const char *name[] = {"nobody", "distal"};
    snTrackDef def = {.size = sizeof(snTrackDef), .model = "", .nbody = 2, .body_name = name};
    snTrack *motion = NULL, *replay = NULL;
    double pose[14] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    snFollowReport report;
    snError error;
    assert_int_equal(sn_track_create(&def, &motion), SN_OK);
    assert_int_equal(sn_track_append(motion, 0, pose, NULL, NULL), SN_OK);
    assert_int_equal(sn_follow(r.m, motion, NULL, &replay, &report, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "nobody"));
    assert_null(replay);
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    drop(r);
}

/* Body response of one activation against solving again with that force in the right-hand side. */
static void response_equals_solving_again(void **state)
{
    (void)state;
    Rig r = rig();
    snState *s = NULL;
    assert_int_equal(sn_state_create(r.m, NULL, &s, NULL), SN_OK);
    for (int32_t k = 0; k < r.m->nmuscle; ++k) s->activation[k] = 0.05;
    for (int i = 0; i < 5; ++i) assert_int_equal(sn_step(r.m, s), SN_OK);
    int32_t strand[8], adr[8], nb = 6 * r.m->nfree;
    double *response = calloc((size_t)(8 * nb), sizeof *response), *with = calloc((size_t)s->size, sizeof *with),
           *without = calloc((size_t)s->size, sizeof *without), worst = 0, largest = 0;
    for (int32_t i = 0; i < 8; ++i) strand[i] = i, adr[i] = 3 * r.m->strand_pointadr[i];
    sn_kkt_body_response(s->kkt, 8, strand, adr, s->active, response);
    sn_kkt_solve(s->kkt, s->impulse, without, 0);
    for (int32_t i = 0; i < 8; ++i) {
        memcpy(s->rhs, s->impulse, sizeof(double) * (size_t)s->size);
        for (int32_t k = 0; k < 3 * r.m->strand[i].n; ++k) s->rhs[s->point0 + adr[i] + k] += s->active[adr[i] + k];
        sn_kkt_solve(s->kkt, s->rhs, with, 0);
        for (int32_t k = 0; k < nb; ++k) {
            worst = fmax(worst, fabs(with[k] - without[k] - response[nb * i + k]));
            largest = fmax(largest, fabs(response[nb * i + k]));
        }
    }
    print_message("response against solving again: %.1e relative\n", worst / largest);
    assert_at_most(worst, 1e-13 * largest);
    free(response);
    free(with);
    free(without);
    sn_state_destroy(s);
    drop(r);
}

static void aim_at(snFollower *t, const snModel *m, const double *now, const double *next)
{
    for (int32_t i = 0; i < sn_follower_targets(t); ++i) {
        int32_t b = sn_follower_target_body(t, i);
        sn_follower_aim(t, i, now + 7 * b, next + 7 * b);
    }
    (void)m;
}

static void poses_of(const snModel *m, const snState *s, double *pose)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        rigid node = sn_node_pose(m, s, b);
        v3_store(pose + 7 * b, node.p);
        q_store(pose + 7 * b + 3, node.q);
    }
}

/* Angle between the bodies and their targets, degrees. */
static double worst_angle(const snModel *m, const snState *s, const double *pose)
{
    double worst = 0;
    for (int32_t b = 0; b < m->nbody; ++b) {
        v3 turn = q_log(q_mul(q_load(pose + 7 * b + 3), q_conj(sn_node_pose(m, s, b).q)));
        worst = fmax(worst, v3_len(turn) / SN_DEG);
    }
    return worst;
}

/* Poses that the same muscles have produced are found again step by step. */
static void reachable_motion_is_met_exactly(void **state)
{
    (void)state;
    enum { STEPS = 150 };
    Rig r = rig();
    size_t row = 7 * (size_t)r.m->nbody;
    double *pose = calloc((STEPS + 1) * row, sizeof *pose), worst = 0;
    snState *s = NULL;
    assert_int_equal(sn_state_create(r.m, NULL, &s, NULL), SN_OK);
    poses_of(r.m, s, pose);
    for (int i = 0; i < STEPS; ++i) {
        for (int32_t k = 0; k < r.m->nmuscle; ++k) s->activation[k] = 0.01 * (1 - cos(0.03 * i)) * (1 + 0.5 * sin(k));
        assert_int_equal(sn_step(r.m, s), SN_OK);
        poses_of(r.m, s, pose + row * (size_t)(i + 1));
    }
    sn_state_reset(r.m, s);
    snFollowerDef def = sn_default_follower_def();
    def.activation_weight = 1e-9, def.smoothness_weight = 1e-9, def.max_rate = 1000;
    snFollower *t = NULL;
    assert_int_equal(sn_follower_create(r.m, s, &def, &t, NULL), SN_OK);
    for (int i = 0; i < STEPS; ++i) {
        aim_at(t, r.m, pose + row * (size_t)i, pose + row * (size_t)(i + 1));
        assert_int_equal(sn_step(r.m, s), SN_OK);
        worst = fmax(worst, worst_angle(r.m, s, pose + row * (size_t)(i + 1)));
    }
    print_message("reachable motion: %.5f degrees at worst\n", worst);
    assert_at_most(worst, 1e-7);
    sn_follower_destroy(t);
    sn_state_destroy(s);
    free(pose);
    drop(r);
}

static void initial_error_decays(void **state)
{
    (void)state;
    Rig r = rig();
    double coordinate[4] = {5 * SN_DEG, 0, 0, 0}, *pose = calloc(7 * (size_t)r.m->nbody, sizeof *pose);
    snState *s = NULL;
    snFollower *t = NULL;
    assert_int_equal(sn_state_create(r.m, NULL, &s, NULL), SN_OK);
    assert_int_equal(sn_pose(r.m, s, coordinate), SN_OK);
    poses_of(r.m, s, pose); /* the target: the knuckle bent by 5 degrees */
    sn_state_reset(r.m, s);
    assert_int_equal(sn_follower_create(r.m, s, NULL, &t, NULL), SN_OK);
    assert_near(worst_angle(r.m, s, pose), 5, 1e-12);
    for (int i = 0; i < 25; ++i) {
        aim_at(t, r.m, pose, pose);
        assert_int_equal(sn_step(r.m, s), SN_OK);
    }
    print_message("initial error of 5 degrees after 100 ms: %.4f degrees\n", worst_angle(r.m, s, pose));
    assert_at_most(worst_angle(r.m, s, pose), 0.1);
    sn_follower_destroy(t);
    sn_state_destroy(s);
    free(pose);
    drop(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(response_equals_solving_again),
        cmocka_unit_test(natural_bend_is_followed),
        cmocka_unit_test(kept_motion_is_exact),
        cmocka_unit_test(infeasible_target_is_clamped),
        cmocka_unit_test(a_limit_that_no_muscle_has_is_refused),
        cmocka_unit_test(unknown_body_is_refused),
        cmocka_unit_test(reachable_motion_is_met_exactly),
        cmocka_unit_test(initial_error_decays),
    };
    return cmocka_run_group_tests_name("control.follow", tests, NULL, NULL);
}
