/* Four doubles side by side in plain vector arithmetic: whatever the target has (SSE2, NEON, WASM), without fused
 * multiply-add. What does not depend on the instruction set is in math/vd.h. */
#ifndef SN_MATH_VD_PORTABLE_H
#define SN_MATH_VD_PORTABLE_H

#include <math.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed between functions of the including file only */
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

#include "math/vd.h"

#endif
