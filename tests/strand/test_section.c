/* Cross-sections of bundles: areas of known shapes, the gradient against differences, what does not change them. */
#include "check.h"

#include "strand/section.h"

enum { MOST = 400 };

static uint64_t seed = 3;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* Evenly spread points of an ellipse in the plane across z (a sunflower), tangents along z. */
static void fill(int32_t n, double a, double b, double *point, double *tangent)
{
    for (int32_t i = 0; i < n; ++i) {
        double r = sqrt((i + 0.5) / n), turn = i * SN_PI * (3 - sqrt(5));
        v3_store(point + 3 * i, v3_of(0.1 + a * r * cos(turn), b * r * sin(turn), 0.3));
        v3_store(tangent + 3 * i, v3_of(0, 0, 0.2));
    }
}

static void area_is_that_of_the_ellipse(void **state)
{
    (void)state;
    double point[3 * MOST], tangent[3 * MOST];
    fill(MOST, 0.02, 0.007, point, tangent);
    snSection s = sn_section(MOST, point, tangent, 0, 1, NULL, NULL);
    assert_near(s.area, SN_PI * 0.02 * 0.007, 0.01 * s.area);
    assert_near(SN_PI * s.radius * s.radius, s.area, 1e-12);
    assert_near(s.speed, 0.2, 1e-12);
    fill(12, 0.02, 0.02, point, tangent); /* a few strands do, too */
    assert_near(sn_section(12, point, tangent, 0, 1, NULL, NULL).area, SN_PI * 4e-4, 0.06 * SN_PI * 4e-4);
}

/* One strand is its own disc; a row of touching ones is nearly the rectangle around it. */
static void strands_count_with_their_thickness(void **state)
{
    (void)state;
    double point[3 * MOST], tangent[3 * MOST], r = 0.002;
    fill(MOST, 0.02, 0.01, point, tangent);
    assert_near(sn_section(1, point, tangent, r * r / 4, 1, NULL, NULL).area, SN_PI * r * r, 1e-12);
    for (int i = 0; i < 20; ++i) v3_store(point + 3 * i, v3_of(2 * r * i, 0, 0.3));
    double sheet = 40 * r * 2 * r;
    assert_near(sn_section(20, point, tangent, r * r / 4, 1, NULL, NULL).area, sheet, 0.12 * sheet);
}

static void area_does_not_depend_on_the_frame(void **state)
{
    (void)state;
    double point[3 * 30], tangent[3 * 30];
    fill(30, 0.02, 0.007, point, tangent);
    double area = sn_section(30, point, tangent, 1e-6, 1, NULL, NULL).area;
    quat q = q_axis_angle(v3_unit(v3_of(1, -2, 0.5)), 1.1);
    for (int i = 0; i < 30; ++i) {
        v3_store(point + 3 * i, v3_add(v3_of(1, 2, 3), q_rotate(q, v3_load(point + 3 * i))));
        v3_store(tangent + 3 * i, q_rotate(q, v3_load(tangent + 3 * i)));
    }
    assert_near(sn_section(30, point, tangent, 1e-6, 1, NULL, NULL).area, area, 1e-12);
}

static double value(int n, const double *point, const double *tangent)
{
    snSection s = sn_section(n, point, tangent, 1e-6, 0.15, NULL, NULL);
    return s.radius * sqrt(s.speed / 0.15);
}

static void gradient_matches_differences(void **state)
{
    (void)state;
    enum { N = 7 };
    double x[6 * N], dpoint[3 * N], dtangent[3], worst = 0;
    for (int i = 0; i < 3 * N; ++i)
        x[i] = uniform(-0.02, 0.02), x[3 * N + i] = uniform(-0.05, 0.05) + (i % 3 == 2 ? 0.2 : 0);
    sn_section(N, x, x + 3 * N, 1e-6, 0.15, dpoint, dtangent);
    for (int i = 0; i < 6 * N; ++i) {
        double keep = x[i], h = 1e-6;
        x[i] = keep + h;
        double up = value(N, x, x + 3 * N);
        x[i] = keep - h;
        double down = value(N, x, x + 3 * N);
        x[i] = keep;
        double exact = i < 3 * N ? dpoint[i] : dtangent[i % 3];
        worst = fmax(worst, fabs((up - down) / (2 * h) - exact));
    }
    print_message("gradient against differences: %.1e\n", worst);
    assert_at_most(worst, 1e-8);
}

/* Coinciding points, no tangents: finite, whatever comes. */
static void degenerate_bundles_are_finite(void **state)
{
    (void)state;
    double zero[12] = {0}, dpoint[12], dtangent[3];
    snSection s = sn_section(4, zero, zero, 0, 1, dpoint, dtangent);
    assert_true(isfinite(s.area) && s.area >= 0 && isfinite(s.radius) && s.speed == 0);
    for (int i = 0; i < 12; ++i) assert_true(isfinite(dpoint[i]) && isfinite(dtangent[i % 3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(area_is_that_of_the_ellipse),       cmocka_unit_test(strands_count_with_their_thickness),
        cmocka_unit_test(area_does_not_depend_on_the_frame), cmocka_unit_test(gradient_matches_differences),
        cmocka_unit_test(degenerate_bundles_are_finite),
    };
    return cmocka_run_group_tests_name("strand.section", tests, NULL, NULL);
}
