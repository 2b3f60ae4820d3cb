/* Bone weights: heat that flows along the skin from the bone nearest to each vertex (Baran and Popovic 2007). */
#ifndef SN_SKIN_WEIGHTS_H
#define SN_SKIN_WEIGHTS_H

#include "geom/mesh.h"
#include "skin/blend.h"
#include "skin/skin.h"

/* For each vertex the body whose bone is nearest and can be reached without leaving the skin, and its distance (m). */
snStatus sn_weights_sources(const snTriMesh *skin, int32_t nbody, int32_t nbone, const snSkinBone *bone,
                            int32_t *source, double *distance, snError *error);

/* Weights from sources. parent (per body, may be NULL): a vertex takes part only in its source, that one's ancestors
 * and its descendants, two steps away at most, and near the line where two children of one body meet in both. twist:
 * pairs that share what they have by the place along the bones. body, weight: SN_SKIN_BONES per vertex, largest first,
 * sum 1. */
snStatus sn_weights_heat(const snTriMesh *skin, int32_t nbody, const int32_t *parent, int32_t ntwist,
                         const snSkinTwist *twist, const int32_t *source, const double *distance, int32_t *body,
                         double *weight, snError *error);

#endif
