/* Force-length laws. Shapes of the Hill laws follow common practice in biomechanics [Thelen 2003]: passive shape
 * factor 4 with a toe that ends at 60 % strain, active Gaussian of width 0.45. The Blix curves are those of [Tsang et
 * al. 2005], ramp and exponential the linearised Hill model of [Lee et al. 2009]. Table slopes are those of [Fritsch
 * and Carlson 1980], limited so that the cubic overshoots nowhere. */
#include "math/law.h"

#include "math/vec.h"

#include <stdbool.h>
#include <string.h>

static const double arch_short = 0.5, arch_long = 0.6; /* from the optimal length to no force */
static const double hill_curvature = 0.25;             /* a / F0 [Hill 1938] */
static const double eccentric = 0.4;                   /* most that lengthening adds */
static const double toe_strain = 0.6, toe_shape = 4, gauss_width2 = 0.45, parabola_half_width = 0.5, shift_range = 0.5;
static const double blix_peak = 0.1, blix_active = 4, blix_passive = 2.77, ramp_start = -0.7, exp_scale = 0.8,
                    exp_rate = 6;

/* c (exp(k e / e0) - 1) below the toe, with c chosen so that its slope at e0 is 1, the slope of the line above. */
static double hill_passive(double e, double *slope)
{
    double c = toe_strain / toe_shape * exp(-toe_shape);
    if (e > toe_strain) {
        *slope = 1;
        return toe_strain / toe_shape - c + e - toe_strain;
    }
    double grow = exp(toe_shape * (e / toe_strain - 1));
    *slope = grow;
    return toe_strain / toe_shape * grow - c;
}

static double hill_passive_primitive(double e)
{
    double k = toe_strain / toe_shape, c = k * exp(-toe_shape);
    double x = e < toe_strain ? e : toe_strain, more = e - x;
    return k * k * exp(toe_shape * (x / toe_strain - 1)) - c * x + more * (k - c + more / 2);
}

static double parabola_primitive(double e)
{
    double w = parabola_half_width, x = e < -w ? -w : e > w ? w : e;
    return x - x * x * x / (3 * w * w);
}

static double exponential_passive(double e, double *slope)
{
    *slope = 0;
    if (e <= 0) return 0;
    double x = e < 1 ? e : 1, grow = exp_scale * exp(exp_rate * x);
    *slope = exp_rate * grow;
    return grow - exp_scale + (e - x) * *slope;
}

static double exponential_primitive(double e)
{
    if (e <= 0) return 0;
    double x = e < 1 ? e : 1, more = e - x, grow = exp_scale * exp(exp_rate * x);
    return (grow - exp_scale) / exp_rate - exp_scale * x + more * (grow - exp_scale + more * exp_rate * grow / 2);
}

/* Integral of 1 - k d^2 from its zero to its zero, d = e - blix_peak. */
static double blix_primitive(double e)
{
    double w = 1 / sqrt(blix_active), d = e - blix_peak, x = d < -w ? -w : d > w ? w : d;
    return x - blix_active * x * x * x / 3;
}

/* Laws of a parabola or of a line; e is the stretch less 1. */
static double plain_eval(snLawKind kind, double e, double *slope)
{
    double d = e - blix_peak;
    switch (kind) {
    case SN_LAW_BLIX_ACTIVE: {
        bool outside = blix_active * d * d >= 1;
        *slope = outside ? 0 : -2 * blix_active * d;
        return outside ? 0 : 1 - blix_active * d * d;
    }
    case SN_LAW_BLIX_PASSIVE:
        *slope = e > 0 ? 2 * blix_passive * e : 0;
        return e > 0 ? blix_passive * e * e : 0;
    default: /* SN_LAW_RAMP_ACTIVE */
        *slope = e > ramp_start ? -1 / ramp_start : 0;
        return e > ramp_start ? 1 - e / ramp_start : 0;
    }
}

/* Interval i with x[i] <= s < x[i + 1]; -1 before the first point, n - 1 after the last. near: which to try first. */
static int32_t table_interval(const snLaw *law, double s, int32_t near)
{
    if (near >= 0 && near < law->n - 1 && s >= law->x[near] && s < law->x[near + 1]) return near;
    int32_t low = -1, high = law->n;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (s < law->x[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Value, slope and integral from the interval's start of the Hermite cubic on interval i. */
static inline double table_cubic(const snLaw *law, int32_t i, double s, double *slope, double *integral)
{
    double width = law->x[i + 1] - law->x[i], per = 1 / width, t = (s - law->x[i]) * per;
    double rise = law->y[i + 1] - law->y[i], m0 = law->slope[i] * width, m1 = law->slope[i + 1] * width;
    double c2 = 3 * rise - 2 * m0 - m1, c3 = m0 + m1 - 2 * rise;
    *slope = (m0 + t * (2 * c2 + 3 * t * c3)) * per;
    *integral = width * t * (law->y[i] + t * (m0 / 2 + t * (c2 / 3 + t * c3 / 4)));
    return law->y[i] + t * (m0 + t * (c2 + t * c3));
}

static double table_eval(const snLaw *law, double s, double *slope, int32_t *near)
{
    int32_t i = *near = table_interval(law, s, *near);
    double integral;
    if (i >= 0 && i + 1 < law->n) return table_cubic(law, i, s, slope, &integral);
    int32_t end = i < 0 ? 0 : law->n - 1;
    *slope = law->slope[end];
    return law->y[end] + law->slope[end] * (s - law->x[end]);
}

/* Half a cosine from 0 at one end of the range to 1 at the optimal length. */
static double arch_eval(double e, double *slope)
{
    double w = e < 0 ? arch_short : arch_long, t = SN_PI * e / w;
    *slope = 0;
    if (fabs(e) >= w) return 0;
    *slope = -SN_PI / (2 * w) * sin(t);
    return 0.5 * (1 + cos(t));
}

static double arch_primitive(double e)
{
    double w = e < 0 ? arch_short : arch_long, x = fmin(fmax(e, -w), w);
    return 0.5 * (x + w / SN_PI * sin(SN_PI * x / w));
}

double sn_force_velocity(double v, double *slope)
{
    *slope = 0;
    if (v <= -1) return 0;
    if (v < 0) {
        double d = 1 - v / hill_curvature;
        *slope = (1 + 1 / hill_curvature) / (d * d);
        return (1 + v) / d;
    }
    double c = eccentric / (1 + 1 / hill_curvature);
    *slope = eccentric * c / ((v + c) * (v + c));
    return 1 + eccentric * v / (v + c);
}

/* Integral from the first table point. */
static double table_primitive(const snLaw *law, double s)
{
    int32_t i = table_interval(law, s, -1), end = i < 0 ? 0 : i;
    double sum = 0, slope, part;
    for (int32_t j = 0; j < end; ++j) {
        table_cubic(law, j, law->x[j + 1], &slope, &part);
        sum += part;
    }
    if (i >= 0 && i + 1 < law->n) {
        table_cubic(law, i, s, &slope, &part);
        return sum + part;
    }
    double out = s - law->x[end];
    return sum + out * (law->y[end] + law->slope[end] * out / 2);
}

double sn_law_eval(const snLaw *law, double stretch, double *slope)
{
    int32_t near = -1;
    return sn_law_eval_near(law, stretch, slope, &near);
}

double sn_law_eval_near(const snLaw *law, double stretch, double *slope, int32_t *near)
{
    double e = stretch - 1, w = parabola_half_width;
    switch (law->kind) {
    case SN_LAW_LINEAR:
        *slope = 1;
        return e;
    case SN_LAW_CONSTANT:
        *slope = 0;
        return 1;
    case SN_LAW_SHIFT: {
        bool falling = e < 0 && e > -shift_range;
        *slope = falling ? 1 / shift_range : 0;
        return falling ? 1 + e / shift_range : e >= 0;
    }
    case SN_LAW_HILL_PASSIVE:
        return hill_passive(e, slope);
    case SN_LAW_HILL_ACTIVE: {
        double f = exp(-e * e / gauss_width2);
        *slope = -2 * e / gauss_width2 * f;
        return f;
    }
    case SN_LAW_QUADRATIC_ACTIVE: {
        int outside = fabs(e) >= w;
        *slope = outside ? 0 : -2 * e / (w * w);
        return outside ? 0 : 1 - e * e / (w * w);
    }
    case SN_LAW_BLIX_ACTIVE:
    case SN_LAW_BLIX_PASSIVE:
    case SN_LAW_RAMP_ACTIVE:
        return plain_eval(law->kind, e, slope);
    case SN_LAW_EXPONENTIAL_PASSIVE:
        return exponential_passive(e, slope);
    case SN_LAW_ARCH_ACTIVE:
        return arch_eval(e, slope);
    case SN_LAW_TABLE:
        return table_eval(law, stretch, slope, near);
    }
    *slope = 0;
    return 0;
}

static double primitive(const snLaw *law, double stretch)
{
    double e = stretch - 1, w = sqrt(gauss_width2);
    switch (law->kind) {
    case SN_LAW_LINEAR:
        return e * e / 2;
    case SN_LAW_CONSTANT:
        return e;
    case SN_LAW_SHIFT:
        return e >= 0 ? e : e > -shift_range ? e + e * e / (2 * shift_range) : -shift_range / 2;
    case SN_LAW_HILL_PASSIVE:
        return hill_passive_primitive(e);
    case SN_LAW_HILL_ACTIVE:
        return w * sqrt(SN_PI) / 2 * erf(e / w);
    case SN_LAW_QUADRATIC_ACTIVE:
        return parabola_primitive(e);
    case SN_LAW_BLIX_ACTIVE:
        return blix_primitive(e);
    case SN_LAW_BLIX_PASSIVE:
        return e > 0 ? blix_passive * e * e * e / 3 : 0;
    case SN_LAW_RAMP_ACTIVE:
        return e > ramp_start ? -(e - ramp_start) * (e - ramp_start) / (2 * ramp_start) : 0;
    case SN_LAW_EXPONENTIAL_PASSIVE:
        return exponential_primitive(e);
    case SN_LAW_ARCH_ACTIVE:
        return arch_primitive(e);
    case SN_LAW_TABLE:
        return table_primitive(law, stretch);
    }
    return 0;
}

double sn_law_integral(const snLaw *law, double from, double to)
{
    return primitive(law, to) - primitive(law, from);
}

/* One-sided three-point slope at an end, kept from overshooting. */
static double end_slope(double h0, double h1, double d0, double d1)
{
    double m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (m * d0 <= 0) return 0;
    return d0 * d1 <= 0 && fabs(m) > 3 * fabs(d0) ? 3 * d0 : m;
}

void sn_law_slopes(int32_t n, const double *x, const double *y, double *slope)
{
    if (n == 1) slope[0] = 0;
    if (n == 2) slope[0] = slope[1] = (y[1] - y[0]) / (x[1] - x[0]);
    if (n < 3) return;
    for (int32_t i = 1; i + 1 < n; ++i) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        double d0 = (y[i] - y[i - 1]) / h0, d1 = (y[i + 1] - y[i]) / h1;
        double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0; /* weighted harmonic mean */
        slope[i] = d0 * d1 > 0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0;
        if (i == 1) slope[0] = end_slope(h0, h1, d0, d1);
        if (i == n - 2) slope[n - 1] = end_slope(h1, h0, d1, d0);
    }
}

static const char *const law_name[] = {
    "linear",      "constant",     "shift",       "hill-passive",        "hill-active", "quadratic-active",
    "blix-active", "blix-passive", "ramp-active", "exponential-passive", "arch-active", "table"};

int sn_law_by_name(const char *name, snLawKind *kind)
{
    for (int i = 0; i < SN_LAW_TABLE; ++i)
        if (strcmp(name, law_name[i]) == 0) {
            *kind = (snLawKind)i;
            return 1;
        }
    return 0;
}

const char *sn_law_name(snLawKind kind)
{
    return law_name[kind];
}
