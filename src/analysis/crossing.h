/* Which strands go over a joint, and where: what moment arms and moments over time share. */
#ifndef SN_CONTROL_CROSSING_H
#define SN_CONTROL_CROSSING_H

#include "model/model.h"

/* Marks the bodies behind a joint: its second body and all that hang on it by other joints. */
void sn_mark_distal(const snModel *m, int32_t joint, uint8_t *distal);
/* Body of the constraint on a strand that is nearest to a parameter; -1: none. */
int32_t sn_body_near(const snModel *m, int32_t strand, double s);
/* Whether a constraint fixes its strand to another one, and the body next to that place; -1: no such constraint. */
bool sn_is_junction(const snConstraint *c);
int32_t sn_junction_body(const snModel *m, int32_t constraint);

#endif
