/* The bulge of tendons [Sueda 2008, eq. 19]: for each vertex the closest strand point and the offset along the normal.
 *
 * Vertices are kept in connected patches of eight, patches in regions of about eight. Per frame a region asks the tree
 * of arcs which arcs can hold the closest point of any of its vertices, starting from the arc that was nearest in the
 * last frame; its patches take their part of that list, and their vertices look at those few only. All bounds are by
 * chords and their slack, so the outcome is exactly that of looking at every arc. */
#ifndef SN_SKIN_BULGE_H
#define SN_SKIN_BULGE_H

#include "geom/mesh.h"
#include "skin/arcs.h"
#include "skin/chords.h"

typedef struct snBulgeShape {
    double height, lateral, depth; /* a, b, c */
} snBulgeShape;

/* Room for one region's work: its candidates, those of them that may show, and a patch's part of them. */
typedef struct snBulgeScratch {
    int32_t *arc, *strand, *shown, *part;
    snChord *chord, *part_chord;
    float *distance2, *part_distance2; /* SN_LANES per candidate */
    float *nearest;                    /* per candidate: least possible distance */
    uint32_t *open, *part_open;        /* SN_LANES per 32 candidates: those open to a point */
} snBulgeScratch;

typedef struct snBulge {
    int32_t nregion, npatch, nword;
    int32_t *region;                   /* nregion + 1: first patch of each region */
    int32_t *start, *vertex;           /* vertices of patch i: vertex[start[i]] .. */
    uint64_t *mask;                    /* nword per patch: strands that may act on it */
    uint64_t *region_any, *region_all; /* nword per region: strands that act on some, on all of its patches */
    int32_t *last;                     /* per region: arc nearest to its middle in the last frame, or -1 */
    snBulgeShape *shape;               /* per strand */
    double reach;                      /* m: strands further away do nothing */
    double *influence;                 /* per vertex */
    int64_t evaluations;               /* closest points on arcs since the start */
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
                         const double *influence, snBulge *bulge, snError *error);
void sn_bulge_free(snBulge *bulge);

/* Adds to offset (per vertex) the bulge for vertices and normals of the skinned base. loose (per vertex): 0 where the
 * skin is too tight for tendons in their place to show, 1 where it is slack. */
void sn_bulge_add(snBulge *bulge, const snArcs *arcs, const double *vertex, const double *normal, const double *loose,
                  double prominence, double *offset);
/* The same by looking at every arc. */
void sn_bulge_add_brute_force(snBulge *bulge, const snArcs *arcs, const double *vertex, const double *normal,
                              const double *loose, double prominence, double *offset);

static inline bool sn_bulge_acts(const uint64_t *mask, int32_t strand)
{
    return mask[strand / 64] >> (strand % 64) & 1;
}

#endif
