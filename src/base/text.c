/* See text.h. */
#include "base/text.h"

#include <stddef.h>
#include <string.h>

/* Bytes of the character at s if it is one that hides or turns what is around it; 0: it is not. */
static size_t hostile(const unsigned char *s)
{
    if (s[0] < 0x20 || s[0] == 0x7f) return s[0] != 0;
    if (s[0] == 0xC2 && s[1] >= 0x80 && s[1] <= 0x9F) return 2; /* C1 controls */
    if (s[0] == 0xD8 && s[1] == 0x9C) return 2;                 /* U+061C */
    if (s[0] != 0xE2 || (s[1] != 0x80 && s[1] != 0x81)) return 0;
    if (s[1] == 0x80) /* U+200B to U+200F, U+2028 to U+202E */
        return (s[2] >= 0x8B && s[2] <= 0x8F) || (s[2] >= 0xA8 && s[2] <= 0xAE) ? 3 : 0;
    return s[2] >= 0xA6 && s[2] <= 0xA9 ? 3 : 0; /* U+2066 to U+2069 */
}

const char *sn_name_fault(const char *name)
{
    if (*name && strchr("=+-@", *name)) return "begins with = + - or @, which a spreadsheet takes for a formula";
    for (const unsigned char *s = (const unsigned char *)name; *s; ++s)
        if (hostile(s)) return "has a control character or one that turns the direction of text";
    return NULL;
}

void sn_text_tame(char *text)
{
    for (unsigned char *s = (unsigned char *)text; *s; ++s) {
        size_t n = *s == '\n' || *s == '\t' ? 0 : hostile(s);
        if (n) memset(s, '?', n);
    }
}
