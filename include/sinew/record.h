/* The one recorder: what a run leaves behind, frame by frame. Every command that steps a state writes what this makes,
 * so that every replay has the same columns. */
#ifndef SINEW_RECORD_H
#define SINEW_RECORD_H

#include "sinew/control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Columns of a model's replay: poses of the bodies, control points of the strands, and as scalars
 *   activation/MUSCLE;  force_origin/STRAND, force_insertion/STRAND and tension/STRAND, N;  length/STRAND, m;
 *   coordinate/JOINT.k, rad or m;  volume/GROUP, m^3, and area/GROUP, m^2;
 *   with loads, of each body that has some, load_fx/BODY, load_fy/BODY and load_fz/BODY, N, and load_mx/BODY,
 * load_my/BODY and load_mz/BODY, N m, about its centre of mass, all in world axes. On a tree the strands are the line
 * muscles, by their corners. */
typedef struct snRecorder snRecorder;
/* Of a run with loads, which may be NULL. */
SN_API snStatus sn_recorder_create_loaded(const snModel *model, const char *model_name, const snLoads *loads,
                                          snRecorder **recorder);
static inline snStatus sn_recorder_create(const snModel *model, const char *model_name, snRecorder **recorder)
{
    return sn_recorder_create_loaded(model, model_name, NULL, recorder);
}
SN_API void sn_recorder_destroy(snRecorder *recorder); /* NULL is fine */
SN_API const snTrackDef *sn_recorder_def(const snRecorder *recorder);
/* One frame of a state of that model, without allocating. The arrays of the frame belong to the recorder and the state:
 * they hold until the next step or the next call. */
SN_API snStatus sn_recorder_read(snRecorder *recorder, snState *state, double time, snTrackFrame *frame);

/* sn_follow_frames with all frames in memory: follows the bodies named in `motion` and gives back a replay with the
 * columns above, which holds what is finished when the run diverges or is cancelled. def->frame is not used.
 * To continue an earlier run, give its replay as def->resume and its checkpoint. */
SN_API snStatus sn_follow(const snModel *model, const snTrack *motion, const snFollowDef *def, snTrack **replay,
                          snFollowReport *report, snError *error);

#ifdef __cplusplus
}
#endif
#endif
