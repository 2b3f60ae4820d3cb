/* Bones as tubes along a line: closed, consistently oriented meshes. */
#ifndef SN_KIT_BONE_H
#define SN_KIT_BONE_H

#include "base/array.h"
#include "math/vec.h"
#include "sinew/base.h"

typedef struct snBoneMesh {
    SN_ARRAY(double) vertex;    /* 3 each */
    SN_ARRAY(int32_t) triangle; /* 3 each */
} snBoneMesh;                   /* zeroed memory is an empty mesh */

void sn_bone_free(snBoneMesh *mesh);
/* Adds a tube along n positions (at least 2) with an elliptic section: half_out towards `out` of each position,
 * half_side across that and the tube. `around` vertices a ring, at least 3; round ends. */
bool sn_bone_sweep(snBoneMesh *mesh, const v3 *at, const v3 *out, int32_t n, double half_side, double half_out,
                   int32_t around);
/* Frame at `proximal` whose y points from `distal` to `proximal` and whose z is as near to `dorsal` as it can be. */
rigid sn_bone_frame(v3 proximal, v3 distal, v3 dorsal);

#endif
