/* Tools that make models: generators of the shipped ones, mirroring. */
#ifndef SINEW_AUTHOR_H
#define SINEW_AUTHOR_H

#include "sinew/io.h"
#include "sinew/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The hand and forearm: 17 moving bones, 2 pinned ones, 23 degrees of freedom, 54 musculotendons. */
typedef struct snHandDef {
    const char *tables;    /* folder of bones.tsv, joints.tsv, muscles.tsv, points.tsv and surfaces.tsv */
    bool left;             /* mirrored */
    bool meshes;           /* with meshes of the bones */
    double fine_spacing;   /* m, between control points where a strand slides through eyelets */
    double coarse_spacing; /* m, elsewhere at most */
} snHandDef;

SN_API snHandDef sn_default_hand_def(void);
/* Fails with SN_NO_FILE or SN_BAD_FILE when a table is missing or wrong, naming file and line. */
SN_API snStatus sn_author_hand(const snHandDef *def, snSpec **spec, snError *error);

/* The same model seen in a mirror: the coordinate `axis` (0, 1 or 2) of the scene changes its sign. Names and the signs
 * of joint coordinates stay, so that a motion in joint coordinates is the mirrored motion. */
SN_API snStatus sn_mirror_spec(const snSpec *spec, int axis, snSpec **mirrored, snError *error);

/* One closed skin from cross-sections: solids lofted through them, united as a distance field, with webs and nails. */
typedef struct snSkinMeshDef {
    const char *tables; /* folder of skin_sections.tsv and skin_chains.tsv */
    int32_t triangles;  /* wished number, met within some percent; 20,000 to 60,000 for a hand */
    bool left;          /* mirrored in z */
    int32_t threads;    /* 0: all cores; the result does not depend on it */
} snSkinMeshDef;

SN_API snSkinMeshDef sn_default_skin_mesh_def(void);
/* Free with sn_mesh_free. Red of the colours is the influence of tendons (1), green and blue mark the nails (0.8). */
SN_API snStatus sn_author_skin(const snSkinMeshDef *def, snMesh *mesh, snError *error);

#ifdef __cplusplus
}
#endif
#endif
