/* A replay as frames for deformers, and the bones that explain a deformed surface best. */
#include "sinew/playback.h"
#include "motion/track.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/model.h"
#include "record/own/playback.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Frames over which the best body of a point is looked for; a body that turns only now and then must be seen turning.
 */
enum { BIND_FRAMES = 12 };

struct snPlayback {
    const snModel *model;
    const snTrack *replay;
    int32_t *body_at;   /* per body of the model: in the replay, -1 */
    int32_t *point_at;  /* per strand: its first point in the replay */
    int32_t *scalar_at; /* per muscle: its activation in the replay, -1 */
    double *rest, *pose, *point, *activation;
    double *all_point, *all_scalar; /* of a time between frames, in the replay's order */
    bool strands, activations;      /* the replay has them */
    double last;                    /* time of the last frame given, NaN: none */
    snFrame frame, rest_frame;
};

static bool allocate(snPlayback *p)
{
    const snModel *m = p->model;
    p->body_at = SN_NEW_ARRAY(int32_t, m->nbody), p->point_at = SN_NEW_ARRAY(int32_t, m->nstrand);
    p->scalar_at = SN_NEW_ARRAY(int32_t, m->nmuscle);
    p->rest = SN_NEW_ARRAY(double, 7 * m->nbody), p->pose = SN_NEW_ARRAY(double, 7 * m->nbody);
    p->point = SN_NEW_ARRAY(double, 3 * m->npoint), p->activation = SN_NEW_ARRAY(double, m->nmuscle);
    p->all_point = SN_NEW_ARRAY(double, p->replay ? 3 * sn_track_points(p->replay) : 0);
    p->all_scalar = SN_NEW_ARRAY(double, p->replay ? sn_track_def(p->replay)->nscalar : 0);
    return p->body_at && p->point_at && p->scalar_at && p->rest && p->pose && p->point && p->activation &&
           p->all_point && p->all_scalar;
}

static void take_rest(snPlayback *p)
{
    const snModel *m = p->model;
    for (int32_t b = 0; b < m->nbody; ++b) {
        rigid node = rigid_mul(m->body_rest[b], m->body_node[b]);
        v3_store(p->rest + 7 * b, node.p), q_store(p->rest + 7 * b + 3, node.q);
    }
    memcpy(p->pose, p->rest, 7 * (size_t)m->nbody * sizeof(double));
    p->rest_frame = (snFrame){.pose = p->rest, .restart = true};
}

static snStatus match_strands(snPlayback *p, snError *error)
{
    const snTrackDef *def = sn_track_def(p->replay);
    p->strands = def->nstrand > 0;
    for (int32_t s = 0; p->strands && s < p->model->nstrand; ++s) {
        const char *name = sn_name(p->model, SN_ITEM_STRAND, s);
        int32_t found = sn_track_find_strand(p->replay, name), count = sn_strand_point_count(p->model, s);
        if (found < 0)
            return sn_fail(error, SN_BAD_INPUT, "the replay has no strand \"%.100s\", which the model has", name);
        if (def->strand_npoint[found] != count)
            return sn_fail(error, SN_BAD_INPUT,
                           "strand \"%.100s\" has %d control points in the replay, %d in the model", name,
                           def->strand_npoint[found], count);
        for (int32_t k = 0; k < found; ++k) p->point_at[s] += def->strand_npoint[k];
    }
    return SN_OK;
}

static void match_muscles(snPlayback *p)
{
    for (int32_t i = 0; i < p->model->nmuscle; ++i) {
        char name[300];
        (void)snprintf(name, sizeof name, "activation/%.250s", sn_name(p->model, SN_ITEM_MUSCLE, i));
        p->scalar_at[i] = sn_track_find_scalar(p->replay, name);
        p->activations |= p->scalar_at[i] >= 0;
    }
}

snStatus sn_playback_create(const snModel *model, const snTrack *replay, snPlayback **playback, snError *error)
{
    if (!model || !playback) return sn_fail_argument(error, "sn_playback_create without model or playback");
    snPlayback *p = SN_NEW(snPlayback);
    if (!p) return sn_fail_no_memory(error);
    p->model = model, p->replay = replay, p->last = NAN;
    snStatus status = allocate(p) ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) {
        take_rest(p);
        for (int32_t b = 0; b < model->nbody; ++b)
            p->body_at[b] = replay ? sn_track_find_body(replay, model->body_name[b]) : -1;
        if (replay) status = match_strands(p, error);
        if (replay) match_muscles(p);
    }
    if (status == SN_OK)
        *playback = p;
    else
        sn_playback_destroy(p);
    return status;
}

void sn_playback_destroy(snPlayback *p)
{
    if (!p) return;
    sn_free(p->body_at), sn_free(p->point_at), sn_free(p->scalar_at);
    sn_free(p->rest), sn_free(p->pose), sn_free(p->point), sn_free(p->activation);
    sn_free(p->all_point), sn_free(p->all_scalar);
    sn_free(p);
}

/* Puts points and scalars of the replay in the model's order and says what there is. */
static const snFrame *give(snPlayback *p, double time, const double *point, const double *scalar)
{
    double *to = p->point;
    for (int32_t s = 0; p->strands && s < p->model->nstrand; ++s) {
        size_t n = 3 * (size_t)sn_strand_point_count(p->model, s);
        memcpy(to, point + 3 * p->point_at[s], n * sizeof *to);
        to += n;
    }
    for (int32_t i = 0; p->activations && i < p->model->nmuscle; ++i)
        p->activation[i] = p->scalar_at[i] >= 0 ? scalar[p->scalar_at[i]] : 0;
    p->frame = (snFrame){.time = time, .pose = p->pose, .restart = !(time >= p->last)};
    if (p->strands) p->frame.point = p->point;
    if (p->activations) p->frame.activation = p->activation;
    p->last = time;
    return &p->frame;
}

const snFrame *sn_playback_rest(snPlayback *p)
{
    return &p->rest_frame;
}

const snFrame *sn_playback_at(snPlayback *p, double time)
{
    if (!p->replay) return give(p, time, NULL, NULL);
    for (int32_t b = 0; b < p->model->nbody; ++b)
        if (p->body_at[b] >= 0) sn_track_pose_at(p->replay, p->body_at[b], time, p->pose + 7 * b, NULL);
    if (p->strands) sn_track_points_at(p->replay, time, p->all_point);
    if (p->activations) sn_track_scalars_at(p->replay, time, p->all_scalar);
    return give(p, time, p->all_point, p->all_scalar);
}

const snFrame *sn_playback_frame(snPlayback *p, int32_t frame)
{
    if (!p) return NULL;
    if (!p->replay) return give(p, 0, NULL, NULL);
    const double *pose = sn_track_pose(p->replay, frame);
    if (!pose && p->model->nbody > 0) return NULL;
    for (int32_t b = 0; b < p->model->nbody; ++b)
        if (p->body_at[b] >= 0) memcpy(p->pose + 7 * b, pose + 7 * p->body_at[b], 7 * sizeof(double));
    return give(p, sn_track_time(p->replay, frame), sn_track_point(p->replay, frame),
                sn_track_scalar(p->replay, frame));
}

int32_t sn_playback_body(const snPlayback *p, int32_t body)
{
    if (!p) return -1;
    return body >= 0 && body < p->model->nbody ? p->body_at[body] : -1;
}

/* ---- binding ---------------------------------------------------------------------------------- */

static rigid rigid_of(const double *pose)
{
    return (rigid){q_load(pose + 3), v3_load(pose)};
}

/* Squared distances between where the points are and where each body alone would carry them. A millionth of the
 * distance to the body's place at rest decides among bodies that move alike. */
static void add_errors(const snPlayback *p, const snFrame *frame, int32_t n, const double *rest, const double *now,
                       double *miss)
{
    for (int32_t b = 0; b < p->model->nbody; ++b) {
        rigid from = rigid_of(p->rest + 7 * b), motion = rigid_mul(rigid_of(frame->pose + 7 * b), rigid_inverse(from));
        for (int32_t i = 0; i < n; ++i) {
            v3 x = v3_load(rest + 3 * i);
            miss[(size_t)b * (size_t)n + (size_t)i] +=
                v3_len2(v3_sub(rigid_apply(motion, x), v3_load(now + 3 * i))) + 1e-12 * v3_len2(v3_sub(x, from.p));
        }
    }
}

static snStatus fit(snPlayback *p, snDeformer *deformer, double *rest, double *now, double *miss, snError *error)
{
    int32_t n = sn_deformer_points(deformer), last = p->replay ? sn_track_frames(p->replay) - 1 : 0;
    snStatus status = sn_deform(deformer, &p->rest_frame, rest, error);
    for (int32_t k = 0; status == SN_OK && k < BIND_FRAMES && k <= last; ++k) {
        int64_t at = last <= BIND_FRAMES - 1 ? k : (int64_t)k * last / (BIND_FRAMES - 1);
        const snFrame *frame = sn_playback_frame(p, (int32_t)at);
        status = sn_deform(deformer, frame, now, error);
        if (status == SN_OK) add_errors(p, frame, n, rest, now, miss);
    }
    return status;
}

static int32_t best_body(const snPlayback *p, const double *miss, int32_t n, int32_t point)
{
    int32_t best = 0;
    for (int32_t b = 1; b < p->model->nbody; ++b)
        if (miss[(size_t)b * (size_t)n + (size_t)point] < miss[(size_t)best * (size_t)n + (size_t)point]) best = b;
    return best;
}

static snStatus find_best(snPlayback *p, snDeformer *deformer, int32_t *body, double *weight, snError *error)
{
    int32_t n = sn_deformer_points(deformer), first = 0;
    double *rest = SN_NEW_ARRAY(double, 3 * (int64_t)n), *now = SN_NEW_ARRAY(double, 3 * (int64_t)n);
    double *miss = SN_NEW_ARRAY(double, (int64_t)n * p->model->nbody);
    snStatus status = rest && now && miss ? fit(p, deformer, rest, now, miss, error) : sn_fail_no_memory(error);
    for (int32_t s = 0; status == SN_OK && s < sn_deformer_surfaces(deformer); ++s) {
        const snDeformSurface *surface = sn_deformer_surface(deformer, s);
        for (int32_t i = first; !surface->weight && i < first + surface->nvertex; ++i) {
            memset(body + 4 * (size_t)i, 0, 4 * sizeof *body);
            memset(weight + 4 * (size_t)i, 0, 4 * sizeof *weight);
            body[4 * (size_t)i] = best_body(p, miss, n, i), weight[4 * (size_t)i] = 1;
        }
        first += surface->nvertex;
    }
    sn_free(rest), sn_free(now), sn_free(miss);
    p->last = NAN;
    return status;
}

snStatus sn_playback_bind(snPlayback *p, snDeformer *deformer, int32_t *body, double *weight, snError *error)
{
    if (!p || !deformer) return sn_fail_argument(error, "sn_playback_bind without playback or deformer");
    size_t at = 0;
    bool missing = false;
    for (int32_t s = 0; s < sn_deformer_surfaces(deformer); ++s) {
        const snDeformSurface *surface = sn_deformer_surface(deformer, s);
        size_t n = 4 * (size_t)surface->nvertex;
        if (surface->weight) {
            memcpy(body + at, surface->body, n * sizeof *body);
            memcpy(weight + at, surface->weight, n * sizeof *weight);
        } else
            missing = true;
        at += n;
    }
    return missing ? find_best(p, deformer, body, weight, error) : SN_OK;
}
