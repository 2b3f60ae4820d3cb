/* Values in XML text: numbers that must be a whole token, and escaping. */
#include "io/xml.h"

#include "io/number.h"

#include <math.h>
#include <string.h>

/* Length of the UTF-8 character at s that XML allows; 0 if there is none. */
static int character(const unsigned char *s, size_t size)
{
    if (s[0] < 0x80) return s[0] >= 0x20 || s[0] == '\t' || s[0] == '\n' || s[0] == '\r';
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    int n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if ((size_t)n > size) return 0;
    for (int i = 1; i < n; ++i)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (n == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0))) return 0; /* overlong, surrogate */
    if (n == 3 && s[0] == 0xEF && s[1] == 0xBF && s[2] >= 0xBE) return 0;
    if (n == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))) return 0;
    return n;
}

bool sn_xml_is_character(const char *bytes, size_t size)
{
    return character((const unsigned char *)bytes, size) > 0;
}

static const char *escape(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;";
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

bool sn_xml_write_text(snWriter *writer, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        int n = character((const unsigned char *)text, left);
        if (n == 0) return false;
        const char *instead = escape(*text);
        if (instead)
            sn_writer_text(writer, instead);
        else
            sn_writer_bytes(writer, text, (size_t)n);
        text += n;
        left -= (size_t)n;
    }
    return true;
}

bool sn_text_number(const char *text, size_t length, double *value)
{
    double v;
    if (length > SN_TOKEN_MAX || sn_number_parse(text, text + length, &v) != text + length || !length) return false;
    if (!isfinite(v)) return false;
    *value = v;
    return true;
}

bool sn_text_int(const char *text, size_t length, int32_t *value)
{
    size_t i = length && (*text == '-' || *text == '+');
    bool negative = length && *text == '-';
    int64_t v = 0;
    if (i == length) return false;
    for (; i < length; ++i) {
        if (text[i] < '0' || text[i] > '9') return false;
        v = 10 * v + (text[i] - '0');
        if (v > (int64_t)INT32_MAX + 1) return false;
    }
    v = negative ? -v : v;
    if (v > INT32_MAX) return false;
    *value = (int32_t)v;
    return true;
}
