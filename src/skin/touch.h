/* Skin against skin: what blending drives into each other (finger into finger, fingertip into palm) is flattened where
 * it meets, both sides giving way by half.
 *
 * Bodies are sorted into limbs: each child of a body with several children starts one, all others belong to that of
 * their parent. A vertex may meet the skin of any other limb except close to the line where the two grow together,
 * which folds but does not collide. A frame depends on nothing but the vertices given, and the order of work is fixed:
 * the same pose gives the same bits.
 *
 * Invariants: a limb's mesh holds the triangles whose three corners are of that limb; `reach` of a vertex is its way
 * along the edges at rest to the nearest other limb; a vertex moves only if it, or one within SPREAD edges of it, is
 * inside another limb. */
#ifndef SN_SKIN_TOUCH_H
#define SN_SKIN_TOUCH_H

#include "base/memo.h"
#include "geom/bvh.h"
#include "skin/even.h"

/* Vertices that one body moves, and their box in this frame. */
typedef struct snLimbPart {
    int32_t first, end; /* vertices of the limb's mesh */
    v3 low, high;
} snLimbPart;

/* Connected vertices of a limb, and a ball around them in this frame. */
typedef struct snLimbCluster {
    int32_t first, end; /* in the limb's members */
    v3 middle;
    double radius;
} snLimbCluster;

typedef struct snLimb {
    snTriMesh mesh;  /* of this frame */
    int32_t *vertex; /* of the skin, per vertex of the mesh */
    double *normal;  /* 3 per vertex of the mesh */
    double *reach;   /* per vertex of the mesh, m */
    snBvh *tree;     /* of the mesh; NULL: no triangles */
    int32_t parent;  /* limb that it grows from, -1: none */
    int32_t npart;
    snLimbPart *part; /* body by body, in the order of the mesh's vertices */
    int32_t ncluster;
    snLimbCluster *cluster;
    int32_t *member; /* vertices of the mesh, cluster after cluster */
} snLimb;

typedef struct snTouch {
    int32_t nvertex, nlimb;
    snLimb *limb;
    int32_t *limb_of; /* per vertex of the skin */
    double *move;     /* 3 per vertex: of this pass */
    double *mean;     /* 3 per vertex: scratch */
    uint64_t *near;   /* per vertex: limbs (modulo 64) that it is in or close to, found in the first pass */
    int32_t *last;    /* per vertex: the triangle that it was nearest to in this frame, to start from ... */
    int32_t *last_in; /* ... and the limb that has it, -1: none yet */
    uint8_t *state;   /* per vertex: 0 untouched, 1 carried along, 2 inside another limb */
    int32_t *list;    /* vertices with a state */
    int32_t nlist;
    double deepest;   /* m, found in the last frame before anything was moved */
    int32_t touching; /* vertices that were inside another limb */
} snTouch;            /* zeroed memory touches nothing */

/* Bodies' parents (-1: none) and the body that moves each vertex most. A skin of one limb touches nothing. Free also
 * after a failure. */
snStatus sn_touch_create(const snTriMesh *skin, int32_t nbody, const int32_t *parent, const int32_t *body,
                         const snEven *neighbours, snMemo *memo, snTouch *touch, snError *error);
void sn_touch_free(snTouch *touch);
/* Moves vertices (3 each) out of other limbs. */
void sn_touch_part(snTouch *touch, const snEven *neighbours, double *vertex);

#endif
