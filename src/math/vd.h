/* What vd_avx2.h and vd_portable.h share. Include one of those instead. */
#ifndef SN_MATH_VD_H
#define SN_MATH_VD_H

typedef double vd_any __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long vmask __attribute__((vector_size(32)));

VD_INLINE vd vd_all(double a)
{
    return (vd){a, a, a, a};
}
VD_INLINE vd vd_get(const double *a)
{
    return *(const vd_any *)(const void *)a;
}
static inline void vd_put(double *a, vd x)
{
    *(vd_any *)(void *)a = x;
}
static inline double vd_sum(vd a)
{
    return (a[0] + a[2]) + (a[1] + a[3]);
}

/* Rows to columns of a 4 x 4 block. */
static inline void vd_transpose(vd r[4])
{
    vd a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    vd c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

#endif
