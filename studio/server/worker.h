/* A thread that works until it is told to stop, with the lock and the signal by which others reach it.
 *
 * Zeroed memory is a worker that was not started; ending it does nothing. */
#ifndef SN_STUDIO_WORKER_H
#define SN_STUDIO_WORKER_H

#include <pthread.h>
#include <stdbool.h>

typedef struct snWorker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something under the lock is new */
    bool started;
    bool stop; /* under the lock: the thread is to return */
} snWorker;

bool sn_worker_start(snWorker *worker, void *(*run)(void *user), void *user);
/* Sets stop and waits for the thread. */
void sn_worker_end(snWorker *worker);
/* Waits for a signal or a time of sn_worker_clock, whichever is first; false: it was the
 * time. Called under the lock. */
bool sn_worker_wait_until(snWorker *worker, double until);

/* Seconds that never jump. */
double sn_worker_clock(void);

#endif
