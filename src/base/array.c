#include "base/array.h"

#include "base/alloc.h"

bool sn_array_grow_(void **at, int32_t *capacity, int32_t needed, size_t item_size)
{
    if (needed <= *capacity) return true;
    int64_t wanted = *capacity < 8 ? 8 : (int64_t)*capacity * 2;
    if (wanted < needed) wanted = needed;
    if (wanted > INT32_MAX) wanted = INT32_MAX;
    void *bigger = sn_realloc(*at, (size_t)*capacity, (size_t)wanted, item_size);
    if (!bigger) return false;
    *at = bigger;
    *capacity = (int32_t)wanted;
    return true;
}
