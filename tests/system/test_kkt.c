/* Both solvers of the linear system against certificates: the residual, dense elimination, each other. */
#include "check.h"
#include "kkt_case.h"

static KktArrays arrays;

static snKkt *make(const KktCase *c, snKktKind kind, snPool *pool)
{
    make_pattern(c, &arrays);
    snKkt *k = sn_kkt_create(&arrays.pattern, kind, pool);
    assert_non_null(k);
    random_values(c, &arrays.pattern, sn_kkt_values(k), c->seed + 100);
    return k;
}

static double solve_residual(snKkt *k, uint64_t seed, int refine)
{
    int32_t n = sn_kkt_size(k);
    double *rhs = random_vector(n, seed), *x = random_vector(n, 1), *res = random_vector(n, 1);
    sn_kkt_solve(k, rhs, x, refine);
    double off = sn_kkt_residual(k, rhs, x, res);
    free(rhs), free(x), free(res);
    return off;
}

static void residual_is_small(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            snKkt *k = make(&kkt_cases[c], (snKktKind)kind, NULL);
            int32_t culprit = 77;
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            assert_at_most(solve_residual(k, 5, 2), 1e-13);
            /* spans that move within the fixed pattern */
            random_values(&kkt_cases[c], &arrays.pattern, sn_kkt_values(k), 900 + (uint64_t)c);
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            assert_at_most(solve_residual(k, 6, 2), 1e-13);
            sn_kkt_destroy(k);
        }
}

/* Refining ends once the residual is small enough, and goes on while it is not. */
static void refines_as_far_as_asked(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            snKkt *k = make(&kkt_cases[c], (snKktKind)kind, NULL);
            int32_t n = sn_kkt_size(k), culprit;
            double *rhs = random_vector(n, 5), *x = random_vector(n, 1), *y = random_vector(n, 1);
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            sn_kkt_solve(k, rhs, x, 0);
            sn_kkt_solve_to(k, rhs, y, 3, 1e30);
            if (arrays.pattern.npoint) assert_memory_equal(x, y, (size_t)n * sizeof *x);
            sn_kkt_solve(k, rhs, x, 3);
            sn_kkt_solve_to(k, rhs, y, 3, 0);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
            free(rhs), free(x), free(y);
            sn_kkt_destroy(k);
        }
}

/* Column j of the matrix from the residual: rhs = 0 and the j-th unit vector give -K e_j. Rows that are off: -1. */
static double *dense_matrix(snKkt *k)
{
    int32_t n = sn_kkt_size(k);
    double *a = calloc((size_t)n * (size_t)n + 1, sizeof *a), *unit = calloc((size_t)n + 1, sizeof *a);
    double *zero = calloc((size_t)n + 1, sizeof *a), *col = calloc((size_t)n + 1, sizeof *a);
    for (int32_t j = 0; j < n; ++j) {
        unit[j] = 1;
        sn_kkt_residual(k, zero, unit, col);
        for (int32_t i = 0; i < n; ++i) a[i * n + j] = -col[i];
        if (a[j * n + j] == 0) a[j * n + j] = -1;
        unit[j] = 0;
    }
    free(unit), free(zero), free(col);
    return a;
}

/* Gaussian elimination with row pivoting. */
static void dense_solve(double *a, double *b, int32_t n)
{
    for (int32_t k = 0; k < n; ++k) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (int32_t j = 0; j < n; ++j) {
            double t = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = t;
        }
        double t = b[k];
        b[k] = b[best], b[best] = t;
        for (int32_t i = k + 1; i < n; ++i) {
            double f = a[i * n + k] / a[k * n + k];
            for (int32_t j = k; f != 0 && j < n; ++j) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int32_t i = n - 1; i >= 0; --i) {
        for (int32_t j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

static void mask_off_rows(snKkt *k, double *rhs)
{
    const snKktPattern *p = &arrays.pattern;
    const snKktValues *v = sn_kkt_values(k);
    int32_t own0 = 6 * p->nbody + 3 * p->npoint;
    for (int32_t r = 0; r < p->nown; ++r) rhs[own0 + r] *= v->own_on[r];
    for (int32_t r = 0; r < p->nlink; ++r) rhs[own0 + p->nown + r] *= v->link_on[r];
    for (int32_t r = 0; r < p->njoint; ++r) rhs[own0 + p->nown + p->nlink + r] *= v->joint_on[r];
}

static void agrees_with_dense(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            if (c == 8 || c == 2) continue; /* too large; multipliers of 1e9 */
            snKkt *k = make(&kkt_cases[c], (snKktKind)kind, NULL);
            int32_t n = sn_kkt_size(k), culprit;
            double *rhs = random_vector(n, 8), *x = random_vector(n, 1), *a = dense_matrix(k);
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            sn_kkt_solve(k, rhs, x, 2);
            mask_off_rows(k, rhs);
            dense_solve(a, rhs, n);
            assert_at_most(difference(x, rhs, n), 1e-10);
            free(rhs), free(x), free(a);
            sn_kkt_destroy(k);
        }
}

static void solves_in_place(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        snKkt *k = make(&kkt_cases[5], (snKktKind)kind, NULL);
        int32_t n = sn_kkt_size(k), culprit;
        double *rhs = random_vector(n, 8), *x = random_vector(n, 1);
        assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
        sn_kkt_solve(k, rhs, x, 1);
        sn_kkt_solve(k, rhs, rhs, 1);
        assert_memory_equal(x, rhs, (size_t)n * sizeof *x);
        for (int32_t r = 0; r < arrays.pattern.nown; ++r)
            if (!sn_kkt_values(k)->own_on[r])
                assert_true(x[6 * arrays.pattern.nbody + 3 * arrays.pattern.npoint + r] == 0);
        free(rhs), free(x);
        sn_kkt_destroy(k);
    }
}

static void plain_agrees_with_strand(void **state)
{
    (void)state;
    for (int c = 0; c < NCASE; ++c) {
        snKkt *k[2] = {make(&kkt_cases[c], SN_KKT_PLAIN, NULL), make(&kkt_cases[c], SN_KKT_STRAND, NULL)};
        int32_t n = sn_kkt_size(k[0]), culprit;
        double *rhs = random_vector(n, 8), *x = random_vector(n, 1), *y = random_vector(n, 1);
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(sn_kkt_factor(k[i], NULL, &culprit), SN_OK);
            sn_kkt_solve(k[i], rhs, i ? y : x, 3);
        }
        assert_at_most(difference(x, y, n), 1e-9);
        free(rhs), free(x), free(y);
        sn_kkt_destroy(k[0]), sn_kkt_destroy(k[1]);
    }
}

static void response_agrees_with_solves(void **state)
{
    (void)state;
    enum { NFORCE = 13 };
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            snKkt *k = make(&kkt_cases[c], (snKktKind)kind, NULL);
            const snKktPattern *p = &arrays.pattern;
            if (p->nstrand == 0 || p->nbody == 0) {
                sn_kkt_destroy(k);
                continue;
            }
            int32_t n = sn_kkt_size(k), nb = 6 * p->nbody, strand[NFORCE], adr[NFORCE], total = 0, culprit;
            for (int f = 0; f < NFORCE; ++f) {
                strand[f] = (7 * f + 3) % p->nstrand;
                adr[f] = total;
                total += 3 * strand_points(p, strand[f]);
            }
            double *force = random_vector(total, 4), *response = random_vector(nb * NFORCE, 1), *rhs, *x;
            rhs = random_vector(n, 1), x = random_vector(n, 1);
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            sn_kkt_body_response(k, NFORCE, strand, adr, force, response);
            for (int f = 0; f < NFORCE; ++f) {
                memset(rhs, 0, (size_t)n * sizeof *rhs);
                memcpy(rhs + nb + 3 * p->strand_pointadr[strand[f]], force + adr[f],
                       3 * (size_t)strand_points(p, strand[f]) * sizeof *rhs);
                sn_kkt_solve(k, rhs, x, 1);
                double tolerance = 1e-10 * largest_of(x, n);
                for (int32_t i = 0; i < nb; ++i) assert_near(response[nb * f + i], x[i], tolerance);
                sn_kkt_solve_bodies(k, rhs, response + nb * f);
                for (int32_t i = 0; i < nb; ++i) assert_near(response[nb * f + i], x[i], tolerance);
            }
            free(force), free(response), free(rhs), free(x);
            sn_kkt_destroy(k);
        }
}

static void nothing_is_allocated_later(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        snKkt *k = make(&kkt_cases[8], (snKktKind)kind, NULL);
        int32_t n = sn_kkt_size(k), culprit, strand = 3, adr = 0;
        double *rhs = random_vector(n, 8), *x = random_vector(n, 1);
        int64_t before = sn_alloc_count();
        for (uint64_t i = 0; i < 10; ++i) {
            random_values(&kkt_cases[8], &arrays.pattern, sn_kkt_values(k), 50 + i);
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            sn_kkt_solve(k, rhs, x, 1);
            sn_kkt_body_response(k, 1, &strand, &adr, rhs, x);
        }
        assert_int_equal(sn_alloc_count(), before);
        assert_true(sn_kkt_bytes(k) > 0);
        free(rhs), free(x);
        sn_kkt_destroy(k);
    }
}

static void reports_what_is_not_definite(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        snKkt *k = make(&kkt_cases[1], (snKktKind)kind, NULL);
        snKktValues *v = sn_kkt_values(k);
        const snKktPattern *p = &arrays.pattern;
        for (int32_t s = 0; s < p->nstrand; ++s) {
            double *a = &v->point_A[36 * (p->strand_pointadr[s] + s % 4)], kept = *a, wrong[3] = {NAN, INFINITY, -1e12};
            for (int w = 0; w < 3; ++w) {
                int32_t culprit = 1000;
                *a = wrong[w];
                assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_DIVERGED);
                assert_int_equal(culprit, s);
            }
            *a = kept;
        }
        double kept = v->body_A[36 * 3];
        int32_t culprit = 1000;
        v->body_A[36 * 3] = NAN;
        assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_DIVERGED);
        assert_true(culprit < 0 && culprit >= -p->nbody);
        v->body_A[36 * 3] = kept;
        v->joint_J[5] = NAN;
        culprit = 1000;
        assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_DIVERGED);
        assert_true(culprit < 0 && culprit >= -p->nbody);
        v->joint_on[0] = 0; /* a row that is off may hold anything */
        assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
        assert_at_most(solve_residual(k, 5, 2), 1e-13);
        sn_kkt_destroy(k);
    }
}

static void values_of_rows_that_are_off_do_not_matter(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        snKkt *k = make(&kkt_cases[2], (snKktKind)kind, NULL);
        snKktValues *v = sn_kkt_values(k);
        int32_t culprit;
        for (int32_t r = 0; r < arrays.pattern.nown; r += 2) {
            v->own_on[r] = 0;
            v->own[r].b[1] = v->own[r].n[2] = v->own_J[6 * r + 3] = v->own_D[r] = NAN;
        }
        for (int32_t r = 0; r < arrays.pattern.nlink; r += 2) {
            v->link_on[r] = 0;
            v->part[arrays.partadr[r]].b[0] = v->link_D[r] = NAN;
        }
        assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
        assert_at_most(solve_residual(k, 5, 2), 1e-13);
        sn_kkt_destroy(k);
    }
}

/* Numbers that have no meaning: blocks past the end of a strand, body sides where there is no body. */
static void unused_numbers_are_not_read(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            snKkt *k = make(&kkt_cases[c], (snKktKind)kind, NULL);
            snKktValues *v = sn_kkt_values(k);
            const snKktPattern *p = &arrays.pattern;
            int32_t n = sn_kkt_size(k), culprit;
            double *rhs = random_vector(n, 8), *x = random_vector(n, 1), *y = random_vector(n, 1);
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            sn_kkt_solve(k, rhs, x, 1);
            for (int32_t s = 0; s < p->nstrand; ++s)
                for (int32_t i = 1; i < 4; ++i)
                    for (int32_t e = 9 * i; e < 36; ++e) v->point_A[36 * (p->strand_pointadr[s + 1] - i) + e] = NAN;
            for (int32_t e = 0; e < 6 * p->nown; ++e)
                if (p->own_body[e / 6] < 0) v->own_J[e] = NAN;
            for (int32_t e = 0; e < 12 * p->njoint; ++e)
                if (p->joint_body[e / 6] < 0) v->joint_J[e] = NAN;
            assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
            sn_kkt_solve(k, rhs, y, 1);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
            assert_at_most(solve_residual(k, 8, 1), 1e-12);
            free(rhs), free(x), free(y);
            sn_kkt_destroy(k);
        }
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind) {
        make_pattern(&kkt_cases[2], &arrays);
        int64_t live = sn_alloc_live();
        bool made = false;
        for (int64_t n = 0; !made; ++n) {
            sn_alloc_fail_after(n);
            snKkt *k = sn_kkt_create(&arrays.pattern, (snKktKind)kind, NULL);
            sn_alloc_fail_after(-1);
            made = k != NULL;
            sn_kkt_destroy(k);
            assert_int_equal(sn_alloc_live(), live);
            assert_true(n < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_is_small),
        cmocka_unit_test(refines_as_far_as_asked),
        cmocka_unit_test(agrees_with_dense),
        cmocka_unit_test(solves_in_place),
        cmocka_unit_test(plain_agrees_with_strand),
        cmocka_unit_test(response_agrees_with_solves),
        cmocka_unit_test(nothing_is_allocated_later),
        cmocka_unit_test(reports_what_is_not_definite),
        cmocka_unit_test(values_of_rows_that_are_off_do_not_matter),
        cmocka_unit_test(unused_numbers_are_not_read),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
