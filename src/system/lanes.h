/* The arithmetic of the strand-structured solver: four strands side by side in the lanes of a vector. Written once in
 * lanes_impl.h and reduced_impl.h and compiled for each instruction set.
 *
 * For one strand, with its points eliminated first and its own rows after them,
 *     A = L L',   Y = L^-1 G',   S = Y'Y + D = R R',
 * and with the border W = [U0; V0], the columns of bodies and link rows that the strand meets,
 *     U = L^-1 U0,   V = R^-1 (Y'U - V0),   and it adds V'V - U'U to the reduced system.
 * Solving needs L, R, the rows themselves and C = U'Y of the link rows only, so Y, U and V live in the scratch of a
 * thread. */
#ifndef SN_SPARSE_LANES_H
#define SN_SPARSE_LANES_H

#include "system/kkt.h"
#include "system/reduced.h"

enum {
    SN_LANES = 4,
    SN_BAND = 33 /* numbers of one point in L: 6 of its inverted triangle, 3 x 9 of the points before it */
};

/* A part of a link row on a strand, and the border column of that row. */
typedef struct snLinkPart {
    int32_t part, link, column;
} snLinkPart;

/* One strand in a batch. An empty lane has npoint = nown = 0. */
typedef struct snLane {
    int32_t strand, npoint, nown; /* strand -1: empty */
    int32_t point, own;           /* first control point, first own row */
    int32_t nslot, nlink, nlinkpart;
    const int32_t *slot_at; /* nslot: unknown of the reduced system that each body starts at */
    const int32_t *link_at; /* nlink: unknown of each link column */
    const snLinkPart *linkpart;
    double *border;  /* columns: what the strand gives to, or takes from, the reduced vector */
    double *border2; /* columns */
    double
        *block; /* V'V - U'U, lower, by rows of groups of four: row a of group g at 8 g (g + 1) + 4 (a % 4) (g + 1) */
} snLane;

/* Strands of similar size, padded with identity to the largest. Columns of the border: six for each of nslot bodies,
 * then nlink, then zeros. */
typedef struct snBatch {
    int32_t npoint, nrow, nslot, nlink;
    int32_t nrowgroup, nbordergroup; /* groups of four rows, of four border columns */
    snLane lane[SN_LANES];
    double *L; /* SN_BAND vectors per point */
    double
        *R; /* vector (row group i, column k < 4 i + 4, row a of four) at 8 i (i + 1) + 4 k + a; inverted triangles */
    double *C; /* nlink * 4 nrowgroup vectors: what the multipliers of the own rows do to the link rows, U0' A^-1 G' */
    int32_t *first_row; /* nbordergroup: first row group that is not zero without link columns */
    uint32_t bad;       /* lanes whose last factorisation failed */
    double off, size;   /* largest residual of the last solve, largest right-hand side of a point */
    bool kept;          /* eliminated for the attached right-hand sides, with this factorisation */
} snBatch;

/* What all batches share. */
typedef struct snLaneData {
    const snKktValues *values;
    const int32_t *own_slot; /* nown: which body slot of its strand a row touches, or -1 */
    double *t, *q;           /* 4 npoint: scratch by point */
    double *w, *y;           /* nown: scratch by row */
} snLaneData;

/* Scratch of a thread, sized for the largest batch. */
typedef struct snLaneWork {
    double *Y, *U, *V, *x, *row;
    int32_t *start; /* first point of each row group, then of each border group */
} snLaneWork;

/* The right-hand side or solution of the lanes: npoint points and nown numbers each; NULL stands for zeros. A point
 * takes stride numbers: 3 in vectors as in kkt.h, 4 inside the solver, where it starts at a multiple of 32 bytes. */
typedef struct snLaneVector {
    double *point[SN_LANES], *row[SN_LANES];
    int32_t stride;
} snLaneVector;

typedef struct snLanes {
    const char *name;
    /* L, R, and lane.block; sets bad. */
    void (*factor)(const snLaneData *d, snBatch *b, snLaneWork *w);
    /* Eliminates the strands: lane.border = what is to be subtracted from the reduced right-hand side. */
    void (*forward)(const snLaneData *d, snBatch *b, snLaneWork *w, const snLaneVector *rhs);
    /* The same for two right-hand sides at once, each with scratch (t, w, y) and borders of its own. */
    void (*forward_two)(const snLaneData d[2], const snBatch *b, snLaneWork *w, const snLaneVector rhs[2],
                        double *const border[2][SN_LANES]);
    /* With the reduced solution in lane.border, after forward: the strands' own unknowns. out has stride 4. */
    void (*backward)(const snLaneData *d, snBatch *b, snLaneWork *w, const snLaneVector *out);
    /* res = rhs - K x on the strands, lane.border the reduced solution; lane.border2 = J' y for the bodies. x and res
     * have stride 4. Returns the largest number of res, *size that of the points of rhs, all without sign. */
    double (*residual)(const snLaneData *d, snBatch *b, const snLaneVector *rhs, const snLaneVector *x,
                       const snLaneVector *res, double *size);
    int32_t (*reduced_factor)(snReduced *r); /* -1, or the unknown whose pivot is bad */
    void (*reduced_solve)(const snReduced *r, double *x);
    /* SN_MANY right-hand sides, interleaved, and behind them as much room again. reached marks the nodes where any is
     * not zero; on return the nodes where the solution is not zero. The others are left as they are. */
    void (*reduced_solve_many)(const snReduced *r, double *x, uint8_t *reached);
} snLanes;

enum { SN_MANY = 8 };

const snLanes *sn_lanes_portable(void);
const snLanes *sn_lanes_avx2(void); /* NULL where it cannot run */

#endif
