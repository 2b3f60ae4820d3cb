/* Cases: lists of changes, and the names of their kinds. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/array.h"
#include "sinew/clinical.h"

#include <string.h>

struct snCase {
    snArena memory;
    const char *model;
    SN_ARRAY(snChange) change;
};

static const char *const kind_name[] = {"strength", "passive", "cost",     "cut",   "nerve",
                                        "fuse",     "load",    "transfer", "couple"};
enum { KINDS = sizeof kind_name / sizeof *kind_name };

const char *sn_change_name(snChangeKind kind)
{
    return (unsigned)kind < KINDS ? kind_name[kind] : NULL;
}

snCase *sn_case_create(const char *model)
{
    if (!model) return NULL;
    snCase *c = SN_NEW(snCase);
    if (!c) return NULL;
    c->model = sn_arena_strdup(&c->memory, model);
    if (c->model) return c;
    sn_case_destroy(c);
    return NULL;
}

void sn_case_destroy(snCase *c)
{
    if (!c) return;
    sn_arena_free(&c->memory);
    sn_array_free(&c->change);
    sn_free(c);
}

snStatus sn_case_add(snCase *c, const snChange *change)
{
    if (!c) return SN_BAD_ARGUMENT;
    snChange copy = *change;
    copy.name = sn_arena_strdup(&c->memory, change->name ? change->name : "");
    copy.to = sn_arena_strdup(&c->memory, change->to ? change->to : "");
    if (!copy.name || !copy.to || !sn_array_push(&c->change, copy)) return SN_NO_MEMORY;
    return SN_OK;
}

snCaseInfo sn_case_info(const snCase *c)
{
    if (!c) return (snCaseInfo){0};
    return (snCaseInfo){.model = c->model, .count = c->change.count, .change = c->change.at};
}
