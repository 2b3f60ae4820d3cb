/* Any bytes as a slice image: an error or finite grey values, never a crash, never memory beyond what the file can
 * hold. */
#include "base/alloc.h"
#include "io/stack_read.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snPicture picture = {0};
    snError error;
    if (sn_parse_png("fuzz", (const char *)data, size, &picture, &error) == SN_OK) {
        for (size_t i = 0; i < (size_t)picture.columns * (size_t)picture.rows; ++i)
            if (!isfinite(picture.value[i])) abort();
        sn_free(picture.value);
    }
    if (sn_alloc_live() != 0) abort();
    return 0;
}
