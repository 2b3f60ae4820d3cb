#include "check.h"

#include "base/alloc.h"
#include "math/vec.h"
#include "motion/track.h"
#include "sinew/motion.h"

#include <string.h>

static const char *const bodies[] = {"radius", "hand"}, *const strands[] = {"FDP2"}, *const scalars[] = {"length/FDP2"};
static const int32_t npoint[] = {4};

static snTrackDef small_def(void)
{
    return (snTrackDef){.size = sizeof(snTrackDef),
                        .model = "arm",
                        .nbody = 2,
                        .body_name = bodies,
                        .nstrand = 1,
                        .strand_name = strands,
                        .strand_npoint = npoint,
                        .nscalar = 1,
                        .scalar_name = scalars};
}

static double noise(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* A track of two bodies that tumble through random keys at uneven times. */
static snTrack *random_track(int frames)
{
    snTrackDef def = small_def();
    snTrack *track = NULL;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    uint32_t seed = 7;
    double time = 1;
    for (int f = 0; f < frames; ++f) {
        double pose[14], point[12], scalar = noise(&seed);
        for (int b = 0; b < 2; ++b) {
            v3_store(pose + 7 * b, v3_of(noise(&seed), noise(&seed), noise(&seed)));
            quat q = q_exp(v3_of(2 * noise(&seed), 2 * noise(&seed), 2 * noise(&seed)));
            if (f % 3 == 1) q = (quat){-q.w, -q.x, -q.y, -q.z};
            q_store(pose + 7 * b + 3, q);
        }
        for (int k = 0; k < 12; ++k) point[k] = noise(&seed);
        assert_int_equal(sn_track_append(track, time, pose, point, &scalar), SN_OK);
        time += 0.05 + 0.04 * noise(&seed);
    }
    return track;
}

static void stores_what_it_is_given(void **state)
{
    (void)state;
    snTrack *track = random_track(200);
    assert_int_equal(sn_track_frames(track), 200);
    assert_int_equal(sn_track_points(track), 4);
    assert_string_equal(sn_track_def(track)->model, "arm");
    assert_int_equal(sn_track_find_body(track, "hand"), 1);
    assert_int_equal(sn_track_find_body(track, "foot"), -1);
    assert_int_equal(sn_track_find_strand(track, "FDP2"), 0);
    assert_int_equal(sn_track_find_scalar(track, "length/FDP2"), 0);
    double pose[14] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, point[12] = {1, 2, 3}, scalar = 0.25;
    double time = sn_track_time(track, 199);
    assert_int_equal(sn_track_append(track, time, pose, point, &scalar), SN_BAD_INPUT);
    scalar = NAN;
    assert_int_equal(sn_track_append(track, time + 1, pose, point, &scalar), SN_BAD_INPUT);
    scalar = 0.25, pose[3] = 0;
    assert_int_equal(sn_track_append(track, time + 1, pose, point, &scalar), SN_BAD_INPUT);
    pose[3] = 1;
    assert_int_equal(sn_track_frames(track), 200);
    assert_int_equal(sn_track_append(track, time + 1, pose, point, &scalar), SN_OK);
    assert_memory_equal(sn_track_pose(track, 200), pose, sizeof pose);
    assert_memory_equal(sn_track_point(track, 200), point, sizeof point);
    assert_near(sn_track_scalar(track, 200)[0], 0.25, 0);
    sn_track_destroy(track);
}

static void interpolates_the_keys(void **state)
{
    (void)state;
    snTrack *track = random_track(40);
    for (int f = 0; f < 40; ++f) {
        double pose[7], point[12], scalar;
        for (int b = 0; b < 2; ++b) {
            sn_track_pose_at(track, b, sn_track_time(track, f), pose, NULL);
            const double *key = sn_track_pose(track, f) + 7 * b;
            assert_at_most(v3_dist(v3_load(pose), v3_load(key)), 1e-14);
            assert_near(fabs(q_dot(q_load(pose + 3), q_load(key + 3))), 1, 1e-14);
        }
        sn_track_points_at(track, sn_track_time(track, f), point);
        for (int k = 0; k < 12; ++k) assert_near(point[k], sn_track_point(track, f)[k], 1e-14);
        sn_track_scalars_at(track, sn_track_time(track, f), &scalar);
        assert_near(scalar, sn_track_scalar(track, f)[0], 1e-14);
    }
    sn_track_destroy(track);
}

static bool near_a_key(const snTrack *track, double time, double distance)
{
    for (int f = 0; f < sn_track_frames(track); ++f)
        if (fabs(time - sn_track_time(track, f)) < distance) return true;
    return false;
}

/* The velocity is the derivative of the pose everywhere, and continuous across keys. */
static void velocity_is_the_derivative_and_continuous(void **state)
{
    (void)state;
    snTrack *track = random_track(30);
    double first = sn_track_time(track, 0), last = sn_track_time(track, 29), e = 1e-6;
    for (int i = 1; i < 3000; ++i) {
        double time = first + (last - first) * i / 3000, a[7], b[7], pose[7], velocity[6];
        if (near_a_key(track, time, 2 * e)) continue; /* the second derivative jumps there */
        sn_track_pose_at(track, 1, time - e, a, NULL);
        sn_track_pose_at(track, 1, time + e, b, NULL);
        sn_track_pose_at(track, 1, time, pose, velocity);
        assert_near(q_dot(q_load(pose + 3), q_load(pose + 3)), 1, 1e-13);
        v3 linear = v3_scale(v3_sub(v3_load(b), v3_load(a)), 0.5 / e);
        v3 angular = v3_scale(q_log(q_mul(q_load(b + 3), q_conj(q_load(a + 3)))), 0.5 / e);
        assert_at_most(v3_dist(linear, v3_load(velocity + 3)), 1e-5);
        assert_at_most(v3_dist(angular, v3_load(velocity)), 1e-5);
    }
    for (int f = 1; f < 29; ++f) {
        double pose[7], left[6], right[6], time = sn_track_time(track, f);
        sn_track_pose_at(track, 0, nextafter(time, 0), pose, left);
        sn_track_pose_at(track, 0, time, pose, right);
        for (int k = 0; k < 6; ++k) assert_near(left[k], right[k], 1e-9);
    }
    sn_track_destroy(track);
}

static void reproduces_constant_velocity(void **state)
{
    (void)state;
    snTrackDef def = {.size = sizeof(snTrackDef), .nbody = 1, .body_name = bodies};
    snTrack *track = NULL;
    assert_int_equal(sn_track_create(&def, &track), SN_OK);
    v3 v = {0.3, -0.2, 1}, w = {1.5, 2, -0.7}, p0 = {1, 2, 3};
    quat q0 = q_exp(v3_of(0.4, 1.1, -0.8));
    double times[] = {0, 0.1, 0.35, 0.4, 0.9, 1.3};
    for (int f = 0; f < 6; ++f) {
        double pose[7];
        v3_store(pose, v3_mad(p0, times[f], v));
        q_store(pose + 3, q_mul(q_exp(v3_scale(w, times[f])), q0));
        assert_int_equal(sn_track_append(track, times[f], pose, NULL, NULL), SN_OK);
    }
    for (int i = 0; i <= 130; ++i) {
        double time = i / 100.0, pose[7], velocity[6];
        sn_track_pose_at(track, 0, time < 1.3 ? time : 1.3, pose, velocity);
        quat q = q_mul(q_exp(v3_scale(w, time)), q0);
        assert_at_most(v3_dist(v3_load(pose), v3_mad(p0, time, v)), 1e-13);
        assert_at_most(v3_len(q_log(q_mul(q, q_conj(q_load(pose + 3))))), 1e-13);
        assert_at_most(v3_dist(v3_load(velocity), w), 1e-12);
        assert_at_most(v3_dist(v3_load(velocity + 3), v), 1e-12);
    }
    sn_track_destroy(track);
}

/* Halving the distance of keys on a smooth motion divides the error by eight (order three at least). */
static void converges_with_order_three(void **state)
{
    (void)state;
    double error[2] = {0, 0};
    for (int level = 0; level < 2; ++level) {
        snTrackDef def = {.size = sizeof(snTrackDef), .nbody = 1, .body_name = bodies};
        snTrack *track = NULL;
        assert_int_equal(sn_track_create(&def, &track), SN_OK);
        int n = 40 << level;
        for (int f = 0; f <= n; ++f) {
            double t = 4.0 * f / n, pose[7];
            v3_store(pose, v3_of(sin(t), cos(2 * t), t * t));
            q_store(pose + 3, q_mul(q_exp(v3_of(sin(t), 0, 0)), q_exp(v3_of(0, t, cos(t)))));
            assert_int_equal(sn_track_append(track, t, pose, NULL, NULL), SN_OK);
        }
        for (int i = 0; i <= 4000; ++i) {
            double t = 4.0 * i / 4000, pose[7];
            sn_track_pose_at(track, 0, t, pose, NULL);
            quat q = q_mul(q_exp(v3_of(sin(t), 0, 0)), q_exp(v3_of(0, t, cos(t))));
            double e = v3_len(q_log(q_mul(q, q_conj(q_load(pose + 3))))) +
                       v3_dist(v3_load(pose), v3_of(sin(t), cos(2 * t), t * t));
            if (e > error[level]) error[level] = e;
        }
        sn_track_destroy(track);
    }
    assert_at_most(error[1], error[0] / 7);
}

static void holds_its_ends(void **state)
{
    (void)state;
    snTrack *track = random_track(1);
    double pose[7], velocity[6];
    sn_track_pose_at(track, 0, 99, pose, velocity);
    assert_at_most(v3_dist(v3_load(pose), v3_load(sn_track_pose(track, 0))), 0);
    for (int k = 0; k < 6; ++k) assert_near(velocity[k], 0, 0);
    sn_track_destroy(track);
    track = random_track(5);
    sn_track_pose_at(track, 0, -5, pose, velocity);
    assert_at_most(v3_dist(v3_load(pose), v3_load(sn_track_pose(track, 0))), 0);
    sn_track_pose_at(track, 0, 1e9, pose, velocity);
    assert_at_most(v3_dist(v3_load(pose), v3_load(sn_track_pose(track, 4))), 0);
    sn_track_destroy(track);
}

static void refuses_bad_definitions(void **state)
{
    (void)state;
    static const char *const twice[] = {"a", "a"}, *const empty[] = {""};
    static const int32_t none[] = {0};
    snTrack *track = NULL;
    snTrackDef def = {.size = sizeof(snTrackDef), .nbody = 2, .body_name = twice};
    assert_int_equal(sn_track_create(&def, &track), SN_BAD_INPUT);
    def = (snTrackDef){.size = sizeof(snTrackDef), .nscalar = 1, .scalar_name = empty};
    assert_int_equal(sn_track_create(&def, &track), SN_BAD_INPUT);
    def = (snTrackDef){.size = sizeof(snTrackDef), .nstrand = 1, .strand_name = strands, .strand_npoint = none};
    assert_int_equal(sn_track_create(&def, &track), SN_BAD_INPUT);
    assert_null(track);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    int64_t before = sn_alloc_live();
    for (int n = 0; n < 200; ++n) {
        snTrackDef def = small_def();
        snTrack *track = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_track_create(&def, &track);
        double pose[14] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, point[12] = {0}, scalar = 0;
        for (int f = 0; f < 70 && status == SN_OK; ++f) status = sn_track_append(track, f, pose, point, &scalar);
        sn_alloc_fail_after(-1);
        sn_track_destroy(track);
        assert_int_equal(sn_alloc_live(), before);
        if (status == SN_OK) return;
        assert_int_equal(status, SN_NO_MEMORY);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_what_it_is_given),
        cmocka_unit_test(interpolates_the_keys),
        cmocka_unit_test(velocity_is_the_derivative_and_continuous),
        cmocka_unit_test(reproduces_constant_velocity),
        cmocka_unit_test(converges_with_order_three),
        cmocka_unit_test(holds_its_ends),
        cmocka_unit_test(refuses_bad_definitions),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("motion.track", tests, NULL, NULL);
}
