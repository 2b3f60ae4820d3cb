/* A small pool of threads for loops whose items are independent. Results never depend on the
 * number of threads: every item writes only what belongs to it. */
#ifndef SN_BASE_PARALLEL_H
#define SN_BASE_PARALLEL_H

#include <stdint.h>

typedef struct snPool snPool;
typedef void (*snLoopFn)(void *context, int32_t item);

/* nthread counts the calling thread; 1 makes no thread at all. NULL when out of memory. */
snPool *sn_pool_create(int32_t nthread);
void sn_pool_destroy(snPool *pool); /* NULL is fine */
int32_t sn_pool_threads(const snPool *pool);
/* body(context, i) for i in [0, count), in any order. Returns when all are done. A NULL pool runs serially. */
void sn_pool_loop(snPool *pool, int32_t count, snLoopFn body, void *context);
int32_t sn_hardware_threads(void);

#endif
