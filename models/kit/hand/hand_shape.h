/* Shapes of the hand's bones. */
#ifndef SN_KIT_HAND_SHAPE_H
#define SN_KIT_HAND_SHAPE_H

#include "author/table.h"
#include "common/bone.h"
#include "hand/hand.h"

enum { SN_HAND_PATTERNS = 3 };

typedef struct snHandShapes {
    snFigures table;                      /* shapes.tsv */
    snBoneMesh pattern[SN_HAND_PATTERNS]; /* of phalanx, tip and metacarpal, m */
} snHandShapes;                           /* zeroed memory has no shapes */

snStatus sn_hand_shapes_load(snHandShapes *shapes, const char *folder, snError *error);
void sn_hand_shapes_free(snHandShapes *shapes);
/* Adds the meshes of one body to its scene node. */
snStatus sn_hand_add_shape(snHandShapes *shapes, const snHand *hand, const snHandBone *bone, snSpec *spec, snId node,
                           snError *error);

#endif
