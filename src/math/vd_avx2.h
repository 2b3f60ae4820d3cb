/* Four doubles side by side for x86-64 with AVX2 and FMA: for files compiled with those switched on (*_avx2.c). What
 * does not depend on the instruction set is in math/vd.h. */
#ifndef SN_MATH_VD_AVX2_H
#define SN_MATH_VD_AVX2_H

#include <immintrin.h>

typedef double vd __attribute__((vector_size(32)));
#define VD_INLINE static inline __attribute__((always_inline))

VD_INLINE vd vd_madd(vd a, vd b, vd c)
{
    return _mm256_fmadd_pd(a, b, c);
}
VD_INLINE vd vd_nmadd(vd a, vd b, vd c)
{
    return _mm256_fnmadd_pd(a, b, c);
}
VD_INLINE vd vd_sqrt(vd a)
{
    return _mm256_sqrt_pd(a);
}

/* Keeps a number that is used twice in a register, where the compiler would load it twice. */
VD_INLINE vd vd_keep(vd a)
{
    __asm__("" : "+x"(a));
    return a;
}

#include "math/vd.h"

#endif
