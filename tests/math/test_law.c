/* Force-length laws: slopes and integrals against differences and sums, tables, names. */
#include "check.h"

#include "math/law.h"

#include <string.h>

static const double table_x[] = {0.5, 0.8, 1, 1.1, 1.5, 1.6}, table_y[] = {0, 0, 0, 0.3, 1, 4};

static void slopes_and_integrals_belong_to_the_law(void **state)
{
    (void)state;
    double table_slope[6];
    sn_law_slopes(6, table_x, table_y, table_slope);
    for (int kind = SN_LAW_LINEAR; kind <= SN_LAW_TABLE; ++kind) {
        snLaw law = {(snLawKind)kind, 6, table_x, table_y, table_slope};
        double sum = 0, h = 1e-3, slope, ignored, before = sn_law_eval(&law, 0.3, &slope);
        for (int i = 0; i < 1500; ++i) {
            double s = 0.3 + h * i, middle = sn_law_eval(&law, s + h / 2, &slope),
                   after = sn_law_eval(&law, s + h, &ignored);
            sum += h / 6 * (before + 4 * middle + after);
            before = after;
            double e = 1e-5, up = sn_law_eval(&law, s + h / 2 + e, &ignored),
                   down = sn_law_eval(&law, s + h / 2 - e, &ignored);
            assert_near((up - down) / (2 * e), slope, 1e-7 * (1 + fabs(slope)));
            assert_near(sn_law_integral(&law, 0.3, s + h), sum, 1e-8);
        }
    }
}

static void laws_have_their_fixed_points(void **state)
{
    (void)state;
    double slope;
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_LINEAR}, 1, &slope), 0, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_HILL_PASSIVE}, 1, &slope), 0, 1e-17);
    sn_law_eval(&(snLaw){.kind = SN_LAW_HILL_PASSIVE}, 1.7, &slope);
    assert_near(slope, 1, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_CONSTANT}, 0.3, &slope), 1, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_SHIFT}, 1.3, &slope), 1, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_SHIFT}, 0.75, &slope), 0.5, 1e-15);
    assert_near(slope, 2, 1e-15);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_SHIFT}, 0.4, &slope), 0, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_HILL_ACTIVE}, 1, &slope), 1, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_QUADRATIC_ACTIVE}, 1.5, &slope), 0, 1e-15);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_QUADRATIC_ACTIVE}, 0.2, &slope), 0, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_BLIX_ACTIVE}, 1.1, &slope), 1, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_BLIX_ACTIVE}, 0.5, &slope), 0, 0);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_BLIX_PASSIVE}, 1.18, &slope), 0.0897, 1e-4);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_RAMP_ACTIVE}, 0.3, &slope), 0, 1e-15);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_RAMP_ACTIVE}, 0.65, &slope), 0.5, 1e-15);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_RAMP_ACTIVE}, 1, &slope), 1, 1e-15);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_EXPONENTIAL_PASSIVE}, 1.1, &slope), 0.6577, 1e-4);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_EXPONENTIAL_PASSIVE}, 1.2, &slope), 1.8561, 1e-4);
    assert_near(sn_law_eval(&(snLaw){.kind = SN_LAW_EXPONENTIAL_PASSIVE}, 0.9, &slope), 0, 0);
}

static void arch_has_nothing_left_at_its_ends(void **state)
{
    (void)state;
    const snLaw arch = {.kind = SN_LAW_ARCH_ACTIVE};
    double slope;
    assert_near(sn_law_eval(&arch, 1, &slope), 1, 0);
    assert_near(sn_law_eval(&arch, 0.5, &slope), 0, 0);
    assert_near(sn_law_eval(&arch, 1.6, &slope), 0, 0);
    assert_near(sn_law_eval(&arch, 0.75, &slope), 0.5, 1e-15);
    assert_near(sn_law_eval(&arch, 1.3, &slope), 0.5, 1e-15);
}

static void force_velocity_is_that_of_hill(void **state)
{
    (void)state;
    double slope, other;
    assert_near(sn_force_velocity(-1, &slope), 0, 0);
    assert_near(sn_force_velocity(0, &slope), 1, 0);
    assert_near(sn_force_velocity(-1.0 / 6, &slope), 0.5, 1e-15);
    assert_near(sn_force_velocity(1e9, &slope), 1.4, 1e-6);
    for (double v = -0.999; v < 1; v += 0.013) {
        double d = 1e-6, up = sn_force_velocity(v + d, &other), down = sn_force_velocity(v - d, &other);
        sn_force_velocity(v, &slope);
        assert_near((up - down) / (2 * d), slope, 2e-4);
        assert_true(slope > 0);
    }
}

/* Equations 1 and 2 of [Tsang 2005] by hand; below 0.6 and above 1.6 the parabola would push. */
static void blix_curves_have_their_published_values(void **state)
{
    (void)state;
    const snLaw active = {.kind = SN_LAW_BLIX_ACTIVE}, passive = {.kind = SN_LAW_BLIX_PASSIVE};
    double slope;
    assert_near(sn_law_eval(&active, 1.1, &slope), 1, 1e-15);
    assert_near(slope, 0, 1e-14);
    assert_near(sn_law_eval(&active, 1, &slope), 0.96, 1e-15);
    for (double x = 0.3; x < 2; x += 0.01) assert_at_most(0, sn_law_eval(&active, x, &slope));
    assert_near(sn_law_eval(&active, 0.59, &slope), 0, 0);
    assert_near(sn_law_eval(&active, 1.61, &slope), 0, 0);
    print_message("f_P(1.18) = %.4f (0.0897), f_A(0.5) = %g (>= 0)\n", sn_law_eval(&passive, 1.18, &slope),
                  sn_law_eval(&active, 0.5, &slope));
    assert_near(sn_law_eval(&passive, 1.18, &slope), 0.0897, 5e-5);
    assert_near(sn_law_eval(&passive, 0.8, &slope), 0, 0);
    assert_near(slope, 0, 0);
}

static void table_meets_its_points_and_never_overshoots(void **state)
{
    (void)state;
    double table_slope[6], slope, last = 0;
    sn_law_slopes(6, table_x, table_y, table_slope);
    snLaw law = {SN_LAW_TABLE, 6, table_x, table_y, table_slope};
    for (int i = 0; i < 6; ++i) assert_near(sn_law_eval(&law, table_x[i], &slope), table_y[i], 1e-14);
    for (int i = 0; i <= 1100; ++i) {
        double y = sn_law_eval(&law, 0.5 + 0.001 * i, &slope);
        assert_at_most(last, y + 1e-14);
        last = y;
    }
    double end = sn_law_eval(&law, 1.6, &slope);
    assert_near(sn_law_eval(&law, 1.9, &slope), end + 0.3 * slope, 1e-12);
}

/* Where the search begins changes nothing, and it ends at the place that the next search can begin with. */
static void a_guess_changes_nothing(void **state)
{
    (void)state;
    static const int32_t guess[] = {0, 1, 2, 4, 5, 6, -1, 1000000, INT32_MAX, INT32_MIN};
    double slope_of[6];
    sn_law_slopes(6, table_x, table_y, slope_of);
    snLaw law = {SN_LAW_TABLE, 6, table_x, table_y, slope_of};
    for (double s = 0.3; s < 1.8; s += 0.013)
        for (size_t i = 0; i < sizeof guess / sizeof *guess; ++i) {
            double slope, other;
            int32_t near = guess[i];
            assert_near(sn_law_eval_near(&law, s, &other, &near), sn_law_eval(&law, s, &slope), 0);
            assert_near(other, slope, 0);
            if (s > table_x[0] && s < table_x[5]) assert_true(table_x[near] <= s && s <= table_x[near + 1]);
        }
}

static void tables_of_one_and_two_points_work(void **state)
{
    (void)state;
    double x[] = {1, 2}, y[] = {3, 5}, slopes[2], slope;
    sn_law_slopes(2, x, y, slopes);
    snLaw two = {SN_LAW_TABLE, 2, x, y, slopes};
    assert_near(sn_law_eval(&two, 1.5, &slope), 4, 1e-15);
    assert_near(sn_law_eval(&two, 0, &slope), 1, 1e-15);
    assert_near(sn_law_integral(&two, 0, 3), 12, 1e-14);
    sn_law_slopes(1, x, y, slopes);
    snLaw one = {SN_LAW_TABLE, 1, x, y, slopes};
    assert_near(sn_law_eval(&one, 7, &slope), 3, 0);
    assert_near(sn_law_integral(&one, 0, 3), 9, 1e-15);
}

static void names_go_both_ways(void **state)
{
    (void)state;
    snLawKind kind;
    for (int i = 0; i < SN_LAW_TABLE; ++i) {
        assert_true(sn_law_by_name(sn_law_name((snLawKind)i), &kind));
        assert_int_equal(kind, i);
    }
    assert_false(sn_law_by_name("table", &kind));
    assert_false(sn_law_by_name("", &kind));
    assert_string_equal(sn_law_name(SN_LAW_TABLE), "table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_and_integrals_belong_to_the_law),
        cmocka_unit_test(arch_has_nothing_left_at_its_ends),
        cmocka_unit_test(force_velocity_is_that_of_hill),
        cmocka_unit_test(laws_have_their_fixed_points),
        cmocka_unit_test(blix_curves_have_their_published_values),
        cmocka_unit_test(table_meets_its_points_and_never_overshoots),
        cmocka_unit_test(a_guess_changes_nothing),
        cmocka_unit_test(tables_of_one_and_two_points_work),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests_name("math.law", tests, NULL, NULL);
}
