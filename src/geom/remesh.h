/* Giving a closed mesh well-shaped triangles of a wished size, by splitting, collapsing and flipping edges and
 * sliding vertices along the surface (Botsch and Kobbelt 2004), then repairing the few that are still poor. */
#ifndef SN_GEOM_REMESH_H
#define SN_GEOM_REMESH_H

#include "geom/mesh.h"

typedef struct snRemeshDef {
    double (*size)(const void *context, v3 point); /* wished edge length there, m; should change slowly */
    v3 (*project)(const void *context, v3 point);  /* back onto the surface */
    v3 (*normal)(const void *context, v3 point);   /* of the surface, outwards, any length */
    const void *context;
    int32_t rounds;      /* of the four operations; 8 is plenty */
    double worst_aspect; /* repair triangles with a larger aspect ratio */
} snRemeshDef;

snRemeshDef sn_default_remesh_def(void);

/* The mesh must be closed, manifold and oriented and stays so. On failure it is untouched. The repair does what it can;
 * sn_trimesh_worst_aspect tells what was reached. */
snStatus sn_remesh(const snRemeshDef *def, snTriMesh *mesh, snError *error);

/* Number of triangles that a mesh with these edge lengths will have, about. */
double sn_remesh_estimate(const snTriMesh *mesh, double (*size)(const void *context, v3 point), const void *context);

#endif
