/* How tight the skin lies: where a pose stretches it along a tendon, it holds that tendon down; where it is loose, the
 * tendon stands out.
 *
 * Skin slides over what is beneath it, so a stretch at the knuckles is shared by the skin around them: it is averaged
 * over some centimetres. That is done on clusters of vertices, each frame anew, so that a frame does not depend on the
 * one before. */
#ifndef SN_SKIN_TAUT_H
#define SN_SKIN_TAUT_H

#include "base/memo.h"
#include "geom/mesh.h"
#include "skin/arcs.h"

enum { SN_TAUT_NEAR = 6, SN_TAUT_LEAST = 8 }; /* clusters that a vertex takes its tightness from; room for neighbours */

typedef struct snTaut {
    int32_t nvertex, ncluster;
    int32_t *vertex; /* nvertex: those that strands may move */
    int32_t
        *corner;    /* 3 per triangle that is measured, cluster after cluster: every second one that is near a strand */
    int32_t *first; /* ncluster + 1: of each cluster's triangles */
    float *along;   /* 2 per measured triangle: its two edges from the first corner times these are the direction of
                       the nearest strand, of length one at rest */
    int32_t *start, *to;  /* neighbours of cluster i: to[start[i]] .., filled up with i itself to a multiple of four,
                             SN_TAUT_LEAST at least */
    double *share;        /* per neighbour: coupling times own_share; 0 for what fills up */
    double *own_share;    /* ncluster: 1 / (1 + sum of its couplings) */
    double *own, *spread; /* ncluster: stretch times own_share, and stretch after sharing */
    double *slack;        /* ncluster: looseness */
    int32_t *near;        /* SN_TAUT_NEAR per vertex; those with weight 0 are any */
    float *weight;        /* SN_TAUT_NEAR per vertex, sum 1 */
} snTaut;                 /* zeroed memory holds none */

/* skin, arcs: in the rest pose. reached (per vertex): elsewhere nobody asks. Free also after a failure. */
snStatus sn_taut_create(const snTriMesh *skin, const snArcs *arcs, const bool *reached, snMemo *memo, snTaut *taut,
                        snError *error);
void sn_taut_free(snTaut *taut);
/* Looseness of each vertex reached in this pose: 0 where the skin is too tight to let a tendon stand out, 1
 * where it is slack.
 */
void sn_taut_measure(snTaut *taut, const snTriMesh *skin, double *loose);

#endif
