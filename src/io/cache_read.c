/* Reading PC2, see cache.c for the format, a frame at a time. The file says how much
 * follows: that much must be there. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/input.h"
#include "io/little.h"
#include "io/own/point_cache.h"
#include "sinew/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER = 32 };

struct snCacheReader {
    snInput in;
    char *path;
    snCacheDef def;
    int32_t next;
    unsigned char *bytes; /* of a frame */
};

static snStatus fail(snCacheReader *r, snError *error, const char *what)
{
    snStatus status = sn_input_status(&r->in, error);
    if (status != SN_OK) return status;
    sn_fail(error, SN_BAD_FILE, "%s", what);
    sn_error_place(error, r->path, 0, 0);
    return SN_BAD_FILE;
}

/* A file that is not compressed tells by its size whether all frames are there, before any memory is asked for. */
static bool long_enough(const snCacheReader *r, uint64_t npoint, uint64_t nframe)
{
    struct stat info;
    bool known = stat(r->path, &info) == 0 && S_ISREG(info.st_mode) && !sn_input_compressed(&r->in);
    return !known || npoint * (nframe ? nframe : 1) <= ((uint64_t)info.st_size - HEADER) / 12;
}

static snStatus read_header(snCacheReader *r, snError *error)
{
    char head[HEADER];
    if (sn_input_read(&r->in, head, HEADER) != HEADER || memcmp(head, "POINTCACHE2", 12) != 0)
        return fail(r, error, "not a PC2 point cache");
    uint32_t npoint = (uint32_t)sn_little_get(head + 16, 4), nframe = (uint32_t)sn_little_get(head + 28, 4);
    if (npoint > INT32_MAX / 12 || nframe > INT32_MAX || !long_enough(r, npoint, nframe)) {
        char what[120];
        snprintf(what, sizeof what, "the file ends too early for %u frames of %u points", nframe, npoint);
        return fail(r, error, what);
    }
    r->def.npoint = (int32_t)npoint, r->def.frames = (int32_t)nframe;
    r->def.start = sn_little_get_float(head + 20);
    r->bytes = sn_alloc(12 * (size_t)npoint + 1, 1);
    return r->bytes ? SN_OK : sn_fail_no_memory(error);
}

snStatus sn_cache_open(const char *path, snCacheReader **reader, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_cache_open without path");
    snCacheReader *r = SN_NEW(snCacheReader);
    if (!r) return sn_fail_no_memory(error);
    r->def = sn_default_cache_def();
    r->path = sn_strdup(path);
    snStatus status = r->path ? sn_input_open(&r->in, r->path, error) : sn_fail_no_memory(error);
    if (status == SN_OK) status = read_header(r, error);
    if (status == SN_OK)
        *reader = r;
    else
        sn_cache_close(r);
    return status;
}

const snCacheDef *sn_cache_def(const snCacheReader *r)
{
    return &r->def;
}

snStatus sn_cache_next(snCacheReader *r, float *point, snError *error)
{
    if (!r) return sn_fail_argument(error, "sn_cache_next without r");
    size_t n = 3 * (size_t)r->def.npoint;
    char what[120];
    if (r->next >= r->def.frames) return fail(r, error, "there are no more frames");
    if (sn_input_read(&r->in, r->bytes, 4 * n) != 4 * n) return fail(r, error, "the file ends too early");
    for (size_t i = 0; i < n; ++i) {
        point[i] = sn_little_get_float(r->bytes + 4 * i);
        if (isfinite(point[i])) continue;
        snprintf(what, sizeof what, "point %zu of frame %d is not finite", i / 3, (int)r->next);
        return fail(r, error, what);
    }
    ++r->next;
    return SN_OK;
}

void sn_cache_close(snCacheReader *r)
{
    if (!r) return;
    sn_input_close(&r->in);
    sn_free(r->path);
    sn_free(r->bytes);
    sn_free(r);
}
