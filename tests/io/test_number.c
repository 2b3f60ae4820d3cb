#include "check.h"

#include "io/number.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return *seed;
}

static void check_round_trip(double value)
{
    char text[SN_NUMBER_SIZE + 1];
    double back = 0;
    size_t n = sn_number_format(value, text);
    assert_true(n > 0 && n <= SN_NUMBER_SIZE);
    text[n] = 0;
    assert_ptr_equal(sn_number_parse(text, text + n, &back), text + n);
    if (memcmp(&back, &value, sizeof value) != 0) {
        print_error("%a became %s, read as %a\n", value, text, back);
        fail();
    }
    double library = strtod(text, NULL);
    assert_memory_equal(&library, &value, sizeof value);
}

static void random_doubles_come_back(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252ull;
    for (int i = 0; i < 100000; ++i) {
        uint64_t bits = next(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) check_round_trip(value);
        check_round_trip((double)(int64_t)next(&seed) / 9.3e18);              /* like coordinates */
        check_round_trip(ldexp((double)(next(&seed) >> 11), -(int)(i % 90))); /* all scales, also powers of two */
        check_round_trip(ldexp(1, i % 120 - 60));
        check_round_trip((double)(i % 100000) / 1000);
    }
}

static void parsing_agrees_with_the_library(void **state)
{
    (void)state;
    uint64_t seed = 4101842887655102017ull;
    char text[80];
    for (int i = 0; i < 100000; ++i) {
        int digits = 1 + (int)(next(&seed) % 25), point = (int)(next(&seed) % 26), at = 0;
        if (next(&seed) & 1) text[at++] = '-';
        for (int k = 0; k < digits; ++k) {
            if (k == point) text[at++] = '.';
            text[at++] = (char)('0' + next(&seed) % 10);
        }
        if (next(&seed) & 1) at += sprintf(text + at, "e%d", (int)(next(&seed) % 60) - 30);
        text[at] = 0;
        double ours = 0, library = strtod(text, NULL);
        assert_ptr_equal(sn_number_parse(text, text + at, &ours), text + at);
        if (memcmp(&ours, &library, sizeof ours) != 0) {
            print_error("%s: %a, expected %a\n", text, ours, library);
            fail();
        }
    }
}

static void short_numbers_stay_short(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {0.004, "0.004"},
                 {100, "100"},
                 {1e-5, "0.00001"},
                 {123456.789, "123456.789"},
                 {1e22, "1e+22"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {9.81, "9.81"},
                 {240, "240"},
                 {INFINITY, "inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[SN_NUMBER_SIZE + 1];
        text[sn_number_format(cases[i].value, text)] = 0;
        assert_string_equal(text, cases[i].text);
    }
}

/* Below 1e-5 as the library writes it with the fewest of 15 to 17 digits, also next to powers of ten. */
static void small_numbers_as_the_library_writes_them(void **state)
{
    (void)state;
    uint64_t seed = 88172645463325252ull;
    for (int i = 0; i < 300000; ++i) {
        uint64_t x = next(&seed);
        double value = i % 3 == 0   ? ldexp((double)(x >> 11), -70 - (int)(x % 20))
                       : i % 3 == 1 ? (double)(x % 100000) * pow(10, -10 - (double)(x % 6))
                                    : nextafter(pow(10, -5 - (double)(x % 6)), x >> 63 ? 0 : 1);
        char text[SN_NUMBER_SIZE + 1], library[40];
        if (!(value < 1e-5 && value > 0)) continue;
        text[sn_number_format(value, text)] = 0;
        for (int digits = 15; digits <= 17; ++digits) {
            snprintf(library, sizeof library, "%.*g", digits, value);
            if (strtod(library, NULL) == value) break;
        }
        assert_string_equal(text, library);
    }
}

static void words_and_rubbish(void **state)
{
    (void)state;
    double value = 7;
    const char *bad[] = {"", "-", "+", ".", "-.", "e5", "x", "--1", "na", "1"};
    for (size_t i = 0; i + 1 < sizeof bad / sizeof *bad; ++i) {
        assert_null(sn_number_parse(bad[i], bad[i] + strlen(bad[i]), &value));
        assert_near(value, 7, 0);
    }
    const char *inf = "-Infinity", *nan = "NaN", *cut = "12e", *long_one = "1e999999999999", *tiny = "1e-99999";
    assert_non_null(sn_number_parse(inf, inf + 9, &value));
    assert_true(isinf(value) && value < 0);
    assert_non_null(sn_number_parse(nan, nan + 3, &value));
    assert_true(isnan(value));
    assert_ptr_equal(sn_number_parse(cut, cut + 3, &value), cut + 2);
    assert_near(value, 12, 0);
    assert_ptr_equal(sn_number_parse(long_one, long_one + strlen(long_one), &value), long_one + strlen(long_one));
    assert_true(isinf(value));
    assert_non_null(sn_number_parse(tiny, tiny + strlen(tiny), &value));
    assert_near(value, 0, 0);
    char digits[1000];
    memset(digits, '3', sizeof digits);
    memcpy(digits + 990, "e-1000", 6);
    assert_ptr_equal(sn_number_parse(digits, digits + 996, &value), digits + 996);
    assert_near(value, 3.3333333333333333e-11, 1e-26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_doubles_come_back), cmocka_unit_test(parsing_agrees_with_the_library),
        cmocka_unit_test(short_numbers_stay_short), cmocka_unit_test(small_numbers_as_the_library_writes_them),
        cmocka_unit_test(words_and_rubbish),
    };
    return cmocka_run_group_tests_name("io.number", tests, NULL, NULL);
}
