#include "cli.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(snJson *json, const char *text, size_t length)
{
    if (json->failed) return;
    if (json->length + length + 1 > json->room) {
        size_t room = 2 * (json->length + length) + 256;
        char *more = realloc(json->text, room);
        if (!more) {
            json->failed = true;
            return;
        }
        json->text = more;
        json->room = room;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = '\0';
}

/* A string in quotes; control characters, quotes and backslashes escaped. A byte that is not UTF-8, such as a name of a
 * file may have, becomes the replacement character: JSON has no other encoding. */
static void append_quoted(snJson *json, const char *text)
{
    append(json, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
        char escape[8];
        size_t n = cli_character((const char *)c);
        if (n != 1) {
            append(json, n ? (const char *)c : "\xef\xbf\xbd", n ? n : 3);
            c += n ? n - 1 : 0;
            continue;
        }
        if (*c == '"' || *c == '\\') {
            (void)snprintf(escape, sizeof escape, "\\%c", *c);
            append(json, escape, 2);
        } else if (*c < 0x20 || *c == 0x7f) {
            (void)snprintf(escape, sizeof escape, "\\u%04x", *c);
            append(json, escape, 6);
        } else {
            append(json, (const char *)c, 1);
        }
    }
    append(json, "\"", 1);
}

static void start(snJson *json, const char *key)
{
    if (json->comma) append(json, ", ", 2);
    if (key) {
        append_quoted(json, key);
        append(json, ": ", 2);
    }
    json->comma = true;
}

void json_open(snJson *json, const char *key, char bracket)
{
    start(json, key);
    append(json, &bracket, 1);
    json->comma = false;
    assert(json->depth < (int)sizeof json->open);
    json->open[json->depth++] = bracket;
}

void json_close(snJson *json, char bracket)
{
    append(json, &bracket, 1);
    json->comma = true;
    --json->depth;
}

void json_leave(snJson *json)
{
    while (json->depth > 1) json_close(json, json->open[json->depth - 1] == '{' ? '}' : ']');
}

void json_string(snJson *json, const char *key, const char *value)
{
    start(json, key);
    append_quoted(json, value);
}

void json_number(snJson *json, const char *key, double value)
{
    char text[40];
    start(json, key);
    if (isfinite(value))
        (void)snprintf(text, sizeof text, "%.10g", value);
    else
        (void)snprintf(text, sizeof text, "null");
    append(json, text, strlen(text));
}

void json_integer(snJson *json, const char *key, int64_t value)
{
    char text[32];
    start(json, key);
    (void)snprintf(text, sizeof text, "%" PRId64, value);
    append(json, text, strlen(text));
}

void json_boolean(snJson *json, const char *key, bool value)
{
    start(json, key);
    append(json, value ? "true" : "false", value ? 4 : 5);
}

const char *json_text(const snJson *json)
{
    return json->failed ? NULL : json->text;
}

void json_free(snJson *json)
{
    free(json->text);
    *json = (snJson){0};
}
