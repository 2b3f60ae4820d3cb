/* A knot: cords that meet in junctions, where a branch begins or ends on a trunk (a lumbrical on its profundus tendon),
 * or where cords meet in a point that is free in space (the bands of an extensor hood).
 *
 * A junction on a line is a point of the trunk's material. It lies on the trunk's line, straight or over a wrap, at a
 * length s from the trunk's origin, and divides the trunk into cords with a tension each. It has no mass: the s of all
 * junctions are where the elastic energy is least at the given poses and activations:
 *     sum over cords i of T_i c_ij = 0,   c_ij = dl_i/ds_j
 *     c_ij = 1 of the trunk before j, -1 behind it, -t_branch . t of a branch
 * so that the tension of the trunk steps by what the branch pulls along it. What it pulls across goes to the bodies that
 * hold the piece it is on, as if the tendon lay in a sheath. With s(q) eliminated,
 *     g_i = dl_i/dq + c_i ds/dq,   ds/dq = -(sum k_i c_i c_i' + T_i dc_i/ds)^-1 (sum k_i c_i dl_i/dq + T_i dc_i/dq)
 * and cords of a knot act on the bodies as other cords do: force -T_i g_i, stiffness k_i g_i g_i', activation dT_i/da.
 *
 * A junction that is free has its place x instead of s for unknowns, and cords end at it:
 *     sum over cords of T_i dl_i/dx = 0
 * All else is the same with three unknowns; see net.c. A knot may have junctions of both kinds. A free junction may lie
 * on a floor, which pushes it out and never pulls it; what the floor bears goes to its body by the g of the cords.
 *
 * Invariants
 * 1. Slots are those of the knot: all its cords share them.
 * 2. The cords of a trunk follow each other, and have the points of the whole trunk.
 * 3. A branch has junctions at its ends only: one, or two where the knot has a free junction.
 * 4. No branch begins and ends in the same junction. */
#ifndef SN_PATH_KNOT_H
#define SN_PATH_KNOT_H

#include "path/cord.h"

enum { SN_KNOT_JUNCTIONS = 8, SN_KNOT_CORDS = 24 }; /* most in one knot; sn_compile refuses more */

typedef struct snKnotCord {
    const snCord *cord;
    int32_t from, to; /* junction at its origin and at its insertion, -1: a body */
    bool branch;      /* else part of a trunk */
} snKnotCord;

/* A cylinder or a sphere that a free junction stays outside of. */
typedef struct snKnotFloor {
    snWrapKind kind;
    int32_t slot;    /* -1: none */
    v3 centre, axis; /* in the body */
    double radius;   /* m */
} snKnotFloor;

typedef struct snKnot {
    int32_t ncord, njunction, nslot;
    const snKnotCord *cord;
    const int32_t *trunk;     /* njunction: first cord of the trunk that it is on; -1: free in space */
    const snKnotFloor *floor; /* njunction; NULL: none */
} snKnot;

/* What is unknown of a junction: its length along the trunk, or its place. */
static inline int32_t sn_junction_unknowns(const snKnot *knot, int32_t junction)
{
    return knot->trunk[junction] < 0 ? 3 : 1;
}

static inline int32_t sn_knot_unknowns(const snKnot *knot)
{
    int32_t n = 0;
    for (int32_t j = 0; j < knot->njunction; ++j) n += sn_junction_unknowns(knot, j);
    return n;
}

/* A cord of a knot at some pose; node has room for two nodes more than its points and wraps need. */
typedef struct snKnotCordNow {
    snCordNode *node;
    int32_t nnode;
    double length;
    double activation, x; /* given; x as for sn_cord_pull, comes back as found */
    snCordPull pull;
    double *g; /* 6 * nslot */
} snKnotCordNow;

/* cord: ncord. s: the unknowns of all junctions, to start from, and as found. jac: of each junction three rows of
 * 6 * nslot, its velocity. */
void sn_knot_solve(const snKnot *knot, const rigid *pose, snKnotCordNow *cord, double *s, double *jac);
/* The same; when pulls and g of all cords are known, `again` may change activations and ask for another solution, which
 * starts from there. Nodes are not known yet when it is called. */
typedef bool (*snKnotAgainFn)(void *context, snKnotCordNow *cord);
void sn_knot_solve_twice(const snKnot *knot, const rigid *pose, snKnotCordNow *cord, double *s, double *jac,
                         snKnotAgainFn again, void *context);

#endif
