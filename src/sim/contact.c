/* Which one-sided rows push: a velocity-level complementarity problem, G x + gap / h >= 0 and push >= 0, solved by
 * repairing the active set of the last step. A row that pulls is switched off, a row that would be passed is switched
 * on; a row may change twice within a step, so that the repair ends. */
#include "sim/state.h"

enum { MAX_FLIPS = 2 };
static const double PULL = 1e-3; /* N: a smaller pull is rounding */
static const double PASS = 1e-7; /* m: a smaller penetration is rounding */

static double part_velocity(const snKktPart *p, const double *x)
{
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        for (int c = 0; c < 3; ++c) sum += p->b[k] * p->n[c] * x[3 * (p->span + k) + c];
    return sum;
}

/* True when the row must change. The push is -y: the system is A x + G' y = f. */
static bool must_change(const snState *s, bool on, double y, double speed, double rhs)
{
    if (on) return y > PULL * s->h;
    return (speed - rhs) * s->h < -PASS;
}

static double own_speed(const snModel *m, const snState *s, int32_t strand, int32_t row, int32_t body)
{
    const double *x = s->solution;
    double speed = part_velocity(&s->value->own[row], x + s->point0 + 3 * m->strand_pointadr[strand]);
    if (body < 0) return speed;
    for (int i = 0; i < 6; ++i) speed += s->value->own_J[6 * row + i] * x[6 * body + i];
    return speed;
}

static int32_t repair_strand(const snModel *m, snState *s, int32_t strand)
{
    int32_t changed = 0;
    for (int32_t r = m->pattern.strand_ownadr[strand]; r < m->pattern.strand_ownadr[strand + 1]; ++r) {
        if (!s->own_sided[r] || s->flips[r] >= MAX_FLIPS) continue;
        bool on = s->value->own_on[r];
        double speed = on ? 0 : own_speed(m, s, strand, r, m->pattern.own_body[r]);
        if (!must_change(s, on, s->solution[s->own0 + r], speed, s->impulse[s->own0 + r])) continue;
        s->value->own_on[r] = !on;
        ++s->flips[r];
        ++changed;
    }
    s->strand_dirty[strand] = changed > 0;
    return changed;
}

static double joint_speed(const snModel *m, const snState *s, int32_t row)
{
    double speed = 0;
    for (int k = 0; k < 2; ++k) {
        int32_t body = m->pattern.joint_body[2 * row + k];
        for (int i = 0; i < 6 && body >= 0; ++i)
            speed += s->value->joint_J[12 * row + 6 * k + i] * s->solution[6 * body + i];
    }
    return speed;
}

int32_t sn_contact_repair_strands(const snModel *m, snState *s)
{
    int32_t changed = 0;
    for (int32_t i = 0; i < m->nspline; ++i) changed += repair_strand(m, s, i);
    return changed;
}

int32_t sn_contact_repair_joints(const snModel *m, snState *s)
{
    int32_t changed = 0;
    for (int32_t r = 0; r < m->pattern.njoint; ++r) {
        uint8_t *flips = s->flips + m->pattern.nown + r;
        if (!s->joint_sided[r] || *flips >= MAX_FLIPS) continue;
        bool on = s->value->joint_on[r];
        double speed = on ? 0 : joint_speed(m, s, r);
        if (!must_change(s, on, s->solution[s->joint0 + r], speed, s->impulse[s->joint0 + r])) continue;
        s->value->joint_on[r] = !on;
        ++*flips;
        ++changed;
    }
    return changed;
}
