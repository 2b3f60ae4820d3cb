/* Every shipped motion of the clinical hand at a quarter of its step: activations are within 5 %. */
#include "analysis/step_case.h"

static void activations_do_not_depend_on_the_step(void **state)
{
    (void)state;
    static const char *const name[] = {
        "beckon",   "cylinder_grip", "finger_extension", "fist",   "key_grip", "letter_a",        "letter_l",
        "letter_s", "letter_v",      "letter_y",         "pinch",  "point",    "precision_pinch", "pronation",
        "spread",   "thumb_circle",  "thumbs_up",        "typing", "wave",     "wrist_circle"};
    assert_at_most(apart_at_most(sizeof name / sizeof *name, name), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(activations_do_not_depend_on_the_step)};
    return cmocka_run_group_tests_name("analysis.step_all", tests, set_up, tear_down);
}
