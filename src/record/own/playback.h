/* Frames of a replay one by one, and what a viewer without deformers needs. */
#ifndef SN_RECORD_OWN_PLAYBACK_H
#define SN_RECORD_OWN_PLAYBACK_H

#include "sinew/playback.h"

/* A frame of the replay as it is recorded; valid as that of sn_playback_at. */
const snFrame *sn_playback_frame(snPlayback *playback, int32_t frame);
/* The pose as drawn: no control points, no activations. */
const snFrame *sn_playback_rest(snPlayback *playback);
/* The body of the replay that a body of the model is, -1: none. */
int32_t sn_playback_body(const snPlayback *playback, int32_t body);

/* Bodies and weights (4 per point of the deformer) by which a viewer that can only blend bones follows the surfaces
 * best: those that a surface gives, else for each point the one body whose motion over the replay explains it best. */
snStatus sn_playback_bind(snPlayback *playback, snDeformer *deformer, int32_t *body, double *weight, snError *error);

#endif
