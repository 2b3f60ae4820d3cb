/* A knot: cords that meet in junctions, where a branch begins or ends on a trunk (a lumbrical on its profundus tendon).
 *
 * A junction is a point of the trunk's material. It lies on the trunk's line, straight or over a wrap, at a length s
 * from the trunk's origin, and divides the trunk into cords with a tension each. It has no mass: the s of all junctions
 * are where the elastic energy is least at the given poses and activations, sum over cords i of T_i c_ij = 0,   c_ij =
 * dl_i/ds_j:  1 of the trunk before j, -1 behind it, -t_branch . t of a branch so that the tension of the trunk steps
 * by what the branch pulls along it. What it pulls across goes to the bodies that hold the piece it is on, as if the
 * tendon lay in a sheath. With s(q) eliminated, g_i = dl_i/dq + c_i ds/dq,    ds/dq = -(sum k_i c_i c_i' + T_i
 * dc_i/ds)^-1 (sum k_i c_i dl_i/dq + T_i dc_i/dq) and cords of a knot act on the bodies as other cords do: force -T_i
 * g_i, stiffness k_i g_i g_i', activation dT_i/da.
 *
 * Invariants
 * 1. Slots are those of the knot: all its cords share them.
 * 2. The cords of a trunk follow each other, and have the points of the whole trunk.
 * 3. A branch has one junction, at one of its ends. */
#ifndef SN_PATH_KNOT_H
#define SN_PATH_KNOT_H

#include "path/cord.h"

enum { SN_KNOT_JUNCTIONS = 8, SN_KNOT_CORDS = 24 }; /* most in one knot; sn_compile refuses more */

typedef struct snKnotCord {
    const snCord *cord;
    int32_t from, to; /* junction at its origin and at its insertion, -1: a body */
    bool branch;      /* else part of a trunk */
} snKnotCord;

typedef struct snKnot {
    int32_t ncord, njunction, nslot;
    const snKnotCord *cord;
    const int32_t *trunk; /* njunction: first cord of the trunk that it is on */
} snKnot;

/* A cord of a knot at some pose; node has room for two nodes more than its points and wraps need. */
typedef struct snKnotCordNow {
    snCordNode *node;
    int32_t nnode;
    double length;
    double activation, x; /* given; x as for sn_cord_pull, comes back as found */
    snCordPull pull;
    double *g; /* 6 * nslot */
} snKnotCordNow;

/* cord: ncord. s: njunction, to start from, and as found. jac: of each junction three rows
 * of 6 * nslot, its velocity. */
void sn_knot_solve(const snKnot *knot, const rigid *pose, snKnotCordNow *cord, double *s, double *jac);
/* The same; when pulls and g of all cords are known, `again` may change activations and ask for another solution, which
 * starts from there. Nodes are not known yet when it is called. */
typedef bool (*snKnotAgainFn)(void *context, snKnotCordNow *cord);
void sn_knot_solve_twice(const snKnot *knot, const rigid *pose, snKnotCordNow *cord, double *s, double *jac,
                         snKnotAgainFn again, void *context);

#endif
