/* Steering a model on a tree while somebody watches: the studio's live mode. */
#ifndef SN_CONTROL_OWN_PILOT_H
#define SN_CONTROL_OWN_PILOT_H

#include "sinew/steer.h"

/* A pilot steers a state that its owner steps, without a motion: towards coordinates that may change at any time. */
typedef struct snPilot snPilot;
typedef enum snPilotDial {
    SN_PILOT_COACTIVATION, /* level of all parts, 0 to 100 */
    SN_PILOT_BREATHING     /* depth of a breath, rad; without effect where def has no breath */
} snPilotDial;

/* It acts on this state from now on: each sn_step chooses activations, at first so that the pose is kept. Of def:
 * stiffness, damping, relaxation, sensor, parts, loads (times since the state's 0 s) and the breath, which must outlive
 * it. */
snStatus sn_pilot_create(const snModel *model, snState *state, const snSteerDef *def, snPilot **pilot, snError *error);
void sn_pilot_destroy(snPilot *pilot); /* before the state; NULL is fine */
/* Where to go: one number per coordinate, clamped to its range; passive ones are not read.
 * It is approached smoothly. */
void sn_pilot_aim(snPilot *pilot, const double *coordinate);
void sn_pilot_dial(snPilot *pilot, snPilotDial dial, double value); /* clamped; NaN: 0 */
/* A weight at the centre of mass of a body, kg, besides those of def; 0 takes it away. At most eight bodies: more are
 * left out. */
void sn_pilot_load(snPilot *pilot, int32_t body, double kg);

#endif
