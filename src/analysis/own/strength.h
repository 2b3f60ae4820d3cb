/* The largest torque that the muscles of a patient give in a pose: a linear program over activations from 0 to 1. Passive
 * forces are left out. */
#ifndef SN_ANALYSIS_OWN_STRENGTH_H
#define SN_ANALYSIS_OWN_STRENGTH_H

#include "sinew/clinical.h"

typedef struct snStrength {
    double torque;   /* N m or N: the factor on the direction */
    double gap;      /* by how much the dual program allows more: 0 at the optimum */
    double residual; /* N m: largest torque about a coordinate that should have none, or another share */
    int32_t pivots;
} snStrength;

/* direction (per coordinate): shares of the torque, such as 1 or -1 at one of them, or -1 at each level of a spine.
 * balanced (per coordinate): no torque there; where neither is set muscles may do what they like. q: the pose, clamped to
 * the ranges. activation (per unit, may be NULL): of the muscles that give it. SN_BAD_INPUT: direction is 0 everywhere. */
snStatus sn_strength(snPatient *patient, const double *q, const double *direction, const bool *balanced,
                     double *activation, snStrength *strength);

#endif
