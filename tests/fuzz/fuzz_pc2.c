/* Any bytes as a point cache: an error or frames of finite numbers, never a crash, never memory beyond what the file
 * has. */
#include "file_case.h"

#include "io/own/point_cache.h"
#include "sinew/io.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = file_of(data, size, "a.pc2");
    snCacheReader *reader = NULL;
    snError error;
    if (sn_cache_open(path, &reader, &error) == SN_OK) {
        size_t n = 3 * (size_t)sn_cache_def(reader)->npoint;
        float *point = malloc(n * sizeof *point + 1);
        for (int32_t f = 0; f < sn_cache_def(reader)->frames && f < 1000; ++f) {
            if (sn_cache_next(reader, point, &error) != SN_OK) break;
            for (size_t i = 0; i < n; ++i)
                if (!isfinite(point[i])) abort();
        }
        free(point);
    }
    sn_cache_close(reader);
    return 0;
}
