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

/* What the next step reads of the last one. */
static void pass_state(const snModel *m, snState *s, Stream *t)
{
    size_t nb = (size_t)m->nbody, np = (size_t)m->npoint, nc = (size_t)m->nconstraint;
    pass(t, &s->time, sizeof s->time);
    pass(t, &s->info.steps, sizeof s->info.steps);
    pass(t, s->body, nb * sizeof *s->body);
    pass(t, s->velocity, 6 * nb * sizeof(double));
    pass(t, s->body_target, nb * sizeof *s->body_target);
    pass(t, s->driven, nb);
    pass(t, s->force, 3 * nb * sizeof(double));
    pass(t, s->torque, 3 * nb * sizeof(double));
    pass(t, s->point, 3 * np * sizeof(double));
    pass(t, s->pointdot, 3 * np * sizeof(double));
    pass(t, s->s, nc * sizeof(double));
    pass(t, s->span, nc * sizeof(int32_t));
    pass(t, s->other_span, nc * sizeof(int32_t));
    pass(t, s->hint, nc * sizeof *s->hint);
    pass(t, s->eyelet_force, 3 * nc * sizeof(double));
    pass(t, s->own_gap, (size_t)m->pattern.nown * sizeof(double));
    pass(t, s->link_gap, (size_t)m->pattern.nlink * sizeof(double));
    pass(t, s->joint_gap, (size_t)m->pattern.njoint * sizeof(double));
    pass(t, s->value->own_on, (size_t)m->pattern.nown);
    pass(t, s->value->joint_on, (size_t)m->pattern.njoint);
    pass(t, s->activation, (size_t)m->nmuscle * sizeof(double));
    pass(t, s->strength, (size_t)m->nmuscle * sizeof(double));
    pass(t, s->stiff_activation, (size_t)m->nstrand * sizeof(double));
    pass(t, s->solution, (size_t)s->size * sizeof(double));
}

static uint64_t fingerprint(const snModel *m, const snState *s)
{
    int32_t count[] = {m->nbody,   m->njoint,      m->nstrand, m->npoint,
                       m->nmuscle, m->nconstraint, s->size,    1 /* version */};
    uint64_t h = sn_hash_bytes(0, count, sizeof count);
    h = sn_hash_bytes(h, m->rest_point, (size_t)m->npoint * 3 * sizeof(double));
    h = sn_hash_bytes(h, m->body_mass, (size_t)m->nbody * sizeof(double));
    return sn_hash_bytes(h, &s->h, sizeof s->h);
}

size_t sn_state_save(const snModel *m, const snState *s, void *bytes)
{
    Stream t = {.bytes = bytes, .room = SIZE_MAX, .writing = true};
    uint64_t print = fingerprint(m, s);
    pass(&t, &print, sizeof print);
    pass_state(m, (snState *)s, &t); /* only read */
    uint64_t sum = bytes ? sn_hash_bytes(0, bytes, t.at) : 0;
    pass(&t, &sum, sizeof sum);
    return t.at;
}

snStatus sn_state_load(const snModel *m, snState *s, const void *bytes, size_t size)
{
    uint64_t print, sum;
    if (size != sn_state_save(m, s, NULL)) return SN_BAD_INPUT;
    memcpy(&print, bytes, sizeof print);
    memcpy(&sum, (const unsigned char *)bytes + size - sizeof sum, sizeof sum);
    if (print != fingerprint(m, s) || sum != sn_hash_bytes(0, bytes, size - sizeof sum)) return SN_BAD_INPUT;
    Stream t = {.bytes = (unsigned char *)bytes, .at = sizeof print, .room = size};
    pass_state(m, s, &t);
    sn_measure(m, s);
    return SN_OK;
}
