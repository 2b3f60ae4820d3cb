/* Settings of a run as lines "name: value", and what differs between two of them. */
#include "base/error.h"
#include "io/own/journal.h"
#include "sinew/io.h"

#include <stdio.h>
#include <string.h>

typedef struct Line {
    const char *name, *value;
    int name_size, value_size;
} Line;

/* The line at *at, which goes on to the next; false at the end. */
static bool next_line(const char **at, Line *line)
{
    if (!**at) return false;
    size_t size = strcspn(*at, "\n");
    const char *colon = memchr(*at, ':', size);
    size_t name = colon ? (size_t)(colon - *at) : size, skip = colon ? name + 1 : size;
    while (skip < size && (*at)[skip] == ' ') ++skip;
    *line = (Line){*at, *at + skip, (int)name, (int)(size - skip)};
    *at += size + ((*at)[size] == '\n');
    return true;
}

static bool find_line(const char *text, const Line *wanted, Line *found)
{
    while (next_line(&text, found))
        if (found->name_size == wanted->name_size && !memcmp(found->name, wanted->name, (size_t)wanted->name_size))
            return true;
    return false;
}

/* The hash of contents at the end of "NAME (0123456789abcdef)"; NULL: none. */
static const char *hash_in(const Line *line)
{
    enum { SIZE = 18 }; /* with its brackets */
    const char *at = line->value + line->value_size - SIZE;
    if (line->value_size < SIZE || at[0] != '(' || at[SIZE - 1] != ')') return NULL;
    if (strspn(at + 1, "0123456789abcdef") != SIZE - 2 || strspn(at + 1, "0") >= SIZE - 2) return NULL;
    return at;
}

/* What is known by its contents may be spelt otherwise: ./hand.muscle.xml is hand.muscle.xml. */
static bool same_value(const Line *a, const Line *b)
{
    const char *before = hash_in(a), *now = hash_in(b);
    if (before && now) return memcmp(before, now, 18) == 0;
    return a->value_size == b->value_size && memcmp(a->value, b->value, (size_t)a->value_size) == 0;
}

enum { SHOWN = 60 }; /* characters of a value at most */

static int shown(const Line *line)
{
    return line->value_size < SHOWN ? line->value_size : SHOWN;
}

static void add_difference(char *list, size_t size, const Line *before, const Line *now)
{
    size_t used = strlen(list);
    const Line *named = before ? before : now;
    static const Line none = {"", "not given", 0, 9};
    if (!before) before = &none;
    if (!now) now = &none;
    snprintf(list + used, size - used, "%s%.*s was %.*s, now %.*s", used ? "; " : "",
             named->name_size < SHOWN ? named->name_size : SHOWN, named->name, shown(before), before->value, shown(now),
             now->value);
}

snStatus sn_compare_settings(const char *before, const char *now, const char *file, snError *error)
{
    if (!before || !now) return sn_fail_argument(error, "sn_compare_settings without before or now");
    char list[420] = "";
    Line line, other;
    for (const char *at = before; next_line(&at, &line);)
        if (!find_line(now, &line, &other))
            add_difference(list, sizeof list, &line, NULL);
        else if (!same_value(&line, &other))
            add_difference(list, sizeof list, &line, &other);
    for (const char *at = now; next_line(&at, &line);)
        if (!find_line(before, &line, &other)) add_difference(list, sizeof list, NULL, &line);
    if (!list[0]) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the interrupted run had other settings: %s", list);
    sn_error_place(error, file, 0, 0);
    sn_error_remedy(error, "give the settings it had, or start again without --resume");
    return SN_BAD_INPUT;
}
