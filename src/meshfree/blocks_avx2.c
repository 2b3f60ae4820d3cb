/* blocks.h for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "meshfree/blocks.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "meshfree/blocks_impl.h"

const snBlocksKernel *sn_blocks_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &blocks_table : NULL;
}

#else

const snBlocksKernel *sn_blocks_avx2(void)
{
    return NULL;
}

#endif
