/* See store.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "motion/store.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t LARGE = (size_t)3 << 20; /* doubles: 24 MB; three minutes of the bones of a hand */

static int open_nameless(void)
{
#ifdef O_TMPFILE
    const char *folder = getenv("TMPDIR");
    int file = folder && *folder ? open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
    return file >= 0 ? file : open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    return -1;
#endif
}

/* The file with room for so many doubles, as memory; NULL when it cannot be had. */
static double *map_file(int file, size_t count)
{
    if (count > SIZE_MAX / sizeof(double) / 2 || ftruncate(file, (off_t)(count * sizeof(double))) != 0) return NULL;
    void *at = mmap(NULL, count * sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at;
}

static bool grow_file(snStore *s, size_t wanted)
{
    double *value = map_file(s->file, wanted);
    if (!value) return false;
    munmap(s->value, s->count * sizeof(double)); /* what was written is in the file */
    s->value = value;
    s->count = wanted;
    return true;
}

static bool move_to_file(snStore *s, size_t used, size_t wanted)
{
    int file = open_nameless();
    if (file < 0) return false;
    double *value = map_file(file, wanted);
    if (!value) {
        close(file);
        return false;
    }
    if (used) memcpy(value, s->value, used * sizeof(double));
    sn_free(s->value);
    *s = (snStore){value, wanted, file};
    return true;
}

bool sn_store_grow(snStore *s, size_t used, size_t wanted)
{
    if (s->file > 0) return grow_file(s, wanted);
    if (wanted > LARGE && move_to_file(s, used, wanted)) return true;
    double *value = sn_realloc(s->value, used, wanted, sizeof *value);
    if (!value) return false;
    s->value = value;
    s->count = wanted;
    return true;
}

void sn_store_rest(snStore *s, size_t used)
{
    if (s->file > 0) (void)madvise(s->value, used * sizeof(double), MADV_DONTNEED); /* shared: nothing is lost */
}

void sn_store_free(snStore *s)
{
    if (s->file > 0) {
        munmap(s->value, s->count * sizeof(double));
        close(s->file);
    } else {
        sn_free(s->value);
    }
    *s = (snStore){0};
}
