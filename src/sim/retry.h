/* A step that may be taken in pieces: see retry.c. */
#ifndef SN_SIM_RETRY_H
#define SN_SIM_RETRY_H

#include "sim/plant.h"

enum { SN_STEP_PIECES = 256 }; /* the shortest piece is this part of a step */

/* Allocates what a step that is taken again needs; false: out of memory. */
bool sn_retry_begin(const snModel *m, snState *s);
void sn_retry_end(snState *s);
/* Whole, or in pieces where that fails. SN_DIVERGED: the state is where it was. */
snStatus sn_step_or_pieces(const snModel *m, snState *s);
/* step.c: the stages of one step of s->h; on SN_DIVERGED poses, points and their velocities are as before. */
snStatus sn_step_once(const snModel *m, snState *s);

#endif
