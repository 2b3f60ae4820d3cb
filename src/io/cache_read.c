/* Reading PC2, see cache.c for the format. The file says how much follows: that much must be there. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/little.h"
#include "sinew/io.h"

#include <math.h>
#include <string.h>

enum { HEADER = 32 };

static const size_t LARGEST = (size_t)1 << 33; /* bytes: ten minutes of 50,000 vertices */

static snStatus read_points(const char *bytes, size_t count, snPointCache *cache, snError *error)
{
    cache->point = SN_NEW_ARRAY(float, count + 1);
    if (!cache->point) return sn_fail_no_memory(error);
    for (size_t i = 0; i < count; ++i) {
        cache->point[i] = sn_little_get_float(bytes + 4 * i);
        if (isfinite(cache->point[i])) continue;
        size_t row = 3 * (size_t)cache->npoint;
        return sn_fail(error, SN_BAD_FILE, "point %zu of frame %zu is not finite", i % row / 3, i / row);
    }
    return SN_OK;
}

static snStatus read_cache(const char *bytes, size_t size, snPointCache *cache, snError *error)
{
    if (size < HEADER || memcmp(bytes, "POINTCACHE2", 12) != 0)
        return sn_fail(error, SN_BAD_FILE, "not a PC2 point cache");
    uint32_t npoint = (uint32_t)sn_little_get(bytes + 16, 4), nframe = (uint32_t)sn_little_get(bytes + 28, 4);
    uint64_t room = (size - HEADER) / 12;
    if (npoint > INT32_MAX || nframe > INT32_MAX || (uint64_t)npoint * nframe > room)
        return sn_fail(error, SN_BAD_FILE, "the file ends too early for %u frames of %u points", nframe, npoint);
    cache->npoint = (int32_t)npoint, cache->nframe = (int32_t)nframe;
    cache->start = sn_little_get_float(bytes + 20);
    return read_points(bytes + HEADER, 3 * (size_t)npoint * nframe, cache, error);
}

snStatus sn_load_point_cache(const char *path, snPointCache *cache, snError *error)
{
    snPointCache read = {0};
    char *bytes = NULL;
    size_t size = 0;
    snStatus status = sn_file_read(path, LARGEST, &bytes, &size, error);
    if (status == SN_OK) {
        status = read_cache(bytes, size, &read, error);
        if (status != SN_OK) sn_error_place(error, path, 0, 0);
    }
    sn_free(bytes);
    if (status == SN_OK)
        *cache = read;
    else
        sn_point_cache_free(&read);
    return status;
}

void sn_point_cache_free(snPointCache *cache)
{
    sn_free(cache->point);
    *cache = (snPointCache){0};
}
