/* Making bicubic patches: a tube around a bone from sections, or a surface through a grid of positions. */
#ifndef SN_GEOM_PATCH_H
#define SN_GEOM_PATCH_H

#include "geom/surface.h"
#include "sinew/base.h"

/* A patch that owns its arrays; zeroed memory is an empty one. u runs along the tube, v around it. */
typedef struct snPatch {
    int32_t nu, nv;
    double *knot_u, *knot_v; /* nu + 4 (clamped), nv + 4 (uniform) */
    double *point;           /* nu * nv * 3, v fastest; the last three of every row repeat the first three */
    double flip;             /* +1 or -1, so that flip * du x dv points away from the tube's axis */
} snPatch;

/* A closed tube through sections that are star-shaped about a straight axis. */
typedef struct snTubeDef {
    v3 start, end;         /* ends of the axis */
    v3 x;                  /* where the angle is zero; the part along the axis is taken out */
    int32_t nring;         /* >= 2 */
    const double *station; /* nring, increasing: 0 at the start of the axis, 1 at its end */
    int32_t nangle;        /* >= 4 radii per ring, evenly spaced */
    const double *radius;  /* nring * nangle, angle fastest, counter-clockwise about the axis */
} snTubeDef;

/* The surface passes through every given point of every section. The patch is untouched on failure. */
snStatus sn_patch_tube(const snTubeDef *def, snPatch *patch, snError *error);
/* The same for any closed sections: nring * nangle positions, angle fastest; sections at chord-length parameters. */
snStatus sn_patch_loft(int32_t nring, int32_t nangle, const double *position, snPatch *patch, snError *error);
void sn_patch_free(snPatch *patch);
/* A surface that borrows the patch's arrays. */
snSurface sn_patch_surface(const snPatch *patch, rigid frame);

#endif
