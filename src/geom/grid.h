/* Signed distance sampled on a grid, and the surface where it is zero as a closed mesh. */
#ifndef SN_GEOM_GRID_H
#define SN_GEOM_GRID_H

#include "base/parallel.h"
#include "geom/mesh.h"

/* Signed distance (negative inside) at a point, which changes by no more than the way gone. Needs to be right only
 * where it is smaller than limit; further away any value beyond the limit on the right side will do. */
typedef double (*snDistanceFn)(const void *context, v3 point, double limit);

typedef struct snGridDef {
    v3 low, high;   /* box that holds the surface with room to spare */
    double spacing; /* m */
    snDistanceFn distance;
    const void *context;
    snPool *pool; /* may be NULL */
} snGridDef;

typedef struct snGrid {
    v3 low;
    double spacing;
    int32_t n[3];
    float *value; /* n[0] * n[1] * n[2], z fastest; +-(several cells) where no surface is near */
} snGrid;         /* zeroed memory is an empty grid */

snStatus sn_grid_create(const snGridDef *def, snGrid *grid, snError *error);
void sn_grid_free(snGrid *grid);

/* Distance at a point, smoothed over the cells around it (quadratic B-spline), and its gradient. */
double sn_grid_sample(const snGrid *grid, v3 point, v3 *gradient);
/* The point of the zero surface reached by following the gradient; for points within a few cells of it. */
v3 sn_grid_project(const snGrid *grid, v3 point);

/* The zero surface by marching tetrahedra: closed, manifold, oriented outwards. Its triangles are as the grid cuts
 * them; sn_remesh gives them shape. SN_BAD_INPUT when the surface leaves the grid or there is none. */
snStatus sn_grid_extract(const snGrid *grid, snTriMesh *mesh, snError *error);

/* Union with a fillet of about the given radius; the plain minimum when the two differ by more. Keeps the grid's slope
 * at most one. */
static inline double sn_distance_union(double a, double b, double radius)
{
    double h = radius > 0 ? fmax(radius - fabs(a - b), 0) / radius : 0;
    return fmin(a, b) - h * h * radius * 0.25;
}
/* What of a lies nearer to a than to b by at least the gap: keeps two parts from growing together. */
static inline double sn_distance_apart(double a, double b, double gap)
{
    return fmax(a, 0.5 * (gap + a - b));
}

#endif
