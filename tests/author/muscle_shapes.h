/* Five muscles as closed meshes made in code, with the strands drawn through them: spindle, sheet, fan, bent tube and a
 * deltoid with three heads. And three that nothing was tuned to: a flat spindle bent like an S, a belly twisted by 90
 * degrees, a bumpy one. Lengths in m. */
#ifndef SN_TESTS_MUSCLE_SHAPES_H
#define SN_TESTS_MUSCLE_SHAPES_H

#include "base/alloc.h"
#include "geom/grid.h"
#include "geom/mesh.h"
#include "sinew/author.h"

enum { SHAPE_RINGS = 41, SHAPE_ANGLES = 32, SHAPE_POSITIONS = 41 };
typedef enum { SPINDLE, SHEET, FAN, BENT_TUBE, DELTOID, SHAPES, S_BENT = SHAPES, TWISTED, BUMPY, ALL_SHAPES } ShapeKind;

typedef struct {
    snTriMesh tri;
    snMesh mesh; /* a view of it */
    int32_t ninput;
    snAutoStrandInput input[3];
    double position[3][3 * SHAPE_POSITIONS];
} Shape;

/* Centre, directions across and half widths of a section at t in 0..1. */
typedef struct {
    v3 center, across, thick;
    double half_width, half_thickness, power;
} ShapeSection;

static inline ShapeSection shape_section(ShapeKind kind, double t)
{
    ShapeSection s = {v3_of(0, 0.12 * t, 0), v3_of(1, 0, 0), v3_of(0, 0, 1), 0.03, 0.004, 4};
    if (kind == SPINDLE) s.half_width = s.half_thickness = 0.004 + 0.016 * sin(SN_PI * t), s.power = 2;
    if (kind == FAN) s.half_width = 0.010 + 0.030 * t, s.half_thickness = 0.006 - 0.002 * t;
    if (kind == BENT_TUBE) { /* a half circle */
        double angle = SN_PI * t;
        v3 out = v3_of(-cos(angle), sin(angle), 0);
        s.center = v3_scale(out, 0.045), s.across = v3_neg(out), s.half_width = s.half_thickness = 0.012, s.power = 2;
    }
    if (kind == S_BENT) {
        double slope = 0.05 * SN_PI * cos(2 * SN_PI * t);
        s.center = v3_of(0.025 * sin(2 * SN_PI * t), 0.14 * t, 0);
        s.across = v3_unit(v3_of(0.14, -slope, 0)), s.power = 2;
        s.half_width = 0.005 + 0.015 * sin(SN_PI * t), s.half_thickness = 0.003 + 0.004 * sin(SN_PI * t);
    }
    if (kind == TWISTED) {
        double angle = SN_PI / 2 * t;
        s.across = v3_of(cos(angle), 0, -sin(angle)), s.thick = v3_of(sin(angle), 0, cos(angle)), s.power = 2;
        s.half_width = 0.008 + 0.018 * sin(SN_PI * t), s.half_thickness = 0.003 + 0.003 * sin(SN_PI * t);
    }
    if (kind == BUMPY) {
        double r = 0.005 + 0.014 * sin(SN_PI * t);
        s.half_width = r * (1 + 0.18 * sin(6 * SN_PI * t)), s.half_thickness = r * (1 + 0.18 * cos(8 * SN_PI * t));
        s.power = 2.5;
    }
    return s;
}

static inline v3 shape_ring(const ShapeSection *s, double angle)
{
    double c = cos(angle), d = sin(angle), r = pow(pow(fabs(c), s->power) + pow(fabs(d), s->power), -1 / s->power);
    return v3_add(v3_mad(s->center, r * c * s->half_width, s->across), v3_scale(s->thick, -r * d * s->half_thickness));
}

static inline void shape_loft(Shape *shape, ShapeKind kind)
{
    static double ring[3 * SHAPE_RINGS * SHAPE_ANGLES];
    for (int i = 0; i < SHAPE_RINGS; ++i) {
        ShapeSection s = shape_section(kind, i / (SHAPE_RINGS - 1.0));
        for (int j = 0; j < SHAPE_ANGLES; ++j)
            v3_store(ring + 3 * (i * SHAPE_ANGLES + j), shape_ring(&s, 2 * SN_PI * j / SHAPE_ANGLES));
    }
    sn_trimesh_loft(SHAPE_RINGS, SHAPE_ANGLES, ring, NULL, NULL, &shape->tri, NULL);
    shape->ninput = 1;
    for (int i = 0; i < SHAPE_POSITIONS; ++i)
        v3_store(shape->position[0] + 3 * i, shape_section(kind, i / (SHAPE_POSITIONS - 1.0)).center);
}

/* Heads from the clavicle, the acromion and the spine of the scapula to one place on the humerus, over a bulge. */
static inline v3 deltoid_path(int head, double t)
{
    double out = head - 1, side = out * (0.006 + 0.040 * (1 - t));
    return v3_of(side, -0.16 * t, 0.03 * sin(SN_PI * t) - 0.01 * fabs(out) * (1 - t));
}

static inline double deltoid_field(const void *context, v3 p, double limit)
{
    (void)context, (void)limit;
    double all = INFINITY;
    for (int head = 0; head < 3; ++head) {
        double least = INFINITY;
        for (int i = 0; i < 24; ++i) {
            v3 a = deltoid_path(head, i / 24.0), b = deltoid_path(head, (i + 1) / 24.0), way = v3_sub(b, a);
            double u = fmin(fmax(v3_dot(v3_sub(p, a), way) / v3_len2(way), 0), 1), t = (i + u) / 24;
            double radius = 0.014 + 0.004 * sin(SN_PI * t) - 0.005 * t;
            least = fmin(least, v3_dist(p, v3_mad(a, u, way)) - radius);
        }
        all = head ? sn_distance_union(all, least, 0.008) : least;
    }
    return all;
}

static inline void shape_deltoid(Shape *shape)
{
    snGridDef def = {v3_of(-0.08, -0.2, -0.05), v3_of(0.08, 0.04, 0.07), 0.006, deltoid_field, NULL, NULL};
    snGrid grid = {0};
    if (sn_grid_create(&def, &grid, NULL) == SN_OK) sn_grid_extract(&grid, &shape->tri, NULL);
    sn_grid_free(&grid);
    shape->ninput = 3;
    for (int head = 0; head < 3; ++head)
        for (int i = 0; i < SHAPE_POSITIONS; ++i)
            v3_store(shape->position[head] + 3 * i, deltoid_path(head, i / (SHAPE_POSITIONS - 1.0)));
}

static inline void shape_make(Shape *shape, ShapeKind kind)
{
    static const char *const head[3] = {"front", "middle", "back"};
    *shape = (Shape){0};
    if (kind == DELTOID)
        shape_deltoid(shape);
    else
        shape_loft(shape, kind);
    for (int i = 0; i < shape->ninput; ++i)
        shape->input[i] = (snAutoStrandInput){head[i], SHAPE_POSITIONS, shape->position[i]};
    shape->mesh = (snMesh){shape->tri.nvertex, shape->tri.ntriangle, shape->tri.vertex, shape->tri.triangle, NULL};
}

static inline void shape_free(Shape *shape)
{
    sn_trimesh_free(&shape->tri);
}

#endif
