/* Any bytes as a mapping of BVH joints, applied to a motion of two joints: an error or a valid result, never a crash,
 * never a leak. */
#include "io/bvh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    static const char motion[] = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation JOINT b\n"
                                 "{ OFFSET 0 1 0 CHANNELS 1 Xrotation } } MOTION Frames: 2 Frame Time: 0.1\n"
                                 "0 0 0 0\n50 60 170 -400\n";
    snBvhMap map;
    snBvhFile bvh;
    snPoses *poses = NULL;
    if (sn_parse_bvh_map("fuzz", (const char *)data, size, &map, &error) != SN_OK) return 0;
    if (sn_parse_bvh("motion", motion, sizeof motion - 1, &bvh, &error) == SN_OK) {
        snMotionSource note;
        sn_bvh_to_poses(&bvh, &map, "motion", &poses, &note, &error);
        sn_poses_destroy(poses);
        sn_bvh_free(&bvh);
    }
    sn_bvh_map_free(&map);
    return 0;
}
