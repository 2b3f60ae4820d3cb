/* A skin from tables of cross-sections. */
#ifndef SN_AUTHOR_OWN_SKIN_MESH_H
#define SN_AUTHOR_OWN_SKIN_MESH_H

#include "sinew/mesh.h"

/* One closed skin from cross-sections: solids lofted through them, united as a distance field, with webs and nails. */
typedef struct snSkinMeshDef {
    size_t size;        /* of this struct: set by its default function */
    const char *tables; /* folder of skin_sections.tsv and skin_chains.tsv */
    int32_t triangles;  /* wished number, met within some percent; 20,000 to 60,000 for a hand */
    bool left;          /* mirrored in z */
    int32_t threads;    /* 0: all cores; the result does not depend on it */
} snSkinMeshDef;

static inline snSkinMeshDef sn_default_skin_mesh_def(void)
{
    SN_DEF(snSkinMeshDef, def);
    def.tables = "";
    def.triangles = 40000;
    return def;
}
/* Free with sn_mesh_free. Red of the colours is the influence of tendons (1), green and blue mark the nails (0.8). */
snStatus sn_author_skin(const snSkinMeshDef *def, snMesh *mesh, snError *error);

#endif
