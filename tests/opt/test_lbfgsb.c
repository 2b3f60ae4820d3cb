/* L-BFGS-B: known minima, the box QP as second method, what it does with bad functions. */
#include "check.h"

#include "base/alloc.h"
#include "opt/boxqp.h"
#include "opt/lbfgsb.h"

#include <float.h>
#include <string.h>

enum { N = 12 };

static double rosenbrock(void *user, const double *x, double *g)
{
    (void)user;
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
}

static double not_a_number(void *user, const double *x, double *g)
{
    (void)user;
    g[0] = g[1] = 0;
    return sqrt(-1 - x[0] * x[0]);
}

typedef struct Quadratic {
    double Q[N * N], c[N];
} Quadratic;

static double quadratic(void *user, const double *x, double *g)
{
    const Quadratic *q = user;
    double value = 0;
    for (int i = 0; i < N; ++i) {
        g[i] = q->c[i];
        for (int j = 0; j < N; ++j) g[i] += q->Q[N * i + j] * x[j];
        value += x[i] * (g[i] + q->c[i]) / 2;
    }
    return value;
}

static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static snLbfgsb *workspace(int32_t n)
{
    snLbfgsb *w = NULL;
    if (!sn_lbfgsb_available()) {
        snError error = {0};
        assert_int_equal(sn_lbfgsb_create(n, &w, &error), SN_FAILED);
        assert_non_null(strstr(error.remedy, "liblbfgsb-dev"));
        skip();
    }
    assert_int_equal(sn_lbfgsb_create(n, &w, NULL), SN_OK);
    return w;
}

static void finds_a_curved_valleys_end(void **state)
{
    (void)state;
    snLbfgsb *w = workspace(2);
    double lo[] = {-HUGE_VAL, -HUGE_VAL}, hi[] = {HUGE_VAL, HUGE_VAL}, x[] = {-1.2, 1};
    snSmoothProblem p = {.n = 2, .lo = lo, .hi = hi, .value = rosenbrock, .value_tolerance = 1e-15};
    snSmoothInfo info;
    assert_int_equal(sn_lbfgsb_minimise(w, &p, x, &info, NULL), SN_OK);
    assert_true(info.converged);
    assert_near(x[0], 1, 1e-5);
    assert_near(x[1], 1, 1e-5);
    hi[0] = 0.5; /* the valley's floor at the bound: y = x^2 */
    double y[] = {7, 1};
    assert_int_equal(sn_lbfgsb_minimise(w, &p, y, &info, NULL), SN_OK);
    assert_near(y[0], 0.5, 0);
    assert_near(y[1], 0.25, 1e-6);
    sn_lbfgsb_destroy(w);
}

static void meets_the_box_qp(void **state)
{
    (void)state;
    snLbfgsb *w = workspace(N);
    snBoxQp *qp = sn_boxqp_create(N);
    uint64_t seed = 3;
    double lo[N], hi[N], above = -INFINITY;
    for (int i = 0; i < N; ++i) lo[i] = 0, hi[i] = 1;
    for (int round = 0; round < 20; ++round) {
        Quadratic q = {{0}, {0}};
        double B[N * N], x[N] = {0}, a[N] = {0}, g[N];
        for (int i = 0; i < N * N; ++i) B[i] = next_random(&seed);
        for (int i = 0; i < N; ++i)
            for (int j = 0; j < N; ++j)
                for (int k = 0; k < N; ++k) q.Q[N * i + j] += B[N * k + i] * B[N * k + j] + (i == j) * 0.01;
        for (int i = 0; i < N; ++i) q.c[i] = next_random(&seed);
        snSmoothProblem p = {.n = N, .lo = lo, .hi = hi, .value = quadratic, .user = &q, .value_tolerance = 1e-15};
        snSmoothInfo info;
        int64_t before = sn_alloc_count();
        assert_int_equal(sn_lbfgsb_minimise(w, &p, x, &info, NULL), SN_OK);
        assert_int_equal(sn_alloc_count(), before);
        snBoxQpProblem exact = {.n = N, .Q = q.Q, .c = q.c, .lo = lo, .hi = hi};
        assert_int_equal(sn_boxqp_solve(qp, &exact, a, NULL), SN_OK);
        double least = quadratic(&q, a, g);
        above = fmax(above, least - info.value);
        assert_at_most(least, info.value + 1e-12);
        assert_at_most(info.value, least + 1e-6 * (1 + fabs(least)));
        for (int i = 0; i < N; ++i) assert_true(x[i] >= 0 && x[i] <= 1);
    }
    print_message("QP above L-BFGS-B by %.1e at most in 20 random programs (never)\n", above);
    sn_boxqp_destroy(qp);
    sn_lbfgsb_destroy(w);
}

static void refuses_what_is_not_a_number(void **state)
{
    (void)state;
    snLbfgsb *w = workspace(2);
    double lo[] = {-1, -1}, hi[] = {1, 1}, x[] = {0.5, 0.5};
    snSmoothProblem p = {.n = 2, .lo = lo, .hi = hi, .value = not_a_number};
    snError error;
    assert_int_equal(sn_lbfgsb_minimise(w, &p, x, NULL, &error), SN_FAILED);
    assert_near(x[0], 0.5, 0);
    sn_lbfgsb_destroy(w);
}

static void stops_when_told(void **state)
{
    (void)state;
    snLbfgsb *w = workspace(2);
    double lo[] = {-9, -9}, hi[] = {9, 9}, x[] = {-1.2, 1}, g[2], before = rosenbrock(NULL, x, g);
    snSmoothProblem p = {.n = 2, .lo = lo, .hi = hi, .value = rosenbrock, .max_evaluations = 5};
    snSmoothInfo info;
    assert_int_equal(sn_lbfgsb_minimise(w, &p, x, &info, NULL), SN_OK);
    assert_false(info.converged);
    assert_at_most(info.value, before);
    sn_lbfgsb_destroy(w);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    sn_lbfgsb_destroy(workspace(2));
    int64_t live = sn_alloc_live();
    for (int64_t n = 0; n < 3; ++n) {
        snLbfgsb *w;
        sn_alloc_fail_after(n);
        assert_int_equal(sn_lbfgsb_create(5, &w, NULL), SN_NO_MEMORY);
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_curved_valleys_end),   cmocka_unit_test(meets_the_box_qp),
        cmocka_unit_test(refuses_what_is_not_a_number), cmocka_unit_test(stops_when_told),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("opt.lbfgsb", tests, NULL, NULL);
}
