/* A belly's mesh that goes with its strand: each vertex is bound to the ring of the strand that is nearest as drawn, by
 * its place in the frame across that ring; the place is stretched across as the strand shortens, so that the belly
 * keeps its volume. The page does the same (studio/src/bellies.ts). */
#ifndef SN_PAGE_BELLY_BIND_H
#define SN_PAGE_BELLY_BIND_H

#include "math/vec.h"
#include "sinew/mesh.h"

enum { SN_BELLY_RINGS = 97 };

typedef struct snBellyBind {
    int32_t nvertex, ntriangle;
    int32_t *triangle; /* 3 each */
    int32_t npoint;
    double *knot;            /* npoint + 4 */
    int32_t *ring;           /* per vertex */
    double *place, *outward; /* 3 per vertex: across, across, along */
    double drawn_length;     /* m */
} snBellyBind;               /* zeroed memory is no belly */

/* mesh, point: in the world as drawn; knot: npoint + 4. Free also after a failure. */
snStatus sn_belly_bind_create(const snMesh *mesh, int32_t npoint, const double *point, const double *knot,
                              snBellyBind *bind);
void sn_belly_bind_free(snBellyBind *bind);
/* Vertices and normals (3 each) around the curve of these control points. */
void sn_belly_bind_shape(const snBellyBind *bind, const double *point, double *vertex, double *normal);

#endif
