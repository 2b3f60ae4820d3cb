/* The lanes for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "system/lanes.h"

#if defined(__AVX2__) && defined(__FMA__)

#include "math/vd_avx2.h"

#include <math.h>

#define LANES_NAME "avx2"
#include "system/lanes_impl.h"

#include "system/lanes_triangle_impl.h"

#include "system/lanes_solve_impl.h"

#include "system/reduced_impl.h"

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
