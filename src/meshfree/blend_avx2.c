/* blend.h for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "meshfree/blend.h"

#include <stddef.h>

#if defined(__AVX2__) && defined(__FMA__)

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
