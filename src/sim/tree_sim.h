/* A tree with line muscles, stepped: where tree/ and path/ meet. The implicit step of length h is
 *     A dv = h (Q - C) - h^2 K v,  A = M + h D + h^2 K,  K = d(C - Q)/dq,  D = d(C - Q)/dv;  v += dv,  q += h v
 * with Q = muscles, joints, stops, springs, loads. Muscles are split: the passive element belongs to A and b, the
 * contractile one, a c(l, ldot), joins once activations are chosen. A controller that looks beyond the next step asks
 * for -h lead K v instead of -h^2 K v. Stages of a step: prepare, evaluate, (a controller
 * sets activations), advance; measure whenever figures are wanted. No stage allocates. */
#ifndef SN_SIM_TREE_SIM_H
#define SN_SIM_TREE_SIM_H

#include "path/path.h"
#include "sinew/base.h"
#include "tree/tree.h"

/* A force on a link: as it is in the world, or turning with the link. */
typedef struct snTreeLoad {
    int32_t link;
    double point[3]; /* neutral world, m */
    double force[3]; /* N, world; of the neutral pose where it turns with the link */
    bool turns;
} snTreeLoad;

typedef struct snTreeSim {
    const snTree *tree;
    const snPathSet *paths;
    /* settings */
    double h;       /* s */
    double lead;    /* s: at the present velocity, forces are those of so much later; 0: of h, as in a step */
    v3 gravity;     /* m/s^2 */
    bool geometric; /* K holds the turning of levers under the present tensions: nearer to the truth, but not always
                       definite; where A does not factor the step leaves it out */
    bool full;      /* K is the whole slope: levers, weight, falling branches, compression, loads; left out likewise */
    bool stays; /* q, v, strengths and loads are those of the last evaluate, only activations have changed: what they
                   do not touch is not found again. Taken back by move */
    bool free_stops;           /* stops do not push: what a controller asks for that leaves them to themselves */
    const double *compression; /* ndof, NULL: none: stiffness of a coordinate per newton of tension across it, m/rad */
    const bool *fused;         /* ndof, NULL: none: stands still */
    /* state */
    double time, *q, *v; /* ndof */
    double *activation;  /* npath, 0 to 1 */
    double *strength;    /* npath: of the contractile element, 1 at first */
    double *weight;      /* npath: of the passive element, 1 at first */
    snTreeLoad *load;    /* nload */
    int32_t nload;
    double *external; /* ndof: further generalised forces, N m or N, 0 at first */
    /* by prepare */
    snTreeWork *work;
    snPathWork *line;
    /* by evaluate, all without the contractile elements */
    int32_t ld;
    double *M;               /* ndof rows of ld */
    double *A;               /* ndof rows of ld */
    double *b;               /* ndof: h (Q - C) - h^2 K v */
    double *pushed;          /* ndof: what loads add to Q */
    double *stop_A, *stop_b; /* ndof: what stops add to the diagonal of A and to b, both 0 within the ranges */
    bool levers;             /* A and b hold the geometric part, or the full slope */
    /* by solve */
    double *dv;    /* ndof: change of the velocity in the step */
    bool left_out; /* the geometric part, or the full slope, was left out of the last step */
    double *U, *x; /* by form: the system with contractile elements, ndof rows of ld, upper half; its right side */
    /* scratch */
    double *seen; /* q, v, strength, weight that the last prepare saw */
    bool is_seen; /* there was one, and nobody has placed the tree elsewhere since */
    double *kept; /* ndof rows of ld: what of K does not depend on activations; NULL without sn_treesim_keep */
    bool is_kept; /* it is of the present state */
    double *K, *least, *turn, *wide, *force;
    void *block;
} snTreeSim;

enum { SN_TREE_MAX_LOAD = 16 };

/* In the neutral pose, at rest, h = 7 ms, gravity along -y. Tree and paths must outlive it. NULL: out of memory. */
snTreeSim *sn_treesim_create(const snTree *tree, const snPathSet *paths);
/* For controllers that evaluate twice in one state: keeps what activations do not change. False: out of memory. */
bool sn_treesim_keep(snTreeSim *sim);
void sn_treesim_destroy(snTreeSim *sim); /* NULL is fine */

/* Kinematics, lengths, arms, forces at q, v; found once, however often it is asked for there. Who places the tree of
 * sim elsewhere sets is_seen to false. */
void sn_treesim_prepare(snTreeSim *sim);
void sn_treesim_evaluate(snTreeSim *sim); /* M, A, b */
/* U dv = x with the contractile elements at the present activations; pull false: their
 * stiffness but not their force. */
void sn_treesim_form(snTreeSim *sim, bool pull);
bool sn_treesim_factor(snTreeSim *sim); /* U, in place; false where it is not definite */
/* With activations: finds dv, with the stops that push at its end. SN_FAILED where the system is not definite or a
 * number is not finite. */
snStatus sn_treesim_solve(snTreeSim *sim);
void sn_treesim_move(snTreeSim *sim);        /* by dv */
snStatus sn_treesim_advance(snTreeSim *sim); /* both; nothing moved where it fails */
snStatus sn_treesim_step(snTreeSim *sim);    /* the three */

/* Force of the contractile element at activation 1 at the end of a step that changes velocities by dv, as the step will
 * have it: c + c_v d(ldot) + h c_l ldot_end, not below 0. npath numbers. */
void sn_treesim_active_after(const snTreeSim *sim, const double *dv, double *active);
/* Tension of every path now, N. Needs prepare. */
void sn_treesim_tensions(const snTreeSim *sim, double *force);
/* Adds the torques of tensions to tau: -P f, and compression. Needs prepare. */
void sn_treesim_pull(const snTreeSim *sim, const double *force, double *tau);
/* Energy in the passive elements of the muscles, J. Needs prepare. */
double sn_treesim_stretched(const snTreeSim *sim);
/* Kinetic energy, weight, tissue and passive elements, J: what can only fall without activation. Prepares. */
double sn_treesim_energy(snTreeSim *sim);
/* What loads add to Q at the pose prepared: `forces` 3 per load instead of the loads' own where not NULL. */
void sn_treesim_push_loads(const snTreeSim *sim, const double *forces, double *tau);

#endif
