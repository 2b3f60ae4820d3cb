/* What a driven motion takes of the muscles: torques about the joint coordinates, from the equation of the step itself.
 *
 * A driven body has the mass SN_HEAVY and answers to a force with force / SN_HEAVY, so the solver that gives velocities
 * gives forces here. Joints are left out meanwhile: what they carry does no work along the coordinates, and beside it
 * the rest would lose digits.
 *
 * Invariant: finding a demand leaves the rows of the joints and the factors as they were. */
#include "base/alloc.h"
#include "sim/state.h"

#include <string.h>

static const double SMALL = 1e-5; /* rad, m: of a coordinate, for the velocities of the bodies by central differences */

struct snDemand {
    const snModel *m;
    snState *s;
    rigid *low, *high;              /* nbody */
    double *coord;                  /* ncoord */
    double *last_velocity;          /* 6 nfree: over the step before */
    double *twist;                  /* ncoord x 6 nfree: velocities of the bodies per unit velocity of a coordinate */
    int32_t nstrand;                /* actuators that pull through strands */
    int32_t *strand, *adr, *muscle; /* of each: its strand, where its force begins in `active`, its muscle */
    double *response;               /* nstrand x 6 nfree */
    double *impulse;                /* of the size of the system; the bodies' part counts */
    uint8_t *clean, *joint_on;      /* nstrand of the model, all 0; rows of joints as the step has them */
};

static void keep_velocities(snDemand *d)
{
    for (int32_t b = 0; b < d->m->nbody; ++b) {
        int32_t f = d->m->body_free[b];
        if (f >= 0) memcpy(d->last_velocity + 6 * f, d->s->velocity + 6 * b, sizeof(double) * 6);
    }
}

static bool allocate(snDemand *d)
{
    const snModel *m = d->m;
    size_t nb = (size_t)m->nbody, nc = (size_t)m->ncoord, nf = 6 * (size_t)m->nfree, na = (size_t)m->nactuator;
    return (d->low = SN_NEW_ARRAY(rigid, nb)) && (d->high = SN_NEW_ARRAY(rigid, nb)) &&
           (d->coord = SN_NEW_ARRAY(double, nc)) && (d->last_velocity = SN_NEW_ARRAY(double, nf)) &&
           (d->twist = SN_NEW_ARRAY(double, nc *nf)) && (d->strand = SN_NEW_ARRAY(int32_t, na)) &&
           (d->adr = SN_NEW_ARRAY(int32_t, na)) && (d->muscle = SN_NEW_ARRAY(int32_t, na)) &&
           (d->response = SN_NEW_ARRAY(double, na *nf)) && (d->impulse = SN_NEW_ARRAY(double, d->s->size)) &&
           (d->clean = SN_NEW_ARRAY(uint8_t, m->nstrand)) && (d->joint_on = SN_NEW_ARRAY(uint8_t, m->pattern.njoint));
}

snDemand *sn_demand_create(const snModel *m, snState *s)
{
    snDemand *d = SN_NEW(snDemand);
    if (!d) return NULL;
    d->m = m, d->s = s;
    if (!allocate(d)) {
        sn_demand_destroy(d);
        return NULL;
    }
    for (int32_t j = 0; j < m->nactuator; ++j) {
        if (m->actuator[j].through != SN_THROUGH_STRAND) continue;
        d->strand[d->nstrand] = m->actuator[j].index;
        d->adr[d->nstrand] = 3 * m->strand_pointadr[m->actuator[j].index];
        d->muscle[d->nstrand++] = m->actuator[j].muscle;
    }
    keep_velocities(d);
    return d;
}

void sn_demand_destroy(snDemand *d)
{
    if (!d) return;
    void *block[] = {d->low, d->high,   d->coord,    d->last_velocity, d->twist, d->strand,
                     d->adr, d->muscle, d->response, d->impulse,       d->clean, d->joint_on};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_free(d);
}

void sn_demand_before_step(snDemand *d)
{
    const snModel *m = d->m;
    sn_pose_coordinates(m, d->s->body, d->coord);
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double q = d->coord[c];
        d->coord[c] = q - SMALL, sn_pose_bodies(m, d->coord, d->low);
        d->coord[c] = q + SMALL, sn_pose_bodies(m, d->coord, d->high);
        d->coord[c] = q;
        for (int32_t b = 0; b < m->nbody; ++b) {
            if (m->body_free[b] < 0) continue;
            double *twist = d->twist + 6 * ((size_t)c * (size_t)m->nfree + (size_t)m->body_free[b]);
            v3 turn = q_log(q_mul(d->high[b].q, q_conj(d->low[b].q)));
            v3_store(twist, q_unrotate(d->s->body[b].q, v3_scale(turn, 0.5 / SMALL)));
            v3_store(twist + 3, v3_scale(v3_sub(d->high[b].p, d->low[b].p), 0.5 / SMALL));
        }
    }
}

void sn_demand_after_step(snDemand *d)
{
    keep_velocities(d);
}

/* What a coordinate feels of forces (or impulses) on the bodies. */
static double along(const snDemand *d, int32_t coordinate, const double *force)
{
    int32_t n = 6 * d->m->nfree;
    const double *twist = d->twist + (size_t)coordinate * (size_t)n;
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += twist[i] * force[i];
    return sum;
}

static void find_torques(snDemand *d, double unit, double *torque)
{
    int32_t nm = d->m->nmuscle, n = 6 * d->m->nfree;
    sn_kkt_body_response(d->s->kkt, d->nstrand, d->strand, d->adr, d->s->active, d->response);
    memset(torque, 0, sizeof(double) * (size_t)nm * (size_t)d->m->ncoord);
    for (int32_t j = 0; j < d->nstrand; ++j) {
        int32_t k = d->muscle[j];
        double scale = d->s->strength[k] * SN_HEAVY / unit;
        for (int32_t c = 0; c < d->m->ncoord; ++c)
            torque[(size_t)c * (size_t)nm + (size_t)k] += scale * along(d, c, d->response + (size_t)j * (size_t)n);
    }
}

/* Impulse that a free body still needs: change of its momentum, less what external forces and the strands give. */
static void missing_impulse(const snDemand *d, int32_t b, double impulse[6])
{
    const snModel *m = d->m;
    const snState *s = d->s;
    double block[36] = {0}, before[6] = {0};
    const double *next = s->velocity + 6 * b;
    sn_body_inertia(m->body_mass[b], m->body_inertia[b], d->last_velocity + 6 * m->body_free[b], sn_gravity(m, s), s->h,
                    block, before);
    v3 torque = q_unrotate(s->body[b].q, v3_load(s->torque + 3 * b)), force = v3_load(s->force + 3 * b);
    v3_store(before, v3_mad(v3_load(before), s->h, torque));
    v3_store(before + 3, v3_mad(v3_load(before + 3), s->h, force));
    for (int i = 0; i < 6; ++i) {
        double given = SN_HEAVY * (impulse[i] - next[i]); /* impulse holds the velocity without activations */
        impulse[i] = block[7 * i] * next[i] - before[i] - given;
    }
}

static void find_needs(snDemand *d, double unit, double *need)
{
    const snModel *m = d->m;
    sn_kkt_solve(d->s->kkt, d->s->impulse, d->impulse, 1);
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0) missing_impulse(d, b, d->impulse + 6 * m->body_free[b]);
    for (int32_t c = 0; c < m->ncoord; ++c) need[c] = along(d, c, d->impulse) / d->s->h / unit;
}

static void switch_joints(snDemand *d, bool on)
{
    int32_t culprit;
    size_t n = (size_t)d->m->pattern.njoint;
    uint8_t *now = d->s->joint_on;
    if (on)
        memcpy(now, d->joint_on, n);
    else
        memcpy(d->joint_on, now, n), memset(now, 0, n);
    sn_kkt_factor(d->s->kkt, d->clean, &culprit);
}

void sn_demand_find(snDemand *d, double unit, double *torque, double *need)
{
    switch_joints(d, false);
    find_torques(d, unit, torque);
    find_needs(d, unit, need);
    switch_joints(d, true);
}
