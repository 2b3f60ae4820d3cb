/* A replay as frames for deformers (sinew/deform.h): poses, control points and activations
 * in the order of the model. */
#ifndef SINEW_PLAYBACK_H
#define SINEW_PLAYBACK_H

#include "sinew/deform.h"
#include "sinew/model.h"
#include "sinew/motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snPlayback snPlayback;

/* Bodies that the replay does not move stay where they are drawn. A replay without any strand (a motion of the bones)
 * gives frames without control points; one without activations, frames without those. replay may be NULL: the pose as
 * drawn at any time. Model and replay must outlive it.
 * SN_BAD_INPUT: some strands of the model are missing, or have another number of control points. */
SN_API snStatus sn_playback_create(const snModel *model, const snTrack *replay, snPlayback **playback, snError *error);
SN_API void sn_playback_destroy(snPlayback *playback); /* NULL is fine */

/* The frame at a time, interpolated as sn_track_pose_at does. It is valid until the next call; nothing is allocated. */
SN_API const snFrame *sn_playback_at(snPlayback *playback, double time);

#ifdef __cplusplus
}
#endif
#endif
