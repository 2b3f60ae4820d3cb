/* Finding the rest state before time zero. Steps of at most 1 ms with all bodies held and strands strongly damped: with
 * 5 ms a tendon can tunnel through a knuckle, and what follows looks like an instability. */
#include "sim/state.h"

#include <math.h>
#include <string.h>

static const double SETTLE_STEP = 1e-3;   /* s */
static const double SETTLE_DAMPING = 0.9; /* per step, about 100/s */
static const double STILL = 1e-5;         /* m/s: settled */
static const double WRONG_SIDE = 1e-3;    /* m below the surface */
static const double TURNED = -0.7;        /* cosine: a normal turned by more than 135 degrees */

static double fastest(const snModel *m, const snState *s)
{
    double speed = 0;
    for (int32_t i = 0; i < 3 * m->npoint; ++i) speed = fmax(speed, fabs(s->pointdot[i]));
    return speed;
}

static void hold_bodies(const snModel *m, snState *s, bool on)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        s->driven[b] = on && m->body_free[b] >= 0;
        s->body_target[b] = s->body[b];
        memset(s->velocity + 6 * b, 0, sizeof(double) * 6);
    }
}

snStatus sn_settle(const snModel *m, snState *s, double seconds)
{
    double h = s->h, time = s->time;
    snActivationFn choose = s->choose;
    int64_t steps = s->info.steps;
    snStatus status = SN_OK;
    s->h = fmin(h, SETTLE_STEP);
    s->settle_damping = SETTLE_DAMPING;
    s->choose = NULL;
    hold_bodies(m, s, true);
    for (double t = 0; t < seconds && status == SN_OK; t += s->h) {
        status = sn_step(m, s);
        if (t > 0.01 && fastest(m, s) < STILL) break;
    }
    hold_bodies(m, s, false);
    memset(s->pointdot, 0, sizeof(double) * 3 * (size_t)m->npoint);
    s->settle_damping = 1;
    for (int32_t i = s->own0; i < s->size; ++i) s->solution[i] *= h / s->h; /* multipliers are force times step */
    s->h = h;
    s->time = time;
    s->choose = choose;
    s->info.steps = steps;
    memset(s->info.stage_seconds, 0, sizeof s->info.stage_seconds);
    return status;
}

static bool is_turned(const snState *s, const snConstraint *c)
{
    v3 n = q_unrotate(s->body[c->body].q, v3_load(s->value->own[c->row].n));
    return v3_dot(n, c->rest_normal) < TURNED;
}

/* A strand that has gone through a bone is behind it with all its contact points there. Single ones turn too when the
 * strand slides and bends round the bone: the last ones then hang free in front of it. */
static bool has_gone_through(const snModel *m, const snState *s, const snConstraint *c)
{
    if (!is_turned(s, c)) return false;
    for (int32_t i = m->strand_constraintadr[c->strand]; i < m->strand_constraintadr[c->strand + 1]; ++i) {
        const snConstraint *other = &m->constraint[i];
        if (other->type == SN_CONSTRAINT_SURFACE && other->body == c->body && !is_turned(s, other)) return false;
    }
    return true;
}

static double depth_of(const snModel *m, const snState *s, const snConstraint *c)
{
    double gap = s->own_gap[c->row];
    return has_gone_through(m, s, c) ? fabs(gap) + 2 * WRONG_SIDE : -gap;
}

int32_t sn_wrong_side(const snModel *m, const snState *s, double *depth)
{
    int32_t worst = -1;
    *depth = WRONG_SIDE;
    for (int32_t i = 0; i < m->strand_constraintadr[m->nspline]; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (c->type != SN_CONSTRAINT_SURFACE) continue;
        double d = depth_of(m, s, c);
        if (d > *depth) worst = i, *depth = d;
    }
    return worst;
}
