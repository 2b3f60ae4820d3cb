/* A followed motion as a replay in memory. */
#include "base/def.h"
#include "sinew/record.h"

#include "base/error.h"

#include <string.h>

typedef struct Taking {
    snRecorder *recorder;
    snTrack *track;
} Taking;

static snStatus take(void *user, const snFollow *run, snState *state, double time)
{
    (void)run;
    Taking *t = user;
    snTrackFrame frame;
    snStatus status = sn_recorder_read(t->recorder, state, time, &frame);
    return status == SN_OK ? sn_track_append(t->track, time, frame.pose, frame.point, frame.scalar) : status;
}

static bool same_names(int32_t n, const char *const *a, const char *const *b)
{
    for (int32_t i = 0; i < n; ++i)
        if (strcmp(a[i], b[i]) != 0) return false;
    return true;
}

static bool same_channels(const snTrackDef *a, const snTrackDef *b)
{
    if (a->nbody != b->nbody || a->nstrand != b->nstrand || a->nscalar != b->nscalar) return false;
    for (int32_t i = 0; i < a->nstrand; ++i)
        if (a->strand_npoint[i] != b->strand_npoint[i]) return false;
    return same_names(a->nbody, a->body_name, b->body_name) && same_names(a->nstrand, a->strand_name, b->strand_name) &&
           same_names(a->nscalar, a->scalar_name, b->scalar_name);
}

static snStatus take_over(const snTrack *old, snTrack *replay, snError *error)
{
    if (!same_channels(sn_track_def(old), sn_track_def(replay)))
        return sn_fail(error, SN_BAD_INPUT, "the earlier replay belongs to another model");
    snStatus status = SN_OK;
    for (int32_t k = 0; k < sn_track_frames(old) && status == SN_OK; ++k)
        status = sn_track_append(replay, sn_track_time(old, k), sn_track_pose(old, k), sn_track_point(old, k),
                                 sn_track_scalar(old, k));
    return status == SN_OK ? SN_OK : sn_fail_no_memory(error);
}

static snStatus prepare(Taking *t, const snModel *m, const char *name, const snLoads *loads, const snTrack *old,
                        snError *error)
{
    if (sn_recorder_create_loaded(m, name, loads, &t->recorder) != SN_OK ||
        sn_track_create(sn_recorder_def(t->recorder), &t->track) != SN_OK)
        return sn_fail_no_memory(error);
    return old ? take_over(old, t->track, error) : SN_OK;
}

snStatus sn_follow(const snModel *m, const snTrack *motion, const snFollowDef *def, snTrack **replay,
                   snFollowReport *report, snError *error)
{
    if (!m || !motion || !replay || !report)
        return sn_fail_argument(error, "the model, the motion, the report or the place for the replay is NULL");
    snFollowDef taken = sn_default_follow_def();
    if (def && SN_TAKE_DEF(def, snFollowDef, taken, error)) return SN_BAD_ARGUMENT;
    snFollowDef d = def ? *def : sn_default_follow_def();
    const char *name = d.model_name ? d.model_name : sn_track_def(motion)->model;
    Taking t = {0};
    memset(report, 0, sizeof *report);
    snStatus status = prepare(&t, m, name, d.loads, d.resume, error);
    d.frame = take;
    d.user = &t;
    if (status == SN_OK) status = sn_follow_frames(m, motion, &d, report, error);
    sn_recorder_destroy(t.recorder);
    if (report->frames > 0)
        *replay = t.track;
    else
        sn_track_destroy(t.track);
    return status;
}
