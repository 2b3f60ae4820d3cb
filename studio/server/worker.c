/* See worker.h. */
#include "worker.h"

#include <math.h>
#include <time.h>

double sn_worker_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void release(snWorker *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
}

bool sn_worker_start(snWorker *w, void *(*run)(void *user), void *user)
{
    pthread_condattr_t attributes;
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    w->stop = false;
    w->started = pthread_create(&w->thread, NULL, run, user) == 0;
    if (!w->started) release(w);
    return w->started;
}

void sn_worker_end(snWorker *w)
{
    if (!w->started) return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    w->started = false;
    release(w);
}

bool sn_worker_wait_until(snWorker *w, double until)
{
    struct timespec at = {(time_t)until, (long)(1e9 * (until - floor(until)))};
    return sn_worker_clock() < until && pthread_cond_timedwait(&w->changed, &w->lock, &at) == 0;
}
