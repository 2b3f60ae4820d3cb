/* Any bytes as a compact replay, compressed or not: an error or a track that is written again. */
#include "file_case.h"

#include "sinew/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = file_of(data, size, "a.replay.bin");
    snTrack *track = NULL;
    snError error;
    if (sn_load_track(path, &track, &error) == SN_OK) {
        if (sn_track_frames(track) < 1) abort();
        (void)sn_save_track(track, "/dev/null", &error);
    }
    sn_track_destroy(track);
    return 0;
}
