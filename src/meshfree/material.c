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
    if (m->passive > 0 && p * l > 1) fp = sn_law_eval(&law->passive, p * l, &dp);
    double flat = law->plateau ? 1 : INFINITY; /* active stretch from which the force is constant */
    if (active > 0) fa = sn_law_eval(&law->active, fmin(p * l / o, flat), &da);
    if (p * l / o > flat) da = 0;
    if (slope) *slope = m->passive * dp * p + active * da * p / o;
    if (energy) {
        *energy = 0;
        if (m->passive > 0) *energy += m->passive / p * sn_law_integral(&law->passive, 1, fmax(p * l, 1));
        if (active > 0) {
            double to = fmin(p * l / o, flat), beyond = fmax(p * l / o - flat, 0);
            *energy += active * o / p * (sn_law_integral(&law->active, 1, to) + beyond * fa);
        }
    }
    return m->passive * fp + active * fa;
}

double sn_soft_pressure(const snSoftMaterial *m, const double F[9], const double D[9])
{
    double K[9], J, turn = 0;
    cofactor(F, K);
    J = F[0] * K[0] + F[1] * K[1] + F[2] * K[2];
    for (int i = 0; i < 9 && D; ++i) turn += K[i] * D[i];
    return m->lambda * (J - 1 + turn);
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

static void rotate(double a[6], double v[9], int p, int q, int pq, int pr, int qr)
{
    double off = a[pq];
    if (off == 0) return;
    double theta = (a[q] - a[p]) / (2 * off), t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c, x = a[pr], y = a[qr];
    a[p] -= t * off, a[q] += t * off, a[pq] = 0;
    a[pr] = c * x - s * y, a[qr] = s * x + c * y;
    for (int k = 0; k < 9; k += 3) {
        x = v[k + p], y = v[k + q];
        v[k + p] = c * x - s * y, v[k + q] = s * x + c * y;
    }
}

/* Eigenvalues and vectors (columns) of a symmetric matrix by Jacobi rotations to about ten digits, in no order. */
static void eigen(const double in[9], double value[3], double v[9])
{
    double a[6] = {in[0], in[4], in[8], in[1], in[2], in[5]}; /* the diagonal, then 01, 02, 12 */
    double small = 1e-22 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int k = 0; k < 9; ++k) v[k] = k % 4 == 0;
    for (int sweep = 0; sweep < 12; ++sweep) {
        if (a[3] * a[3] + a[4] * a[4] + a[5] * a[5] <= small) break;
        rotate(a, v, 0, 1, 3, 4, 5);
        rotate(a, v, 0, 2, 4, 3, 5);
        rotate(a, v, 1, 2, 5, 3, 4);
    }
    value[0] = a[0], value[1] = a[1], value[2] = a[2];
}

void sn_soft_svd(const double F[9], m3 *U, double y[3], m3 *V)
{
    m3 f;
    double square[9], value[3], v[9];
    memcpy(f.m, F, sizeof f.m);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) square[3 * i + j] = F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j];
    eigen(square, value, v);
    int a = value[1] > value[0] ? 1 : 0, c;
    if (value[2] > value[a]) a = 2;
    c = (a + 1) % 3;
    if (value[(a + 2) % 3] < value[c]) c = (a + 2) % 3;
    int b = 3 - a - c;
    v3 v1 = v3_of(v[a], v[3 + a], v[6 + a]), v2 = v3_of(v[b], v[3 + b], v[6 + b]);
    v3 last = v3_cross(v1, v2), u1 = m3_mulv(&f, v1), u2 = m3_mulv(&f, v2);
    y[0] = v3_len(u1);
    u1 = y[0] > 0 ? v3_scale(u1, 1 / y[0]) : v3_of(1, 0, 0);
    u2 = v3_mad(u2, -v3_dot(u2, u1), u1);
    y[1] = v3_len(u2);
    u2 = y[1] > 1e-12 * y[0] && y[1] > 0 ? v3_scale(u2, 1 / y[1]) : v3_perp(u1);
    v3 u3 = v3_cross(u1, u2);
    y[2] = v3_dot(u3, m3_mulv(&f, last));
    *U = m3_columns(u1, u2, u3);
    *V = m3_columns(v1, v2, last);
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

static bool definite(const double m[9])
{
    return m[0] > 0 && m[0] * m[4] > m[1] * m[1] &&
           m[0] * (m[4] * m[8] - m[5] * m[5]) - m[1] * (m[1] * m[8] - m[5] * m[2]) +
                   m[2] * (m[1] * m[5] - m[4] * m[2]) >
               0;
}

/* Takes the negative modes out of the plain stiffness: there are few. */
static void project_matter(const snSoftMaterial *m, const double F[9], double pressure, double share, double C[81])
{
    const double half = 0.70710678118654752440;
    m3 U, V;
    double y[3], stretch[9], O[9], T[9], Q[9];
    sn_soft_svd(F, &U, y, &V);
    double b[3] = {y[1] * y[2], y[2] * y[0], y[0] * y[1]}, c = pressure - m->mu;
    for (int k = 0; k < 3; ++k)
        for (int sign = -1; sign <= 1; sign += 2) {
            double value = m->mu + sign * c * y[k];
            if (value >= 0) continue;
            outer(&U, (k + 1) % 3, &V, (k + 2) % 3, O);
            outer(&U, (k + 2) % 3, &V, (k + 1) % 3, T);
            for (int e = 0; e < 9; ++e) Q[e] = half * (O[e] - sign * T[e]);
            add_mode(C, -share * value, Q);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) stretch[3 * i + j] = m->lambda * b[i] * b[j] + (i == j ? m->mu : c * y[3 - i - j]);
    if (definite(stretch)) return;
    double value[3], v[9];
    eigen(stretch, value, v);
    for (int k = 0; k < 3; ++k) {
        if (value[k] >= 0) continue;
        memset(Q, 0, sizeof Q);
        for (int i = 0; i < 3; ++i) {
            outer(&U, i, &V, i, O);
            for (int e = 0; e < 9; ++e) Q[e] += v[3 * i + k] * O[e];
        }
        add_mode(C, -share * value[k], Q);
    }
}

/* mu I + lambda cof cof' + c d2J/dF2. */
static void plain_matter(const snSoftMaterial *m, const double F[9], double pressure, double C[81])
{
    /* d2J/dF_r dF_s = sign F_t, each pair once: r, s, t */
    static const int8_t turn[18][3] = {{0, 4, 8}, {0, 8, 4}, {4, 8, 0}, {1, 5, 6}, {1, 6, 5}, {5, 6, 1},
                                       {2, 3, 7}, {2, 7, 3}, {3, 7, 2}, {0, 5, 7}, {0, 7, 5}, {5, 7, 0},
                                       {1, 3, 8}, {1, 8, 3}, {3, 8, 1}, {2, 4, 6}, {2, 6, 4}, {4, 6, 2}};
    double K[9];
    cofactor(F, K);
    double c = pressure - m->mu;
    for (int r = 0; r < 9; ++r) {
        double f = m->lambda * K[r];
        for (int s = 0; s < 9; ++s) C[9 * r + s] = f * K[s];
        C[10 * r] += m->mu;
    }
    for (int k = 0; k < 18; ++k) {
        double value = (k < 9 ? c : -c) * F[turn[k][2]];
        C[9 * turn[k][0] + turn[k][1]] += value;
        C[9 * turn[k][1] + turn[k][0]] += value;
    }
}

void sn_soft_stiffness(const snSoftMaterial *m, const snSoftLaw *law, double activation, const double F[9],
                       double pressure, double share, double C[81])
{
    plain_matter(m, F, pressure, C);
    if (share > 0) project_matter(m, F, pressure, share, C);
    if (!(m->passive > 0 || activation * m->active > 0)) return;
    v3 a = along(F, m->fibre);
    double l = v3_len(a), slope;
    if (!(l > 0)) return;
    double across = sn_soft_tension(m, law, activation, l, &slope, NULL) / l;
    slope -= share * fmin(slope, 0), across -= share * fmin(across, 0);
    double n[3] = {a.x / l, a.y / l, a.z / l}, d[3] = {m->fibre.x, m->fibre.y, m->fibre.z};
    for (int r = 0; r < 9; ++r)
        for (int s = 0; s < 9; ++s) {
            int i = r / 3, k = s / 3;
            double block = (slope - across) * n[i] * n[k] + (i == k ? across : 0);
            C[9 * r + s] += block * d[r % 3] * d[s % 3];
        }
}
