/* The linear system that bodies and strands share: factored, solved and checked once for all of them.
 *
 *     [ M + h D + h^2 K   G' ] [ v ]   [ M v0 + h f ]
 *     [ G            -delta I ] [ y ] = [ -gap / h   ]
 *
 * A part whose unknowns stand in it leaves factor, solve and check to this one. */
#include "sim/response.h"
#include "sim/state.h"

#include <math.h>
#include <string.h>

static const double MAX_SPEED = 1e3;  /* m/s, rad/s: anything faster has diverged, if the step is taken whole */
static const double MAX_PIECE = 10;   /* m, rad: the same for what is moved within a piece of a step, */
static const double MAX_PIECES = 1e5; /* m/s, rad/s: and its speed */

/* Residual over the largest impulse on a strand that needs no refinement: 4e-12 on the hand changes its velocities by
 * less than 1e-8 of the largest. */
static const double ENOUGH = 1e-10;

static void prepare(const snModel *m, snState *s)
{
    memset(s->flips, 0, (size_t)(m->pattern.nown + m->pattern.njoint));
}

static snStatus factor(const snModel *m, snState *s, bool all)
{
    int32_t culprit = 0;
    snStatus status = sn_kkt_factor(s->kkt, all ? NULL : s->strand_dirty, &culprit);
    if (status == SN_OK) return SN_OK;
    return culprit >= 0 ? sn_blame_strand(m, s, culprit) : sn_blame_body(m, s, -1 - culprit);
}

/* Opens the right-hand side; the others add what their muscles do. */
static void activate(const snModel *m, snState *s)
{
    (void)m;
    memcpy(s->rhs, s->impulse, sizeof(double) * (size_t)s->size);
}

static void solve(const snModel *m, snState *s)
{
    (void)m;
    if (sn_kkt_is_attached(s->kkt))
        sn_kkt_attached_solve(s->kkt, s->level, s->rhs, s->solution, s->def.refine, ENOUGH);
    else
        sn_kkt_solve_to(s->kkt, s->rhs, s->solution, s->def.refine, ENOUGH);
}

/* Velocities beyond reason mean that the step has diverged; NaN fails the comparison too. */
static snStatus check_velocities(const snModel *m, snState *s)
{
    double most = s->h < s->mend ? fmin(MAX_PIECE / s->h, MAX_PIECES) : MAX_SPEED;
    for (int32_t i = 0; i < 6 * m->nfree; ++i)
        if (!(fabs(s->solution[i]) < most)) return sn_blame_body(m, s, i / 6);
    for (int32_t k = 0; k < m->nspline; ++k)
        for (int32_t i = 3 * m->strand_pointadr[k]; i < 3 * m->strand_pointadr[k + 1]; ++i)
            if (!(fabs(s->solution[s->point0 + i]) < most)) return sn_blame_strand(m, s, k);
    return SN_OK;
}

static snStatus check(const snModel *m, snState *s)
{
    snStatus status = check_velocities(m, s);
    if (status != SN_OK) s->info.residual = sn_kkt_residual(s->kkt, s->rhs, s->solution, s->residual);
    return status;
}

const snPart sn_part_system = {.name = "system",
                               .prepare = prepare,
                               .factor = factor,
                               .activate = activate,
                               .solve = solve,
                               .check = check,
                               .respond = sn_system_respond,
                               .effort = sn_system_effort};
