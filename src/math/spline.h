/* Cubic B-splines over any knot vector. A curve of n >= 4 control points has n + 4 knots; its
 * parameter runs over [knot[3], knot[n]] and span k is the piece over [knot[k + 3], knot[k + 4]],
 * touched by control points k .. k + 3. A closed (periodic) curve repeats its first three points. */
#ifndef SN_MATH_SPLINE_H
#define SN_MATH_SPLINE_H

#include <stdint.h>

/* The four basis values that are not zero at s, and their first and second derivatives (d, dd may be NULL).
 * s is clamped to the range. Returns the span. hint: a span to try first. */
int32_t spline_basis(const double *knot, int32_t n, double s, int32_t hint, double b[4], double d[4], double dd[4]);

/* Clamped uniform knots over [0, 1]: the curve starts in the first and ends in the last control point. */
void spline_clamped_knots(double *knot, int32_t n);
/* Uniform knots, knot[3] = 0 and knot[n] = 1: for periodic curves. */
void spline_uniform_knots(double *knot, int32_t n);

/* Control points (n of them, xyz) of the clamped curve over `knot` that interpolates npos >= 2 positions in the
 * least-squares sense at chord-length parameters; with npos >= n it fits, the ends are met exactly.
 * Returns 0 when out of memory or degenerate. */
int spline_fit(const double *position, int32_t npos, const double *knot, int32_t n, double *point);

#endif
