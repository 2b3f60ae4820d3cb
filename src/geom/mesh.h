/* Triangle meshes as arrays: checks, integrals, normals, shape of triangles, lofted solids.
 * Triangles are counter-clockwise seen from outside. */
#ifndef SN_GEOM_MESH_H
#define SN_GEOM_MESH_H

#include "math/vec.h"
#include "sinew/base.h"

typedef struct snTriMesh {
    int32_t nvertex, ntriangle;
    double *vertex;    /* 3 each, m */
    int32_t *triangle; /* 3 each */
} snTriMesh;           /* zeroed memory is an empty mesh */

bool sn_trimesh_alloc(snTriMesh *mesh, int32_t nvertex, int32_t ntriangle); /* false: out of memory, mesh empty */
void sn_trimesh_free(snTriMesh *mesh);

static inline v3 sn_trimesh_point(const snTriMesh *mesh, int32_t vertex)
{
    return v3_load(mesh->vertex + 3 * vertex);
}
static inline v3 sn_trimesh_corner(const snTriMesh *mesh, int32_t triangle, int corner)
{
    return v3_load(mesh->vertex + 3 * mesh->triangle[3 * triangle + corner]);
}

/* name, text: the %d are the place's vertices or triangle */
#define SN_MESH_DEFECT_TABLE(X)                                                                                        \
    X(SN_MESH_SOUND, "no defect")                                                                                      \
    X(SN_MESH_EMPTY, "the mesh has no triangles")                                                                      \
    X(SN_MESH_NOT_FINITE, "a vertex is not a finite number")                                                           \
    X(SN_MESH_BAD_INDEX, "a triangle names a vertex that does not exist")                                              \
    X(SN_MESH_DEGENERATE, "a triangle has no area")                                                                    \
    X(SN_MESH_OPEN_EDGE, "an edge has a triangle on one side only: the mesh is open")                                  \
    X(SN_MESH_CROWDED_EDGE, "an edge is shared by more than two triangles")                                            \
    X(SN_MESH_FLIPPED_EDGE, "two neighbouring triangles are oriented against each other")                              \
    X(SN_MESH_PINCHED_VERTEX, "two parts of the surface touch in one vertex only")                                     \
    X(SN_MESH_INSIDE_OUT, "the triangles face inwards")

typedef enum snMeshDefect {
#define X(name, text) name,
    SN_MESH_DEFECT_TABLE(X)
#undef X
} snMeshDefect;

typedef struct snMeshPlace {
    snMeshDefect defect;
    int32_t triangle;  /* -1 where it does not apply */
    int32_t vertex[2]; /* the vertex, or the ends of the edge; -1 where it does not apply */
} snMeshPlace;

/* The first defect of a mesh that should be closed, manifold and oriented outwards (SN_MESH_SOUND: none). An open mesh
 * is allowed to have a rim when `closed` is false. Fails only with SN_NO_MEMORY. */
snStatus sn_trimesh_check(const snTriMesh *mesh, bool closed, snMeshPlace *place);
/* The same as a status with the place in words: SN_BAD_INPUT naming vertices, triangle and position. */
snStatus sn_trimesh_require(const snTriMesh *mesh, bool closed, const char *name, snError *error);

/* Integrals of a closed mesh filled with density 1: volume, centre, inertia about the centre (any may be NULL). */
void sn_trimesh_integrals(const snTriMesh *mesh, double *volume, v3 *centre, m3 *inertia);
double sn_trimesh_area(const snTriMesh *mesh);

/* Unit vertex normals weighted by the area of the triangles; normal: 3 per vertex. */
void sn_trimesh_normals(const snTriMesh *mesh, double *normal);

/* Longest edge over shortest altitude, scaled so that an equilateral triangle has 1. Infinite without area. */
double sn_triangle_aspect(v3 a, v3 b, v3 c);
double sn_trimesh_worst_aspect(const snTriMesh *mesh, int32_t *triangle); /* triangle may be NULL */

/* For each vertex the triangles around it: those of vertex v are list[start[v]] .. list[start[v + 1] - 1]. */
typedef struct snFans {
    int32_t *start, *list;
} snFans;
bool sn_fans_create(const snTriMesh *mesh, snFans *fans); /* false: out of memory */
void sn_fans_free(snFans *fans);

/* The closed solid through nring closed sections of nangle positions each (angle fastest, counter-clockwise seen from
 * the last section), with a cap at each end: a fan about the given tip, or about the section's centre when NULL. */
snStatus sn_trimesh_loft(int32_t nring, int32_t nangle, const double *position, const v3 *first_tip, const v3 *last_tip,
                         snTriMesh *mesh, snError *error);

#endif
