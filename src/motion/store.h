/* Frames of a track: memory as long as there are few, a file without a name when there are many, which the system takes
 * in and out of memory as it is read. */
#ifndef SN_MOTION_STORE_H
#define SN_MOTION_STORE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snStore {
    double *value;
    size_t count;  /* doubles that there is room for */
    int file;      /* of a large store; 0: memory */
} snStore;

/* Room for `wanted` doubles, of which the first `used` are kept; all zero is an empty store. On failure nothing changes. */
bool sn_store_grow(snStore *store, size_t used, size_t wanted);
void sn_store_free(snStore *store);

#endif
