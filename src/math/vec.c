#include "math/vec.h"

quat q_from_m3(const m3 *a)
{
    const double *m = a->m;
    double trace = m[0] + m[4] + m[8];
    quat q;
    if (trace > 0) {
        double s = 2 * sqrt(trace + 1);
        q = (quat){s / 4, (m[7] - m[5]) / s, (m[2] - m[6]) / s, (m[3] - m[1]) / s};
    } else if (m[0] > m[4] && m[0] > m[8]) {
        double s = 2 * sqrt(1 + m[0] - m[4] - m[8]);
        q = (quat){(m[7] - m[5]) / s, s / 4, (m[1] + m[3]) / s, (m[2] + m[6]) / s};
    } else if (m[4] > m[8]) {
        double s = 2 * sqrt(1 + m[4] - m[0] - m[8]);
        q = (quat){(m[2] - m[6]) / s, (m[1] + m[3]) / s, s / 4, (m[5] + m[7]) / s};
    } else {
        double s = 2 * sqrt(1 + m[8] - m[0] - m[4]);
        q = (quat){(m[3] - m[1]) / s, (m[2] + m[6]) / s, (m[5] + m[7]) / s, s / 4};
    }
    return q_unit(q);
}

static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q)
{
    if (a[p][q] == 0) return;
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; ++k) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
        double x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y, v[k][q] = s * x + c * y;
    }
}

void m3_eigen_symmetric(const m3 *in, double value[3], m3 *out)
{
    double a[3][3], v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 9; ++i) a[i / 3][i % 3] = in->m[i];
    for (int sweep = 0; sweep < 30; ++sweep) {
        double off = fabs(a[0][1]) + fabs(a[0][2]) + fabs(a[1][2]);
        if (off == 0) break;
        jacobi_rotate(a, v, 0, 1);
        jacobi_rotate(a, v, 0, 2);
        jacobi_rotate(a, v, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i)
        for (int j = i + 1; j < 3; ++j)
            if (a[order[j]][order[j]] < a[order[i]][order[i]]) {
                int t = order[i];
                order[i] = order[j], order[j] = t;
            }
    for (int i = 0; i < 3; ++i) {
        value[i] = a[order[i]][order[i]];
        for (int k = 0; k < 3; ++k) out->m[3 * k + i] = v[k][order[i]];
    }
}

int sn_small_cholesky_solve(double *a, double *b, int n, int columns)
{
    for (int j = 0; j < n; ++j) {
        for (int k = 0; k < j; ++k)
            for (int i = j; i < n; ++i) a[i * n + j] -= a[i * n + k] * a[j * n + k];
        if (!(a[j * n + j] > 0)) return 0;
        double d = sqrt(a[j * n + j]);
        for (int i = j; i < n; ++i) a[i * n + j] /= d;
    }
    for (double *x = b; x < b + columns; ++x) {
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < i; ++k) x[columns * i] -= a[i * n + k] * x[columns * k];
            x[columns * i] /= a[i * n + i];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k) x[columns * i] -= a[k * n + i] * x[columns * k];
            x[columns * i] /= a[i * n + i];
        }
    }
    return 1;
}
