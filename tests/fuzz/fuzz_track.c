/* Any bytes as a control or replay file: an error or a valid result, never a crash, never a leak. */
#include "io/track_xml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    snError error;
    snTrack *track;
    if (sn_parse_track("fuzz", (const char *)data, size, &track, &error) != SN_OK) return 0;
    double pose[7], velocity[6];
    for (int32_t i = 0; i < sn_track_def(track)->nbody; ++i)
        sn_track_pose_at(track, i, sn_track_time(track, sn_track_frames(track) / 2), pose, velocity);
    sn_track_destroy(track);
    return 0;
}
