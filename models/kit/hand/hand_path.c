/* Paths of the hand's tendons as tight strings: straight between eyelets, around tubes where a surface is named. Used
 * to set slack lengths over the range of motion and to compare moment arms with published ones before anything is
 * simulated. */
#include "hand/hand.h"

void sn_hand_pose(const snHand *hand, const double *coordinate, rigid *motion)
{
    for (int32_t i = 0; i < hand->bone.count; ++i) motion[i] = rigid_identity();
    for (int32_t i = 0; i < hand->joint.count; ++i) {
        const snHandJoint *j = &hand->joint.at[i];
        quat q = q_axis_angle(j->axis[0], coordinate[j->first]);
        if (j->dofs == 2) q = q_mul(q, q_axis_angle(j->axis[1], coordinate[j->first + 1]));
        rigid turn = {q, v3_sub(j->center, q_rotate(q, j->center))};
        motion[j->child] = rigid_mul(motion[j->parent], turn);
    }
}

void sn_hand_range(const snHand *hand, int32_t coordinate, double *lower, double *upper)
{
    for (int32_t i = 0; i < hand->joint.count; ++i) {
        const snHandJoint *j = &hand->joint.at[i];
        int32_t dof = coordinate - j->first;
        if (dof < 0 || dof >= j->dofs) continue;
        *lower = j->lower[dof] * SN_DEG, *upper = j->upper[dof] * SN_DEG;
    }
}

enum { STRING_POINTS = 13, STRING_ROUNDS = 400 };

/* Pushes x out of the tube. */
static v3 outside(const snHandSurface *s, v3 center, v3 axis, double offset, v3 x)
{
    v3 d = v3_sub(x, center), radial = v3_mad(d, -v3_dot(d, axis), axis);
    double r = v3_len(radial), least = s->radius + offset;
    return r < least && r > 1e-9 ? v3_mad(x, (least - r) / r, radial) : x;
}

/* Length of a string from a over the tube to b; via says on which side it lies. */
static double tight_length(const snHandSurface *s, rigid motion, double offset, v3 a, v3 via, v3 b)
{
    v3 p[STRING_POINTS], center = rigid_apply(motion, s->center), axis = q_rotate(motion.q, s->axis);
    double first = v3_dist(a, via), whole = first + v3_dist(via, b), length = 0;
    for (int i = 0; i < STRING_POINTS; ++i) {
        double x = whole * i / (STRING_POINTS - 1);
        p[i] = x < first ? v3_lerp(a, via, x / first) : v3_lerp(via, b, (x - first) / (whole - first));
    }
    p[STRING_POINTS - 1] = b;
    for (int round = 0; round < STRING_ROUNDS; ++round)
        for (int i = 1; i + 1 < STRING_POINTS; ++i)
            p[i] = outside(s, center, axis, offset, v3_lerp(p[i - 1], p[i + 1], 0.5));
    for (int i = 1; i < STRING_POINTS; ++i) length += v3_dist(p[i - 1], p[i]);
    return length;
}

/* Length of a string from a to b that a tube bends where it comes into the way, on the side where it lies at rest: seen
 * along the axis two tangents and an arc, in the angle from that side; unrolled, a straight line. */
static double guarded_length(const snHand *hand, const rigid *motion, double offset, const snHandPoint *p, v3 a, v3 b)
{
    const snHandSurface *s = &hand->surface.at[p->guard];
    v3 drawn = v3_sub(v3_lerp(p->at, p[1].at, 0.5), s->center);
    v3 x = v3_unit(v3_mad(drawn, -v3_dot(drawn, s->axis), s->axis)), y = v3_cross(s->axis, x);
    double r = s->radius + offset, angle[2], bare[2], tangent[2], along[2];
    const v3 end[2] = {a, b};
    for (int e = 0; e < 2; ++e) {
        v3 at = v3_sub(rigid_unapply(motion[s->body], end[e]), s->center);
        double far = hypot(v3_dot(at, x), v3_dot(at, y));
        if (far <= r) return v3_dist(a, b);
        angle[e] = atan2(v3_dot(at, y), v3_dot(at, x));
        bare[e] = acos(r / far);
        tangent[e] = sqrt(far * far - r * r);
        along[e] = v3_dot(at, s->axis);
    }
    double arc = fabs(angle[0] - angle[1]) - bare[0] - bare[1];
    if (arc <= 0) return v3_dist(a, b);
    return hypot(tangent[0] + tangent[1] + r * arc, along[0] - along[1]);
}

static v3 point_at(const snHand *hand, const rigid *motion, int32_t index)
{
    const snHandPoint *p = &hand->point.at[index];
    return rigid_apply(motion[p->body], p->at);
}

/* Index of the point of a path that comes next behind the place nearest to p. */
static int32_t point_behind(const snHand *hand, const snHandMuscle *m, v3 p)
{
    double best = INFINITY;
    int32_t behind = m->first + 1;
    for (int32_t i = m->first + 1; i < m->first + m->npoint; ++i) {
        v3 a = hand->point.at[i - 1].at, d = v3_sub(hand->point.at[i].at, a);
        double t = fmin(fmax(v3_dot(v3_sub(p, a), d) / v3_len2(d), 0), 1), far = v3_dist(v3_mad(a, t, d), p);
        if (far < best) best = far, behind = i;
    }
    return behind;
}

/* The points of a path from its origin to a bone: one that ends on another strand goes on along that one. */
static int32_t whole_path(const snHand *hand, int32_t muscle, int32_t *index)
{
    const snHandMuscle *m = &hand->muscle.at[muscle], *next = m->into >= 0 ? &hand->muscle.at[m->into] : NULL;
    int32_t n = 0, last = m->first + m->npoint - 1;
    for (int32_t i = m->first; i < last; ++i) index[n++] = i;
    if (!next) index[n++] = last;
    for (int32_t i = next ? point_behind(hand, next, hand->point.at[last].at) : 0;
         next && i < next->first + next->npoint && n < SN_HAND_MAX_PATH; ++i)
        index[n++] = i;
    return n;
}

double sn_hand_path_length(const snHand *hand, const rigid *motion, int32_t muscle, double *from_end)
{
    const snHandMuscle *m = &hand->muscle.at[muscle];
    int32_t index[SN_HAND_MAX_PATH], n = whole_path(hand, muscle, index);
    double length = 0, end[SN_HAND_MAX_PATH] = {0};
    for (int32_t i = n - 2; i >= 0; --i) {
        const snHandPoint *p = &hand->point.at[index[i]];
        v3 next = point_at(hand, motion, index[i + 1]), here = point_at(hand, motion, index[i]);
        if (p->kind == SN_HAND_SURFACE) {
            const snHandSurface *s = &hand->surface.at[p->surface];
            v3 before = point_at(hand, motion, index[i - 1]);
            double piece = tight_length(s, motion[s->body], m->radius, before, here, next);
            end[i] = length + piece / 2;
            length += piece;
            --i;
        } else {
            bool guarded = p->guard >= 0 && index[i + 1] == index[i] + 1;
            length += guarded ? guarded_length(hand, motion, m->radius, p, here, next) : v3_dist(here, next);
        }
        end[i] = length;
    }
    for (int32_t i = 0; from_end && i < m->npoint; ++i) from_end[i] = i < n ? end[i] : 0;
    return length;
}

double sn_hand_moment_arm(const snHand *hand, const double *coordinate, int32_t muscle, int32_t about)
{
    enum { SIDES = 2 };
    const double step = 0.25 * SN_DEG;
    double q[SN_HAND_MAX_COORDINATE], length[SIDES];
    rigid motion[SN_HAND_MAX_BODY];
    for (int32_t i = 0; i < hand->ncoordinate; ++i) q[i] = coordinate[i];
    for (int side = 0; side < SIDES; ++side) {
        q[about] = coordinate[about] + (side ? step : -step);
        sn_hand_pose(hand, q, motion);
        length[side] = sn_hand_path_length(hand, motion, muscle, NULL);
    }
    return (length[0] - length[1]) / (2 * step);
}

/* Widens [least, most] by what one coordinate does at a fraction of its range. */
static void sample(const snHand *hand, int32_t muscle, int32_t coordinate, double angle, const double *neutral,
                   double *low, double *high)
{
    double q[SN_HAND_MAX_COORDINATE] = {0}, length[SN_HAND_MAX_PATH];
    rigid motion[SN_HAND_MAX_BODY];
    q[coordinate] = angle;
    sn_hand_pose(hand, q, motion);
    sn_hand_path_length(hand, motion, muscle, length);
    for (int32_t i = 0; i < hand->muscle.at[muscle].npoint; ++i) {
        double change = length[i] - neutral[i];
        if (change < low[i]) low[i] = change;
        if (change > high[i]) high[i] = change;
    }
}

void sn_hand_excursion(const snHand *hand, int32_t muscle, double share, bool sum, double *least, double *most)
{
    enum { SAMPLES = 5 };
    int32_t n = hand->muscle.at[muscle].npoint;
    double neutral[SN_HAND_MAX_PATH], q[SN_HAND_MAX_COORDINATE] = {0};
    rigid motion[SN_HAND_MAX_BODY];
    sn_hand_pose(hand, q, motion);
    sn_hand_path_length(hand, motion, muscle, neutral);
    for (int32_t i = 0; i < n; ++i) least[i] = most[i] = neutral[i];
    for (int32_t c = 0; c < hand->ncoordinate; ++c) {
        double low[SN_HAND_MAX_PATH] = {0}, high[SN_HAND_MAX_PATH] = {0}, lower = 0, upper = 0;
        sn_hand_range(hand, c, &lower, &upper);
        double middle = (lower + upper) / 2, half = share * (upper - lower) / 2;
        for (int k = 0; k < SAMPLES; ++k)
            sample(hand, muscle, c, middle + half * (2.0 * k / (SAMPLES - 1) - 1), neutral, low, high);
        for (int32_t i = 0; i < n; ++i) {
            least[i] = sum ? least[i] + low[i] : fmin(least[i], neutral[i] + low[i]);
            most[i] = sum ? most[i] + high[i] : fmax(most[i], neutral[i] + high[i]);
        }
    }
}

/* Widens kink[i] to the angle between the pieces before and behind point i, and notes where the next point comes
 * nearest: the length of the shorter piece, and how far from the insertion the strand is there. */
static void sample_bends(const snHand *hand, const rigid *motion, int32_t muscle, snHandBend *bend)
{
    const snHandMuscle *m = &hand->muscle.at[muscle];
    double from_end[SN_HAND_MAX_PATH];
    sn_hand_path_length(hand, motion, muscle, from_end);
    for (int32_t i = 1; i + 1 < m->npoint; ++i) {
        v3 here = point_at(hand, motion, m->first + i);
        v3 before = v3_sub(here, point_at(hand, motion, m->first + i - 1));
        v3 behind = v3_sub(point_at(hand, motion, m->first + i + 1), here);
        double gap = fmin(v3_len(before), v3_len(behind));
        bend[i].kink = fmax(bend[i].kink, atan2(v3_len(v3_cross(before, behind)), v3_dot(before, behind)));
        if (gap < bend[i].gap) bend[i].gap = gap, bend[i].from_end = from_end[i];
    }
}

void sn_hand_bends(const snHand *hand, int32_t muscle, snHandBend *bend)
{
    for (int32_t i = 0; i < hand->muscle.at[muscle].npoint; ++i) bend[i] = (snHandBend){.gap = INFINITY};
    for (int32_t j = 0; j < hand->joint.count; ++j)
        for (int corner = 0; corner < 9; ++corner) {
            const snHandJoint *joint = &hand->joint.at[j];
            const int end[2] = {corner / 3, corner % 3};
            double q[SN_HAND_MAX_COORDINATE] = {0};
            rigid motion[SN_HAND_MAX_BODY];
            for (int dof = 0; dof < joint->dofs; ++dof)
                q[joint->first + dof] = end[dof] ? SN_DEG * (end[dof] < 2 ? joint->lower[dof] : joint->upper[dof]) : 0;
            sn_hand_pose(hand, q, motion);
            sample_bends(hand, motion, muscle, bend);
        }
}
