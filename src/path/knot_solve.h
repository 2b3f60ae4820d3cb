/* What knot.c and net.c share: a knot while its junctions are sought. */
#ifndef SN_PATH_KNOT_SOLVE_H
#define SN_PATH_KNOT_SOLVE_H

#include "path/internal.h"
#include "path/knot.h"

enum { KNOT_UNKNOWNS = 3 * SN_KNOT_JUNCTIONS, KNOT_ROW = 6 * SN_CORD_BODIES };

typedef struct knotPlace { /* of a junction */
    int32_t a;             /* the node before it, of the whole trunk; of a free one, nothing */
    v3 p, t;
    v3 bend;             /* dt/ds: not zero on a wrap */
    double before, part; /* length of the trunk up to node a; share of its piece */
} knotPlace;

typedef struct knotSolve {
    const snKnot *k;
    const rigid *pose;
    snKnotCordNow *now;
    double *s;
    int32_t n;                        /* unknowns */
    int32_t at[SN_KNOT_JUNCTIONS];    /* where those of each junction begin */
    bool net;                         /* a junction is free */
    double whole[SN_KNOT_JUNCTIONS];  /* length of the trunk of each junction */
    int32_t nodes[SN_KNOT_JUNCTIONS]; /* and its nodes, which the first cord keeps while the junctions are sought */
    knotPlace place[SN_KNOT_JUNCTIONS];
    bool held[SN_KNOT_JUNCTIONS];                  /* on its floor throughout a step */
    bool on[SN_KNOT_JUNCTIONS];                    /* presses on its floor */
    v3 out[SN_KNOT_JUNCTIONS];                     /* away from the floor */
    double press[SN_KNOT_JUNCTIONS];               /* N */
    double whole_S[KNOT_UNKNOWNS * KNOT_UNKNOWNS]; /* S with the floors, before what they hold is taken out */
    double r[KNOT_UNKNOWNS], S[KNOT_UNKNOWNS * KNOT_UNKNOWNS];
} knotSolve;

static inline bool knot_is_free(const knotSolve *v, int32_t junction)
{
    return v->k->trunk[junction] < 0;
}

/* knot.c: rows over the velocities of the bodies, s held; jac NULL: a line without junctions. */
void knot_add_node_row(const knotSolve *v, const double *jac, const snCordNode *node, v3 n, double *row);
void knot_add_length_row(const knotSolve *v, const double *jac, int32_t n, const snCordNode *node, double *row);
/* Adds force . (omega x t) of a body. */
void knot_add_turn(const knotSolve *v, int32_t slot, v3 t, v3 force, double *row);
/* Adds force . dt/dq, t the direction of the trunk at a junction on a line. */
void knot_add_sway(const knotSolve *v, int32_t j, v3 force, double *row);
/* The body that carries the piece of the trunk with a junction, where it is one: by a node at the junction. */
snCordNode knot_carried(const knotSolve *v, int32_t j);

/* net.c: a branch of a knot that has free junctions; S and r, the slope of r by the poses, the marks of its ends. */
void net_add_branch(knotSolve *v, int32_t i);
void net_add_branch_slope(const knotSolve *v, const double *jac, int32_t i, double *slide);
void net_mark_branch(const knotSolve *v, int32_t i);
/* Puts junctions that are inside their floors, or on them, on them. */
void net_keep_outside(knotSolve *v);
/* Takes what floors hold out of r and S: only motion along them is left. */
void net_hold(knotSolve *v);
/* The same for the slope of r by the poses; moved: what the floors do to the places, by the poses. False: no junction
 * presses on its floor, and moved is not set. */
bool net_hold_slope(const knotSolve *v, double *slide, double *moved);
/* Solves S x = b; a matrix that is not positive is stiffened until it is. b: n rows of `columns`. */
bool net_solve(const knotSolve *v, double *b, int32_t columns);

#endif
