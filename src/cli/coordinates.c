/* Names of joint coordinates: files number them, models may have a word for each. */
#include "coordinates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* The model's word for the k-th coordinate of a joint, and its length; 0: it has none. */
static size_t find_word(const snSpec *spec, const char *joint, long k, const char **word)
{
    snId id = spec ? sn_spec_find(spec, SN_KIND_JOINT, joint) : 0;
    const char *at = id ? sn_spec_joint(spec, id)->motions : "";
    for (at += strspn(at, BLANKS); k > 0; --k) at += strcspn(at, BLANKS), at += strspn(at, BLANKS);
    *word = at;
    return strcspn(at, BLANKS);
}

/* What a joint coordinate may be called in key poses of models that have no words for theirs. */
static int common_number(const char *word)
{
    static const struct {
        const char *word;
        int number;
    } common[] = {{"flexion", 0}, {"deviation", 1}, {"abduction", 1}, {"axial", 2}};
    for (size_t i = 0; i < sizeof common / sizeof *common; ++i)
        if (strcmp(common[i].word, word) == 0) return common[i].number;
    return -1;
}

static bool is_word(const char *asked, const char *word, size_t length)
{
    size_t n = strlen(asked);
    if (n > length || strncmp(word + length - n, asked, n) != 0) return false;
    return n == length || word[length - n - 1] == '_';
}

static int32_t numbered(const snModel *model, const char *joint, int number)
{
    char name[160];
    (void)snprintf(name, sizeof name, "%.100s.%d", joint, number);
    return sn_find(model, SN_ITEM_COORDINATE, name);
}

int32_t cli_find_coordinate(const snSpec *spec, const snModel *model, const char *text)
{
    char joint[128];
    const char *dot = strrchr(text, '.'), *word;
    int32_t found = sn_find(model, SN_ITEM_COORDINATE, text);
    if (found < 0) found = numbered(model, text, 0);
    if (found >= 0 || !dot || !dot[1]) return found;
    (void)snprintf(joint, sizeof joint, "%.*s", (int)(dot - text), text);
    bool named = find_word(spec, joint, 0, &word) > 0;
    for (int k = 0; named && k < 6 && found < 0; ++k) {
        size_t length = find_word(spec, joint, k, &word);
        if (length && is_word(dot + 1, word, length)) found = numbered(model, joint, k);
    }
    return found < 0 ? numbered(model, joint, common_number(dot + 1)) : found;
}

const char *cli_coordinate_title(const snSpec *spec, const snModel *model, int32_t coordinate, char text[160])
{
    char joint[128];
    const char *name = sn_name(model, SN_ITEM_COORDINATE, coordinate), *dot = strrchr(name, '.'), *word = "";
    (void)snprintf(joint, sizeof joint, "%.*s", dot ? (int)(dot - name) : 0, name);
    size_t length = dot ? find_word(spec, joint, strtol(dot + 1, NULL, 10), &word) : 0;
    if (length && length < 64)
        (void)snprintf(text, 160, "%.90s.%.*s", joint, (int)length, word);
    else
        (void)snprintf(text, 160, "%.150s", name);
    return text;
}
