/* Least activation for given torques: against the closed form, with bounds, out of reach, and collinear moment arms. */
#include "check.h"

#include "base/alloc.h"
#include "opt/minnorm.h"

#include <math.h>

static double uniform(uint64_t *seed, double low, double high)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

/* One joint, muscles all pulling one way: a is proportional to the arms, a = R tau / |R|^2. */
static void one_joint_shares_in_proportion_to_the_arms(void **state)
{
    (void)state;
    snMinNorm *work = sn_minnorm_create(1, 4);
    double R[4] = {1, 2, 3, 0.5}, tau = 2, a[4] = {0};
    snMinNormInfo info;
    assert_int_equal(sn_minnorm_solve(work, 1, 4, R, &tau, a, &info), SN_OK);
    for (int i = 0; i < 4; ++i) assert_near(a[i], R[i] * tau / 14.25, 1e-10);
    assert_near(info.unmet, 0, 1e-10);
    assert_near(info.norm2, tau * tau / 14.25, 1e-10);
    sn_minnorm_destroy(work);
}

static void bounds_pass_the_load_on(void **state)
{
    (void)state;
    snMinNorm *work = sn_minnorm_create(1, 3);
    double R[3] = {3, 1, -1}, tau = 3.5, a[3] = {0};
    assert_int_equal(sn_minnorm_solve(work, 1, 3, R, &tau, a, NULL), SN_OK);
    assert_near(a[0], 1, 1e-12);
    assert_near(a[1], 0.5, 1e-10);
    assert_near(a[2], 0, 0); /* the antagonist rests */
    sn_minnorm_destroy(work);
}

static void torque_out_of_reach_is_met_as_nearly_as_possible(void **state)
{
    (void)state;
    snMinNorm *work = sn_minnorm_create(2, 2);
    double R[4] = {1, 0, 0, 1}, tau[2] = {5, 0.25}, a[2] = {0};
    snMinNormInfo info;
    assert_int_equal(sn_minnorm_solve(work, 2, 2, R, tau, a, &info), SN_OK);
    assert_near(a[0], 1, 0);
    assert_near(a[1], 0.25, 1e-9);
    assert_near(info.unmet, 4, 1e-9);
    sn_minnorm_destroy(work);
}

/* Two joints, three muscles of nearly collinear arms: bending one joint alone needs both sides at work. */
static void collinear_arms_show_as_co_contraction(void **state)
{
    (void)state;
    snMinNorm *work = sn_minnorm_create(2, 3);
    double apart[6] = {1, -1, 0.2, 0.2, 0.2, -1}, alike[6] = {1, -1, 1, 1, -1, 0.8}, tau[2] = {0.1, 0}, a[3] = {0};
    snMinNormInfo easy, hard;
    assert_int_equal(sn_minnorm_solve(work, 2, 3, apart, tau, a, &easy), SN_OK);
    a[0] = a[1] = a[2] = 0;
    assert_int_equal(sn_minnorm_solve(work, 2, 3, alike, tau, a, &hard), SN_OK);
    assert_near(hard.unmet, 0, 1e-9);
    assert_true(hard.norm2 > 4 * easy.norm2);
    assert_true(a[1] > 0.1 && a[2] > 0.1);
    sn_minnorm_destroy(work);
}

/* Optimality of the bounded problem: a = clamp(R'y) for some y; the free muscles determine y. */
static void hand_sized_problems_are_feasible_and_optimal(void **state)
{
    (void)state;
    enum { ROWS = 23, N = 54 };
    static double R[ROWS * N], tau[ROWS], a[N], inside[N];
    snMinNorm *work = sn_minnorm_create(ROWS, N);
    uint64_t seed = 5;
    double worst = 0;
    for (int round = 0; round < 20; ++round) {
        double norm2 = 0;
        for (int i = 0; i < ROWS * N; ++i) R[i] = uniform(&seed, -1, 1);
        for (int i = 0; i < N; ++i) inside[i] = uniform(&seed, 0, 1), norm2 += inside[i] * inside[i], a[i] = 0;
        for (int r = 0; r < ROWS; ++r) {
            tau[r] = 0;
            for (int i = 0; i < N; ++i) tau[r] += R[r * N + i] * inside[i];
        }
        snMinNormInfo info;
        int64_t allocations = sn_alloc_count();
        assert_int_equal(sn_minnorm_solve(work, ROWS, N, R, tau, a, &info), SN_OK);
        assert_true(sn_alloc_count() == allocations);
        assert_at_most(info.norm2, norm2 + 1e-9);
        worst = fmax(worst, info.unmet);
        for (int i = 0; i < N; ++i) assert_true(a[i] >= 0 && a[i] <= 1);
    }
    print_message("23 torques by 54 muscles: unmet %.1e\n", worst);
    assert_at_most(worst, 1e-9);
    sn_minnorm_destroy(work);
}

static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    for (int64_t n = 0; n < 10; ++n) {
        sn_alloc_fail_after(n);
        snMinNorm *work = sn_minnorm_create(3, 10);
        sn_alloc_fail_after(-1);
        sn_minnorm_destroy(work);
        assert_true(sn_alloc_live() == live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_joint_shares_in_proportion_to_the_arms),
        cmocka_unit_test(bounds_pass_the_load_on),
        cmocka_unit_test(torque_out_of_reach_is_met_as_nearly_as_possible),
        cmocka_unit_test(collinear_arms_show_as_co_contraction),
        cmocka_unit_test(hand_sized_problems_are_feasible_and_optimal),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("opt.minnorm", tests, NULL, NULL);
}
