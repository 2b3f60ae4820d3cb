/* blend.h for any machine. */
#include <stdint.h>

static void store_points(int32_t count, const float *x, const float *y, const float *z, double *out)
{
    for (int32_t v = 0; v < count; ++v)
        out[3 * v] = (double)x[v], out[3 * v + 1] = (double)y[v], out[3 * v + 2] = (double)z[v];
}

#include "meshfree/blend_impl.h"

const snBlendKernel *sn_blend_portable(void)
{
    return &blend_table;
}
