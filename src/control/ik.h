/* Joint coordinates of a tree from what some of its bodies are to do: be at a place, be turned, look at a point, lie
 * along a direction.
 *
 * Minimises sum w |r|^2 + RHO sum k q^2 within the ranges: r are the residuals below, k the stiffness of the joints, so
 * that joints share a bend as their tissue would; RHO is so small that what can be reached is reached to a few
 * micrometres. Damped Gauss-Newton steps, each a box-constrained program. Coordinates that are not free stay as they
 * are given: passive ones, such as those that close a rib cage, at rest. */
#ifndef SN_CONTROL_IK_H
#define SN_CONTROL_IK_H

#include "sinew/base.h"
#include "tree/tree.h"

typedef enum snIkKind {
    SN_IK_PLACE, /* r = p - p*, m */
    SN_IK_TURN,  /* r = log(R* R'), rad: goal is the rotation vector from the neutral pose, world axes */
    SN_IK_LOOK,  /* r = f - (p* - p)/|p* - p|: f is the neutral x axis, carried along */
    SN_IK_AIM    /* r = (far - p)/|far - p| - u*: far is a second point, of its own link; u* a unit vector */
} snIkKind;

typedef struct snIkTarget {
    snIkKind kind;
    int32_t link;     /* that moves the body */
    double point[3];  /* neutral world, m */
    bool wanted[3];   /* of a place: axes that count */
    int32_t far_link; /* of an aim: that moves its second point */
    double far[3];    /* of an aim: neutral world, m */
    double weight;    /* among the others; 0 counts as 1 */
} snIkTarget;

typedef struct snIk snIk;

/* free (ndof): may move. Copies the targets; the tree must outlive it. NULL: out of memory. */
snIk *sn_ik_create(const snTree *tree, int32_t ntarget, const snIkTarget *target, const bool *free);
void sn_ik_destroy(snIk *ik); /* NULL is fine */
/* Ends the search at steps below this many rad, or after so many rounds. Unless called: when nothing changes. */
void sn_ik_limit(snIk *ik, double step, int32_t rounds);
/* goal: 3 per target. q (ndof): in, where to start and what is not free; out, the answer. Gives the rounds taken.
 * SN_FAILED: a number is not finite; q is left as it was. */
snStatus sn_ik_solve(snIk *ik, const double *goal, double *q, int32_t *rounds);
/* Residuals at q, 3 per target (0 where not wanted); J (NULL: none): 3 ntarget rows of ndof, every coordinate. */
void sn_ik_residual(snIk *ik, const double *goal, const double *q, double *r, double *J);
/* How far one target is missed at q: m, or rad. */
double sn_ik_missed(snIk *ik, const double *goal, const double *q, int32_t target);

#endif
