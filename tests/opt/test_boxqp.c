/* The box QP against enumeration of all active sets, by its certificate on ill-conditioned problems of the size of a
 * hand, from warm starts, and on degenerate problems. */
#include "check.h"

#include "base/alloc.h"
#include "opt/boxqp.h"

#include <math.h>
#include <string.h>

enum { MAX = 64 };

static uint64_t seed = 1;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

typedef struct qpCase {
    double Q[MAX * MAX], c[MAX], lo[MAX], hi[MAX];
    snBoxQpProblem p;
} qpCase;

/* Q = R'R + ridge I with R of the given rank; bounds 0 and 1. */
static void make(qpCase *k, int32_t n, int32_t rank, double ridge)
{
    static double R[MAX * MAX];
    for (int i = 0; i < rank * n; ++i) R[i] = uniform(-1, 1);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = i == j ? ridge : 0;
            for (int r = 0; r < rank; ++r) sum += R[r * n + i] * R[r * n + j];
            k->Q[i * n + j] = sum;
        }
    for (int i = 0; i < n; ++i) k->lo[i] = 0, k->hi[i] = 1, k->c[i] = uniform(-3, 1);
    k->p = (snBoxQpProblem){.n = n, .Q = k->Q, .c = k->c, .lo = k->lo, .hi = k->hi};
}

static double value(const snBoxQpProblem *p, const double *a)
{
    double sum = 0;
    for (int i = 0; i < p->n; ++i) {
        sum += p->c[i] * a[i];
        for (int j = 0; j < p->n; ++j) sum += 0.5 * a[i] * p->Q[i * p->n + j] * a[j];
    }
    return sum;
}

/* Minimiser with the given side of each variable (0 low, 1 high, 2 free); false if the free part leaves its bounds. */
static bool on_face(const snBoxQpProblem *p, const int *side, double *a)
{
    double M[6][7];
    int free_[6], m = 0;
    for (int i = 0; i < p->n; ++i) {
        a[i] = side[i] == 0 ? p->lo[i] : p->hi[i];
        if (side[i] == 2) free_[m++] = i, a[i] = 0;
    }
    for (int i = 0; i < m; ++i) {
        M[i][m] = -p->c[free_[i]];
        for (int j = 0; j < p->n; ++j) M[i][m] -= p->Q[free_[i] * p->n + j] * a[j];
        for (int j = 0; j < m; ++j) M[i][j] = p->Q[free_[i] * p->n + free_[j]];
    }
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < m; ++i) {
            if (i == k) continue;
            double f = M[i][k] / M[k][k];
            for (int j = k; j <= m; ++j) M[i][j] -= f * M[k][j];
        }
    for (int i = 0; i < m; ++i) {
        a[free_[i]] = M[i][m] / M[i][i];
        if (a[free_[i]] < p->lo[free_[i]] || a[free_[i]] > p->hi[free_[i]]) return false;
    }
    return true;
}

static double brute_force(const snBoxQpProblem *p, double *best)
{
    int faces = 1;
    double lowest = INFINITY, a[6];
    for (int i = 0; i < p->n; ++i) faces *= 3;
    for (int f = 0; f < faces; ++f) {
        int side[6];
        for (int i = 0, rest = f; i < p->n; ++i, rest /= 3) side[i] = rest % 3;
        if (!on_face(p, side, a)) continue;
        double v = value(p, a);
        if (v < lowest) {
            lowest = v;
            memcpy(best, a, sizeof(double) * (size_t)p->n);
        }
    }
    return lowest;
}

static void agrees_with_enumeration(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(6);
    for (int round = 0; round < 300; ++round) {
        int32_t n = 1 + round % 6;
        double a[6] = {0}, best[6];
        make(&k, n, n, 0.05);
        for (int i = 0; i < n; ++i)
            k.lo[i] = uniform(-1, 0.2), k.hi[i] = k.lo[i] + uniform(0, 1), a[i] = uniform(-2, 2);
        assert_int_equal(sn_boxqp_solve(qp, &k.p, a, NULL), SN_OK);
        double lowest = brute_force(&k.p, best);
        assert_near(value(&k.p, a), lowest, 1e-12 * (1 + fabs(lowest)));
        for (int i = 0; i < n; ++i) assert_near(a[i], best[i], 1e-9);
    }
    sn_boxqp_destroy(qp);
}

static void certificate_on_ill_conditioned_hands(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(MAX);
    double worst = 0;
    int most = 0;
    for (int round = 0; round < 60; ++round) {
        static const double ridge[3] = {1e-3, 1e-6, 1e-9};
        double a[MAX] = {0};
        snBoxQpInfo info;
        make(&k, 54, 23, ridge[round % 3]);
        assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
        worst = fmax(worst, sn_boxqp_residual(&k.p, a));
        most = info.iterations > most ? info.iterations : most;
        for (int i = 0; i < 54; ++i) assert_true(a[i] >= 0 && a[i] <= 1);
    }
    print_message("54 variables of rank 23 with a ridge, cold: residual %.1e, at most %d iterations\n", worst, most);
    assert_at_most(worst, 1e-12);
    sn_boxqp_destroy(qp);
}

static void warm_start_takes_few_iterations(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(MAX);
    double a[MAX] = {0}, fresh[MAX], total = 0;
    snBoxQpInfo info;
    make(&k, 54, 23, 1e-3);
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
    int64_t allocations = sn_alloc_count();
    for (int step = 0; step < 200; ++step) { /* a target that drifts, as from one step to the next */
        for (int i = 0; i < 54; ++i) k.c[i] += 0.01 * sin(0.1 * step + i);
        assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
        total += info.iterations;
        memset(fresh, 0, sizeof fresh);
        assert_int_equal(sn_boxqp_solve(qp, &k.p, fresh, NULL), SN_OK);
        for (int i = 0; i < 54; ++i) assert_near(a[i], fresh[i], 1e-8);
    }
    assert_true(sn_alloc_count() == allocations);
    print_message("warm start: %.2f iterations on average\n", total / 200);
    assert_at_most(total / 200, 4);
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK); /* the same problem again: nothing to do */
    assert_int_equal(info.iterations, 0);
    sn_boxqp_destroy(qp);
}

static void degenerate_problems(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(MAX);
    double a[MAX] = {0};
    snBoxQpInfo info;
    make(&k, 5, 0, 0); /* Q = 0: a linear program */
    k.c[0] = 1, k.c[1] = -1, k.c[2] = 0, k.c[3] = 2, k.c[4] = -1e-6;
    a[2] = 0.4;
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
    assert_near(a[0] + a[3], 0, 0);
    assert_near(a[1] + a[4], 2, 0);
    assert_near(a[2], 0.4, 0);
    make(&k, 54, 10, 0); /* semidefinite, many minimisers */
    memset(a, 0, sizeof a);
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
    assert_at_most(sn_boxqp_residual(&k.p, a), 1e-9);
    make(&k, 8, 8, 0.1); /* all fixed */
    for (int i = 0; i < 8; ++i) k.lo[i] = k.hi[i] = 0.3;
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
    for (int i = 0; i < 8; ++i) assert_near(a[i], 0.3, 0);
    make(&k, 8, 8, 0.1); /* minimiser exactly in a corner, multipliers zero */
    for (int i = 0; i < 8; ++i) {
        k.c[i] = 0;
        for (int j = 0; j < 8; ++j) k.c[i] -= k.Q[8 * i + j];
        a[i] = NAN;
    }
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
    for (int i = 0; i < 8; ++i) assert_near(a[i], 1, 1e-9);
    k.p.n = 0;
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
    sn_boxqp_destroy(qp);
}

static void semidefinite_problems(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(MAX);
    double worst = 0;
    int most = 0;
    for (int round = 0; round < 100; ++round) {
        double a[MAX];
        snBoxQpInfo info;
        int32_t n = 10 + round % 50;
        make(&k, n, 1 + round % (n - 1), 0);
        for (int i = 0; i < n; ++i) a[i] = uniform(0, 1);
        assert_int_equal(sn_boxqp_solve(qp, &k.p, a, &info), SN_OK);
        worst = fmax(worst, sn_boxqp_residual(&k.p, a));
        most = info.iterations > most ? info.iterations : most;
    }
    print_message("semidefinite problems: residual %.1e, at most %d iterations\n", worst, most);
    assert_at_most(worst, 1e-9);
    sn_boxqp_destroy(qp);
}

static void infinite_bounds_give_the_plain_solution(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(20);
    double a[20] = {0};
    make(&k, 20, 20, 0.1);
    for (int i = 0; i < 20; ++i) k.lo[i] = -INFINITY, k.hi[i] = INFINITY;
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, NULL), SN_OK);
    for (int i = 0; i < 20; ++i) {
        double g = k.c[i];
        for (int j = 0; j < 20; ++j) g += k.Q[20 * i + j] * a[j];
        assert_near(g, 0, 1e-11);
    }
    sn_boxqp_destroy(qp);
}

static void bad_numbers_fail_without_harm(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(8);
    double a[8] = {0};
    make(&k, 8, 8, 0.1);
    k.Q[3] = NAN;
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, NULL), SN_FAILED);
    make(&k, 8, 8, 0.1);
    k.c[2] = NAN;
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, NULL), SN_FAILED);
    for (int i = 0; i < 8; ++i) assert_true(a[i] >= 0 && a[i] <= 1);
    sn_boxqp_destroy(qp);
}

static void certificate_sees_a_wrong_answer(void **state)
{
    (void)state;
    static qpCase k;
    snBoxQp *qp = sn_boxqp_create(20);
    double a[20] = {0};
    make(&k, 20, 20, 0.1);
    assert_int_equal(sn_boxqp_solve(qp, &k.p, a, NULL), SN_OK);
    assert_at_most(sn_boxqp_residual(&k.p, a), 1e-13);
    for (int i = 0; i < 20; ++i) {
        double keep = a[i];
        a[i] = keep > 0.5 ? keep - 1e-3 : keep + 1e-3;
        assert_true(sn_boxqp_residual(&k.p, a) > 1e-7);
        a[i] = keep < 0.5 ? -1e-3 : 1 + 1e-3; /* out of bounds */
        assert_true(sn_boxqp_residual(&k.p, a) > 1e-7);
        a[i] = keep;
    }
    sn_boxqp_destroy(qp);
}

static void creation_survives_every_failed_allocation(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    for (int64_t n = 0; n < 10; ++n) {
        sn_alloc_fail_after(n);
        snBoxQp *qp = sn_boxqp_create(10);
        sn_alloc_fail_after(-1);
        sn_boxqp_destroy(qp);
        assert_true(sn_alloc_live() == live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_enumeration),
        cmocka_unit_test(certificate_on_ill_conditioned_hands),
        cmocka_unit_test(warm_start_takes_few_iterations),
        cmocka_unit_test(degenerate_problems),
        cmocka_unit_test(semidefinite_problems),
        cmocka_unit_test(infinite_bounds_give_the_plain_solution),
        cmocka_unit_test(bad_numbers_fail_without_harm),
        cmocka_unit_test(certificate_sees_a_wrong_answer),
        cmocka_unit_test(creation_survives_every_failed_allocation),
    };
    return cmocka_run_group_tests_name("opt.boxqp", tests, NULL, NULL);
}
