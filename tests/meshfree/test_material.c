/* The energy density of muscle: derivatives against differences, analytic uniaxial states, the projection. */
#include "check.h"

#include "meshfree/material.h"

#include <string.h>

static uint64_t seed = 11;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(seed >> 11) / 9007199254740992.0 - 1;
}

static snSoftLaw law_of(double prestretch)
{
    snSoftLaw law = {.prestretch = prestretch, .optimal = 1.1, .plateau = prestretch > 1.15};
    law.passive.kind = SN_LAW_HILL_PASSIVE;
    law.active.kind = SN_LAW_HILL_ACTIVE;
    return law;
}

static snSoftMaterial random_material(void)
{
    v3 fibre = v3_unit(v3_of(uniform(), uniform(), uniform()));
    return (snSoftMaterial){.mu = 25e3, .lambda = 3e6, .passive = 1e5, .active = 3e5, .fibre = fibre};
}

static void random_gradient(double size, double F[9])
{
    for (int i = 0; i < 9; ++i) F[i] = (i % 4 == 0) + size * uniform();
}

static double largest(int n, const double *a)
{
    double most = 0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(a[i]));
    return most;
}

static void stress_is_the_gradient(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; ++trial) {
        snSoftMaterial m = random_material();
        snSoftLaw law = law_of(1.2);
        double F[9], P[9], a = fabs(uniform()), h = 1e-5;
        random_gradient(0.3, F);
        sn_soft_energy(&m, &law, a, F, P);
        double scale = largest(9, P);
        for (int i = 0; i < 9; ++i) {
            double G[9], w[4];
            const double at[4] = {-2, -1, 1, 2};
            for (int k = 0; k < 4; ++k) {
                memcpy(G, F, sizeof G);
                G[i] += at[k] * h;
                w[k] = sn_soft_energy(&m, &law, a, G, NULL);
            }
            assert_near((w[0] - 8 * w[1] + 8 * w[2] - w[3]) / (12 * h), P[i], 1e-8 * scale);
        }
    }
}

static void stiffness_is_the_second_derivative(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; ++trial) {
        snSoftMaterial m = random_material();
        snSoftLaw law = law_of(1.2);
        double F[9], C[81], a = fabs(uniform()), h = 1e-6;
        random_gradient(0.3, F);
        sn_soft_stiffness(&m, &law, a, F, sn_soft_pressure(&m, F, NULL), 0, C);
        for (int s = 0; s < 9; ++s) {
            double G[9], low[9], high[9];
            memcpy(G, F, sizeof G);
            G[s] = F[s] + h, sn_soft_energy(&m, &law, a, G, high);
            G[s] = F[s] - h, sn_soft_energy(&m, &law, a, G, low);
            for (int r = 0; r < 9; ++r) assert_near((high[r] - low[r]) / (2 * h), C[9 * r + s], 1e-6 * largest(81, C));
        }
    }
}

/* What a step makes of the pressure is right to first order: half the step, a quarter of the error. */
static void pressure_is_foreseen(void **state)
{
    (void)state;
    for (int trial = 0; trial < 50; ++trial) {
        snSoftMaterial m = random_material();
        double F[9], D[9], off[2];
        random_gradient(0.3, F);
        for (int i = 0; i < 9; ++i) D[i] = 2e-3 * uniform();
        assert_near(sn_soft_pressure(&m, F, (double[9]){0}), sn_soft_pressure(&m, F, NULL), 0);
        for (int half = 0; half < 2; ++half) {
            double G[9];
            for (int i = 0; i < 9; ++i) D[i] /= half ? 2 : 1, G[i] = F[i] + D[i];
            off[half] = sn_soft_pressure(&m, G, NULL) - sn_soft_pressure(&m, F, D);
        }
        assert_near(off[1], off[0] / 4, 0.01 * fabs(off[0]) + 1e-7 * m.lambda);
    }
}

/* Eigenvalues of a symmetric 9 x 9 matrix by Jacobi rotations. */
static void eigenvalues(double A[81], double value[9])
{
    for (int sweep = 0; sweep < 60; ++sweep)
        for (int p = 0; p < 9; ++p)
            for (int q = p + 1; q < 9; ++q) {
                if (fabs(A[9 * p + q]) < 1e-300) continue;
                double theta = (A[10 * q] - A[10 * p]) / (2 * A[9 * p + q]);
                double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1),
                       s = t * c;
                for (int k = 0; k < 9; ++k) {
                    double x = A[9 * k + p], y = A[9 * k + q];
                    A[9 * k + p] = c * x - s * y, A[9 * k + q] = s * x + c * y;
                }
                for (int k = 0; k < 9; ++k) {
                    double x = A[9 * p + k], y = A[9 * q + k];
                    A[9 * p + k] = c * x - s * y, A[9 * q + k] = s * x + c * y;
                }
            }
    for (int k = 0; k < 9; ++k) value[k] = A[10 * k];
}

/* The projection has no negative eigenvalue at any F, also inverted, and any pressure; it is the plain one where that
 * is positive; and it is never below the plain one. */
static void projection_is_positive(void **state)
{
    (void)state;
    int kept = 0;
    for (int trial = 0; trial < 300; ++trial) {
        snSoftMaterial m = random_material();
        snSoftLaw law = law_of(1.2);
        double F[9], C[81], plain[81], part[81], copy[81], value[9], a = fabs(uniform());
        random_gradient(trial < 100 ? 0.004 : trial < 200 ? 0.3 : 1.5, F);
        double pressure = sn_soft_pressure(&m, F, NULL) + (trial % 2 ? 0.05 * m.lambda * uniform() : 0);
        sn_soft_stiffness(&m, &law, a, F, pressure, 1, C);
        sn_soft_stiffness(&m, &law, a, F, pressure, 0, plain);
        sn_soft_stiffness(&m, &law, a, F, pressure, 0.25, part);
        double scale = largest(81, C);
        for (int r = 0; r < 81; ++r) assert_near(part[r], 0.75 * plain[r] + 0.25 * C[r], 1e-12 * scale);
        memcpy(copy, C, sizeof copy);
        eigenvalues(copy, value);
        for (int k = 0; k < 9; ++k) assert_at_most(-1e-9 * scale, value[k]);
        memcpy(copy, plain, sizeof copy);
        eigenvalues(copy, value);
        double least = INFINITY;
        for (int k = 0; k < 9; ++k) least = fmin(least, value[k]);
        double difference[81];
        for (int r = 0; r < 81; ++r) difference[r] = C[r] - plain[r];
        if (least > 1e-3 * m.mu && largest(81, difference) < 1e-8 * scale) ++kept;
        eigenvalues(difference, value);
        for (int k = 0; k < 9; ++k) assert_at_most(-1e-8 * scale, value[k]);
    }
    assert_true(kept > 0);
}

/* Free sides: P = mu (l - J / l^2) + T, J = 1 + mu / lambda (1 - 1 / l). */
static void uniaxial(void **state)
{
    (void)state;
    snSoftLaw law = law_of(1.1);
    snSoftMaterial m = random_material();
    m.fibre = v3_of(0, 1, 0);
    for (double l = 0.6; l < 1.6; l += 0.1) {
        double J = 1 + m.mu / m.lambda * (1 - 1 / l), t = sqrt(J / l);
        double F[9] = {t, 0, 0, 0, l, 0, 0, 0, t}, P[9], T = sn_soft_tension(&m, &law, 0.4, l, NULL, NULL);
        sn_soft_energy(&m, &law, 0.4, F, P);
        double expected = m.mu * (l - J / (l * l)) + T;
        assert_near(P[4], expected, 1e-12 * m.lambda);
        assert_near(P[0], 0, 1e-12 * m.lambda);
        assert_near(P[8], 0, 1e-12 * m.lambda);
    }
}

static void svd_gives_back_the_matrix(void **state)
{
    (void)state;
    for (int trial = 0; trial < 200; ++trial) {
        double F[9], y[3];
        m3 U, V;
        random_gradient(1.5, F);
        sn_soft_svd(F, &U, y, &V);
        assert_near(m3_det(&U), 1, 1e-12);
        assert_near(m3_det(&V), 1, 1e-12);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double sum = 0;
                for (int k = 0; k < 3; ++k) sum += U.m[3 * i + k] * y[k] * V.m[3 * j + k];
                assert_near(sum, F[3 * i + j], 1e-7);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_the_gradient),
        cmocka_unit_test(stiffness_is_the_second_derivative),
        cmocka_unit_test(pressure_is_foreseen),
        cmocka_unit_test(projection_is_positive),
        cmocka_unit_test(uniaxial),
        cmocka_unit_test(svd_gives_back_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
