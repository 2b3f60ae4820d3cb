/* Bytes as a file, for readers that take a path. The file lives in memory and is written over for each input. */
#ifndef SN_TESTS_FUZZ_FILE_CASE_H
#define SN_TESTS_FUZZ_FILE_CASE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Path of a file with these bytes. name: its end, which may decide how it is read. */
static inline const char *file_of(const uint8_t *data, size_t size, const char *name)
{
    static char path[200];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/sinew-fuzz-%ld-%s", folder, (long)getpid(), name);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) abort();
    if (size > 0 && write(file, data, size) != (ssize_t)size) abort();
    close(file);
    return path;
}

#endif
