/* Workers spin briefly for the next loop, since a step starts several within a millisecond, and
 * sleep on a condition variable after that. Items are handed out by an atomic counter.
 *
 * A loop ends when its items are done, not when every worker has been there: on a busy machine a worker may not get a
 * core for longer than the whole loop takes. A worker announces itself (inside) and then looks whether the loop is
 * still open; the caller closes the loop and then waits for those inside. In either order one sees the other. */
#ifndef __wasi__ /* there: parallel_serial.c */
#include "base/parallel.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { CHUNKS = 4 };  /* per thread: even enough when some items take longer */
enum { SPIN = 2000 }; /* a few microseconds: longer than the gap between two stages of a step */

struct snPool {
    int32_t nworker;
    pthread_t *worker;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_int generation; /* counts loops; workers wait for it to change */
    atomic_int stop;
    atomic_int open;   /* the current loop takes workers */
    atomic_int inside; /* workers that may be running items */
    atomic_int next;
    int32_t count;
    int32_t chunk; /* items handed out at once: neighbours share cache lines, and most items take about a microsecond */
    snLoopFn body;
    void *context;
};

static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void run_items(snPool *p)
{
    for (;;) {
        int i = atomic_fetch_add(&p->next, p->chunk), end = i + p->chunk;
        if (i >= p->count) return;
        if (end > p->count) end = p->count;
        for (; i < end; ++i) p->body(p->context, i);
    }
}

static int wait_for_loop(snPool *p, int seen)
{
    for (int i = 0; i < SPIN; ++i) {
        int now = atomic_load(&p->generation);
        if (now != seen) return now;
        relax();
    }
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->generation) == seen) pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return atomic_load(&p->generation);
}

static void *work(void *argument)
{
    snPool *p = argument;
    int seen = 0;
    for (;;) {
        seen = wait_for_loop(p, seen);
        if (atomic_load(&p->stop)) return NULL;
        atomic_fetch_add(&p->inside, 1);
        if (atomic_load(&p->open)) run_items(p);
        atomic_fetch_sub(&p->inside, 1);
    }
}

snPool *sn_pool_create(int32_t nthread)
{
    snPool *p = SN_NEW(snPool);
    if (!p) return NULL;
    p->worker = SN_NEW_ARRAY(pthread_t, nthread > 1 ? nthread - 1 : 0);
    if (!p->worker) {
        sn_free(p);
        return NULL;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    for (int32_t i = 1; i < nthread; ++i) {
        if (pthread_create(&p->worker[p->nworker], NULL, work, p) != 0) break; /* fewer threads are fine */
        ++p->nworker;
    }
    return p;
}

static void start_generation(snPool *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->generation, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void sn_pool_destroy(snPool *p)
{
    if (!p) return;
    atomic_store(&p->stop, 1);
    start_generation(p);
    for (int32_t i = 0; i < p->nworker; ++i) pthread_join(p->worker[i], NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->wake);
    sn_free(p->worker);
    sn_free(p);
}

int32_t sn_pool_threads(const snPool *p)
{
    return p ? p->nworker + 1 : 1;
}

void sn_pool_loop(snPool *p, int32_t count, snLoopFn body, void *context)
{
    if (!p || p->nworker == 0 || count < 2) {
        for (int32_t i = 0; i < count; ++i) body(context, i);
        return;
    }
    p->count = count;
    p->chunk = count / (CHUNKS * (p->nworker + 1)) + 1;
    p->body = body;
    p->context = context;
    atomic_store(&p->next, 0);
    atomic_store(&p->open, 1);
    start_generation(p);
    run_items(p);
    atomic_store(&p->open, 0);
    while (atomic_load(&p->inside) > 0) relax();
}

int32_t sn_hardware_threads(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 256 ? 256 : (int32_t)n;
}

#endif
