/* The order of the points and who is near whom: what points.c and embed.c share. */
#ifndef SN_MESHFREE_NEIGHBOURS_H
#define SN_MESHFREE_NEIGHBOURS_H

#include "meshfree/points.h"

typedef struct snSoftNear {
    double key; /* squared distance in the metric of a point */
    int32_t index;
} snSoftNear;

/* Sorts positions and volumes along the longest side. False: out of memory. */
bool sn_soft_sort(snSoftPoints *points);
/* Points that can be seen from a place, nearest first by the metric of point `metric`, at most `most`; near has room
 * for all. self: left out. */
int32_t sn_soft_around(const snSoftPoints *points, const snBvh *tree, v3 at, int32_t metric, int32_t self,
                       snSoftNear *near, int32_t most);
/* Whether an attached point has free ones around it. */
bool sn_soft_at_border(const snSoftPoints *points, int32_t i);
/* Puts attached points that have free ones around them to where the bone ends: there the free ones have to see it. Less
 * far where that would leave the mesh, come too near to a free point, or make a moment matrix ill-conditioned. */
snStatus sn_soft_hold(const snSoftPointsDef *def, const snBvh *tree, snSoftPoints *points, snError *error);
/* Fills first, neighbour, weight and condition. */
snStatus sn_soft_neighbours(const snSoftPointsDef *def, const snBvh *tree, snSoftPoints *points, snError *error);

#endif
