/* What the run that follows a motion may ask of its follower. */
#ifndef SN_CONTROL_FOLLOWER_H
#define SN_CONTROL_FOLLOWER_H

#include "sinew/control.h"

/* What activation 1 of each muscle did to the velocities of the targets in the last step: nrow rows, ld apart. */
const double *sn_follower_response(const snFollower *follower, int32_t *nrow, int32_t *ld);

#endif
