/* Shared by the files of path/: one segment, straight or over a wrap. */
#ifndef SN_PATH_INTERNAL_H
#define SN_PATH_INTERNAL_H

#include "math/spatial.h"
#include "path/cord.h"

#include <string.h>

/* Doubles of scratch per entry of the longest path: displacements (6), masks (3); or wrenches (6). Two matrices
 * of that size follow. */
enum { SN_PATH_SCRATCH = 9 };

typedef struct pathWrap { /* in the world, now */
    snWrapKind kind;
    v3 centre, axis, side;
    double radius;
    snWrapRule rule;
    int32_t sense; /* cylinder: 1, -1: the path turns about the axis by the right hand, or against it; 0: by the side */
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
/* Both at once: the segment without second derivatives, and where it touches, both ends of its arc. */
void path_segment_on(v3 a, v3 b, const pathWrap *wrap, pathSegment *segment, v3 on[2]);
/* A point of the neutral world, or a direction, now. links NULL: neutral. */
v3 path_placed(const snPathLinks *links, int32_t link, v3 x, bool point);

/* The wrap behind a point, placed by the motion (R, p) of its link; false where there is none. R NULL: neutral. */
bool path_wrap_at(const snPathSet *set, const snPathLinks *links, int32_t point, pathWrap *wrap);

/* A wrap of a cord, placed by the poses of its bodies. */
pathWrap path_cord_wrap(const snCord *cord, const rigid *pose, int32_t index);

/* The way between two points over one wrap. */
typedef struct pathArc {
    bool touches;
    v3 on[2]; /* both ends, world */
    double length;
    snGeodesicState state; /* of a surface: CLEAR otherwise */
    v3 lead[2];            /* directions in which it leaves the first point and arrives at the second: -+ dl/dv */
} pathArc;
pathArc path_find_arc(const snCord *cord, const rigid *pose, int32_t wrap, int32_t sense, v3 a, v3 b);
/* The same over a surface; row: SN_GEODESIC_ROW points of an arc that touches, world, or NULL. */
pathArc path_find_arc_on_surface(const snGeodesicWrap *over, rigid pose, v3 a, v3 b, v3 *row);

/* The same with the gates of the wrap: ways from stop to stop, a stop being where the cord leans on a gate. */
typedef struct pathWay {
    int32_t n; /* ways; one stop less */
    pathArc arc[SN_CORD_GATES + 1];
    v3 stop[SN_CORD_GATES];
    int32_t gate[SN_CORD_GATES];
} pathWay;
void path_find_way(const snCord *cord, const rigid *pose, int32_t wrap, v3 a, v3 b, pathWay *way);
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
