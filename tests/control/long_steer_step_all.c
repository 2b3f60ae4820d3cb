/* Every shipped motion of the upper body: activations within 5 % of those at a quarter of the step. docs/sliding.md has
 * the figures. */
#include "steer_case.h"

static void within_five_percent(void **state)
{
    static const char *const name[] = {"hold",   "curl", "dumbbell",  "breathing", "reach", "lean", "pectoral-dance",
                                       "breath", "bow",  "turn-head", "nod",       "shrug", "look"};
    snModel *m = shipped_body();
    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) assert_at_most(apart_at(m, name[i], CONTROL), 0.05);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(within_five_percent)};
    return cmocka_run_group_tests_name("control.steer_step_all", tests, NULL, NULL);
}
