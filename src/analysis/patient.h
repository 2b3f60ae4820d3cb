/* A model on a tree with a case applied: what the clinical questions share. */
#ifndef SN_ANALYSIS_PATIENT_H
#define SN_ANALYSIS_PATIENT_H

#include "model/model.h"
#include "opt/boxqp.h"
#include "opt/dense.h"
#include "opt/dualqp.h"
#include "sinew/clinical.h"

struct snTreeSim;

typedef enum snCoupling { SN_COUPLE_SOFT, SN_COUPLE_HARD, SN_COUPLE_NONE } snCoupling;

typedef struct snLoad {
    int32_t link;
    v3 point, force; /* neutral world; the force turns with the link */
} snLoad;

/* The linear statics of one state: missing torque = A z - b, z being one number per control, then per stop. */
struct snPatient {
    const snSpec *spec;
    const snModel *m;
    snModel *own; /* the model where tendons were transferred */
    const snSkeleton *s;
    const snDense *dense;
    int32_t nq, nu, np, nz; /* coordinates, units, paths, controls */
    snTreeWork *tree;
    snPathWork *path;
    snPathLinks links;
    v3 upright, gravity; /* with the fixed joint at 0; as it is turned now */

    /* the case */
    double *strength, *passive; /* per path */
    double *cost;               /* per unit */
    bool *fused;                /* per coordinate */
    double *fused_at;           /* rad or m */
    bool *ignored;              /* per coordinate: its torque is not asked for, as where nobody saw it */
    bool *leaves;               /* per coordinate: is to leave its stop, which therefore does not push */
    int32_t *control;           /* per unit: its control; the same one for hard coupled units */
    snCoupling coupling;
    double thrift; /* on the weights of effort and coupling: 1, less while a motion is followed */
    int32_t nload;
    snLoad *load;
    double load_scale;

    /* by sn_patient_assemble, in true units */
    double *q, *v, *zero; /* nq: the state */
    double *A;            /* nq rows of nu: torque of each unit at activation 1 */
    double *b;            /* nq: torque that the units have to give */
    double *tau;          /* nq: scratch */

    /* the quadratic program: rows of A over their tolerance, columns by control, then stops */
    snBoxQp *qp;
    int32_t ld, nrow, nstop, nvar;
    double *H, *Q, *rhs, *c, *lo, *hi, *z;
    int32_t *row, *stop; /* coordinates of the rows; of the stops */
    double *stop_sign;
    /* the same for the dual: couplings are rows behind those of the torques, columns are by entries */
    snDualQp *program;
    int32_t nasked, ldy;
    double *entry, *metric, *weight, *y;
    double *price; /* nq + couplings: y of the last answer, by coordinate */
    int32_t *entryadr, *entry_row;

    /* the last answer */
    double *activation, *force, *missing;
    bool *clamped;
    void *block;
};

/* Weights of the program, see hold.c; sn_stop_limit: N m, more than any muscle gives. */
extern const double sn_effort_weight, sn_couple_weight, sn_stop_effort, sn_stop_limit;

/* Fills A and b for a state; v and a may be NULL. */
void sn_patient_assemble(snPatient *p, const double *q, const double *v, const double *a);
/* Fills A for the state that a simulation of p was prepared in, from its lengths and
 * forces; b and the tree are left. */
void sn_patient_borrow(snPatient *p, const struct snTreeSim *sim);
/* Torque of everything at given activations and no acceleration: sum of forces, 0 in equilibrium. */
void sn_patient_torque(snPatient *p, const double *q, const double *activation, double *tau);
/* The same, and K as sn_patient_slopes gives it. For tests: allocates. */
void sn_patient_stiffness(snPatient *p, const double *q, const double *activation, double *tau, bool full, double *K,
                          int32_t ld);
/* Moves everything to a state; v may be NULL. Fills A and b not. */
void sn_patient_place(snPatient *p, const double *q, const double *v);
/* Adds the loads of the case to tau, and -P f with its compression of one path. Need place. */
void sn_patient_loads(snPatient *p, double *tau);
void sn_patient_pull(const snPatient *p, int32_t path, double f, double *tau);
/* K = -dtau/dq of all static torques where p is placed. full: with second derivatives of the paths, weight and falling
 * branches of the muscles; otherwise only what is not negative. scratch: nq ld + 5 (nq + np). */
void sn_patient_slopes(snPatient *p, const double *activation, bool full, double *K, int32_t ld, double *scratch);
/* Which way the stop of coordinate k pushes a joint that lies on it: 1 from below, -1 from above, 0 off the stops. */
double sn_patient_stop(const snPatient *p, int32_t k, double at);
/* Chooses activations for the A and b of now; starts from the last ones. */
snStatus sn_patient_solve(snPatient *p, snDualQpInfo *info);
/* Turns the fixed joint as in a frame of a motion. */
void sn_patient_frame(snPatient *p, const snTargets *t, int32_t frame);
/* Target to what can be: inside the ranges, fused joints where they are. Fills p->clamped. */
void sn_patient_clamp(snPatient *p, const double *target, double *q);

/* Forward dynamics of the case, from rest in the neutral pose, with the full stiffness while that is definite.
 * Strengths and loads are those of now; sn_patient_apply takes over later ones. NULL: out of memory. */
struct snTreeSim *sn_patient_sim(const snPatient *p);
void sn_patient_apply(const snPatient *p, struct snTreeSim *sim);
/* The activations of the units for its paths. */
void sn_patient_drive(const snPatient *p, const double *activation, struct snTreeSim *sim);

/* The model with tendons transferred, without meshes. */
snStatus sn_transfer_model(const snSpec *spec, const snCase *c, snModel **model, snError *error);

#endif
