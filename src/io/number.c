/* Decimal text of doubles.
 *
 * Nearly all numbers of our files have at most 19 digits and lie between 1e-5 and 1e15. For them both directions are
 * exact integer arithmetic in 128 bits, ten times as fast as the C library; the others go through strtod and snprintf,
 * with the locale's decimal point put in or taken out.
 *
 * Writing: value = m 2^e. With k = 16 - floor(log10 value) decimals, value 10^k = m 5^k / 2^s with s = -(e + k). A
 * candidate C of n digits reads back exactly when |C 2^s - m 5^k| is under half a unit of m, which is 5^k / 2.
 * Reading: digits / 10^k is (digits 2^s / 5^k) 2^(-s-k), whose quotient has at least 64 bits and is rounded once. */
#include "io/number.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum { MAX_POWER = 27 }; /* 5^27 < 2^63 */

static const uint64_t power_of_5[MAX_POWER + 1] = {
    1ull,
    5ull,
    25ull,
    125ull,
    625ull,
    3125ull,
    15625ull,
    78125ull,
    390625ull,
    1953125ull,
    9765625ull,
    48828125ull,
    244140625ull,
    1220703125ull,
    6103515625ull,
    30517578125ull,
    152587890625ull,
    762939453125ull,
    3814697265625ull,
    19073486328125ull,
    95367431640625ull,
    476837158203125ull,
    2384185791015625ull,
    11920928955078125ull,
    59604644775390625ull,
    298023223876953125ull,
    1490116119384765625ull,
    7450580596923828125ull,
};

/* ---- reading -------------------------------------------------------------------------------- */

static int top_bit(u128 v)
{
    uint64_t high = (uint64_t)(v >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((uint64_t)v);
}

/* v 2^e, v > 0, rounded to nearest even; sticky: something non-zero was cut off below v. Normal range only. */
static double round_to_double(u128 v, bool sticky, int e)
{
    int drop = top_bit(v) - 52;
    if (drop <= 0) return ldexp((double)(uint64_t)v, e);
    uint64_t m = (uint64_t)(v >> drop);
    u128 rest = v & (((u128)1 << drop) - 1), half = (u128)1 << (drop - 1);
    if (rest > half || (rest == half && (sticky || (m & 1)))) ++m;
    return ldexp((double)m, e + drop);
}

static double from_decimal(uint64_t digits, int exponent)
{
    if (digits == 0) return 0;
    if (exponent >= 0) return round_to_double((u128)digits * power_of_5[exponent], false, exponent);
    uint64_t divisor = power_of_5[-exponent];
    int shift = 64 + __builtin_clzll(digits);
    u128 scaled = (u128)digits << shift, quotient = scaled / divisor;
    return round_to_double(quotient, quotient * divisor != scaled, exponent - shift);
}

typedef struct decimal {
    uint64_t digits; /* the first 19 significant ones */
    int ndigit;      /* significant digits seen */
    int exponent;    /* of the last of `digits` */
    bool any;
} decimal;

/* strtod on a copy with the locale's point. Of hundreds of digits the first 19 are enough. */
static double parse_slowly(const char *text, const char *end, const decimal *d)
{
    char copy[512], *to = copy;
    const char *point = localeconv()->decimal_point;
    if ((size_t)(end - text) > sizeof copy - 64) {
        snprintf(copy, sizeof copy, "%s%llue%d", *text == '-' ? "-" : "", (unsigned long long)d->digits, d->exponent);
        return strtod(copy, NULL);
    }
    for (; text < end; ++text) {
        if (*text == '.')
            for (const char *p = point; *p; ++p) *to++ = *p;
        else
            *to++ = *text;
    }
    *to = 0;
    return strtod(copy, NULL);
}

static const char *parse_word(const char *at, const char *end, bool negative, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        size_t n = strlen(words[i].word), k = 0;
        while (k < n && at + k < end && tolower((unsigned char)at[k]) == words[i].word[k]) ++k;
        if (k < n) continue;
        *value = negative ? -words[i].value : words[i].value;
        return at + n;
    }
    return NULL;
}

static const char *parse_digits(const char *at, const char *end, decimal *d)
{
    bool point = false;
    for (; at < end; ++at) {
        if (*at == '.' && !point) {
            point = true;
            continue;
        }
        if (*at < '0' || *at > '9') break;
        d->any = true;
        if (d->ndigit >= 19)
            d->exponent += !point;
        else {
            d->digits = d->digits * 10 + (uint64_t)(*at - '0');
            d->exponent -= point;
        }
        if (d->digits && d->ndigit < 1000) ++d->ndigit;
    }
    return at;
}

static const char *parse_exponent(const char *at, const char *end, int *exponent)
{
    const char *p = at + 1;
    if (at >= end || (*at != 'e' && *at != 'E')) return at;
    bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p >= end || *p < '0' || *p > '9') return at;
    int e = 0;
    for (; p < end && *p >= '0' && *p <= '9'; ++p)
        if (e < 100000) e = 10 * e + (*p - '0');
    *exponent += negative ? -e : e;
    return p;
}

const char *sn_number_parse(const char *text, const char *end, double *value)
{
    const char *at = text;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) ++at;
    if (at < end && isalpha((unsigned char)*at)) return parse_word(at, end, negative, value);
    decimal d = {0, 0, 0, false};
    at = parse_digits(at, end, &d);
    if (!d.any) return NULL;
    at = parse_exponent(at, end, &d.exponent);
    if (d.digits == 0)
        *value = negative ? -0.0 : 0.0;
    else if (d.ndigit <= 19 && d.exponent >= -MAX_POWER && d.exponent <= MAX_POWER) {
        double v = from_decimal(d.digits, d.exponent);
        *value = negative ? -v : v;
    } else
        *value = parse_slowly(text, at, &d);
    return at;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void put_pair(uint32_t value, char *text)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                                "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    memcpy(text, pairs + 2 * value, 2);
}

static void put_eight(uint32_t value, char *text)
{
    uint32_t high = value / 10000, low = value % 10000;
    put_pair(high / 100, text);
    put_pair(high % 100, text + 2);
    put_pair(low / 100, text + 4);
    put_pair(low % 100, text + 6);
}

/* 17 or 18 digits times 10^exponent, at least 1e-5: plain notation. Copies of a fixed size cost less than loops; they
 * write no more than six characters and then 17. */
static size_t put_decimal(uint64_t digits, int exponent, char *text)
{
    char all[24];
    int first = digits < 100000000000000000u ? 7 : 6, end = 24, at = 0;
    uint64_t low = digits % 10000000000000000u;
    put_eight((uint32_t)(digits / 10000000000000000u), all);
    put_eight((uint32_t)(low / 100000000), all + 8);
    put_eight((uint32_t)(low % 100000000), all + 16);
    int whole = 24 + exponent; /* where the point is */
    end -= all[23] == '0';     /* of most numbers, with 16 or 17 digits, that is all */
    if (end == 23)
        while (all[end - 1] == '0') --end;
    if (whole <= first) {
        memcpy(text, "0.0000", 6);
        at = 2 + first - whole;
        memcpy(text + at, all + first, 16);
        text[at + 16] = all[first + 16]; /* of 18 digits the last is 0 */
        return (size_t)(at + end - first);
    }
    int before = whole < end ? whole - first : end - first;
    memcpy(text, all + first, (size_t)before);
    at = before, first += before;
    for (int i = end; i < whole; ++i) text[at++] = '0';
    if (whole < end) text[at++] = '.';
    memcpy(text + at, all + first, (size_t)(end - first));
    return (size_t)(at + end - first);
}

/* The same below 1e-5, as printf writes it: 1.25e-07. */
static size_t put_small(uint64_t digits, int exponent, char *text)
{
    size_t n = put_decimal(digits, -16 - (digits >= 100000000000000000u), text); /* one digit before the point */
    int power = exponent + 16 + (digits >= 100000000000000000u);
    memcpy(text + n, "e-", 2);
    put_pair((uint32_t)-power, text + n + 2);
    return n + 4;
}

/* The power of ten at or below a value between 1e-9 and 1e15 whose power of two is known: the guess is at most one low.
 */
static int floor_log10(double value, int exponent)
{
    static const double power_of_10[] = {1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2, 1e3,
                                         1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    int guess = (exponent * 1233 + 4096 * 100) / 4096 - 100; /* 1233 / 4096 is just below log10(2) */
    return guess < 15 && value >= power_of_10[guess + 10] ? guess + 1 : guess;
}

/* What a decimal has to come near: whole units and a rest, both of the value times 2 10^k; it reads back when it is off
 * by less than half. */
typedef struct target {
    uint64_t whole, rest, unit, half;
    int shift; /* unit is 2 to this power */
} target;

/* Is a decimal within half? Further off than `half / unit + 1` units it is not; nearer the products fit 64 bits. */
static inline bool reads_back(const target *t, uint64_t candidate)
{
    int64_t units = (int64_t)(candidate - t->whole), most = (int64_t)(t->half >> t->shift) + 1;
    if (units > most || -units > most) return false;
    int64_t error = units * (int64_t)t->unit - (int64_t)t->rest;
    return (uint64_t)(error < 0 ? -error : error) < t->half;
}

/* The shortest decimal of a value between 1e-9 and 1e15; false when the value does not fit the scheme. */
static bool shortest(double value, uint64_t *digits, int *exponent)
{
    uint64_t bits, implied = (uint64_t)1 << 52;
    memcpy(&bits, &value, sizeof bits);
    uint64_t m = (bits & (implied - 1)) | implied;
    int e = (int)(bits >> 52) - 1075, k = 16 - floor_log10(value, e + 52), s = -(e + k);
    if (k < 0 || k > 25 || s < 0 || s > 60) return false;
    u128 exact = (u128)m * (2 * power_of_5[k]); /* doubled, so that half a unit of the double is whole */
    target t = {
        .whole = (uint64_t)(exact >> (s + 1)), .unit = (uint64_t)1 << (s + 1), .half = power_of_5[k], .shift = s + 1};
    t.rest = (uint64_t)exact & (t.unit - 1);
    if (m == implied) t.half /= 2; /* the next smaller double is nearer */
    if (t.whole < 10000000000000000u) return false;
    *exponent = -k;
    *digits = (t.whole + 50) / 100 * 100;
    if (reads_back(&t, *digits)) return true;
    *digits = (t.whole + 5) / 10 * 10;
    if (reads_back(&t, *digits)) return true;
    *digits = t.whole + (t.rest >= t.unit / 2);
    return reads_back(&t, *digits);
}

static size_t format_slowly(double value, char *text)
{
    char buffer[64];
    const char *point = localeconv()->decimal_point;
    for (int precision = 15; precision <= 17; ++precision) {
        snprintf(buffer, sizeof buffer, "%.*g", precision, value);
        if (strtod(buffer, NULL) == value) break;
    }
    char *found = *point ? strstr(buffer, point) : NULL;
    if (found && strcmp(point, ".") != 0) {
        *found = '.';
        memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
    }
    size_t n = strlen(buffer);
    memcpy(text, buffer, n);
    return n;
}

size_t sn_number_format(double value, char text[SN_NUMBER_SIZE])
{
    const char *word = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : NULL;
    if (value == 0) word = signbit(value) ? "-0" : "0";
    if (word) {
        memcpy(text, word, strlen(word));
        return strlen(word);
    }
    size_t sign = value < 0;
    double magnitude = fabs(value);
    uint64_t digits;
    int exponent;
    if (sign) *text = '-';
    if (magnitude >= 1e-9 && magnitude < 1e15 && shortest(magnitude, &digits, &exponent))
        return sign + (magnitude < 1e-5 ? put_small : put_decimal)(digits, exponent, text + sign);
    return sign + format_slowly(magnitude, text + sign);
}
