/* dense.h in plain vector arithmetic, and the choice between the two. */
#include "opt/dense.h"

#include "math/vd_portable.h"

#define DENSE_NAME "portable"
#include "opt/dense_impl.h"

const snDense *sn_dense_portable(void)
{
    return &dense_table;
}

const snDense *sn_dense(void)
{
    const snDense *fast = sn_dense_avx2();
    return fast ? fast : sn_dense_portable();
}

void sn_dense_mirror(int32_t n, double *Q, int32_t ld)
{
    enum { BLOCK = 8 }; /* columns of a cache line */
    for (int32_t i = 0; i < n; i += BLOCK)
        for (int32_t r = i; r < n; ++r)
            for (int32_t c = i; c < i + BLOCK && c < r; ++c) Q[(int64_t)r * ld + c] = Q[(int64_t)c * ld + r];
}
