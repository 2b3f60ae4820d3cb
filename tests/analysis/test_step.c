/* The clinical hand at a quarter of its step: activations are to be within 5 %, here of motions that are among the
 * furthest apart; long_step_all.c has all. Those that miss it are published as missed (docs/clinical.md, note 9): one
 * that comes within the limit has to leave that list. And activations that are held over several steps are chosen for the time that they
 * are held. */
#include "analysis/step_case.h"

static void activations_do_not_depend_on_the_step(void **state)
{
    (void)state;
    heavy_case();
    static const char *const met[] = {"typing", "point", "precision_pinch"}, *const missed[] = {"beckon",
                                                                                                "finger_extension"};
    assert_at_most(apart_at_a_quarter(3, met).most, 0.05);
    assert_true(apart_at_a_quarter(2, missed).least > 0.05);
}

/* Chosen 240 times a second at any step: torques over 1/960 s, held for four times as long, differ by 26 %. */
static void held_activations_are_those_of_their_interval(void **state)
{
    (void)state;
    snPatient *p = with(0, NULL);
    snPursueReport whole = pursue(p, "fist", 1.0 / 240, 240), quarter = pursue(p, "fist", 1.0 / 960, 240);
    double apart = difference(&whole, &quarter, 4);
    print_message("fist, activations chosen 240 times a second, at 1/240 and 1/960 s: %.1f %% apart (5 %%)\n",
                  100 * apart);
    assert_at_most(apart, 0.05);
    assert_at_most(quarter.trust.worst_angle, 1 * SN_DEG);
    sn_pursue_report_free(&whole), sn_pursue_report_free(&quarter);
    sn_patient_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(activations_do_not_depend_on_the_step),
                                       cmocka_unit_test(held_activations_are_those_of_their_interval)};
    return cmocka_run_group_tests_name("analysis.step", tests, set_up, tear_down);
}
