/* Rows of strands: gaps, directions and right-hand sides at the current configuration.
 *
 * Every row is G x - D y = -gap / h ([Sueda 2008] eq. 9 with mu = 1/h), so that a gap is closed in one step; how much
 * of it at most is bounded, because a strand that starts far away must not be shot at its surface. A one-sided row with
 * a positive gap has the same right-hand side: it lets the strand arrive but not pass. Springs are rows too: D = 1 /
 * (h^2 kp + h kd). Where a step is taken in pieces (retry.c), a gap is closed within the time of the whole step: within
 * a piece of a sixtyfourth it would be shot. */
#include "sim/state.h"

#include "math/spline.h"

#include <math.h>

enum { BODY = 6 };
static const double MAX_CORRECTION = 5e-3; /* m per step */
static const double OFF_END = 1e-4;        /* m: so far from the end of its strand an eyelet has come off it */

/* Both signs are bounded for equalities. */
double sn_rows_correction(const snState *s, double gap, bool one_sided)
{
    if (!one_sided && gap > MAX_CORRECTION) gap = MAX_CORRECTION;
    bool near = one_sided && gap > 0; /* may be reached within this very piece of a step, not passed */
    return -(gap < -MAX_CORRECTION ? -MAX_CORRECTION : gap) / (near ? s->h : s->mend);
}

/* Velocity of a moved body's point along n: goes to the right-hand side. */
static double moved_velocity(const snState *s, int32_t body, const double row[BODY])
{
    double sum = 0;
    for (int i = 0; i < BODY; ++i) sum += row[i] * s->velocity[6 * body + i];
    return sum;
}

static void set_own_row(const snModel *m, snState *s, int32_t row, const snKktPart *part, v3 n, int32_t body, v3 r,
                        double gap)
{
    snKktValues *v = s->value;
    double body_row[BODY];
    v->own[row] = *part;
    v3_store(v->own[row].n, n);
    v->own_D[row] = m->compliance;
    sn_body_point_row(s->body[body].q, r, n, body_row);
    double rhs = sn_rows_correction(s, gap, s->own_sided[row]);
    bool is_free = m->body_free[body] >= 0;
    for (int i = 0; i < BODY; ++i) v->own_J[6 * row + i] = is_free ? -body_row[i] : 0;
    if (!is_free) rhs += moved_velocity(s, body, body_row);
    s->own_gap[row] = gap;
    s->impulse[s->own0 + row] = rhs;
    if (!s->own_sided[row]) v->own_on[row] = 1;
}

static void fixed_rows(const snModel *m, snState *s, const snConstraint *c, const snKktPart *part, v3 p)
{
    static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    v3 gap = v3_sub(p, rigid_apply(s->body[c->body], c->point));
    for (int k = 0; k < 3; ++k) set_own_row(m, s, c->row + k, part, axis[k], c->body, c->point, v3_dot(axis[k], gap));
}

/* Whether an eyelet has come off an end of its strand. */
static bool is_off(const snStrand *st, double s, v3 gap, v3 t)
{
    double along = -v3_dot(gap, t);
    return (s >= st->knot[st->n] && along > OFF_END) || (s <= st->knot[3] && along < -OFF_END);
}

/* Across the strand; where the eyelet has come off an end, towards it. */
static void sliding_rows(const snModel *m, snState *s, int32_t index, const snKktPart *part, v3 p, v3 tangent)
{
    const snConstraint *c = &m->constraint[index];
    v3 gap = v3_sub(p, rigid_apply(s->body[c->body], c->point));
    v3 t = v3_unit(tangent), n = v3_perp(t), b = v3_cross(t, n);
    if (is_off(&m->strand[c->strand], s->s[index], gap, t)) n = v3_unit(gap), b = v3_perp(n);
    set_own_row(m, s, c->row, part, n, c->body, c->point, v3_dot(n, gap));
    set_own_row(m, s, c->row + 1, part, b, c->body, c->point, v3_dot(b, gap));
}

static void lateral_row(const snModel *m, snState *s, const snConstraint *c, const snKktPart *part, v3 p)
{
    v3 axis = q_rotate(s->body[c->body].q, c->lateral_axis);
    double aside = v3_dot(axis, v3_sub(p, rigid_apply(s->body[c->body], c->point)));
    v3 r = rigid_unapply(s->body[c->body], p);
    if (c->lateral > 0) {
        double sign = aside > 0 ? -1 : 1;
        set_own_row(m, s, c->row + 1, part, v3_scale(axis, sign), c->body, r, c->lateral - fabs(aside));
    } else {
        set_own_row(m, s, c->row + 1, part, axis, c->body, r, aside);
    }
}

static void surface_rows(const snModel *m, snState *s, int32_t index, const snKktPart *part, v3 p)
{
    const snConstraint *c = &m->constraint[index];
    const snSurface *surface = &m->surface[c->surface];
    snSurfaceHit hit = sn_surface_closest(surface, rigid_unapply(s->body[c->body], p), &s->hint[index]);
    v3 n = v3_scale(q_rotate(s->body[c->body].q, hit.normal), c->side);
    set_own_row(m, s, c->row, part, n, c->body, hit.point, c->side * hit.distance - c->offset);
    if (c->lateral >= 0) lateral_row(m, s, c, part, p);
}

/* Point and tangent of a strand at a parameter, and the row's strand side. */
static v3 part_at(const snModel *m, const snState *s, int32_t strand, double param, int32_t *hint, snKktPart *part,
                  v3 *tangent)
{
    const snStrand *st = &m->strand[strand];
    const double *q = s->point + 3 * m->strand_pointadr[strand];
    double d[4];
    part->span = spline_basis(st->knot, st->n, param, *hint, part->b, d, NULL);
    *hint = part->span;
    v3 p = {0, 0, 0}, t = {0, 0, 0};
    for (int k = 0; k < 4; ++k) {
        v3 x = v3_load(q + 3 * (part->span + k));
        p = v3_mad(p, part->b[k], x);
        t = v3_mad(t, d[k], x);
    }
    if (tangent) *tangent = t;
    return p;
}

void sn_rows_of_strand(const snModel *m, snState *s, int32_t strand)
{
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i) {
        const snConstraint *c = &m->constraint[i];
        snKktPart part;
        v3 tangent, p = part_at(m, s, strand, s->s[i], &s->span[i], &part, &tangent);
        if (c->type == SN_CONSTRAINT_FIXED)
            fixed_rows(m, s, c, &part, p);
        else if (c->type == SN_CONSTRAINT_SLIDING)
            sliding_rows(m, s, i, &part, p, tangent);
        else
            surface_rows(m, s, i, &part, p);
    }
}

/* ---- links ---------------------------------------------------------------------------------- */

static void set_link_part(snState *s, int32_t part_index, const snKktPart *part, v3 n)
{
    s->value->part[part_index] = *part;
    v3_store(s->value->part[part_index].n, n);
}

static void set_link_row(const snModel *m, snState *s, int32_t link, double gap)
{
    s->value->link_D[link] = m->compliance;
    s->value->link_on[link] = 1;
    s->link_gap[link] = gap;
    s->impulse[s->link0 + link] = sn_rows_correction(s, gap, false);
}

void sn_rows_link_spring(snState *s, int32_t link, double gap, double kp, double kd)
{
    double k = s->h * s->h * kp + s->h * kd;
    s->value->link_on[link] = k > 0;
    s->value->link_D[link] = k > 0 ? 1 / k : 1;
    s->link_gap[link] = gap;
    s->impulse[s->link0 + link] = k > 0 ? -gap * s->h * kp / k : 0;
}

static void link_of_constraint(const snModel *m, snState *s, int32_t index)
{
    static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const snConstraint *c = &m->constraint[index];
    snKktPart mine, other;
    v3 p = part_at(m, s, c->strand, s->s[index], &s->span[index], &mine, NULL);
    v3 q = part_at(m, s, c->other, c->other_s, &s->other_span[index], &other, NULL);
    v3 apart = v3_sub(p, q);
    if (c->type == SN_CONSTRAINT_FIXED) {
        for (int k = 0; k < 3; ++k) {
            int32_t part = m->pattern.link_partadr[c->link + k];
            set_link_part(s, part, &mine, axis[k]);
            set_link_part(s, part + 1, &other, v3_neg(axis[k]));
            set_link_row(m, s, c->link + k, v3_dot(axis[k], apart));
        }
        return;
    }
    double length = v3_len(apart);
    v3 n = length > 1e-9 ? v3_scale(apart, 1 / length) : v3_of(1, 0, 0);
    int32_t part = m->pattern.link_partadr[c->link];
    set_link_part(s, part, &mine, n);
    set_link_part(s, part + 1, &other, v3_neg(n));
    if (c->spring)
        sn_rows_link_spring(s, c->link, length - c->length, c->kp, c->kd);
    else
        set_link_row(m, s, c->link, length - c->length);
}

void sn_rows_of_links(const snModel *m, snState *s)
{
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i)
        if (m->constraint[i].nlink > 0) link_of_constraint(m, s, i);
}
