#ifndef SN_IO_POSE_H
#define SN_IO_POSE_H

#include "motion/poses.h"

/* A column that is no coordinate: weights, activations and targets of bodies, which only models on a tree follow. */
bool sn_pose_is_extra(const char *name);
snStatus sn_parse_poses(const char *file, const char *data, size_t size, bool csv, snPoses **poses, snError *error);

/* A .pose.csv, .csv, .sto or .mot. */
snStatus sn_load_poses(const char *path, snPoses **poses, snError *error);

#endif
