/* material.h. The eigenvalues of the matter's stiffness in the frame of the singular values y, with c = lambda (J - 1)
 * - mu: mu + c y_k and mu - c y_k for each pair of axes, and those of mu I + lambda b b' + c S for the three stretches,
 * b_i = y_j y_k, S_ij = y_k. */
#include "meshfree/material.h"

#include <string.h>

static void cofactor(const double F[9], double K[9])
{
    K[0] = F[4] * F[8] - F[5] * F[7], K[1] = F[5] * F[6] - F[3] * F[8], K[2] = F[3] * F[7] - F[4] * F[6];
    K[3] = F[2] * F[7] - F[1] * F[8], K[4] = F[0] * F[8] - F[2] * F[6], K[5] = F[1] * F[6] - F[0] * F[7];
    K[6] = F[1] * F[5] - F[2] * F[4], K[7] = F[2] * F[3] - F[0] * F[5], K[8] = F[0] * F[4] - F[1] * F[3];
}

double sn_soft_tension(const snSoftMaterial *m, const snSoftLaw *law, double activation, double l, double *slope,
                       double *energy)
{
    double p = law->prestretch, o = law->optimal, fp = 0, fa = 0, dp = 0, da = 0, active = activation * m->active;
    if (m->passive > 0) fp = sn_law_eval(&law->passive, p * l, &dp);
    double flat = law->plateau ? 1 : INFINITY; /* active stretch from which the force is constant */
    if (active > 0) fa = sn_law_eval(&law->active, fmin(p * l / o, flat), &da);
    if (p * l / o > flat) da = 0;
    if (slope) *slope = m->passive * dp * p + active * da * p / o;
    if (energy) {
        *energy = 0;
        if (m->passive > 0) *energy += m->passive / p * sn_law_integral(&law->passive, p, p * l);
        if (active > 0) {
            double to = fmin(p * l / o, flat), beyond = fmax(p * l / o - flat, 0);
            *energy += active * o / p * (sn_law_integral(&law->active, 1, to) + beyond * fa);
        }
    }
    return m->passive * fp + active * fa;
}

static v3 along(const double F[9], v3 m)
{
    return v3_of(F[0] * m.x + F[1] * m.y + F[2] * m.z, F[3] * m.x + F[4] * m.y + F[5] * m.z,
                 F[6] * m.x + F[7] * m.y + F[8] * m.z);
}

double sn_soft_energy(const snSoftMaterial *m, const snSoftLaw *law, double activation, const double F[9], double P[9])
{
    double K[9], square = 0, fibre = 0;
    cofactor(F, K);
    double J = F[0] * K[0] + F[1] * K[1] + F[2] * K[2], c = m->lambda * (J - 1) - m->mu;
    for (int i = 0; i < 9; ++i) square += F[i] * F[i];
    if (P)
        for (int i = 0; i < 9; ++i) P[i] = m->mu * F[i] + c * K[i];
    if (m->passive > 0 || activation * m->active > 0) {
        v3 a = along(F, m->fibre);
        double l = v3_len(a), T = sn_soft_tension(m, law, activation, l, NULL, &fibre);
        if (P && l > 0) {
            double n[3] = {a.x / l, a.y / l, a.z / l}, d[3] = {m->fibre.x, m->fibre.y, m->fibre.z};
            for (int i = 0; i < 9; ++i) P[i] += T * n[i / 3] * d[i % 3];
        }
    }
    return m->mu / 2 * (square - 3) - m->mu * (J - 1) + m->lambda / 2 * (J - 1) * (J - 1) + fibre;
}

void sn_soft_svd(const double F[9], m3 *U, double y[3], m3 *V)
{
    m3 f, square, vectors;
    double value[3];
    memcpy(f.m, F, sizeof f.m);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) square.m[3 * i + j] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
    m3_eigen_symmetric(&square, value, &vectors);
    v3 v1 = v3_of(vectors.m[2], vectors.m[5], vectors.m[8]), v2 = v3_of(vectors.m[1], vectors.m[4], vectors.m[7]);
    v3 v3rd = v3_cross(v1, v2), u1 = m3_mulv(&f, v1), u2 = m3_mulv(&f, v2);
    y[0] = v3_len(u1);
    u1 = y[0] > 0 ? v3_scale(u1, 1 / y[0]) : v3_of(1, 0, 0);
    u2 = v3_mad(u2, -v3_dot(u2, u1), u1);
    y[1] = v3_len(u2);
    u2 = y[1] > 1e-12 * y[0] && y[1] > 0 ? v3_scale(u2, 1 / y[1]) : v3_perp(u1);
    v3 u3 = v3_cross(u1, u2);
    y[2] = v3_dot(u3, m3_mulv(&f, v3rd));
    *U = m3_columns(u1, u2, u3);
    *V = m3_columns(v1, v2, v3rd);
}

/* C += value Q Q' for the direction Q = U M V', M given by its entries. */
static void add_mode(double C[81], double value, const double Q[9])
{
    if (value == 0) return;
    for (int r = 0; r < 9; ++r) {
        double f = value * Q[r];
        for (int s = 0; s < 9; ++s) C[9 * r + s] += f * Q[s];
    }
}

static void outer(const m3 *U, int a, const m3 *V, int b, double Q[9])
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) Q[3 * i + j] = U->m[3 * i + a] * V->m[3 * j + b];
}

static void projected_matter(const snSoftMaterial *m, const double F[9], double C[81])
{
    m3 U, V, stretch, vectors;
    double y[3], value[3], O[3][3][9], Q[9];
    sn_soft_svd(F, &U, y, &V);
    double b[3] = {y[1] * y[2], y[2] * y[0], y[0] * y[1]}, c = m->lambda * (y[0] * y[1] * y[2] - 1) - m->mu;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            outer(&U, i, &V, j, O[i][j]);
            stretch.m[3 * i + j] = m->lambda * b[i] * b[j] + (i == j ? m->mu : c * y[3 - i - j]);
        }
    m3_eigen_symmetric(&stretch, value, &vectors);
    memset(C, 0, 81 * sizeof *C);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        const double half = 0.70710678118654752440;
        for (int e = 0; e < 9; ++e) Q[e] = half * (O[i][j][e] + O[j][i][e]);
        add_mode(C, fmax(m->mu - c * y[k], 0), Q);
        for (int e = 0; e < 9; ++e) Q[e] = half * (O[i][j][e] - O[j][i][e]);
        add_mode(C, fmax(m->mu + c * y[k], 0), Q);
        for (int e = 0; e < 9; ++e)
            Q[e] = vectors.m[k] * O[0][0][e] + vectors.m[3 + k] * O[1][1][e] + vectors.m[6 + k] * O[2][2][e];
        add_mode(C, fmax(value[k], 0), Q);
    }
}

/* mu I + lambda cof cof' + c d2J/dF2. */
static void plain_matter(const snSoftMaterial *m, const double F[9], double C[81])
{
    double K[9];
    cofactor(F, K);
    double c = m->lambda * (F[0] * K[0] + F[1] * K[1] + F[2] * K[2] - 1) - m->mu;
    for (int r = 0; r < 81; ++r) C[r] = m->lambda * K[r / 9] * K[r % 9] + (r % 10 == 0 ? m->mu : 0);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l) {
                    if (i == k || j == l) continue;
                    int p = 3 - i - k, q = 3 - j - l;
                    double sign = ((k - i + 3) % 3 == 1 ? 1 : -1) * ((l - j + 3) % 3 == 1 ? 1 : -1);
                    C[9 * (3 * i + j) + 3 * k + l] += c * sign * F[3 * p + q];
                }
}

void sn_soft_stiffness(const snSoftMaterial *m, const snSoftLaw *law, double activation, const double F[9], bool project,
                       double C[81])
{
    if (project) projected_matter(m, F, C);
    else plain_matter(m, F, C);
    if (!(m->passive > 0 || activation * m->active > 0)) return;
    v3 a = along(F, m->fibre);
    double l = v3_len(a), slope;
    if (!(l > 0)) return;
    double across = sn_soft_tension(m, law, activation, l, &slope, NULL) / l;
    if (project) slope = fmax(slope, 0), across = fmax(across, 0);
    double n[3] = {a.x / l, a.y / l, a.z / l}, d[3] = {m->fibre.x, m->fibre.y, m->fibre.z};
    for (int r = 0; r < 9; ++r)
        for (int s = 0; s < 9; ++s) {
            int i = r / 3, k = s / 3;
            double block = (slope - across) * n[i] * n[k] + (i == k ? across : 0);
            C[9 * r + s] += block * d[r % 3] * d[s % 3];
        }
}
