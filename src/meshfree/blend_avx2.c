/* blend.h for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "meshfree/blend.h"

#include <stddef.h>

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

/* Four points at a time, from x x x x, y y y y, z z z z to x y z x, y z x y, z x y z. The first few alone, after which
 * stores are aligned: a point is 24 bytes, so n of them bring an address that is 8 n beyond one of 32 to the next. */
static void store_points(int32_t count, const float *x, const float *y, const float *z, double *out)
{
    int32_t v = 0, lead = (int32_t)((uintptr_t)out % 32 / 8);
    for (; v < lead && v < count; ++v, out += 3) out[0] = (double)x[v], out[1] = (double)y[v], out[2] = (double)z[v];
    for (; v + 4 <= count; v += 4, out += 12) {
        __m256d a = _mm256_cvtps_pd(_mm_loadu_ps(x + v)), b = _mm256_cvtps_pd(_mm_loadu_ps(y + v)),
                c = _mm256_cvtps_pd(_mm_loadu_ps(z + v));
        __m256d ab = _mm256_unpacklo_pd(a, b), ca = _mm256_shuffle_pd(c, a, 10), bc = _mm256_unpackhi_pd(b, c);
        _mm256_storeu_pd(out, _mm256_permute2f128_pd(ab, ca, 0x20));
        _mm256_storeu_pd(out + 4, _mm256_blend_pd(bc, ab, 12));
        _mm256_storeu_pd(out + 8, _mm256_permute2f128_pd(ca, bc, 0x31));
    }
    for (; v < count; ++v, out += 3) out[0] = (double)x[v], out[1] = (double)y[v], out[2] = (double)z[v];
}

#include "meshfree/blend_impl.h"

const snBlendKernel *sn_blend_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &blend_table : NULL;
}

#else

const snBlendKernel *sn_blend_avx2(void)
{
    return NULL;
}

#endif
