/* Bytes as a file, for readers that take a path. The file lives in memory, stays open and is written over for each
 * input: making and removing it each time would take longer than reading it. */
#ifndef SN_TESTS_FUZZ_FILE_CASE_H
#define SN_TESTS_FUZZ_FILE_CASE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char file_path[200];

static inline void remove_file(void)
{
    (void)unlink(file_path);
}

static inline int open_file(const char *name)
{
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(file_path, sizeof file_path, "%s/sinew-fuzz-%ld-%s", folder, (long)getpid(), name);
    int file = open(file_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || atexit(remove_file) != 0) abort();
    return file;
}

/* Path of a file with these bytes. name: its end, which may decide how it is read; the same in every call. */
static inline const char *file_of(const uint8_t *data, size_t size, const char *name)
{
    static int file = -1;
    struct stat now;
    if (file < 0) file = open_file(name);
    if (size > 0 && pwrite(file, data, size, 0) != (ssize_t)size) abort();
    if (fstat(file, &now) != 0 || now.st_nlink != 1) abort(); /* nobody may take it away */
    if (now.st_size != (off_t)size && ftruncate(file, (off_t)size) != 0) abort();
    return file_path;
}

#endif
