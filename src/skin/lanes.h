/* Eight floats side by side for the search's loops, beside the four doubles of math/vd.h. Included by chords.c and
 * chords_avx2.c only, which define the operations that plain arithmetic does not have. */
#ifndef SN_SKIN_LANES_H
#define SN_SKIN_LANES_H

#include "skin/arcs.h"

typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));
typedef float vf_half __attribute__((vector_size(16), aligned(4), may_alias));
typedef float vf_any __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t vi_any __attribute__((vector_size(32), aligned(4), may_alias));

VD_INLINE vf vf_all(float a)
{
    return (vf){a, a, a, a, a, a, a, a};
}
VD_INLINE vf vf_get(const float *a)
{
    return *(const vf_any *)(const void *)a;
}
VD_INLINE void vf_put(float *a, vf x)
{
    *(vf_any *)(void *)a = x;
}

#endif
