/* The skin of the shipped hand over parts of simulated motions: nothing in a bone, nothing on the far side of a finger,
 * volume kept; ridges over tendons where a hand shows them. All motions in full: long_hand_skin_all.c. */
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

/* On the back of the hand each extensor tendon stands out while its finger is stretched, and none in a fist. */
static void extension_shows_the_extensors_and_a_fist_does_not(void **state)
{
    (void)state;
    static const char *const tendon[] = {"ED2", "ED3", "ED4", "ED5"};
    static const double stretched[] = {1.6, 2.55, 3.5, 4.45}; /* s of finger_extension: each finger at its turn */
    double extension[4], fist[4];
    HandSkin h;
    open_hand(&h, 0);
    hold_moment(&h, "fist", 1.7);
    for (int i = 0; i < 4; ++i) fist[i] = ridge_height(&h, tendon[i], -0.07, -0.035);
    for (int i = 0; i < 4; ++i) {
        hold_moment(&h, "finger_extension", stretched[i]);
        extension[i] = ridge_height(&h, tendon[i], -0.07, -0.035);
        print_message("%s: ridge on the back of the hand %.2f mm stretched, %.2f mm in a fist\n", tendon[i],
                      1e3 * extension[i], 1e3 * fist[i]);
    }
    for (int i = 0; i < 4; ++i) {
        assert_at_most(fist[i], 0.5e-3);
        assert_at_most(2 * fist[i], extension[i]);
        if (i < 3) assert_true(extension[i] > 0.5e-3); /* the little finger's lies deeper */
    }
    close_hand(&h);
}

/* The thumb drawn back: a ridge over its long extensor, one over the short one, and a hollow between them. */
static void the_thumb_circle_shows_the_snuffbox(void **state)
{
    (void)state;
    const double low = -0.045, high = -0.005;
    HandSkin h;
    open_hand(&h, 0);
    hold_moment(&h, "thumb_circle", 2.0);
    double epl = ridge_height(&h, "EPL", low, high), epb = ridge_height(&h, "EPB", low, high);
    double hollow = valley_height(&h, "EPL", "EPB", low, high);
    hold_moment(&h, "thumb_circle", 1.2); /* across the palm */
    double epl_bent = ridge_height(&h, "EPL", low, high), epb_bent = ridge_height(&h, "EPB", low, high);
    print_message(
        "thumb drawn back: ridges %.2f mm (EPL) and %.2f mm (EPB), hollow between %.2f mm; thumb bent %.2f and "
        "%.2f mm\n",
        1e3 * epl, 1e3 * epb, 1e3 * hollow, 1e3 * epl_bent, 1e3 * epb_bent);
    assert_true(epl > 0.5e-3 && epb > 1e-3);
    assert_at_most(hollow, 0.5 * fmin(epl, epb));
    assert_true(epl > epl_bent && epb > epb_bent);
    close_hand(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_sides_and_volume_hold_in_motion),
        cmocka_unit_test(extension_shows_the_extensors_and_a_fist_does_not),
        cmocka_unit_test(the_thumb_circle_shows_the_snuffbox),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
