#include "io/scan.h"

#include "base/error.h"
#include "io/number.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

snScan sn_scan_begin(const char *file, const char *data, size_t size, snError *error)
{
    snScan s = {.at = data,
                .end = data + size,
                .line_at = data,
                .line_end = data,
                .line_start = data,
                .word_start = data,
                .file = file,
                .error = error};
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) s.at += 3; /* byte order mark */
    return s;
}

bool sn_scan_line(snScan *s)
{
    if (s->at >= s->end) {
        s->line_at = s->line_end = s->line_start = s->word_start = s->end;
        return false;
    }
    s->line_at = s->line_start = s->word_start = s->at;
    while (s->at < s->end && *s->at != '\n' && *s->at != '\r') ++s->at;
    s->line_end = s->at;
    if (s->at < s->end) {
        bool crlf = *s->at == '\r' && s->at + 1 < s->end && s->at[1] == '\n';
        s->at += crlf ? 2 : 1;
    }
    ++s->line;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

bool sn_scan_word(snScan *s, snWord *word)
{
    while (s->line_at < s->line_end && is_blank(*s->line_at)) ++s->line_at;
    s->word_start = s->line_at;
    if (s->line_at >= s->line_end) return false;
    while (s->line_at < s->line_end && !is_blank(*s->line_at)) ++s->line_at;
    *word = (snWord){s->word_start, (size_t)(s->line_at - s->word_start)};
    return true;
}

bool sn_scan_any_word(snScan *s, snWord *word)
{
    while (!sn_scan_word(s, word))
        if (!sn_scan_line(s)) return false;
    return true;
}

bool sn_scan_field(snScan *s, char separator, snWord *word, bool *more)
{
    const char *from = s->line_at, *to = from;
    if (from >= s->line_end && !*more) return false;
    while (to < s->line_end && *to != separator) ++to;
    *more = to < s->line_end;
    s->line_at = to + *more;
    while (from < to && is_blank(*from)) ++from;
    while (to > from && is_blank(to[-1])) --to;
    if (to - from >= 2 && *from == '"' && to[-1] == '"') ++from, --to;
    s->word_start = from;
    *word = (snWord){from, (size_t)(to - from)};
    return true;
}

bool sn_word_is(snWord word, const char *text)
{
    return word.size == strlen(text) && !memcmp(word.at, text, word.size);
}

bool sn_word_is_any_case(snWord word, const char *text)
{
    if (word.size != strlen(text)) return false;
    for (size_t i = 0; i < word.size; ++i)
        if (tolower((unsigned char)word.at[i]) != tolower((unsigned char)text[i])) return false;
    return true;
}

bool sn_word_number(snWord word, double *value)
{
    double v;
    const char *end = word.at + word.size;
    if (sn_number_parse(word.at, end, &v) != end || word.size == 0) return false;
    *value = v;
    return true;
}

bool sn_word_integer(snWord word, int64_t *value)
{
    size_t i = word.size && (word.at[0] == '-' || word.at[0] == '+');
    if (i >= word.size || word.size > 18) return false;
    int64_t v = 0;
    for (; i < word.size; ++i) {
        if (word.at[i] < '0' || word.at[i] > '9') return false;
        v = 10 * v + (word.at[i] - '0');
    }
    *value = word.at[0] == '-' ? -v : v;
    return true;
}

const char *sn_word_text(snWord word, char *text, size_t size)
{
    size_t n = word.size < size - 1 ? word.size : size - 1;
    for (size_t i = 0; i < n; ++i) {
        unsigned char c = (unsigned char)word.at[i];
        text[i] = c < 32 || c >= 127 ? '?' : (char)c;
    }
    text[n] = 0;
    return text;
}

snStatus sn_scan_fail(snScan *s, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sn_fail(s->error, SN_BAD_FILE, "%s", message);
    sn_error_place(s->error, s->file, s->line, s->line ? (int)(s->word_start - s->line_start) + 1 : 0);
    return SN_BAD_FILE;
}

snStatus sn_scan_number(snScan *s, const char *what, double *value)
{
    snWord word;
    char text[40];
    if (!sn_scan_word(s, &word)) return sn_scan_fail(s, "the line ends where %s was expected", what);
    if (!sn_word_number(word, value))
        return sn_scan_fail(s, "\"%s\" is not a number, expected %s", sn_word_text(word, text, sizeof text), what);
    if (!isfinite(*value))
        return sn_scan_fail(s, "%s is %s, expected a finite number", what, sn_word_text(word, text, sizeof text));
    return SN_OK;
}
