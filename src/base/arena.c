#include "base/arena.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

enum { CHUNK = 1 << 16, ALIGN = 16 };

struct snArenaChunk {
    struct snArenaChunk *next;
    size_t used, size;
    char pad[8]; /* keeps bytes aligned to 16 behind a 64-aligned block */
    char bytes[];
};

void *sn_arena_alloc(snArena *arena, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) return NULL;
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    struct snArenaChunk *c = arena->chunk;
    if (!c || c->size - c->used < bytes) {
        size_t room = bytes > CHUNK ? bytes : CHUNK;
        c = sn_alloc(1, sizeof *c + room);
        if (!c) return NULL;
        c->size = room;
        c->next = arena->chunk;
        arena->chunk = c;
    }
    void *block = c->bytes + c->used;
    c->used += bytes;
    return block;
}

void *sn_arena_copy(snArena *arena, const void *from, size_t count, size_t size)
{
    void *copy = sn_arena_alloc(arena, count, size);
    if (copy && count) memcpy(copy, from, count * size);
    return copy;
}

char *sn_arena_strdup(snArena *arena, const char *text)
{
    return sn_arena_copy(arena, text, strlen(text) + 1, 1);
}

void sn_arena_free(snArena *arena)
{
    for (struct snArenaChunk *c = arena->chunk; c;) {
        struct snArenaChunk *next = c->next;
        sn_free(c);
        c = next;
    }
    arena->chunk = NULL;
}
