/* Vectors, rotations and small matrices: quaternions against matrices, maps against their inverses, eigenvectors and
 * solutions against what defines them. Random cases from a fixed seed. */
#include "check.h"

#include "math/vec.h"

#include <string.h>

enum { CASES = 2000 };
static const double EPS = 1e-14;

static double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static v3 any_v3(uint64_t *seed)
{
    double x = noise(seed), y = noise(seed), z = noise(seed);
    return v3_of(x, y, z);
}

static quat any_q(uint64_t *seed)
{
    double w = noise(seed), x = noise(seed), y = noise(seed), z = noise(seed);
    return q_unit((quat){w, x, y, z});
}

static void vectors_obey_their_laws(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < CASES; ++i) {
        v3 a = any_v3(&seed), b = any_v3(&seed), c = any_v3(&seed), n = v3_cross(a, b);
        assert_near(v3_dot(n, a), 0, EPS);
        assert_near(v3_dot(n, b), 0, EPS);
        assert_near(v3_len2(n), v3_len2(a) * v3_len2(b) - v3_dot(a, b) * v3_dot(a, b), EPS); /* Lagrange */
        m3 m = m3_columns(a, b, c);
        assert_near(m3_det(&m), v3_dot(n, c), EPS);
        v3 p = v3_perp(v3_unit(a));
        assert_near(v3_len(p), 1, EPS);
        assert_near(v3_dot(p, a), 0, EPS);
        assert_near(v3_dist(v3_lerp(a, b, 0.25), v3_add(v3_scale(a, 0.75), v3_scale(b, 0.25))), 0, EPS);
    }
    assert_near(v3_len(v3_unit(v3_of(0, 0, 0))), 0, 0);
}

static void quaternions_turn_as_their_matrices_do(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < CASES; ++i) {
        quat a = any_q(&seed), b = any_q(&seed);
        v3 x = any_v3(&seed);
        m3 A = m3_from_q(a), B = m3_from_q(b), AB = m3_mul(&A, &B);
        assert_near(v3_dist(q_rotate(a, x), m3_mulv(&A, x)), 0, EPS);
        assert_near(v3_dist(q_rotate(q_mul(a, b), x), m3_mulv(&AB, x)), 0, EPS);
        assert_near(v3_dist(q_unrotate(a, q_rotate(a, x)), x), 0, EPS);
        assert_near(m3_det(&A), 1, EPS);
        quat back = q_from_m3(&A);
        assert_near(fabs(q_dot(back, a)), 1, EPS);
    }
}

/* All four ways through the conversion: each component in turn is the largest, and half turns have no w. */
static void matrices_of_half_turns_are_converted(void **state)
{
    (void)state;
    static const v3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.6, 0.8, 0}, {0, 0.6, -0.8}, {-0.8, 0, 0.6}};
    for (int i = 0; i < 6; ++i)
        for (int k = -4; k <= 4; ++k) {
            quat q = q_axis_angle(axis[i], SN_PI + 1e-9 * k);
            m3 m = m3_from_q(q);
            assert_near(fabs(q_dot(q_from_m3(&m), q)), 1, EPS);
        }
}

static void logarithm_undoes_the_exponential(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < CASES; ++i) {
        double size = i % 4 == 0 ? 1e-13 : i % 4 == 1 ? 1e-8 : i % 4 == 2 ? 1e-3 : 3.1;
        v3 r = v3_scale(v3_unit(any_v3(&seed)), size);
        quat q = q_exp(r);
        assert_near(q_dot(q, q), 1, EPS);
        assert_near(v3_dist(q_log(q), r), 0, 1e-14 + 2e-15 * size / (SN_PI - size));
        quat same = {-q.w, -q.x, -q.y, -q.z}; /* the same rotation */
        assert_near(v3_dist(q_log(same), r), 0, 1e-14 + 2e-15 * size / (SN_PI - size));
        assert_near(fabs(q_dot(q, q_axis_angle(v3_unit(r), size))), 1, EPS);
    }
    assert_near(v3_len(q_log(q_identity())), 0, 0);
}

static void rigid_motions_are_a_group(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < CASES; ++i) {
        rigid a = {any_q(&seed), any_v3(&seed)}, b = {any_q(&seed), any_v3(&seed)};
        v3 x = any_v3(&seed);
        assert_near(v3_dist(rigid_apply(rigid_mul(a, b), x), rigid_apply(a, rigid_apply(b, x))), 0, EPS);
        assert_near(v3_dist(rigid_unapply(a, rigid_apply(a, x)), x), 0, EPS);
        assert_near(v3_dist(rigid_apply(rigid_inverse(a), x), rigid_unapply(a, x)), 0, EPS);
        assert_near(v3_dist(rigid_apply(rigid_mul(rigid_inverse(a), a), x), x), 0, EPS);
    }
}

static void eigenvectors_are_what_they_are_called(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < CASES; ++i) {
        double d = noise(&seed), e = noise(&seed), f = noise(&seed);
        m3 a = {{noise(&seed), d, e, d, noise(&seed), f, e, f, noise(&seed)}}, v;
        if (i % 5 == 0) a = (m3){{2, 0, 0, 0, 2, 0, 0, 0, 1 + d}}; /* two equal ones */
        double value[3];
        m3_eigen_symmetric(&a, value, &v);
        assert_true(value[0] <= value[1] && value[1] <= value[2]);
        for (int k = 0; k < 3; ++k) {
            v3 x = {v.m[k], v.m[3 + k], v.m[6 + k]};
            assert_near(v3_len(x), 1, EPS);
            assert_near(v3_dist(m3_mulv(&a, x), v3_scale(x, value[k])), 0, EPS);
        }
        assert_near(fabs(m3_det(&v)), 1, EPS); /* at right angles */
    }
}

static void cholesky_solves_and_refuses(void **state)
{
    (void)state;
    enum { N = 7, COLUMNS = 3 };
    uint64_t seed = 6;
    for (int i = 0; i < 200; ++i) {
        double g[N * N], a[N * N], l[N * N], b[N * COLUMNS], x[N * COLUMNS];
        for (int k = 0; k < N * N; ++k) g[k] = noise(&seed);
        for (int r = 0; r < N; ++r)
            for (int c = 0; c < N; ++c) {
                a[r * N + c] = r == c ? 0.5 : 0;
                for (int k = 0; k < N; ++k) a[r * N + c] += g[r * N + k] * g[c * N + k];
            }
        for (int k = 0; k < N * COLUMNS; ++k) x[k] = b[k] = noise(&seed);
        memcpy(l, a, sizeof a);
        assert_int_equal(sn_small_cholesky_solve(l, x, N, COLUMNS), 1);
        for (int r = 0; r < N; ++r)
            for (int c = 0; c < COLUMNS; ++c) {
                double sum = 0;
                for (int k = 0; k < N; ++k) sum += a[r * N + k] * x[k * COLUMNS + c];
                assert_near(sum, b[r * COLUMNS + c], 1e-12);
            }
    }
    double indefinite[4] = {1, 2, 2, 1}, b[2] = {1, 1}, nan[1] = {NAN}, one[1] = {1};
    assert_int_equal(sn_small_cholesky_solve(indefinite, b, 2, 1), 0);
    assert_int_equal(sn_small_cholesky_solve(nan, one, 1, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_obey_their_laws),
        cmocka_unit_test(quaternions_turn_as_their_matrices_do),
        cmocka_unit_test(matrices_of_half_turns_are_converted),
        cmocka_unit_test(logarithm_undoes_the_exponential),
        cmocka_unit_test(rigid_motions_are_a_group),
        cmocka_unit_test(eigenvectors_are_what_they_are_called),
        cmocka_unit_test(cholesky_solves_and_refuses),
    };
    return cmocka_run_group_tests_name("math.vec", tests, NULL, NULL);
}
