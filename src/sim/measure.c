/* What is read from a state: node poses, lengths, reactions, gaps, energies, the hash. Tensions are constraint reactions at
 * the ends, never the value of one Gauss point, which near a kink may be anything. */
#include "sim/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void measure_bodies(const snModel *m, snState *s)
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
    double row[12 * SN_JOINT_MAX_DOF];
    for (int32_t j = 0; j < m->njoint; ++j) {
        rigid a = m->joint_a[j] < 0 ? rigid_identity() : s->body[m->joint_a[j]];
        rigid b = m->joint_b[j] < 0 ? rigid_identity() : s->body[m->joint_b[j]];
        sn_joint_coordinates(&m->joint[j], a, b, s->out_coordinate + m->joint_coordadr[j], row);
    }
}

/* Multipliers of a constraint as force: three world components of a fixed one, or along its rows. */
static v3 reaction(const snModel *m, const snState *s, int32_t constraint)
{
    const snConstraint *c = &m->constraint[constraint];
    const double *y = c->nrow ? s->solution + s->own0 + c->row : s->solution + s->link0 + c->link;
    return v3_scale(v3_load(y), 1 / s->h);
}

static void measure_strand(const snModel *m, snState *s, int32_t i)
{
    v3 origin = {0, 0, 0}, insertion = {0, 0, 0};
    if (s->origin[i] >= 0) origin = reaction(m, s, s->origin[i]);
    if (s->insertion[i] >= 0) insertion = reaction(m, s, s->insertion[i]);
    v3_store(s->out_origin + 3 * i, origin);
    v3_store(s->out_insertion + 3 * i, insertion);
    int ends = (s->origin[i] >= 0) + (s->insertion[i] >= 0);
    s->out_tension[i] = ends ? (v3_len(origin) + v3_len(insertion)) / ends : 0;
    s->out_length[i] = sn_strand_length(&m->strand[i], s->point + 3 * m->strand_pointadr[i]);
}

static void measure_constraint(const snModel *m, snState *s, int32_t i)
{
    const snConstraint *c = &m->constraint[i];
    const double *y = c->nrow ? s->solution + s->own0 + c->row : s->solution + s->link0 + c->link;
    const double *gap = c->nrow ? s->own_gap + c->row : s->link_gap + c->link;
    int32_t n = c->nrow ? c->nrow : c->nlink;
    double force = 0, apart = 0;
    if (c->type == SN_CONSTRAINT_SURFACE) n = 1; /* the lateral row is not contact */
    for (int32_t k = 0; k < n; ++k) force += y[k] * y[k], apart += gap[k] * gap[k];
    bool is_signed = n == 1; /* surface: push positive, gap positive outside; strut: tension positive */
    s->out_force[i] = is_signed ? (c->type == SN_CONSTRAINT_SURFACE ? -y[0] : y[0]) / s->h : sqrt(force) / s->h;
    s->out_gap[i] = is_signed ? gap[0] : sqrt(apart);
    s->out_s[i] = s->s[i];
}

/* The joint with the largest gap, -1 when none is above `largest`. */
static int32_t worst_joint(const snModel *m, const snState *s, double *largest)
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

/* Keeps the largest gap of an equality; one-sided rows and springs have gaps of their own right. */
static void note_gap(const snConstraint *c, const snState *s, int32_t i, snWorst *worst)
{
    if (c->one_sided) worst->contacts += s->value->own_on[c->row];
    if (c->one_sided || c->spring || fabs(s->out_gap[i]) <= worst->gap) return;
    worst->gap = fabs(s->out_gap[i]), worst->constraint = i;
}

static void worst_gap(const snModel *m, snState *s)
{
    snWorst all = {.constraint = -1};
    for (int32_t k = 0; k < m->nstrand; ++k) {
        all.contacts += s->worst[k].contacts;
        if (s->worst[k].gap > all.gap) all.gap = s->worst[k].gap, all.constraint = s->worst[k].constraint;
    }
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i) note_gap(&m->constraint[i], s, i, &all);
    int32_t joint = worst_joint(m, s, &all.gap);
    s->info.worst_gap = all.gap;
    s->info.active_contacts = all.contacts;
    char *text = s->info.culprit;
    if (joint >= 0)
        snprintf(text, sizeof s->info.culprit, "joint \"%s\"", m->joint_name[joint]);
    else if (all.constraint >= 0)
        snprintf(text, sizeof s->info.culprit, "constraint \"%s\"", m->constraint_name[all.constraint]);
}

typedef struct Work {
    const snModel *m;
    snState *s;
} Work;

static void measure_one(void *context, int32_t strand)
{
    Work *w = context;
    snWorst worst = {.constraint = -1};
    measure_strand(w->m, w->s, strand);
    for (int32_t i = w->m->strand_constraintadr[strand]; i < w->m->strand_constraintadr[strand + 1]; ++i) {
        measure_constraint(w->m, w->s, i);
        note_gap(&w->m->constraint[i], w->s, i, &worst);
    }
    w->s->worst[strand] = worst;
}

void sn_measure(const snModel *m, snState *s)
{
    Work work = {m, s};
    measure_bodies(m, s);
    sn_pool_loop(s->pool, m->nstrand, measure_one, &work);
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i) measure_constraint(m, s, i);
    worst_gap(m, s);
    sn_measure_groups(m, s);
}

/* ---- energies ------------------------------------------------------------------------------- */

static void add_mass(snEnergy *e, double mass, v3 x, v3 v, v3 g)
{
    v3 p = v3_scale(v, mass), l = v3_cross(x, p);
    e->potential -= mass * v3_dot(g, x);
    v3_store(e->momentum, v3_add(v3_load(e->momentum), p));
    v3_store(e->angular_momentum, v3_add(v3_load(e->angular_momentum), l));
}

/* The consistent mass couples points i and i + k; momentum and moments follow from it exactly. */
static void strand_energy(const snModel *m, const snState *s, int32_t i, v3 g, snEnergy *e)
{
    const snStrand *st = &m->strand[i];
    const double *q = s->point + 3 * m->strand_pointadr[i], *v = s->pointdot + 3 * m->strand_pointadr[i];
    int32_t muscle = m->strand_muscle[i];
    e->kinetic += sn_strand_kinetic_energy(st, v);
    e->elastic += sn_strand_energy(st, q, muscle < 0 ? 0 : s->activation[muscle] * s->strength[muscle]);
    for (int32_t a = 0; a < st->n; ++a)
        for (int32_t k = 0; k < 4 && a + k < st->n; ++k) {
            double mass = st->mass[4 * a + k];
            add_mass(e, mass, v3_load(q + 3 * a), v3_load(v + 3 * (a + k)), g);
            if (k) add_mass(e, mass, v3_load(q + 3 * (a + k)), v3_load(v + 3 * a), g);
        }
}

snEnergy sn_energy(const snModel *m, const snState *s)
{
    snEnergy e = {0};
    v3 g = v3_scale(m->gravity, s->def.gravity_scale);
    for (int32_t b = 0; b < m->nbody; ++b) {
        if (m->body_free[b] < 0) continue;
        const double *v = s->velocity + 6 * b;
        e.kinetic += sn_body_kinetic_energy(m->body_mass[b], m->body_inertia[b], v);
        add_mass(&e, m->body_mass[b], s->body[b].p, v3_load(v + 3), g);
        v3 spin = q_rotate(s->body[b].q, v3_mul(m->body_inertia[b], v3_load(v)));
        v3_store(e.angular_momentum, v3_add(v3_load(e.angular_momentum), spin));
    }
    for (int32_t i = 0; i < m->nstrand; ++i) strand_energy(m, s, i, g, &e);
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i)
        if (m->constraint[i].spring) e.elastic += 0.5 * m->constraint[i].kp * s->out_gap[i] * s->out_gap[i];
    e.elastic += sn_group_energy(m, s);
    return e;
}

uint64_t sn_state_hash(const snState *s)
{
    const snModel *m = s->model;
    size_t nb = (size_t)m->nbody, np = (size_t)m->npoint;
    uint64_t h = sn_hash_bytes(0, s->body, nb * sizeof *s->body);
    h = sn_hash_bytes(h, s->velocity, nb * 6 * sizeof(double));
    h = sn_hash_bytes(h, s->point, np * 3 * sizeof(double));
    return sn_hash_bytes(h, s->pointdot, np * 3 * sizeof(double));
}
