/* What a run that follows a motion says about itself: that asking changes nothing, that the figures are right, and that
 * a checkpoint with a changed byte is refused. */
#include "compiled.h"

#include "control/inverse.h"
#include "scenes.h"
#include "sim/plant.h"
#include "sinew/record.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES = 41 };

/* The finger of the scenes bends by so many degrees and comes back, or stays there. */
static snTrack *bend(const snModel *m, double degrees, bool stays)
{
    double time[FRAMES], c[4 * FRAMES] = {0};
    snTrack *motion = NULL;
    for (int i = 0; i < FRAMES; ++i) {
        double k = stays ? 1 : 0.5 - 0.5 * cos(2 * SN_PI * i / (FRAMES - 1.0));
        time[i] = 0.02 * i;
        c[4 * i] = c[4 * i + 2] = degrees * SN_DEG * k;
    }
    assert_int_equal(sn_motion_from_coordinates(m, FRAMES, time, c, &motion), SN_OK);
    return motion;
}

static void asking_changes_nothing(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snTrack *motion = bend(m, 30, false), *asked = NULL, *plain = NULL;
    snFollowDef def = sn_default_follow_def();
    snFollowReport a, b;
    assert_int_equal(sn_follow(m, motion, &def, &asked, &a, NULL), SN_OK);
    def.skip_step_check = true;
    assert_int_equal(sn_follow(m, motion, &def, &plain, &b, NULL), SN_OK);
    size_t n = sizeof(double) * (size_t)sn_track_def(asked)->nscalar;
    for (int32_t f = 0; f < sn_track_frames(asked); ++f)
        assert_memory_equal(sn_track_scalar(asked, f), sn_track_scalar(plain, f), n);
    assert_true(isfinite(a.trust.step_error) && isnan(b.trust.step_error));
    assert_true(a.size == sizeof a && a.trust.size == sizeof a.trust);
    assert_true(a.trust.reached && a.trust.unmet_torque == 0 && a.trust.unmet_coordinate == -1);
    assert_true(a.trust.mean_distance == a.all.mean && a.trust.max_activation == a.max_activation);
    assert_true(a.trust.conditioning >= 0 && a.trust.conditioning <= 1);
    sn_follow_report_free(&a);
    sn_follow_report_free(&b);
    sn_track_destroy(motion);
    sn_track_destroy(asked);
    sn_track_destroy(plain);
    sn_model_destroy(m);
}

static double step_error_at(const snModel *m, const snTrack *motion, double step)
{
    snFollowDef def = sn_default_follow_def();
    snFollowReport report;
    def.sim.step = step;
    assert_int_equal(sn_follow_frames(m, motion, &def, &report, NULL), SN_OK);
    assert_near(report.trust.step, step, 1e-12);
    double error = report.trust.step_error;
    sn_follow_report_free(&report);
    return error;
}

static void the_error_of_the_step_falls_with_it(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snTrack *motion = bend(m, 30, false);
    double coarse = step_error_at(m, motion, 0.004), fine = step_error_at(m, motion, 0.001);
    print_message("change of activations at half the step: %.4f at 4 ms, %.4f at 1 ms\n", coarse, fine);
    assert_true(fine > 0);
    assert_at_most(fine, 0.6 * coarse);
    sn_track_destroy(motion);
    sn_model_destroy(m);
}

/* Torques that a finger without strength lacks in a pose that it is held in, by inverse dynamics. */
static void lacking_in(const snModel *m, const double *q, double *unmet)
{
    enum { STEPS = 200 };
    double at[8];
    snState *s = NULL;
    rigid *pose = calloc((size_t)m->nbody, sizeof *pose);
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    memset(sn_plant_strength(s), 0, sizeof(double) * (size_t)m->nmuscle);
    snInverse *inverse = sn_inverse_create(m, s, 1);
    for (int i = 1; i <= 2 * STEPS; ++i) {
        for (int32_t c = 0; c < m->ncoord; ++c) at[c] = q[c] * fmin(1, (double)i / STEPS);
        sn_pose_bodies(m, at, pose);
        assert_int_equal(sn_inverse_step(inverse, pose), SN_OK);
    }
    memcpy(unmet, sn_inverse_unmet(inverse), sizeof *unmet * (size_t)m->ncoord);
    sn_inverse_destroy(inverse);
    sn_state_destroy(s);
    free(pose);
}

/* Without muscles a finger falls: what is missing is what inverse dynamics says, about every joint. */
static void what_is_missing_is_that_of_inverse_dynamics(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snTrack *motion = bend(m, 40, true);
    double strength[64] = {0};
    snFollowDef def = sn_default_follow_def();
    snFollowReport report;
    double wanted[8], q[8] = {40 * SN_DEG, 0, 40 * SN_DEG}, most = 0;
    assert_true(m->nmuscle <= 64 && m->ncoord <= 8);
    def.strength = strength;
    assert_int_equal(sn_follow_frames(m, motion, &def, &report, NULL), SN_OK);
    lacking_in(m, q, wanted);
    const snTrust *t = &report.trust;
    for (int32_t c = 0; c < m->ncoord; ++c) {
        print_message("missing %.4g N m (%.4g), %.1f deg off\n", t->unmet[c], wanted[c], t->off[c] / SN_DEG);
        most = fmax(most, fabs(wanted[c]));
    }
    assert_false(t->reached);
    assert_true(t->worst_angle > 3 * SN_DEG && t->off[t->worst_angle_coordinate] == t->worst_angle);
    assert_true(most > 1e-3 && t->unmet_torque == t->unmet[t->unmet_coordinate]);
    for (int32_t c = 0; c < m->ncoord; ++c) assert_near(t->unmet[c], fabs(wanted[c]), 0.03 * most);
    assert_true(t->off_from[t->worst_angle_coordinate] <= t->worst_angle_time);
    assert_true(t->off_until[t->worst_angle_coordinate] >= t->worst_angle_time);
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    sn_model_destroy(m);
}

static int stop_at_nine(void *user, const char *stage, double done, double total)
{
    (void)user, (void)stage, (void)total;
    return done >= 9;
}

static void a_changed_checkpoint_is_refused(void **state)
{
    (void)state;
    enum { FLIPS = 40 };
    snModel *m = compiled(sn_scene("finger"));
    snTrack *motion = bend(m, 30, false);
    snFollowDef def = sn_default_follow_def();
    snFollowReport whole, half, rest;
    assert_int_equal(sn_follow_frames(m, motion, &def, &whole, NULL), SN_OK);
    def.progress.call = stop_at_nine;
    assert_int_equal(sn_follow_frames(m, motion, &def, &half, NULL), SN_CANCELLED);
    def.progress.call = NULL;
    def.checkpoint = half.checkpoint, def.checkpoint_size = half.checkpoint_size;
    for (size_t k = 0; k < FLIPS; ++k) {
        unsigned char *byte = (unsigned char *)half.checkpoint + k * (half.checkpoint_size - 1) / (FLIPS - 1);
        *byte ^= 4;
        assert_int_equal(sn_follow_frames(m, motion, &def, &rest, NULL), SN_BAD_INPUT);
        sn_follow_report_free(&rest);
        *byte ^= 4;
    }
    assert_int_equal(sn_follow_frames(m, motion, &def, &rest, NULL), SN_OK);
    assert_true(rest.trust.worst_angle == whole.trust.worst_angle && rest.trust.step_error == whole.trust.step_error);
    assert_true(rest.trust.conditioning == whole.trust.conditioning && rest.trust.mean_angle == whole.trust.mean_angle);
    sn_follow_report_free(&whole);
    sn_follow_report_free(&half);
    sn_follow_report_free(&rest);
    sn_track_destroy(motion);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(asking_changes_nothing),
                                       cmocka_unit_test(the_error_of_the_step_falls_with_it),
                                       cmocka_unit_test(what_is_missing_is_that_of_inverse_dynamics),
                                       cmocka_unit_test(a_changed_checkpoint_is_refused)};
    return cmocka_run_group_tests_name("control.trust", tests, NULL, NULL);
}
