/* Key poses as joint coordinates: named columns over increasing times, rad and m.
 *
 * Between keys the motion is twice continuously differentiable and does not overshoot: a coordinate that holds its
 * value over two keys stands still, and from hold to hold it moves with minimum jerk, as hands do. A name is
 * joint.0, joint.1, ..., or joint and the model's word for the coordinate (see sn_find). */
#ifndef SN_MOTION_POSES_H
#define SN_MOTION_POSES_H

#include "sinew/motion.h"

/* value: frames x columns. rest: begin and end at rest; otherwise the ends keep the velocity of their neighbours.
 * Fails with SN_BAD_INPUT as sn_track_append does, naming the column and time. */
snStatus sn_poses_create(int32_t columns, const char *const *name, int32_t frames, const double *time,
                         const double *value, bool rest, snPoses **poses, snError *error);
/* The same with gaps: values that are NaN were not seen. They are interpolated from the values before and after them as
 * key poses are; before the first and after the last the column stands still. A column without any value is refused. */
snStatus sn_poses_create_gappy(int32_t columns, const char *const *name, int32_t frames, const double *time,
                               const double *value, bool rest, snPoses **poses, snError *error);
int32_t sn_poses_gaps(const snPoses *poses); /* how many values were not seen */
/* Whether a column was seen at a time: in the keys on both sides of it. */
bool sn_poses_seen(const snPoses *poses, int32_t column, double time);
int32_t sn_poses_columns(const snPoses *poses);
const char *sn_poses_name(const snPoses *poses, int32_t column);
int32_t sn_poses_find(const snPoses *poses, const char *name); /* -1 when absent */
int32_t sn_poses_frames(const snPoses *poses);
double sn_poses_time(const snPoses *poses, int32_t frame);
const double *sn_poses_key(const snPoses *poses, int32_t frame);
/* All columns at any time, held at the ends. velocity and acceleration may be NULL. */
void sn_poses_at(const snPoses *poses, double time, double *value, double *velocity, double *acceleration);

#endif
