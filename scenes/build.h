/* What the scenes have in common: bodies that are boxes, and strands laid along a path of via points.
 *
 * A build goes on after a failed add and gives NULL in the end, so that a scene reads as a plain list. */
#ifndef SN_SCENES_BUILD_H
#define SN_SCENES_BUILD_H

#include "sinew/spec.h"

typedef struct snBuild {
    snSpec *spec;
    snStatus status;
} snBuild;

snBuild sn_build_begin(void);
/* Sets settle time (s) and suggested step (s; 0: the default) of the model. */
void sn_build_model(snBuild *build, double settle, double step);
snSpec *sn_build_end(snBuild *build);

/* A body whose node lies in its centre of mass, with the mass and inertia of a box of these half sizes. mass 0: pinned.
 */
void sn_build_body(snBuild *build, const char *name, const double center[3], const double rotation[4],
                   const double half[3], double mass);
void sn_build_joint(snBuild *build, const snJointDef *def);
/* A cylinder on a body: center and axis in world coordinates. */
void sn_build_cylinder(snBuild *build, const char *name, const char *body, const double center[3], const double axis[3],
                       double radius, double length);

/* A rotation (w first) whose columns are x, y, z. */
void sn_build_axes(const double x[3], const double y[3], const double z[3], double rotation[4]);
/* Some rotation that takes z to the axis. */
void sn_build_z_to(const double axis[3], double rotation[4]);

typedef enum snViaKind { SN_VIA_FREE, SN_VIA_FIXED, SN_VIA_SLIDING, SN_VIA_SURFACE, SN_VIA_JOINED } snViaKind;

typedef struct snVia {
    double p[3]; /* m, world */
    snViaKind kind;
    const char *on;       /* body; surface node; or a strand that the end is fixed to, or joined to freely */
    double before, after; /* surface: contact points every 4 mm from p - before to p + after along the strand, m */
} snVia;

enum { SN_BUILD_MAX_POINT = 96 };

/* A path through via points that becomes a strand of npoint control points. */
typedef struct snPath {
    const snVia *via;
    int32_t nvia, npoint;
    /* Beyond `fine_from` (m along the path) the points are `fine_ratio` times as dense as before. 0: even. */
    double fine_from, fine_ratio;
    double belly; /* m of muscle from the start of the path; 0: tendon only */
} snPath;

/* Lays the strand and adds a constraint for every via point that has a kind. def needs no points and no node. */
void sn_build_strand(snBuild *build, const snStrandDef *def, const snPath *path);

/* Control points (3 each) of the path; the strand starts at the first and ends at the last via point. */
void sn_build_points(const snPath *path, double *point);
/* Position on the clamped uniform cubic B-spline of n points at the fraction s of its parameter. */
void sn_build_curve(const double *point, int32_t n, double s, double p[3]);
double sn_build_curve_length(const double *point, int32_t n);

#endif
