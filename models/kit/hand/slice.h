/* A slice across an arm as a raster: which pixels are flesh, and whose. Bellies get the areas that they want side by
 * side: a power diagram of their centres, each cell no larger than its disc.
 *
 * Invariants: a pixel of owner i has the least |x - c_i|^2 - w_i, and that is not above 0; OUT and BONE belong to no
 * belly. */
#ifndef SN_KIT_SLICE_H
#define SN_KIT_SLICE_H

#include "geom/mesh.h"

enum { SLICE_PIXELS = 150, SLICE_SITES = 48, SLICE_ANGLES = 12 };
/* Edge of a pixel, m. */
#define SLICE_PIXEL 8e-4

typedef struct snSliceSite {
    double x, z;                 /* centre, m: given on the path, moves into the middle of the cell */
    double path_x, path_z;       /* where it was */
    double area;                 /* wanted, m^2 */
    double weight;               /* m^2, found */
    double got;                  /* m^2, found */
    double cx, cz;               /* middle of its cell */
    double radius[SLICE_ANGLES]; /* of its cell about that, from +x towards +z */
} snSliceSite;

typedef struct snSlice {
    double x, z; /* middle of the raster, m */
    int nsite;
    snSliceSite site[SLICE_SITES];
    int8_t owner[SLICE_PIXELS * SLICE_PIXELS]; /* -1: flesh of nobody, -2: bone or outside */
} snSlice;

/* All pixels outside. */
void sn_slice_clear(snSlice *slice, double x, double z);
/* Flesh inside a superellipse |x/a|^n + |z/b|^n = 1 about a point, lowered by arch x^2. */
void sn_slice_flesh(snSlice *slice, double x, double z, double half_x, double half_z, double power, double arch);
/* No flesh where the plane y = level cuts a closed mesh, and `margin` around it. */
void sn_slice_bone(snSlice *slice, const snTriMesh *mesh, double level, double margin);
/* Finds weights, cells and their outlines. */
void sn_slice_share(snSlice *slice);

#endif
