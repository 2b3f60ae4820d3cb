/* Evening out where the bulges of two strands meet.
 *
 * Equation 19 takes the closest strand only, so on the line between two strands the height jumps from what the one does
 * to what the other does: a jagged edge as wide as a triangle, where skin would span the gap. Vertices next to such a
 * jump take the mean of their neighbours a few times; everywhere else the height stays as it is. */
#ifndef SN_SKIN_EVEN_H
#define SN_SKIN_EVEN_H

#include "geom/mesh.h"

typedef struct snEven {
    int32_t nvertex;
    int32_t *start, *to; /* neighbours by vertex */
    int32_t *later;      /* per vertex: the first of them with a greater number; these come last */
    int32_t *list;       /* vertices at work */
    bool *marked;
    double *mean;
} snEven; /* zeroed memory holds none */

/* Free also after a failure. */
snStatus sn_even_create(const snTriMesh *skin, snEven *even, snError *error);
void sn_even_free(snEven *even);
/* owner (per vertex): the strand that raises it, -1: none. Heights are evened out before influence scales them, so that
 * skin painted half as red is raised half as far. */
void sn_even_out(snEven *even, const int32_t *owner, double *height);

#endif
