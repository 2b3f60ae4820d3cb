/* The bulge of tendons [Sueda 2008, eq. 19]: for each vertex the closest strand point and the offset along the normal.
 *
 * Vertices are kept in connected patches of eight, patches in regions of eight. Per frame a region asks those packs of
 * arcs that may act on it which arcs can hold the closest point of any of its vertices, starting from the arc that was
 * nearest in the last frame; its patches take their part of that list, and their vertices look at those few only. All
 * bounds are by chords and their slack, so the outcome is exactly that of looking at every arc. */
#ifndef SN_SKIN_BULGE_H
#define SN_SKIN_BULGE_H

#include "base/memo.h"
#include "geom/mesh.h"
#include "skin/arcs.h"
#include "skin/chords.h"

typedef struct snBulgeShape {
    double height, lateral, depth; /* a, b, c */
} snBulgeShape;

/* A pack of arcs near a region; bit i of acts: its strand acts on patch i. */
typedef struct snBulgeNear {
    int32_t pack;
    uint32_t acts;
} snBulgeNear;

/* Room for one region's work: its candidates, and a patch's part of them. */
typedef struct snBulgeScratch {
    int32_t *arc;
    uint32_t *acts;   /* bit i: on patch i of the region */
    float *nearest;   /* least possible distance */
    float *distance2; /* SN_LANES per candidate */
    uint32_t *open;   /* SN_LANES per 32 candidates: those open to a patch */
    int32_t *part;    /* arcs open to the patch at hand */
    uint8_t *part_open;
} snBulgeScratch;

typedef struct snBulge {
    int32_t nvertex, nregion, npatch, nword;
    int32_t *region;     /* nregion + 1: first patch of each region, which has SN_LANES at most */
    int32_t *count;      /* vertices of each patch, SN_LANES at most */
    int32_t *vertex;     /* SN_LANES per patch, filled up with its last one */
    uint64_t *mask;      /* nword per patch: strands that may act on it */
    int32_t *near_start; /* nregion + 1 */
    snBulgeNear *near;   /* packs whose strands act on a region, those that act on all of its patches first */
    int32_t *last;       /* per region: arc nearest to its middle in the last frame, or -1 */
    snBulgeShape *shape; /* per strand */
    double reach;        /* m: strands further away do nothing */
    bool *reached;       /* per vertex of the skin: near enough to a strand to be raised; these are in the patches */
    double *influence;   /* per vertex of the skin: how much of its height it takes */
    int32_t *owner;      /* per vertex of the skin: the strand that raises it in this frame, -1: none */
    int64_t evaluations; /* closest points on arcs since the start */
    snChord *chord;      /* per arc, of this frame */
    snBulgeScratch scratch;
    const snChords *chords;
} snBulge;

/* No strand lifts skin by more than this times its height, m, and none as far outside the skin as SN_BULGE_AWAY lifts
 * it at all. */
#define SN_BULGE_HIGHEST 6e-3
#define SN_BULGE_AWAY 6e-3

/* skin, normal: in the rest pose. influence: per vertex or NULL. The arcs must be in the rest pose. Free also after a
 * failure. */
snStatus sn_bulge_create(const snTriMesh *skin, const double *normal, const snArcs *arcs, const snBulgeShape *shape,
                         const double *influence, snMemo *memo, snBulge *bulge, snError *error);
void sn_bulge_free(snBulge *bulge);

/* Writes to height (per vertex) how far strands raise vertices and normals of the skinned base, before influence and
 * prominence scale it. loose (per vertex): 0 where the skin is too tight for tendons in their place to show, 1 where it
 * is slack. */
void sn_bulge_heights(snBulge *bulge, const snArcs *arcs, const double *vertex, const double *normal,
                      const double *loose, double *height);
/* The same by looking at every arc. */
void sn_bulge_heights_brute_force(snBulge *bulge, const snArcs *arcs, const double *vertex, const double *normal,
                                  const double *loose, double *height);

static inline bool sn_bulge_acts(const uint64_t *mask, int32_t strand)
{
    return mask[strand / 64] >> (strand % 64) & 1;
}

#endif
