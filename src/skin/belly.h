/* Muscle bellies thicken as they shorten, keeping their volume, and lift the skin over them. */
#ifndef SN_SKIN_BELLY_H
#define SN_SKIN_BELLY_H

#include "base/memo.h"
#include "geom/mesh.h"
#include "skin/arcs.h"

enum { SN_BELLIES = 4 }; /* per vertex, at most */

typedef struct snBelly {
    int32_t nstrand, nshare;
    int32_t *vertex, *strand;                  /* per share, vertex after vertex */
    double *share;                             /* how much of the strand's thickening reaches the vertex */
    int32_t *first, *end;                      /* per strand: its arcs in the belly */
    double *radius, *rest_length, *thickening; /* per strand, m */
} snBelly;

/* skin, normal, arcs: in the rest pose; influence: per vertex or NULL. Free also after a failure. */
snStatus sn_belly_create(const snTriMesh *skin, const double *normal, const snArcs *arcs, const snSkinStrand *strand,
                         const double *influence, snMemo *memo, snBelly *belly, snError *error);
void sn_belly_free(snBelly *belly);
/* Adds factor times the thickening to offset (per vertex). */
void sn_belly_add(snBelly *belly, const snArcs *arcs, double factor, double *offset);

#endif
