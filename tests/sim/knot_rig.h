/* What holds for every model of cords that meet: stable, told as it is, and no power lost. */
#ifndef SN_TESTS_SIM_KNOT_RIG_H
#define SN_TESTS_SIM_KNOT_RIG_H

#include "sim/paths.h"
#include "sim/rig.h"

#include <math.h>

/* A second of activations that jump between 0 and 1; the model goes with it. period: of each muscle, in steps. */
static inline void assert_stable(Rig r, const int *period)
{
    for (int i = 0; i < (int)(1 / r.s->h); ++i) {
        for (int32_t k = 0; k < r.m->nmuscle; ++k) r.s->activation[k] = i / period[k] % 2;
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        for (int e = 0; e < 18; ++e)
            if (!(fabs(r.s->velocity[e]) < 200)) fail_msg("%g at step %d of %g ms", r.s->velocity[e], i, 1e3 * r.s->h);
    }
    rig_drop(&r);
}

/* Muscles at 0.2, 0.3, ... for some time. */
static inline void rig_pull(Rig *r, double seconds)
{
    for (int32_t k = 0; k < r->m->nmuscle; ++k) r->s->activation[k] = 0.2 + 0.1 * k;
    rig_run(r, seconds);
}

static inline void assert_told_as_it_is(Rig r)
{
    rig_pull(&r, 0.1);
    double off = rig_response_error(&r, r.m->nmuscle);
    print_message("response against the step: off by %.1e of the largest velocity\n", off);
    assert_at_most(off, 1e-8);
    rig_drop(&r);
}

/* Power at some velocities: of all cords, of their constraints to bodies, of what branches pull across trunks. */
static inline void find_power(const Rig *r, double *cords, double *held, double *across)
{
    double velocity[6 * 3];
    *cords = *held = *across = 0;
    for (int e = 0; e < 18; ++e) velocity[e] = sin(3 * e + 1);
    for (int32_t i = 0; i < r->m->ncord; ++i) {
        const snPathCord *k = &r->m->cord[i];
        for (int32_t e = 0; e < 6 * k->cord.nslot; ++e)
            *cords -= r->s->cord_tension[i] * r->s->cord_g[6 * k->slot + e] * velocity[6 * k->body[e / 6] + e % 6];
    }
    for (int32_t c = 0; c < r->m->nconstraint; ++c)
        if (r->m->constraint[c].body >= 0)
            *held += sn_plant_power(r->m, r->s, c, velocity + 6 * r->m->constraint[c].body);
        else
            *across += sn_plant_across_power(r->m, r->s, c, velocity);
}

#endif
