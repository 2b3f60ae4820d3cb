/* Any bytes as key poses: an error or a valid result, never a crash, never a leak. */
#include "io/pose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snPoses *poses;
    if (sn_parse_poses("fuzz", (const char *)data, size, true, &poses, &error) != SN_OK) return 0;
    double value[64];
    if (sn_poses_columns(poses) <= 64) sn_poses_at(poses, 0.5, value, NULL, NULL);
    sn_poses_destroy(poses);
    return 0;
}
