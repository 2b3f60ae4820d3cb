/* Replays frame by frame, and what is left of one that was cut off. */
#ifndef SN_IO_REPLAY_H
#define SN_IO_REPLAY_H

#include "sinew/motion.h"

/* The whole frames of a control or replay file that was cut off, such as the .part that a killed run leaves. */
snStatus sn_recover_track(const char *path, snTrack **track, snError *error);
/* A replay written while it is simulated. The file appears under its name when it is finished; to stop early, finish it
 * with the frames that are there (it is a whole replay), and to go on later, resume it. */
typedef struct snReplayWriter snReplayWriter;
snStatus sn_replay_create(const snTrackDef *def, const char *path, snReplayWriter **writer, snError *error);
/* Goes on behind the last frame of the replay at path, whose channels must be those of def; its last frame is given
 * back so that the simulation can start there (free with sn_track_destroy, it holds that frame only). */
snStatus sn_replay_resume(const snTrackDef *def, const char *path, snReplayWriter **writer, snTrack **last,
                          snError *error);
/* One frame, as sn_track_append; a refused frame leaves no trace. */
snStatus sn_replay_append(snReplayWriter *writer, double time, const double *pose, const double *point,
                          const double *scalar, snError *error);
int32_t sn_replay_frames(const snReplayWriter *writer);
/* Ends the writer in any case. Without a frame nothing is written and it fails. */
snStatus sn_replay_finish(snReplayWriter *writer, snError *error);
void sn_replay_abandon(snReplayWriter *writer); /* writes nothing */

#endif
