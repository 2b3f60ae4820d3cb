/* See html_bytes.h. Bytes are written little-endian whatever the machine is. */
#include "page/html_bytes.h"

#include "base/alloc.h"
#include "io/little.h"
#include "io/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sn_bytes_free(snBytes *b)
{
    sn_free(b->at);
    *b = (snBytes){0};
}

/* Room for size further bytes, zeroed; NULL when out of memory. The pointer holds until the next call. */
static char *extend(snBytes *b, size_t size)
{
    if (b->failed) return NULL;
    if (size > b->capacity - b->size) {
        size_t capacity = b->capacity + b->capacity / 2 + size + 256;
        char *grown = sn_realloc(b->at, b->capacity, capacity, 1);
        if (!grown) {
            b->failed = true;
            return NULL;
        }
        b->at = grown;
        b->capacity = capacity;
    }
    char *room = b->at + b->size;
    b->size += size;
    return memset(room, 0, size);
}

void sn_bytes_add(snBytes *b, const void *from, size_t size)
{
    char *to = extend(b, size);
    if (to && size) memcpy(to, from, size);
}

void sn_bytes_pad(snBytes *b, size_t alignment, char with)
{
    while (!b->failed && b->size % alignment) sn_bytes_add(b, &with, 1);
}

/* ---- JSON --------------------------------------------------------------------------------- */

void sn_json_text(snBytes *b, const char *text)
{
    sn_bytes_add(b, text, strlen(text));
}

void sn_json_int(snBytes *b, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    sn_json_text(b, text);
}

void sn_json_number(snBytes *b, double value)
{
    char text[SN_NUMBER_SIZE];
    if (!isfinite(value))
        sn_json_text(b, "null");
    else
        sn_bytes_add(b, text, sn_number_format(value, text));
}

void sn_json_numbers(snBytes *b, const double *value, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        sn_json_text(b, i ? "," : "[");
        sn_json_number(b, value[i]);
    }
    sn_json_text(b, count ? "]" : "[]");
}

/* Length of the UTF-8 sequence at s, 0 when it is none (overlong forms and surrogates included). */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] < 0x80                   ? 1
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
               : (s[0] & 0xf0) == 0xe0       ? 3
               : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; ++i)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] >= 0xa0) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] >= 0x90) return 0;
    return n;
}

void sn_json_string(snBytes *b, const char *text)
{
    sn_json_text(b, "\"");
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        size_t n = utf8_length(s);
        if (n == 0)
            sn_json_text(b, "?");
        else if (*s < 0x20 || *s == '"' || *s == '\\') {
            char escaped[8];
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)*s);
            sn_json_text(b, escaped);
        } else
            sn_bytes_add(b, s, n);
        s += n ? n : 1;
    }
    sn_json_text(b, "\"");
}

/* ---- runs of numbers ---------------------------------------------------------------------- */

/* Describes a run without closing the object, and makes room for it. */
static char *begin_run(snBytes *head, snBytes *data, const char *type, int64_t count, size_t item)
{
    sn_bytes_pad(data, 4, 0);
    sn_json_text(head, "{\"type\":\"");
    sn_json_text(head, type);
    sn_json_text(head, "\",\"offset\":");
    sn_json_int(head, (int64_t)data->size);
    sn_json_text(head, ",\"count\":");
    sn_json_int(head, count);
    return extend(data, (size_t)count * item);
}

void sn_run_f32(snBytes *head, snBytes *data, const double *value, int64_t count)
{
    char *to = begin_run(head, data, "f32", count, 4);
    for (int64_t i = 0; to && i < count; ++i) sn_little_put_float(to + 4 * i, value[i]);
    sn_json_text(head, "}");
}

void sn_run_u8(snBytes *head, snBytes *data, const int32_t *value, int64_t count)
{
    char *to = begin_run(head, data, "u8", count, 1);
    for (int64_t i = 0; to && i < count; ++i) to[i] = (char)(value[i] & 0xff);
    sn_json_text(head, "}");
}

void sn_run_short(snBytes *head, snBytes *data, const int16_t *value, int64_t count)
{
    char *to = begin_run(head, data, "i16", count, 2);
    for (int64_t i = 0; to && i < count; ++i) sn_little_put(to + 2 * i, (uint16_t)value[i], 2);
    sn_json_text(head, "}");
}

void sn_run_index(snBytes *head, snBytes *data, const int32_t *value, int64_t count)
{
    int32_t most = 0;
    for (int64_t i = 0; i < count; ++i)
        if (value[i] > most) most = value[i];
    int size = most > 0xffff ? 4 : 2;
    char *to = begin_run(head, data, size == 4 ? "u32" : "u16", count, (size_t)size);
    for (int64_t i = 0; to && i < count; ++i) sn_little_put(to + size * i, (uint32_t)value[i], size);
    sn_json_text(head, "}");
}

/* Middle of each column, and what one step of 16 bits has to be for the widest. */
static double quantum_of(const double *value, int64_t count, int32_t width, double *bias)
{
    double low[4], high[4], range = 0;
    for (int32_t k = 0; k < width; ++k) {
        low[k] = INFINITY, high[k] = -INFINITY;
        for (int64_t i = k; i < count; i += width)
            if (isfinite(value[i])) low[k] = fmin(low[k], value[i]), high[k] = fmax(high[k], value[i]);
        bias[k] = high[k] >= low[k] ? (low[k] + high[k]) / 2 : 0;
        if (high[k] - low[k] > range) range = high[k] - low[k];
    }
    return range > 0 ? range / 65534 : 1;
}

void sn_run_frames(snBytes *head, snBytes *data, const double *value, int64_t count, int32_t width, int64_t frame,
                   double finest)
{
    double bias[4], scale = fmax(quantum_of(value, count, width, bias), finest);
    char *to = begin_run(head, data, "i16", count, 2);
    for (int64_t i = 0; to && i < count; ++i) {
        double v = isfinite(value[i]) ? (value[i] - bias[i % width]) / scale : 0;
        sn_little_put(to + 2 * i, (uint16_t)(int16_t)lround(v), 2);
    }
    /* From the last frame to the second, so that the one before is still whole. */
    for (int64_t i = count - 1; to && frame > 0 && i >= frame; --i) {
        uint64_t now = sn_little_get(to + 2 * i, 2), before = sn_little_get(to + 2 * (i - frame), 2);
        sn_little_put(to + 2 * i, (now - before) & 0xffff, 2);
    }
    sn_json_text(head, ",\"scale\":");
    sn_json_number(head, scale);
    sn_json_text(head, ",\"bias\":");
    sn_json_numbers(head, bias, width);
    if (frame > 0) sn_json_text(head, ",\"delta\":"), sn_json_int(head, frame);
    sn_json_text(head, "}");
}

void sn_run_i16(snBytes *head, snBytes *data, const double *value, int64_t count, int32_t width)
{
    sn_run_frames(head, data, value, count, width, 0, 0);
}

/* ---- base64 ------------------------------------------------------------------------------- */

size_t sn_base64_size(size_t size)
{
    return (size + 2) / 3 * 4;
}

void sn_base64(const void *bytes, size_t size, char *text)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = bytes;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t v =
            (uint32_t)s[i] << 16 | (i + 1 < size ? (uint32_t)s[i + 1] << 8 : 0) | (i + 2 < size ? s[i + 2] : 0);
        *text++ = digit[v >> 18];
        *text++ = digit[v >> 12 & 63];
        *text++ = i + 1 < size ? digit[v >> 6 & 63] : '=';
        *text++ = i + 2 < size ? digit[v & 63] : '=';
    }
}
