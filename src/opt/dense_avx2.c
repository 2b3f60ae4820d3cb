/* dense.h for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "opt/dense.h"

#include <stddef.h>

#if defined(__AVX2__) && defined(__FMA__)

#include "math/vd_avx2.h"

#define DENSE_NAME "avx2"
#include "opt/dense_impl.h"

const snDense *sn_dense_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &dense_table : NULL;
}

#else

const snDense *sn_dense_avx2(void)
{
    return NULL;
}

#endif
