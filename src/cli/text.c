/* Text put together piece by piece. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool text_nearly(const char *a, size_t length, const char *b)
{
    size_t other = strlen(b);
    while (length && other && *a == *b) ++a, ++b, --length, --other;
    while (length && other && a[length - 1] == b[other - 1]) --length, --other;
    if (length == 2 && other == 2) return a[0] == b[1] && a[1] == b[0];
    return length <= 1 && other <= 1;
}
