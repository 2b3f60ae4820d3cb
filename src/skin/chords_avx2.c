/* The loops for x86-64 with AVX2 and FMA: compiled with those switched on, see CMakeLists.txt; elsewhere never called.
 */
#include "skin/chords.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

#include "skin/lanes.h"

LANE_INLINE vf vf_select(vi where, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, (vf)where);
}
/* As the instruction has it: b where a is not a number. */
LANE_INLINE vf vf_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}
LANE_INLINE vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}
LANE_INLINE vf vf_madd(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}
LANE_INLINE vf vf_sqrt(vf a)
{
    return _mm256_sqrt_ps(a);
}
LANE_INLINE uint32_t vf_mask(vi where)
{
    return (uint32_t)_mm256_movemask_ps((vf)where);
}
LANE_INLINE vd vd_select(vl where, vd yes, vd no)
{
    return _mm256_blendv_pd(no, yes, (vd)where);
}
LANE_INLINE bool vd_all_of(vl where)
{
    return _mm256_movemask_pd((vd)where) == 15;
}

#include "skin/chords_loop.h"
#include "skin/closest_loop.h"

const snChords sn_chords_avx2 = {pack_loop, balls_loop, patches_loop, points_loop, closest_loop};

#else

const snChords sn_chords_avx2 = {0};

#endif
