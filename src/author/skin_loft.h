/* The solid of one chain of sections: a fine closed mesh with rounded ends and its signed distance. */
#ifndef SN_AUTHOR_SKIN_LOFT_H
#define SN_AUTHOR_SKIN_LOFT_H

#include "author/skin_builder.h"
#include "geom/bvh.h"

typedef struct snSkinLoft {
    snTriMesh mesh;
    snBvh *tree;
    snMeshSide side;
    v3 low, high;     /* box of the mesh */
    int32_t *section; /* per vertex of the mesh: nearest section of the chain */
} snSkinLoft;

/* detail: distance between rings and between points of a ring, about. Free also after a failure. */
snStatus sn_skin_loft_create(const snSkinChain *chain, double detail, snSkinLoft *loft, snError *error);
void sn_skin_loft_free(snSkinLoft *loft);
/* Signed distance where it is smaller than the limit, else a value beyond the limit on the right side. */
double sn_skin_loft_distance(const snSkinLoft *loft, v3 point, double limit, int32_t *section);

#endif
