/* Links that follow coordinates: every kernel against finite differences or another kernel. */
#include "tree_case.h"

#include "math/curve.h"

typedef struct followCase {
    treeCase c;
    int32_t *follows;
    snCurve *curve;
} followCase;

static const double knot[6] = {-2, -1, -0.2, 0.6, 1.3, 2.2};

/* Every fourth link follows one two or five places on, on a spline, a line or a parabola in turn; one moves nothing. */
static void make_case(followCase *f)
{
    treeCase *c = &f->c;
    case_small(c);
    int32_t n = c->tree.ndof;
    caseRandom r = {11};
    sn_tree_destroy(c->work), sn_path_destroy(c->line);
    f->follows = CASE_ARRAY(c, int32_t, n);
    f->curve = CASE_ARRAY(c, snCurve, n);
    for (int32_t i = 0; i < n; ++i) f->follows[i] = i;
    for (int32_t i = 1; i < n; i += 4) {
        double *y = CASE_ARRAY(c, double, 6), *bend = CASE_ARRAY(c, double, 6), scratch[12];
        f->follows[i] = (i + (i % 8 == 1 ? 2 : 5)) % n;
        while (f->follows[i] % 4 == 1) f->follows[i] = (f->follows[i] + 1) % n;
        for (int k = 0; k < 6; ++k) y[k] = random_between(&r, -0.3, 0.3) * (c->tree.slides[i] ? 0.1 : 1);
        sn_curve_bend(6, knot, y, bend, scratch);
        snCurveKind kind = i % 3 == 0 ? SN_CURVE_POLYNOMIAL : SN_CURVE_SPLINE;
        f->curve[i] = (snCurve){.kind = kind, .n = kind == SN_CURVE_SPLINE ? 6 : 3, .x = knot, .y = y, .bend = bend};
    }
    double *axis = CASE_ARRAY(c, double, 3 * n);
    memcpy(axis, c->tree.axis, 3 * (size_t)n * sizeof *axis);
    memset(axis + 3 * f->follows[1], 0, 3 * sizeof *axis);
    c->tree.axis = axis;
    c->tree.follows = c->paths.follows = f->follows;
    c->tree.curve = f->curve;
    case_finish(c);
}

static bool is_own(const followCase *f, int32_t i)
{
    return f->follows[i] == i;
}

static const v3 gravity = {0.3, -9.81, 1};

static double energy(followCase *f, const double *q, const double *v)
{
    case_place(&f->c, q, v);
    return sn_tree_kinetic_energy(&f->c.tree, f->c.work);
}

static void mass_is_that_of_the_energy(void **state)
{
    followCase f;
    (void)state;
    make_case(&f);
    int32_t n = f.c.tree.ndof;
    caseRandom r = {3};
    double *M = CASE_ARRAY(&f.c, double, n *n), *e = CASE_ARRAY(&f.c, double, n);
    pose_at_random(&f.c, &r, 0.7, 2);
    sn_tree_mass(&f.c.tree, f.c.work, M, n);
    double T = sn_tree_kinetic_energy(&f.c.tree, f.c.work), sum = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int32_t j = 0; j < n; ++j)
            if (is_own(&f, i) && is_own(&f, j)) sum += f.c.v[i] * M[i * n + j] * f.c.v[j] / 2;
    assert_near(sum, T, 1e-11 * T);
    for (int32_t i = 0; i < n; ++i) {
        if (is_own(&f, i)) continue;
        for (int32_t j = 0; j < n; ++j) assert_true(M[i * n + j] == (i == j) && M[j * n + i] == (i == j));
    }
    (void)e;
    case_free(&f.c);
}

/* C = d/dt (M v) - dT/dq + dU/dq with q running along v. */
static void bias_is_that_of_lagrange(void **state)
{
    followCase f;
    (void)state;
    make_case(&f);
    treeCase *c = &f.c;
    int32_t n = c->tree.ndof;
    caseRandom r = {5};
    double *q = CASE_ARRAY(c, double, n), *v = CASE_ARRAY(c, double, n), *tau = CASE_ARRAY(c, double, n);
    double *M = CASE_ARRAY(c, double, n *n), *p[2] = {CASE_ARRAY(c, double, n), CASE_ARRAY(c, double, n)};
    double *at = CASE_ARRAY(c, double, n), h = 1e-5, size = 0;
    pose_at_random(c, &r, 0.6, 1);
    memcpy(q, c->q, (size_t)n * sizeof *q), memcpy(v, c->v, (size_t)n * sizeof *v);
    sn_tree_inverse(&c->tree, c->work, NULL, gravity, tau);
    for (int32_t i = 0; i < n; ++i) size = fmax(size, fabs(tau[i]));
    for (int s = 0; s < 2; ++s) {
        for (int32_t i = 0; i < n; ++i) at[i] = q[i] + (s ? h : -h) * v[i];
        case_place(c, at, v);
        sn_tree_mass(&c->tree, c->work, M, n);
        for (int32_t i = 0; i < n; ++i) {
            p[s][i] = 0;
            for (int32_t j = 0; j < n; ++j)
                if (is_own(&f, j)) p[s][i] += M[i * n + j] * v[j];
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        double L[2];
        if (!is_own(&f, i)) {
            assert_true(tau[i] == 0);
            continue;
        }
        for (int s = 0; s < 2; ++s) {
            memcpy(at, q, (size_t)n * sizeof *at);
            at[i] += s ? h : -h;
            L[s] = energy(&f, at, v) - sn_tree_potential_energy(&c->tree, c->work, gravity);
        }
        assert_near(tau[i], (p[1][i] - p[0][i]) / (2 * h) - (L[1] - L[0]) / (2 * h), 1e-6 * size);
    }
    case_free(c);
}

static void forward_undoes_inverse(void **state)
{
    followCase f;
    (void)state;
    make_case(&f);
    treeCase *c = &f.c;
    int32_t n = c->tree.ndof;
    caseRandom r = {8};
    double *given = CASE_ARRAY(c, double, n), *qdd = CASE_ARRAY(c, double, n), *tau = CASE_ARRAY(c, double, n),
           *found = CASE_ARRAY(c, double, n);
    bool *driven = CASE_ARRAY(c, bool, n);
    pose_at_random(c, &r, 0.6, 1);
    for (int32_t i = 0; i < n; ++i) given[i] = is_own(&f, i) ? random_between(&r, -5, 5) : 0, driven[i] = i % 3 == 0;
    sn_tree_inverse(&c->tree, c->work, given, gravity, tau);
    assert_true(sn_tree_forward(&c->tree, c->work, tau, gravity, qdd));
    for (int32_t i = 0; i < n; ++i) assert_near(qdd[i], given[i], 1e-6);
    for (int32_t i = 0; i < n; ++i) qdd[i] = driven[i] ? given[i] : 99, found[i] = driven[i] ? 99 : tau[i];
    assert_true(sn_tree_hybrid(&c->tree, c->work, driven, gravity, qdd, found));
    for (int32_t i = 0; i < n; ++i) {
        assert_near(qdd[i], given[i], 1e-6);
        assert_near(found[i], tau[i], 1e-6);
    }
    case_free(c);
}

static void derivative_at_rest(void **state)
{
    followCase f;
    (void)state;
    make_case(&f);
    treeCase *c = &f.c;
    int32_t n = c->tree.ndof;
    caseRandom r = {9};
    double *dq = CASE_ARRAY(c, double, n *n), *tau[2] = {CASE_ARRAY(c, double, n), CASE_ARRAY(c, double, n)};
    double *at = CASE_ARRAY(c, double, n), h = 1e-5, size = 0;
    pose_at_random(c, &r, 0.6, 0);
    sn_tree_inverse_derivative(&c->tree, c->work, NULL, gravity, dq, NULL, n);
    for (int32_t i = 0; i < n * n; ++i) size = fmax(size, fabs(dq[i]));
    for (int32_t j = 0; j < n; ++j) {
        for (int s = 0; s < 2; ++s) {
            memcpy(at, c->q, (size_t)n * sizeof *at);
            at[j] += s ? h : -h;
            case_place(c, at, c->v);
            sn_tree_inverse(&c->tree, c->work, NULL, gravity, tau[s]);
        }
        for (int32_t i = 0; i < n; ++i) assert_near(dq[i * n + j], (tau[1][i] - tau[0][i]) / (2 * h), 1e-7 * size);
    }
    case_free(c);
}

/* P and the second derivative of every path. */
static void paths_see_what_follows(void **state)
{
    followCase f;
    (void)state;
    make_case(&f);
    treeCase *c = &f.c;
    int32_t n = c->tree.ndof, np = c->paths.npath, folded = 0;
    caseRandom r = {21};
    pose_at_random(c, &r, 0.5, 0);
    case_measure(c);
    snPathLinks links = case_links(c);
    double *P = CASE_ARRAY(c, double, c->line->nnz), *H = CASE_ARRAY(c, double, np *n *n), h = 1e-6;
    double *length[2] = {CASE_ARRAY(c, double, np), CASE_ARRAY(c, double, np)}, *at = CASE_ARRAY(c, double, n);
    double *slope[2] = {CASE_ARRAY(c, double, c->line->nnz), CASE_ARRAY(c, double, c->line->nnz)};
    memcpy(P, c->line->P, (size_t)c->line->nnz * sizeof *P);
    for (int32_t p = 0; p < np; ++p) sn_path_hessian(&c->paths, &links, c->line, p, H + p * n * n);
    for (int32_t j = 0; j < n; ++j) {
        for (int s = 0; s < 2; ++s) {
            memcpy(at, c->q, (size_t)n * sizeof *at);
            at[j] += s ? h : -h;
            case_place(c, at, c->v);
            case_measure(c);
            memcpy(length[s], c->line->length, (size_t)np * sizeof **length);
            memcpy(slope[s], c->line->P, (size_t)c->line->nnz * sizeof **slope);
        }
        for (int32_t p = 0; p < np; ++p) {
            int32_t first = c->line->rowadr[p], m = c->line->rowadr[p + 1] - first, e = first;
            folded += j == 0 && c->line->slotadr[p + 1] - c->line->slotadr[p] > m;
            while (e < first + m && c->line->col[e] != j) ++e;
            double found = (length[1][p] - length[0][p]) / (2 * h);
            assert_near(e < first + m ? P[e] : 0, found, 1e-8);
            for (int32_t i = 0; i < m && e < first + m; ++i)
                assert_near(H[p * n * n + i * m + e - first], (slope[1][first + i] - slope[0][first + i]) / (2 * h),
                            1e-6);
        }
    }
    assert_true(folded > 0);
    case_free(c);
}

/* Between points the spline is that of its cubic pieces; a cubic comes back as it is; beyond the ends it is straight. */
static void spline_gives_cubics_back(void **state)
{
    double x[6], y[6], bend[6], scratch[12], at[3], near[2][3];
    (void)state;
    for (int i = 0; i < 6; ++i) x[i] = knot[i], y[i] = 1 - x[i] + 0.5 * x[i] * x[i] * x[i];
    sn_curve_bend(6, x, y, bend, scratch);
    snCurve c = {SN_CURVE_SPLINE, 6, x, y, bend};
    for (double t = -2; t <= 2.2; t += 0.17) {
        sn_curve_eval(&c, t, at);
        assert_near(at[0], 1 - t + 0.5 * t * t * t, 1e-12);
        assert_near(at[1], -1 + 1.5 * t * t, 1e-11);
        assert_near(at[2], 3 * t, 1e-11);
    }
    for (int i = 0; i < 6; ++i) y[i] = i % 2 ? 1 : -0.5 * i;
    sn_curve_bend(6, x, y, bend, scratch);
    for (double t = -3; t <= 3; t += 0.0931) {
        sn_curve_eval(&c, t, at);
        for (int s = 0; s < 2; ++s) sn_curve_eval(&c, t + (s ? 1e-6 : -1e-6), near[s]);
        assert_near(at[1], (near[1][0] - near[0][0]) / 2e-6, 1e-7);
        assert_near(at[2], (near[1][1] - near[0][1]) / 2e-6, 1e-6);
        if (t < x[0] || t > x[5]) assert_true(at[2] == 0);
    }
    snCurve table = {SN_CURVE_TABLE, 6, x, y, NULL}, one = {SN_CURVE_TABLE, 1, x, y, NULL};
    sn_curve_eval(&table, (x[2] + x[3]) / 2, at);
    assert_near(at[0], (y[2] + y[3]) / 2, 1e-14);
    sn_curve_eval(&one, 5, at);
    assert_true(at[0] == y[0] && at[1] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_is_that_of_the_energy), cmocka_unit_test(bias_is_that_of_lagrange),
        cmocka_unit_test(forward_undoes_inverse),     cmocka_unit_test(derivative_at_rest),
        cmocka_unit_test(paths_see_what_follows),     cmocka_unit_test(spline_gives_cubics_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
