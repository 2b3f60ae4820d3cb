/* Shared by the files of path/: one segment, straight or over a wrap. */
#ifndef SN_PATH_INTERNAL_H
#define SN_PATH_INTERNAL_H

#include "math/spatial.h"
#include "path/cord.h"

#include <string.h>

/* Doubles of scratch per entry of the longest path: displacements (6), masks (3); or wrenches (6). A matrix of that
 * size follows. */
enum { SN_PATH_SCRATCH = 9 };

typedef struct pathWrap { /* in the world, now */
    snWrapKind kind;
    v3 centre, axis, side;
    double radius;
} pathWrap;

typedef struct pathSegment {
    bool touches;
    double length;
    v3 ga, gb;     /* dl/da, dl/db: unit vectors */
    m3 aa, ab, bb; /* second derivatives, filled on request */
} pathSegment;

/* From a to b; wrap NULL: straight. Second derivatives hold the wrap still. */
pathSegment path_segment(v3 a, v3 b, const pathWrap *wrap, bool second);
/* Length and direction of a straight one, for loops that many segments go through: a pathSegment is 300 bytes. */
static inline double path_straight(v3 a, v3 b, v3 *along)
{
    double length = v3_dist(a, b);
    *along = v3_scale(v3_sub(b, a), 1 / length);
    return length;
}
/* `count` places (at least 2), evenly along the arc of a segment that touches, from where it meets the wrap to where it
 * leaves it. */
void path_arc(v3 a, v3 b, const pathWrap *wrap, int32_t count, v3 *on);
/* A point of the neutral world, or a direction, now. links NULL: neutral. */
v3 path_placed(const snPathLinks *links, int32_t link, v3 x, bool point);

/* The wrap behind a point, placed by the motion (R, p) of its link; false where there is none. R NULL: neutral. */
bool path_wrap_at(const snPathSet *set, const snPathLinks *links, int32_t point, pathWrap *wrap);

/* A wrap of a cord, placed by the poses of its bodies. */
pathWrap path_cord_wrap(const snCord *cord, const rigid *pose, int32_t index);
/* A point of the arc between two nodes of a cord, at a fraction of it; its direction there, and what that changes by
 * with the length. */
typedef struct pathArcPoint {
    v3 p, t, bend;
} pathArcPoint;
pathArcPoint path_arc_point(const snCord *cord, const rigid *pose, const snCordNode *from, const snCordNode *to,
                            double part);

/* Adds the row of a node's velocity along n to 6 numbers for each slot. */
void path_add_row(const rigid *pose, const snCordNode *node, v3 n, double *row);

static inline spatial link_axis(const snPathLinks *links, int32_t link)
{
    return sp_load(links->S + 6 * link);
}

#endif
