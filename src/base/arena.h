/* Memory that is freed all at once: strings and arrays of a spec, buffers of a reader. */
#ifndef SN_BASE_ARENA_H
#define SN_BASE_ARENA_H

#include <stddef.h>

typedef struct snArena {
    struct snArenaChunk *chunk;
} snArena; /* zeroed memory is an empty arena */

/* Zeroed, aligned to 16; NULL when out of memory. */
void *sn_arena_alloc(snArena *arena, size_t count, size_t size);
void *sn_arena_copy(snArena *arena, const void *from, size_t count, size_t size);
char *sn_arena_strdup(snArena *arena, const char *text);
void sn_arena_free(snArena *arena);

#endif
