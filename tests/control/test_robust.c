/* A few of the random motions of long_robust_many.c. */
#include "robust_case.h"

static void check(const snModel *m, MotionKind kind, uint64_t seed, double most)
{
    Outcome o = follow_random(m, kind, seed * 0x9E3779B97F4A7C15u, 0.6);
    print_outcome(kind, seed, &o);
    assert_int_equal(o.status, SN_OK);
    assert_true(o.activation <= 1);
    assert_at_most(o.mean, most);
}

static void a_few_random_motions_are_followed(void **state)
{
    (void)state;
    snModel *m = shipped_hand();
    check(m, MOTION_REACH, 13, 1e-3);
    check(m, MOTION_SWAY, 6, 1e-3);
    check(m, MOTION_TAP, 3, 1e-3);
    check(m, MOTION_BEYOND, 4, 0.1);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_few_random_motions_are_followed)};
    return cmocka_run_group_tests_name("control.robust_few", tests, NULL, NULL);
}
