/* The loops in plain vector arithmetic: whatever the target has. */
#include "skin/chords.h"

#include "math/vd_portable.h"
#include "skin/lanes.h"

VD_INLINE vf vf_select(vi where, vf yes, vf no)
{
    return (vf)(((vi)yes & where) | ((vi)no & ~where));
}
VD_INLINE vf vf_min(vf a, vf b)
{
    return vf_select(a < b, a, b);
}
VD_INLINE vf vf_max(vf a, vf b)
{
    return vf_select(a > b, a, b);
}
VD_INLINE vf vf_madd(vf a, vf b, vf c)
{
    return c + a * b;
}
VD_INLINE vf vf_sqrt(vf a)
{
    for (int i = 0; i < SN_LANES; ++i) a[i] = sqrtf(a[i]);
    return a;
}
VD_INLINE uint32_t vf_mask(vi where)
{
    uint32_t mask = 0;
    for (int i = 0; i < SN_LANES; ++i) mask |= (uint32_t)where[i] & 1u << i;
    return mask;
}
/* Rows of four as columns of eight. */
VD_INLINE void put_columns(float row[SN_LANES][4], float *x, float *y, float *z, float *w)
{
    for (int i = 0; i < SN_LANES; ++i) x[i] = row[i][0], y[i] = row[i][1], z[i] = row[i][2], w[i] = row[i][3];
}
VD_INLINE vd vd_select(vmask where, vd yes, vd no)
{
    return (vd)(((vmask)yes & where) | ((vmask)no & ~where));
}
VD_INLINE bool vd_all_of(vmask where)
{
    return (where[0] & where[1] & where[2] & where[3]) != 0;
}

#include "skin/chords_loop.h"
#include "skin/closest_loop.h"

const snChords sn_chords_portable = {pack_loop,   load_loop,    balls_loop, patches_loop,
                                     points_loop, closest_loop, clear_loop};

const snChords *sn_chords_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &sn_chords_avx2;
#endif
    return &sn_chords_portable;
}
