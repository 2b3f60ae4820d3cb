/* The skin of the shipped hand over parts of simulated motions: nothing in a bone, nothing on the far side of a finger,
 * volume kept. All motions in full: long_hand_skin_all.c. */
#include "hand_skin_case.h"

static void bones_sides_and_volume_hold_in_motion(void **state)
{
    (void)state;
    HandSkin h;
    open_hand(&h, 1);
    check_motion(&h, "fist", 1.0, 1.5, 12);
    check_motion(&h, "finger_extension", 1.1, 1.7, 15);
    check_motion(&h, "thumb_circle", 2.0, 2.5, 12);
    check_motion(&h, "pronation", 1.0, 1.5, 12);
    close_hand(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bones_sides_and_volume_hold_in_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
