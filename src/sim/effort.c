/* What a driven motion takes of the muscles: torques about the joint coordinates, from the equation of the step itself.
 *
 * A driven body has the mass SN_HEAVY and answers to a force with force / SN_HEAVY, so the solver that gives velocities
 * gives forces here. Joints are left out meanwhile: what they carry does no work along the coordinates, and beside it
 * the rest would lose digits.
 *
 * Invariant: finding an effort leaves the rows of the joints and the factors as they were. */
#include "base/alloc.h"
#include "sim/paths.h"
#include "sim/response.h"

#include <string.h>

static const double SMALL = 1e-5; /* rad, m: of a coordinate, for the velocities of the bodies by central differences */

struct snEffort {
    const snModel *m;
    snState *s;
    rigid *low, *high;              /* nbody */
    double *coord;                  /* ncoord */
    int64_t step;                   /* at which twist was found */
    double *twist;                  /* ncoord x 6 nfree: velocities of the bodies per unit velocity of a coordinate */
    int32_t nstrand;                /* actuators that pull through strands */
    int32_t *strand, *adr, *muscle; /* of each: its strand, where its force begins in `active`, its muscle */
    double *response;               /* nstrand x 6 nfree */
    double *impulse;                /* of the size of the system; the bodies' part counts */
    uint8_t *clean, *joint_on;      /* nstrand of the model, all 0; rows of joints as the step has them */
};

static bool allocate(snEffort *e)
{
    const snModel *m = e->m;
    size_t nb = (size_t)m->nbody, nc = (size_t)m->ncoord, nf = 6 * (size_t)m->nfree, na = (size_t)m->nactuator;
    return (e->low = SN_NEW_ARRAY(rigid, nb)) && (e->high = SN_NEW_ARRAY(rigid, nb)) &&
           (e->coord = SN_NEW_ARRAY(double, nc)) && (e->twist = SN_NEW_ARRAY(double, nc *nf)) &&
           (e->strand = SN_NEW_ARRAY(int32_t, na)) && (e->adr = SN_NEW_ARRAY(int32_t, na)) &&
           (e->muscle = SN_NEW_ARRAY(int32_t, na)) && (e->response = SN_NEW_ARRAY(double, na *nf)) &&
           (e->impulse = SN_NEW_ARRAY(double, e->s->size)) && (e->clean = SN_NEW_ARRAY(uint8_t, m->nstrand)) &&
           (e->joint_on = SN_NEW_ARRAY(uint8_t, m->pattern.njoint));
}

snEffort *sn_effort_create(const snModel *m, snState *s)
{
    snEffort *e = SN_NEW(snEffort);
    if (!e) return NULL;
    e->m = m, e->s = s, e->step = -1;
    if (!allocate(e)) {
        sn_effort_destroy(e);
        return NULL;
    }
    for (int32_t j = 0; j < m->nactuator; ++j) {
        if (m->actuator[j].through != SN_THROUGH_STRAND) continue;
        e->strand[e->nstrand] = m->actuator[j].index;
        e->adr[e->nstrand] = 3 * m->strand_pointadr[m->actuator[j].index];
        e->muscle[e->nstrand++] = m->actuator[j].muscle;
    }
    return e;
}

void sn_effort_destroy(snEffort *e)
{
    if (!e) return;
    void *block[] = {e->low,    e->high,     e->coord,   e->twist, e->strand,  e->adr,
                     e->muscle, e->response, e->impulse, e->clean, e->joint_on};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_free(e);
}

/* At the pose that rows and forces of the step are taken at: a hand that turns by 3 degrees in a step has arms that
 * are 2 mm off at the pose before it. */
static void find_twists(snEffort *e)
{
    const snModel *m = e->m;
    if (e->step == e->s->info.steps) return; /* the same for every choice within a step */
    e->step = e->s->info.steps;
    sn_pose_coordinates(m, e->s->ahead, e->coord);
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double q = e->coord[c];
        e->coord[c] = q - SMALL, sn_pose_bodies(m, e->coord, e->low);
        e->coord[c] = q + SMALL, sn_pose_bodies(m, e->coord, e->high);
        e->coord[c] = q;
        for (int32_t b = 0; b < m->nbody; ++b) {
            if (m->body_free[b] < 0) continue;
            double *twist = e->twist + 6 * ((size_t)c * (size_t)m->nfree + (size_t)m->body_free[b]);
            v3 turn = q_log(q_mul(e->high[b].q, q_conj(e->low[b].q)));
            v3_store(twist, q_unrotate(e->s->ahead[b].q, v3_scale(turn, 0.5 / SMALL)));
            v3_store(twist + 3, v3_scale(v3_sub(e->high[b].p, e->low[b].p), 0.5 / SMALL));
        }
    }
}

/* What a coordinate feels of forces (or impulses) on the bodies. */
static double along(const snEffort *e, int32_t coordinate, const double *force)
{
    int32_t n = 6 * e->m->nfree;
    const double *twist = e->twist + (size_t)coordinate * (size_t)n;
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += twist[i] * force[i];
    return sum;
}

static void find_torques(snEffort *e, double unit, double *torque)
{
    int32_t nm = e->m->nmuscle, n = 6 * e->m->nfree;
    sn_kkt_body_response(e->s->kkt, e->nstrand, e->strand, e->adr, e->s->active, e->response);
    for (int32_t j = 0; j < e->nstrand; ++j) {
        int32_t k = e->muscle[j];
        double scale = e->s->strength[k] * SN_HEAVY / unit;
        for (int32_t c = 0; c < e->m->ncoord; ++c)
            torque[(size_t)c * (size_t)nm + (size_t)k] += scale * along(e, c, e->response + (size_t)j * (size_t)n);
    }
}

/* Paths pull at the bodies themselves, whatever these do. */
static void find_path_torques(snEffort *e, double unit, double *torque)
{
    const snModel *m = e->m;
    for (int32_t j = e->nstrand; j < m->nactuator; ++j) {
        int32_t k = m->actuator[j].muscle;
        if (m->actuator[j].through != SN_THROUGH_PATH) continue;
        memset(e->response, 0, sizeof(double) * 6 * (size_t)m->nfree);
        sn_path_active_force(m, e->s, m->actuator[j].index, e->response);
        for (int32_t c = 0; c < m->ncoord; ++c)
            torque[(size_t)c * (size_t)m->nmuscle + (size_t)k] += e->s->strength[k] / unit * along(e, c, e->response);
    }
}

/* Impulse that a free body still needs: change of its momentum, less what external forces and the strands give. */
static void missing_impulse(const snEffort *e, int32_t b, double impulse[6])
{
    const snModel *m = e->m;
    const snState *s = e->s;
    double block[36] = {0}, before[6] = {0};
    const double *next = s->velocity + 6 * b;
    sn_body_inertia(m->body_mass[b], m->body_inertia[b], s->velocity_before + 6 * b, sn_gravity(m, s), s->h, block,
                    before);
    v3 torque = q_unrotate(s->body[b].q, v3_load(s->torque + 3 * b)), force = v3_load(s->force + 3 * b);
    v3_store(before, v3_mad(v3_load(before), s->h, torque));
    v3_store(before + 3, v3_mad(v3_load(before + 3), s->h, force));
    for (int i = 0; i < 6; ++i) {
        double given = SN_HEAVY * (impulse[i] - next[i]); /* impulse holds the velocity without activations */
        impulse[i] = block[7 * i] * next[i] - before[i] - given;
    }
}

static void find_needs(snEffort *e, double unit, double *need)
{
    const snModel *m = e->m;
    sn_kkt_solve(e->s->kkt, e->s->impulse, e->impulse, 1);
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0) missing_impulse(e, b, e->impulse + 6 * m->body_free[b]);
    for (int32_t c = 0; c < m->ncoord; ++c) need[c] += along(e, c, e->impulse) / e->s->h / unit;
}

static void switch_joints(snEffort *e, bool on)
{
    int32_t culprit;
    size_t n = (size_t)e->m->pattern.njoint;
    uint8_t *now = e->s->joint_on;
    if (on)
        memcpy(now, e->joint_on, n);
    else
        memcpy(e->joint_on, now, n), memset(now, 0, n);
    sn_kkt_factor(e->s->kkt, e->clean, &culprit);
}

void sn_system_effort(const snModel *m, snState *s, snEffort *e, double unit, double *torque, double *need)
{
    (void)m, (void)s;
    find_twists(e);
    switch_joints(e, false);
    find_torques(e, unit, torque);
    find_path_torques(e, unit, torque);
    find_needs(e, unit, need);
    switch_joints(e, true);
}

void sn_effort_find(snEffort *e, double unit, double *torque, double *need)
{
    const snModel *m = e->m;
    memset(torque, 0, sizeof(double) * (size_t)m->nmuscle * (size_t)m->ncoord);
    memset(need, 0, sizeof(double) * (size_t)m->ncoord);
    for (const snPart *const *part = sn_parts; *part; ++part)
        if ((*part)->effort) (*part)->effort(m, e->s, e, unit, torque, need);
}
