/* Every shipped motion of the clinical hand at a quarter of its step: activations are within 5 %, but for those that are
 * published as missed (docs/clinical.md, note 9). */
#include "analysis/step_case.h"

static void activations_do_not_depend_on_the_step(void **state)
{
    (void)state;
    static const char *const met[] = {"cylinder_grip", "fist",        "letter_a",     "letter_l", "letter_s",
                                      "letter_v",      "letter_y",    "pinch",        "point",    "precision_pinch",
                                      "pronation",     "spread",      "thumb_circle", "typing",   "thumbs_up",
                                      "wave",          "wrist_circle"};
    static const char *const missed[] = {"beckon", "finger_extension", "key_grip"};
    assert_at_most(apart_at_a_quarter(sizeof met / sizeof *met, met).most, 0.05);
    assert_true(apart_at_a_quarter(sizeof missed / sizeof *missed, missed).least > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(activations_do_not_depend_on_the_step)};
    return cmocka_run_group_tests_name("analysis.step_all", tests, set_up, tear_down);
}
