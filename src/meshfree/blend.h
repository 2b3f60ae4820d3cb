/* The inner loops of a blend over a block of vertices, compiled for each instruction set. */
#ifndef SN_MESHFREE_BLEND_H
#define SN_MESHFREE_BLEND_H

#include <stdint.h>

enum { SN_BLEND_BLOCK = 256 }; /* vertices at a time: what is worked on stays in the first cache */

typedef struct snBlendKernel {
    /* to = rest + sum over s of weight[s] delta[s], count numbers each */
    void (*mix)(int32_t count, int32_t nsample, const int16_t *const *delta, const float *weight, const float *rest,
                float *to);
    /* out (3 per vertex) = sum over b of weight[b] R[b] (shape, 1); R: row-major 3 x 4 */
    void (*place)(int32_t count, int32_t nbody, const float *const *weight, float (*R)[12],
                  float (*shape)[SN_BLEND_BLOCK], double *out);
} snBlendKernel;

const snBlendKernel *sn_blend_portable(void);
const snBlendKernel *sn_blend_avx2(void); /* NULL where it cannot run */

#endif
