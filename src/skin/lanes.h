/* Vector types of the search's loops: eight floats that bound, four doubles that decide. Included by chords.c and
 * chords_avx2.c only, which define the operations that plain arithmetic does not have. */
#ifndef SN_SKIN_LANES_H
#define SN_SKIN_LANES_H

#include "skin/arcs.h"

typedef float vf __attribute__((vector_size(32)));
typedef int32_t vi __attribute__((vector_size(32)));
typedef double vd __attribute__((vector_size(32)));
typedef int64_t vl __attribute__((vector_size(32)));
typedef float vf_any __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t vi_any __attribute__((vector_size(32), aligned(4), may_alias));

#define LANE_INLINE static inline __attribute__((always_inline))

LANE_INLINE vf vf_all(float a)
{
    return (vf){a, a, a, a, a, a, a, a};
}
LANE_INLINE vf vf_get(const float *a)
{
    return *(const vf_any *)(const void *)a;
}
LANE_INLINE void vf_put(float *a, vf x)
{
    *(vf_any *)(void *)a = x;
}
LANE_INLINE vd vd_all(double a)
{
    return (vd){a, a, a, a};
}

#endif
