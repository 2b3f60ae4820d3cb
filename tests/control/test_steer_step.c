/* The upper body at a quarter of its step: holding still, a curl and a turn of the head have the same activations, and
 * holding still the same error. With activations chosen for a step, whatever its length, those of the curl were 52 %
 * apart; with activations that jump every 7 ms, those of the turn were 15 % apart and the hyoid was 0.11 rad off.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "steer_case.h"

static void activations_do_not_depend_on_the_step(void **state)
{
    (void)state;
    snModel *m = shipped_body();
    assert_at_most(apart_at(m, "curl", CONTROL), 0.05);
    assert_at_most(apart_at(m, "hold", CONTROL), 0.05);
    assert_at_most(apart_at(m, "turn-head", CONTROL), 0.05);
    sn_model_destroy(m);
}

static void error_of_holding_is_no_worse_at_half_the_step(void **state)
{
    (void)state;
    snModel *m = shipped_body();
    Course whole = steer_at(m, "hold", CONTROL), half = steer_at(m, "hold", CONTROL / 2);
    print_message("hold at %.2f and %.2f ms: worst error %.6f and %.6f rad\n", 1e3 * CONTROL, 500 * CONTROL,
                  whole.report.trust.worst_angle, half.report.trust.worst_angle);
    assert_at_most(half.report.trust.worst_angle, 1.01 * whole.report.trust.worst_angle);
    free_course(&whole), free_course(&half);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(activations_do_not_depend_on_the_step),
                                       cmocka_unit_test(error_of_holding_is_no_worse_at_half_the_step)};
    return cmocka_run_group_tests_name("control.steer_step", tests, NULL, NULL);
}
