#include "math/spline.h"

#include "base/alloc.h"
#include "math/vec.h"

#include <string.h>

static int32_t find_span(const double *knot, int32_t n, double s, int32_t hint)
{
    if (hint >= 0 && hint <= n - 4 && s >= knot[hint + 3] && s < knot[hint + 4]) return hint;
    int32_t low = 0, high = n - 3; /* s lies in [knot[low + 3], knot[high + 3]) */
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (s < knot[middle + 3])
            high = middle;
        else
            low = middle;
    }
    while (low > 0 && !(knot[low + 4] > knot[low + 3])) --low; /* the last span that has a length */
    return low;
}

/* 0 for knots that coincide: the basis function over them is not there. */
static inline double inverse(double a)
{
    return a > 0 ? 1 / a : 0;
}

int32_t spline_basis(const double *knot, int32_t n, double s, int32_t hint, double b[4], double d[4], double dd[4])
{
    if (!(s > knot[3])) s = knot[3];
    if (s > knot[n]) s = knot[n];
    int32_t span = find_span(knot, n, s, hint);
    const double *t = knot + span + 3; /* s in [t[0], t[1]] */
    /* by how many knots they reach back and forth: six divisions serve values and derivatives */
    double i01 = inverse(t[1] - t[0]), i11 = inverse(t[1] - t[-1]), i02 = inverse(t[2] - t[0]);
    double i21 = inverse(t[1] - t[-2]), i12 = inverse(t[2] - t[-1]), i03 = inverse(t[3] - t[0]);
    double a0 = s - t[0], a1 = s - t[-1], a2 = s - t[-2], c1 = t[1] - s, c2 = t[2] - s, c3 = t[3] - s;
    double b1[2] = {c1 * i01, a0 * i01}, b2[3];
    b2[0] = c1 * i11 * b1[0], b2[1] = a1 * i11 * b1[0] + c2 * i02 * b1[1], b2[2] = a0 * i02 * b1[1];
    b[0] = c1 * i21 * b2[0], b[1] = a2 * i21 * b2[0] + c2 * i12 * b2[1];
    b[2] = a1 * i12 * b2[1] + c3 * i03 * b2[2], b[3] = a0 * i03 * b2[2];
    if (d) {
        double e0 = 3 * i21 * b2[0], e1 = 3 * i12 * b2[1], e2 = 3 * i03 * b2[2];
        d[0] = -e0, d[1] = e0 - e1, d[2] = e1 - e2, d[3] = e2;
    }
    if (dd) {
        double g = 2 * i11 * b1[0], f = 2 * i02 * b1[1];
        double e0 = -3 * i21 * g, e1 = 3 * i12 * (g - f), e2 = 3 * i03 * f;
        dd[0] = -e0, dd[1] = e0 - e1, dd[2] = e1 - e2, dd[3] = e2;
    }
    return span;
}

void spline_clamped_knots(double *knot, int32_t n)
{
    for (int32_t i = 0; i < n + 4; ++i) {
        double k = (double)(i - 3) / (n - 3);
        knot[i] = k < 0 ? 0 : k > 1 ? 1 : k;
    }
}

void spline_uniform_knots(double *knot, int32_t n)
{
    for (int32_t i = 0; i < n + 4; ++i) knot[i] = (double)(i - 3) / (n - 3);
}

/* Normal equations with a weight on the ends that meets them to rounding, and a faint second-difference
 * term so that points without data stay where a smooth curve puts them. Dense: authoring only. */
static void fit_add(double *a, double *point, int32_t n, int32_t span, const double b[4], const double *p, double w)
{
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) a[(span + i) * n + span + j] += w * b[i] * b[j];
        for (int c = 0; c < 3; ++c) point[3 * (span + i) + c] += w * b[i] * p[c];
    }
}

int spline_fit(const double *position, int32_t npos, const double *knot, int32_t n, double *point)
{
    double length = 0;
    for (int32_t i = 1; i < npos; ++i) length += v3_dist(v3_load(position + 3 * i), v3_load(position + 3 * i - 3));
    double *a = SN_NEW_ARRAY(double, n *n);
    if (!a || !(length > 0)) {
        sn_free(a);
        return 0;
    }
    memset(point, 0, sizeof(double) * 3 * (size_t)n);
    double along = 0, b[4];
    for (int32_t i = 0; i < npos; ++i) {
        if (i) along += v3_dist(v3_load(position + 3 * i), v3_load(position + 3 * i - 3));
        double s = knot[3] + (knot[n] - knot[3]) * along / length;
        int32_t span = spline_basis(knot, n, s, 0, b, NULL, NULL);
        fit_add(a, point, n, span, b, position + 3 * i, i == 0 || i == npos - 1 ? 1e6 : 1);
    }
    for (int32_t i = 1; i + 1 < n; ++i) {
        static const double stencil[3] = {1, -2, 1};
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) a[(i - 1 + r) * n + i - 1 + c] += 1e-6 * stencil[r] * stencil[c];
    }
    int ok = sn_small_cholesky_solve(a, point, n, 3);
    sn_free(a);
    return ok;
}
