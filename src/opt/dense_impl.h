/* The arithmetic of dense.h, for the vector type vd of the including file. Sums stay in registers: blocks of four rows
 * by eight columns, or what is left of them. */
#include <math.h>
#include <string.h>

/* out[8] = sum over k of c[k] X[k][8] */
static void dense_product(int32_t nrow, int32_t ncolumn, const double *C, const double *X, int32_t ld, double *out)
{
    for (int32_t r = 0; r < nrow; ++r, C += ncolumn, out += ld)
        for (int32_t j = 0; j < ld; j += 8) {
            const double *x = X + j;
            vd a = vd_all(0), b = vd_all(0);
            for (int32_t k = 0; k < ncolumn; ++k, x += ld) {
                vd c = vd_all(C[k]);
                a = vd_madd(c, vd_get(x), a);
                b = vd_madd(c, vd_get(x + 4), b);
            }
            vd_put(out + j, a);
            vd_put(out + j + 4, b);
        }
}

/* Columns i .. i + 3 times columns j .. j + 7, to both sides of the diagonal. */
static void gram_tile(int32_t nrow, const double *H, int32_t ld, int32_t i, int32_t j, double *Q)
{
    vd a[4], b[4];
    for (int k = 0; k < 4; ++k) a[k] = b[k] = vd_all(0);
    for (int32_t r = 0; r < nrow; ++r, H += ld) {
        vd x = vd_get(H + j), y = vd_get(H + j + 4);
        for (int k = 0; k < 4; ++k) {
            vd h = vd_all(H[i + k]);
            a[k] = vd_madd(h, x, a[k]);
            b[k] = vd_madd(h, y, b[k]);
        }
    }
    for (int k = 0; k < 4; ++k)
        vd_put(Q + (int64_t)(i + k) * ld + j, a[k]), vd_put(Q + (int64_t)(i + k) * ld + j + 4, b[k]);
    vd_transpose(a);
    vd_transpose(b);
    for (int k = 0; k < 4; ++k)
        vd_put(Q + (int64_t)(j + k) * ld + i, a[k]), vd_put(Q + (int64_t)(j + 4 + k) * ld + i, b[k]);
}

static void dense_gram(int32_t nrow, int32_t n, const double *H, int32_t ld, double *Q)
{
    for (int32_t i = 0; i < n; i += 4)
        for (int32_t j = 0; j <= i; j += 8) gram_tile(nrow, H, ld, i, j, Q);
}

static void dense_multiply(int32_t n, const double *Q, int32_t ld, const double *x, double *y, double *size)
{
    const vmask positive = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    for (int32_t i = 0; i < ld; i += 8) {
        vd a = vd_all(0), b = a, c = a, d = a;
        const double *q = Q + i;
        for (int32_t j = 0; j < n; ++j, q += ld) {
            vd f = vd_all(x[j]), low = vd_get(q) * f, high = vd_get(q + 4) * f;
            a += low;
            b += high;
            c += (vd)((vmask)low & positive);
            d += (vd)((vmask)high & positive);
        }
        vd_put(y + i, a), vd_put(y + i + 4, b);
        vd_put(size + i, c), vd_put(size + i + 4, d);
    }
}

/* Cholesky. ------------------------------------------------------------------------------------------------------- */

/* Rows i .. i + 3 at columns j .. j + 4 width - 1, less what the rows above give to them. */
VD_INLINE void rows_above(const double *U, int32_t ld, int32_t i, int32_t j, int width, vd x[2][4])
{
    for (int k = 0; k < 4; ++k)
        for (int w = 0; w < width; ++w) x[w][k] = vd_get(U + (int64_t)(i + k) * ld + j + 4 * w);
    for (int32_t r = 0; r < i; ++r, U += ld)
        for (int k = 0; k < 4; ++k) {
            vd u = vd_all(U[i + k]);
            for (int w = 0; w < width; ++w) x[w][k] = vd_nmadd(u, vd_get(U + j + 4 * w), x[w][k]);
        }
}

/* The triangle of four rows: t[k][l], l > k, and the inverse of its diagonal in t[k][k]. */
static bool factor_triangle(double t[4][4], const double *least)
{
    for (int k = 0; k < 4; ++k) {
        if (!(t[k][k] > least[k])) return false;
        t[k][k] = 1 / sqrt(t[k][k]);
        for (int l = k + 1; l < 4; ++l) t[k][l] *= t[k][k];
        for (int r = k + 1; r < 4; ++r)
            for (int l = r; l < 4; ++l) t[r][l] -= t[k][r] * t[k][l];
    }
    return true;
}

VD_INLINE void divide_rows(double t[4][4], vd x[4])
{
    for (int k = 0; k < 4; ++k) {
        for (int r = 0; r < k; ++r) x[k] = vd_nmadd(vd_all(t[r][k]), x[r], x[k]);
        x[k] = x[k] * vd_all(t[k][k]);
    }
}

static void put_rows(double *U, int32_t ld, int32_t i, int32_t j, const vd x[4])
{
    for (int k = 0; k < 4; ++k) vd_put(U + (int64_t)(i + k) * ld + j, x[k]);
}

/* Behind the last row: identity, so that blocks are whole. */
static void pad_factor(int32_t n, double *U, int32_t ld)
{
    for (int32_t k = n; k & 3; ++k) {
        for (int32_t i = 0; i < k; ++i) U[(int64_t)i * ld + k] = 0;
        U[(int64_t)k * ld + k] = 1;
    }
}

static bool dense_factor(int32_t n, double *U, int32_t ld, const double *least)
{
    int32_t end = (n + 3) & ~3;
    pad_factor(n, U, ld);
    for (int32_t i = 0; i < end; i += 4) {
        double t[4][4], limit[4] = {0};
        vd x[2][4];
        rows_above(U, ld, i, i, 1, x);
        for (int k = 0; k < 4; ++k) vd_put(t[k], x[0][k]);
        for (int32_t k = 0; k < 4 && i + k < n; ++k) limit[k] = least[i + k];
        if (!factor_triangle(t, limit)) return false;
        for (int k = 0; k < 4; ++k) vd_put(U + (int64_t)(i + k) * ld + i, vd_get(t[k]));
        int32_t j = i + 4;
        for (; j + 8 <= end; j += 8) {
            rows_above(U, ld, i, j, 2, x);
            divide_rows(t, x[0]);
            divide_rows(t, x[1]);
            put_rows(U, ld, i, j, x[0]);
            put_rows(U, ld, i, j + 4, x[1]);
        }
        if (j >= end) continue;
        rows_above(U, ld, i, j, 1, x);
        divide_rows(t, x[0]);
        put_rows(U, ld, i, j, x[0]);
    }
    return true;
}

static void solve_forward(int32_t end, const double *U, int32_t ld, double *x)
{
    for (int32_t i = 0; i < end; i += 4) {
        const double *u = U + (int64_t)i * ld;
        for (int k = 0; k < 4; ++k) {
            double sum = x[i + k];
            for (int r = 0; r < k; ++r) sum -= u[r * ld + i + k] * x[i + r];
            x[i + k] = sum * u[k * ld + i + k];
        }
        vd x0 = vd_all(x[i]), x1 = vd_all(x[i + 1]), x2 = vd_all(x[i + 2]), x3 = vd_all(x[i + 3]);
        for (int32_t j = i + 4; j < end; j += 4) {
            vd a = vd_nmadd(vd_get(u + j), x0, vd_get(x + j)), b = vd_get(u + ld + j) * x1;
            a = vd_nmadd(vd_get(u + 2 * ld + j), x2, a), b = vd_madd(vd_get(u + 3 * ld + j), x3, b);
            vd_put(x + j, a - b);
        }
    }
}

static void solve_backward(int32_t end, const double *U, int32_t ld, double *x)
{
    for (int32_t i = end - 4; i >= 0; i -= 4) {
        const double *u = U + (int64_t)i * ld;
        vd sum[4];
        for (int k = 0; k < 4; ++k) sum[k] = vd_all(0);
        for (int32_t j = i + 4; j < end; j += 4)
            for (int k = 0; k < 4; ++k) sum[k] = vd_madd(vd_get(u + k * ld + j), vd_get(x + j), sum[k]);
        for (int k = 3; k >= 0; --k) {
            double rest = x[i + k] - vd_sum(sum[k]);
            for (int r = k + 1; r < 4; ++r) rest -= u[k * ld + i + r] * x[i + r];
            x[i + k] = rest * u[k * ld + i + k];
        }
    }
}

static void dense_solve(int32_t n, const double *U, int32_t ld, double *x)
{
    int32_t end = (n + 3) & ~3;
    for (int32_t k = n; k < end; ++k) x[k] = 0;
    solve_forward(end, U, ld, x);
    solve_backward(end, U, ld, x);
}

static const snDense dense_table = {DENSE_NAME, dense_product, dense_gram, dense_multiply, dense_factor, dense_solve};
