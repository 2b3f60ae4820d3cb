/* One closed skin from chains of cross-sections: every chain becomes a lofted solid, the solids are united as a
 * distance field with fillets (the webs), the surface is extracted and remeshed. Fingers are kept apart by a gap, nails
 * are embossed. Frame and units are the caller's (m expected for the defaults). */
#ifndef SN_AUTHOR_SKIN_BUILDER_H
#define SN_AUTHOR_SKIN_BUILDER_H

#include "base/parallel.h"
#include "geom/mesh.h"

enum { SN_SKIN_MAX_CHAINS = 64 };

/* A superellipse |2 x / breadth|^n + |2 z / depth|^n = 1 in the plane of ex and ez, bent to an arch: z is lowered by
 * arch * x^2. */
typedef struct snSkinSection {
    v3 center, ex, ez;
    double breadth, depth, exponent;
    double arch;  /* 1/m */
    int32_t body; /* the caller's number of the body that the section belongs to */
    double edge;  /* wished edge length relative to the chain's; 0 means 1 */
} snSkinSection;

typedef struct snSkinChain {
    const char *name;
    int32_t nsection;
    const snSkinSection *section; /* in order along the chain */
    double start_cap, end_cap;    /* m: how far the rounded ends reach beyond the first and the last section */
    bool flat_start;              /* the first end is a cut with rounded edge rather than a dome */
    double fillet;                /* m: radius of the transition to the chains before it */
    int32_t group;                /* neighbouring chains with the same group other than 0 are kept apart by the gap */
    double edge;                  /* wished edge length relative to the other chains'; 0 means 1 */
} snSkinChain;

/* A nail on the dorsal side of a section, a quarter of its breadth in front of it. */
typedef struct snSkinNail {
    int32_t chain, section;
    double length, width; /* m */
} snSkinNail;

typedef struct snSkinBuildDef {
    int32_t nchain, nnail;
    const snSkinChain *chain;
    const snSkinNail *nail;
    double gap;        /* m between chains of a group */
    int32_t triangles; /* wished number, met within some percent */
    double spacing;    /* m, of the grid; 0: from the number of triangles */
    snPool *pool;      /* may be NULL */
} snSkinBuildDef;

typedef struct snSkinBuild {
    snTriMesh mesh;
    int32_t *chain, *body; /* per vertex: chain nearest to it, and the body of that chain's nearest section */
    double *nail;          /* per vertex: 1 on a nail, 0 off it, for colouring */
    double worst_aspect;
    double loft_volume; /* of the separate solids, for comparison: their overlaps counted twice */
} snSkinBuild;          /* zeroed memory is an empty one */

snSkinBuildDef sn_default_skin_build_def(void);
/* SN_BAD_INPUT naming chain and section when sections make no solid. */
snStatus sn_skin_build(const snSkinBuildDef *def, snSkinBuild *build, snError *error);
void sn_skin_build_free(snSkinBuild *build);

#endif
