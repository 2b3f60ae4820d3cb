#include "math/curve.h"

/* Third derivative of the cubic through four points: six times its third divided difference. */
static double third(const double *x, const double *y)
{
    double a = (y[1] - y[0]) / (x[1] - x[0]), b = (y[2] - y[1]) / (x[2] - x[1]), c = (y[3] - y[2]) / (x[3] - x[2]);
    double ab = (b - a) / (x[2] - x[0]), bc = (c - b) / (x[3] - x[1]);
    return 6 * (bc - ab) / (x[3] - x[0]);
}

/* The usual equations of a cubic spline in its second derivatives m:
 *     h_(i-1) m_(i-1) + 2 (h_(i-1) + h_i) m_i + h_i m_(i+1) = 6 (slope_i - slope_(i-1)),
 * and at the ends m_1 - m_0 = h_0 third, m_(n-1) - m_(n-2) = h_(n-2) third. Multiplied by +-h they keep the matrix
 * symmetric, and elimination from the front needs no pivots. */
void sn_curve_bend(int32_t n, const double *x, const double *y, double *bend, double *scratch)
{
    double *diagonal = scratch, *right = scratch + n;
    if (n < 3) {
        for (int32_t i = 0; i < n; ++i) bend[i] = 0;
        return;
    }
    if (n == 3) {
        double whole = ((y[2] - y[1]) / (x[2] - x[1]) - (y[1] - y[0]) / (x[1] - x[0])) / (x[2] - x[0]);
        for (int32_t i = 0; i < n; ++i) bend[i] = 2 * whole;
        return;
    }
    double first = x[1] - x[0], last = x[n - 1] - x[n - 2];
    diagonal[0] = -first, right[0] = first * first * third(x, y);
    diagonal[n - 1] = -last, right[n - 1] = -last * last * third(x + n - 4, y + n - 4);
    for (int32_t i = 1; i + 1 < n; ++i) {
        double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        diagonal[i] = 2 * (before + after);
        right[i] = 6 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
    }
    for (int32_t i = 1; i < n; ++i) {
        double h = x[i] - x[i - 1], factor = h / diagonal[i - 1];
        diagonal[i] -= factor * h;
        right[i] -= factor * right[i - 1];
    }
    bend[n - 1] = right[n - 1] / diagonal[n - 1];
    for (int32_t i = n - 2; i >= 0; --i) bend[i] = (right[i] - (x[i + 1] - x[i]) * bend[i + 1]) / diagonal[i];
}

static void polynomial(const snCurve *c, double x, double out[3])
{
    double y = 0, slope = 0, half = 0;
    for (int32_t i = c->n - 1; i >= 0; --i) {
        half = half * x + slope;
        slope = slope * x + y;
        y = y * x + c->y[i];
    }
    out[0] = y, out[1] = slope, out[2] = 2 * half;
}

static int32_t find(const snCurve *c, double x)
{
    int32_t low = 0, high = c->n - 2;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (x >= c->x[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void within(const snCurve *c, int32_t i, double x, double out[3])
{
    double h = c->x[i + 1] - c->x[i], t = x - c->x[i], slope = (c->y[i + 1] - c->y[i]) / h;
    double a = c->kind == SN_CURVE_SPLINE ? c->bend[i] : 0, b = c->kind == SN_CURVE_SPLINE ? c->bend[i + 1] : 0;
    double start = slope - h * (2 * a + b) / 6, cubic = (b - a) / (6 * h);
    out[0] = c->y[i] + t * (start + t * (a / 2 + t * cubic));
    out[1] = start + t * (a + 3 * t * cubic);
    out[2] = a + 6 * t * cubic;
}

void sn_curve_eval(const snCurve *c, double x, double out[3])
{
    if (c->kind == SN_CURVE_POLYNOMIAL) {
        polynomial(c, x, out);
        return;
    }
    if (c->n == 1) {
        out[0] = c->y[0], out[1] = out[2] = 0;
        return;
    }
    double first = c->x[0], last = c->x[c->n - 1], at = x < first ? first : x > last ? last : x;
    within(c, find(c, at), at, out);
    if (at == x) return;
    out[0] += (x - at) * out[1];
    out[2] = 0;
}
