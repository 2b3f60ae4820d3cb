/* Functions of an OpenSim file as curves of math/curve.h. SimmSpline and NaturalCubicSpline are the same spline as ours
 * (third derivatives at the ends from the cubic through four points, straight beyond); a polynomial has its highest
 * power first there, the constant first here. */
#include "io/osim.h"

#include <float.h>
#include <string.h>

static bool is(const snXmlNode *node, const char *tag)
{
    return strcmp(node->tag, tag) == 0;
}

double osim_value(const snCurve *curve, double x)
{
    double out[3] = {0, 0, 0};
    if (curve->n) sn_curve_eval(curve, x, out);
    return out[0];
}

static snStatus polynomial(snOsim *o, int32_t n, const double *coefficient, snCurve *curve)
{
    double *y = sn_arena_copy(o->arena, coefficient, (size_t)n, sizeof *y);
    *curve = (snCurve){.kind = SN_CURVE_POLYNOMIAL, .n = n, .y = y};
    return y ? SN_OK : osim_no_memory(o);
}

snStatus osim_constant(snOsim *o, double value, snCurve *curve)
{
    return polynomial(o, 1, &value, curve);
}

/* Takes the arrays over; of points that do not rise the first stays. */
static snStatus through(snOsim *o, const snXmlNode *at, snCurveKind kind, int32_t n, double *x, double *y,
                        snCurve *curve)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; ++i)
        if (!kept || x[i] > x[kept - 1]) x[kept] = x[i], y[kept++] = y[i];
    if (kept < n && at) {
        snStatus status = osim_miss(o, at, "%d of %d points of the function do not rise in x and are left out",
                                    (int)(n - kept), (int)n);
        if (status) return status;
    }
    if (kept == 1) return osim_constant(o, y[0], curve);
    double *bend = sn_arena_alloc(o->arena, 3 * (size_t)kept, sizeof *bend);
    if (!bend) return osim_no_memory(o);
    if (kind == SN_CURVE_SPLINE) sn_curve_bend(kept, x, y, bend, bend + kept);
    *curve = (snCurve){.kind = kind, .n = kept, .x = x, .y = y, .bend = bend};
    return SN_OK;
}

static snStatus points(snOsim *o, const snXmlNode *node, snCurveKind kind, snCurve *curve)
{
    const snXmlNode *xs = sn_xml_child(node, "x"), *ys = sn_xml_child(node, "y");
    double *x, *y;
    int32_t nx, ny;
    if (!xs || !ys) return osim_fail(o, node, NULL, "%s without x or y", node->tag);
    snStatus status = osim_numbers(o, xs, &nx, &x);
    if (!status) status = osim_numbers(o, ys, &ny, &y);
    if (status) return status;
    if (nx != ny || nx < 1)
        return osim_fail(o, node, NULL, "%s has %d values of x and %d of y", node->tag, (int)nx, (int)ny);
    return through(o, node, kind, nx, x, y, curve);
}

static snStatus coefficients(snOsim *o, const snXmlNode *node, snCurve *curve)
{
    const snXmlNode *list = sn_xml_child(node, "coefficients");
    double *c, line[2] = {0, 1};
    int32_t n;
    if (!list) return polynomial(o, 2, line, curve);
    snStatus status = osim_numbers(o, list, &n, &c);
    if (status) return status;
    if (n < 1) return osim_fail(o, list, NULL, "%s without coefficients", node->tag);
    for (int32_t i = 0; i < n / 2; ++i) {
        double swap = c[i];
        c[i] = c[n - 1 - i], c[n - 1 - i] = swap;
    }
    return polynomial(o, n, c, curve);
}

/* outer(line): scales and shifts the values. */
static snStatus scaled(snOsim *o, const snCurve *f, double slope, double offset, snCurve *result)
{
    double *y = sn_arena_copy(o->arena, f->y, (size_t)f->n, sizeof *y);
    double *bend = f->bend ? sn_arena_copy(o->arena, f->bend, (size_t)f->n, sizeof *bend) : NULL;
    if (!y || (f->bend && !bend)) return osim_no_memory(o);
    bool each = f->kind != SN_CURVE_POLYNOMIAL;
    for (int32_t i = 0; i < f->n; ++i) {
        y[i] = slope * y[i] + (each || i == 0 ? offset : 0);
        if (bend) bend[i] *= slope;
    }
    *result = *f;
    result->y = y, result->bend = bend;
    return SN_OK;
}

static snStatus multiplied(snOsim *o, const snXmlNode *node, snCurve *curve)
{
    double scale = 1;
    snCurve inner = {0};
    snStatus status = osim_number(o, node, "scale", &scale);
    if (!status) status = osim_function(o, node, &inner);
    if (status) return status;
    if (!inner.n) return osim_fail(o, node, NULL, "MultiplierFunction without a function");
    return scaled(o, &inner, scale, 0, curve);
}

static snStatus read_function(snOsim *o, const snXmlNode *node, snCurve *curve)
{
    double value = 0;
    snStatus status;
    if (is(node, "Constant") || is(node, "ConstantFunction")) {
        status = osim_number(o, node, "value", &value);
        return status ? status : osim_constant(o, value, curve);
    }
    if (is(node, "LinearFunction") || is(node, "PolynomialFunction")) return coefficients(o, node, curve);
    if (is(node, "MultiplierFunction")) return multiplied(o, node, curve);
    if (is(node, "PiecewiseLinearFunction")) return points(o, node, SN_CURVE_TABLE, curve);
    if (is(node, "SimmSpline") || is(node, "NaturalCubicSpline") || is(node, "natCubicSpline"))
        return points(o, node, SN_CURVE_SPLINE, curve);
    if (is(node, "GCVSpline")) {
        status = osim_miss(o, node, "GCVSpline is a cubic spline through its points: it differs between them");
        return status ? status : points(o, node, SN_CURVE_SPLINE, curve);
    }
    return osim_fail(o, node, "replace it by a SimmSpline in OpenSim", "a function of kind %s is not read", node->tag);
}

static bool is_function(const snXmlNode *node)
{
    static const char *const tags[] = {"Constant",
                                       "ConstantFunction",
                                       "LinearFunction",
                                       "SimmSpline",
                                       "PolynomialFunction",
                                       "MultiplierFunction",
                                       "GCVSpline",
                                       "NaturalCubicSpline",
                                       "PiecewiseLinearFunction",
                                       "natCubicSpline",
                                       "SineFunction",
                                       "Sine",
                                       "StepFunction",
                                       "MultivariatePolynomialFunction",
                                       "PiecewiseConstantFunction"};
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i)
        if (is(node, tags[i])) return true;
    return false;
}

snStatus osim_function(snOsim *o, const snXmlNode *in, snCurve *curve)
{
    const snXmlNode *wrapped = sn_xml_child(in, "function");
    *curve = (snCurve){0};
    if (wrapped && wrapped->child) return read_function(o, wrapped->child, curve);
    for (const snXmlNode *node = in ? in->child : NULL; node; node = node->next)
        if (is_function(node)) return read_function(o, node, curve);
    return SN_OK;
}

bool osim_is_line(const snCurve *f, double *slope, double *offset)
{
    int32_t n = f->n;
    *slope = 0, *offset = n ? f->y[0] : 0;
    if (f->kind != SN_CURVE_POLYNOMIAL) {
        if (n != 2) return false;
        *slope = (f->y[1] - f->y[0]) / (f->x[1] - f->x[0]);
        *offset = f->y[0] - *slope * f->x[0];
        return true;
    }
    while (n > 2 && f->y[n - 1] == 0) --n;
    if (n == 2) *slope = f->y[1];
    return n <= 2;
}

bool osim_is_constant(const snCurve *f)
{
    double slope, offset;
    if (osim_is_line(f, &slope, &offset)) return slope == 0;
    for (int32_t i = 1; f->kind != SN_CURVE_POLYNOMIAL && i < f->n; ++i)
        if (f->y[i] != f->y[0]) return false;
    return f->kind != SN_CURVE_POLYNOMIAL;
}

/* f(slope x + offset) of points: the same curve over other x. */
static snStatus over_line(snOsim *o, const snCurve *f, double slope, double offset, snCurve *result)
{
    double *x = sn_arena_alloc(o->arena, 2 * (size_t)f->n, sizeof *x), *y = x + f->n;
    if (!x) return osim_no_memory(o);
    for (int32_t i = 0; i < f->n; ++i) {
        int32_t from = slope > 0 ? i : f->n - 1 - i;
        x[i] = (f->x[from] - offset) / slope, y[i] = f->y[from];
    }
    return through(o, NULL, f->kind, f->n, x, y, result);
}

/* f(g) of two polynomials, by Horner. */
static snStatus polynomial_of(snOsim *o, const snCurve *f, const snCurve *g, snCurve *result)
{
    int64_t size = (int64_t)(f->n - 1) * (g->n - 1) + 1;
    if (size > 100)
        return osim_fail(o, NULL, NULL, "a polynomial of degree %d of another of degree %d", (int)f->n - 1,
                         (int)g->n - 1);
    double sum[101] = {0}, next[101];
    for (int32_t k = f->n - 1; k >= 0; --k) {
        memset(next, 0, sizeof next);
        for (int32_t i = 0; i < size; ++i)
            for (int32_t j = 0; j < g->n && i + j < size; ++j) next[i + j] += sum[i] * g->y[j];
        memcpy(sum, next, sizeof sum);
        sum[0] += f->y[k];
    }
    return polynomial(o, (int32_t)size, sum, result);
}

/* A spline through values of f(g), and how far it is off between them. */
static snStatus sampled(snOsim *o, const snXmlNode *at, const snCurve *f, const snCurve *g, const double range[2],
                        snCurve *result)
{
    enum { COUNT = 101 };
    double *x = sn_arena_alloc(o->arena, (size_t)2 * COUNT, sizeof *x), *y = x + COUNT, worst = 0;
    double low = fmax(range[0], -2 * SN_PI), high = fmin(range[1], 2 * SN_PI);
    if (!x) return osim_no_memory(o);
    if (!(high > low)) low = -SN_PI, high = SN_PI;
    for (int32_t i = 0; i < COUNT; ++i) {
        x[i] = low + (high - low) * i / (COUNT - 1);
        y[i] = osim_value(f, osim_value(g, x[i]));
    }
    snStatus status = through(o, NULL, SN_CURVE_SPLINE, COUNT, x, y, result);
    for (int32_t i = 0; !status && i + 1 < result->n; ++i) {
        double middle = (result->x[i] + result->x[i + 1]) / 2;
        worst = fmax(worst, fabs(osim_value(result, middle) - osim_value(f, osim_value(g, middle))));
    }
    if (status) return status;
    return osim_miss(o, at,
                     "a function of a coordinate that is a function itself is a spline through %d values over the "
                     "range: off by up to %.2g rad or m",
                     COUNT, worst);
}

snStatus osim_compose(snOsim *o, const snXmlNode *at, const snCurve *outer, const snCurve *inner, const double range[2],
                      snCurve *result)
{
    double slope, offset;
    if (osim_is_line(outer, &slope, &offset)) return scaled(o, inner, slope, offset, result);
    if (osim_is_line(inner, &slope, &offset) && slope != 0 && outer->kind != SN_CURVE_POLYNOMIAL)
        return over_line(o, outer, slope, offset, result);
    if (outer->kind == SN_CURVE_POLYNOMIAL && inner->kind == SN_CURVE_POLYNOMIAL)
        return polynomial_of(o, outer, inner, result);
    return sampled(o, at, outer, inner, range, result);
}
