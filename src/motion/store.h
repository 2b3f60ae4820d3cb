/* Frames of a track: memory as long as there are few, a file without a name when there are many, which the system takes
 * in and out of memory as it is read. */
#ifndef SN_MOTION_STORE_H
#define SN_MOTION_STORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snStore {
    double *value;
    size_t count; /* doubles that there is room for */
    int file;     /* of a large store; 0: memory */
} snStore;

/* Room for `wanted` doubles, of which the first `used` are kept; all zero is an empty store. On failure nothing
 * changes. */
bool sn_store_grow(snStore *store, size_t used, size_t wanted);
/* Lets go of the memory of what was written so far; it comes back from the file when it is read. */
void sn_store_rest(snStore *store, size_t used);
void sn_store_free(snStore *store);

struct snTrack;
/* The same for all frames of a track, by whoever has gone through it from end to end. */
void sn_track_rest(const struct snTrack *track);

#endif
