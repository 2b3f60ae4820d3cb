#include "base/alloc.h"
#include "base/alloc_ask.h"

#include "sinew/base.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64 };

static atomic_llong total_count, live_count, live_bytes;
static atomic_llong fail_after = -1;
static bool (*_Atomic ask)(void);

/* The size of a block is kept in the 64 bytes before it. */
static size_t *size_of(void *block)
{
    return (size_t *)(void *)((char *)block - ALIGN);
}

static int may_allocate(void)
{
    bool (*fails)(void) = atomic_load(&ask);
    if (fails && fails()) return 0;
    long long left = atomic_load(&fail_after);
    if (left < 0) return 1;
    if (left == 0) return 0;
    atomic_fetch_sub(&fail_after, 1);
    return 1;
}

void *sn_alloc(size_t count, size_t size)
{
    if (size && count > (SIZE_MAX / 4) / size) return NULL;
    if (!may_allocate()) return NULL;
    size_t bytes = count * size;
    size_t padded = (bytes + 2 * ALIGN - 1) / ALIGN * ALIGN + ALIGN;
    char *base = aligned_alloc(ALIGN, padded);
    if (!base) return NULL;
    void *block = base + ALIGN;
    memset(block, 0, bytes);
    *size_of(block) = bytes;
    atomic_fetch_add(&total_count, 1);
    atomic_fetch_add(&live_count, 1);
    atomic_fetch_add(&live_bytes, (long long)bytes);
    return block;
}

void *sn_realloc(void *block, size_t old_count, size_t new_count, size_t size)
{
    void *bigger = sn_alloc(new_count, size);
    if (!bigger) return NULL;
    size_t keep = old_count < new_count ? old_count : new_count;
    if (block && keep) memcpy(bigger, block, keep * size);
    sn_free(block);
    return bigger;
}

char *sn_strdup(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = sn_alloc(n, 1);
    if (copy) memcpy(copy, text, n);
    return copy;
}

void sn_free(void *block)
{
    if (!block) return;
    atomic_fetch_sub(&live_count, 1);
    atomic_fetch_sub(&live_bytes, (long long)*size_of(block));
    free((char *)block - ALIGN);
}

int64_t sn_alloc_count(void)
{
    return atomic_load(&total_count);
}
int64_t sn_alloc_live(void)
{
    return atomic_load(&live_count);
}
int64_t sn_alloc_bytes(void)
{
    return atomic_load(&live_bytes);
}
void sn_alloc_fail_after(int64_t n)
{
    atomic_store(&fail_after, n);
}
void sn_alloc_ask(bool (*fails)(void))
{
    atomic_store(&ask, fails);
}

void sn_release(void *memory)
{
    sn_free(memory);
}
