/* The skin of the hand over all shipped motions in full; see test_hand_skin.c. */
#include "hand_skin_case.h"

static void bones_sides_and_volume_hold_in_all_motions(void **state)
{
    (void)state;
    static const char *const motion[] = {
        "beckon",    "finger_extension", "fist",         "letter_a", "letter_s", "pinch",       "point",
        "pronation", "spread",           "thumb_circle", "typing",   "wave",     "wrist_circle"};
    HandSkin h;
    open_hand(&h, 1);
    for (size_t i = 0; i < sizeof motion / sizeof motion[0]; ++i) check_motion(&h, motion[i], 0, 0, 10);
    close_hand(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bones_sides_and_volume_hold_in_all_motions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
