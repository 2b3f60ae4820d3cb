/* A joint that its load presses against a stop must be lifted off it by the controller. */
#include "compiled.h"

#include "build.h"
#include "model/model.h"
#include "sinew/record.h"

static void add_muscle(snBuild *build, const char *arm, const char *muscle, double z, snStrandKind kind)
{
    snVia via[] = {{.p = {-0.15, 0.02, z}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0.04, 0.02, z}, .kind = SN_VIA_FIXED, .on = arm}};
    snPath path = {.via = via, .nvia = 2, .npoint = 24, .belly = 0.12};
    snStrandDef def = sn_default_strand_def();
    def.name = muscle;
    def.radius = 0.003;
    def.max_force = 60;
    def.kind = kind;
    sn_build_strand(build, &def, &path);
}

/* An arm along x with its elbow at height z, lifted by a muscle above the elbow. */
static void add_arm(snBuild *build, const char *name, const char *elbow, const char *muscle, double z, double lower,
                    snStrandKind kind)
{
    const double middle[3] = {0.06, 0, z}, half[3] = {0.06, 0.01, 0.01};
    sn_build_body(build, name, middle, NULL, half, 0.2);
    snJointDef hinge = sn_default_joint_def();
    hinge.name = elbow;
    hinge.type = SN_JOINT_TYPE_HINGE;
    hinge.body_a = "frame";
    hinge.body_b = name;
    hinge.position[2] = z;
    hinge.limited = true;
    hinge.lower[0] = lower;
    hinge.upper[0] = 60;
    sn_build_joint(build, &hinge);
    add_muscle(build, name, muscle, z, kind);
}

/* One arm lies on its stop; two more hang in the air, so that the weights of the controller have something to go by. */
static snModel *resting_arm(snStrandKind kind)
{
    static const double nowhere[3] = {0}, small[3] = {0.01, 0.01, 0.01};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.1, 0);
    sn_build_body(&build, "frame", nowhere, NULL, small, 0);
    add_arm(&build, "arm", "elbow", "biceps", 0, 0, kind);
    add_arm(&build, "arm2", "elbow2", "biceps2", 0.1, -60, kind);
    add_arm(&build, "arm3", "elbow3", "biceps3", 0.2, -60, kind);
    return compiled(sn_build_end(&build));
}

/* The row of the stop holds in both directions while it is on, so that the arm seems to answer to no muscle. */
static void arm_is_lifted_off_its_stop(void **state)
{
    (void)state;
    enum { FRAMES = 101 };
    snModel *m = resting_arm(SN_STRAND_SPLINE);
    double time[FRAMES], q[3 * FRAMES] = {0};
    for (int i = 0; i < FRAMES; ++i) {
        double k = fmax(0, fmin(1, (i - 20) / 60.0));
        time[i] = 0.01 * i;
        q[3 * i] = 20 * SN_DEG * k * k * k * (10 + k * (6 * k - 15));
    }
    snTrack *motion = NULL, *replay = NULL;
    snFollowReport report;
    assert_int_equal(sn_motion_from_coordinates(m, FRAMES, time, q, &motion), SN_OK);
    assert_int_equal(sn_follow(m, motion, NULL, &replay, &report, NULL), SN_OK);
    double worst = 0; /* of the middle of the arm */
    int32_t arm = sn_find(m, SN_ITEM_BODY, "arm"), frames = sn_track_frames(replay);
    for (int32_t f = 0; f < frames; ++f) {
        double wanted[7];
        sn_track_pose_at(motion, arm, sn_track_time(replay, f), wanted, NULL);
        worst = fmax(worst, v3_dist(v3_load(sn_track_pose(replay, f) + 7 * arm), v3_load(wanted)));
    }
    print_message("off the stop: worst %.3f mm of %.1f, activation %.3f\n", 1e3 * worst, 60 * 20 * SN_DEG,
                  report.max_activation);
    assert_at_most(worst, 2e-6);
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    sn_track_destroy(replay);
    sn_model_destroy(m);
}

typedef struct Rest {
    double lean, hang, worst; /* activations of the arm on its stop and of one that hangs; way of the arm, m */
} Rest;

/* Follows a pose in which one arm lies on its stop and the others hang in the air. */
static Rest follow_rest(const snModel *m, double step)
{
    double time[2] = {0, 1.2}, q[6] = {0}; /* what lingers of the way there halves in a twentieth of that */
    snTrack *motion = NULL, *replay = NULL;
    snFollowReport report;
    snFollowDef def = sn_default_follow_def();
    def.sim.step = step;
    assert_int_equal(sn_motion_from_coordinates(m, 2, time, q, &motion), SN_OK);
    assert_int_equal(sn_follow(m, motion, &def, &replay, &report, NULL), SN_OK);
    const double *last = sn_track_scalar(replay, sn_track_frames(replay) - 1);
    int32_t arm = sn_find(m, SN_ITEM_MUSCLE, "biceps"), other = sn_find(m, SN_ITEM_MUSCLE, "biceps2");
    Rest r = {.lean = last[arm], .hang = last[other], .worst = report.all.worst};
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    sn_track_destroy(replay);
    return r;
}

/* Its weight presses the arm on the stop: the stop carries it, and no muscle has to. The same at any step. */
static void a_stop_carries_for_nothing(void **state)
{
    (void)state;
    static const snStrandKind kind[] = {SN_STRAND_SPLINE, SN_STRAND_PATH};
    for (int i = 0; i < 2; ++i) {
        snModel *m = resting_arm(kind[i]);
        Rest coarse = follow_rest(m, 0.004), fine = follow_rest(m, 0.001);
        print_message("activation on the stop %.1e, %.1e at 4 and 1 ms, in the air %.4f, %.4f; off by %.1e, %.1e m\n",
                      coarse.lean, fine.lean, coarse.hang, fine.hang, coarse.worst, fine.worst);
        assert_true(coarse.hang > 0.05);
        assert_at_most(coarse.lean, 1e-3 * coarse.hang);
        assert_at_most(fine.lean, 1e-3 * coarse.hang);
        assert_at_most(fmax(coarse.worst, fine.worst), 1e-5);
        sn_model_destroy(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arm_is_lifted_off_its_stop),
                                       cmocka_unit_test(a_stop_carries_for_nothing)};
    return cmocka_run_group_tests_name("control.stop", tests, NULL, NULL);
}
