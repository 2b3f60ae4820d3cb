/* Right-hand sides attached to the factorisation: the same answers as from solving for them afterwards, with either
 * solver, after partial factorisations, and with the same bits for any number of threads. */
#include "check.h"
#include "kkt_case.h"

static KktArrays arrays;

/* A solver with random right-hand sides, one force on each strand. */
typedef struct Attached {
    snKkt *k;
    int32_t n, nb, ld, *strand, *adr;
    double *rhs, *force, *response, *plain, *velocity;
} Attached;

static Attached make(const KktCase *c, snKktKind kind, snPool *pool)
{
    make_pattern(c, &arrays);
    const snKktPattern *p = &arrays.pattern;
    Attached a = {.k = sn_kkt_create(p, kind, pool), .nb = 6 * p->nbody, .ld = (p->nstrand + 8) / 8 * 8};
    assert_non_null(a.k);
    random_values(c, p, sn_kkt_values(a.k), c->seed + 100);
    a.n = sn_kkt_size(a.k);
    a.strand = calloc((size_t)p->nstrand + 1, sizeof *a.strand);
    a.adr = calloc((size_t)p->nstrand + 1, sizeof *a.adr);
    for (int32_t s = 0; s < p->nstrand; ++s) a.strand[s] = s, a.adr[s] = 3 * p->strand_pointadr[s];
    a.rhs = random_vector(a.n, 8);
    a.force = random_vector(3 * p->npoint, 3);
    a.response = random_vector(a.nb * a.ld, 1);
    a.plain = random_vector(a.nb * p->nstrand, 1);
    a.velocity = random_vector(a.nb, 1);
    return a;
}

static void destroy(Attached *a)
{
    sn_kkt_destroy(a->k);
    free(a->strand), free(a->adr), free(a->rhs), free(a->force), free(a->response), free(a->plain), free(a->velocity);
}

static void factor(Attached *a, const uint8_t *dirty)
{
    int32_t culprit;
    assert_int_equal(sn_kkt_factor(a->k, dirty, &culprit), SN_OK);
}

/* A mixture of the right-hand sides, solved from what was kept and from the beginning. */
static void compare_solutions(Attached *a)
{
    const snKktPattern *p = &arrays.pattern;
    double *level = random_vector(p->nstrand, 5), *total = random_vector(a->n, 1), *x = random_vector(a->n, 1),
           *y = random_vector(a->n, 1);
    memcpy(total, a->rhs, (size_t)a->n * sizeof *total);
    for (int32_t s = 0; s < p->nstrand; ++s)
        for (int32_t i = 3 * p->strand_pointadr[s]; i < 3 * p->strand_pointadr[s + 1]; ++i)
            total[a->nb + i] += level[s] * a->force[i];
    for (int32_t refine = 0; refine < 3; ++refine) {
        sn_kkt_attached_solve(a->k, level, total, x, refine, 0);
        sn_kkt_solve(a->k, total, y, refine);
        assert_at_most(difference(x, y, a->n), 1e-9);
    }
    free(level), free(total), free(x), free(y);
}

/* The attached answers against those of the functions that know nothing of it. */
static void compare(Attached *a)
{
    int32_t count = arrays.pattern.nstrand;
    sn_kkt_attached_response(a->k, count, a->strand, a->ld, a->response);
    sn_kkt_body_response(a->k, count, a->strand, a->adr, a->force, a->plain);
    sn_kkt_solve_bodies(a->k, a->rhs, a->velocity);
    for (int32_t i = 0; i < a->nb; ++i) {
        const double *row = a->response + (size_t)a->ld * (size_t)i;
        for (int32_t s = 0; s < count; ++s)
            assert_near(row[s], a->plain[a->nb * s + i], 1e-10 * (1 + largest_of(a->plain + a->nb * s, a->nb)));
        assert_near(row[count], a->velocity[i], 1e-9 * (1 + largest_of(a->velocity, a->nb)));
    }
    compare_solutions(a);
}

static void agrees_with_solving_afterwards(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            Attached a = make(&kkt_cases[c], (snKktKind)kind, NULL);
            sn_kkt_attach(a.k, a.rhs, a.force);
            factor(&a, NULL);
            compare(&a);
            destroy(&a);
        }
}

/* Attached after factoring, then changed for dirty strands only, then taken off. */
static void follows_what_changes(void **state)
{
    (void)state;
    for (int c = 0; c < NCASE; ++c) {
        Attached a = make(&kkt_cases[c], SN_KKT_STRAND, NULL);
        const snKktPattern *p = &arrays.pattern;
        uint8_t *dirty = calloc((size_t)p->nstrand + 1, 1);
        factor(&a, NULL);
        sn_kkt_attach(a.k, a.rhs, a.force);
        factor(&a, dirty);
        compare(&a);
        for (int32_t s = 0; s < p->nstrand; s += 3) {
            dirty[s] = 1;
            for (int32_t i = 3 * p->strand_pointadr[s]; i < 3 * p->strand_pointadr[s + 1]; ++i)
                a.force[i] *= -0.5, a.rhs[a.nb + i] += 1;
            for (int32_t r = p->strand_ownadr[s]; r < p->strand_ownadr[s + 1]; ++r)
                sn_kkt_values(a.k)->own_on[r] = (uint8_t)(r % 2);
        }
        for (int32_t i = 0; i < a.nb; ++i) a.rhs[i] += 1;
        factor(&a, dirty);
        compare(&a);
        sn_kkt_attach(a.k, NULL, NULL);
        factor(&a, dirty);
        free(dirty);
        destroy(&a);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (int c = 0; c < NCASE; ++c) {
        snPool *pool = sn_pool_create(3);
        Attached a[2] = {make(&kkt_cases[c], SN_KKT_STRAND, NULL), make(&kkt_cases[c], SN_KKT_STRAND, pool)};
        for (int i = 0; i < 2; ++i) {
            sn_kkt_attach(a[i].k, a[i].rhs, a[i].force);
            factor(&a[i], NULL);
            int64_t before = sn_alloc_count();
            sn_kkt_attached_response(a[i].k, arrays.pattern.nstrand, a[i].strand, a[i].ld, a[i].response);
            assert_true(sn_alloc_count() == before);
        }
        assert_memory_equal(a[0].response, a[1].response, (size_t)a[0].nb * (size_t)a[0].ld * sizeof(double));
        destroy(&a[0]), destroy(&a[1]);
        sn_pool_destroy(pool);
    }
}

/* Half of the rows of joints off, with other factors: the same answers as from factoring anew. */
static void use_others(Attached *a, const uint8_t *clean)
{
    snKktValues *v = sn_kkt_values(a->k);
    double *x = random_vector(a->n, 1), *y = random_vector(a->n, 1);
    sn_kkt_set_aside(a->k);
    for (int32_t j = 0; j < arrays.pattern.njoint; j += 2) v->joint_on[j] = 0;
    factor(a, clean);
    sn_kkt_solve(a->k, a->rhs, x, 0);
    factor(a, NULL);
    sn_kkt_solve(a->k, a->rhs, y, 0);
    assert_at_most(difference(x, y, a->n), 1e-9);
    free(x), free(y);
}

static void factors_set_aside_come_back_to_the_bit(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; ++kind)
        for (int c = 0; c < NCASE; ++c) {
            Attached a = make(&kkt_cases[c], (snKktKind)kind, NULL);
            uint8_t *joint_on = sn_kkt_values(a.k)->joint_on;
            size_t nj = (size_t)arrays.pattern.njoint, bytes = (size_t)a.n * sizeof(double);
            uint8_t *clean = calloc((size_t)arrays.pattern.nstrand + 1, 1), *on = calloc(nj + 1, 1);
            double *before = random_vector(a.n, 1), *after = random_vector(a.n, 1);
            factor(&a, NULL);
            sn_kkt_solve(a.k, a.rhs, before, 0);
            memcpy(on, joint_on, nj);
            use_others(&a, clean);
            memcpy(joint_on, on, nj);
            sn_kkt_put_back(a.k);
            sn_kkt_solve(a.k, a.rhs, after, 0);
            assert_memory_equal(before, after, bytes);
            free(clean), free(on), free(before), free(after);
            destroy(&a);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_solving_afterwards),
        cmocka_unit_test(follows_what_changes),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(factors_set_aside_come_back_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
