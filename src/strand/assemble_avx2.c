/* A strand's step for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere
 * nothing but the answer "no". */
#include "strand/assemble.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "math/vd_avx2.h"
#include "strand/assemble_impl.h"

const snStrandKernels *sn_strand_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kernels : NULL;
}

#else

#include <stddef.h>

const snStrandKernels *sn_strand_avx2(void)
{
    return NULL;
}

#endif
