/* Vectors, 3x3 matrices, quaternions (w first), rigid motions. Right-handed, doubles. */
#ifndef SN_MATH_VEC_H
#define SN_MATH_VEC_H

#include <math.h>

#define SN_PI 3.14159265358979323846
#define SN_DEG (SN_PI / 180.0)

typedef struct v3 {
    double x, y, z;
} v3;
typedef struct quat {
    double w, x, y, z;
} quat;
typedef struct m3 {
    double m[9]; /* row-major */
} m3;
typedef struct rigid {
    quat q;
    v3 p;
} rigid; /* x -> q x + p */

static inline v3 v3_of(double x, double y, double z)
{
    return (v3){x, y, z};
}
static inline v3 v3_load(const double *a)
{
    return (v3){a[0], a[1], a[2]};
}
static inline void v3_store(double *a, v3 v)
{
    a[0] = v.x, a[1] = v.y, a[2] = v.z;
}
static inline v3 v3_add(v3 a, v3 b)
{
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline v3 v3_sub(v3 a, v3 b)
{
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline v3 v3_scale(v3 a, double s)
{
    return (v3){a.x * s, a.y * s, a.z * s};
}
static inline v3 v3_mad(v3 a, double s, v3 b)
{
    return (v3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
} /* a + s b */
static inline v3 v3_mul(v3 a, v3 b)
{
    return (v3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline v3 v3_neg(v3 a)
{
    return (v3){-a.x, -a.y, -a.z};
}
static inline v3 v3_lerp(v3 a, v3 b, double t)
{
    return v3_mad(a, t, v3_sub(b, a));
}
static inline double v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_len2(v3 a)
{
    return v3_dot(a, a);
}
static inline double v3_len(v3 a)
{
    return sqrt(v3_dot(a, a));
}
static inline double v3_dist(v3 a, v3 b)
{
    return v3_len(v3_sub(a, b));
}
/* The zero vector stays zero. */
static inline v3 v3_unit(v3 a)
{
    double n = v3_len(a);
    return n > 0 ? v3_scale(a, 1 / n) : a;
}
/* Some unit vector at right angles to a unit vector. */
static inline v3 v3_perp(v3 t)
{
    v3 e = fabs(t.x) < 0.6 ? v3_of(1, 0, 0) : fabs(t.y) < 0.6 ? v3_of(0, 1, 0) : v3_of(0, 0, 1);
    return v3_unit(v3_cross(t, e));
}

static inline v3 m3_mulv(const m3 *a, v3 v)
{
    const double *m = a->m;
    return (v3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
static inline m3 m3_mul(const m3 *a, const m3 *b)
{
    m3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[3 * i + j] = a->m[3 * i] * b->m[j] + a->m[3 * i + 1] * b->m[3 + j] + a->m[3 * i + 2] * b->m[6 + j];
    return c;
}
static inline m3 m3_identity(void)
{
    return (m3){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}
static inline m3 m3_columns(v3 a, v3 b, v3 c)
{
    return (m3){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
static inline double m3_det(const m3 *a)
{
    const double *m = a->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static inline quat q_identity(void)
{
    return (quat){1, 0, 0, 0};
}
static inline quat q_load(const double *a)
{
    return (quat){a[0], a[1], a[2], a[3]};
}
static inline void q_store(double *a, quat q)
{
    a[0] = q.w, a[1] = q.x, a[2] = q.y, a[3] = q.z;
}
static inline quat q_conj(quat q)
{
    return (quat){q.w, -q.x, -q.y, -q.z};
}
static inline quat q_mul(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline double q_dot(quat a, quat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline quat q_unit(quat q)
{
    double n = 1 / sqrt(q_dot(q, q));
    return (quat){q.w * n, q.x * n, q.y * n, q.z * n};
}
static inline v3 q_rotate(quat q, v3 v)
{
    v3 u = {q.x, q.y, q.z}, t = v3_scale(v3_cross(u, v), 2);
    return v3_add(v3_mad(v, q.w, t), v3_cross(u, t));
}
static inline v3 q_unrotate(quat q, v3 v)
{
    return q_rotate(q_conj(q), v);
}
static inline quat q_axis_angle(v3 unit_axis, double angle)
{
    double s = sin(angle / 2);
    return (quat){cos(angle / 2), unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
}
/* Exponential map: the rotation by |r| about r. */
static inline quat q_exp(v3 r)
{
    double angle = v3_len(r), s = angle > 1e-8 ? sin(angle / 2) / angle : 0.5 - angle * angle / 48;
    return (quat){cos(angle / 2), r.x * s, r.y * s, r.z * s};
}
/* Logarithm of a unit quaternion, the shorter way round. */
static inline v3 q_log(quat q)
{
    double sign = q.w < 0 ? -1 : 1, s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double k = s > 1e-12 ? 2 * atan2(s, sign * q.w) / s : 2;
    return v3_scale((v3){q.x, q.y, q.z}, sign * k);
}
static inline m3 m3_from_q(quat q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (m3){{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
                 1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
                 1 - 2 * (x * x + y * y)}};
}
quat q_from_m3(const m3 *a); /* of a rotation matrix */

static inline rigid rigid_identity(void)
{
    return (rigid){{1, 0, 0, 0}, {0, 0, 0}};
}
static inline v3 rigid_apply(rigid e, v3 v)
{
    return v3_add(q_rotate(e.q, v), e.p);
}
static inline v3 rigid_unapply(rigid e, v3 v)
{
    return q_unrotate(e.q, v3_sub(v, e.p));
}
static inline rigid rigid_mul(rigid a, rigid b)
{
    return (rigid){q_mul(a.q, b.q), rigid_apply(a, b.p)};
}
static inline rigid rigid_inverse(rigid a)
{
    return (rigid){q_conj(a.q), v3_neg(q_unrotate(a.q, a.p))};
}

/* Eigenvalues (ascending) and unit eigenvectors (columns of v) of a symmetric matrix, by Jacobi rotations. */
void m3_eigen_symmetric(const m3 *a, double value[3], m3 *v);
/* x with a x = b for a symmetric positive definite n x n row-major matrix, dense, and n x columns numbers b; both are
 * overwritten, a by its lower Cholesky factor (what is above the diagonal is neither read nor written); 0 if not
 * definite. */
int sn_small_cholesky_solve(double *a, double *b, int n, int columns);

#endif
