/* Moment arms of all tendons about all joints of the hand by two ways, in the neutral pose, with half-closed fingers,
 * and in half degrees. */
#include "hand_arms.h"

#include <string.h>

static void neutral(void **state)
{
    sweep_result r = sweep(*state, -1, NULL, 1);
    assert_at_most(r.apart, 0.005e-3);
    assert_at_most(r.worst, 0.1e-3);
    assert_at_most(r.jump, 1e-3);
    assert_int_equal(r.wrong_sides, 0);
}

/* Every joint with the others bent: fingers by 40, 50 and 30 degrees, wrist extended by 20. */
static void half_closed(void **state)
{
    const snModel *model = *state;
    static const struct {
        const char *joint;
        double degrees;
    } bent[] = {{"mcp", 40}, {"pip", 50}, {"dip", 30}};
    double pose[64] = {0};
    for (int i = 0; i < 3; ++i)
        for (int finger = 2; finger <= 5; ++finger) {
            char name[16];
            snprintf(name, sizeof name, "%s%d.0", bent[i].joint, finger);
            pose[sn_find(model, SN_ITEM_COORDINATE, name)] = bent[i].degrees * acos(-1.0) / 180;
        }
    pose[sn_find(model, SN_ITEM_COORDINATE, "wrist.0")] = -20 * acos(-1.0) / 180;
    sweep_result r = sweep(model, -1, pose, 1);
    assert_at_most(r.apart, 0.005e-3);
    assert_at_most(r.worst, 0.1e-3);
    assert_at_most(r.jump, 1e-3);
    assert_int_equal(r.wrong_sides, 0);
}

static int set_up(void **state)
{
    *state = hand_model();
    return 0;
}

static int tear_down(void **state)
{
    sn_model_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(neutral), cmocka_unit_test(half_closed)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
