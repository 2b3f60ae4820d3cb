/* Any bytes as a glTF file: an error or a skeleton whose turns are all rotations, never a crash, never a leak. */
#include "io/gltf_read.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snBvhFile skeleton;
    if (sn_parse_gltf("fuzz", (const char *)data, size, true, NULL, &skeleton, &error) != SN_OK) return 0;
    for (int32_t i = 0; i < skeleton.joint.count; ++i) {
        quat q = sn_bvh_local(&skeleton, i, skeleton.frames - 1).q;
        if (!(fabs(q_dot(q, q) - 1) < 1e-6)) abort();
    }
    sn_bvh_free(&skeleton);
    return 0;
}
