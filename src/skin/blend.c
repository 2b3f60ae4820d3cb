/* Linear blend: the weighted mean of where each bone would carry the vertex. Dual quaternions: the weighted mean of the
 * motions themselves, brought back to a rigid motion, which keeps volume where a joint twists (Kavan 2007). */
#include "skin/blend.h"

static rigid pose_at(const double *pose)
{
    return (rigid){q_unit(q_load(pose + 3)), v3_load(pose)};
}

static rigid motion_of(const double *rest, const double *pose, int32_t body)
{
    return rigid_mul(pose_at(pose + 7 * body), rigid_inverse(pose_at(rest + 7 * body)));
}

static void store_matrix(rigid e, double *to)
{
    m3 r = m3_from_q(e.q);
    double p[3] = {e.p.x, e.p.y, e.p.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) to[4 * i + j] = r.m[3 * i + j];
        to[4 * i + 3] = p[i];
    }
}

void sn_blend_matrices(int32_t nbody, const double *rest, const double *pose, double *matrix)
{
    for (int32_t b = 0; b < nbody; ++b) store_matrix(motion_of(rest, pose, b), matrix + 12 * b);
}

void sn_blend_linear(int32_t nvertex, const double *vertex, const int32_t *body, const double *weight,
                     const double *matrix, double *out)
{
    for (int32_t v = 0; v < nvertex; ++v) {
        double m[12] = {0};
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            double w = weight[SN_SKIN_BONES * v + k];
            if (w == 0) break; /* the largest come first */
            const double *from = matrix + 12 * body[SN_SKIN_BONES * v + k];
            for (int i = 0; i < 12; ++i) m[i] += w * from[i];
        }
        const double *p = vertex + 3 * v;
        for (int i = 0; i < 3; ++i)
            out[3 * v + i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
    }
}

static void store_dual(rigid e, double *dual)
{
    quat t = {0, e.p.x, e.p.y, e.p.z}, d = q_mul(t, e.q);
    q_store(dual, e.q);
    q_store(dual + 4, (quat){0.5 * d.w, 0.5 * d.x, 0.5 * d.y, 0.5 * d.z});
}

/* The rigid motion of a dual quaternion of any length. */
static rigid rigid_of_dual(const double *dual)
{
    quat q = q_load(dual), t = q_mul(q_load(dual + 4), q_conj(q));
    double n = 1 / q_dot(q, q); /* both parts over the length of the first */
    return (rigid){q_unit(q), v3_scale(v3_of(t.x, t.y, t.z), 2 * n)};
}

void sn_blend_between(const double *rest, const double *pose, int32_t a, int32_t b, double part, double matrix[12])
{
    rigid from = motion_of(rest, pose, a), to = motion_of(rest, pose, b);
    double first[8], second[8], sign = q_dot(from.q, to.q) < 0 ? -1 : 1; /* q and -q are the same rotation */
    store_dual(from, first), store_dual(to, second);
    for (int i = 0; i < 8; ++i) first[i] = (1 - part) * first[i] + sign * part * second[i];
    store_matrix(rigid_of_dual(first), matrix);
}

void sn_blend_dual(int32_t nbody, const double *rest, const double *pose, double *dual)
{
    for (int32_t b = 0; b < nbody; ++b) store_dual(motion_of(rest, pose, b), dual + 8 * b);
}

void sn_blend_dual_quaternion(int32_t nvertex, const double *vertex, const int32_t *body, const double *weight,
                              const double *dual, double *out)
{
    for (int32_t v = 0; v < nvertex; ++v) {
        const int32_t *at = body + SN_SKIN_BONES * v;
        const double *w = weight + SN_SKIN_BONES * v;
        quat first = q_load(dual + 8 * at[0]);
        double sum[8] = {0};
        for (int k = 0; k < SN_SKIN_BONES && w[k] != 0; ++k) {
            const double *from = dual + 8 * at[k];
            double s = q_dot(first, q_load(from)) < 0 ? -w[k] : w[k]; /* q and -q are the same rotation */
            for (int i = 0; i < 8; ++i) sum[i] += s * from[i];
        }
        v3_store(out + 3 * v, rigid_apply(rigid_of_dual(sum), v3_load(vertex + 3 * v)));
    }
}
