/* What the fascicles of a replay did: forces, lengths, sums by muscle, contributions to the moment about a joint.
 *
 * The moment needs no simulation. Cut a strand where it goes over the joint: the bodies behind the joint, together with
 * the part of the strand behind the cut, feel the tension along the tangent there and nothing else of the strand. Its
 * power at unit velocity of the coordinate is the moment. A strand that goes to and fro is cut at every crossing.
 *
 * The cut lies half-way between the last constraint on this side and the first one on the other, where the strand is
 * straight. Places of eyelets on the strand move; they are found again in every frame, from the frame before. */
#include "analysis/crossing.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/def.h"
#include "base/error.h"
#include "math/spline.h"
#include "sinew/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 280 };

/* One place at which a strand is held by a body. */
typedef struct Hold {
    double s;           /* parameter on the strand, now */
    int32_t constraint; /* negative: none moves it */
    bool distal;
} Hold;

typedef struct Analysis {
    const snModel *m;
    const snTrack *replay;
    snAnalysisDef def;
    snArena memory;
    snError *error;
    int32_t nstrand, nmuscle;
    int32_t *strand, *muscle; /* chosen strands of the model; muscles that they belong to */
    int32_t *muscle_at;       /* per chosen strand: index into muscle, -1: passive */
    int32_t *track_strand, *first_point, *origin, *insertion, *length; /* per chosen strand: places in the replay */
    bool *crosses;                                                     /* per chosen strand */
    int32_t joint;                                                     /* -1: no moments */
    int32_t *track_body;                                               /* of the bodies of the joint: nbody */
    uint8_t *distal;
    Hold **hold; /* per chosen strand */
    int32_t *nhold;
    double *scalar; /* one frame of the result */
    const char **name;
    int32_t nscalar;
} Analysis;

#define NEW(a, field, count) ((a)->field = sn_arena_alloc(&(a)->memory, (size_t)(count), sizeof *(a)->field))

/* ---- what is there -------------------------------------------------------------------------- */

static snStatus choose_strands(Analysis *a)
{
    const snModel *m = a->m;
    a->nstrand = a->def.strand ? a->def.nstrand : m->nstrand;
    int32_t n = a->nstrand;
    if (!NEW(a, strand, n + 1) || !NEW(a, muscle, n + 1) || !NEW(a, muscle_at, n + 1) || !NEW(a, track_strand, n + 1) ||
        !NEW(a, first_point, n + 1) || !NEW(a, origin, n + 1) || !NEW(a, insertion, n + 1) || !NEW(a, length, n + 1) ||
        !NEW(a, crosses, n + 1) || !NEW(a, hold, n + 1) || !NEW(a, nhold, n + 1))
        return sn_fail_no_memory(a->error);
    if (n == 0) return sn_fail(a->error, SN_BAD_INPUT, "no strand is chosen");
    for (int32_t i = 0; i < n; ++i) {
        a->strand[i] = a->def.strand ? a->def.strand[i] : i;
        int32_t muscle = m->strand_muscle[a->strand[i]], k = 0;
        while (k < a->nmuscle && a->muscle[k] != muscle) ++k;
        if (muscle >= 0 && k == a->nmuscle) a->muscle[a->nmuscle++] = muscle;
        a->muscle_at[i] = muscle >= 0 ? k : -1;
    }
    return SN_OK;
}

static int32_t find_scalar(Analysis *a, const char *prefix, const char *name)
{
    char full[NAME];
    (void)snprintf(full, sizeof full, "%s/%s", prefix, name);
    return sn_track_find_scalar(a->replay, full);
}

static snStatus find_channels(Analysis *a)
{
    const snTrackDef *def = sn_track_def(a->replay);
    for (int32_t i = 0; i < a->nstrand; ++i) {
        const char *name = a->m->strand_name[a->strand[i]];
        int32_t t = a->track_strand[i] = sn_track_find_strand(a->replay, name);
        a->origin[i] = find_scalar(a, "force_origin", name);
        a->insertion[i] = find_scalar(a, "force_insertion", name);
        a->length[i] = find_scalar(a, "length", name);
        if (a->origin[i] < 0 || a->insertion[i] < 0 || a->length[i] < 0)
            return sn_fail(a->error, SN_BAD_INPUT, "the replay has no forces or length of strand \"%.100s\"", name);
        if (a->joint >= 0 && (t < 0 || def->strand_npoint[t] != a->m->strand[a->strand[i]].n))
            return sn_fail(a->error, SN_BAD_INPUT, "the replay does not have the points of strand \"%.100s\"", name);
        for (int32_t k = 0; k < t; ++k) a->first_point[i] += def->strand_npoint[k];
    }
    return SN_OK;
}

/* ---- where strands go over the joint -------------------------------------------------------- */

static void sort_in(Hold *hold, int32_t n, Hold h)
{
    int32_t i = n;
    for (; i > 0 && hold[i - 1].s > h.s; --i) hold[i] = hold[i - 1];
    hold[i] = h;
}

/* The places at which bodies hold a strand, along it. */
static bool find_holds(Analysis *a, int32_t i)
{
    const snModel *m = a->m;
    int32_t n = 0;
    for (int32_t k = 0; k < m->nconstraint; ++k) n += m->constraint[k].strand == a->strand[i];
    Hold *hold = a->hold[i] = sn_arena_alloc(&a->memory, (size_t)n + 1, sizeof *hold);
    if (!hold) return false;
    for (int32_t k = 0; k < m->nconstraint; ++k) {
        const snConstraint *c = &m->constraint[k];
        int32_t body = c->body >= 0 ? c->body : sn_junction_body(m, k);
        if (c->strand != a->strand[i] || body < 0) continue;
        bool slides = c->type == SN_CONSTRAINT_SLIDING;
        sort_in(hold, a->nhold[i]++, (Hold){c->s, slides ? k : -1, a->distal[body] != 0});
    }
    for (int32_t k = 1; k < a->nhold[i]; ++k) a->crosses[i] = a->crosses[i] || hold[k].distal != hold[k - 1].distal;
    return true;
}

static snStatus find_joint(Analysis *a)
{
    const snModel *m = a->m;
    a->joint = -1;
    for (int32_t j = 0; j < m->njoint && a->def.coordinate >= 0; ++j)
        if (a->def.coordinate >= m->joint_coordadr[j] && a->def.coordinate < m->joint_coordadr[j + 1]) a->joint = j;
    if (a->joint < 0) return SN_OK;
    if (!NEW(a, distal, m->nbody + 1) || !NEW(a, track_body, m->nbody + 1)) return sn_fail_no_memory(a->error);
    if (m->joint_b[a->joint] < 0)
        return sn_fail(a->error, SN_BAD_INPUT, "no body moves with joint \"%.100s\"", m->joint_name[a->joint]);
    sn_mark_distal(m, a->joint, a->distal);
    for (int32_t b = 0; b < m->nbody; ++b)
        if ((a->track_body[b] = sn_track_find_body(a->replay, m->body_name[b])) < 0)
            return sn_fail(a->error, SN_BAD_INPUT, "the replay has no body \"%.100s\"", m->body_name[b]);
    return SN_OK;
}

static snStatus find_crossings(Analysis *a)
{
    bool any = false;
    for (int32_t i = 0; i < a->nstrand; ++i) {
        if (!find_holds(a, i)) return sn_fail_no_memory(a->error);
        any = any || a->crosses[i];
    }
    if (any) return SN_OK;
    (void)sn_fail(a->error, SN_BAD_INPUT, "none of the chosen strands crosses joint \"%.100s\"",
                  a->m->joint_name[a->joint]);
    sn_error_remedy(a->error, "choose another joint, or other muscles");
    return SN_BAD_INPUT;
}

/* ---- one frame ------------------------------------------------------------------------------ */

static rigid body_at(const Analysis *a, int32_t frame, int32_t body)
{
    if (body < 0) return rigid_identity();
    const double *pose = sn_track_pose(a->replay, frame) + 7 * a->track_body[body];
    rigid node = {q_unit(q_load(pose + 3)), v3_load(pose)};
    return rigid_mul(node, rigid_inverse(a->m->body_node[body]));
}

/* Moves eyelets to where the strand passes them now. */
static void follow_eyelets(Analysis *a, int32_t frame, int32_t i, const double *q)
{
    const snStrand *st = &a->m->strand[a->strand[i]];
    for (int32_t k = 0; k < a->nhold[i]; ++k) {
        Hold *h = &a->hold[i][k];
        if (h->constraint < 0) continue;
        const snConstraint *c = &a->m->constraint[h->constraint];
        v3 x = rigid_apply(body_at(a, frame, c->body), c->point);
        int32_t span = 0;
        for (int round = 0; round < 20; ++round) {
            double before = h->s;
            h->s = sn_strand_closest(st, q, x, h->s, 0.5 / (st->n - 3), &span);
            if (fabs(h->s - before) < 1e-12) break;
        }
    }
}

/* Tension at a parameter: both ends together, unless another strand pulls in between. */
static double tension_at(const Analysis *a, int32_t frame, int32_t i, double s)
{
    const double *scalar = sn_track_scalar(a->replay, frame);
    double origin = scalar[a->origin[i]], insertion = scalar[a->insertion[i]];
    for (int32_t k = 0; k < a->m->nconstraint; ++k) {
        const snConstraint *c = &a->m->constraint[k];
        if (sn_is_junction(c) && c->other == a->strand[i]) return s < c->other_s ? origin : insertion;
    }
    return 0.5 * (origin + insertion);
}

/* Poses of the body behind the joint a little below and above the coordinate's value, and half the difference. */
typedef struct Turn {
    rigid now, low, high;
    double half;
} Turn;

static Turn turn_at(const Analysis *a, int32_t frame)
{
    const snModel *m = a->m;
    const snJoint *joint = &m->joint[a->joint];
    double q[SN_JOINT_MAX_DOF], row[12 * SN_JOINT_MAX_DOF];
    int32_t k = a->def.coordinate - m->joint_coordadr[a->joint];
    rigid base = body_at(a, frame, m->joint_a[a->joint]);
    Turn t = {.now = body_at(a, frame, m->joint_b[a->joint]), .half = 1e-5};
    sn_joint_coordinates(joint, base, t.now, q, row);
    q[k] -= t.half, t.low = sn_joint_place(joint, base, q);
    q[k] += 2 * t.half, t.high = sn_joint_place(joint, base, q);
    return t;
}

static double moment_of(Analysis *a, int32_t frame, int32_t i, const Turn *turn)
{
    const snStrand *st = &a->m->strand[a->strand[i]];
    const double *q = sn_track_point(a->replay, frame) + 3 * a->first_point[i];
    double moment = 0;
    follow_eyelets(a, frame, i, q);
    for (int32_t k = 1; k < a->nhold[i]; ++k) {
        const Hold *before = &a->hold[i][k - 1], *behind = before + 1;
        if (before->distal == behind->distal) continue;
        double s = (before->s + behind->s) / 2, b[4], d[4];
        int32_t span = spline_basis(st->knot, st->n, s, 0, b, d, NULL);
        v3 p = {0, 0, 0}, t = {0, 0, 0};
        for (int c = 0; c < 4; ++c) {
            p = v3_mad(p, b[c], v3_load(q + 3 * (span + c)));
            t = v3_mad(t, d[c], v3_load(q + 3 * (span + c)));
        }
        v3 local = rigid_unapply(turn->now, p);
        v3 velocity = v3_scale(v3_sub(rigid_apply(turn->high, local), rigid_apply(turn->low, local)), 0.5 / turn->half);
        double along = v3_dot(v3_unit(t), velocity); /* the side behind the cut is pulled back along the tangent */
        moment += tension_at(a, frame, i, s) * (behind->distal ? -along : along);
    }
    return moment;
}

/* ---- the result ----------------------------------------------------------------------------- */

/* The scalars of a frame in the order of their names; frame -1 names them instead. */
static bool put(Analysis *a, int32_t frame, const char *prefix, const char *name, double value)
{
    int32_t k = a->nscalar++;
    a->scalar[k] = value;
    if (frame >= 0) return true;
    size_t size = strlen(prefix) + strlen(name) + 2;
    char *text = sn_arena_alloc(&a->memory, size, 1);
    if (text) (void)snprintf(text, size, "%s/%s", prefix, name);
    a->name[k] = text;
    return text != NULL;
}

/* Sum or mean of what was put from `first` on for the chosen strands, by muscle. part: whether a strand counts. */
static bool put_by_muscle(Analysis *a, int32_t frame, const char *prefix, int32_t first, bool mean, const bool *part)
{
    bool fine = true;
    for (int32_t m = 0; m < a->nmuscle; ++m) {
        double sum = 0;
        int32_t n = 0, k = first;
        for (int32_t i = 0; i < a->nstrand; ++i) {
            if (part && !part[i]) continue;
            if (a->muscle_at[i] == m) sum += a->scalar[k], ++n;
            ++k;
        }
        if (n) fine = put(a, frame, prefix, a->m->muscle_name[a->muscle[m]], mean ? sum / n : sum) && fine;
    }
    return fine;
}

static bool put_moments(Analysis *a, int32_t frame)
{
    bool fine = true;
    int32_t first = a->nscalar;
    double sum = 0;
    Turn turn = {0};
    if (frame >= 0) turn = turn_at(a, frame);
    for (int32_t i = 0; i < a->nstrand; ++i) {
        if (!a->crosses[i]) continue;
        double moment = frame >= 0 ? moment_of(a, frame, i, &turn) : 0;
        sum += moment;
        fine = put(a, frame, "moment", a->m->strand_name[a->strand[i]], moment) && fine;
    }
    fine = put_by_muscle(a, frame, "sum_moment", first, false, a->crosses) && fine;
    return put(a, frame, "sum_moment", "all", sum) && fine;
}

static bool put_frame(Analysis *a, int32_t frame)
{
    const double *v = sn_track_scalar(a->replay, frame < 0 ? 0 : frame);
    bool fine = true;
    a->nscalar = 0;
    for (int32_t i = 0; i < a->nstrand; ++i)
        fine = put(a, frame, "force_insertion", a->m->strand_name[a->strand[i]], v[a->insertion[i]]) && fine;
    for (int32_t i = 0; i < a->nstrand; ++i)
        fine = put(a, frame, "length", a->m->strand_name[a->strand[i]], v[a->length[i]]) && fine;
    fine = put_by_muscle(a, frame, "sum_force", 0, false, NULL) && fine;
    fine = put_by_muscle(a, frame, "mean_length", a->nstrand, true, NULL) && fine;
    return a->joint < 0 ? fine : put_moments(a, frame) && fine;
}

static snStatus make_result(Analysis *a, snTrack **result)
{
    snTrack *made = NULL;
    int32_t most = 3 * a->nstrand + 3 * a->nmuscle + 1;
    if (!NEW(a, scalar, most) || !NEW(a, name, most) || !put_frame(a, -1)) return sn_fail_no_memory(a->error);
    snTrackDef def = {.size = sizeof(snTrackDef),
                      .model = sn_track_def(a->replay)->model,
                      .nscalar = a->nscalar,
                      .scalar_name = a->name};
    snStatus status = sn_track_create(&def, &made);
    if (status == SN_BAD_INPUT)
        return sn_fail(a->error, status, "a strand is chosen twice, or a muscle is called \"all\"");
    for (int32_t f = 0; status == SN_OK && f < sn_track_frames(a->replay); ++f) {
        (void)put_frame(a, f);
        status = sn_track_append(made, sn_track_time(a->replay, f), NULL, NULL, a->scalar);
    }
    if (status == SN_OK)
        *result = made;
    else if (made)
        sn_track_destroy(made);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(a->error) : status;
}

snStatus sn_analyse(const snModel *m, const snTrack *replay, const snAnalysisDef *def, snTrack **result, snError *error)
{
    if (!m || !result) return sn_fail_argument(error, "sn_analyse without model or result");
    snAnalysisDef taken = sn_default_analysis_def();
    if (def && SN_TAKE_DEF(def, snAnalysisDef, taken, error)) return SN_BAD_ARGUMENT;
    Analysis a = {.m = m, .replay = replay, .def = def ? *def : sn_default_analysis_def(), .error = error};
    if (sn_track_frames(replay) < 1) return sn_fail(error, SN_BAD_INPUT, "the replay has no frames");
    snStatus status = find_joint(&a);
    if (status == SN_OK) status = choose_strands(&a);
    if (status == SN_OK) status = find_channels(&a);
    if (status == SN_OK && a.joint >= 0) status = find_crossings(&a);
    if (status == SN_OK) status = make_result(&a, result);
    sn_arena_free(&a.memory);
    return status;
}
