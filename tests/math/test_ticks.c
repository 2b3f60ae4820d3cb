/* Ticks of an axis: round numbers inside the range, few of them, whatever the values. */
#include "check.h"

#include "math/ticks.h"

/* A loop over the ticks ends, whatever the values. */
static void ticks_are_few(void **state)
{
    (void)state;
    static const double value[] = {
        0,        1,    -1,          5e-324, 1e-300,     1e300,         -1e300,           1.7e308,
        -1.7e308, 1e15, 1e15 + 0.25, 1e9,    1e9 + 1e-7, 123456789.123, 9007199254740992, 3e-5};
    enum { COUNT = sizeof value / sizeof *value };
    for (int i = 0; i < COUNT * COUNT; ++i)
        for (int grow = 0; grow < 2; ++grow) {
            snAxisTicks a = sn_axis_ticks(value[i % COUNT], value[i / COUNT], 6, grow);
            assert_true(a.step > 0 && isfinite(a.step) && a.high > a.low && isfinite(a.high - a.low));
            assert_true((int64_t)a.last - a.first >= 0 && (int64_t)a.last - a.first <= 12);
        }
}

static void ticks_are_round_and_inside(void **state)
{
    (void)state;
    static const double cases[][2] = {{0, 1}, {-0.3, 97}, {1e-7, 3e-7}, {-5e5, 1e6}, {2, 2}, {0.1234, 0.1235}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int at_most = 2; at_most < 12; ++at_most) {
            snAxisTicks a = sn_axis_ticks(cases[i][0], cases[i][1], at_most, false);
            assert_true(a.last - a.first + 1 <= at_most && a.step > 0);
            assert_true(a.first * a.step >= a.low - 1e-6 * a.step && a.last * a.step <= a.high + 1e-6 * a.step);
            double mantissa = a.step / pow(10, floor(log10(a.step) + 1e-9));
            assert_true(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6);
            a = sn_axis_ticks(cases[i][0], cases[i][1], at_most, true);
            assert_true(a.low <= cases[i][0] + 1e-6 * a.step && a.high >= cases[i][1] - 1e-6 * a.step);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round_and_inside),
        cmocka_unit_test(ticks_are_few),
    };
    return cmocka_run_group_tests_name("math.ticks", tests, NULL, NULL);
}
