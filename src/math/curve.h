/* A number as a smooth function of another: what a coordinate is to the one it follows. Lines, polynomials, tables and
 * splines, each with its first two derivatives. */
#ifndef SN_MATH_CURVE_H
#define SN_MATH_CURVE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum snCurveKind {
    SN_CURVE_POLYNOMIAL, /* y[0] + y[1] x + y[2] x^2 + ...; a line has two numbers */
    SN_CURVE_TABLE,      /* straight between points, and on as at the ends */
    SN_CURVE_SPLINE      /* cubic spline whose ends have the third derivative of the cubic through the first and last
                            four points; straight beyond the ends */
} snCurveKind;

typedef struct snCurve {
    snCurveKind kind;
    int32_t n;
    const double *x, *y; /* n each; x rises; not used by a polynomial */
    const double *bend;  /* n: second derivative at the points of a spline */
} snCurve;

/* Fills bend (n) of the spline through x, y. scratch: 2 n. n of 2 gives a line, 3 a parabola. */
void sn_curve_bend(int32_t n, const double *x, const double *y, double *bend, double *scratch);
/* out: value, first and second derivative. */
void sn_curve_eval(const snCurve *curve, double x, double out[3]);

#endif
