/* Following a whole motion: approach, track frame by frame, measure, record.
 * One file, because a run is one state from its start to its checkpoint. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/error.h"
#include "base/hash.h"
#include "control/follower.h"
#include "control/inverse.h"
#include "control/reach.h"
#include "control/trust.h"
#include "motion/store.h"
#include "sim/own/state.h"
#include "sim/plant.h"
#include "sinew/control.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LEAD = 0.3; /* s: bones are carried to the moment that a torque is found at */

struct snFollow {
    const snModel *m;
    const snTrack *motion;
    snFollowDef def;
    snState *s;     /* tracks */
    snState *exact; /* bones on the input motion, tendons following; NULL unless asked for */
    snFollower *follower;
    snReach *reach;
    snTargetDef *target;
    int32_t ntarget;
    uint8_t *has_target;
    int32_t *channel;  /* body -> channel of the motion, -1 */
    rigid *now, *next; /* nbody, reachable poses */
    rigid *input;      /* nbody, as given */
    double *rest_coord, *first_coord, *coord;
    double *first_speed; /* ncoord: of the first frame, times the time of approach */
    double *last_activation;
    double start, end, dt, h; /* s: of the motion, of a frame, of a step */
    double now_time;          /* s: of the motion, where the next step ends; loads are those of that time */
    int32_t nframe, substeps;
    snFollowReport *report; /* what is counted so far */
    snError torn;           /* a joint came apart */
    const snState *failed;  /* the one whose step did not work */
    bool refused;           /* by its last step: a field out of range, not what a callback answered */
    double step_sum;
    double within_sum, within_sum2; /* of the distances to the motion within the ranges of the joints */
    int64_t steps;
    double *body_sum, *body_sum2; /* nbody */
    snTrustRun trust;
};
typedef snFollow Follow;

void sn_follow_report_free(snFollowReport *report)
{
    if (!report) return;
    sn_free(report->body);
    sn_free(report->clamped);
    sn_free(report->checkpoint);
    sn_free(report->trust.memory);
    report->trust = (snTrust){0};
    report->checkpoint = NULL;
    report->body = NULL;
    report->clamped = NULL;
}

/* ---- targets -------------------------------------------------------------------------------- */

static void input_poses(const Follow *f, double time, rigid *body)
{
    for (int32_t b = 0; b < f->m->nbody; ++b) {
        body[b] = f->m->body_rest[b];
        if (f->channel[b] < 0) continue;
        double pose[7];
        sn_track_pose_at(f->motion, f->channel[b], time, pose, NULL);
        rigid node = {q_unit(q_load(pose + 3)), v3_load(pose)};
        body[b] = rigid_mul(node, rigid_inverse(f->m->body_node[b]));
    }
}

static void reachable_poses(Follow *f, double time, rigid *body, snFollowReport *report)
{
    input_poses(f, time, body);
    sn_reach_clamp(f->reach, body, report->clamped);
}

static double smooth(double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * t * (10 + t * (6 * t - 15));
}

/* Before the first frame: from the rest pose to it, in joint coordinates, to the velocity
 * that the motion begins with. */
static void lead_poses(Follow *f, double t, rigid *body)
{
    double k = smooth(t), speed = t * t * t * (t * (7 - 3 * t) - 4);
    for (int32_t c = 0; c < f->m->ncoord; ++c)
        f->coord[c] = f->rest_coord[c] + k * (f->first_coord[c] - f->rest_coord[c]) + speed * f->first_speed[c];
    sn_pose_bodies(f->m, f->coord, body);
}

static void aim(Follow *f)
{
    for (int32_t i = 0; i < f->ntarget; ++i) {
        int32_t b = f->target[i].body;
        rigid now = rigid_mul(f->now[b], f->m->body_node[b]), next = rigid_mul(f->next[b], f->m->body_node[b]);
        double pose[2][7];
        v3_store(pose[0], now.p), q_store(pose[0] + 3, now.q);
        v3_store(pose[1], next.p), q_store(pose[1] + 3, next.q);
        sn_follower_aim(f->follower, i, pose[0], pose[1]);
    }
    for (int32_t b = 0; b < f->m->nbody; ++b) {
        if (f->channel[b] >= 0 && f->m->body_mode[b] == SN_BODY_KINEMATIC) sn_plant_aim(f->s, b, f->next[b]);
        if (f->exact && f->channel[b] >= 0 && f->m->body_mode[b] != SN_BODY_PINNED)
            sn_plant_aim(f->exact, b, f->next[b]);
    }
}

/* ---- stepping ------------------------------------------------------------------------------- */

static void note_activation(Follow *f, snFollowReport *report)
{
    const double *activation = sn_plant_activation(f->s);
    double sum = 0;
    for (int32_t k = 0; k < f->m->nmuscle; ++k) {
        double a = activation[k], change = a - f->last_activation[k];
        report->max_activation = fmax(report->max_activation, a);
        sum += change * change;
        f->last_activation[k] = a;
    }
    f->step_sum += sum / fmax(1, f->m->nmuscle);
    sn_trust_note_activation(&f->trust, f->h, activation);
    ++f->steps;
}

static snStatus step_exact(Follow *f)
{
    memcpy(sn_plant_activation(f->exact), sn_plant_activation(f->s), sizeof(double) * (size_t)f->m->nmuscle);
    f->failed = f->exact;
    snStatus status = sn_step(f->m, f->exact);
    f->refused = status == SN_BAD_INPUT;
    return status;
}

/* The bones of the exact motion are driven: loads change nothing there but what is recorded. */
static void load_up(Follow *f)
{
    sn_loads_apply(f->def.loads, f->s, f->now_time);
    if (f->exact) sn_loads_apply(f->def.loads, f->exact, f->now_time);
}

static snStatus step_once(Follow *f)
{
    load_up(f);
    aim(f);
    f->failed = f->s;
    snStatus status = sn_step(f->m, f->s);
    f->refused = status == SN_BAD_INPUT;
    return status == SN_OK && f->exact ? step_exact(f) : status;
}

/* With the bones carried there, and the activations that this takes (unmet: what they lack at the end, or NULL): however far and fast, they arrive exactly and the
 * tendons with them. Tracking instead may end in another pose from which no muscle leads to the right one. */
static snStatus carry_over(Follow *f, int32_t n, snInverse *inverse, double *unmet)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < n && status == SN_OK; ++i) {
        lead_poses(f, (double)(i + 1) / n, f->next);
        load_up(f);
        aim(f);
        f->failed = f->s;
        status = sn_inverse_step(inverse, f->next);
        f->refused = status == SN_BAD_INPUT;
        if (status == SN_OK && f->exact) status = step_exact(f);
    }
    if (status == SN_OK && unmet) memcpy(unmet, sn_inverse_unmet(inverse), sizeof *unmet * (size_t)f->m->ncoord);
    sn_inverse_destroy(inverse);
    return status;
}

static void start_lead(Follow *f, snFollowReport *report)
{
    double start = f->start, far = 0;
    reachable_poses(f, start + f->h, f->next, report);
    sn_pose_coordinates(f->m, f->next, f->coord);
    reachable_poses(f, start, f->next, report);
    sn_pose_coordinates(f->m, f->next, f->first_coord);
    sn_pose_coordinates(f->m, f->m->body_rest, f->rest_coord);
    for (int32_t c = 0; c < f->m->ncoord; ++c) {
        f->first_speed[c] = (f->coord[c] - f->first_coord[c]) / f->h * f->def.lead;
        far = fmax(far, fmax(fabs(f->first_coord[c] - f->rest_coord[c]), fabs(f->first_speed[c])));
    }
    if (far < 1e-9) f->def.lead = fmin(f->def.lead, 0.1); /* already there: only let the tensions find their level */
}

static snStatus approach(Follow *f)
{
    int32_t n = (int32_t)ceil(f->def.lead / f->h);
    if (f->ntarget == f->m->nfree && sn_inverse_applies(f->m)) {
        snInverse *inverse = sn_inverse_create(f->m, f->s, 1);
        return inverse ? carry_over(f, n, inverse, NULL) : SN_NO_MEMORY;
    }
    for (int32_t i = 0; i < n; ++i) {
        lead_poses(f, (double)i / n, f->now);
        lead_poses(f, (double)(i + 1) / n, f->next);
        snStatus status = step_once(f);
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static void note_worst(snFollowBody *body, double worst, double time)
{
    if (worst > body->worst) body->worst = worst, body->worst_time = time;
}

static void measure_body(Follow *f, int32_t b, rigid is, double time, snFollowReport *report)
{
    const snModel *m = f->m;
    rigid reached = f->next[b], given = f->input[b];
    bool clamped = v3_dist(reached.p, given.p) > 1e-9 || fabs(q_dot(reached.q, given.q)) < 1 - 1e-14;
    snBoneDistance d = sn_body_distance(m, b, is, given), within = clamped ? sn_body_distance(m, b, is, reached) : d;
    f->body_sum[b] += d.sum, f->body_sum2[b] += d.sum2;
    f->within_sum += within.sum, f->within_sum2 += within.sum2;
    note_worst(&report->body[b], d.worst, time);
    note_worst(&report->all, d.worst, time);
    note_worst(&report->within, within.worst, time);
    report->body[b].mean += d.count; /* counts until the end */
}

static void note_wrong_side(Follow *f, double time, snFollowReport *report)
{
    double depth;
    int32_t k = sn_wrong_side(f->m, f->s, &depth);
    if (k < 0 || report->wrong_sides++ > 0) return;
    snprintf(report->wrong_side, sizeof report->wrong_side, "strand \"%.40s\" %.1f mm behind \"%.40s\" at %.3f s",
             f->m->strand_name[f->m->constraint[k].strand], 1e3 * depth, f->m->constraint_name[k], time);
}

static rigid pose_of(const rigid *body, int32_t b)
{
    return b < 0 ? rigid_identity() : body[b];
}

/* Coordinates of a joint are off by no more than the joint is turned: those of a ball jump where they are not defined. */
static void note_joints(Follow *f, double time)
{
    const snModel *m = f->m;
    const rigid *is = sn_plant_bodies(f->s);
    sn_pose_coordinates(m, f->next, f->coord);
    for (int32_t j = 0; j < m->njoint; ++j) {
        int32_t a = m->joint_a[j], b = m->joint_b[j];
        if (!(a >= 0 && f->has_target[a]) && !(b >= 0 && f->has_target[b])) continue;
        quat now = q_mul(q_conj(pose_of(is, a).q), pose_of(is, b).q);
        quat target = q_mul(q_conj(pose_of(f->next, a).q), pose_of(f->next, b).q);
        double turned = v3_len(q_log(q_mul(now, q_conj(target))));
        for (int32_t c = m->joint_coordadr[j]; c < m->joint_coordadr[j + 1]; ++c) {
            double off = fabs(sn_plant_coordinates(f->s)[c] - f->coord[c]);
            sn_trust_note_coordinate(&f->trust, time, c, sn_coordinate_slides(m, c) ? off : fmin(off, turned));
        }
    }
}

static snStatus record(Follow *f, double time, snFollowReport *report)
{
    note_joints(f, time);
    note_wrong_side(f, time, report);
    input_poses(f, time, f->input);
    for (int32_t i = 0; i < f->ntarget; ++i)
        measure_body(f, f->target[i].body, sn_plant_bodies(f->s)[f->target[i].body], time, report);
    ++report->frames;
    return f->def.frame ? f->def.frame(f->def.user, f, f->exact ? f->exact : f->s, time) : SN_OK;
}

static void set_strengths(Follow *f)
{
    size_t size = sizeof(double) * (size_t)f->m->nmuscle;
    if (f->def.strength) memcpy(sn_plant_strength(f->s), f->def.strength, size);
    if (f->exact) memcpy(sn_plant_strength(f->exact), sn_plant_strength(f->s), size);
}

static void finish_report(Follow *f, snFollowReport *report)
{
    double sum = 0, sum2 = 0, count = 0;
    for (int32_t b = 0; b < f->m->nbody; ++b) {
        double n = report->body[b].mean;
        if (n == 0) continue;
        report->body[b].mean = f->body_sum[b] / n;
        report->body[b].rms = sqrt(f->body_sum2[b] / n);
        sum += f->body_sum[b], sum2 += f->body_sum2[b], count += n;
    }
    report->all.mean = count > 0 ? sum / count : 0;
    report->all.rms = count > 0 ? sqrt(sum2 / count) : 0;
    report->within.mean = count > 0 ? f->within_sum / count : 0;
    report->within.rms = count > 0 ? sqrt(f->within_sum2 / count) : 0;
    report->activation_step_rms = f->steps ? sqrt(f->step_sum / (double)f->steps) : 0;
    report->real_time_factor = report->seconds > 0 ? report->simulated / report->seconds : 0;
    for (int32_t c = 0; c < f->m->ncoord; ++c)
        if (report->clamped[c] > 1e-3) ++report->clamped_targets; /* a milliradian or millimetre is rounding */
    sn_trust_finish(&f->trust);
    report->trust.mean_distance = report->all.mean, report->trust.worst_distance = report->all.worst;
    report->trust.worst_distance_time = report->all.worst_time;
}

/* What the motion takes where it was missed most, beyond what muscles give: bones are carried to that moment in a state
 * of their own, which takes the place of the one that tracked. Last of all. */
static snStatus find_unmet(Follow *f, snFollowReport *report)
{
    snTrust *trust = &report->trust;
    if (trust->reached) return SN_OK;
    trust->unmet_torque = NAN;
    if (f->ntarget != f->m->nfree || !sn_inverse_applies(f->m) || trust->worst_angle_coordinate < 0) return SN_OK;
    sn_follower_destroy(f->follower);
    sn_state_destroy(f->s);
    sn_state_destroy(f->exact);
    f->follower = NULL, f->s = f->exact = NULL;
    f->start = f->now_time = trust->worst_angle_time, f->def.lead = LEAD;
    snStatus status = sn_state_create(f->m, &f->def.sim, &f->s, NULL);
    if (status != SN_OK) return status;
    sn_plant_set_step(f->s, f->h);
    set_strengths(f);
    start_lead(f, report);
    snInverse *inverse = sn_inverse_create(f->m, f->s, 1);
    if (!inverse) return SN_NO_MEMORY;
    sn_inverse_lean(inverse, f->first_coord);
    if (carry_over(f, (int32_t)ceil(f->def.lead / f->h), inverse, f->rest_coord) != SN_OK) return SN_OK; /* NaN tells */
    trust->unmet_torque = 0;
    for (int32_t c = 0; c < f->m->ncoord; ++c) sn_trust_note_unmet(&f->trust, f->start, c, f->rest_coord[c]);
    return SN_OK;
}

/* ---- continuing an interrupted run ----------------------------------------------------------- */

/* A run at a frame: this head, what the report counts so far, the state that tracks and the one on the input motion. */
typedef struct Checkpoint {
    char mark[8];
    int64_t frames, steps;
    uint64_t size, exact_size;
    double start, dt;
    double max_activation, step_sum, simulated;
    snFollowBody all, within;
    double within_sum, within_sum2;
    int64_t wrong_sides;
    char wrong_side[128];
} Checkpoint;

static const char checkpoint_mark[8] = "SNRESUM4";

/* One of the arrays that the report is made of, in either direction. */
typedef struct Piece {
    void *data;
    size_t size;
} Piece;
enum { PIECES = 5 };

static void list_pieces(const Follow *f, Piece piece[PIECES])
{
    size_t nb = (size_t)f->m->nbody;
    piece[0] = (Piece){f->report->body, nb * sizeof *f->report->body};
    piece[1] = (Piece){f->body_sum, nb * sizeof(double)};
    piece[2] = (Piece){f->body_sum2, nb * sizeof(double)};
    piece[3] = (Piece){f->report->clamped, (size_t)f->m->ncoord * sizeof(double)};
    piece[4] = (Piece){f->last_activation, (size_t)f->m->nmuscle * sizeof(double)};
}

size_t sn_follow_save(const snFollow *f, void *bytes)
{
    if (!f) return 0;
    const snFollowReport *r = f->report;
    Checkpoint head = {.frames = r->frames,
                       .steps = f->steps,
                       .size = sn_state_save(f->m, f->s, NULL),
                       .start = f->start,
                       .dt = f->dt,
                       .max_activation = r->max_activation,
                       .step_sum = f->step_sum,
                       .simulated = (r->frames - 1) * f->dt,
                       .all = r->all,
                       .within = r->within,
                       .within_sum = f->within_sum,
                       .within_sum2 = f->within_sum2,
                       .wrong_sides = r->wrong_sides};
    if (f->exact) head.exact_size = sn_state_save(f->m, f->exact, NULL);
    Piece piece[PIECES];
    size_t at = sizeof head;
    list_pieces(f, piece);
    for (int i = 0; i < PIECES; ++i) {
        if (bytes) memcpy((char *)bytes + at, piece[i].data, piece[i].size);
        at += piece[i].size;
    }
    at += sn_trust_save(&f->trust, bytes ? (char *)bytes + at : NULL);
    size_t size = at + (size_t)head.size + (size_t)head.exact_size + SN_SEAL;
    if (!bytes) return size;
    sn_state_save(f->m, f->s, (char *)bytes + at);
    if (f->exact) sn_state_save(f->m, f->exact, (char *)bytes + at + head.size);
    memcpy(head.mark, checkpoint_mark, sizeof head.mark);
    memcpy(head.wrong_side, r->wrong_side, sizeof head.wrong_side);
    memcpy(bytes, &head, sizeof head);
    sn_seal(bytes, size);
    return size;
}

static void keep_checkpoint(Follow *f)
{
    size_t size = sn_follow_save(f, NULL);
    f->report->checkpoint = sn_alloc(size, 1);
    if (f->report->checkpoint) f->report->checkpoint_size = sn_follow_save(f, f->report->checkpoint);
}

/* Whether the bytes are whole and of a run like this one. */
static bool checkpoint_fits(const Follow *f, Checkpoint *head)
{
    size_t size = f->def.checkpoint_size;
    if (size < sizeof *head || size != sn_follow_save(f, NULL) || !sn_is_sealed(f->def.checkpoint, size)) return false;
    memcpy(head, f->def.checkpoint, sizeof *head);
    if (memcmp(head->mark, checkpoint_mark, sizeof head->mark) != 0) return false;
    if (head->size != sn_state_save(f->m, f->s, NULL) || (head->exact_size > 0) != (f->exact != NULL)) return false;
    return head->frames >= 1 && head->frames <= f->nframe + 1 && head->start == f->start && head->dt == f->dt;
}

static snStatus load_checkpoint(Follow *f, snError *error)
{
    Checkpoint head;
    snFollowReport *r = f->report;
    Piece piece[PIECES];
    const char *at = (const char *)f->def.checkpoint + sizeof head;
    if (!checkpoint_fits(f, &head))
        return sn_fail(error, SN_BAD_INPUT,
                       "the checkpoint is damaged, or belongs to another model, motion range, frame rate or step");
    list_pieces(f, piece);
    for (int i = 0; i < PIECES; ++i) {
        memcpy(piece[i].data, at, piece[i].size);
        at += piece[i].size;
    }
    sn_trust_load(&f->trust, at);
    at += sn_trust_save(&f->trust, NULL);
    snStatus status = sn_state_load(f->m, f->s, at, (size_t)head.size);
    if (status == SN_OK && f->exact) status = sn_state_load(f->m, f->exact, at + head.size, (size_t)head.exact_size);
    if (status != SN_OK) return sn_fail(error, SN_BAD_INPUT, "the checkpoint belongs to another model or step");
    f->steps = head.steps;
    f->step_sum = head.step_sum;
    r->frames = r->resumed = (int32_t)head.frames;
    r->max_activation = head.max_activation;
    r->simulated = head.simulated;
    r->all = head.all, r->within = head.within;
    f->within_sum = head.within_sum, f->within_sum2 = head.within_sum2;
    r->wrong_sides = (int32_t)head.wrong_sides;
    memcpy(r->wrong_side, head.wrong_side, sizeof r->wrong_side - 1);
    return SN_OK;
}

/* ---- the run -------------------------------------------------------------------------------- */

/* Targets of a step: what the last one led to, and what is next. */
static void aim_at(Follow *f, bool first, double t, snFollowReport *report)
{
    if (first)
        reachable_poses(f, t, f->now, report);
    else
        memcpy(f->now, f->next, sizeof *f->now * (size_t)f->m->nbody);
    reachable_poses(f, t + f->h, f->next, report);
}

static void note_spread(Follow *f)
{
    int32_t nrow, ld;
    const double *rows = sn_follower_response(f->follower, &nrow, &ld);
    sn_trust_note_spread(&f->trust, nrow, rows, ld, sn_plant_activation(f->s));
}

/* A frame at half the step, from the state of now, which is there again afterwards. False where it did not work. */
static bool repeat_frame(Follow *f, int32_t frame, snFollowReport *report)
{
    snState *exact = f->exact;
    snStatus status = SN_OK;
    (void)sn_state_save(f->m, f->s, f->trust.kept);
    f->h *= 0.5, f->exact = NULL;
    sn_plant_set_step(f->s, f->h);
    sn_set_quiet(f->s, true);
    for (int32_t k = 0; k < 2 * f->substeps && status == SN_OK; ++k) {
        double t = f->start + (frame - 1) * f->dt + k * f->h;
        f->now_time = t + f->h;
        aim_at(f, k == 0, t, report);
        status = step_once(f);
    }
    if (status == SN_OK) sn_trust_halved(&f->trust, sn_plant_activation(f->s));
    f->h *= 2, f->exact = exact;
    sn_plant_set_step(f->s, f->h);
    (void)sn_state_load(f->m, f->s, f->trust.kept, f->trust.room); /* whole: it is our own */
    return status == SN_OK;
}

static snStatus step_frame(Follow *f, int32_t frame, snFollowReport *report)
{
    bool repeated = sn_trust_repeats(&f->trust, frame) && repeat_frame(f, frame, report);
    for (int32_t k = 0; k < f->substeps; ++k) {
        double t = f->start + (frame - 1) * f->dt + k * f->h;
        f->now_time = t + f->h;
        aim_at(f, k == 0, t, report);
        sn_set_quiet(f->s, k + 1 < f->substeps);
        if (f->exact) sn_set_quiet(f->exact, k + 1 < f->substeps);
        snStatus status = step_once(f);
        if (status == SN_OK) status = sn_check_gaps(f->s, &f->torn);
        if (status != SN_OK) return status;
        note_activation(f, report);
    }
    if (repeated) sn_trust_whole(&f->trust, sn_plant_activation(f->s));
    if (frame == (f->nframe + 1) / 2) note_spread(f);
    return SN_OK;
}

/* To the first frame, and that frame. */
static snStatus set_out(Follow *f, snFollowReport *report)
{
    f->now_time = f->start;
    start_lead(f, report);
    snStatus status = approach(f);
    memcpy(f->last_activation, sn_plant_activation(f->s), sizeof(double) * (size_t)f->m->nmuscle);
    return status == SN_OK ? record(f, f->start, report) : status;
}

static snStatus run(Follow *f, snFollowReport *report, snError *error)
{
    snStatus status = f->def.checkpoint ? load_checkpoint(f, error) : set_out(f, report);
    double began = sn_clock();
    for (int32_t frame = report->frames; frame <= f->nframe && status == SN_OK; ++frame) {
        status = step_frame(f, frame, report);
        if (status == SN_OK) status = record(f, f->start + frame * f->dt, report);
        if (status == SN_OK) report->simulated = frame * f->dt;
        if (frame % 1000 == 0) sn_track_rest(f->motion); /* a long motion need not stay in memory */
        snProgress p = f->def.progress;
        if (status == SN_OK && p.call && p.call(p.user, "track", frame, f->nframe)) status = SN_CANCELLED;
        if (status == SN_CANCELLED) keep_checkpoint(f);
    }
    report->seconds = sn_clock() - began;
    return status;
}

/* ---- set-up --------------------------------------------------------------------------------- */

static snStatus map_channels(Follow *f, snError *error)
{
    const snTrackDef *def = sn_track_def(f->motion);
    char unknown[256] = "";
    int32_t nunknown = 0;
    for (int32_t b = 0; b < f->m->nbody; ++b) f->channel[b] = -1;
    for (int32_t c = 0; c < def->nbody; ++c) {
        int32_t b = sn_map_get(&f->m->body_map, def->body_name[c]);
        if (b >= 0) {
            f->channel[b] = c;
            continue;
        }
        ++nunknown;
        size_t used = strlen(unknown);
        if (used < 200)
            snprintf(unknown + used, sizeof unknown - used, "%s\"%.40s\"", used ? ", " : "", def->body_name[c]);
    }
    if (nunknown)
        return sn_fail(error, SN_BAD_INPUT, "the motion names %d bodies that the model does not have: %s", nunknown,
                       unknown);
    for (int32_t b = 0; b < f->m->nbody; ++b) {
        if (f->channel[b] < 0 || f->m->body_free[b] < 0) continue;
        f->has_target[b] = 1;
        f->target[f->ntarget++] = (snTargetDef){.body = b, .weight = 1};
    }
    if (!f->ntarget) return sn_fail(error, SN_BAD_INPUT, "the motion moves no body that muscles could move");
    return SN_OK;
}

static snStatus set_times(Follow *f, snError *error)
{
    int32_t n = sn_track_frames(f->motion);
    if (n < 1) return sn_fail(error, SN_BAD_INPUT, "the motion has no frames");
    double first = sn_track_time(f->motion, 0), last = sn_track_time(f->motion, n - 1);
    f->start = fmax(first, f->def.start);
    f->end = f->def.end > f->def.start ? fmin(last, f->def.end) : last;
    if (f->end < f->start)
        return sn_fail(error, SN_BAD_INPUT, "the frame range %g to %g s lies outside the motion (%g to %g s)",
                       f->def.start, f->def.end, first, last);
    double rate = f->def.frame_rate > 0 ? f->def.frame_rate : n > 1 ? (n - 1) / (last - first) : 24;
    if (f->def.frame_rate <= 0) rate = fmin(fmax(rate, 24), 240);
    f->dt = 1 / rate;
    f->nframe = sn_frame_count(f->end - f->start, rate) - 1;
    f->substeps = (int32_t)ceil(f->dt / sn_plant_step(f->s) - 1e-6);
    if (f->substeps < 1) f->substeps = 1;
    f->h = f->dt / f->substeps;
    sn_plant_set_step(f->s, f->h);
    if (f->exact) sn_plant_set_step(f->exact, f->h);
    return SN_OK;
}

static bool allocate(Follow *f)
{
    size_t nb = (size_t)f->m->nbody, nc = (size_t)f->m->ncoord;
    return (f->target = SN_NEW_ARRAY(snTargetDef, nb)) && (f->has_target = SN_NEW_ARRAY(uint8_t, nb)) &&
           (f->channel = SN_NEW_ARRAY(int32_t, nb)) && (f->now = SN_NEW_ARRAY(rigid, nb)) &&
           (f->next = SN_NEW_ARRAY(rigid, nb)) && (f->input = SN_NEW_ARRAY(rigid, nb)) &&
           (f->rest_coord = SN_NEW_ARRAY(double, nc)) && (f->first_coord = SN_NEW_ARRAY(double, nc)) &&
           (f->first_speed = SN_NEW_ARRAY(double, nc)) && (f->coord = SN_NEW_ARRAY(double, nc)) &&
           (f->body_sum = SN_NEW_ARRAY(double, nb)) && (f->body_sum2 = SN_NEW_ARRAY(double, nb)) &&
           (f->last_activation = SN_NEW_ARRAY(double, f->m->nmuscle));
}

static void release(Follow *f)
{
    sn_follower_destroy(f->follower);
    sn_reach_destroy(f->reach);
    sn_state_destroy(f->s);
    sn_state_destroy(f->exact);
    sn_trust_close(&f->trust);
    void *block[] = {f->target,   f->has_target, f->first_speed,    f->channel,     f->now,
                     f->next,     f->input,      f->rest_coord,     f->first_coord, f->coord,
                     f->body_sum, f->body_sum2,  f->last_activation};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
}

static snStatus prepare(Follow *f, snError *error)
{
    if (!allocate(f)) return sn_fail_no_memory(error);
    snStatus status = map_channels(f, error);
    if (status == SN_OK) status = sn_state_create(f->m, &f->def.sim, &f->s, error);
    if (status == SN_OK && f->def.keep_input_motion) status = sn_state_create(f->m, &f->def.sim, &f->exact, error);
    if (status == SN_OK) status = set_times(f, error);
    if (status != SN_OK) return status;
    set_strengths(f);
    for (int32_t b = 0; f->exact && b < f->m->nbody; ++b) sn_plant_drive(f->m, f->exact, b, f->has_target[b]);
    snFollowerDef d = f->def.follower;
    if (!d.ntarget) d.ntarget = f->ntarget, d.target = f->target;
    status = sn_follower_create(f->m, f->s, &d, &f->follower, error);
    if (status != SN_OK) return status;
    f->reach = sn_reach_create(f->m, f->has_target);
    size_t kept = f->def.skip_step_check ? 0 : sn_state_save(f->m, f->s, NULL);
    bool fine = sn_trust_open(&f->trust, f->m, &f->report->trust, f->h, kept);
    return fine && f->reach ? SN_OK : sn_fail_no_memory(error);
}

/* Says which target moved fastest in the step that failed. */
static void name_fastest(const Follow *f, char *text, size_t size)
{
    double most = 0;
    for (int32_t i = 0; i < f->ntarget; ++i) {
        int32_t b = f->target[i].body;
        double along = v3_dist(f->next[b].p, f->now[b].p) / f->h;
        double turn = v3_len(q_log(q_mul(f->next[b].q, q_conj(f->now[b].q)))) / f->h;
        double speed = along + f->def.follower.length * turn;
        if (speed <= most) continue;
        most = speed;
        snprintf(text, size, "; the fastest target, body \"%.40s\", moved at %.3g m/s and %.0f degrees/s",
                 f->m->body_name[b], along, turn / SN_DEG);
    }
}

static snStatus explain(const Follow *f, snStatus status, snFollowReport *report, snError *error)
{
    if (status == SN_DIVERGED) {
        report->diverged = true;
        const snStepInfo *info = sn_info(f->failed);
        double last = f->start + (report->frames - 1) * f->dt;
        snprintf(report->culprit, sizeof report->culprit, "%s", info->culprit);
        char fastest[160] = "";
        name_fastest(f, fastest, sizeof fastest);
        if (!report->frames) last = f->start;
        if (f->torn.message[0]) {
            if (!error) return status;
            *error = f->torn;
            snprintf(error->message, sizeof error->message, "%.200s, after %.4g s of the motion%s", f->torn.message,
                     last, fastest);
            return status;
        }
        sn_fail(error, SN_DIVERGED,
                "the simulation diverged in step %lld, after %.4g s of the motion: %s, residual %.1e%s",
                (long long)info->steps + 1, last, info->culprit, info->residual, fastest);
    } else if (status == SN_CANCELLED) {
        sn_fail(error, SN_CANCELLED, "stopped after %d frames", report->frames);
    } else if (status == SN_NO_MEMORY) {
        sn_fail_no_memory(error);
    } else if (status == SN_BAD_INPUT && f->refused) {
        sn_fail(error, status, "%s", sn_info(f->failed)->culprit);
    }
    return status;
}

snStatus sn_follow_frames(const snModel *m, const snTrack *motion, const snFollowDef *def, snFollowReport *report,
                          snError *error)
{
    if (!m || !motion || !report) return sn_fail_argument(error, "the model, the motion or the report is NULL");
    snFollowDef taken = sn_default_follow_def();
    if (def && SN_TAKE_DEF(def, snFollowDef, taken, error)) return SN_BAD_ARGUMENT;
    Follow f = {.m = m, .motion = motion, .def = def ? *def : sn_default_follow_def(), .report = report};
    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    report->nbody = m->nbody;
    report->body = SN_NEW_ARRAY(snFollowBody, m->nbody);
    report->clamped = SN_NEW_ARRAY(double, m->ncoord);
    snStatus status = report->body && report->clamped ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) status = prepare(&f, error);
    if (status == SN_OK) {
        status = run(&f, report, error);
        finish_report(&f, report);
        status = explain(&f, status, report, error);
        if (status == SN_OK) status = find_unmet(&f, report);
    }
    release(&f);
    return status;
}
