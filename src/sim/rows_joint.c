/* Rows of joints: what holds two bodies together, limits of coordinates, cones of ball joints; and the passive springs
 * of coordinates, which go into the blocks of the bodies. Right-hand sides as in rows_strand.c.
 *
 * Invariant: the side of a body that is moved rather than simulated is zero; its velocity is on the right-hand side. */
#include "sim/state.h"

enum { BODY = 6 };

static rigid body_pose(const snState *s, int32_t body)
{
    return body < 0 ? rigid_identity() : s->ahead[body];
}

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

/* What the velocities before the step do along a row of free bodies. */
static double last_speed(const snModel *m, const snState *s, int32_t joint, const double row[12])
{
    const int32_t side[2] = {m->joint_a[joint], m->joint_b[joint]};
    double sum = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < BODY && side[k] >= 0; ++i) sum += row[6 * k + i] * s->velocity[6 * side[k] + i];
    return sum;
}

/* What a row whose gap is taken at s->ahead has on its right-hand side besides the gap: at the pose ahead the
 * velocities of before have been spent already, those of moved bodies among them. */
static double row_offset(const snModel *m, const snState *s, int32_t joint, const double kept[12], double moved)
{
    return sn_predicts(m) ? last_speed(m, s, joint, kept) : -moved;
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
    double offset = row_offset(m, s, joint, kept, moved);
    if (s->mend > s->h && sn_predicts(m)) gap -= s->h * (offset + moved), offset = -moved; /* the gap of now */
    s->impulse[s->joint0 + row] = sn_rows_correction(s, gap, one_sided) + offset;
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
static void stop_row(const snModel *m, snState *s, int32_t joint, int32_t row, const double rate[12], double sign,
                     double left)
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
    double impulse = -h * k * (value - m->coord_rest[coord]);
    if (sn_predicts(m))
        impulse += h * h * k * last_speed(m, s, joint, row) - h * d * moved;
    else
        impulse -= gain * moved;
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
    double gap[SN_JOINT_MAX_ROW], row[12 * SN_JOINT_MAX_ROW], value[SN_JOINT_MAX_DOF];
    for (int32_t j = 0; j < m->njoint; ++j) {
        rigid a = body_pose(s, m->joint_a[j]), b = body_pose(s, m->joint_b[j]);
        int32_t c0 = m->joint_coordadr[j];
        sn_joint_coordinates(&m->joint[j], a, b, value, s->joint_row + 12 * c0);
        if (m->joint_rowadr[j] < 0) continue;
        sn_joint_rows_at(&m->joint[j], a, b, gap, row);
        for (int32_t r = 0; r < sn_joint_rows(m->joint[j].kind); ++r)
            set_joint_row(m, s, j, m->joint_rowadr[j] + r, row + 12 * r, gap[r], false);
        for (int32_t c = c0; c < m->joint_coordadr[j + 1]; ++c) {
            joint_spring(m, s, j, c, value[c - c0]);
            if (m->coord_limit_row[c] >= 0) limit_row(m, s, j, c, value[c - c0]);
        }
        cone_rows(m, s, j, a, b);
    }
}
