/* blend.h in loops that compilers turn into vectors; included once for each instruction set. The including file defines
 * store_points(count, x, y, z, out), which writes the points one after the other as doubles: compilers do that one
 * number at a time. */
#include "meshfree/blend.h"

/* Four samples in one pass: the sum stays in a register. */
static void mix(int32_t count, int32_t nsample, const int16_t *const *delta, const float *weight,
                const float *restrict rest, float *restrict to)
{
    int32_t s = 0;
    const float *from = rest;
    for (; s + 4 <= nsample; s += 4, from = to) {
        const int16_t *restrict a = delta[s], *restrict b = delta[s + 1], *restrict c = delta[s + 2],
                                *restrict d = delta[s + 3];
        float wa = weight[s], wb = weight[s + 1], wc = weight[s + 2], wd = weight[s + 3];
        for (int32_t v = 0; v < count; ++v)
            to[v] = from[v] + wa * (float)a[v] + wb * (float)b[v] + wc * (float)c[v] + wd * (float)d[v];
    }
    for (; s < nsample; ++s, from = to) {
        const int16_t *restrict a = delta[s];
        float wa = weight[s];
        for (int32_t v = 0; v < count; ++v) to[v] = from[v] + wa * (float)a[v];
    }
    for (int32_t v = 0; v < count && from == rest; ++v) to[v] = rest[v];
}

static void place(int32_t count, int32_t nbody, const float *const *weight, float (*R)[12],
                  float (*shape)[SN_BLEND_BLOCK], double *out)
{
    float sum[3][SN_BLEND_BLOCK];
    for (int32_t b = 0; b < nbody; ++b) {
        const float *restrict w = weight[b], *r = R[b];
        for (int i = 0; i < 3; ++i) {
            float a0 = r[4 * i], a1 = r[4 * i + 1], a2 = r[4 * i + 2], a3 = r[4 * i + 3];
            float *restrict to = sum[i];
            const float *restrict x = shape[0], *restrict y = shape[1], *restrict z = shape[2];
            if (b == 0)
                for (int32_t v = 0; v < count; ++v) to[v] = w[v] * (a0 * x[v] + a1 * y[v] + a2 * z[v] + a3);
            else
                for (int32_t v = 0; v < count; ++v) to[v] += w[v] * (a0 * x[v] + a1 * y[v] + a2 * z[v] + a3);
        }
    }
    store_points(count, sum[0], sum[1], sum[2], out);
}

static const snBlendKernel blend_table = {mix, place};
