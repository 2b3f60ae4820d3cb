/* Motion: keyframes of bodies (what to follow) and of everything simulated (what came out).
 *
 * A track is a table of frames at increasing times with named channels: poses of bodies (position of the
 * node, rotation), control points of strands, and scalars (activation, force, length ...). A Control is a
 * track with bodies only, a Replay one with all of it. World frame, SI. */
#ifndef SINEW_MOTION_H
#define SINEW_MOTION_H

#include "sinew/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snTrack snTrack;

typedef struct snTrackDef {
    size_t size;       /* of this struct: set by its default function */
    const char *model; /* name of the model that it belongs to, may be empty */
    int32_t nbody;
    const char *const *body_name;
    int32_t nstrand;
    const char *const *strand_name;
    const int32_t *strand_npoint;
    int32_t nscalar;
    const char *const *scalar_name; /* e.g. activation/FDP2, force_insertion/FDP2, length/FDP2 */
} snTrackDef;
static inline snTrackDef sn_default_track_def(void)
{
    SN_DEF(snTrackDef, def);
    def.model = "";
    return def;
}

/* One frame: as sn_track_append takes it. */
typedef struct snTrackFrame {
    double time;
    const double *pose, *point, *scalar;
} snTrackFrame;

/* Farthest position that is taken, m: beyond it something has run away, or the units are wrong. */
#define SN_FARTHEST 1e6

/* Copies the def. SN_BAD_INPUT: an empty or repeated name, a strand without points. */
SN_API snStatus sn_track_create(const snTrackDef *def, snTrack **track);
SN_API void sn_track_destroy(snTrack *track);
SN_API int32_t sn_track_frames(const snTrack *track);
SN_API const snTrackDef *sn_track_def(const snTrack *track);
static inline int32_t sn_track_points(const snTrack *track) /* control points of all strands together */
{
    const snTrackDef *def = sn_track_def(track);
    int32_t sum = 0;
    for (int32_t i = 0; def && i < def->nstrand; ++i) sum += def->strand_npoint[i];
    return sum;
}
/* One frame: pose is nbody x 7 (position, rotation w first), point all control points x 3, scalar nscalar; each may
 * be NULL where its count is 0. SN_BAD_INPUT, track untouched: the time does not increase, a value is not finite, a
 * position is farther away than SN_FARTHEST, or the norm of a rotation is outside 0.5 to 2. Moves the frames in memory:
 * pointers from the getters below end here. */
SN_API snStatus sn_track_append(snTrack *track, double time, const double *pose, const double *point,
                                const double *scalar);
/* Time and values of a frame; 0 and NULL for a frame that there is not. */
SN_API snTrackFrame sn_track_frame(const snTrack *track, int32_t frame);
static inline double sn_track_time(const snTrack *track, int32_t frame)
{
    return sn_track_frame(track, frame).time;
}
static inline const double *sn_track_pose(const snTrack *track, int32_t frame)
{
    return sn_track_frame(track, frame).pose;
}
static inline const double *sn_track_point(const snTrack *track, int32_t frame)
{
    return sn_track_frame(track, frame).point;
}
static inline const double *sn_track_scalar(const snTrack *track, int32_t frame)
{
    return sn_track_frame(track, frame).scalar;
}
typedef enum snChannel { SN_CHANNEL_BODY, SN_CHANNEL_STRAND, SN_CHANNEL_SCALAR } snChannel;
SN_API int32_t sn_track_find(const snTrack *track, snChannel kind, const char *name); /* -1 when absent */
static inline int32_t sn_track_find_body(const snTrack *track, const char *name)
{
    return sn_track_find(track, SN_CHANNEL_BODY, name);
}
static inline int32_t sn_track_find_strand(const snTrack *track, const char *name)
{
    return sn_track_find(track, SN_CHANNEL_STRAND, name);
}
static inline int32_t sn_track_find_scalar(const snTrack *track, const char *name)
{
    return sn_track_find(track, SN_CHANNEL_SCALAR, name);
}

/* Smooth interpolation at any time (cubic in position; cubic in rotation through the same nodes, C1), clamped to the
 * ends, where the velocity is zero outside. pose: 7, velocity: angular (world axes) then linear of the node's origin,
 * 6, may be NULL. The track must have a frame. */
SN_API void sn_track_pose_at(const snTrack *track, int32_t body, double time, double pose[7], double velocity[6]);
/* All control points by the same cubics. */
SN_API void sn_track_points_at(const snTrack *track, double time, double *point);

/* How many frames a stretch of so many seconds has at a rate, both ends included. The last one may come a hundredth of
 * a frame late: a file that says 0.0333333 s a frame means 30 a second, and has its last frame. */
static inline int32_t sn_frame_count(double seconds, double rate)
{
    double last = floor(seconds * rate + 0.01);
    return last < 0 ? 0 : last < INT32_MAX - 1 ? (int32_t)last + 1 : INT32_MAX;
}

/* Key poses as joint coordinates over time, as files give them; sn_load_motion_poses reads them. */
typedef struct snPoses snPoses;
SN_API void sn_poses_destroy(snPoses *poses); /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif
