/* The pool where there are no threads (WASI): loops run in the calling thread. */
#include "base/parallel.h"

#ifdef __wasi__

#include "base/alloc.h"

struct snPool {
    int32_t nthread;
};

snPool *sn_pool_create(int32_t nthread)
{
    snPool *p = SN_NEW(snPool);
    if (p) p->nthread = 1;
    (void)nthread;
    return p;
}

void sn_pool_destroy(snPool *p)
{
    sn_free(p);
}
int32_t sn_pool_threads(const snPool *p)
{
    return p ? p->nthread : 1;
}

void sn_pool_loop(snPool *p, int32_t count, snLoopFn body, void *context)
{
    (void)p;
    for (int32_t i = 0; i < count; ++i) body(context, i);
}

int32_t sn_hardware_threads(void)
{
    return 1;
}

#endif
