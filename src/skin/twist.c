/* Body k of twist i in between (0 < k < STEPS) has the number nbody + (STEPS - 1) i + k - 1. */
#include "skin/twist.h"

double sn_twist_part(const snSkinTwist *twist, v3 place)
{
    v3 from = v3_load(twist->from), way = v3_sub(v3_load(twist->to), from);
    double t = v3_dot(v3_sub(place, from), way) / v3_len2(way);
    t = fmax(0, fmin(1, t));
    return t * t * (3 - 2 * t);
}

int32_t sn_twist_bodies(int32_t nbody, int32_t ntwist)
{
    return nbody + (SN_TWIST_STEPS - 1) * ntwist;
}

static int32_t number(int32_t nbody, int32_t i, const snSkinTwist *twist, int k)
{
    return k == 0 ? twist->parent : k == SN_TWIST_STEPS ? twist->child : nbody + (SN_TWIST_STEPS - 1) * i + k - 1;
}

static void largest_first(int32_t *body, double *weight)
{
    for (int i = 1; i < SN_SKIN_BONES; ++i)
        for (int k = i; k > 0 && weight[k] > weight[k - 1]; --k) {
            double w = weight[k];
            int32_t b = body[k];
            weight[k] = weight[k - 1], body[k] = body[k - 1];
            weight[k - 1] = w, body[k - 1] = b;
        }
}

void sn_twist_bind(int32_t nbody, int32_t ntwist, const snSkinTwist *twist, int32_t body[SN_SKIN_BONES],
                   double weight[SN_SKIN_BONES])
{
    for (int32_t i = 0; i < ntwist; ++i) {
        int parent = -1, child = -1;
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            if (weight[k] > 0 && body[k] == twist[i].parent) parent = k;
            if (weight[k] > 0 && body[k] == twist[i].child) child = k;
        }
        if (parent < 0 || child < 0) continue;
        double both = weight[parent] + weight[child], at = SN_TWIST_STEPS * weight[child] / both;
        int k = at < SN_TWIST_STEPS - 1 ? (int)at : SN_TWIST_STEPS - 1;
        body[parent] = number(nbody, i, twist + i, k), weight[parent] = (1 - (at - k)) * both;
        body[child] = number(nbody, i, twist + i, k + 1), weight[child] = (at - k) * both;
    }
    largest_first(body, weight);
}

void sn_twist_matrices(int32_t nbody, int32_t ntwist, const snSkinTwist *twist, const double *rest, const double *pose,
                       double *matrix)
{
    for (int32_t i = 0; i < ntwist; ++i)
        for (int k = 1; k < SN_TWIST_STEPS; ++k)
            sn_blend_between(rest, pose, twist[i].parent, twist[i].child, (double)k / SN_TWIST_STEPS,
                             matrix + 12 * number(nbody, i, twist + i, k));
}
