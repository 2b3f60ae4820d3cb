/* Smaller steps where a step fails: go on, try again from the last good state with half the step, or give up.
 *
 * A step of length h is first taken whole; what that gives is kept, bit for bit, unless the step diverged or moved
 * something further than its linearisation reaches (sn_step_reaches). Then the state goes back to where the step began
 * and h is taken in pieces of h / 2^k. A piece that fails is taken again in halves; after one that went well the next
 * may be twice as long. The next step begins with pieces of at most twice the last length.
 *
 * Invariants
 * 1. Nothing is allocated: both snapshots have their memory from when the state was made.
 * 2. Bodies that are moved go to their target in a straight line (positions) and at an even rate (rotations); a
 *    controller chooses once, for the whole step, and what it chose holds for all pieces.
 * 3. A step that fails for good leaves the state where it began.
 * 4. The shortest piece is accepted if it does not diverge, however far it moves something; such pieces are counted. */
#include "sim/retry.h"
#include "sim/state.h"

#include "base/alloc.h"
#include "math/spline.h"

#include <math.h>
#include <string.h>

enum { WHOLE = SN_STEP_PIECES }; /* the step, in units of its shortest piece */

bool sn_retry_begin(const snModel *m, snState *s)
{
    size_t size = sn_state_save(m, s, NULL);
    s->before = sn_alloc(size, 1);
    s->good = s->before ? sn_alloc(size, 1) : NULL;
    s->piece = WHOLE;
    return s->good != NULL;
}

void sn_retry_end(snState *s)
{
    sn_free(s->before);
    sn_free(s->good);
}

/* ---- how far a step reaches ------------------------------------------------------------------- */

static const double MOST_TURN = 0.5; /* rad of a body within a step */
/* Of the distance of two control points, within a whole step and within a piece of one. Slack strands flap by more than
 * twice their spacing without harm; but a step that is taken in pieces already is one in trouble. */
static const double MOST_FLAP = 3, MOST_BEND = 0.5;
static const double MOST_GAP = 1e-3;             /* m, of a joint or an attachment: more has to become less */
static const double MOST_CHANGE = 0.01;          /* m: what the change of velocity moves a body by */
static const double CALM = 0.1, CALM_BEND = 0.2; /* of the most, and of the distance: no gap opens within such a step */

/* How far a body is turned and moved by the change of its velocity, as parts of what is allowed. */
static double body_reach(const snState *s, int32_t b)
{
    const double *v = s->velocity + 6 * b, *v0 = s->velocity_before + 6 * b;
    v3 omega = v3_load(v), change = v3_sub(v3_load(v + 3), v3_load(v0 + 3));
    return s->h * fmax(v3_len(omega) / MOST_TURN, v3_len(change) / MOST_CHANGE);
}

/* How far neighbouring control points change their distance and direction, over what they are apart. */
static double strand_bend(const snModel *m, const snState *s, int32_t strand)
{
    double worst = 0;
    for (int32_t i = m->strand_pointadr[strand]; i + 1 < m->strand_pointadr[strand + 1]; ++i) {
        const double *v = s->solution + s->point0 + 3 * i, *q = s->point + 3 * i, *rest = m->rest_point + 3 * i;
        v3 change = v3_sub(v3_load(v + 3), v3_load(v)), now = v3_sub(v3_load(q + 3), v3_load(q));
        double drawn = v3_len2(v3_sub(v3_load(rest + 3), v3_load(rest)));
        worst = fmax(worst, v3_len2(change) / fmax(drawn, v3_len2(now)));
    }
    return s->h * sqrt(worst);
}

/* Where a strand is held, how far it is from there after the step; *before: at its beginning. */
static double strand_gap(const snModel *m, const snState *s, int32_t strand, double *before)
{
    const snStrand *st = &m->strand[strand];
    const double *q = s->point + 3 * m->strand_pointadr[strand];
    double worst = 0, b[4], d[4];
    for (int32_t i = m->strand_constraintadr[strand]; i < m->strand_constraintadr[strand + 1]; ++i) {
        const snConstraint *c = &m->constraint[i];
        if (c->type != SN_CONSTRAINT_FIXED && c->type != SN_CONSTRAINT_SLIDING) continue;
        int32_t span = spline_basis(st->knot, st->n, s->s[i], s->span[i], b, d, NULL);
        v3 p = v3_neg(rigid_apply(s->body[c->body], c->point));
        for (int k = 0; k < 4; ++k) p = v3_mad(p, b[k], v3_load(q + 3 * (span + k)));
        worst = fmax(worst, v3_len(p));
        for (int32_t r = c->row; r < c->row + c->nrow; ++r) *before = fmax(*before, fabs(s->own_gap[r]));
    }
    return worst;
}

static double joint_gap(const snModel *m, int32_t j, const rigid *body)
{
    double gap[SN_JOINT_MAX_ROW], row[12 * SN_JOINT_MAX_ROW], worst = 0;
    rigid a = m->joint_a[j] < 0 ? rigid_identity() : body[m->joint_a[j]];
    rigid b = m->joint_b[j] < 0 ? rigid_identity() : body[m->joint_b[j]];
    if (m->joint_rowadr[j] < 0) return 0;
    sn_joint_rows_at(&m->joint[j], a, b, gap, row);
    for (int32_t r = 0; r < sn_joint_rows(m->joint[j].kind); ++r) worst = fmax(worst, fabs(gap[r]));
    return worst;
}

/* A strand that hardly moves, on bodies that hardly turn, is not looked at closely. */
static bool strand_reaches(const snModel *m, const snState *s, int32_t strand, bool calm)
{
    double bend = strand_bend(m, s, strand), before = MOST_GAP;
    if (bend > (s->h < s->mend ? MOST_BEND : MOST_FLAP)) return false;
    return (calm && bend < CALM_BEND) || strand_gap(m, s, strand, &before) <= before;
}

static bool joint_holds(const snModel *m, const snState *s, int32_t j)
{
    double after = joint_gap(m, j, s->body);
    return after <= MOST_GAP || after <= joint_gap(m, j, s->piece_from);
}

/* All free bodies are driven: what a motion takes is asked at whole steps. */
static bool all_driven(const snModel *m, const snState *s)
{
    bool all = m->nfree > 0;
    for (int32_t b = 0; b < m->nbody; ++b) all &= m->body_free[b] < 0 || s->driven[b];
    return all;
}

static bool step_reaches(const snModel *m, const snState *s)
{
    double furthest = 0;
    if (s->settle_damping < 1 || all_driven(m, s)) return true; /* settling may jump: it only has to arrive */
    for (int32_t b = 0; b < m->nbody; ++b)
        if (m->body_free[b] >= 0 && !s->driven[b]) furthest = fmax(furthest, body_reach(s, b));
    bool calm = furthest < CALM;
    if (furthest > 1) return false;
    for (int32_t i = 0; i < m->nspline; ++i)
        if (!strand_reaches(m, s, i, calm)) return false;
    for (int32_t j = 0; j < m->njoint && !calm; ++j)
        if (!joint_holds(m, s, j)) return false;
    return true;
}

/* ---- pieces ----------------------------------------------------------------------------------- */

/* Targets of moved bodies at a share of the way from where the step began. */
static void aim(const snModel *m, snState *s, double share)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        rigid from = s->step_from[b], to = s->step_to[b];
        if (m->body_free[b] >= 0 && !s->driven[b]) continue;
        s->body_target[b] = to;
        if (share >= 1) continue;
        v3 turn = v3_scale(q_log(q_mul(q_conj(from.q), to.q)), share);
        s->body_target[b].q = q_mul(from.q, q_exp(turn));
        s->body_target[b].p = v3_add(v3_scale(from.p, 1 - share), v3_scale(to.p, share));
    }
}

/* One piece: SN_OK, or SN_DIVERGED with the state as it was. */
static snStatus take(const snModel *m, snState *s, double whole, int32_t done, int32_t piece)
{
    s->h = whole * piece / WHOLE;
    sn_state_keep(s, s->good);
    memcpy(s->piece_from, s->body, sn_state_data_bytes(s, SN_ARRAY_body));
    aim(m, s, (double)(done + piece) / WHOLE);
    snStatus status = sn_step_once(m, s);
    bool reaches = status == SN_OK && step_reaches(m, s);
    if (status == SN_OK && piece == 1) s->info.unresolved += !reaches;
    if (reaches || (status == SN_OK && piece == 1)) return SN_OK;
    sn_state_put_back(s, s->good);
    return SN_DIVERGED;
}

static snStatus take_pieces(const snModel *m, snState *s)
{
    double whole = s->h;
    int32_t done = 0, count = 0, piece = s->piece < WHOLE ? s->piece : WHOLE / 2;
    snStatus status = SN_OK;
    while (done < WHOLE) {
        status = take(m, s, whole, done, piece);
        if (status != SN_OK && piece == 1) break;
        if (status != SN_OK) {
            piece /= 2;
            continue;
        }
        done += piece, ++count;
        if (done < WHOLE && done % (2 * piece) == 0 && 2 * piece <= WHOLE / 2) piece *= 2;
    }
    /* multipliers are force times step */
    for (int32_t i = s->own0; i < s->size && status == SN_OK; ++i) s->solution[i] *= whole / s->h;
    s->h = whole;
    s->piece = piece;
    s->info.substeps = count;
    return status;
}

/* ---- the step --------------------------------------------------------------------------------- */

snStatus sn_step_or_pieces(const snModel *m, snState *s)
{
    snStatus status = SN_DIVERGED;
    snActivationFn choose = s->choose;
    if (s->tree) return sn_step_once(m, s);
    sn_state_keep(s, s->before);
    memcpy(s->step_from, s->body, sn_state_data_bytes(s, SN_ARRAY_body));
    memcpy(s->piece_from, s->body, sn_state_data_bytes(s, SN_ARRAY_body));
    memcpy(s->step_to, s->body_target, sn_state_data_bytes(s, SN_ARRAY_body_target));
    s->info.substeps = 1, s->info.unresolved = 0;
    s->mend = s->h;
    if (choose || s->piece == WHOLE) {
        status = sn_step_once(m, s);
        if (status == SN_OK && step_reaches(m, s)) return SN_OK;
        memcpy(s->chosen, s->activation, sn_state_data_bytes(s, SN_ARRAY_activation));
        sn_state_put_back(s, s->before);
        memcpy(s->activation, s->chosen, sn_state_data_bytes(s, SN_ARRAY_activation));
    }
    s->choose = NULL;
    status = take_pieces(m, s);
    s->choose = choose;
    if (status != SN_OK)
        sn_state_put_back(s, s->before);
    else if (s->piece < WHOLE)
        s->piece *= 2;
    return status;
}
