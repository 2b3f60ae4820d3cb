/* A growable array of plain items: SN_ARRAY(type) declares one, zeroed memory is an empty one. */
#ifndef SN_BASE_ARRAY_H
#define SN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_ARRAY(type)                                                                                                 \
    struct {                                                                                                           \
        type *at;                                                                                                      \
        int32_t count, capacity;                                                                                       \
    }

bool sn_array_grow_(void **at, int32_t *capacity, int32_t needed, size_t item_size);

/* Room for `more` further items; false when out of memory (or past 2^31 items). New room is zeroed. */
#define sn_array_reserve(a, more)                                                                                      \
    ((more) <= INT32_MAX - (a)->count &&                                                                               \
     sn_array_grow_((void **)(void *)&(a)->at, &(a)->capacity, (a)->count + (int32_t)(more), sizeof *(a)->at))
/* Appends a value; false when out of memory. */
#define sn_array_push(a, value) (sn_array_reserve(a, 1) && ((a)->at[(a)->count++] = (value), true))
#define sn_array_free(a) (sn_free((a)->at), (a)->at = NULL, (a)->count = (a)->capacity = 0)

#endif
