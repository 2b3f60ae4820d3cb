/* See foreign.h. */
#include "io/foreign.h"

#include "base/text.h"
#include "model/spec_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

char *sn_foreign_text(snArena *arena, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return sn_arena_strdup(arena, text);
}

const char *sn_foreign_name(snSpec *spec, snArena *arena, snKind kind, const char *name)
{
    enum { LONGEST = 100 };
    char *clean = sn_foreign_text(arena, "%.*s", LONGEST, *name ? name : "unnamed");
    if (!clean) return NULL;
    if (strchr("=+-@", *clean)) *clean = '_'; /* what a spreadsheet takes for a formula */
    sn_text_tame(clean);
    for (char *s = clean; *s; ++s)
        if (strchr(" \t\r\n", *s)) *s = '_';
    size_t n = strlen(clean);
    while (n > LONGEST - 4 && (clean[n - 1] & 0x80)) clean[--n] = '\0'; /* no half characters */
    if (strcmp(clean, "world") == 0) clean = sn_foreign_text(arena, "world_");
    const char *unique = clean;
    for (int k = 2; unique && sn_spec_find(spec, kind, unique); ++k) unique = sn_foreign_text(arena, "%s_%d", clean, k);
    return unique;
}
