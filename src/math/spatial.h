/* Spatial vectors in world axes at the world origin: motion (angular; linear), force (moment; force), and the inertia
 * of a rigid body as ten numbers, which add up when bodies are joined. */
#ifndef SN_MATH_SPATIAL_H
#define SN_MATH_SPATIAL_H

#include "math/vec.h"

typedef struct spatial {
    v3 w, v; /* motion: angular, linear at the origin. Force: moment about the origin, force */
} spatial;

static inline spatial sp_load(const double *a)
{
    return (spatial){v3_load(a), v3_load(a + 3)};
}
static inline void sp_store(double *a, spatial s)
{
    v3_store(a, s.w), v3_store(a + 3, s.v);
}
static inline spatial sp_zero(void)
{
    return (spatial){{0, 0, 0}, {0, 0, 0}};
}
static inline spatial sp_add(spatial a, spatial b)
{
    return (spatial){v3_add(a.w, b.w), v3_add(a.v, b.v)};
}
static inline spatial sp_scale(spatial a, double s)
{
    return (spatial){v3_scale(a.w, s), v3_scale(a.v, s)};
}
static inline spatial sp_mad(spatial a, double s, spatial b)
{
    return (spatial){v3_mad(a.w, s, b.w), v3_mad(a.v, s, b.v)};
}
static inline double sp_dot(spatial a, spatial b)
{
    return v3_dot(a.w, b.w) + v3_dot(a.v, b.v);
}
/* Motion a x motion b. */
static inline spatial sp_cross(spatial a, spatial b)
{
    return (spatial){v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
}
/* Motion a x* force f. */
static inline spatial sp_cross_force(spatial a, spatial f)
{
    return (spatial){v3_add(v3_cross(a.w, f.w), v3_cross(a.v, f.v)), v3_cross(a.w, f.v)};
}
/* Velocity of the point that is at p. */
static inline v3 sp_at(spatial s, v3 p)
{
    return v3_add(v3_cross(s.w, p), s.v);
}
/* The wrench of a force at p. */
static inline spatial sp_wrench(v3 p, v3 force)
{
    return (spatial){v3_cross(p, force), force};
}

enum { SN_INERTIA_SIZE = 10 }; /* m, first moment m c (3), second moment about the origin xx yy zz xy xz yz */

/* Symmetric 3x3 of six numbers times a vector. */
static inline v3 sym_mulv(const double *a, v3 x)
{
    return (v3){a[0] * x.x + a[3] * x.y + a[4] * x.z, a[3] * x.x + a[1] * x.y + a[5] * x.z,
                a[4] * x.x + a[5] * x.y + a[2] * x.z};
}
/* Momentum of an inertia (ten numbers) that moves with s. */
static inline spatial sp_inertia_mul(const double *inertia, spatial s)
{
    v3 h = v3_load(inertia + 1);
    return (spatial){v3_add(sym_mulv(inertia + 4, s.w), v3_cross(h, s.v)),
                     v3_sub(v3_scale(s.v, inertia[0]), v3_cross(h, s.w))};
}
/* Adds m (|c|^2 1 - c c') to six numbers: moves an inertia about the centre of mass c to the origin. */
static inline void sym_add_steiner(double *a, double m, v3 c)
{
    a[0] += m * (c.y * c.y + c.z * c.z), a[1] += m * (c.x * c.x + c.z * c.z), a[2] += m * (c.x * c.x + c.y * c.y);
    a[3] -= m * c.x * c.y, a[4] -= m * c.x * c.z, a[5] -= m * c.y * c.z;
}
/* R a R' of a symmetric matrix of six numbers. */
static inline void sym_turn(const double *R, const double *a, double *out)
{
    v3 row[3], turned[3];
    for (int i = 0; i < 3; ++i) row[i] = v3_load(R + 3 * i), turned[i] = sym_mulv(a, row[i]);
    out[0] = v3_dot(row[0], turned[0]), out[1] = v3_dot(row[1], turned[1]), out[2] = v3_dot(row[2], turned[2]);
    out[3] = v3_dot(row[0], turned[1]), out[4] = v3_dot(row[0], turned[2]), out[5] = v3_dot(row[1], turned[2]);
}

#endif
