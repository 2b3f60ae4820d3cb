/* The words that a model has for the coordinates of its joints: "flexion side_tilt" makes JOINT.flexion another name of
 * JOINT.0, and JOINT.side_tilt or JOINT.tilt one of JOINT.1. A word counts before the last part of another
 * one, the first coordinate before the later ones. */
#include "base/error.h"
#include "model/compile.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* The k-th word of a list and its length; 0: there are not so many. */
static size_t find_word(const char *list, int32_t k, const char **word)
{
    const char *at = list ? list : "";
    for (at += strspn(at, BLANKS); k > 0; --k) at += strcspn(at, BLANKS), at += strspn(at, BLANKS);
    *word = at;
    return strcspn(at, BLANKS);
}

/* Makes joint.word a name of coordinate k and gives the text. */
static const char *add_name(snCompiler *c, const char *joint, const char *word, size_t length, int32_t k)
{
    char name[320];
    (void)snprintf(name, sizeof name, "%.150s.%.*s", joint, length < 150 ? (int)length : 150, word);
    const char *text = sn_compile_text(c, name);
    return text && sn_map_put(&c->m->coord_map, text, k) ? text : NULL;
}

snStatus sn_compile_motions(snCompiler *c, int32_t joint, const snJointDef *def)
{
    snModel *m = c->m;
    int32_t first = m->joint_coordadr[joint];
    const char *word;
    for (int32_t k = first; k < m->joint_coordadr[joint + 1]; ++k) {
        size_t length = find_word(def->motions, k - first, &word);
        m->coord_title[k] = length ? add_name(c, def->name, word, length, k) : m->coord_name[k];
        if (!m->coord_title[k]) return sn_fail_no_memory(c->error);
    }
    for (int32_t k = first; k < m->joint_coordadr[joint + 1]; ++k) {
        size_t length = find_word(def->motions, k - first, &word), last = length;
        while (last > 0 && word[last - 1] != '_') --last;
        if (last > 0 && last < length && !add_name(c, def->name, word + last, length - last, k))
            return sn_fail_no_memory(c->error);
    }
    return SN_OK;
}
