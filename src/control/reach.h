/* Targets that the joints can reach: the pose of each child body is taken apart into joint coordinates, clamped to the
 * joint's range, and put together again from the parent's (clamped) pose. */
#ifndef SN_CONTROL_REACH_H
#define SN_CONTROL_REACH_H

#include "model/model.h"

typedef struct snReach snReach;

/* has_target: nbody flags. A joint is clamped when its child has a target and its parent has one or is held. */
snReach *sn_reach_create(const snModel *m, const uint8_t *has_target); /* NULL when out of memory */
void sn_reach_destroy(snReach *reach);
/* Clamps poses (nbody, body frames) in place; worst (ncoord) keeps the largest excess seen, rad or m. */
void sn_reach_clamp(const snReach *reach, rigid *body, double *worst);

#endif
