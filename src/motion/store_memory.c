/* See store.h: the store where there are no files to map (WebAssembly). All frames stay in memory. */
#include "motion/store.h"

#include "base/alloc.h"

bool sn_store_grow(snStore *s, size_t used, size_t wanted)
{
    double *value = sn_realloc(s->value, used, wanted, sizeof *value);
    if (!value) return false;
    s->value = value;
    s->count = wanted;
    return true;
}

void sn_store_rest(snStore *s, size_t used)
{
    (void)s, (void)used;
}

void sn_store_free(snStore *s)
{
    sn_free(s->value);
    *s = (snStore){0};
}
