/* The step of a strand in one pass against its parts one by one, for every instruction set that runs here. Arrays are
 * as long as the strand and no longer, so that the sanitizer sees what reaches past them. */
#include "check.h"
#include "strand/assemble.h"
#include "strand_case.h"

#include <stdlib.h>
#include <string.h>

typedef struct Step {
    double *q, *qdot, *impulse, *active, *A;
} Step;

static double *numbers(int32_t n, double value)
{
    double *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    for (int32_t i = 0; i < n; ++i) x[i] = value;
    return x;
}

static Step make_step(const strandCase *c, uint64_t *seed)
{
    int32_t n = c->strand.n;
    /* what the one pass sets is filled with nonsense before */
    Step s = {numbers(3 * n, 0), numbers(3 * n, 0), numbers(3 * n, 7), numbers(3 * n, 7), numbers(36 * n, 7)};
    double stretch = 0.8 + 0.5 * case_random(seed);
    for (int32_t i = 0; i < 3 * n; ++i) {
        s.q[i] = stretch * c->point[i] + 0.004 * case_random(seed);
        s.qdot[i] = case_random(seed) - 0.5;
    }
    return s;
}

static void free_step(Step s)
{
    free(s.q), free(s.qdot), free(s.impulse), free(s.active), free(s.A);
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static void assert_same(const double *x, const double *y, int32_t n)
{
    double size = largest(y, n);
    for (int32_t i = 0; i < n; ++i) assert_near(x[i], y[i], 1e-13 * size);
}

static double plain_length(const snStrand *strand, const double *q)
{
    double sum = 0;
    for (int32_t i = 0; i < strand->ngauss; ++i) {
        v3 u = {0, 0, 0};
        for (int k = 0; k < 4; ++k) u = v3_mad(u, strand->gauss[i].d[k], v3_load(q + 3 * (strand->gauss[i].span + k)));
        sum += strand->gauss[i].weight * v3_len(u);
    }
    return sum;
}

static void compare(const strandCase *c, const snStrandKernels *kernels, bool with_active, uint64_t *seed)
{
    const snStrand *strand = &c->strand;
    int32_t n = strand->n;
    double a = case_random(seed), h = 0.004, *force = calloc(3 * (size_t)n, 8), *active = calloc(3 * (size_t)n, 8),
           *A = calloc(36 * (size_t)n, 8);
    v3 gravity = v3_of(1, -2, -9.81);
    Step s = make_step(c, seed);
    sn_strand_force(strand, s.q, s.qdot, a, h, force, active, A);
    for (int32_t i = 0; i < 3 * n; ++i) force[i] *= h;
    sn_strand_inertia(strand, s.qdot, gravity, h, force, A);
    kernels->assemble(strand, s.q, s.qdot, a, h, gravity, s.impulse, with_active ? s.active : NULL, s.A);
    assert_near(kernels->length(strand, s.q), plain_length(strand, s.q), 1e-15);
    assert_same(s.impulse, force, 3 * n);
    assert_same(s.A, A, 36 * n);
    if (with_active)
        assert_same(s.active, active, 3 * n);
    else
        assert_near(s.active[0], 7, 0);
    free_step(s), free(force), free(active), free(A);
}

static void laws_of(strandCase *c, int which)
{
    static const double x[4] = {0.6, 0.9, 1.1, 1.6}, y[4] = {0.1, 0.8, 1, 0.2}, z[4] = {-0.4, -0.1, 0.1, 2};
    static double slope_y[4], slope_z[4];
    sn_law_slopes(4, x, y, slope_y), sn_law_slopes(4, x, z, slope_z);
    c->strand.tension_only = which == 1;
    c->strand.hold = which == 2 ? 20 : 0;
    c->strand.alpha = 2, c->strand.beta = 0.001;
    if (which != 2) return;
    c->strand.passive_law = (snLaw){.kind = SN_LAW_TABLE, .n = 4, .x = x, .y = z, .slope = slope_z};
    c->strand.active_law = (snLaw){.kind = SN_LAW_TABLE, .n = 4, .x = x, .y = y, .slope = slope_y};
}

static void check_all(const snStrandKernels *kernels)
{
    static strandCase c;
    uint64_t seed = 5;
    for (int32_t n = 4; n < 24; ++n)
        for (int law = 0; law < 3; ++law) {
            snStrandParams p = case_params();
            p.belly_start = 0.3, p.belly_end = law ? 0.7 : 1;
            case_wavy(&c, n, &p);
            laws_of(&c, law);
            compare(&c, kernels, law != 1, &seed);
            if (n < 8) continue;
            /* a span without a length: a kink is drawn by a knot that comes several times */
            c.knot[6] = c.knot[5];
            case_build(&c, n, &p);
            laws_of(&c, law);
            assert_int_equal(c.strand.ngauss, 2 * (n - 4));
            compare(&c, kernels, law != 1, &seed);
        }
}

static void portable_agrees_with_the_parts(void **state)
{
    (void)state;
    check_all(sn_strand_portable());
}

static void fast_agrees_with_the_parts(void **state)
{
    (void)state;
    if (!sn_strand_avx2()) skip();
    check_all(sn_strand_avx2());
}

static void the_chosen_one_agrees_with_the_parts(void **state)
{
    (void)state;
    const snStrandKernels chosen = {sn_strand_assemble, sn_strand_length};
    check_all(&chosen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portable_agrees_with_the_parts),
        cmocka_unit_test(fast_agrees_with_the_parts),
        cmocka_unit_test(the_chosen_one_agrees_with_the_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
