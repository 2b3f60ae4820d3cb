#include "check.h"

#include "math/spline.h"
#include "math/vec.h"

#include <string.h>

static void basis_sums_to_one_and_derivatives_match(void **state)
{
    (void)state;
    double knot[13] = {0, 0, 0, 0, 0.1, 0.3, 0.35, 0.7, 0.9, 1, 1, 1, 1};
    int32_t n = 9;
    for (int i = 0; i <= 1000; ++i) {
        double s = i / 1000.0, b[4], d[4], dd[4], b2[4], d2[4], b1[4], d1[4];
        int32_t span = spline_basis(knot, n, s, 0, b, d, dd);
        assert_near(b[0] + b[1] + b[2] + b[3], 1, 1e-14);
        assert_near(d[0] + d[1] + d[2] + d[3], 0, 1e-11);
        double e = 1e-6;
        if (s - e < knot[span + 3] || s + e > knot[span + 4]) continue;
        spline_basis(knot, n, s + e, span, b2, d2, NULL);
        spline_basis(knot, n, s - e, span, b1, d1, NULL);
        for (int k = 0; k < 4; ++k) {
            assert_near(d[k], (b2[k] - b1[k]) / (2 * e), 1e-6 * (1 + fabs(d[k])));
            assert_near(dd[k], (d2[k] - d1[k]) / (2 * e), 1e-5 * (1 + fabs(dd[k])));
        }
    }
}

static void clamped_curve_meets_its_ends(void **state)
{
    (void)state;
    double knot[16], b[4];
    spline_clamped_knots(knot, 12);
    assert_int_equal(spline_basis(knot, 12, 0, 5, b, NULL, NULL), 0);
    assert_near(b[0], 1, 0);
    assert_int_equal(spline_basis(knot, 12, 1, 0, b, NULL, NULL), 8);
    assert_near(b[3], 1, 0);
}

/* A periodic curve: with its first three points again at its end it closes without a step, a kink or a jump of
 * curvature. */
static void uniform_knots_close_a_ring(void **state)
{
    (void)state;
    enum { POINTS = 11 };
    double knot[POINTS + 4], start[3][4], end[3][4], point[POINTS];
    spline_uniform_knots(knot, POINTS);
    assert_near(knot[3], 0, 0);
    assert_near(knot[POINTS], 1, 1e-15);
    for (int i = 0; i < POINTS; ++i) point[i] = sin(1.7 * (i % (POINTS - 3)));
    int32_t first = spline_basis(knot, POINTS, 0, 0, start[0], start[1], start[2]);
    int32_t last = spline_basis(knot, POINTS, 1, 0, end[0], end[1], end[2]);
    for (int derivative = 0; derivative < 3; ++derivative) {
        double a = 0, b = 0;
        for (int k = 0; k < 4; ++k)
            a += start[derivative][k] * point[first + k], b += end[derivative][k] * point[last + k];
        assert_near(a, b, 1e-12 * (1 + fabs(a)));
    }
}

static void fit_reproduces_a_cubic(void **state)
{
    (void)state;
    double position[60], knot[14], point[30];
    for (int i = 0; i < 20; ++i) v3_store(position + 3 * i, v3_of(i / 19.0, 0, 0));
    spline_clamped_knots(knot, 10);
    assert_true(spline_fit(position, 20, knot, 10, point));
    for (int i = 0; i <= 50; ++i) {
        double b[4], x = 0;
        int32_t span = spline_basis(knot, 10, i / 50.0, 0, b, NULL, NULL);
        for (int k = 0; k < 4; ++k) x += b[k] * point[3 * (span + k)];
        assert_near(x, i / 50.0, 1e-4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(basis_sums_to_one_and_derivatives_match),
        cmocka_unit_test(clamped_curve_meets_its_ends),
        cmocka_unit_test(uniform_knots_close_a_ring),
        cmocka_unit_test(fit_reproduces_a_cubic),
    };
    return cmocka_run_group_tests_name("math.spline", tests, NULL, NULL);
}
