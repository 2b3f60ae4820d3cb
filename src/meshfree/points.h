/* Points inside a closed muscle mesh, and what surrounds each of them.
 *
 * Voxels inside the mesh are shared out among the points by k-means, finer where the muscle is thin. Lengths along the
 * fibres count half, so that a point stands for a piece that is about twice as long as wide. Where that
 * leaves a part too thin, lengths across thin parts count more (sheet.h).
 *
 * What bones hold has points of its own, so that the border between the two is where the bone ends, and not somewhere
 * between points. What belongs to them is rigid (quads.h). Those next to free points lie on that border. */
#ifndef SN_MESHFREE_POINTS_H
#define SN_MESHFREE_POINTS_H

#include "base/parallel.h"
#include "geom/bvh.h"

enum { SN_SOFT_HOLDERS = 8 }; /* bones that hold one muscle */

/* The bone (below SN_SOFT_HOLDERS) that the matter at a place belongs to, -1: none; and where next to it the bone ends.
 * Called by one thread at a time, mostly for places near the one before. */
typedef int32_t (*snSoftBoneFn)(const void *context, v3 place, v3 *border);

typedef struct snSoftPointsDef {
    const snTriMesh *mesh; /* closed, oriented outwards */
    int32_t count;
    v3 axis;            /* unit: mean direction of the fibres */
    double squeeze;     /* how much a length along the axis counts */
    int32_t neighbours; /* of a point, at least */
    uint64_t seed;      /* of the random start */
    snPool *pool;       /* may be NULL; the points do not depend on it */
    snSoftBoneFn bone;  /* NULL: no bone holds a part of the muscle */
    const void *context;
} snSoftPointsDef;

snSoftPointsDef sn_default_soft_points_def(void);

typedef struct snSoftPoints {
    int32_t n;
    v3 axis;
    double squeeze;
    double *x;      /* n x 3, m, sorted along the longest side */
    double *volume; /* n, m^3; their sum is the volume of the mesh */
    double *depth;  /* n, m: distance to the wall */
    double *wall;   /* n x 3, m^2: area of the mesh that is next to the point, outwards; NULL: no mesh (consistent.h) */
    int32_t *attached; /* n: its bone, or -1; NULL: no bones */
    double *metric;    /* n x 9, symmetric: lengths across thin parts count more; NULL: the muscle has none */
    double spacing;    /* m: edge of a cube of the mean volume */
    double condition;  /* worst moment matrix: largest over least eigenvalue, in the metric of the point */
    /* neighbours of each point, itself not among them, nearest first: first[i] .. first[i + 1] - 1 */
    int32_t *first, *neighbour;
    double *weight; /* of each neighbour, the kernel at its distance */
} snSoftPoints;     /* zeroed memory is an empty set */

/* SN_BAD_INPUT: the mesh is not closed, or so thin somewhere that a point's neighbours lie in a plane. */
snStatus sn_soft_points_create(const snSoftPointsDef *def, snSoftPoints *points, snError *error);
/* The same for points that are given (count x 3), with their volumes. mesh may be NULL: all see each other. */
snStatus sn_soft_points_of(const snSoftPointsDef *def, const double *x, const double *volume, snSoftPoints *points,
                           snError *error);
void sn_soft_points_free(snSoftPoints *points);

/* Squeezed coordinates. */
static inline v3 sn_soft_squeeze(v3 axis, double squeeze, v3 a)
{
    return v3_mad(a, (squeeze - 1) * v3_dot(a, axis), axis);
}
static inline v3 sn_soft_stretch(const snSoftPoints *p, int32_t i, v3 a)
{
    if (!p->metric || i < 0) return a;
    const double *m = p->metric + 9 * i;
    return v3_of(m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
                 m[6] * a.x + m[7] * a.y + m[8] * a.z);
}
/* What differences of places are measured in around point i (negative: away from all points), and its transpose. */
static inline v3 sn_soft_metric(const snSoftPoints *p, int32_t i, v3 a)
{
    return sn_soft_squeeze(p->axis, p->squeeze, sn_soft_stretch(p, i, a));
}
static inline v3 sn_soft_metric_transposed(const snSoftPoints *p, int32_t i, v3 a)
{
    return sn_soft_stretch(p, i, sn_soft_squeeze(p->axis, p->squeeze, a));
}

/* How surface vertices follow the points: vertex v = sum of phi x over entries first[v] .. first[v + 1] - 1. */
typedef struct snSoftEmbedding {
    int32_t n;
    int32_t *first, *node;
    double *phi;
    double largest; /* sum of |phi| where it is largest */
} snSoftEmbedding;

/* Exact for affine motions. tree of the mesh (may be NULL) keeps a vertex from following points across a gap. */
snStatus sn_soft_embed(const snSoftPoints *points, const snBvh *tree, int32_t nvertex, const double *vertex,
                       snSoftEmbedding *embedding, snError *error);
void sn_soft_embedding_free(snSoftEmbedding *embedding);
void sn_soft_embedding_apply(const snSoftEmbedding *embedding, const double *x, double *vertex);

#endif
