/* Following a motion: checkpoints.
 *
 * One is taken at the top of a frame, before its errors and its activations are found. The run that continues does that
 * frame again, all but handing it over: so nothing within a step has to be kept, and the result is the same bit for
 * bit. What a motion is followed by (model, case, settings) is not in it: the caller sees that it is the same. */
#include "analysis/pursue.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"

#include <string.h>

static const char mark[8] = "SNPURSU3";

typedef struct Head {
    char mark[8];
    double h, begin, end;
    int32_t repetition, first, full;
    int32_t frames, steps, full_steps, repetitions;
    double unmet;
} Head;

static Head take_head(const snPursue *u, int32_t step)
{
    const snPursueReport *r = u->report;
    Head head;
    memset(&head, 0, sizeof head); /* its gaps too: they are written to disk */
    memcpy(head.mark, mark, sizeof mark);
    head.h = u->h, head.begin = u->begin, head.end = u->end;
    head.repetition = u->repetition, head.first = step, head.full = u->full;
    head.frames = r->frames, head.steps = r->steps, head.full_steps = r->full_steps, head.repetitions = r->repetitions;
    head.unmet = r->unmet;
    return head;
}

static void give_head(snPursue *u, const Head *head)
{
    snPursueReport *r = u->report;
    u->repetition = head->repetition, u->first = head->first, u->full = head->full != 0;
    r->frames = head->frames, r->steps = head->steps, r->full_steps = head->full_steps;
    r->repetitions = head->repetitions, r->unmet = head->unmet;
}

typedef enum Way { MEASURE, KEEP, GIVE } Way;

static size_t pass(Way way, char *bytes, size_t at, void *data, size_t size)
{
    if (size > 0 && way == KEEP) memcpy(bytes + at, data, size);
    if (size > 0 && way == GIVE) memcpy(data, bytes + at, size);
    return at + size;
}

/* All arrays that a later frame depends on, one after the other behind the head. Gives the size in all. */
static size_t pass_arrays(snPursue *u, Way way, char *bytes)
{
    const size_t nq = (size_t)u->p->nq, nu = (size_t)u->p->nu, np = (size_t)u->p->np, d = sizeof(double);
    size_t at = sizeof(Head);
    at = pass(way, bytes, at, u->sim->q, d * nq);
    at = pass(way, bytes, at, u->sim->v, d * nq);
    at = pass(way, bytes, at, u->p->activation, d * nu);
    at = pass(way, bytes, at, u->p->price, d * (nq + (size_t)u->p->s->ncouple));
    at = pass(way, bytes, at, u->p->strength, d * np);
    at = pass(way, bytes, at, u->report->rms, d * nq);
    at = pass(way, bytes, at, u->fatigue, sizeof *u->fatigue * nu);
    for (int i = 0; i < 3; ++i) at = pass(way, bytes, at, u->own[i].at, d * u->own[i].count);
    at = pass(way, bytes, at, u->compared, sizeof *u->compared * nq);
    return pass(way, bytes, at, u->report->clamped, sizeof *u->report->clamped * nq);
}

size_t sn_pursue_keep(snPursue *u, void *bytes)
{
    return pass_arrays(u, bytes ? KEEP : MEASURE, bytes);
}

void sn_pursue_give(snPursue *u, void *bytes)
{
    (void)pass_arrays(u, GIVE, bytes);
}

/* Head, arrays, trust, seal. */
static size_t full_size(const snPursue *u)
{
    return pass_arrays((snPursue *)u, MEASURE, NULL) + sn_trust_save(&u->trust, NULL) + SN_SEAL; /* only read */
}

void sn_pursue_mark(snPursue *u, int32_t step)
{
    if (!u->checkpoint) return;
    Head head = take_head(u, step);
    memcpy(u->checkpoint, &head, sizeof head);
    (void)sn_trust_save(&u->trust, u->checkpoint + pass_arrays(u, KEEP, u->checkpoint));
    sn_seal(u->checkpoint, full_size(u));
}

size_t sn_pursue_save(const snPursue *u, void *bytes)
{
    if (!u || !u->checkpoint) return 0;
    size_t size = full_size(u);
    if (bytes) memcpy(bytes, u->checkpoint, size);
    return size;
}

snStatus sn_pursue_begin(snPursue *u, snError *error)
{
    const snPursueDef *def = u->def;
    size_t size = full_size(u);
    Head head;
    if (def->frame && !(u->checkpoint = sn_alloc(1, size))) return sn_fail_no_memory(error);
    if (!def->checkpoint) return SN_OK;
    bool fits = size == def->checkpoint_size && sn_is_sealed(def->checkpoint, size);
    if (fits) memcpy(&head, def->checkpoint, sizeof head);
    fits = fits && memcmp(head.mark, mark, sizeof mark) == 0 && head.h == u->h && head.begin == u->begin &&
           head.end == u->end && head.first >= 0 && head.repetition >= 0;
    if (!fits)
        return sn_fail(error, SN_BAD_INPUT, "the checkpoint is damaged, or belongs to another model, motion or step");
    give_head(u, &head);
    sn_trust_load(&u->trust,
                  (const char *)def->checkpoint + pass_arrays(u, GIVE, (char *)def->checkpoint)); /* only read */
    u->again = true;
    u->report->resumed = head.frames + 1;
    return SN_OK;
}
