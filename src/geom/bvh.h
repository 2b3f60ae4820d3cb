/* A tree of boxes over the triangles of a mesh: closest points, inside or outside, crossings of the mesh
 * with itself. The tree refers to the mesh; after its vertices moved, refit. */
#ifndef SN_GEOM_BVH_H
#define SN_GEOM_BVH_H

#include "geom/mesh.h"

typedef struct snBvh snBvh;

snBvh *sn_bvh_create(const snTriMesh *mesh); /* NULL when out of memory; the mesh must outlive the tree */
void sn_bvh_destroy(snBvh *tree);            /* NULL is fine */
const snTriMesh *sn_bvh_mesh(const snBvh *tree);
void sn_bvh_refit(snBvh *tree); /* the mesh's vertices have moved */

typedef struct snMeshHit {
    v3 point;
    double distance;  /* not negative */
    double weight[3]; /* of the triangle's corners */
    int32_t triangle; /* -1: nothing within the limit */
} snMeshHit;

/* Closest point within `limit` (INFINITY: anywhere). Ties are broken by the order in the tree. */
snMeshHit sn_bvh_closest(const snBvh *tree, v3 query, double limit);

/* How often the closed mesh winds around the point: 1 inside, 0 outside. By a ray; when the ray grazes an edge another
 * direction is tried, at last the exact sum of solid angles. */
int sn_bvh_winding(const snBvh *tree, v3 query);
static inline bool sn_bvh_inside(const snBvh *tree, v3 query)
{
    return sn_bvh_winding(tree, query) != 0;
}
/* Triangles that the open segment from a to b passes through, in no order; it stops looking at the most it may store.
 * Returns how many. */
int32_t sn_bvh_segment_hits(const snBvh *tree, v3 a, v3 b, int32_t *triangle, int32_t most);
static inline bool sn_bvh_segment_crosses(const snBvh *tree, v3 a, v3 b)
{
    int32_t one;
    return sn_bvh_segment_hits(tree, a, b, &one, 1) > 0;
}
/* The exact winding number by the sum of solid angles over all triangles. */
double sn_trimesh_winding(const snTriMesh *mesh, v3 query);

/* Signed distance, negative inside; normals: the pseudo-normals that decide the side, made once. */
typedef struct snMeshSide {
    double *face, *edge, *vertex; /* 3 per triangle, 9 per triangle (edge c from corner c to c + 1), 3 per vertex */
} snMeshSide;
bool sn_mesh_side_create(const snTriMesh *mesh, snMeshSide *side); /* false: out of memory */
void sn_mesh_side_free(snMeshSide *side);
/* Within `limit`; further away +limit is returned and the hit has no triangle. */
double sn_bvh_signed_distance(const snBvh *tree, const snMeshSide *side, v3 query, double limit, snMeshHit *hit);

/* Pairs of triangles that cross, at most `most` of them stored as two indices each. Neighbours count when they cross
 * beyond the corner they share or are folded onto each other. Returns how many there are. */
int32_t sn_bvh_self_intersections(const snBvh *tree, int32_t *pair, int32_t most);

/* Closest point of the triangle a b c. */
v3 sn_triangle_closest(v3 query, v3 a, v3 b, v3 c, double weight[3]);

#endif
