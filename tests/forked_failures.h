/* A long piece of work whose allocations fail one by one, without doing the work again for each: at an allocation the
 * process forks, and in the copy that allocation and all later ones fail. The copy unwinds, is judged and ends; the
 * process itself goes on. For work of one thread.
 *
 *     forks_begin();
 *     snStatus status = work(&result);
 *     if (forks_end()) forks_judge(status == SN_NO_MEMORY && !result && sn_alloc_live() == live);
 */
#ifndef SN_TESTS_FORKED_FAILURES_H
#define SN_TESTS_FORKED_FAILURES_H

#include "base/alloc.h"
#include "base/alloc_ask.h"
#include "check.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Forks {
    int made, bad; /* copies, and those that were judged bad or died */
    bool copy;
} Forks;
static Forks forks;

static inline bool fork_here(void)
{
    if (forks.copy) return true;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) return forks.copy = true;
    int status = 1;
    ++forks.made;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) ++forks.bad;
    return false;
}

static inline void forks_begin(void)
{
    forks = (Forks){0};
    sn_alloc_ask(fork_here);
}

/* Whether this is a copy. */
static inline bool forks_end(void)
{
    sn_alloc_ask(NULL);
    return forks.copy;
}

static inline void forks_judge(bool fine)
{
    _exit(fine ? 0 : 1);
}

#endif
