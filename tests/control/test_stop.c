/* A joint that its load presses against a stop must be lifted off it by the controller. */
#include "compiled.h"

#include "build.h"
#include "model/model.h"
#include "sinew/record.h"

/* An arm along x with its elbow at height z, lifted by a muscle above the elbow. */
static void add_arm(snBuild *build, const char *name, const char *elbow, const char *muscle, double z, double lower)
{
    const double middle[3] = {0.06, 0, z}, half[3] = {0.06, 0.01, 0.01};
    snVia via[] = {{.p = {-0.15, 0.02, z}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0.04, 0.02, z}, .kind = SN_VIA_FIXED, .on = name}};
    snPath path = {.via = via, .nvia = 2, .npoint = 24, .belly = 0.12};
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
    snStrandDef def = sn_default_strand_def();
    def.name = muscle;
    def.radius = 0.003;
    def.max_force = 60;
    sn_build_strand(build, &def, &path);
}

/* One arm lies on its stop; two more hang in the air, so that the weights of the controller have something to go by. */
static snModel *resting_arm(void)
{
    static const double nowhere[3] = {0}, small[3] = {0.01, 0.01, 0.01};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.1, 0);
    sn_build_body(&build, "frame", nowhere, NULL, small, 0);
    add_arm(&build, "arm", "elbow", "biceps", 0, 0);
    add_arm(&build, "arm2", "elbow2", "biceps2", 0.1, -60);
    add_arm(&build, "arm3", "elbow3", "biceps3", 0.2, -60);
    return compiled(sn_build_end(&build));
}

/* The row of the stop holds in both directions while it is on, so that the arm seems to answer to no muscle. */
static void arm_is_lifted_off_its_stop(void **state)
{
    (void)state;
    enum { FRAMES = 101 };
    snModel *m = resting_arm();
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arm_is_lifted_off_its_stop)};
    return cmocka_run_group_tests_name("control.stop", tests, NULL, NULL);
}
