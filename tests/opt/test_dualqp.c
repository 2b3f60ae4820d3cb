/* The dual program of many muscles: certificates, against sn_boxqp on the same problem written in the primal, warm
 * starts. */
#include "check.h"

#include "base/alloc.h"
#include "opt/boxqp.h"
#include "opt/dense.h"
#include "opt/dualqp.h"

#include <stdlib.h>
#include <string.h>

typedef struct instance {
    snDualQpProblem p;
    double *block, *Bt, *M, *tau, *target, *weight, *lo, *hi, *y, *a;
} instance;

static double between(uint64_t *state, double low, double high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*state >> 11) / 9007199254740992.0;
}

/* Sparse B as muscles have it, M = diagonal and a few rank-one terms, torques that some activation gives or nobody can.
 */
static instance make(uint64_t seed, int32_t m, int32_t n, double eps, double reach)
{
    instance q = {0};
    int32_t ld = sn_dense_ld(m);
    size_t nb = (size_t)n * (size_t)ld, mm = (size_t)ld * (size_t)ld;
    q.block = calloc(nb + mm + 2 * (size_t)ld + 5 * (size_t)n, sizeof(double));
    q.Bt = q.block, q.M = q.Bt + nb, q.tau = q.M + mm, q.y = q.tau + ld, q.target = q.y + ld, q.weight = q.target + n;
    q.lo = q.weight + n, q.hi = q.lo + n, q.a = q.hi + n;
    for (int32_t j = 0; j < n; ++j) {
        double size = between(&seed, 0.5, 5), sign = between(&seed, -1, 1) < 0 ? -1 : 1;
        int32_t first = (int32_t)between(&seed, 0, m), count = 1 + (int32_t)between(&seed, 0, 6);
        for (int32_t k = 0; k < count && first + k < m; ++k)
            q.Bt[j * ld + first + k] = sign * size * between(&seed, 0.2, 1);
        q.target[j] = between(&seed, 0, 0.2), q.weight[j] = between(&seed, 0.5, 2), q.hi[j] = between(&seed, 0.5, 1);
    }
    for (int32_t i = 0; i < m; ++i) q.M[i * ld + i] = between(&seed, 0.01, 1);
    for (int32_t k = 0; k < 4; ++k)
        for (int32_t i = 0; i < m; ++i)
            for (int32_t j = 0; j < m; ++j) q.M[i * ld + j] += 0.1 * sin(1.0 + i * (k + 1)) * sin(1.0 + j * (k + 1));
    for (int32_t j = 0; j < n; ++j) {
        double a = between(&seed, 0, 0.6) * reach;
        for (int32_t i = 0; i < m; ++i) q.tau[i] += a * q.Bt[j * ld + i];
    }
    q.p = (snDualQpProblem){.m = m,
                            .n = n,
                            .ld = ld,
                            .Bt = q.Bt,
                            .M = q.M,
                            .tau = q.tau,
                            .target = q.target,
                            .weight = q.weight,
                            .lo = q.lo,
                            .hi = q.hi,
                            .eps = eps};
    return q;
}

static void answers_carry_their_certificate(void **state)
{
    (void)state;
    snDualQp *work = sn_dualqp_create(120, 820);
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        instance q =
            make(seed, seed % 3 ? 116 : 23, seed % 3 ? 814 : 47, seed % 2 ? 0.1 : 1e-4, seed % 10 == 5 ? 8 : 1);
        snDualQpInfo info;
        assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, &info), SN_OK);
        assert_at_most(info.residual, 1e-9);
        assert_at_most(info.rounds, 60);
        assert_near(sn_dualqp_gap(work, &q.p, q.y, q.a), 0, 1e-9);
        for (int32_t j = 0; j < q.p.n; ++j) assert_true(q.a[j] >= q.lo[j] && q.a[j] <= q.hi[j]);
        /* From the answer: done at once. A little away from it: a round or two. */
        assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, &info), SN_OK);
        assert_at_most(info.rounds, 1);
        for (int32_t i = 0; i < q.p.m; ++i) q.tau[i] *= 1.0001;
        assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, &info), SN_OK);
        assert_at_most(info.rounds, 4);
        assert_at_most(info.residual, 1e-9);
        free(q.block);
    }
    sn_dualqp_destroy(work);
}

/* A point that is worse has a gap. */
static void a_wrong_answer_has_a_gap(void **state)
{
    (void)state;
    snDualQp *work = sn_dualqp_create(23, 47);
    instance q = make(3, 23, 47, 0.1, 1);
    assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, NULL), SN_OK);
    q.a[5] = q.a[5] > 0.3 ? 0 : q.hi[5];
    assert_true(sn_dualqp_gap(work, &q.p, q.y, q.a) > 1e-6);
    q.p.max_rounds = 1;
    memset(q.y, 0, 23 * sizeof *q.y);
    snDualQpInfo info;
    assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, &info), SN_OK);
    assert_int_equal(info.rounds, 1);
    free(q.block);
    sn_dualqp_destroy(work);
}

/* Without s: a'(W + B'(eps M)^-1 B)a / 2 - (W target + B'(eps M)^-1 tau)'a. */
static void active_sets_find_the_same_activations(void **state)
{
    (void)state;
    enum { MAX = 120 };
    snDualQp *work = sn_dualqp_create(40, MAX);
    snBoxQp *box = sn_boxqp_create(MAX);
    static double Q[MAX * MAX], c[MAX], MB[MAX * 48], U[48 * 48], least[48], primal[MAX];
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        int32_t m = seed % 2 ? 23 : 40, n = seed % 2 ? 47 : MAX;
        instance q = make(seed + 100, m, n, 0.1, seed % 5 == 0 ? 5 : 1);
        int32_t ld = q.p.ld;
        assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, NULL), SN_OK);
        for (int32_t i = 0; i < m; ++i) memcpy(U + i * ld, q.M + i * ld, (size_t)m * sizeof *U);
        assert_true(sn_dense()->factor(m, U, ld, least));
        for (int32_t j = 0; j < n; ++j) {
            memcpy(MB + j * ld, q.Bt + j * ld, (size_t)m * sizeof *MB);
            sn_dense()->solve(m, U, ld, MB + j * ld);
        }
        for (int32_t j = 0; j < n; ++j) {
            c[j] = -q.weight[j] * q.target[j];
            for (int32_t i = 0; i < m; ++i) c[j] -= MB[j * ld + i] * q.tau[i] / q.p.eps;
            for (int32_t k = 0; k < n; ++k) {
                double sum = 0;
                for (int32_t i = 0; i < m; ++i) sum += q.Bt[k * ld + i] * MB[j * ld + i];
                Q[j * n + k] = sum / q.p.eps + (j == k ? q.weight[j] : 0);
            }
        }
        for (int32_t j = 0; j < n; ++j)
            for (int32_t k = 0; k < j; ++k) Q[j * n + k] = Q[k * n + j] = (Q[j * n + k] + Q[k * n + j]) / 2;
        memset(primal, 0, sizeof primal);
        snBoxQpProblem b = {.n = n, .Q = Q, .c = c, .lo = q.lo, .hi = q.hi};
        assert_int_equal(sn_boxqp_solve(box, &b, primal, NULL), SN_OK);
        for (int32_t j = 0; j < n; ++j) assert_near(primal[j], q.a[j], 1e-8);
        free(q.block);
    }
    sn_boxqp_destroy(box);
    sn_dualqp_destroy(work);
}

/* By entries it is the same program. */
static void entries_give_what_dense_rows_give(void **state)
{
    (void)state;
    enum { M = 116, N = 814 };
    static int32_t adr[N + 1], col[7 * N];
    static double entry[7 * N], a[N], y[120];
    snDualQp *work = sn_dualqp_create(M, N);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        instance q = make(seed + 40, M, N, seed % 2 ? 0.1 : 1e-4, seed % 4 == 3 ? 8 : 1);
        snDualQpProblem sparse = q.p;
        snDualQpInfo info[2];
        int32_t count = 0;
        for (int32_t j = 0; j < N; ++j) {
            for (int32_t i = 0; i < M; ++i)
                if (q.Bt[j * q.p.ld + i] != 0) entry[count] = q.Bt[j * q.p.ld + i], col[count++] = i;
            adr[j + 1] = count;
        }
        sparse.Bt = entry, sparse.adr = adr, sparse.col = col;
        memset(y, 0, sizeof y);
        assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, &info[0]), SN_OK);
        assert_int_equal(sn_dualqp_solve(work, &sparse, y, a, &info[1]), SN_OK);
        assert_int_equal(info[0].nfree, info[1].nfree);
        assert_near(sn_dualqp_gap(work, &sparse, y, a), 0, 1e-9);
        for (int32_t j = 0; j < N; ++j) assert_near(a[j], q.a[j], 1e-9);
        free(q.block);
    }
    sn_dualqp_destroy(work);
}

static void bad_numbers_and_no_memory(void **state)
{
    (void)state;
    snDualQp *work = sn_dualqp_create(23, 47);
    instance q = make(9, 23, 47, 0.1, 1);
    q.tau[3] = NAN;
    assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, NULL), SN_FAILED);
    free(q.block);
    q = make(9, 23, 47, 0.1, 1);
    for (int32_t i = 0; i < 23; ++i) q.M[i * q.p.ld + i] = -1;
    q.p.eps = 100;
    assert_int_equal(sn_dualqp_solve(work, &q.p, q.y, q.a, NULL), SN_FAILED);
    free(q.block);
    int64_t live = sn_alloc_live();
    for (int n = 0; n < 2; ++n) {
        sn_alloc_fail_after(n);
        assert_null(sn_dualqp_create(10, 10));
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
    }
    sn_dualqp_destroy(work);
    sn_dualqp_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_carry_their_certificate),
        cmocka_unit_test(a_wrong_answer_has_a_gap),
        cmocka_unit_test(active_sets_find_the_same_activations),
        cmocka_unit_test(entries_give_what_dense_rows_give),
        cmocka_unit_test(bad_numbers_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
