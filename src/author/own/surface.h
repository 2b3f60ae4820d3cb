/* From contours to muscles: closed surfaces, points inside them, and a muscle of a model made from one. */
#ifndef SN_AUTHOR_OWN_SURFACE_H
#define SN_AUTHOR_OWN_SURFACE_H

#include "image/own/image.h"
#include "sinew/mesh.h"
#include "sinew/spec.h"

typedef struct snSurfaceDef {
    size_t size;        /* of this struct: set by its default function */
    const char *muscle; /* NULL: the first */
    double edge;        /* m: length of the triangles' edges; 0: chosen from the volume, at least two pixels */
    int32_t threads;    /* 0: all cores; the result does not depend on it */
} snSurfaceDef;

typedef struct snSurfaceReport {
    double volume;         /* m^3, of the mesh */
    double contour_volume; /* m^3: areas of the contours by the trapezoidal rule */
    double edge;           /* m: the length that was used */
    double worst_aspect;   /* of a triangle; 1: equilateral */
    int32_t slices;        /* that were used */
    int32_t filled;        /* slices without contours between others: interpolated */
    int32_t parts;         /* closed surfaces, without specks that were left out */
} snSurfaceReport;

static inline snSurfaceDef sn_default_surface_def(void)
{
    SN_DEF(snSurfaceDef, def);
    return def;
}
/* A closed, manifold mesh in the world of the stack, oriented outwards. SN_BAD_INPUT: no such muscle, contours in fewer
 * than two slices, a muscle too thin for the edge length. report may be NULL. */
snStatus sn_make_surface(const snContours *contours, const snSurfaceDef *def, snMesh *mesh, snSurfaceReport *report,
                         snError *error);

/* A line through the middle of a muscle, from its lowest to its highest slice: the centres of the loops that continue
 * the largest one, smoothed; world, m, 3 per point. */
snStatus sn_contour_line(const snContours *contours, const char *muscle, int32_t npoint, double *point, snError *error);

/* Points inside a closed mesh with the volume that each stands for (may be NULL), as soft muscles use them. */
snStatus sn_fill_points(const snMesh *mesh, int32_t count, double *point, double *volume, snError *error);

/* A muscle of a model: a mesh in its scene, a strand through its middle and an attachment at each end. */
typedef struct snSurfaceMuscleDef {
    size_t size;        /* of this struct: set by its default function */
    const char *name;   /* of the strand; the mesh is NAME_muscle */
    const snMesh *mesh; /* world, m */
    int32_t npoint;     /* of the line */
    const double *line; /* world, m; from the origin to the insertion, or the other way round with `reverse` */
    bool reverse;
    const char *origin, *insertion;               /* bodies */
    const double *origin_point, *insertion_point; /* world, m: mesh and line are moved, turned and scaled evenly so that
                                                     the ends are here; NULL, both: left where they are */
    double max_force;                             /* N; 0: 0.3 MPa times the muscle's mean section */
} snSurfaceMuscleDef;
static inline snSurfaceMuscleDef sn_default_surface_muscle_def(void)
{
    SN_DEF(snSurfaceMuscleDef, def);
    return def;
}

/* SN_BAD_INPUT, spec untouched: no such body, a name that is taken, an open mesh. The strand then serves sn_fill_muscle
 * and sn_create_library. */
snStatus sn_add_surface_muscle(snSpec *spec, const snSurfaceMuscleDef *def, snError *error);

#endif
