/* Masks, contours, Dice: against brute force and formulas. */
#include "base/alloc.h"
#include "check.h"
#include "image/mask.h"
#include "image/outline.h"

#include <string.h>

enum { W = 37, H = 29 };

static uint32_t next_random(uint32_t *state)
{
    return (*state = *state * 1664525u + 1013904223u) >> 8;
}

static void test_distance_is_that_of_brute_force(void **state)
{
    (void)state;
    snMaskRoom room;
    uint8_t mask[W * H];
    uint32_t seed = 5;
    assert_true(sn_mask_room_create(&room, W, H));
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < W * H; ++i) mask[i] = next_random(&seed) % 40 == 0;
        sn_mask_distance(&room, mask, 1);
        for (int i = 0; i < W * H; ++i) {
            double best = 1e12;
            for (int j = 0; j < W * H; ++j)
                if (mask[j]) best = fmin(best, (i % W - j % W) * (i % W - j % W) + (i / W - j / W) * (i / W - j / W));
            assert_near(room.square[i], best, 1e-3 + 1e-6 * best);
        }
    }
    sn_mask_room_free(&room);
}

static void test_parts_are_taken_and_flooded(void **state)
{
    (void)state;
    snMaskRoom room;
    uint8_t mask[W * H] = {0}, seed[W * H] = {0}, out[W * H];
    assert_true(sn_mask_room_create(&room, W, H));
    for (int y = 2; y < 6; ++y)
        for (int x = 2; x < 7; ++x) mask[y * W + x] = 1, mask[(y + 10) * W + x] = 1;
    mask[6 * W + 7] = 1; /* joined by a corner only: another part */
    seed[3 * W + 3] = 1;
    assert_int_equal(sn_mask_flood(&room, mask, seed, out), 20);
    assert_int_equal(out[13 * W + 3], 0);
    assert_int_equal(sn_mask_count(&room, mask), 41);
    assert_int_equal(sn_mask_take(&room, mask, 12 * W + 2), 20);
    assert_int_equal(sn_mask_count(&room, mask), 21);
    sn_mask_shrink(&room, mask, 1, out);
    assert_int_equal(sn_mask_count(&room, out), 6);
    sn_mask_room_free(&room);
}

/* Positive within a ring of radii 3 and 10 around (cx, cy). */
static void ring_field(float *field, double cx, double cy)
{
    for (int i = 0; i < W * H; ++i) {
        double r = hypot(i % W - cx, i / W - cy);
        field[i] = (float)fmin(10 - r, r - 3);
    }
}

static void test_loops_of_a_ring(void **state)
{
    (void)state;
    snSlice slice = {0};
    float field[W * H];
    uint8_t mask[W * H];
    int32_t pair[4];
    ring_field(field, 17.3, 13.6);
    assert_true(sn_slice_trace(&slice, field, W, H, 1));
    assert_int_equal(slice.nloop, 2);
    double outer = sn_loop_area(slice.loop), inner = sn_loop_area(slice.loop + 1);
    assert_near(fmax(outer, inner), 100 * 3.14159265, 2); /* chords of about a pixel */
    assert_near(fmin(outer, inner), -9 * 3.14159265, 1);
    assert_near(sn_slice_area(&slice), outer + inner, 1e-12);
    assert_false(sn_slice_crossing(&slice, pair));
    sn_slice_fill(&slice, W, H, mask);
    for (int i = 0; i < W * H; ++i) {
        assert_int_equal(mask[i], field[i] > 0);
        assert_int_equal(sn_slice_inside(&slice, i % W, i / W), field[i] > 0);
    }
    sn_slice_free(&slice);
    assert_int_equal(sn_alloc_live(), 0);
}

/* Every pattern of a few pixels, saddles and borders among them, gives closed loops that do not cross and hold the
 * pixels. */
static void test_loops_of_every_pattern(void **state)
{
    (void)state;
    enum { N = 4 };
    for (int bits = 0; bits < 1 << (N * N); bits += 7) {
        float field[N * N];
        snSlice slice = {0};
        int32_t pair[4];
        for (int i = 0; i < N * N; ++i) field[i] = bits >> i & 1 ? 1 : -0.7f;
        assert_true(sn_slice_trace(&slice, field, N, N, 0));
        assert_false(sn_slice_crossing(&slice, pair));
        for (int i = 0; i < N * N; ++i) assert_int_equal(sn_slice_inside(&slice, i % N, i / N), field[i] > 0);
        sn_slice_free(&slice);
    }
}

static snSlice square(double x, double y, double side, double *point)
{
    const double corner[8] = {x, y, x + side, y, x + side, y + side, x, y + side};
    static snLoop loop[4];
    static int used;
    memcpy(point, corner, sizeof corner);
    loop[used % 4] = (snLoop){4, point};
    return (snSlice){SN_SLICE_HAND, 1, loop + used++ % 4};
}

static void test_dice_of_squares(void **state)
{
    (void)state;
    double pa[8], pb[8];
    snSlice a = square(0, 0, 10, pa), b = square(5, 0, 10, pb), none = {0};
    assert_near(sn_slice_dice(&a, &a), 1, 1e-12);
    assert_near(sn_slice_dice(&a, &b), 0.5, 1e-12);
    assert_near(sn_slice_dice(&a, &none), 0, 0);
    assert_near(sn_slice_dice(&none, &none), 1, 0);
    int32_t pair[4];
    snLoop two[2] = {*a.loop, *b.loop};
    snSlice both = {SN_SLICE_HAND, 2, two};
    assert_false(sn_slice_crossing(&a, pair));
    /* sides that lie on each other do not count as crossing; moved a little they do */
    for (int i = 1; i < 8; i += 2) pb[i] += 1;
    assert_true(sn_slice_crossing(&both, pair));
    assert_int_not_equal(pair[0], pair[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance_is_that_of_brute_force),
        cmocka_unit_test(test_parts_are_taken_and_flooded),
        cmocka_unit_test(test_loops_of_a_ring),
        cmocka_unit_test(test_loops_of_every_pattern),
        cmocka_unit_test(test_dice_of_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
