/* What the library reads of a track beyond the public header. */
#ifndef SN_MOTION_TRACK_H
#define SN_MOTION_TRACK_H

#include "sinew/motion.h"

/* All scalars at a time, by straight lines, so that they stay within their bounds. */
void sn_track_scalars_at(const snTrack *track, double time, double *scalar);

#endif
