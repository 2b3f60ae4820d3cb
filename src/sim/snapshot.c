/* A state as bytes: everything that the next step depends on, so that stepping goes on bit for bit.
 *
 * The bytes begin with a hash of the model they belong to and end with one of themselves. They are those of this
 * machine and this version: for going on after an interruption, not for keeping. */
#include "base/hash.h"
#include "sim/state.h"

#include <string.h>

typedef struct Stream {
    unsigned char *bytes; /* NULL: only count */
    size_t at, room;
    bool writing;
} Stream;

/* Copies an item to or from the stream. */
static void pass(Stream *t, void *item, size_t size)
{
    if (t->bytes && t->at + size <= t->room && size > 0) {
        if (t->writing)
            memcpy(t->bytes + t->at, item, size);
        else
            memcpy(item, t->bytes + t->at, size);
    }
    t->at += size;
}

/* Times and count of steps, then every array that is kept. */
static void pass_state(snState *s, Stream *t)
{
    pass(t, &s->time, sizeof s->time);
    pass(t, &s->points_late, sizeof s->points_late);
    pass(t, &s->info.steps, sizeof s->info.steps);
    pass(t, &s->piece, sizeof s->piece);
    for (int32_t i = 0; i < SN_ARRAY_COUNT; ++i)
        if (sn_state_array[i].flags & SN_KEPT) pass(t, sn_state_data(s, i), sn_state_data_bytes(s, i));
}

static uint64_t fingerprint(const snModel *m, const snState *s)
{
    int32_t count[] = {m->nbody,   m->njoint,      m->nstrand, m->npoint,
                       m->nmuscle, m->nconstraint, s->size,    5 /* version */};
    uint64_t h = sn_checksum(0, count, sizeof count);
    h = sn_checksum(h, m->rest_point, (size_t)m->npoint * 3 * sizeof(double));
    h = sn_checksum(h, m->body_mass, (size_t)m->nbody * sizeof(double));
    return sn_checksum(h, &s->h, sizeof s->h);
}

size_t sn_state_save(const snModel *m, const snState *s, void *bytes)
{
    if (!sn_fits(m, s)) return 0;
    Stream t = {.bytes = bytes, .room = SIZE_MAX, .writing = true};
    uint64_t print = bytes ? fingerprint(m, s) : 0;
    pass(&t, &print, sizeof print);
    pass_state((snState *)s, &t); /* only read */
    uint64_t sum = bytes ? sn_checksum(0, bytes, t.at) : 0;
    pass(&t, &sum, sizeof sum);
    return t.at;
}

void sn_state_keep(snState *s, void *bytes)
{
    Stream t = {.bytes = bytes, .room = SIZE_MAX, .writing = true};
    pass_state(s, &t);
}

void sn_state_put_back(snState *s, const void *bytes)
{
    Stream t = {.bytes = (unsigned char *)bytes, .room = SIZE_MAX}; /* only read */
    pass_state(s, &t);
    s->cords_placed = false;
}

void sn_state_restore(const snModel *m, snState *s, const void *bytes)
{
    Stream t = {.bytes = (unsigned char *)bytes, .at = sizeof(uint64_t), .room = SIZE_MAX};
    pass_state(s, &t);
    s->cords_placed = false;
    sn_measure(m, s);
}

snStatus sn_state_load(const snModel *m, snState *s, const void *bytes, size_t size)
{
    if (!sn_fits(m, s) || !bytes) return SN_BAD_ARGUMENT;
    uint64_t print, sum;
    if (size != sn_state_save(m, s, NULL)) return SN_BAD_INPUT;
    memcpy(&print, bytes, sizeof print);
    memcpy(&sum, (const unsigned char *)bytes + size - sizeof sum, sizeof sum);
    if (print != fingerprint(m, s) || sum != sn_checksum(0, bytes, size - sizeof sum)) return SN_BAD_INPUT;
    sn_state_restore(m, s, bytes);
    return SN_OK;
}
