/* Constraint rows: gaps, directions and right-hand sides at the current configuration.
 *
 * Every row is G x - D y = -gap / h ([Sueda 2008] eq. 9 with mu = 1/h), so that a gap is closed in one step; how much of
 * it at most is bounded, because a strand that starts far away must not be shot at its surface. A one-sided
 * row with a positive gap has the same right-hand side: it lets the strand arrive but not pass.
 * Springs are rows too: D = 1 / (h^2 kp + h kd). */
#include "sim/state.h"

#include "math/spline.h"

#include <math.h>

enum { BODY = 6 };
static const double MAX_CORRECTION = 5e-3; /* m per step */

static double approach(const snState *s, double gap)
{
    return -(gap < -MAX_CORRECTION ? -MAX_CORRECTION : gap) / s->h;
}

/* Both signs are bounded for equalities; a one-sided row may be far away on its free side. */
static double correction(const snState *s, double gap, bool one_sided)
{
    if (!one_sided && gap > MAX_CORRECTION) gap = MAX_CORRECTION;
    return approach(s, gap);
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
    double rhs = correction(s, gap, s->own_sided[row]);
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

static void sliding_rows(const snModel *m, snState *s, const snConstraint *c, const snKktPart *part, v3 p, v3 tangent)
{
    v3 gap = v3_sub(p, rigid_apply(s->body[c->body], c->point));
    v3 t = v3_unit(tangent), n = v3_perp(t), b = v3_cross(t, n);
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
            sliding_rows(m, s, c, &part, p, tangent);
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
    s->impulse[s->link0 + link] = correction(s, gap, false);
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
    for (int32_t i = m->strand_constraintadr[m->nstrand]; i < m->nconstraint; ++i) link_of_constraint(m, s, i);
    sn_rows_of_groups(m, s);
}

/* ---- joints --------------------------------------------------------------------------------- */

static rigid body_pose(const snState *s, int32_t body) { return body < 0 ? rigid_identity() : s->body[body]; }

/* Splits twelve coefficients into those of free bodies, kept, and those of moved ones, returned as velocity. */
static double split_row(const snModel *m, const snState *s, int32_t joint, double row[12])
{
    const int32_t side[2] = {m->joint_a[joint], m->joint_b[joint]};
    double moved = 0;
    for (int k = 0; k < 2; ++k) {
        if (side[k] >= 0 && m->body_free[side[k]] >= 0) continue;
        for (int i = 0; i < BODY; ++i) {
            if (side[k] >= 0) moved += row[6 * k + i] * s->velocity[6 * side[k] + i];
            row[6 * k + i] = 0;
        }
    }
    return moved;
}

static void set_joint_row(const snModel *m, snState *s, int32_t joint, int32_t row, const double coefficient[12],
                          double gap, bool one_sided)
{
    double kept[12];
    for (int i = 0; i < 12; ++i) kept[i] = coefficient[i];
    double moved = split_row(m, s, joint, kept);
    for (int i = 0; i < 12; ++i) s->value->joint_J[12 * row + i] = kept[i];
    s->value->joint_D[row] = m->compliance;
    s->joint_gap[row] = gap;
    s->impulse[s->joint0 + row] = correction(s, gap, one_sided) - moved;
    if (!one_sided) s->value->joint_on[row] = 1;
}

static void limit_row(const snModel *m, snState *s, int32_t joint, int32_t coord, double value)
{
    double to_lower = value - m->coord_lower[coord], to_upper = m->coord_upper[coord] - value;
    double sign = to_lower < to_upper ? 1 : -1, row[12];
    bool angle = sn_joint_dof_is_angle(m->joint[joint].kind, coord - m->joint_coordadr[joint]);
    double scale = angle ? SN_JOINT_ANGLE_SCALE : 1;
    for (int i = 0; i < 12; ++i) row[i] = sign * scale * s->joint_row[12 * coord + i];
    set_joint_row(m, s, joint, m->coord_limit_row[coord], row, scale * (sign > 0 ? to_lower : to_upper), true);
}

/* A one-sided row that keeps an angle from growing (sign -1) or falling (+1) further than `left`, rad. */
static void stop_row(const snModel *m, snState *s, int32_t joint, int32_t row, const double rate[12], double sign, double left)
{
    double scaled[12];
    for (int i = 0; i < 12; ++i) scaled[i] = sign * SN_JOINT_ANGLE_SCALE * rate[i];
    set_joint_row(m, s, joint, row, scaled, SN_JOINT_ANGLE_SCALE * left, true);
}

static void cone_rows(const snModel *m, snState *s, int32_t joint, rigid a, rigid b)
{
    const snCone *cone = &m->joint_cone[joint];
    double row[12];
    if (cone->swing_row >= 0) {
        double swing = sn_joint_swing(&m->joint[joint], a, b, cone->center, row);
        stop_row(m, s, joint, cone->swing_row, row, -1, cone->swing - swing);
    }
    if (cone->twist_row >= 0) {
        double twist = sn_joint_twist(&m->joint[joint], a, b, row);
        double to_lower = twist - cone->twist[0], to_upper = cone->twist[1] - twist;
        bool lower = to_lower < to_upper;
        stop_row(m, s, joint, cone->twist_row, row, lower ? 1 : -1, lower ? to_lower : to_upper);
    }
}

static void add_block(double *block, const double *a, const double *b, double k)
{
    for (int i = 0; i < BODY; ++i)
        for (int j = 0; j < BODY; ++j) block[6 * i + j] += k * a[i] * b[j];
}

/* Passive stiffness and damping of a coordinate, implicit: k (c + h cdot - rest) + d cdot. */
static void joint_spring(const snModel *m, snState *s, int32_t joint, int32_t coord, double value)
{
    double k = m->coord_stiffness[coord], d = m->coord_damping[coord], h = s->h;
    if (k == 0 && d == 0) return;
    double row[12];
    for (int i = 0; i < 12; ++i) row[i] = s->joint_row[12 * coord + i];
    double moved = split_row(m, s, joint, row), gain = h * h * k + h * d;
    double impulse = -h * k * (value - m->coord_rest[coord]) - gain * moved;
    const int32_t side[2] = {m->joint_a[joint], m->joint_b[joint]};
    for (int e = 0; e < 2; ++e) {
        int32_t f = side[e] < 0 ? -1 : m->body_free[side[e]];
        if (f < 0) continue;
        add_block(s->value->body_A + 36 * f, row + 6 * e, row + 6 * e, gain);
        for (int i = 0; i < BODY; ++i) s->impulse[6 * f + i] += impulse * row[6 * e + i];
    }
    if (m->joint_pair[joint] < 0) return;
    bool in_order = m->body_free[side[0]] < m->body_free[side[1]];
    add_block(s->value->pair_A + 36 * m->joint_pair[joint], row + (in_order ? 0 : 6), row + (in_order ? 6 : 0), gain);
}

void sn_rows_of_joints(const snModel *m, snState *s)
{
    double gap[SN_JOINT_MAX_ROW], row[12 * SN_JOINT_MAX_ROW];
    for (int32_t j = 0; j < m->njoint; ++j) {
        rigid a = body_pose(s, m->joint_a[j]), b = body_pose(s, m->joint_b[j]);
        int32_t c0 = m->joint_coordadr[j];
        sn_joint_coordinates(&m->joint[j], a, b, s->out_coordinate + c0, s->joint_row + 12 * c0);
        if (m->joint_rowadr[j] < 0) continue;
        sn_joint_rows_at(&m->joint[j], a, b, gap, row);
        for (int32_t r = 0; r < sn_joint_rows(m->joint[j].kind); ++r)
            set_joint_row(m, s, j, m->joint_rowadr[j] + r, row + 12 * r, gap[r], false);
        for (int32_t c = c0; c < m->joint_coordadr[j + 1]; ++c) {
            joint_spring(m, s, j, c, s->out_coordinate[c]);
            if (m->coord_limit_row[c] >= 0) limit_row(m, s, j, c, s->out_coordinate[c]);
        }
        cone_rows(m, s, j, a, b);
    }
}

void sn_rows_move_bodies(const snModel *m, snState *s)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        if (m->body_free[b] >= 0 && !s->driven[b]) continue;
        rigid from = s->body[b], to = s->body_target[b];
        v3 omega = v3_scale(q_log(q_mul(q_conj(from.q), to.q)), 1 / s->h);
        v3_store(s->velocity + 6 * b, omega);
        v3_store(s->velocity + 6 * b + 3, v3_scale(v3_sub(to.p, from.p), 1 / s->h));
    }
}
