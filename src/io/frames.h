/* Frames from wherever they are: a track in memory or a journal on disk. Writers take them one at a time. */
#ifndef SN_IO_FRAMES_H
#define SN_IO_FRAMES_H

#include "sinew/io.h"

typedef struct snFrameSource {
    const snTrackDef *def;
    int32_t count;
    /* The arrays of the frame hold until the next call. */
    snStatus (*read)(void *from, int32_t index, snTrackFrame *frame, snError *error);
    void *from;
} snFrameSource;

snFrameSource sn_track_source(const snTrack *track);
/* As sn_save_track and sn_save_table. */
snStatus sn_write_track(const snFrameSource *source, const char *path, snError *error);
snStatus sn_write_table(const snFrameSource *source, const char *path, const char *which, snError *error);

#endif
