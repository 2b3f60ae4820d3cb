/* Bodies with joints: rigid bodies in maximal coordinates, held together by rows.
 *
 * Invariants
 * 1. Pinned and kinematic bodies have no unknowns: they are where body_target says, with the velocity that takes them
 *    there within the step. A driven body has unknowns but the mass SN_HEAVY, and ends up at its target too.
 * 2. Springs of coordinates are added to the blocks of the bodies after their inertia. */
#include "sim/measure.h"
#include "sim/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void start(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b) s->body[b] = s->body_target[b] = m->body_rest[b];
    memset(s->velocity, 0, sn_state_data_bytes(s, SN_ARRAY_velocity));
    for (int32_t k = 0; k < m->ncoord; ++k)
        if (m->coord_limit_row[k] >= 0) s->joint_sided[m->coord_limit_row[k]] = 1;
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_cone[j].swing_row >= 0) s->joint_sided[m->joint_cone[j].swing_row] = 1;
        if (m->joint_cone[j].twist_row >= 0) s->joint_sided[m->joint_cone[j].twist_row] = 1;
    }
}

/* Where the bodies will be if nothing changes their velocity; where the model has no paths, where they are. */
static void look_ahead(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        s->ahead[b] = s->body[b];
        if (sn_predicts(m) && (m->body_free[b] < 0 || s->driven[b]))
            s->ahead[b] = s->body_target[b];
        else if (sn_predicts(m))
            sn_body_advance(&s->ahead[b].q, &s->ahead[b].p, s->velocity + 6 * b, s->h);
        s->ahead_turn[b] = m3_from_q(s->ahead[b].q);
    }
}

/* Velocity over the step of bodies that are moved rather than simulated. */
static void prepare(const snModel *m, snState *s)
{
    memcpy(s->velocity_before, s->velocity, sn_state_data_bytes(s, SN_ARRAY_velocity));
    for (int32_t b = 0; b < m->nbody; ++b) {
        if (m->body_free[b] >= 0 && !s->driven[b]) continue;
        rigid from = s->body[b], to = s->body_target[b];
        v3 omega = v3_scale(q_log(q_mul(q_conj(from.q), to.q)), 1 / s->h);
        v3_store(s->velocity + 6 * b, omega);
        v3_store(s->velocity + 6 * b + 3, v3_scale(v3_sub(to.p, from.p), 1 / s->h));
    }
    look_ahead(m, s);
}

static void body_inertia(const snModel *m, snState *s, int32_t body, int32_t f)
{
    double *block = s->value->body_A + 36 * f, *impulse = s->impulse + 6 * f;
    memset(block, 0, sizeof(double) * 36);
    memset(impulse, 0, sizeof(double) * 6);
    if (s->driven[body]) {
        for (int i = 0; i < 6; ++i) block[7 * i] = SN_HEAVY, impulse[i] = SN_HEAVY * s->velocity[6 * body + i];
        return;
    }
    sn_body_inertia(m->body_mass[body], m->body_inertia[body], s->velocity + 6 * body, sn_gravity(m, s), s->h, block,
                    impulse);
    v3 torque = q_unrotate(s->body[body].q, v3_load(s->torque + 3 * body)), force = v3_load(s->force + 3 * body);
    v3_store(impulse, v3_mad(v3_load(impulse), s->h, torque));
    v3_store(impulse + 3, v3_mad(v3_load(impulse + 3), s->h, force));
}

static void assemble(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0) body_inertia(m, s, b, m->body_free[b]);
    memset(s->value->pair_A, 0, sizeof(double) * 36 * (size_t)m->pattern.npair);
    sn_rows_of_joints(m, s);
}

static void advance(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        int32_t f = m->body_free[b];
        if (f < 0 || s->driven[b]) {
            s->body[b] = s->body_target[b];
            continue;
        }
        memcpy(s->velocity + 6 * b, s->solution + 6 * f, sizeof(double) * 6);
        sn_body_advance(&s->body[b].q, &s->body[b].p, s->velocity + 6 * b, s->h);
    }
}

static void measure(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        rigid node = sn_node_pose(m, s, b);
        v3 omega = v3_load(s->velocity + 6 * b);
        v3 arm = q_rotate(s->body[b].q, v3_cross(omega, m->body_node[b].p));
        v3_store(s->out_position + 3 * b, node.p);
        q_store(s->out_rotation + 4 * b, node.q);
        v3_store(s->out_velocity + 3 * b, v3_add(v3_load(s->velocity + 6 * b + 3), arm));
        v3_store(s->out_angular + 3 * b, q_unrotate(m->body_node[b].q, omega));
    }
    sn_pose_coordinates(m, s->body, s->out_coordinate);
}

int32_t sn_worst_joint(const snModel *m, const snState *s, double *largest)
{
    int32_t worst = -1;
    for (int32_t j = 0; j < m->njoint; ++j) {
        if (m->joint_rowadr[j] < 0) continue;
        for (int32_t r = 0; r < sn_joint_rows(m->joint[j].kind); ++r) {
            double gap = fabs(s->joint_gap[m->joint_rowadr[j] + r]);
            if (gap > *largest) *largest = gap, worst = j;
        }
    }
    return worst;
}

snStatus sn_blame_body(const snModel *m, snState *s, int32_t free_body)
{
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] == free_body)
            snprintf(s->info.culprit, sizeof s->info.culprit, "body \"%s\"", m->body_name[b]);
    return SN_DIVERGED;
}

void sn_energy_add_mass(snEnergy *e, double mass, v3 x, v3 v, v3 gravity)
{
    v3 p = v3_scale(v, mass), l = v3_cross(x, p);
    e->potential -= mass * v3_dot(gravity, x);
    v3_store(e->momentum, v3_add(v3_load(e->momentum), p));
    v3_store(e->angular_momentum, v3_add(v3_load(e->angular_momentum), l));
}

static void energy(const snModel *m, const snState *s, snEnergy *sum)
{
    v3 g = sn_gravity(m, s);
    for (int32_t b = 0; b < m->nbody; ++b) {
        if (m->body_free[b] < 0) continue;
        const double *v = s->velocity + 6 * b;
        sum->kinetic += sn_body_kinetic_energy(m->body_mass[b], m->body_inertia[b], v);
        sn_energy_add_mass(sum, m->body_mass[b], s->body[b].p, v3_load(v + 3), g);
        v3 spin = q_rotate(s->body[b].q, v3_mul(m->body_inertia[b], v3_load(v)));
        v3_store(sum->angular_momentum, v3_add(v3_load(sum->angular_momentum), spin));
    }
}

const snPart sn_part_bodies = {.name = "bodies",
                               .start = start,
                               .prepare = prepare,
                               .assemble = assemble,
                               .repair = sn_contact_repair_joints,
                               .advance = advance,
                               .measure = measure,
                               .energy = energy};
