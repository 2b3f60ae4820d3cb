/* Twists: where a bone turns along its parent (the radius about the ulna), the skin over both turns with the parent at
 * one end and with the child at the other. A linear blend of two bones that differ by a turn shrinks the skin between
 * them, so the blend uses STEPS - 1 bones in between, each turned a little further, and each vertex follows its two
 * neighbours among them. */
#ifndef SN_SKIN_TWIST_H
#define SN_SKIN_TWIST_H

#include "skin/blend.h"
#include "skin/skin.h"

enum { SN_TWIST_STEPS = 16 };

/* How far a place takes part in the child: 0 at `from`, 1 at `to`, level at both. */
double sn_twist_part(const snSkinTwist *twist, v3 place);

/* Bodies with those in between: nbody + (STEPS - 1) ntwist. */
int32_t sn_twist_bodies(int32_t nbody, int32_t ntwist);
/* Weights of one vertex over bodies turned into weights over bodies with those in between, largest first. */
void sn_twist_bind(int32_t nbody, int32_t ntwist, const snSkinTwist *twist, int32_t body[SN_SKIN_BONES],
                   double weight[SN_SKIN_BONES]);
/* Fills in the motions (12 each) of those in between from those of the bodies. */
void sn_twist_matrices(int32_t nbody, int32_t ntwist, const snSkinTwist *twist, const double *rest, const double *pose,
                       double *matrix);

#endif
