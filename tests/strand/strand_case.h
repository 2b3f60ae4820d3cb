/* A strand with its arrays, made for the tests of the strand kernels. */
#ifndef SN_TESTS_STRAND_CASE_H
#define SN_TESTS_STRAND_CASE_H

#include "math/spline.h"
#include "strand/strand.h"

#include <assert.h>

enum { CASE_POINTS = 64 };

typedef struct strandCase {
    snStrand strand;
    double knot[CASE_POINTS + 4], point[3 * CASE_POINTS], mass[4 * CASE_POINTS];
    snGauss gauss[2 * CASE_POINTS];
} strandCase;

static inline snStrandParams case_params(void)
{
    return (snStrandParams){.density = 1060,
                            .radius = 0.003,
                            .stiffness = 2e5,
                            .tendon_stiffness = 1e8,
                            .belly_start = 0,
                            .belly_end = 1,
                            .max_force = 30,
                            .passive_scale = 1,
                            .active_scale = 1,
                            .rest_scale = 1,
                            .belly_rest_scale = 1,
                            .fiber_rest = 1};
}

/* Builds the strand over c->knot and c->point. */
static inline void case_build(strandCase *c, int32_t n, const snStrandParams *params)
{
    assert(n <= CASE_POINTS);
    double length = sn_strand_setup(c->knot, n, c->point, params, c->gauss, c->mass);
    c->strand = (snStrand){.n = n,
                           .ngauss = sn_strand_gauss_count(c->knot, n),
                           .knot = c->knot,
                           .gauss = c->gauss,
                           .mass = c->mass,
                           .passive_law = {.kind = SN_LAW_LINEAR},
                           .active_law = {.kind = SN_LAW_CONSTANT},
                           .rest_length = length};
}

/* A wavy strand of n points, about 0.2 m long. */
static inline void case_wavy(strandCase *c, int32_t n, const snStrandParams *params)
{
    spline_clamped_knots(c->knot, n);
    for (int32_t i = 0; i < n; ++i) {
        double x = (double)i / (n - 1);
        v3_store(c->point + 3 * i, v3_of(0.2 * x, 0.03 * sin(5 * x), 0.02 * cos(3 * x)));
    }
    case_build(c, n, params);
}

static inline double case_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

#endif
