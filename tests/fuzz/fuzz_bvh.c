/* Any bytes as a BVH file: an error or a valid result, never a crash, never a leak. */
#include "io/bvh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snBvhFile bvh;
    if (sn_parse_bvh("fuzz", (const char *)data, size, &bvh, &error) != SN_OK) return 0;
    for (int32_t i = 0; i < bvh.joint.count; ++i) sn_bvh_local(&bvh, i, bvh.frames - 1);
    sn_bvh_free(&bvh);
    return 0;
}
