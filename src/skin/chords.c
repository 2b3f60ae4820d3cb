/* The loops in plain vector arithmetic: whatever the target has. */
#include "skin/chords.h"

#include <math.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between functions of this file only */
#endif

#include "skin/lanes.h"

LANE_INLINE vf vf_select(vi where, vf yes, vf no)
{
    return (vf)(((vi)yes & where) | ((vi)no & ~where));
}
LANE_INLINE vf vf_min(vf a, vf b)
{
    return vf_select(a < b, a, b);
}
LANE_INLINE vf vf_max(vf a, vf b)
{
    return vf_select(a > b, a, b);
}
LANE_INLINE vf vf_madd(vf a, vf b, vf c)
{
    return c + a * b;
}
LANE_INLINE vf vf_sqrt(vf a)
{
    for (int i = 0; i < SN_LANES; ++i) a[i] = sqrtf(a[i]);
    return a;
}
LANE_INLINE uint32_t vf_mask(vi where)
{
    uint32_t mask = 0;
    for (int i = 0; i < SN_LANES; ++i) mask |= (uint32_t)where[i] & 1u << i;
    return mask;
}
LANE_INLINE vd vd_select(vl where, vd yes, vd no)
{
    return (vd)(((vl)yes & where) | ((vl)no & ~where));
}
LANE_INLINE bool vd_all_of(vl where)
{
    return (where[0] & where[1] & where[2] & where[3]) != 0;
}

#include "skin/chords_loop.h"
#include "skin/closest_loop.h"

const snChords sn_chords_portable = {pack_loop, balls_loop, patches_loop, points_loop, closest_loop};

const snChords *sn_chords_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sn_chords_avx2;
#endif
    return &sn_chords_portable;
}
