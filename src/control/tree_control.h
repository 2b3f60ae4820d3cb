/* Control of a tree with line muscles: accelerations that follow a target, the torques that a step needs for them, and
 * the activations that give those torques.
 *
 * Driven coordinates get qdd* = qdd_ref + k_p (q* - q) + k_v (v* - v). The step itself is solved backwards: with m the
 * driven and p the passive coordinates, dv_m = h qdd*, A and b those of the step without contractile elements,
 *     G = A_mp A_pp^-1,  tau = [(A_mm - G A_pm) dv_m + G b_p - b_m] / h,  B = -(P_m - G P_p) diag(c+),  B a = tau
 * with c+ the contractile force as the step will have it. Muscles that pull at passive joints count with what that does
 * to the driven ones. B a = tau is met by the dual program of opt/dualqp.h; what cannot be met is reported per
 * coordinate. Further rows, which cost little to miss, ask the passive coordinates for dv_p = -h k_v v_p, or, where
 * they have a target, for dv_p = h qdd*. With those
 * G need not be found: adding G times the passive rows to the driven ones leaves -P diag(c+) a = (A dv - b) / h, a row
 * per coordinate and as sparse as P, and changes the metric of what is missing alone. */
#ifndef SN_CONTROL_TREE_CONTROL_H
#define SN_CONTROL_TREE_CONTROL_H

#include "opt/dualqp.h"
#include "sim/tree_sim.h"

typedef struct snTreeControl {
    int32_t nunit;
    const int32_t *unit; /* npath: the muscle that each path belongs to; NULL: its own */
    /* settings */
    double k_p, k_v; /* 1/s^2, 1/s: 100, 20 */
    double eps; /* of the dual program: 0.1. Below 0.01 exact, but all or nothing where torques are out of reach. Where
                   the program does not converge it is tried again with ten times as much */
    double steady; /* 0.1: passive coordinates are asked to come to rest, how dear it is that they do not; 0: not at
                      all. Without it a rib cage sways: driven joints are held by muscles that also pull at passive
                      ones, and each sway calls for activations that feed it. Above 1 following suffers */
    int32_t max_rounds; /* of the dual program: 10 */
    double sensor;      /* 1/s: how fast the inverse learns of loads; 0: at once */
    bool paper;         /* torques by [Lee 2009]: hybrid dynamics at a forward prediction, for comparison only */
    double *gamma;      /* nunit: coactivation of each muscle, 0 at first */
    double *target;     /* nunit: activations to stay near, 0 at first; coactivation adds to them */
    double *weight;     /* nunit: how much it counts to stay near, 1 at first */
    double *lo, *hi;    /* nunit: bounds, 0 and 1 at first */
    double *asked;      /* ndof: above 0: a passive coordinate that follows its target as far as muscles get it there
                           cheaply: its row asks for qdd* instead of rest. Needs steady above 0; 0 at first */
    double *activation; /* nunit: chosen; also handed to the paths of sim */
    /* what the last choice found */
    double *missing;   /* ndof: acceleration that muscles could not give, rad/s^2 or m/s^2; 0 at passive coordinates */
    double *unmet;     /* ndof: the torque of it, N m or N */
    double *wanted;    /* ndof: qdd*, 0 at passive coordinates that are not asked */
    double eps_used;   /* by the last program */
    bool warm;         /* there was a last step to start from */
    snDualQpInfo info; /* of the last program; rounds: of all programs of the step */
    double *felt;      /* 3 per load: what the sensor says, N */
    /* times of the last choice, s of the calling thread */
    double time_inverse, time_B, time_qp;
    struct treeControlWork *work;
} snTreeControl;

/* unit: the muscle of each path, 0 to nunit - 1, must outlive it; NULL: every path by itself. NULL: out of memory. */
snTreeControl *sn_treecontrol_create(const snTreeSim *sim, int32_t nunit, const int32_t *unit);
void sn_treecontrol_destroy(snTreeControl *control); /* NULL is fine */

/* Between evaluate and advance: sets the activations of sim. q, v (ndof): target at the end of the step; qdd (ndof):
 * its acceleration, NULL for none. Entries of passive coordinates that are not asked are not read. SN_FAILED: activations are left as they
 * were. */
snStatus sn_treecontrol_choose(snTreeControl *control, snTreeSim *sim, const double *q, const double *v,
                               const double *qdd);
/* What it remembers from step to step, as so many doubles; to go on bit for bit. values may be NULL to ask for the
 * count. */
size_t sn_treecontrol_save(const snTreeControl *control, const snTreeSim *sim, double *values);
void sn_treecontrol_load(snTreeControl *control, const snTreeSim *sim, const double *values);
/* Forgets the sensor's past and the warm start. */
void sn_treecontrol_reset(snTreeControl *control, const snTreeSim *sim);

#endif
