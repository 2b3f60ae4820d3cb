#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "base/where.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef __wasi__ /* linked into the program, which has no files around it */
static const char *library_path(void)
{
    return NULL;
}
#else
#include <dlfcn.h>

static const char *library_path(void)
{
    static const char here; /* an address inside the library */
    Dl_info library;
    return dladdr(&here, &library) ? library.dli_fname : NULL;
}
#endif

/* A path without its last part. */
static bool cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    return slash != NULL;
}

bool sn_where(int which, char *folder, size_t size)
{
    if (which == SN_WHERE_PROGRAM) {
        ssize_t n = size ? readlink("/proc/self/exe", folder, size - 1) : -1;
        if (n <= 0 || (size_t)n == size - 1) return false;
        folder[n] = '\0';
        return cut_name(folder);
    }
    const char *library = which == SN_WHERE_LIBRARY ? library_path() : NULL;
    if (!library) return false;
    int n = snprintf(folder, size, "%s", library);
    return n > 0 && (size_t)n < size && cut_name(folder);
}

bool sn_beside(int which, const char *relative, char *path, size_t size)
{
    if (!sn_where(which, path, size)) return false;
    size_t n = strlen(path);
    int more = snprintf(path + n, size - n, "/%s", relative);
    return more > 0 && (size_t)more < size - n && access(path, R_OK) == 0;
}

bool sn_build_tree(char *folder, size_t size)
{
    static const char *const mark[] = {"sinew-tree", "../sinew-tree"};
    for (int which = 0; which < SN_WHERE_COUNT; ++which)
        for (int i = 0; i < 2; ++i)
            if (sn_beside(which, mark[i], folder, size)) return cut_name(folder);
    return false;
}
