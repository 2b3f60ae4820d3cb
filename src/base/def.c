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

/* Sizes of structs that begin with a size_t are multiples of its own. */
static bool may_be(const void *def, size_t size, size_t known)
{
    if (size > known) return size <= LARGEST && all_zero(def, known, size);
    return size > sizeof size && size % sizeof size == 0;
}

snStatus sn_take_def(const void *def, void *own, size_t known, const char *type, snError *error)
{
    if (!def) return sn_fail(error, SN_BAD_ARGUMENT, "the %s is NULL", type);
    size_t size;
    memcpy(&size, def, sizeof size);
    if (may_be(def, size, known)) {
        memcpy(own, def, size < known ? size : known);
        memcpy(own, &known, sizeof known);
        return SN_OK;
    }
    sn_fail(error, SN_BAD_ARGUMENT, "size of the %s is %zu, expected %zu", type, size, known);
    sn_error_remedy(error, "start from its default function, which sets it");
    return SN_BAD_ARGUMENT;
}
