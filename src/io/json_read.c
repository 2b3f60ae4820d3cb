/* Reader of JSON (RFC 8259), by recursive descent. A key that is there twice: the first one counts. */
#include "io/json_read.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "io/xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 64, REPLACEMENT = 0xFFFD };

typedef struct Parser {
    const char *file, *start, *at, *end;
    snArena *arena;
    snError *error;
    int depth;
} Parser;

SN_PRINTF(2, 3) static snStatus fail(const Parser *p, const char *format, ...)
{
    char text[200];
    int line = 1, column = 1;
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (const char *c = p->start; c < p->at; ++c) {
        ++column;
        if (*c == '\n') ++line, column = 1;
    }
    sn_fail(p->error, SN_BAD_FILE, "%s", text);
    sn_error_place(p->error, p->file, line, column);
    return SN_BAD_FILE;
}

static int peek(const Parser *p) /* -1 at the end */
{
    return p->at < p->end ? (unsigned char)*p->at : -1;
}

static int skip(Parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) ++p->at;
    return peek(p);
}

static snStatus fail_found(const Parser *p, const char *expected)
{
    int c = peek(p);
    if (c < 0) return fail(p, "the file ends where %s was expected", expected);
    if (c < 32 || c > 126) return fail(p, "found byte %d where %s was expected", c, expected);
    return fail(p, "found %c where %s was expected", c, expected);
}

/* ---- strings -------------------------------------------------------------------------------- */

static bool hex4(Parser *p, uint32_t *value)
{
    *value = 0;
    if (p->end - p->at < 4) return false;
    for (int i = 0; i < 4; ++i, ++p->at) {
        int c = (unsigned char)*p->at, digit = c >= '0' && c <= '9'   ? c - '0'
                                               : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                                      : -1;
        if (digit < 0) return false;
        *value = 16 * *value + (uint32_t)digit;
    }
    return true;
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
        return to;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    *to++ = (char)((more == 1 ? 0xC0u : more == 2 ? 0xE0u : 0xF0u) | (c >> (6 * more)));
    while (more-- > 0) *to++ = (char)(0x80u | ((c >> (6 * more)) & 0x3Fu));
    return to;
}

/* Behind \u. Half a pair, and the character zero, become the replacement character. */
static bool unicode(Parser *p, uint32_t *value)
{
    uint32_t low;
    if (!hex4(p, value)) return false;
    bool high = *value >= 0xD800 && *value < 0xDC00;
    if (high && p->end - p->at >= 6 && p->at[0] == '\\' && p->at[1] == 'u') {
        const char *before = p->at;
        p->at += 2;
        if (!hex4(p, &low)) return false;
        if (low >= 0xDC00 && low < 0xE000) {
            *value = 0x10000 + ((*value - 0xD800) << 10) + (low - 0xDC00);
            return true;
        }
        p->at = before;
    }
    if (!*value || (*value >= 0xD800 && *value < 0xE000)) *value = REPLACEMENT;
    return true;
}

static snStatus escape(Parser *p, char **to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    uint32_t value;
    int c = peek(p);
    const char *known = c > 0 ? strchr(from, c) : NULL;
    if (known) {
        *(*to)++ = into[known - from];
        ++p->at;
        return SN_OK;
    }
    if (c != 'u') return fail_found(p, "an escape such as \\n");
    ++p->at;
    if (!unicode(p, &value)) return fail(p, "\\u needs four hexadecimal digits");
    *to = put_utf8(*to, value);
    return SN_OK;
}

/* An escape is never shorter than what it stands for, so the raw length is room enough. */
static snStatus parse_string(Parser *p, const char *what, const char **text)
{
    if (skip(p) != '"') return fail_found(p, what);
    const char *last = ++p->at;
    while (last < p->end && *last != '"') last += *last == '\\' && last + 1 < p->end ? 2 : 1;
    if (last >= p->end) return fail(p, "the string does not end");
    char *to = sn_arena_alloc(p->arena, (size_t)(last - p->at) + 1, 1);
    if (!to) return sn_fail_no_memory(p->error);
    *text = to;
    while (p->at < last) {
        if ((unsigned char)*p->at < 32) return fail_found(p, "a character of a string");
        if (*p->at != '\\') {
            *to++ = *p->at++;
            continue;
        }
        ++p->at;
        snStatus status = escape(p, &to);
        if (status != SN_OK) return status;
    }
    p->at = last + 1;
    return SN_OK;
}

/* ---- values --------------------------------------------------------------------------------- */

static snStatus parse_value(Parser *p, snJsonValue *value);

static snStatus parse_item(Parser *p, bool object, snJsonValue *item)
{
    snStatus status = object ? parse_string(p, "a name in quotes", &item->key) : SN_OK;
    if (status == SN_OK && object && skip(p) != ':') return fail_found(p, "a colon");
    if (status == SN_OK && object) ++p->at;
    return status == SN_OK ? parse_value(p, item) : status;
}

static snStatus parse_items(Parser *p, snJsonValue *value)
{
    bool object = *p->at++ == '{';
    char close = object ? '}' : ']';
    SN_ARRAY(snJsonValue) list = {0};
    snStatus status = SN_OK;
    if (p->depth >= MAX_DEPTH) return fail(p, "nested deeper than %d", MAX_DEPTH);
    ++p->depth;
    for (bool more = skip(p) != close; more && status == SN_OK;) {
        snJsonValue item = {0};
        status = parse_item(p, object, &item);
        if (status == SN_OK && !sn_array_push(&list, item)) status = sn_fail_no_memory(p->error);
        if (status != SN_OK) break;
        more = skip(p) == ',';
        if (more)
            ++p->at;
        else if (peek(p) != close)
            status = fail_found(p, object ? "a comma or }" : "a comma or ]");
    }
    value->kind = object ? SN_JSON_OBJECT : SN_JSON_ARRAY;
    value->count = list.count;
    if (status == SN_OK && list.count > 0) {
        value->item = sn_arena_copy(p->arena, list.at, (size_t)list.count, sizeof *list.at);
        if (!value->item) status = sn_fail_no_memory(p->error);
    }
    sn_array_free(&list);
    --p->depth;
    if (status == SN_OK) ++p->at;
    return status;
}

static snStatus parse_number(Parser *p, snJsonValue *value)
{
    const char *from = p->at, *to = from;
    while (to < p->end && *to && strchr("+-.0123456789eE", *to)) ++to;
    value->kind = SN_JSON_NUMBER;
    if (to == from) return fail_found(p, "a value");
    if (!sn_text_number(from, (size_t)(to - from), &value->number)) return fail(p, "not a finite number");
    p->at = to;
    return SN_OK;
}

static bool take_word(Parser *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

static snStatus parse_value(Parser *p, snJsonValue *value)
{
    int c = skip(p);
    if (c == '{' || c == '[') return parse_items(p, value);
    if (c == '"') {
        value->kind = SN_JSON_STRING;
        return parse_string(p, "a string", &value->text);
    }
    if (take_word(p, "null")) return SN_OK;
    bool yes = take_word(p, "true");
    if (yes || take_word(p, "false")) {
        value->kind = SN_JSON_BOOLEAN, value->number = yes;
        return SN_OK;
    }
    return parse_number(p, value);
}

snStatus sn_json_parse(const char *file, const char *data, size_t size, snArena *arena, snJsonValue *root,
                       snError *error)
{
    Parser p = {.file = file, .start = data, .at = data, .end = data + size, .arena = arena, .error = error};
    *root = (snJsonValue){0};
    snStatus status = parse_value(&p, root);
    if (status == SN_OK && skip(&p) >= 0) status = fail_found(&p, "the end of the file");
    return status;
}

/* ---- asking --------------------------------------------------------------------------------- */

const snJsonValue *sn_json_member(const snJsonValue *value, const char *key)
{
    if (!value || value->kind != SN_JSON_OBJECT) return NULL;
    for (int32_t i = 0; i < value->count; ++i)
        if (strcmp(value->item[i].key, key) == 0) return &value->item[i];
    return NULL;
}

const snJsonValue *sn_json_item(const snJsonValue *value, int64_t index)
{
    bool there = value && value->kind == SN_JSON_ARRAY && index >= 0 && index < value->count;
    return there ? &value->item[index] : NULL;
}

const char *sn_json_member_text(const snJsonValue *value, const char *key, const char *fallback)
{
    const snJsonValue *member = sn_json_member(value, key);
    return member && member->kind == SN_JSON_STRING ? member->text : fallback;
}

double sn_json_member_number(const snJsonValue *value, const char *key, double fallback)
{
    const snJsonValue *member = sn_json_member(value, key);
    return member && (member->kind == SN_JSON_NUMBER || member->kind == SN_JSON_BOOLEAN) ? member->number : fallback;
}

int32_t sn_json_member_index(const snJsonValue *value, const char *key)
{
    double number = sn_json_member_number(value, key, -1);
    return number >= 0 && number <= INT32_MAX && number == (double)(int32_t)number ? (int32_t)number : -1;
}
