/* The shortest curve from a point to another over a surface of any shape: straight, along a geodesic, straight.
 *
 * The geodesic is a row of points x_0 .. x_n on the surface, evenly apart. With the normals n_i and the unit vectors
 * e from the ends of the row to the two given points,
 *     x_(i-1) - 2 x_i + x_(i+1) is along n_i              inside: no curvature within the surface
 *     n . e = 0                                           at both ends: the straight piece is a tangent
 *     n . (d x e) = 0,  d the chord at that end           at both ends: no kink within the surface
 * which Newton's method solves with blocks of 2 x 2. That the straight pieces are tangents has to be an equation: as a
 * function of its end along the curve the length has no minimum there but an inflection, so that making the length
 * least finds it badly. The length is that of the chords, extrapolated from every first, second and fourth point.
 * Its gradient is the exact one of that figure (one solution with the transposed matrix), however coarse the row is.
 *
 * The start comes from the section of the surface with the plane through both points and the side on which the strand
 * is drawn, and the string that is taut over it. Nothing is kept from call to call. From a point right above the
 * surface the start is the geodesic from the place below it.
 *
 * There is no such curve from a point inside the surface: the way is straight then, as over cylinders and spheres.
 *
 * Where the surface is hollow the curve follows the hollow. */
#ifndef SN_PATH_GEODESIC_H
#define SN_PATH_GEODESIC_H

#include "geom/surface.h"

enum { SN_GEODESIC_ROW = 17 };

typedef struct snGeodesicWrap {
    const snSurface *surface; /* in the body */
    double offset;            /* m, outwards */
    v3 side;                  /* unit: where the strand is drawn, as seen from within */
    bool direct;              /* a straight line that misses the surface is the way, whatever the side */
    v3 centre;                /* of a ball that holds the surface */
    double reach;             /* its radius, m */
    snSurfaceHint start;      /* a place on the drawn side */
} snGeodesicWrap;

typedef enum snGeodesicState {
    SN_GEODESIC_CLEAR,  /* the straight line does not meet the surface */
    SN_GEODESIC_SOLVED, /* touches */
    SN_GEODESIC_SLIPS,  /* touches, right to a thousandth of a radian: hardly, or about to slip off sideways */
    SN_GEODESIC_EDGE,   /* the curve leaves an open edge of the patch, or crosses a pole */
    SN_GEODESIC_ROUGH   /* no geodesic found: the taut string over the section instead */
} snGeodesicState;

typedef struct snGeodesic {
    snGeodesicState state;
    v3 on[2];      /* where it meets the surface and leaves it, on the lines of by_a and by_b: off by some 1e-6 m */
    double arc;    /* m, between them */
    v3 by_a, by_b; /* dl/da, dl/db, the surface held still */
    double hollow; /* m: how deep the deepest hollow is that the curve follows, measured from its chords */
    int32_t rounds;
    v3 row[SN_GEODESIC_ROW]; /* where it touches: points on the surface, evenly apart */
} snGeodesic;

/* a and b in the frame of the surface's body. */
snGeodesic sn_geodesic_find(const snGeodesicWrap *wrap, v3 a, v3 b);

/* The place nearest to a point: from the start, or anywhere where that is too far to search from. */
snSurfaceSpot sn_geodesic_spot(const snGeodesicWrap *wrap, v3 x, snSurfaceHint *hint);

/* The surface's ball and the start near a point of the strand as drawn; side and offset are given. */
void sn_geodesic_prepare(snGeodesicWrap *wrap, v3 drawn);

#endif
