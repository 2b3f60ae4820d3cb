/* The state of the strand-structured solver: made once by strand_setup.c, used by kkt_strand.c. */
#ifndef SN_SPARSE_STRAND_SOLVER_H
#define SN_SPARSE_STRAND_SOLVER_H

#include "system/kkt_internal.h"
#include "system/lanes.h"

/* Where a rectangle of a strand's block goes in the panels of the reduced system. */
typedef struct snTarget {
    int32_t row, column;   /* in the block */
    int32_t height, width; /* of the rectangle */
    int32_t ld;
    int32_t kind; /* SN_TARGET_ */
    int64_t at;   /* its first number in snReduced.panel */
} snTarget;

enum {
    SN_TARGET_ALONG,   /* rows of the rectangle are columns of the panel */
    SN_TARGET_ACROSS,  /* columns of the rectangle are columns of the panel */
    SN_TARGET_TRIANGLE /* on the diagonal: the lower half, across */
};

typedef struct snStrandSolver {
    const snLanes *lanes;
    int32_t nbatch, nworker;
    snBatch *batch;
    snLaneWork *work; /* nworker */
    snLaneData data;
    snReduced reduced;
    int32_t *body_at, *link_at, *joint_at; /* unknown of the reduced system: first of a body, of a link or joint row */
    int32_t *joint_host;                   /* njoint: 0 or 1, the side whose body the row is eliminated with */
    int32_t *owner;                        /* reduced.n: the culprit that an unknown stands for */
    int32_t *own_slot;                     /* nown */
    int32_t *index;                        /* slot_at and link_at of all lanes */
    snLinkPart *linkpart;                  /* of all lanes */
    int32_t *first_row;                    /* of all batches */
    int32_t *targetadr;                    /* SN_LANES * nbatch + 1: by lane */
    snTarget *target;
    int64_t *body_to, *pair_to,
        *link_to;               /* in snReduced.panel: the blocks of bodies and pairs, the pivots of link rows */
    int64_t *joint_to;          /* 3 * njoint: the row under its host, the other body under the row, the pivot */
    int32_t *body_ld, *pair_ld; /* nbody, npair: of the panels that those blocks are in */
    double *memory;             /* L, R, block, border of all batches */
    double *scratch;            /* of all workers */
    double *vector;             /* t, q, w, y and the points below */
    double *x, *res, *step;     /* vectors as in kkt.h, but for the points */
    double *x_point, *res_point, *step_point; /* 4 npoint each */
    double *red, *total;  /* reduced.n: right-hand side and solution of the reduced system; the sum of the solutions */
    int32_t *strand_lane; /* nstrand: SN_LANES * batch + lane */
    snKktPart *old_part;  /* npart, nlink: the link rows at the last factorisation */
    uint8_t *old_on;
    bool factored;
    snLaneData kept[2];  /* of the attached right-hand sides: rhs, force */
    double *kept_vector; /* their t, w, y */
    double *kept_border; /* SN_LANES * nbatch lanes of 2 * border_size: what the strands give to the reduced ones */
    int32_t nchunk, border_size; /* forces answered at once; numbers kept for each */
    double *chunk;               /* nchunk * border_size */
    double *many;                /* nworker * 2 * SN_MANY * reduced.n */
    uint8_t *reached;            /* nworker * reduced.nnode: nodes that the right-hand sides or solutions reach */
} snStrandSolver;

/* NULL when out of memory. */
snStrandSolver *sn_strand_solver_create(const snKkt *kkt, const snLanes *lanes);
void sn_strand_solver_destroy(snStrandSolver *s);

/* The row of a strand's block that holds border column a. */
static inline int64_t sn_block_row(int32_t a)
{
    int32_t g = a / 4;
    return 8 * (int64_t)g * (g + 1) + 4 * (int64_t)(a % 4) * (g + 1);
}

#endif
