/* Results that depend on a model alone, kept in the user's cache folder for the next run.
 *
 * Invariants:
 * 1. A file is written beside its name and renamed; one that is not whole, or was made by another build or on another
 *    machine, is as good as none.
 * 2. Nothing here is an error: without a folder, or with a full disk, work is simply done again.
 * 3. There are never more than MOST files; the ones used longest ago go first. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "base/alloc.h"
#include "base/hash.h"
#include "io/file.h"
#include "io/own/kept.h"
#include "sinew/io.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, MOST = 64 };
static const char mark[8] = "SNCACHE2";
static const size_t LIMIT = (size_t)1 << 28; /* bytes */

typedef struct Head {
    char mark[8];
    uint64_t key, size, hash; /* hash: checksum of the bytes behind the head */
} Head;

static const char here; /* an address inside the library */

/* The machine and the program or library that this code is in: another build may compute something else. */
static uint64_t build_hash(void)
{
    struct utsname machine;
    struct stat info;
    Dl_info library;
    uint64_t h = sn_hash_bytes(0, sn_version(), strlen(sn_version()));
    if (uname(&machine) == 0) {
        h = sn_hash_bytes(h, machine.nodename, strlen(machine.nodename));
        h = sn_hash_bytes(h, machine.machine, strlen(machine.machine));
    }
    if (dladdr(&here, &library) && library.dli_fname &&
        (stat(library.dli_fname, &info) == 0 || stat("/proc/self/exe", &info) == 0)) {
        int64_t build[] = {(int64_t)info.st_size, (int64_t)info.st_mtim.tv_sec, (int64_t)info.st_mtim.tv_nsec};
        h = sn_hash_bytes(h, build, sizeof build);
    }
    return h;
}

static bool find_folder(char *folder, bool make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char parent[PATH_SIZE - 16];
    int n = cache && cache[0] == '/' ? snprintf(parent, sizeof parent, "%s", cache)
                                     : snprintf(parent, sizeof parent, "%s/.cache", home ? home : "");
    if (n <= 1 || n >= (int)sizeof parent || parent[0] != '/' || (!cache && !(home && *home))) return false;
    (void)snprintf(folder, PATH_SIZE, "%s/sinew", parent);
    if (make) (void)mkdir(parent, 0700), (void)mkdir(folder, 0700);
    return access(folder, make ? W_OK : R_OK) == 0;
}

static uint64_t full_key(const char *kind, uint64_t key)
{
    uint64_t h = sn_hash_bytes(build_hash(), kind, strlen(kind));
    return sn_hash_bytes(h, &key, sizeof key);
}

static bool file_of(const char *kind, uint64_t key, bool make, char *path, size_t size)
{
    char folder[PATH_SIZE];
    if (!find_folder(folder, make)) return false;
    int n = snprintf(path, size, "%s/%s-%016llx.bin", folder, kind, (unsigned long long)key);
    return n > 0 && (size_t)n < size;
}

void *sn_kept_read(const char *kind, uint64_t key, size_t *size)
{
    if (!kind || !size) return NULL;
    char path[PATH_SIZE + 64], *bytes = NULL;
    size_t length = 0;
    Head head;
    *size = 0;
    key = full_key(kind, key);
    if (!file_of(kind, key, false, path, sizeof path)) return NULL;
    if (sn_file_read_reference(path, LIMIT, &bytes, &length, NULL) != SN_OK) return NULL;
    bool whole = length >= sizeof head;
    if (whole) memcpy(&head, bytes, sizeof head);
    whole = whole && memcmp(head.mark, mark, sizeof mark) == 0 && head.key == key &&
            head.size == length - sizeof head && head.hash == sn_checksum(0, bytes + sizeof head, length - sizeof head);
    if (!whole) {
        sn_free(bytes);
        return NULL;
    }
    memmove(bytes, bytes + sizeof head, (size_t)head.size);
    *size = (size_t)head.size;
    return bytes;
}

/* Removes the files used longest ago where there are too many. */
static void make_room(void)
{
    char folder[PATH_SIZE], oldest[PATH_SIZE + 300];
    for (int round = 0; round < 8 && find_folder(folder, true); ++round) {
        DIR *directory = opendir(folder);
        int count = 0;
        time_t least = 0;
        for (struct dirent *entry; directory && (entry = readdir(directory));) {
            char path[PATH_SIZE + 300];
            struct stat info;
            size_t n = strlen(entry->d_name);
            if (n < 4 || strcmp(entry->d_name + n - 4, ".bin") != 0) continue;
            (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            if (lstat(path, &info) != 0 || !S_ISREG(info.st_mode)) continue;
            if (!count++ || info.st_mtime < least) least = info.st_mtime, memcpy(oldest, path, sizeof oldest);
        }
        if (directory) closedir(directory);
        if (count < MOST) return;
        (void)unlink(oldest);
    }
}

void sn_kept_write(const char *kind, uint64_t key, const void *bytes, size_t size)
{
    if (!kind) return;
    char path[PATH_SIZE + 64];
    snWriter w;
    key = full_key(kind, key);
    Head head = {.key = key, .size = size, .hash = sn_checksum(0, bytes, size)};
    memcpy(head.mark, mark, sizeof mark);
    if (size > LIMIT - sizeof head || !file_of(kind, key, true, path, sizeof path)) return;
    make_room();
    struct stat info;
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode)) return; /* a pipe would keep the writer waiting */
    if (sn_writer_open(&w, path, NULL) != SN_OK) return;
    w.quick = true;
    sn_writer_bytes(&w, &head, sizeof head);
    sn_writer_bytes(&w, bytes, size);
    (void)sn_writer_commit(&w, NULL);
}
