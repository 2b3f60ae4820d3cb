/* A BVH file in memory: its joints, and the channel values of every frame. Skeletons of glTF
 * files take this form too. */
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
    rigid *local;  /* instead of value, of a skeleton from another format: frames x joints, against the parent */
} snBvhFile;

snStatus sn_parse_bvh(const char *file, const char *data, size_t size, snBvhFile *bvh, snError *error);
void sn_bvh_free(snBvhFile *bvh);
/* Rotation and position of a joint against its parent. */
rigid sn_bvh_local(const snBvhFile *bvh, int32_t joint, int32_t frame);

/* ---- bvh_names.c: joints by the names that programs give them */
enum { SN_BVH_KEY = 16 };
const char *sn_bvh_plain_name(const char *name); /* behind the last namespace: mixamorig:RightHand is RightHand */
/* What the name means, such as r.hand or r.2.1, the first phalanx of the right index finger; false: nothing known. */
bool sn_bvh_key(const char *name, char key[SN_BVH_KEY]);
/* The joint of this name, without its namespace, or with the same meaning; -1. @chest is the joint on which both arms
 * hang, @spine the first one above the hips on the way to it. */
int32_t sn_bvh_find(const snBvhFile *bvh, const char *name);

typedef struct snBvhMapLine {
    const char *bvh_joint, *coordinate;
    v3 axis;
    double offset, scale; /* rad */
    int line;
} snBvhMapLine;

/* Where the joints `from` and `to` lie to each other in the pose that the axes suppose. */
typedef struct snBvhRest {
    const char *from, *to;
    v3 direction;
} snBvhRest;

/* A line that ties joints of the file to bodies of the model; docs/files.md has the grammar. */
typedef enum snBoneKind {
    SN_BONE_BASE,   /* the body from which everything is measured */
    SN_BONE_ANCHOR, /* turns as the joint does, and what hangs on it is measured from it */
    SN_BONE_TURN,   /* turns as the joint does */
    SN_BONE_AIM,    /* from the body's joint to that of to_body, or along direction: as from joint to to_joint */
    SN_BONE_ACROSS  /* at rest, from joint to to_joint is about along direction: which way the palm faces */
} snBoneKind;
typedef struct snBoneLine {
    snBoneKind kind;
    const char *joint, *to_joint, *body, *to_body; /* NULL: none */
    v3 direction;                                  /* in the neutral pose of the model */
    double weight;                                 /* 0: says how the file rests, nothing else */
    bool placed;                                   /* of an aim: the joint of a body without one is at place */
    v3 place;                                      /* neutral world, m */
    bool untwist; /* of the base: turns of the joint about its own bone do not count, they are pronation */
    int line;
} snBoneLine;

enum { SN_BVH_RESTS = 8 };
/* Lines are of one kind or the other: axes of coordinates, or bones. */
typedef struct snBvhMap {
    snArena arena;
    SN_ARRAY(snBvhMapLine) line;
    SN_ARRAY(snBoneLine) bone;
    snBvhRest rest[SN_BVH_RESTS]; /* in pairs: the first pair whose joints are all there counts */
    int nrest;
} snBvhMap;

/* How the joints of a file and a mapping go together. */
typedef struct snBvhMatch {
    int32_t *joint; /* one per line of the mapping: of the file, -1: none, the coordinate rests */
    int32_t found;  /* lines that have one */
    quat turn;      /* of the mapping's axes into the file's */
    bool turned;
} snBvhMatch;
/* Fails where no line finds its joint. */
snStatus sn_bvh_match(const snBvhFile *bvh, const snBvhMap *map, const char *file, snBvhMatch *match, snError *error);
void sn_bvh_match_free(snBvhMatch *match);

snStatus sn_parse_bvh_map(const char *file, const char *data, size_t size, snBvhMap *map, snError *error);
void sn_bvh_map_free(snBvhMap *map);
/* What the mapping has no joint for is left out. note, if not NULL: what was found. */
snStatus sn_bvh_to_poses(const snBvhFile *bvh, const snBvhMap *map, const char *file, snPoses **poses,
                         snMotionSource *note, snError *error);

/* BVH or glTF, and mapping file, to joint coordinates. model: whose bodies a mapping by bones means; may be NULL where
 * the mapping is by axes. */
snStatus sn_load_bvh_poses(const char *path, const char *map_path, const snModel *model, snPoses **poses,
                           snMotionSource *note, snError *error);
snStatus sn_load_bvh_map(const char *path, snBvhMap *map, snError *error);
/* Names of the joints for which used is false (NULL: of all), with commas between; returns how many there are. */
int32_t sn_bvh_list_joints(const snBvhFile *bvh, const bool *used, char *list, size_t size);
snStatus sn_bvh_fail_unmatched(const snBvhFile *bvh, const char *file, snError *error);
/* The turn that takes the directions of the mapping's rest lines to those of the file, whose joints are at `place`;
 * false: the file lacks the joints. near: turned to whole quarter turns where one is close. */
bool sn_bvh_rest_turn(const snBvhFile *bvh, const snBvhMap *map, const v3 *place, bool near, quat *turn);
v3 sn_bvh_rest_place(const snBvhFile *bvh, int32_t joint);
snStatus sn_load_skeleton(const char *path, snBvhFile *bvh, snError *error);

/* bvh_starter.c: for sn_save_starter_map. Names of the first are those of the model, which must outlive it. */
snStatus sn_bvh_map_of_model(const snModel *model, snBvhMap *map, snError *error);
snStatus sn_write_starter_map(const snBvhFile *bvh, const snBvhMap *map, const char *file, const char *path,
                              snMotionSource *note, snError *error);

/* Angles such that the product of the turns about `count` unit axes (1 to 3) is nearest to q; angle holds a guess. */
void sn_split_rotation(quat q, const v3 *axis, int count, double *angle);

/* As a track with a body for each BVH joint: world poses, positions times scale. */
snStatus sn_load_bvh(const char *path, double scale, snTrack **track, snError *error);

#endif
