/* A replay as frames for deformers (sinew/deform.h): poses, control points and activations in the order of the model. */
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

/* The frame at a time, interpolated as sn_track_pose_at does, or a frame of the replay as it is recorded. It is
 * valid until the next call; nothing is allocated. */
SN_API const snFrame *sn_playback_at(snPlayback *playback, double time);
SN_API const snFrame *sn_playback_frame(snPlayback *playback, int32_t frame);
/* The pose as drawn: no control points, no activations. */
SN_API const snFrame *sn_playback_rest(snPlayback *playback);
/* The body of the replay that a body of the model is, -1: none. */
SN_API int32_t sn_playback_body(const snPlayback *playback, int32_t body);

/* Bodies and weights (4 per point of the deformer) by which a viewer that can only blend bones follows the surfaces
 * best: those that a surface gives, else for each point the one body whose motion over the replay explains it best. */
SN_API snStatus sn_playback_bind(snPlayback *playback, snDeformer *deformer, int32_t *body, double *weight,
                                 snError *error);

#ifdef __cplusplus
}
#endif
#endif
