/* What only the strand-structured solver promises: the same bits for any number of threads and after a partial
 * factorisation, and the same numbers from every instruction set. */
#include "check.h"
#include "kkt_case.h"

static KktArrays arrays;

static snKkt *make(const KktCase *c, snPool *pool)
{
    make_pattern(c, &arrays);
    snKkt *k = sn_kkt_create(&arrays.pattern, SN_KKT_STRAND, pool);
    assert_non_null(k);
    random_values(c, &arrays.pattern, sn_kkt_values(k), c->seed + 100);
    return k;
}

/* The solution and the responses to one force on each strand, in one array; *count numbers. */
static double *answers(snKkt *k, const uint8_t *dirty, int32_t *count)
{
    const snKktPattern *p = &arrays.pattern;
    int32_t n = sn_kkt_size(k), culprit, *strand = calloc((size_t)p->nstrand + 1, 4),
            *adr = calloc((size_t)p->nstrand + 1, 4);
    *count = n + 6 * p->nbody * p->nstrand;
    double *rhs = random_vector(n, 8), *all = random_vector(*count, 1), *force = random_vector(3 * p->npoint, 3);
    for (int32_t s = 0; s < p->nstrand; ++s) strand[s] = s, adr[s] = 3 * p->strand_pointadr[s];
    assert_int_equal(sn_kkt_factor(k, dirty, &culprit), SN_OK);
    sn_kkt_solve(k, rhs, all, 1);
    sn_kkt_body_response(k, p->nstrand, strand, adr, force, all + n);
    free(rhs), free(strand), free(adr), free(force);
    return all;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (int c = 0; c < NCASE; ++c) {
        double *x[3];
        int32_t count = 0;
        for (int t = 0; t < 3; ++t) {
            snPool *pool = t ? sn_pool_create(t + 1) : NULL;
            snKkt *k = make(&kkt_cases[c], pool);
            x[t] = answers(k, NULL, &count);
            sn_kkt_destroy(k);
            sn_pool_destroy(pool);
        }
        assert_memory_equal(x[0], x[1], (size_t)count * sizeof(double));
        assert_memory_equal(x[0], x[2], (size_t)count * sizeof(double));
        free(x[0]), free(x[1]), free(x[2]);
    }
}

static void instruction_sets_agree(void **state)
{
    (void)state;
    for (int c = 0; c < NCASE; ++c) {
        int32_t count;
        snKkt *k = make(&kkt_cases[c], NULL);
        double *x = answers(k, NULL, &count);
        sn_kkt_destroy(k);
        sn_kkt_force_portable(true);
        k = make(&kkt_cases[c], NULL);
        sn_kkt_force_portable(false);
        assert_string_equal(sn_kkt_simd_name(k), "portable");
        double *y = answers(k, NULL, &count);
        assert_at_most(difference(x, y, sn_kkt_size(k)), kkt_cases[c].min_D < 1e-8 ? 1e-9 : 1e-12);
        assert_at_most(difference(x + sn_kkt_size(k), y + sn_kkt_size(k), count - sn_kkt_size(k)), 1e-10);
        sn_kkt_destroy(k);
        free(x), free(y);
    }
}

/* Some strands, and all bodies, pairs, links and joints, get new values. */
static void change_some(const KktCase *c, snKkt *k, const uint8_t *dirty)
{
    const snKktPattern *p = &arrays.pattern;
    snKkt *other = sn_kkt_create(p, SN_KKT_PLAIN, NULL);
    random_values(c, p, sn_kkt_values(other), 4321);
    snKktValues *v = sn_kkt_values(k), fresh = *sn_kkt_values(other);
    for (int32_t s = 0; s < p->nstrand; ++s) {
        if (dirty[s]) continue;
        int32_t point = p->strand_pointadr[s], own = p->strand_ownadr[s], m = p->strand_ownadr[s + 1] - own;
        memcpy(fresh.point_A + 36 * point, v->point_A + 36 * point, 36 * (size_t)strand_points(p, s) * sizeof(double));
        memcpy(fresh.own + own, v->own + own, (size_t)m * sizeof *v->own);
        memcpy(fresh.own_J + 6 * own, v->own_J + 6 * own, 6 * (size_t)m * sizeof(double));
        memcpy(fresh.own_D + own, v->own_D + own, (size_t)m * sizeof(double));
        memcpy(fresh.own_on + own, v->own_on + own, (size_t)m);
    }
    copy_values(p, v, &fresh);
    sn_kkt_destroy(other);
}

static void partial_factor_equals_full(void **state)
{
    (void)state;
    for (int c = 0; c < NCASE; ++c) {
        uint8_t dirty[600];
        int32_t count;
        snKkt *k = make(&kkt_cases[c], NULL);
        for (int32_t s = 0; s < arrays.pattern.nstrand; ++s) dirty[s] = s % 6 == 1;
        free(answers(k, NULL, &count));
        change_some(&kkt_cases[c], k, dirty);
        double *x = answers(k, dirty, &count), *y = answers(k, NULL, &count);
        assert_memory_equal(x, y, (size_t)count * sizeof(double));
        free(x), free(y);
        sn_kkt_destroy(k);
    }
}

/* A factorisation that failed must not be taken for a good one later. */
static void recovers_after_failure(void **state)
{
    (void)state;
    int32_t count, culprit;
    uint8_t dirty[600] = {0};
    snKkt *k = make(&kkt_cases[1], NULL);
    double *good = answers(k, NULL, &count), *a = &sn_kkt_values(k)->point_A[36 * arrays.pointadr[4]], kept = *a;
    *a = NAN;
    dirty[4] = 1;
    assert_int_equal(sn_kkt_factor(k, dirty, &culprit), SN_DIVERGED);
    assert_int_equal(culprit, 4);
    *a = kept;
    double *again = answers(k, dirty, &count);
    assert_memory_equal(good, again, (size_t)count * sizeof(double));
    free(good), free(again);
    sn_kkt_destroy(k);
}

/* More forces than strands, several on one strand. */
static void response_takes_any_number_of_forces(void **state)
{
    (void)state;
    enum { NFORCE = 150 };
    snKkt *k = make(&kkt_cases[1], NULL);
    int32_t strand[NFORCE], adr[NFORCE], culprit, nb = 6 * arrays.pattern.nbody;
    double *force = random_vector(3 * 14 + NFORCE, 2), *all = random_vector(nb * NFORCE, 1),
           *one = random_vector(nb, 1);
    for (int f = 0; f < NFORCE; ++f) strand[f] = f * f % arrays.pattern.nstrand, adr[f] = f;
    assert_int_equal(sn_kkt_factor(k, NULL, &culprit), SN_OK);
    sn_kkt_body_response(k, NFORCE, strand, adr, force, all);
    for (int f = 0; f < NFORCE; ++f) {
        sn_kkt_body_response(k, 1, strand + f, adr + f, force, one);
        assert_memory_equal(one, all + nb * f, (size_t)nb * sizeof *one);
    }
    free(force), free(all), free(one);
    sn_kkt_destroy(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_a_bit),         cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(partial_factor_equals_full),          cmocka_unit_test(recovers_after_failure),
        cmocka_unit_test(response_takes_any_number_of_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
