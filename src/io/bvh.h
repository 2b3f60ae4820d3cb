/* A BVH file in memory: its joints, and the channel values of every frame. */
#ifndef SN_IO_BVH_H
#define SN_IO_BVH_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash.h"
#include "math/vec.h"
#include "motion/poses.h"
#include "sinew/io.h"

typedef struct snBvhJoint {
    const char *name;
    int32_t parent; /* -1: a root; parents come before their children */
    v3 offset;
    int32_t channel_adr, nchannel;
    unsigned char channel[6]; /* 0-2: x, y, z position; 3-5: x, y, z rotation; in the order of the file */
} snBvhJoint;

typedef struct snBvhFile {
    snArena arena;
    SN_ARRAY(snBvhJoint) joint;
    snNameMap names;
    int32_t frames, nchannel;
    double frame_time;
    double *value; /* frames x nchannel: as in the file, degrees */
} snBvhFile;

snStatus sn_parse_bvh(const char *file, const char *data, size_t size, snBvhFile *bvh, snError *error);
void sn_bvh_free(snBvhFile *bvh);
/* Rotation and position of a joint against its parent. */
rigid sn_bvh_local(const snBvhFile *bvh, int32_t joint, int32_t frame);

typedef struct snBvhMapLine {
    const char *bvh_joint, *coordinate;
    v3 axis;
    double offset, scale; /* rad */
    int line;
} snBvhMapLine;

typedef struct snBvhMap {
    snArena arena;
    SN_ARRAY(snBvhMapLine) line;
} snBvhMap;

snStatus sn_parse_bvh_map(const char *file, const char *data, size_t size, snBvhMap *map, snError *error);
void sn_bvh_map_free(snBvhMap *map);
/* map_file: for messages. */
snStatus sn_bvh_to_poses(const snBvhFile *bvh, const snBvhMap *map, const char *file, const char *map_file,
                         snPoses **poses, snError *error);

/* BVH and mapping file to joint coordinates. */
snStatus sn_load_bvh_poses(const char *path, const char *map_path, snPoses **poses, snError *error);

/* Angles such that the product of the turns about `count` unit axes (1 to 3) is nearest to q; angle holds a guess. */
void sn_split_rotation(quat q, const v3 *axis, int count, double *angle);

/* As a track with a body for each BVH joint: world poses, positions times scale. */
snStatus sn_load_bvh(const char *path, double scale, snTrack **track, snError *error);

#endif
