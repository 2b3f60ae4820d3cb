/* A real fist: fingertips in the palm, the thumb over the middle phalanges, nothing to look through, no digit in
 * another by more than half a millimetre, no strand outside the skin. The same for the other shipped postures, as far
 * as they close. Tracked as `sinew track` does. Heavy: minutes under a sanitizer, which sees the same code in shorter
 * tests. */
#include "hand_contact_case.h"

static void print_contact(const char *name, const Contact *c)
{
    print_message(
        "%-16s deepest %.2f mm (digit %d in %d), %d vertices over 0.5 mm; tips to the palm %.2f %.2f %.2f %.2f "
        "mm; thumb to the middle phalanges %.2f (index) %.2f mm (middle)\n",
        name, 1e3 * c->deepest, c->from, c->in, (int)c->count, 1e3 * c->tip[2], 1e3 * c->tip[3], 1e3 * c->tip[4],
        1e3 * c->tip[5], 1e3 * c->thumb_index, 1e3 * c->thumb_middle);
}

/* The skin of a pose is the same to the bit whatever came before. */
static void same_after_another_pose(HandSkin *h)
{
    size_t bytes = 3 * sizeof(double) * (size_t)h->mesh.nvertex;
    double *before = SN_NEW_ARRAY(double, 3 * h->mesh.nvertex);
    assert_non_null(before);
    memcpy(before, h->vertex, bytes);
    pose_hand(h, h->rest, NULL);
    pose_hand(h, h->own, h->own + 7 * h->nbody);
    assert_memory_equal(before, h->vertex, bytes);
    sn_free(before);
}

static void a_fist_is_closed(void **state)
{
    (void)state;
    static const double from[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    HandSkin h;
    open_hand(&h, 1);
    hold_moment(&h, "fist", 1.9);
    Contact c = measure_contact(&h);
    Outside out = strands_outside(&h);
    snSkinInfo info = sn_skin_info(h.skin);
    print_contact("fist", &c);
    print_message(
        "blending alone: %.2f mm deep, %d vertices; parted in %.1f ms of processor time; strands outside %.2f mm\n",
        1e3 * info.touch_depth, (int)info.touching, 1e3 * info.touch_seconds, 1e3 * out.furthest);
    for (int i = 0; i < 6; ++i) {
        int32_t holes = holes_from(&h, v3_load(from[i]));
        if (holes)
            print_message("from %g %g %g: %d pixels to look through\n", from[i][0], from[i][1], from[i][2], holes);
        assert_int_equal(holes, 0);
    }
    assert_at_most(c.deepest, 5e-4);
    for (int d = 2; d < DIGITS; ++d) assert_at_most(c.tip[d], 3e-3);
    assert_at_most(c.thumb_index, 1.5e-3);
    assert_at_most(c.thumb_middle, 3e-3);
    assert_at_most(out.furthest, 5e-4);
    assert_true(info.touch_depth > 1e-3); /* without the stage they are inside each other */
    same_after_another_pose(&h);
    close_hand(&h);
}

static void no_posture_drives_a_digit_into_another(void **state)
{
    (void)state;
    static const char *const name[] = {"key_grip", "precision_pinch", "cylinder_grip", "thumbs_up",
                                       "letter_a", "letter_l",        "letter_v",      "letter_y"};
    HandSkin h;
    open_hand(&h, 1);
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        hold_moment(&h, name[i], 1.9);
        Contact c = measure_contact(&h);
        print_contact(name[i], &c);
        assert_at_most(c.deepest, 5e-4);
    }
    close_hand(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fist_is_closed),
        cmocka_unit_test(no_posture_drives_a_digit_into_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
