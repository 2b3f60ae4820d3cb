/* See journal.h. */
#include "io/journal.h"

#include <string.h>

/* Copies to *at, if there is one, and counts. */
static size_t put(char **at, const void *data, size_t size)
{
    if (*at && size) memcpy(*at, data, size);
    if (*at) *at += size;
    return size;
}

static size_t put_names(char **at, int32_t count, const char *const *name)
{
    size_t size = 0;
    for (int32_t i = 0; i < count; ++i) size += put(at, name[i], strlen(name[i]) + 1);
    return size;
}

static size_t write_columns(char *at, const snTrackDef *def)
{
    int32_t count[] = {def->nbody, def->nstrand, def->nscalar};
    const char *model = def->model ? def->model : "";
    size_t size = put(&at, count, sizeof count);
    size += put(&at, def->strand_npoint, (size_t)def->nstrand * sizeof(int32_t));
    size += put_names(&at, 1, &model);
    size += put_names(&at, def->nbody, def->body_name);
    size += put_names(&at, def->nstrand, def->strand_name);
    return size + put_names(&at, def->nscalar, def->scalar_name);
}

size_t sn_columns_size(const snTrackDef *def)
{
    return write_columns(NULL, def);
}

void sn_columns_put(char *to, const snTrackDef *def)
{
    (void)write_columns(to, def);
}

/* The next name of the block, NULL where it ends. */
static const char *next_name(const char **at, const char *end)
{
    const char *name = *at, *zero = name < end ? memchr(name, 0, (size_t)(end - name)) : NULL;
    if (zero) *at = zero + 1;
    return zero ? name : NULL;
}

static bool get_names(snArena *arena, const char **at, const char *end, int32_t count, const char *const **names)
{
    const char **list = sn_arena_alloc(arena, (size_t)count + 1, sizeof *list);
    for (int32_t i = 0; list && i < count; ++i)
        if (!(list[i] = next_name(at, end))) return false;
    *names = list;
    return list != NULL;
}

bool sn_columns_get(snArena *arena, const char *block, size_t size, snTrackDef *d, size_t *npoint)
{
    int32_t count[3];
    const char *at = block + sizeof count, *end = block + size;
    if (size < sizeof count) return false;
    memcpy(count, block, sizeof count);
    *d = sn_default_track_def();
    for (int i = 0; i < 3; ++i)
        if (count[i] < 0 || (size_t)count[i] > size) return false;
    size_t points = (size_t)count[1] * sizeof(int32_t);
    int32_t *of_strand = sn_arena_alloc(arena, (size_t)count[1] + 1, sizeof *of_strand);
    if (!of_strand || points > (size_t)(end - at)) return false;
    memcpy(of_strand, at, points);
    at += points;
    d->nbody = count[0], d->nstrand = count[1], d->nscalar = count[2], d->strand_npoint = of_strand;
    d->model = next_name(&at, end);
    for (int32_t i = 0; i < d->nstrand; ++i) {
        if (of_strand[i] < 1 || of_strand[i] > 100000000) return false;
        *npoint += (size_t)of_strand[i];
    }
    return d->model && get_names(arena, &at, end, d->nbody, &d->body_name) &&
           get_names(arena, &at, end, d->nstrand, &d->strand_name) &&
           get_names(arena, &at, end, d->nscalar, &d->scalar_name);
}
