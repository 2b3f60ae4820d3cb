/* Spline strands: forces and stiffness of the material, rows of their constraints, muscles among them.
 *
 * Invariants
 * 1. Parallel loops run over strands; a strand writes only its own points, rows and constraints, so that the result
 * does not depend on the number of threads.
 * 2. Tensions are constraint reactions at the ends, never the value of one Gauss point, which near a kink may be
 *    anything.
 * 3. `active` and `level` of a strand without a muscle are zero. */
#include "sim/measure.h"
#include "sim/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAFE_RISE = 0.3;   /* of the tension, within one step; 1 would be the limit of stability */
static const double LEAST_RISE = 0.02; /* N */

typedef struct Work {
    const snModel *m;
    snState *s;
} Work;

/* ---- start ---------------------------------------------------------------------------------- */

/* The fixed constraint nearest to each end of a strand is its origin or insertion. */
static void find_ends(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->nstrand; ++i) s->origin[i] = s->insertion[i] = -1;
    for (int32_t k = 0; k < m->nconstraint; ++k) {
        const snConstraint *c = &m->constraint[k];
        if (c->type != SN_CONSTRAINT_FIXED) continue;
        const snStrand *st = &m->strand[c->strand];
        bool first_half = c->s - st->knot[3] < st->knot[st->n] - c->s;
        int32_t *end = first_half ? &s->origin[c->strand] : &s->insertion[c->strand];
        if (*end < 0 || (first_half ? c->s < m->constraint[*end].s : c->s > m->constraint[*end].s)) *end = k;
    }
}

static void start(const snModel *m, snState *s)
{
    memcpy(s->point, m->rest_point, sizeof(double) * 3 * (size_t)m->nspline_point);
    memset(s->pointdot, 0, sn_state_data_bytes(s, SN_ARRAY_pointdot));
    for (int32_t k = 0; k < m->nconstraint; ++k) s->s[k] = m->constraint[k].s;
    for (int32_t k = 0; k < m->strand_constraintadr[m->nspline]; ++k) {
        const snConstraint *c = &m->constraint[k];
        if (c->type != SN_CONSTRAINT_SURFACE) continue;
        s->own_sided[c->row] = c->one_sided;
        if (c->lateral >= 0) s->own_sided[c->row + 1] = c->lateral > 0;
    }
    find_ends(m, s);
}

/* ---- before the solve ----------------------------------------------------------------------- */

static void rows_of_one(void *context, int32_t strand)
{
    Work *w = context;
    sn_rows_of_strand(w->m, w->s, strand);
}

static void prepare(const snModel *m, snState *s)
{
    Work work = {m, s};
    sn_pool_loop(s->pool, m->nspline, rows_of_one, &work);
}

static void forces_of_one(void *context, int32_t strand)
{
    Work *w = context;
    const snModel *m = w->m;
    snState *s = w->s;
    const snStrand *st = &m->strand[strand];
    int32_t p0 = m->strand_pointadr[strand];
    double *impulse = s->impulse + s->point0 + 3 * p0, *block = s->value->point_A + 36 * p0;
    double *active = s->active + 3 * p0;
    const double *q = s->point + 3 * p0, *qdot = s->pointdot + 3 * p0;
    bool contracts = m->strand_muscle[strand] >= 0;
    double a = s->stiff_activation[strand] = sn_drive_of_strand(m, s, strand);
    if (!contracts) memset(active, 0, sizeof(double) * 3 * (size_t)st->n);
    sn_strand_assemble(st, q, qdot, a, s->h, sn_gravity(m, s), impulse, contracts ? active : NULL, block);
    sn_eyelet_stiffness(m, s, strand);
}

static void evaluate(const snModel *m, snState *s)
{
    Work work = {m, s};
    sn_pool_loop(s->pool, m->nspline, forces_of_one, &work);
}

/* A controller may choose an activation much above the one that the stiffness was taken at. The lateral stiffness of a
 * strand is its tension, and a step whose tension is twice that of its stiffness overshoots: so the strands in question
 * are assembled again. */
static int32_t stiffen(const snModel *m, snState *s)
{
    Work work = {m, s};
    int32_t count = 0;
    for (int32_t i = 0; i < m->nspline; ++i) {
        double rise = m->strand_muscle[i] < 0 ? 0 : sn_drive_of_strand(m, s, i) - s->stiff_activation[i];
        double tension = fmax(s->out_tension[i], s->stiff_activation[i] * m->strand_force[i]);
        s->strand_dirty[i] = rise * m->strand_force[i] > fmax(SAFE_RISE * tension, LEAST_RISE);
        if (!s->strand_dirty[i]) continue;
        forces_of_one(&work, i);
        ++count;
    }
    return count;
}

static void activate(const snModel *m, snState *s)
{
    for (int32_t i = 0; i < m->nspline; ++i) {
        int32_t muscle = m->strand_muscle[i], p0 = m->strand_pointadr[i];
        s->level[i] = 0;
        if (muscle < 0) continue;
        double a = s->level[i] = s->h * s->activation[muscle] * s->strength[muscle];
        double *rhs = s->rhs + s->point0 + 3 * p0;
        const double *active = s->active + 3 * p0;
        for (int32_t k = 0; k < 3 * m->strand[i].n; ++k) rhs[k] += a * active[k];
    }
}

/* ---- after it ------------------------------------------------------------------------------- */

static void advance_one(void *context, int32_t strand)
{
    Work *w = context;
    const snModel *m = w->m;
    snState *s = w->s;
    int32_t p0 = m->strand_pointadr[strand], n = m->strand[strand].n;
    const double *v = s->solution + s->point0 + 3 * p0;
    double *q = s->point + 3 * p0, *qdot = s->pointdot + 3 * p0;
    for (int32_t i = 0; i < 3 * n; ++i) {
        qdot[i] = v[i] * s->settle_damping;
        q[i] += s->h * v[i];
    }
    sn_eyelet_remember(m, s, strand);
    double max_change = 0.5 / (n - 3);
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (c->type != SN_CONSTRAINT_SLIDING) continue;
        v3 x = rigid_apply(s->body[c->body], c->point);
        s->s[i] = sn_strand_closest(&m->strand[strand], q, x, s->s[i], max_change, &s->span[i]);
    }
}

static void advance(const snModel *m, snState *s)
{
    Work work = {m, s};
    sn_pool_loop(s->pool, m->nspline, advance_one, &work);
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

/* Keeps the largest gap of an equality; one-sided rows and springs have gaps of their own right. */
static void note_gap(const snConstraint *c, const snState *s, int32_t i, snWorst *worst)
{
    if (c->one_sided) worst->contacts += s->value->own_on[c->row];
    if (c->one_sided || c->spring || fabs(s->out_gap[i]) <= worst->gap) return;
    worst->gap = fabs(s->out_gap[i]), worst->constraint = i;
}

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

static void measure(const snModel *m, snState *s)
{
    Work work = {m, s};
    sn_pool_loop(s->pool, m->nspline, measure_one, &work);
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i)
        if (m->constraint[i].nlink > 0) measure_constraint(m, s, i);
}

snWorst sn_worst_constraint(const snModel *m, const snState *s)
{
    snWorst all = {.constraint = -1};
    for (int32_t k = 0; k < m->nspline; ++k) {
        all.contacts += s->worst[k].contacts;
        if (s->worst[k].gap > all.gap) all.gap = s->worst[k].gap, all.constraint = s->worst[k].constraint;
    }
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i)
        note_gap(&m->constraint[i], s, i, &all);
    return all;
}

snStatus sn_blame_strand(const snModel *m, snState *s, int32_t strand)
{
    snprintf(s->info.culprit, sizeof s->info.culprit, "strand \"%s\"", m->strand_name[strand]);
    return SN_DIVERGED;
}

/* The consistent mass couples points i and i + k; momentum and moments follow from it exactly. */
static void strand_energy(const snModel *m, const snState *s, int32_t i, v3 g, snEnergy *e)
{
    const snStrand *st = &m->strand[i];
    const double *q = s->point + 3 * m->strand_pointadr[i], *v = s->pointdot + 3 * m->strand_pointadr[i];
    e->kinetic += sn_strand_kinetic_energy(st, v);
    e->elastic += sn_strand_energy(st, q, sn_drive_of_strand(m, s, i));
    for (int32_t a = 0; a < st->n; ++a)
        for (int32_t k = 0; k < 4 && a + k < st->n; ++k) {
            double mass = st->mass[4 * a + k];
            sn_energy_add_mass(e, mass, v3_load(q + 3 * a), v3_load(v + 3 * (a + k)), g);
            if (k) sn_energy_add_mass(e, mass, v3_load(q + 3 * (a + k)), v3_load(v + 3 * a), g);
        }
}

static void energy(const snModel *m, const snState *s, snEnergy *sum)
{
    v3 g = sn_gravity(m, s);
    for (int32_t i = 0; i < m->nspline; ++i) strand_energy(m, s, i, g, sum);
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i)
        if (m->constraint[i].spring) sum->elastic += 0.5 * m->constraint[i].kp * s->out_gap[i] * s->out_gap[i];
}

const snPart sn_part_strands = {.name = "strands",
                                .start = start,
                                .prepare = prepare,
                                .evaluate = evaluate,
                                .assemble = sn_rows_of_links,
                                .stiffen = stiffen,
                                .activate = activate,
                                .repair = sn_contact_repair_strands,
                                .advance = advance,
                                .measure = measure,
                                .energy = energy};
