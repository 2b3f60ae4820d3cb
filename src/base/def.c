/* The size at the head of a def. Every def begins with it: see SN_DEF in sinew/base.h. */
#include "base/def.h"

#include "base/error.h"

#include <string.h>

enum { LARGEST = 1 << 16 }; /* bytes: more is not a def, and its end is not looked for */

static bool all_zero(const char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; ++i)
        if (bytes[i]) return false;
    return true;
}

snStatus sn_check_def(const void *def, size_t known, const char *type, snError *error)
{
    if (!def) return sn_fail(error, SN_BAD_ARGUMENT, "the %s is NULL", type);
    size_t size;
    memcpy(&size, def, sizeof size);
    if (size == known || (size > known && size <= LARGEST && all_zero(def, known, size))) return SN_OK;
    sn_fail(error, SN_BAD_ARGUMENT, "size of the %s is %zu, expected %zu", type, size, known);
    sn_error_remedy(error, "start from its default function, which sets it");
    return SN_BAD_ARGUMENT;
}
