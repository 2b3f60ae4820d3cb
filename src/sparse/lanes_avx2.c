/* The lanes for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "sparse/lanes.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>
#include <math.h>

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

#define LANES_NAME "avx2"
#include "sparse/lanes_impl.h"
#include "sparse/lanes_solve_impl.h"
#include "sparse/reduced_impl.h"

const snLanes *sn_lanes_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &lanes_table : NULL;
}

#else

const snLanes *sn_lanes_avx2(void)
{
    return NULL;
}

#endif
