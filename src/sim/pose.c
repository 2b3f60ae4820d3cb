/* Putting bodies somewhere: kinematic targets, and whole poses given by joint coordinates. */
#include "sim/paths.h"

#include "math/spline.h"

#include <math.h>
#include <string.h>

snStatus sn_move_body(const snModel *m, snState *s, int32_t body, const double position[3], const double rotation[4])
{
    if (!sn_fits(m, s) || !position || !rotation || body < 0 || body >= m->nbody) return SN_BAD_ARGUMENT;
    if (m->skeleton || m->body_mode[body] != SN_BODY_KINEMATIC) return SN_BAD_INPUT;
    double turn = sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2] +
                       rotation[3] * rotation[3]);
    if (!sn_all_within(position, 3, SN_MOST_PLACE) || !(turn > 0.5 && turn < 2)) return SN_BAD_INPUT;
    rigid node = {q_unit(q_load(rotation)), v3_load(position)};
    s->body_target[body] = rigid_mul(node, rigid_inverse(m->body_node[body]));
    return SN_OK;
}

void sn_pose_bodies(const snModel *m, const double *coordinate, rigid *body)
{
    memcpy(body, m->body_rest, sizeof *body * (size_t)m->nbody);
    /* Joints may be listed in any order: repeat until the poses reach the leaves. A tree of n joints needs n passes at
     * most. */
    for (int32_t pass = 0; pass < m->njoint; ++pass) {
        bool moved = false;
        for (int32_t j = 0; j < m->njoint; ++j) {
            int32_t a = m->joint_a[j], b = m->joint_b[j];
            if (b < 0 || m->body_free[b] < 0) continue;
            rigid pose =
                sn_joint_place(&m->joint[j], a < 0 ? rigid_identity() : body[a], coordinate + m->joint_coordadr[j]);
            moved = moved || v3_dist(pose.p, body[b].p) > 1e-12 || fabs(fabs(q_dot(pose.q, body[b].q)) - 1) > 1e-14;
            body[b] = pose;
        }
        if (!moved) return;
    }
}

void sn_pose_coordinates(const snModel *m, const rigid *body, double *coordinate)
{
    double row[12 * SN_JOINT_MAX_DOF];
    for (int32_t j = 0; j < m->njoint; ++j) {
        rigid a = m->joint_a[j] < 0 ? rigid_identity() : body[m->joint_a[j]];
        rigid b = m->joint_b[j] < 0 ? rigid_identity() : body[m->joint_b[j]];
        sn_joint_coordinates(&m->joint[j], a, b, coordinate + m->joint_coordadr[j], row);
    }
}

/* Where a point of a strand goes when the bodies around it move from one pose to another: blended between the
 * constraints before and behind it, rigid at each of them. */
static v3 carried(const snModel *m, const snState *s, const rigid *from, const rigid *to, int32_t strand, double param,
                  v3 x)
{
    int32_t before = -1, behind = -1;
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i) {
        if (s->s[i] <= param) before = i;
        if (s->s[i] > param && behind < 0) behind = i;
    }
    if (before < 0 && behind < 0) return x;
    if (before < 0) before = behind;
    if (behind < 0) behind = before;
    int32_t a = m->constraint[before].body, b = m->constraint[behind].body;
    v3 xa = rigid_apply(to[a], rigid_unapply(from[a], x)), xb = rigid_apply(to[b], rigid_unapply(from[b], x));
    double gap = s->s[behind] - s->s[before], t = gap > 0 ? (param - s->s[before]) / gap : 0;
    return v3_lerp(xa, xb, t);
}

void sn_carry_strands(const snModel *m, snState *s, const rigid *from, const rigid *to)
{
    for (int32_t i = 0; i < m->nspline; ++i) {
        const snStrand *st = &m->strand[i];
        for (int32_t k = 0; k < st->n; ++k) {
            double greville = (st->knot[k + 1] + st->knot[k + 2] + st->knot[k + 3]) / 3;
            double *q = s->point + 3 * (m->strand_pointadr[i] + k);
            v3_store(q, carried(m, s, from, to, i, greville, v3_load(q)));
        }
    }
}

snStatus sn_pose(const snModel *m, snState *s, const double *coordinate)
{
    if (!sn_fits(m, s) || !coordinate) return SN_BAD_ARGUMENT;
    if (!sn_all_within(coordinate, m->ncoord, SN_MOST_PLACE)) return SN_BAD_INPUT;
    if (m->skeleton) {
        sn_tree_put(m, s, coordinate);
        sn_measure(m, s);
        return SN_OK;
    }
    rigid *target = s->body_target;
    sn_pose_bodies(m, coordinate, target);
    sn_carry_strands(m, s, s->body, target);
    memcpy(s->body, target, sizeof *target * (size_t)m->nbody);
    memset(s->velocity, 0, sizeof(double) * 6 * (size_t)m->nbody);
    memset(s->pointdot, 0, sizeof(double) * 3 * (size_t)m->npoint);
    sn_paths_place(m, s);
    sn_measure(m, s);
    return SN_OK;
}
