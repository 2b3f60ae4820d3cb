/* See posix.h. */
#include "posix.h"

#include <errno.h>
#include <stddef.h>

char *realpath(const char *path, char *resolved)
{
    (void)path, (void)resolved;
    errno = ENOTSUP;
    return NULL;
}

int dup(int descriptor)
{
    (void)descriptor;
    errno = ENOTSUP;
    return -1;
}
