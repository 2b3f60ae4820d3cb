#include "path/band.h"

#include <math.h>
#include <string.h>

static pathBlock multiplied(const pathBlock *a, const pathBlock *b)
{
    const double *x = a->m, *y = b->m;
    return (pathBlock){
        {x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3], x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]}};
}

static bool invert(pathBlock *a)
{
    double *m = a->m, det = m[0] * m[3] - m[1] * m[2];
    if (!(fabs(det) > 1e-300) || !isfinite(det)) return false;
    *a = (pathBlock){{m[3] / det, -m[1] / det, -m[2] / det, m[0] / det}};
    return true;
}

static void subtract_product(const pathBlock *a, const double x[2], double to[2])
{
    to[0] -= a->m[0] * x[0] + a->m[1] * x[1];
    to[1] -= a->m[2] * x[0] + a->m[3] * x[1];
}

static void apply(const pathBlock *a, double x[2])
{
    double first = a->m[0] * x[0] + a->m[1] * x[1];
    x[1] = a->m[2] * x[0] + a->m[3] * x[1];
    x[0] = first;
}

bool path_band_solve(pathBand *y, int *sign)
{
    *sign = 1;
    for (int i = 0; i <= PATH_BAND; ++i) {
        if (i > 0) {
            pathBlock part = multiplied(&y->lower[i], &y->upper[i - 1]);
            for (int e = 0; e < 4; ++e) y->middle[i].m[e] -= part.m[e];
            subtract_product(&y->lower[i], y->r[i - 1], y->r[i]);
        }
        if (y->middle[i].m[0] * y->middle[i].m[3] < y->middle[i].m[1] * y->middle[i].m[2]) *sign = -*sign;
        if (!invert(&y->middle[i])) return false;
        apply(&y->middle[i], y->r[i]);
        y->upper[i] = multiplied(&y->middle[i], &y->upper[i]);
    }
    for (int i = PATH_BAND - 1; i >= 0; --i) subtract_product(&y->upper[i], y->r[i + 1], y->r[i]);
    return true;
}

static pathBlock transposed(const pathBlock *a)
{
    return (pathBlock){{a->m[0], a->m[2], a->m[1], a->m[3]}};
}

void path_band_transpose(const pathBand *y, pathBand *to)
{
    memset(to, 0, sizeof *to);
    for (int i = 0; i <= PATH_BAND; ++i) {
        to->middle[i] = transposed(&y->middle[i]);
        if (i > 0) to->lower[i] = transposed(&y->upper[i - 1]);
        if (i < PATH_BAND) to->upper[i] = transposed(&y->lower[i + 1]);
    }
}
