/* The material for x86-64 with AVX2. Compiled with that switched on; elsewhere nothing but the answer "no". */
#include "flesh/element.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "math/vd_avx2.h"

#include "flesh/element_impl.h"

#include "flesh/element_hessian_impl.h"

const snElementKernels *sn_elements_avx2(void)
{
    static const snElementKernels table = {gradient_loop, hessian_loop, "avx2"};
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &table : NULL;
}

#else

const snElementKernels *sn_elements_avx2(void)
{
    return NULL;
}

#endif
