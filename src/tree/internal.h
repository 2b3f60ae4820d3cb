/* Shared by the files of tree/. */
#ifndef SN_TREE_INTERNAL_H
#define SN_TREE_INTERNAL_H

#include "math/spatial.h"
#include "tree/tree.h"

#include <string.h>

/* Doubles of scratch per link: what the derivative of the inverse dynamics needs, the largest user. */
enum { SN_TREE_SCRATCH = 72 };

static inline v3 place_point(const double *R, const double *p, v3 x)
{
    return (v3){R[0] * x.x + R[1] * x.y + R[2] * x.z + p[0], R[3] * x.x + R[4] * x.y + R[5] * x.z + p[1],
                R[6] * x.x + R[7] * x.y + R[8] * x.z + p[2]};
}

/* Coordinate that a link belongs to. */
static inline int32_t column_of(const snTree *tree, int32_t link)
{
    return tree->follows ? tree->follows[link] : link;
}

/* Velocity of the link above. */
static inline spatial velocity_above(const snTree *tree, const snTreeWork *work, int32_t link)
{
    int32_t p = tree->parent[link];
    return p < 0 ? sp_zero() : sp_load(work->V + 6 * p);
}

#endif
