/* Bones lofted from a few sections, and lumps for the bones of the carpus: closed, consistently oriented meshes. */
#ifndef SN_KIT_BONE_H
#define SN_KIT_BONE_H

#include "base/array.h"
#include "math/vec.h"
#include "sinew/base.h"

/* A section across the bone's y axis: a superellipse of half widths x and z about (center_x, center_z), with grooves on
 * the palmar (-z) and dorsal (+z) side as fractions of the radius. Sizes in units of the caller's choice. */
typedef struct snBoneRing {
    double y, center_x, center_z, half_x, half_z, power, palmar_groove, dorsal_groove;
} snBoneRing;

typedef struct snBoneMesh {
    SN_ARRAY(double) vertex;    /* 3 each */
    SN_ARRAY(int32_t) triangle; /* 3 each */
} snBoneMesh;                   /* zeroed memory is an empty mesh */

void sn_bone_free(snBoneMesh *mesh);
/* Adds a tube through the rings (at most 16), smooth between them, closed by poles half a step outside the first and
 * the last one. y must be monotone. Vertices are frame * (scale * p). False when out of memory. */
bool sn_bone_loft(snBoneMesh *mesh, const snBoneRing *ring, int32_t nring, rigid frame, double scale, int32_t along);
/* Adds a tube along n positions (at least 2) with an elliptic section: half_out towards `out` of each position, half_side
 * across that and the tube. `around` vertices a ring, at least 3; round ends. */
bool sn_bone_sweep(snBoneMesh *mesh, const v3 *at, const v3 *out, int32_t n, double half_side, double half_out,
                   int32_t around);
/* Adds an ellipsoid with squarish flanks and low bumps; shape picks the bumps. */
bool sn_bone_lump(snBoneMesh *mesh, rigid frame, v3 half, double power, int32_t shape);
/* Frame at `proximal` whose y points from `distal` to `proximal` and whose z is as near to `dorsal` as it can be. */
rigid sn_bone_frame(v3 proximal, v3 distal, v3 dorsal);

#endif
