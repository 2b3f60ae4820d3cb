/* A few of the random motions of long_robust_many.c.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "robust_case.h"

static void follow_one(const snModel *m, Case c, double most)
{
    if (c.kind != MOTION_BEYOND) c = feasible_part(m, c);
    Outcome o = follow_case(m, &c);
    print_outcome(&c, &o);
    assert_true(c.scale > 0);
    assert_int_equal(o.status, SN_OK);
    assert_int_equal(o.wrong_sides, 0);
    assert_true(o.activation <= 1);
    assert_at_most(o.mean, most);
}

static void a_few_random_motions_are_followed(void **state)
{
    (void)state;
    snModel *m = shipped_hand();
    follow_one(m, (Case){MOTION_POSE, true, 1, 21, 0.4}, 3e-6);
    follow_one(m, (Case){MOTION_SWAY, false, 1, 6, 0.4}, 5e-6);
    follow_one(m, (Case){MOTION_TAP, false, 1, 28, 0.4}, 3e-6);
    follow_one(m, (Case){MOTION_BEYOND, true, 1, 4, 0.6}, 0.035);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_few_random_motions_are_followed)};
    return cmocka_run_group_tests_name("control.robust_few", tests, NULL, NULL);
}
