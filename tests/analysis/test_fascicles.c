/* What fascicles do to a joint: the moment equals tension times the distance of a straight muscle from the hinge,
 * equals the moment arm by virtual work where tendons wrap and slide, and balances the weight of what is held. */
#include "compiled.h"

#include "analysis/own/muscles.h"
#include "base/alloc.h"
#include "build.h"
#include "scenes.h"
#include "sinew/record.h"

#include <string.h>

enum { FASCICLES = 3 };
static const double MASS = 0.2, MIDDLE = 0.06, HIGH = 0.12; /* kg; m from the elbow; of the origin above it */

/* An arm along x on a hinge about z, held by three fascicles that come from above the elbow to the arm. */
static snSpec *held_arm(void)
{
    static const double nowhere[3] = {0}, small[3] = {0.01, 0.01, 0.01}, half[3] = {0.06, 0.01, 0.01};
    const double middle[3] = {MIDDLE, 0, 0};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.1, 0);
    sn_build_body(&build, "frame", nowhere, NULL, small, 0);
    sn_build_body(&build, "arm", middle, NULL, half, MASS);
    snJointDef hinge = sn_default_joint_def();
    hinge.name = "elbow", hinge.type = SN_JOINT_TYPE_HINGE, hinge.body_a = "frame", hinge.body_b = "arm";
    hinge.damping[0] = 0.02;
    sn_build_joint(&build, &hinge);
    for (int i = 0; i < FASCICLES; ++i) {
        static const char *const name[FASCICLES] = {"f1", "f2", "f3"};
        double z = 0.01 * (i - 1);
        snVia via[] = {{.p = {-0.01, HIGH, z}, .kind = SN_VIA_FIXED, .on = "frame"},
                       {.p = {0.03 + 0.01 * i, 0.01, z}, .kind = SN_VIA_FIXED, .on = "arm"}};
        snPath path = {.via = via, .nvia = 2, .npoint = 10, .belly = 0.08};
        snStrandDef def = sn_default_strand_def();
        def.name = name[i], def.radius = 0.002, def.max_force = 10, def.density = 50;
        sn_build_strand(&build, &def, &path);
    }
    snGroupDef group = sn_default_group_def();
    group.name = "biceps", group.strands = "f1 f2 f3";
    sn_add_group(build.spec, &group, NULL);
    return sn_build_end(&build);
}

/* A replay of one frame at rest under this activation. */
/* One frame of a state as a replay. */
static snTrack *recorded(const snModel *m, snState *s, const char *name)
{
    snRecorder *recorder = NULL;
    snTrack *replay = NULL;
    snTrackFrame f;
    assert_int_equal(sn_recorder_create(m, name, &recorder), SN_OK);
    assert_int_equal(sn_track_create(sn_recorder_def(recorder), &replay), SN_OK);
    assert_int_equal(sn_recorder_read(recorder, s, sn_time(s), &f), SN_OK);
    assert_int_equal(sn_track_append(replay, f.time, f.pose, f.point, f.scalar), SN_OK);
    sn_recorder_destroy(recorder);
    return replay;
}

static snTrack *settle(const snModel *m, double activation, double seconds)
{
    snState *s = NULL;
    snView view;
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    assert_int_equal(sn_field(m, s, "muscle.activation", &view), SN_OK);
    for (int32_t i = 0; i < view.rows; ++i) view.data[i] = activation;
    for (double t = 0; t < seconds; t = sn_time(s)) assert_int_equal(sn_step(m, s), SN_OK);
    snTrack *replay = recorded(m, s, "arm");
    sn_state_destroy(s);
    return replay;
}

static double scalar(const snTrack *track, const char *name)
{
    int32_t i = sn_track_find_scalar(track, name);
    if (i < 0) fail_msg("no scalar %s", name);
    return sn_track_scalar(track, sn_track_frames(track) - 1)[i];
}

static void moment_is_tension_times_distance_and_carries_the_weight(void **state)
{
    (void)state;
    snModel *m = compiled(held_arm());
    snTrack *replay = settle(m, 0.05, 3), *result = NULL;
    snAnalysisDef def = sn_default_analysis_def();
    snError error;
    def.coordinate = 0;
    assert_int_equal(sn_analyse(m, replay, &def, &result, &error), SN_OK);
    const double *pose = sn_track_pose(replay, 0) + 7 * sn_track_find_body(replay, "arm");
    double moments = 0, forces = 0, lengths = 0;
    for (int i = 0; i < FASCICLES; ++i) {
        char name[40], strand[8];
        int32_t n = sn_track_def(replay)->strand_npoint[i];
        const double *p = sn_track_point(replay, 0) + 3 * i * n, *q = p + 3 * (n - 1);
        double dx = q[0] - p[0], dy = q[1] - p[1], dz = q[2] - p[2];
        snprintf(strand, sizeof strand, "f%d", i + 1);
        snprintf(name, sizeof name, "force_insertion/%s", strand);
        double insertion = scalar(result, name);
        snprintf(name, sizeof name, "force_origin/%s", strand);
        double tension = 0.5 * (insertion + scalar(replay, name));
        snprintf(name, sizeof name, "moment/%s", strand);
        /* The pull on the arm is towards the origin: r x (p - q) with r = q. */
        double arm = (q[0] * -dy - q[1] * -dx) / sqrt(dx * dx + dy * dy + dz * dz);
        assert_near(scalar(result, name), tension * arm, 2e-3 * fabs(tension * arm));
        moments += scalar(result, name), forces += insertion;
        snprintf(name, sizeof name, "length/%s", strand);
        lengths += scalar(result, name);
    }
    assert_near(scalar(result, "sum_force/biceps"), forces, 1e-12);
    assert_near(scalar(result, "mean_length/biceps"), lengths / FASCICLES, 1e-14);
    assert_near(scalar(result, "sum_moment/biceps"), moments, 1e-12);
    assert_near(scalar(result, "sum_moment/all"), moments, 1e-12);
    double weight = MASS * 9.81 * pose[0];
    print_message("moment %.5f N m, weight %.5f N m\n", moments, weight);
    assert_near(moments, weight, 5e-3 * weight);
    sn_track_destroy(result);
    sn_track_destroy(replay);
    sn_model_destroy(m);
}

/* The finger: eyelets, cylinders, tendons that split into others. */
static void moment_agrees_with_the_moment_arm_by_virtual_work(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snArmDef arm_def = sn_default_arm_def();
    snArms *arms = NULL;
    snError error;
    assert_int_equal(sn_moment_arms(m, &arm_def, &arms, &error), SN_OK);
    int compared = 0;
    double worst = 0;
    for (int32_t c = 0; c < arms->ncoordinate; ++c) {
        /* the pose of the arms at rest, with the bones held there */
        snState *s = NULL;
        snSimDef sim = sn_default_sim_def();
        snTrack *result = NULL;
        double rest[64] = {0};
        sim.gravity_scale = 0;
        assert_int_equal(sn_state_create(m, &sim, &s, NULL), SN_OK);
        snView view;
        assert_int_equal(sn_field(m, s, "muscle.activation", &view), SN_OK);
        for (int32_t i = 0; i < view.rows; ++i) view.data[i] = arm_def.activation;
        for (int i = 0; i < 50; ++i) {
            assert_int_equal(sn_pose(m, s, rest), SN_OK);
            assert_int_equal(sn_step(m, s), SN_OK);
        }
        snTrack *replay = recorded(m, s, "finger");
        snAnalysisDef def = sn_default_analysis_def();
        def.coordinate = c;
        assert_int_equal(sn_analyse(m, replay, &def, &result, &error), SN_OK);
        for (int32_t i = 0; i < sn_count(m, SN_ITEM_STRAND); ++i) {
            double arm = arms->neutral[i * arms->ncoordinate + c];
            char name[80];
            const char *strand = sn_name(m, SN_ITEM_STRAND, i);
            snprintf(name, sizeof name, "moment/%s", strand);
            if (sn_track_find_scalar(result, name) < 0) continue;
            double moment = scalar(result, name);
            snprintf(name, sizeof name, "force_insertion/%s", strand);
            double tension = scalar(result, name);
            worst = fmax(worst, fabs(moment / tension - arm));
            assert_near(moment / tension, arm, 3e-4); /* of arms of up to 10 mm */
            ++compared;
        }
        sn_track_destroy(result);
        sn_track_destroy(replay);
        sn_state_destroy(s);
    }
    print_message("%d pairs, furthest from virtual work by %.3f mm\n", compared, 1e3 * worst);
    assert_true(compared > 10);
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    snModel *m = compiled(held_arm());
    snTrack *replay = settle(m, 0, 0.01);
    snAnalysisDef def = sn_default_analysis_def();
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    def.coordinate = 0;
    for (int n = 0; status != SN_OK; ++n) {
        snTrack *result = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_analyse(m, replay, &def, &result, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        if (result) sn_track_destroy(result);
        assert_int_equal(sn_alloc_live(), before);
    }
    sn_track_destroy(replay);
    sn_model_destroy(m);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    snModel *m = compiled(held_arm()), *other = compiled(sn_scene("finger"));
    snTrack *replay = settle(m, 0, 0.01), *result = NULL;
    snAnalysisDef def = sn_default_analysis_def();
    snError error;
    assert_int_equal(sn_analyse(other, replay, &def, &result, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "no forces or length of strand"));
    const int32_t twice[2] = {1, 1};
    def.nstrand = 2, def.strand = twice;
    assert_int_equal(sn_analyse(m, replay, &def, &result, &error), SN_BAD_INPUT);
    def.nstrand = 0;
    assert_int_equal(sn_analyse(m, replay, &def, &result, &error), SN_BAD_INPUT);
    assert_null(result);
    sn_track_destroy(replay);
    sn_model_destroy(other);
    sn_model_destroy(m);
}

/* Straight strands with all of them belly: fibre length is the strand's own, its velocity the
 * difference of the frames. */
static void fibres_of_a_straight_belly_are_its_length(void **state)
{
    (void)state;
    snSpec *spec = held_arm();
    snModel *m = NULL;
    snState *s = NULL;
    snView length, activation;
    snTrack *replay = NULL, *fibres = NULL;
    snRecorder *recorder = NULL;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    assert_int_equal(sn_field(m, s, "strand.length", &length), SN_OK);
    assert_int_equal(sn_field(m, s, "muscle.activation", &activation), SN_OK);
    assert_int_equal(sn_recorder_create(m, "arm", &recorder), SN_OK);
    assert_int_equal(sn_track_create(sn_recorder_def(recorder), &replay), SN_OK);
    for (int32_t i = 0; i < activation.rows; ++i) activation.data[i] = 0.3;
    for (int f = 0; f < 10; ++f) {
        snTrackFrame frame;
        assert_int_equal(sn_step(m, s), SN_OK);
        assert_int_equal(sn_recorder_read(recorder, s, sn_time(s), &frame), SN_OK);
        assert_int_equal(sn_track_append(replay, frame.time, frame.pose, frame.point, frame.scalar), SN_OK);
    }
    assert_int_equal(sn_fibre_course(spec, m, replay, &fibres, NULL), SN_OK);
    int32_t fibre = sn_track_find_scalar(fibres, "fibre_length/f2"),
            rate = sn_track_find_scalar(fibres, "fibre_velocity/f2");
    int32_t whole = sn_track_find_scalar(replay, "length/f2");
    const snStrandDef *d = sn_spec_strand(spec, sn_spec_find(spec, SN_KIND_STRAND, "f2"));
    assert_true(fibre >= 0 && rate >= 0 && whole >= 0);
    for (int f = 1; f < 9; ++f) {
        double part = sn_track_scalar(fibres, f)[fibre] / sn_track_scalar(replay, f)[whole];
        assert_near(part, d->belly_end - d->belly_start, 0.08); /* even along the parameter, but for the ends */
        double before = sn_track_scalar(fibres, f - 1)[fibre], after = sn_track_scalar(fibres, f + 1)[fibre];
        double time = sn_track_time(fibres, f + 1) - sn_track_time(fibres, f - 1);
        assert_near(sn_track_scalar(fibres, f)[rate], (after - before) / time, 1e-12);
    }
    assert_at_most(sn_track_scalar(fibres, 5)[rate], -1e-4); /* it shortens */
    sn_track_destroy(fibres);
    sn_track_destroy(replay);
    sn_recorder_destroy(recorder);
    sn_state_destroy(s);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fibres_of_a_straight_belly_are_its_length),
        cmocka_unit_test(moment_is_tension_times_distance_and_carries_the_weight),
        cmocka_unit_test(moment_agrees_with_the_moment_arm_by_virtual_work),
        cmocka_unit_test(survives_failing_allocations),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("analysis.fascicles", tests, NULL, NULL);
}
