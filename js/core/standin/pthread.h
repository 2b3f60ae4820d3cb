/* Locks where there is one thread (WebAssembly): nothing to wait for, nobody to keep out. */
#ifndef SN_STANDIN_PTHREAD_H
#define SN_STANDIN_PTHREAD_H

typedef int pthread_t;
typedef int pthread_mutex_t;
typedef int pthread_cond_t;

static inline int pthread_mutex_lock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    (void)changed, (void)lock;
    return 0;
}

static inline int pthread_cond_signal(pthread_cond_t *changed)
{
    (void)changed;
    return 0;
}

#endif
