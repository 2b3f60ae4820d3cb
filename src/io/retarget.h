/* Motion of another skeleton on the joints of a model, by geometry.
 *
 * The names of joints only say which joint is meant. What a bone does is read from where joints ARE: the rest pose of
 * the file is turned bone by bone, each by the shortest rotation, into the neutral pose of the model (D, the
 * alignment). With E the rotation of a joint from its rest pose, the body that it stands for is turned by
 *     X = E D'
 * whatever the axes of the rig. Inverse kinematics (control/ik.h) then finds the coordinates within their ranges that
 * give the directions and turns, measured from the nearest anchor:
 *   - the forearm has a direction only, the hand a whole rotation: pronation is what turns the one into the other, no
 *     matter whether the file keeps it in the forearm, in the hand or in both; likewise the upper arm and the elbow;
 *   - a spine of few joints is shared among the vertebrae by stiffness and range.
 * Each frame starts from the last one, so angles are continuous; none leaves its range, and none half a turn.
 *
 * retarget_rest.c: finding joints, rest pose, alignment; retarget.c: targets, the search, the report. */
#ifndef SN_IO_RETARGET_H
#define SN_IO_RETARGET_H

#include "io/bvh.h"
#include "io/model_tree.h"

typedef struct snRetarget {
    const snBvhFile *bvh;
    const snBvhMap *map;
    const snModel *model; /* NULL is an error with a remedy */
    const char *file, *map_file;
} snRetarget;

snStatus sn_retarget(const snRetarget *def, snPoses **poses, snMotionSource *note, snError *error);

/* ---- retarget_rest.c --------------------------------------------------------------------------- */

/* A line of the mapping with what it names; -1: the file has no such joint, the line no second body. */
typedef struct snTied {
    const snBoneLine *line;
    int32_t joint, to_joint, body, to_body;
} snTied;

/* Where the joints of the file are in one frame. */
typedef struct snJointPose {
    quat *turn; /* world */
    v3 *place;
} snJointPose;

typedef struct snAligned {
    const snRetarget *def;
    snModelTree tree;
    snArena arena;
    int32_t count, base; /* lines; which of them is the base, -1: none */
    snTied *tied;
    snJointPose rest, now; /* at rest, and in the frame that was asked for last */
    quat axes;             /* from the file's axes to the model's */
    bool turned, first_frame;
    quat *align;   /* nbody: D */
    bool *aligned; /* nbody */
} snAligned;

snStatus sn_align(const snRetarget *def, snAligned *a, snError *error);
void sn_aligned_free(snAligned *a);
void sn_aligned_frame(snAligned *a, int32_t frame);
quat sn_aligned_turn(const snAligned *a, int32_t tied);    /* X of the line's body, model axes */
v3 sn_aligned_direction(const snAligned *a, int32_t tied); /* from its joint to the other, model axes; a unit vector */
/* The line of the nearest anchor or base above a body whose joint the file has; -1: none. */
int32_t sn_aligned_anchor(const snAligned *a, int32_t body);
quat sn_shortest_turn(v3 from, v3 to); /* from one unit vector to another */
/* Point and link of an end of an aim. */
v3 sn_aligned_near(const snAligned *a, const snTied *tied);
v3 sn_aligned_far(const snAligned *a, const snTied *tied, int32_t *link);

#endif
