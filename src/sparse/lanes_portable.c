/* The lanes in plain vector arithmetic: whatever the target has (SSE2, NEON, WASM), without fused multiply-add. */
#include "sparse/lanes.h"

#include <math.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between functions of this file only */
#endif

typedef double vd __attribute__((vector_size(32)));
#define VD_INLINE static inline __attribute__((always_inline))

VD_INLINE vd vd_madd(vd a, vd b, vd c)
{
    return c + a * b;
}
VD_INLINE vd vd_nmadd(vd a, vd b, vd c)
{
    return c - a * b;
}
VD_INLINE vd vd_sqrt(vd a)
{
    return (vd){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
}

VD_INLINE vd vd_keep(vd a)
{
    return a;
}

#define LANES_NAME "portable"
#include "sparse/lanes_impl.h"
#include "sparse/lanes_solve_impl.h"
#include "sparse/reduced_impl.h"

const snLanes *sn_lanes_portable(void)
{
    return &lanes_table;
}
