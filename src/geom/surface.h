/* Surfaces that strands lie on: analytic shapes, tensor-product B-spline patches and distance grids of meshes, in the
 * frame of their body, with the closest point to a query tracked from step to step. */
#ifndef SN_GEOM_SURFACE_H
#define SN_GEOM_SURFACE_H

#include "geom/distance.h"

typedef enum snSurfaceKind {
    SN_SURFACE_PLANE,     /* through the frame's origin, normal +z */
    SN_SURFACE_SPHERE,    /* radius size.x */
    SN_SURFACE_CYLINDER,  /* infinite, along z, radius size.x */
    SN_SURFACE_ELLIPSOID, /* half axes size */
    SN_SURFACE_PATCH,     /* bicubic B-spline, possibly closed in u and / or v */
    SN_SURFACE_DISTANCE   /* closed mesh by its signed distance; above is outside */
} snSurfaceKind;

typedef struct snSurface {
    snSurfaceKind kind;
    rigid frame; /* of the surface in its body; the patch's points are given in this frame */
    v3 size;
    int32_t nu, nv;                /* patch: control points (closed directions repeat the first three) */
    const double *knot_u, *knot_v; /* nu + 4, nv + 4 */
    const double *point;           /* nu * nv * 3, v fastest */
    bool closed_u, closed_v;
    double flip; /* +1, or -1 when the patch's du x dv points inwards */
    const snDistance *distance;
} snSurface;

/* Where a query point was last seen on a surface. Zeroed memory means unknown. Patch: its parameters; plane: x and y;
 * cylinder: angle and z; sphere and ellipsoid: longitude and latitude (of the ellipsoid scaled to a sphere); grid:
 * longitude and latitude of the normal. */
typedef struct snSurfaceHint {
    double u, v;
    int32_t valid;
} snSurfaceHint;

typedef struct snSurfaceHit {
    v3 point;        /* closest point, body frame */
    v3 normal;       /* unit, outwards */
    double distance; /* signed: positive on the side of the normal. Past the edge of an open patch: the height over the
                        tangent plane of the edge, so that its gradient is the normal there too */
} snSurfaceHit;

/* Closest point to `query` (body frame). With a valid hint the search is local (Newton from the hint, so that a strand
 * does not jump to the other side of a thin bone); without one it is global. Updates the hint. Never fails: a
 * degenerate query (the axis of a cylinder, the centre of a sphere) gives some closest point. */
snSurfaceHit sn_surface_closest(const snSurface *surface, v3 query, snSurfaceHint *hint);

/* Position, and unit outward normal if wanted, of a patch at (u, v). */
v3 sn_surface_patch_eval(const snSurface *surface, double u, double v, v3 *normal);

/* Position of a patch and its derivatives by u and v, in the surface's frame; u and v within its range. */
typedef struct snPatchJet {
    v3 p, u, v, uu, uv, vv;
} snPatchJet;
snPatchJet sn_surface_patch_jet(const snSurface *surface, double u, double v);

/* A place on the surface that lies `offset` outside of this one (bend.c). */
typedef struct snSurfaceSpot {
    v3 point, normal; /* body frame */
    m3 bend;          /* dn/dx along the surface: symmetric, no part along the normal, 1/m */
    double height;    /* of the query over that surface, m */
    bool edge;        /* at an open edge of a patch, or where it has no tangent plane */
} snSurfaceSpot;

/* The place nearest to a query, as sn_surface_closest finds it; on a grid the place to which the gradient leads, on the
 * level of the offset. */
snSurfaceSpot sn_surface_spot(const snSurface *surface, double offset, v3 query, snSurfaceHint *hint);
/* Height over the same surface only. */
double sn_surface_height(const snSurface *surface, double offset, v3 query, snSurfaceHint *hint);

#endif
