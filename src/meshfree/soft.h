/* An elastic body over quadrature points, held by bones and pushed by them: energy, force, stiffness, equilibrium.
 *
 * The body is made once and does not change; states of it may run in different threads. Nodes that are attached move
 * with their bone and are no unknowns. The others are ordered along the longest side, so that the stiffness has a
 * narrow skyline. World frame, SI. */
#ifndef SN_MESHFREE_SOFT_H
#define SN_MESHFREE_SOFT_H

#include "geom/distance.h"
#include "meshfree/material.h"
#include "meshfree/quads.h"
#include "sparse/tile.h"

/* A bone that the body must keep out of; in the bone's frame. */
typedef struct snSoftBone {
    const snDistance *distance; /* NULL: no contact; must outlive the body. Nodes keep no more than its reach */
    rigid rest;                 /* pose in which the body was modelled */
} snSoftBone;

typedef struct snSoftDef {
    const snSoftQuads *quads;       /* copied by reference: must outlive the body */
    const snSoftMaterial *material; /* one for each quadrature point, copied */
    snSoftLaw law;
    double stabilisation; /* s; its modulus is s mu */
    int32_t nbone;
    const snSoftBone *bone;
    const int32_t *attached;  /* for each node its bone, or -1; NULL: all free */
    const double *depth;      /* m for each node: distance to the body's own wall at rest; NULL: 0 */
    double contact_stiffness; /* N/m for each node, at first */
    double density;           /* kg/m^3, for dynamics */
} snSoftDef;

snSoftDef sn_default_soft_def(void);

typedef struct snSoftBody {
    const snSoftQuads *quads;
    snSoftMaterial *material;
    snSoftLaw law;
    double stabilisation, modulus; /* modulus: s times the mean of mu */
    int32_t nbone;
    snSoftBone *bone;
    int32_t *attached;
    int32_t *order; /* for each node its place among the free ones, -1: attached */
    int32_t nfree;
    int32_t *sorted; /* for each quadrature point its entries, by order: first those of attached nodes... */
    int32_t *held;   /* ... so many */
    snTiles tiles;
    double *keep; /* nnode x nbone: distance that a node's centre keeps from a bone; -INFINITY: no contact */
    double contact_stiffness;
    double *mass;   /* kg for each node */
    double *follow; /* nnode x nbone: how much a node goes with each bone when they move, sum 1 or none */
    double volume;  /* at rest */
} snSoftBody;

snStatus sn_soft_create(const snSoftDef *def, snSoftBody **body, snError *error);
void sn_soft_destroy(snSoftBody *body);

typedef struct snSoftState {
    double *x;        /* nnode x 3 */
    double *velocity; /* nnode x 3, for dynamics */
    rigid *pose;      /* of each bone */
    double activation;
    double contact_stiffness; /* N/m for each node, of the last solve */
    double *load;             /* nnode x 3, N: dead loads; may be NULL (not owned) */
    /* dynamics: 0 is off */
    double dt;
    double *target; /* nnode x 3: where inertia would take the nodes */
    /* friction, in direct solves only */
    double friction;
    double *normal_force; /* nnode x nbone: of the last state */
    double *stick;        /* nnode x nbone x 3: where it touched, in the bone's frame */
    /* scratch */
    double *force, *trial, *step, *shifted;
    bool expects;              /* the stiffness is that of the pressures below, see solve.c */
    double *pressure, *coming; /* nquad, Pa: expected here, and after the whole of the step */
    float *value, *right;
} snSoftState;

snStatus sn_soft_state_create(const snSoftBody *body, snSoftState **state, snError *error);
void sn_soft_state_destroy(snSoftState *state);

/* Energy of the positions x (J); NaN or infinite where the fibres' laws are. force (nnode x 3): minus the force on each
 * node, the gradient of the energy, for attached nodes too; may be NULL. */
double sn_soft_evaluate(const snSoftBody *body, const snSoftState *state, const double *x, double *gradient);
/* The stiffness of the free nodes at state->x, into state->value; share: of the projection, 1: without negative
 * eigenvalues, 0: as it is. */
void sn_soft_assemble(const snSoftBody *body, snSoftState *state, double share);
/* Moves the bones, and the nodes with them by nearness to what is attached: the start of a solve. */
void sn_soft_move_bones(const snSoftBody *body, snSoftState *state, const rigid *pose);
/* Attached nodes to where their bones are. */
void sn_soft_place_attached(const snSoftBody *body, snSoftState *state);

typedef struct snSoftSolveDef {
    double tolerance; /* m: a step below it ends the solve */
    int32_t most_steps;
    double longest;      /* m: of a node in one step */
    const double *known; /* nnode x 3: an equilibrium, NULL: none. A solve ends where all nodes are within the tolerance
                            of it: it would go there */
} snSoftSolveDef;
snSoftSolveDef sn_default_soft_solve_def(void);

typedef struct snSoftInfo {
    bool converged;
    int32_t steps;        /* of Newton */
    int32_t energies;     /* evaluations of the energy */
    double energy;        /* J */
    double residual;      /* N: largest force left on a free node */
    double last_step;     /* m */
    double least_J;       /* volume ratio at the worst quadrature point */
    double volume;        /* over that at rest */
    double contact_depth; /* m: deepest */
    double seconds;       /* processor time */
} snSoftInfo;

/* Equilibrium from state->x on: projected Newton with a line search. Allocates nothing. */
snSoftInfo sn_soft_solve(const snSoftBody *body, snSoftState *state, const snSoftSolveDef *def);
/* One step of dynamics by implicit Euler, minimising the energy with the inertia in it. */
snSoftInfo sn_soft_advance(const snSoftBody *body, snSoftState *state, double dt, const snSoftSolveDef *def);
/* Force of the body on a bone through the nodes attached to it, and through contact (3 each, N, world). */
void sn_soft_bone_force(const snSoftBody *body, snSoftState *state, int32_t bone, double attached[3],
                        double contact[3]);
/* What friction needs of the present state: call once after a solve. */
void sn_soft_remember_contact(const snSoftBody *body, snSoftState *state);

/* contact.c: energy of all contacts, adding to gradient (may be NULL) or, with value, to the stiffness (share: of the
 * projection, 1: only what is never negative of it). */
double sn_soft_contact(const snSoftBody *body, const snSoftState *state, const double *x, double *gradient,
                       float *value, double share, double *deepest);
/* Adds a symmetric 3 x 3 block (row-major) to the free nodes a and b of the stiffness. */
void sn_soft_add_block(const snSoftBody *body, float *value, int32_t a, int32_t b, const double block[9]);

#endif
