#include "check.h"

#include "base/alloc.h"
#include "motion/poses.h"
#include "sinew/motion.h"

#include <string.h>

static snPoses *make(int32_t frames, const double *time, const double *value, bool rest)
{
    static const char *const name[] = {"mcp2.flexion"};
    snPoses *poses = NULL;
    snError error;
    assert_int_equal(sn_poses_create(1, name, frames, time, value, rest, &poses, &error), SN_OK);
    return poses;
}

static void from_rest_to_rest_it_moves_with_minimum_jerk(void **state)
{
    (void)state;
    double time[] = {0, 0.5, 1.5, 2}, value[] = {0, 0, 3, 3};
    snPoses *p = make(4, time, value, true);
    for (int i = 0; i <= 200; ++i) {
        double t = i / 100.0, s = fmax(0, fmin(1, t - 0.5)), x, v, a;
        sn_poses_at(p, t, &x, &v, &a);
        assert_near(x, 3 * s * s * s * (10 - 15 * s + 6 * s * s), 1e-14);
        assert_near(v, 3 * 30 * s * s * (1 - s) * (1 - s), 1e-13);
    }
    sn_poses_destroy(p);
}

static void keys_are_met_and_two_derivatives_are_continuous(void **state)
{
    (void)state;
    double time[30], value[30];
    uint32_t seed = 3;
    for (int i = 0; i < 30; ++i) {
        seed = seed * 1664525u + 1013904223u;
        time[i] = i ? time[i - 1] + 0.05 + (double)(seed >> 8) / (1 << 24) : 0;
        value[i] = i % 7 == 3 ? value[i - 1] : (double)(seed >> 20 & 255) / 100;
    }
    snPoses *p = make(30, time, value, true);
    for (int i = 0; i < 30; ++i) {
        double x, v[2], a[2];
        sn_poses_at(p, time[i], &x, &v[0], &a[0]);
        assert_near(x, value[i], 1e-14);
        if (i == 0) continue;
        sn_poses_at(p, nextafter(time[i], 0), &x, &v[1], &a[1]);
        assert_near(v[0], v[1], 1e-9);
        assert_near(a[0], a[1], 1e-8 * (1 + fabs(a[0])));
    }
    for (int i = 1; i < 5000; ++i) {
        double t = time[29] * i / 5000, e = 1e-6, x[3], v[3], a;
        sn_poses_at(p, t, &x[1], &v[1], &a);
        sn_poses_at(p, t - e, &x[0], &v[0], NULL);
        sn_poses_at(p, t + e, &x[2], &v[2], NULL);
        assert_near(v[1], (x[2] - x[0]) / (2 * e), 1e-7);
        assert_near(a, (v[2] - v[0]) / (2 * e), 1e-2); /* the third derivative jumps at keys */
    }
    sn_poses_destroy(p);
}

/* No value outside those of the two keys around it, but by less than a hundredth of their difference. */
static void it_does_not_overshoot(void **state)
{
    (void)state;
    double time[] = {0, 0.2, 1, 1.1, 2, 2.9, 3, 5}, value[] = {0, 0, 1, 1.5, 1.5, 0.2, 0.1, 0.1};
    snPoses *p = make(8, time, value, true);
    for (int k = 0; k < 7; ++k) {
        double low = fmin(value[k], value[k + 1]), high = fmax(value[k], value[k + 1]),
               slack = 0.01 * (high - low) + 1e-14;
        for (int i = 0; i <= 100; ++i) {
            double x;
            sn_poses_at(p, time[k] + (time[k + 1] - time[k]) * i / 100, &x, NULL, NULL);
            assert_true(x >= low - slack && x <= high + slack);
        }
    }
    sn_poses_destroy(p);
}

static void a_sampled_circle_stays_a_circle(void **state)
{
    (void)state;
    double time[49], value[49], worst = 0;
    for (int i = 0; i < 49; ++i) time[i] = i / 12.0, value[i] = sin(2 * 3.14159265358979 * time[i]);
    snPoses *p = make(49, time, value, false);
    for (int i = 1000; i <= 3000; ++i) {
        double t = i / 1000.0, x;
        sn_poses_at(p, t, &x, NULL, NULL);
        worst = fmax(worst, fabs(x - sin(2 * 3.14159265358979 * t)));
    }
    assert_at_most(worst, 0.01);
    sn_poses_destroy(p);
}

static void columns_are_found_by_name(void **state)
{
    (void)state;
    static const char *const name[] = {"elbow.1", "wrist.0", "elbow.flexion"};
    double time = 0, value[3] = {1, 2, 3};
    snPoses *p = NULL;
    snError error;
    assert_int_equal(sn_poses_create(3, name, 1, &time, value, true, &p, &error), SN_OK);
    assert_int_equal(sn_poses_find(p, "wrist.0"), 1);
    assert_int_equal(sn_poses_find(p, "ankle.0"), -1);
    sn_poses_destroy(p);
}

static void bad_values_are_named(void **state)
{
    (void)state;
    static const char *const name[] = {"a.0", "b.0"};
    double time[] = {0, 1}, value[] = {0, 0, 1, NAN};
    snPoses *p = NULL;
    snError error;
    assert_int_equal(sn_poses_create(2, name, 2, time, value, true, &p, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "b.0 at time 1 is not finite");
    value[3] = 0, time[1] = 0;
    assert_int_equal(sn_poses_create(2, name, 2, time, value, true, &p, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the time 0 does not come after 0");
    assert_int_equal(sn_poses_create(2, name, 0, time, value, true, &p, &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "the motion has no frames");
    assert_null(p);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    static const char *const name[] = {"a.0", "b.0"};
    double time[] = {0, 1}, value[] = {0, 0, 1, 1};
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK; ++n) {
        snPoses *p = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_poses_create(2, name, 2, time, value, true, &p, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_poses_destroy(p);
        assert_int_equal(sn_alloc_live(), before);
    }
}

/* What was not seen is the motion of the keys that were; before the first and after the last it stands still. */
static void gaps_are_filled_in(void **state)
{
    (void)state;
    static const char *const name[] = {"a.0", "b.0"};
    double time[] = {0, 1, 2, 3, 4}, value[] = {1, NAN, NAN, 5, NAN, NAN, 3, 9, 2, NAN};
    double few_time[] = {0, 3, 4}, few[] = {1, 3, 2};
    snPoses *p = NULL;
    assert_int_equal(sn_poses_create_gappy(2, name, 5, time, value, true, &p, NULL), SN_OK);
    snPoses *q = make(3, few_time, few, true);
    assert_int_equal(sn_poses_gaps(p), 5);
    for (int i = 0; i <= 400; ++i) {
        double x[2], v[2], a[2], y, w, b;
        sn_poses_at(p, i / 100.0, x, v, a);
        sn_poses_at(q, i / 100.0, &y, &w, &b);
        assert_near(x[0], y, 1e-13);
        assert_near(v[0], w, 1e-12);
        assert_near(a[0], b, 1e-11);
        if (i <= 100) assert_near(x[1], 5, 1e-14);
        if (i >= 300) assert_near(x[1], 9, 1e-14);
        assert_int_equal(sn_poses_seen(p, 0, i / 100.0), i == 0 || i >= 300);
    }
    sn_poses_destroy(p), sn_poses_destroy(q);
    value[0] = value[6] = value[8] = NAN;
    snError error = {0};
    assert_int_equal(sn_poses_create_gappy(2, name, 5, time, value, true, &p, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "\"a.0\" is empty"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_rest_to_rest_it_moves_with_minimum_jerk),
        cmocka_unit_test(keys_are_met_and_two_derivatives_are_continuous),
        cmocka_unit_test(it_does_not_overshoot),
        cmocka_unit_test(a_sampled_circle_stays_a_circle),
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(bad_values_are_named),
        cmocka_unit_test(gaps_are_filled_in),
        cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("motion.poses", tests, NULL, NULL);
}
