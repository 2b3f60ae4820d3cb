/* Connected clusters of vertices: what is near on the surface stays together as it moves. */
#ifndef SN_SKIN_CLUSTERS_H
#define SN_SKIN_CLUSTERS_H

#include "geom/mesh.h"

/* Collects up to `most` connected vertices around v and within `radius` of it, those with of[] == from, and marks them
 * `as`; returns how many. */
static inline int32_t sn_cluster_grow(const snTriMesh *mesh, const snFans *fans, int32_t *of, int32_t from, int32_t as,
                                      int32_t v, int32_t most, double radius, int32_t *list)
{
    int32_t count = 0;
    list[count++] = v, of[v] = as;
    for (int32_t i = 0; i < count; ++i)
        for (int32_t k = fans->start[list[i]]; k < fans->start[list[i] + 1]; ++k)
            for (int c = 0; c < 3; ++c) {
                int32_t w = mesh->triangle[3 * fans->list[k] + c];
                if (count < most && of[w] == from &&
                    v3_dist(sn_trimesh_point(mesh, w), sn_trimesh_point(mesh, v)) < radius)
                    list[count++] = w, of[w] = as;
            }
    return count;
}

#endif
