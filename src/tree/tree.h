/* Articulated bodies in joint coordinates, as kernels over arrays. Knows no model.
 *
 * A tree has one link per degree of freedom; a link turns about an axis or slides along it. Bodies ride on links, so a
 * ball joint is three links of which the last carries the body. Everything is given in the world axes of the neutral
 * pose, q = 0, and the motion X_i of a link maps that neutral world to the current one: a point of the tables is placed
 * by X_i p, whatever the joint. Spatial vectors are (angular; linear at the world origin) in world axes.
 *     X_i = X_p exp(S0_i q_i), S_i = Ad(X_p) S0_i, S0 = (u; c x u) for a turn, (0; u) for a slide
 * Invariants: parents come before their children; axes are unit vectors, or zero: such a
 * link moves nothing itself. q, v, qdd and tau are numbers per link: rad
 * and N m, or m and N. Matrices are by rows, `ld` numbers apart. */
#ifndef SN_TREE_TREE_H
#define SN_TREE_TREE_H

#include "math/curve.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* The immutable description. Whoever fills it owns the arrays. */
typedef struct snTree {
    int32_t ndof;
    const int32_t *parent;        /* ndof: link that this one is fixed to, less than its own index, -1 for the root */
    const bool *slides;           /* ndof: slides along the axis instead of turning about it */
    const double *axis;           /* 3 ndof: unit vector, neutral world */
    const double *centre;         /* 3 ndof: a point on the axis, neutral world, m; any for a slide */
    const double *stiffness;      /* ndof: passive tissue, N m/rad or N/m */
    const double *damping;        /* ndof: N m s/rad or N s/m */
    const double *rest;           /* ndof: where the stiffness pulls to, rad or m */
    const double *lower, *upper;  /* ndof: range, rad or m; infinite where there is none */
    const double *stop_stiffness; /* ndof: beyond the range, one-sided, N m/rad or N/m; 0: no stop */
    const double *stop_damping; /* ndof: N m s/rad at 1 rad of depth (N s/m at 1 m): damping is stop_damping * depth */
    const bool *driven;         /* ndof: muscles are asked for its acceleration; false: passive */

    /* A link may follow a coordinate instead of being one: it is where curve says, its column is that of the coordinate.
     * Its own entry in q is not read; in tau it is 0, in M a row of the unit matrix. NULL: every link is its own. */
    const int32_t *follows; /* ndof: link whose coordinate it follows, one that follows itself */
    const snCurve *curve;   /* ndof: q of the link over q of the other; used where follows[i] != i */

    int32_t nbody;
    const int32_t *body_link; /* nbody: link that it rides on, -1: fixed */
    const double *mass;       /* nbody: kg */
    const double *com;        /* 3 nbody: centre of mass, neutral world, m */
    const double *inertia;    /* 6 nbody: xx yy zz xy xz yz about the centre of mass, neutral world axes, kg m^2 */

    int32_t nspring;                    /* of length zero in the neutral pose: close loops that a tree cannot */
    const int32_t *spring_a, *spring_b; /* nspring: links of the two ends, -1: fixed */
    const double *spring_point;         /* 3 nspring: where both ends are in the neutral world, m */
    const double *spring_k;             /* nspring: N/m */
    const double *spring_c;             /* nspring: N s/m */
} snTree;

/* What evaluating leaves behind, and its scratch. Open for reading. */
typedef struct snTreeWork {
    /* by sn_tree_place */
    double *rotation; /* 9 ndof: R of X_i, row-major */
    double *shift;    /* 3 ndof: p of X_i, m */
    double *value;    /* ndof: q of each link, what follows included */
    double *S;        /* 6 ndof: motion axis now, world; of a link that follows, times the slope of its curve */
    double *bend;     /* 6 ndof: the same times the second derivative of the curve; 0 of a link that is its own */
    double *inertia;  /* 10 ndof: of the bodies on each link now, as math/spatial.h has it */
    /* by sn_tree_move */
    double *V;    /* 6 ndof: velocity of each link, world */
    double *bias; /* 6 ndof: V_p x S_i v_i + bend_i v_i^2 */
    /* set once */
    double *neutral; /* 10 ndof: mass, centre of mass (3), inertia about it (6) of the bodies on it, neutral world */
    double *S0;      /* 6 ndof: S in the neutral pose */
    int32_t *spring_adr;  /* nspring + 1: links that change the spring's length: those above one end but not both */
    int32_t *spring_link; /* the links, the ends' last first */
    double *spring_sign;  /* +1: above end a, -1: above end b */
    double *scratch;      /* SN_TREE_SCRATCH per link */
    double *mass;         /* ndof x ndof where links follow others, else none: for sn_tree_hybrid */
    void *block;          /* all of the above */
} snTreeWork;

snTreeWork *sn_tree_create(const snTree *tree); /* NULL when out of memory */
void sn_tree_destroy(snTreeWork *work);         /* NULL is fine */

/* Kinematics: first place, then move; the rest needs one or both of them as it says. ------------------------------- */
void sn_tree_place(const snTree *tree, snTreeWork *work, const double *q);
void sn_tree_move(const snTree *tree, snTreeWork *work, const double *q_rate);
/* Entries of q, and of v unless it is NULL, of links that follow others. */
void sn_tree_couple(const snTree *tree, double *q, double *v);
/* A point of the neutral world that is fixed to a link (-1: stays), now; and its velocity. */
v3 sn_tree_point(const snTreeWork *work, int32_t link, v3 neutral);
v3 sn_tree_point_velocity(const snTreeWork *work, int32_t link, v3 neutral);
/* Motion of a link: identity for -1. */
rigid sn_tree_motion(const snTreeWork *work, int32_t link);
/* 3 x ndof (zeros outside the chain): velocity of the point per coordinate velocity. Needs place. */
void sn_tree_point_jacobian(const snTree *tree, const snTreeWork *work, int32_t link, v3 neutral, double *J,
                            int32_t ld);

/* Dynamics. -------------------------------------------------------------------------------------------------------- */
/* tau = M qdd + C, C holding gravity (m/s^2, world) and what velocity makes. Needs place and move; linear time. qdd may
 * be NULL for zero. */
void sn_tree_inverse(const snTree *tree, snTreeWork *work, const double *qdd, v3 gravity, double *tau);
/* The mass matrix, both halves. Needs place. */
void sn_tree_mass(const snTree *tree, snTreeWork *work, double *M, int32_t ld);
/* qdd of given tau by articulated bodies, linear time. Needs place and move. False where a link has no inertia at all.
 */
bool sn_tree_forward(const snTree *tree, snTreeWork *work, const double *tau, v3 gravity, double *qdd);
/* Where driven[i]: qdd[i] is given and tau[i] found; else the other way round. Needs place and move. */
bool sn_tree_hybrid(const snTree *tree, snTreeWork *work, const bool *driven, v3 gravity, double *qdd, double *tau);
/* Derivatives of sn_tree_inverse by q and by v at the given qdd (NULL for zero): dq and dv, ndof rows each, row i of
 * tau_i; dv may be NULL. Of links that follow others, the terms of the second derivative of their curves times speed or
 * acceleration are left out: exact at rest. Needs place and move. */
void sn_tree_inverse_derivative(const snTree *tree, snTreeWork *work, const double *qdd, v3 gravity, double *dq,
                                double *dv, int32_t ld);
/* Adds J'f of a force (N, world) at a point of a link to tau. Needs place. */
void sn_tree_push(const snTree *tree, const snTreeWork *work, int32_t link, v3 neutral, v3 force, double *tau);

/* Passive tissue: joint springs and dampers, stops, springs between bodies. ---------------------------------------- */
/* Adds their generalised forces to tau. Needs place and move. */
void sn_tree_passive(const snTree *tree, const snTreeWork *work, const double *q, const double *v, double *tau);
/* Force of the stop of one coordinate, as sn_tree_passive has it, and its negative derivatives; 0 within the range. */
double sn_tree_stop(const snTree *tree, int32_t i, double q, double v, double *by_q, double *by_v);
/* Adds h D + h^2 K of the same, D = -dtau/dv, K = -dtau/dq, to both halves of A: symmetric, and definite but for a
 * joint that leaves its stop fast. `exact` adds the turning of the levers of springs between bodies (not definite).
 * Needs place and move. */
void sn_tree_passive_stiffness(const snTree *tree, const snTreeWork *work, const double *q, const double *v, double h,
                               bool exact, double *A, int32_t ld);
/* Adds k K x to out, without making K. */
void sn_tree_passive_product(const snTree *tree, const snTreeWork *work, const double *q, const double *v, double k,
                             const double *x, double *out);
/* Adds k times the part of K that comes from the turning of the levers of springs between bodies: symmetric, not
 * definite. Needs place and move. */
void sn_tree_passive_levers(const snTree *tree, const snTreeWork *work, const double *v, double k, double *A,
                            int32_t ld);

/* Books. ----------------------------------------------------------------------------------------------------------- */
double sn_tree_kinetic_energy(const snTree *tree, const snTreeWork *work);               /* needs place and move */
double sn_tree_potential_energy(const snTree *tree, const snTreeWork *work, v3 gravity); /* of weight; needs place */
double sn_tree_passive_energy(const snTree *tree, const snTreeWork *work,
                              const double *q); /* stored in tissue; needs place */
/* Angular (about the world origin) and linear momentum, world. Needs place and move. */
void sn_tree_momentum(const snTree *tree, const snTreeWork *work, double momentum[6]);
v3 sn_tree_centre_of_mass(const snTree *tree, const snTreeWork *work, double *mass); /* mass may be NULL; needs place */

#endif
