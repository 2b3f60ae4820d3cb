/* What commands ask of a skin beside deforming. */
#ifndef SN_SKIN_OWN_SKIN_H
#define SN_SKIN_OWN_SKIN_H

#include "sinew/skin.h"

/* Raises the skin over a base that somebody else has skinned: vertices (3 each) of this frame, world. normal may be
 * NULL. */
void sn_skin_deform_base(snSkin *skin, const double *base, const double *point, double *vertex, double *normal);

/* What took long to make the skin, as bytes of this machine and build; NULL where all of it was given (bound of the
 * def). */
const void *sn_skin_bound(const snSkin *skin, size_t *size);

/* By brute force over all strands instead of the tree: the reference for tests and benchmarks. */
void sn_skin_set_brute_force(snSkin *skin, bool on);

#endif
