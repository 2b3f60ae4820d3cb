/* Text put together piece by piece. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool reserve(snText *t, size_t more)
{
    if (t->length + more + 1 <= t->room) return true;
    size_t room = 2 * (t->length + more + 1);
    char *grown = realloc(t->text, room);
    if (!grown) return false;
    t->text = grown;
    t->room = room;
    return true;
}

void text_add(snText *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (t->failed || n < 0 || !reserve(t, (size_t)n)) {
        text_free(t);
        t->failed = true;
        return;
    }
    va_start(arguments, format);
    (void)vsnprintf(t->text + t->length, (size_t)n + 1, format, arguments);
    va_end(arguments);
    t->length += (size_t)n;
}

void text_free(snText *t)
{
    free(t->text);
    *t = (snText){0};
}

void text_add_number(snText *text, const char *before, double value, const char *after)
{
    char number[40];
    (void)snprintf(number, sizeof number, "%.15g", value);
    if (strtod(number, NULL) != value) (void)snprintf(number, sizeof number, "%.17g", value);
    text_add(text, "%s%s%s", before, number, after);
}
