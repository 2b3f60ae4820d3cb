/* Activations that a step of driven bodies demands: R a = need about every joint coordinate, 0 <= a <= 1.
 *
 * A driven body has the mass SN_HEAVY and answers to a force with force / SN_HEAVY, so the solver that gives velocities
 * gives forces here. */
#include "control/inverse.h"

#include "base/alloc.h"
#include "opt/boxqp.h"
#include "sim/state.h"

#include <math.h>
#include <string.h>

static const double UNIT = 1e-3;  /* N m (N): what counts as one */
static const double PRICE = 1e-3; /* of activation 1, in squared units: breaks ties and gives up no demand */

struct snInverse {
    const snModel *m;
    snState *s;
    int32_t every, nforce;
    rigid *low, *high;     /* nbody */
    double *coord, *row;   /* ncoord; rows of one joint */
    double *last_velocity; /* 6 nfree: over the step before */
    double *twist;         /* ncoord x 6 nfree: velocities of the bodies per unit velocity of a coordinate */
    int32_t *force_strand, *force_adr, *force_muscle;
    double *response, *free_velocity;
    double *R, *need; /* ncoord x nmuscle, ncoord: in units */
    double *Q, *c, *lower, *upper, *unmet;
    uint8_t *clean, *joint_on; /* nstrand, all 0; rows of joints as the step has them */
    snBoxQp *qp;
    snActivationFn choose; /* what the state had */
    void *choose_context;
};

/* ---- one choice of activations -------------------------------------------------------------- */

static rigid pose_of(const snInverse *v, int32_t body)
{
    return body < 0 ? rigid_identity() : v->s->body[body];
}

static void find_coordinates(snInverse *v)
{
    const snModel *m = v->m;
    for (int32_t j = 0; j < m->njoint; ++j)
        sn_joint_coordinates(&m->joint[j], pose_of(v, m->joint_a[j]), pose_of(v, m->joint_b[j]),
                             v->coord + m->joint_coordadr[j], v->row);
}

static void find_twists(snInverse *v)
{
    const double small = 1e-5;
    const snModel *m = v->m;
    find_coordinates(v);
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double q = v->coord[c];
        v->coord[c] = q - small, sn_pose_bodies(m, v->coord, v->low);
        v->coord[c] = q + small, sn_pose_bodies(m, v->coord, v->high);
        v->coord[c] = q;
        for (int32_t b = 0; b < m->nbody; ++b) {
            if (m->body_free[b] < 0) continue;
            double *twist = v->twist + 6 * ((size_t)c * (size_t)m->nfree + (size_t)m->body_free[b]);
            v3 turn = q_log(q_mul(v->high[b].q, q_conj(v->low[b].q)));
            v3_store(twist, q_unrotate(v->s->body[b].q, v3_scale(turn, 0.5 / small)));
            v3_store(twist + 3, v3_scale(v3_sub(v->high[b].p, v->low[b].p), 0.5 / small));
        }
    }
}

/* What a coordinate feels of forces (or impulses) on the bodies. */
static double along(const snInverse *v, int32_t coordinate, const double *force)
{
    int32_t n = 6 * v->m->nfree;
    const double *twist = v->twist + (size_t)coordinate * (size_t)n;
    double sum = 0;
    for (int32_t i = 0; i < n; ++i) sum += twist[i] * force[i];
    return sum;
}

static void find_responses(snInverse *v)
{
    int32_t nm = v->m->nmuscle, n = 6 * v->m->nfree;
    sn_kkt_body_response(v->s->kkt, v->nforce, v->force_strand, v->force_adr, v->s->active, v->response);
    memset(v->R, 0, sizeof(double) * (size_t)nm * (size_t)v->m->ncoord);
    for (int32_t j = 0; j < v->nforce; ++j) {
        int32_t k = v->force_muscle[j];
        double scale = v->s->strength[k] * SN_HEAVY / UNIT;
        for (int32_t c = 0; c < v->m->ncoord; ++c)
            v->R[(size_t)c * (size_t)nm + (size_t)k] += scale * along(v, c, v->response + (size_t)j * (size_t)n);
    }
}

/* Torque that the motion needs, less what is there without activations. */
static void find_needs(snInverse *v)
{
    const snModel *m = v->m;
    v3 gravity = v3_scale(m->gravity, v->s->def.gravity_scale);
    double *impulse = v->free_velocity;
    sn_kkt_solve(v->s->kkt, v->s->impulse, v->free_velocity, 1);
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t f = m->body_free[b];
        if (f < 0) continue;
        double block[36] = {0}, before[6] = {0};
        const double *next = v->s->velocity + 6 * b;
        sn_body_inertia(m->body_mass[b], m->body_inertia[b], v->last_velocity + 6 * f, gravity, v->s->h, block, before);
        v3 torque = q_unrotate(v->s->body[b].q, v3_load(v->s->torque + 3 * b)), force = v3_load(v->s->force + 3 * b);
        v3_store(before, v3_mad(v3_load(before), v->s->h, torque));
        v3_store(before + 3, v3_mad(v3_load(before + 3), v->s->h, force));
        for (int i = 0; i < 6; ++i) {
            double given = SN_HEAVY * (v->free_velocity[6 * f + i] - next[i]);
            impulse[6 * f + i] = block[7 * i] * next[i] - before[i] - given;
        }
    }
    for (int32_t c = 0; c < m->ncoord; ++c) v->need[c] = along(v, c, impulse) / v->s->h / UNIT;
}

static void form_qp(snInverse *v)
{
    size_t n = (size_t)v->m->nmuscle;
    memset(v->Q, 0, sizeof(double) * n * n);
    memset(v->c, 0, sizeof(double) * n);
    for (int32_t r = 0; r < v->m->ncoord; ++r) {
        const double *R = v->R + (size_t)r * n;
        for (size_t i = 0; i < n; ++i) {
            if (R[i] == 0) continue;
            for (size_t j = 0; j <= i; ++j) v->Q[i * n + j] += R[i] * R[j];
            v->c[i] -= R[i] * v->need[r];
        }
    }
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < i; ++j) v->Q[j * n + i] = v->Q[i * n + j];
        v->Q[i * n + i] += PRICE;
    }
}

static void find_activations(snInverse *v)
{
    int32_t n = v->m->nmuscle;
    form_qp(v);
    snBoxQpProblem problem = {.n = n, .Q = v->Q, .c = v->c, .lo = v->lower, .hi = v->upper};
    sn_boxqp_solve(v->qp, &problem, v->s->activation, NULL);
    for (int32_t r = 0; r < v->m->ncoord; ++r) {
        const double *R = v->R + (size_t)r * (size_t)n;
        double unmet = v->need[r];
        for (int32_t i = 0; i < n; ++i) unmet -= R[i] * v->s->activation[i];
        v->unmet[r] = unmet * UNIT;
    }
}

/* Joints are left out: what they carry does no work along the coordinates, and beside it the rest would lose digits. */
static void switch_joints(snInverse *v, bool on)
{
    int32_t culprit;
    size_t n = (size_t)v->m->pattern.njoint;
    uint8_t *now = v->s->value->joint_on;
    if (on)
        memcpy(now, v->joint_on, n);
    else
        memcpy(v->joint_on, now, n), memset(now, 0, n);
    sn_kkt_factor(v->s->kkt, v->clean, &culprit);
}

static void choose(void *context, const snModel *m, snState *s)
{
    (void)m;
    snInverse *v = context;
    if (s->info.steps % v->every) return;
    switch_joints(v, false);
    find_responses(v);
    find_needs(v);
    switch_joints(v, true);
    find_activations(v);
}

snStatus sn_inverse_step(snInverse *v, const rigid *next)
{
    const snModel *m = v->m;
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_mode[b] != SN_BODY_PINNED) v->s->body_target[b] = next[b];
    if (v->s->info.steps % v->every == 0) find_twists(v);
    snStatus status = sn_step(m, v->s);
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0)
            memcpy(v->last_velocity + 6 * m->body_free[b], v->s->velocity + 6 * b, sizeof(double) * 6);
    return status;
}

const double *sn_inverse_unmet(const snInverse *v)
{
    return v->unmet;
}

/* ---- set-up --------------------------------------------------------------------------------- */

bool sn_inverse_applies(const snModel *m)
{
    int32_t reached = 0;
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t joints = 0;
        for (int32_t j = 0; j < m->njoint; ++j) joints += m->joint_b[j] == b && m->joint_a[j] != b;
        if (m->body_free[b] >= 0 && joints == 1) ++reached;
    }
    return reached == m->nfree && m->nmuscle > 0 && m->ncoord > 0;
}

static bool allocate(snInverse *v)
{
    size_t nb = (size_t)v->m->nbody, nc = (size_t)v->m->ncoord, nm = (size_t)v->m->nmuscle;
    size_t nf = 6 * (size_t)v->m->nfree, ns = (size_t)v->m->nstrand;
    return (v->low = SN_NEW_ARRAY(rigid, nb)) && (v->high = SN_NEW_ARRAY(rigid, nb)) &&
           (v->coord = SN_NEW_ARRAY(double, nc)) && (v->row = SN_NEW_ARRAY(double, 12 * SN_JOINT_MAX_DOF)) &&
           (v->last_velocity = SN_NEW_ARRAY(double, nf)) && (v->twist = SN_NEW_ARRAY(double, nc *nf)) &&
           (v->force_strand = SN_NEW_ARRAY(int32_t, ns)) && (v->force_adr = SN_NEW_ARRAY(int32_t, ns)) &&
           (v->force_muscle = SN_NEW_ARRAY(int32_t, ns)) && (v->response = SN_NEW_ARRAY(double, ns *nf)) &&
           (v->free_velocity = SN_NEW_ARRAY(double, v->s->size)) && (v->R = SN_NEW_ARRAY(double, nc *nm)) &&
           (v->need = SN_NEW_ARRAY(double, nc)) && (v->Q = SN_NEW_ARRAY(double, nm *nm)) &&
           (v->c = SN_NEW_ARRAY(double, nm)) && (v->lower = SN_NEW_ARRAY(double, nm)) &&
           (v->upper = SN_NEW_ARRAY(double, nm)) && (v->unmet = SN_NEW_ARRAY(double, nc)) &&
           (v->clean = SN_NEW_ARRAY(uint8_t, ns)) && (v->joint_on = SN_NEW_ARRAY(uint8_t, v->m->pattern.njoint)) &&
           (v->qp = sn_boxqp_create(v->m->nmuscle));
}

static void drive(snInverse *v, bool on)
{
    for (int32_t b = 0; b < v->m->nbody; ++b) {
        int32_t f = v->m->body_free[b];
        if (f < 0) continue;
        v->s->driven[b] = on;
        memcpy(v->last_velocity + 6 * f, v->s->velocity + 6 * b, sizeof(double) * 6);
    }
}

static void list_muscles(snInverse *v)
{
    for (int32_t i = 0; i < v->m->nstrand; ++i) {
        if (v->m->strand_muscle[i] < 0) continue;
        v->force_strand[v->nforce] = i;
        v->force_adr[v->nforce] = 3 * v->m->strand_pointadr[i];
        v->force_muscle[v->nforce++] = v->m->strand_muscle[i];
    }
    for (int32_t k = 0; k < v->m->nmuscle; ++k) v->upper[k] = 1;
}

snInverse *sn_inverse_create(const snModel *m, snState *s, int32_t every)
{
    snInverse *v = SN_NEW(snInverse);
    if (!v) return NULL;
    v->m = m, v->s = s, v->every = every;
    if (!allocate(v)) {
        v->s = NULL;
        sn_inverse_destroy(v);
        return NULL;
    }
    drive(v, true);
    list_muscles(v);
    v->choose = s->choose;
    v->choose_context = s->choose_context;
    s->choose = choose;
    s->choose_context = v;
    return v;
}

void sn_inverse_destroy(snInverse *v)
{
    if (!v) return;
    if (v->s) {
        drive(v, false);
        v->s->choose = v->choose;
        v->s->choose_context = v->choose_context;
    }
    void *block[] = {v->low,
                     v->high,
                     v->coord,
                     v->row,
                     v->last_velocity,
                     v->twist,
                     v->force_strand,
                     v->force_adr,
                     v->force_muscle,
                     v->response,
                     v->free_velocity,
                     v->R,
                     v->need,
                     v->Q,
                     v->c,
                     v->lower,
                     v->upper,
                     v->unmet,
                     v->clean,
                     v->joint_on};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    sn_boxqp_destroy(v->qp);
    sn_free(v);
}
