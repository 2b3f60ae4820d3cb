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
