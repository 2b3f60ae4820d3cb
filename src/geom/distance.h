/* The signed distance to a closed mesh as a smooth function: sampled exactly on a grid and interpolated by cubic
 * B-splines, so that the distance has two continuous derivatives and the normal turns smoothly, over facets too. */
#ifndef SN_GEOM_DISTANCE_H
#define SN_GEOM_DISTANCE_H

#include "geom/mesh.h"

typedef struct snDistance {
    v3 low;
    double spacing; /* m */
    int32_t n[3];
    const float *coefficient; /* n[0] * n[1] * n[2], z fastest */
    double reach;             /* m: from the mesh's box to where the grid's rim begins */
    double error;             /* m: largest distance of the grid's surface from the mesh, measured on the mesh at points
                                 no further apart than the spacing */
    v3 error_at;
} snDistance; /* zeroed memory is an empty grid */

/* The mesh must be closed, oriented outwards and not cross itself. spacing 0: chosen from the size of the mesh, and
 * finer while the grid does not show its thin parts. SN_BAD_INPUT: too fine a grid, or parts too thin for any. */
snStatus sn_distance_create(const snTriMesh *mesh, double spacing, snDistance *distance, snError *error);
/* The same with a grid that reaches at least so far (m) from the mesh. Only within the grid is the gradient exactly the
 * derivative of the distance, as what minimises an energy needs it. */
snStatus sn_distance_create_reaching(const snTriMesh *mesh, double spacing, double reach, snDistance *distance,
                                     snError *error);
void sn_distance_free(snDistance *distance);
static inline size_t sn_distance_count(const snDistance *distance)
{
    return (size_t)distance->n[0] * (size_t)distance->n[1] * (size_t)distance->n[2];
}

/* Signed distance, positive outside, and its gradient. Beyond the grid: the distance to the surface point seen from the
 * grid's rim, so that both stay continuous. */
double sn_distance_sample(const snDistance *distance, v3 point, v3 *gradient);
/* The same with the second derivatives, which are continuous within the grid; beyond it they are those of its rim. */
double sn_distance_bend(const snDistance *distance, v3 point, v3 *gradient, m3 *second);

#endif
