/* tile.h for x86-64 with AVX2 and FMA. Compiled with those switched on; elsewhere nothing but the answer "no". */
#include "sparse/tile.h"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

typedef float vf __attribute__((vector_size(32)));
static inline __attribute__((always_inline)) vf vf_nmadd(vf a, vf b, vf c)
{
    return _mm256_fnmadd_ps(a, b, c);
}

#define TILE_NAME "avx2"
#include "sparse/tile_impl.h"

const snTileKernel *sn_tile_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &tile_table : NULL;
}

#else

const snTileKernel *sn_tile_avx2(void)
{
    return NULL;
}

#endif
