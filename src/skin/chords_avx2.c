/* The loops for x86-64 with AVX2 and FMA: compiled with those switched on, see CMakeLists.txt; elsewhere never called.
 */
#include "skin/chords.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "math/vd_avx2.h"
#include "skin/lanes.h"

VD_INLINE vf vf_select(vi where, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, (vf)where);
}
/* As the instruction has it: b where a is not a number. */
VD_INLINE vf vf_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}
VD_INLINE vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}
VD_INLINE vf vf_madd(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}
VD_INLINE vf vf_sqrt(vf a)
{
    return _mm256_sqrt_ps(a);
}
VD_INLINE uint32_t vf_mask(vi where)
{
    return (uint32_t)_mm256_movemask_ps((vf)where);
}
VD_INLINE vf two_rows(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}
/* Rows of four as columns of eight. */
VD_INLINE void put_columns(float row[SN_LANES][4], float *x, float *y, float *z, float *w)
{
    vf a = two_rows(row[0], row[4]), b = two_rows(row[1], row[5]);
    vf c = two_rows(row[2], row[6]), d = two_rows(row[3], row[7]);
    vf ac = _mm256_unpacklo_ps(a, c), bd = _mm256_unpacklo_ps(b, d); /* x and y of each */
    vf zac = _mm256_unpackhi_ps(a, c), zbd = _mm256_unpackhi_ps(b, d);
    _mm256_storeu_ps(x, _mm256_unpacklo_ps(ac, bd)), _mm256_storeu_ps(y, _mm256_unpackhi_ps(ac, bd));
    _mm256_storeu_ps(z, _mm256_unpacklo_ps(zac, zbd)), _mm256_storeu_ps(w, _mm256_unpackhi_ps(zac, zbd));
}
VD_INLINE vd vd_select(vmask where, vd yes, vd no)
{
    return _mm256_blendv_pd(no, yes, (vd)where);
}
VD_INLINE bool vd_all_of(vmask where)
{
    return _mm256_movemask_pd((vd)where) == 15;
}

#include "skin/chords_loop.h"
#include "skin/closest_loop.h"

const snChords sn_chords_avx2 = {pack_loop, load_loop, balls_loop, patches_loop, points_loop, closest_loop, clear_loop};

#else

const snChords sn_chords_avx2 = {0};

#endif
