/* TMPDIR as an empty folder that is watched: what appears in it, and whether it is gone again. */
#ifndef SN_TESTS_WATCHED_H
#define SN_TESTS_WATCHED_H

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

typedef struct Watched {
    char place[40];
    int watch;
} Watched;

static inline void watch_begin(Watched *w)
{
    strcpy(w->place, "/tmp/test-watched-XXXXXX");
    assert_non_null(mkdtemp(w->place));
    w->watch = inotify_init1(IN_NONBLOCK);
    assert_true(w->watch >= 0 && inotify_add_watch(w->watch, w->place, IN_CREATE | IN_DELETE) >= 0);
    assert_int_equal(setenv("TMPDIR", w->place, 1), 0);
}

/* How many folders of the studio appeared. Fails if one of them, or anything else, is still there. */
static inline int watch_end(Watched *w)
{
    char events[4096];
    int made = 0, removed = 0;
    assert_int_equal(unsetenv("TMPDIR"), 0);
    ssize_t size = read(w->watch, events, sizeof events);
    for (ssize_t at = 0; at < size;) {
        struct inotify_event event;
        memcpy(&event, events + at, sizeof event);
        bool ours = strncmp(events + at + sizeof event, "sinew-studio-", 13) == 0 && (event.mask & IN_ISDIR);
        made += ours && (event.mask & IN_CREATE), removed += ours && (event.mask & IN_DELETE);
        at += (ssize_t)(sizeof event + event.len);
    }
    close(w->watch);
    assert_int_equal(rmdir(w->place), 0); /* empty */
    assert_int_equal(made, removed);
    return made;
}

#endif
