/* Primitives turned back into plain nodes of the scene: what the author named is taken out of the muscle file, with all
 * that cannot be without it. The scene stays as it is.
 *
 * A joint goes with either of its bodies, a constraint with its strand and with what it hangs on, a group when its last
 * strand goes, a function when its last muscle does; in lists of names, those that are gone are left out. */
#include "author/own/variants.h"
#include "base/alloc.h"
#include "base/error.h"
#include "model/copy.h"
#include "model/nodes.h"
#include "sinew/author.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 256 };

typedef struct Plain {
    const snSpec *from;
    snSpec *to;
    const char *names;
    bool *gone[SN_KINDS]; /* per kind and id - 1 */
    snError *error;
} Plain;

static bool next_word(const char **at, char word[NAME])
{
    const char *c = *at + strspn(*at, " \t\r\n,");
    size_t length = strcspn(c, " \t\r\n,");
    *at = c + length;
    (void)snprintf(word, NAME, "%.*s", (int)length, c);
    return length > 0;
}

static bool is_gone(const Plain *p, snKind kind, const char *name)
{
    snId id = name && *name ? sn_spec_find(p->from, kind, name) : 0;
    return id && p->gone[kind][id - 1];
}

/* ---- what goes ------------------------------------------------------------------------------ */

static snStatus mark_named(Plain *p)
{
    char word[NAME];
    for (const char *at = p->names; next_word(&at, word);) {
        bool found = false;
        for (int kind = SN_KIND_BODY; kind < SN_KINDS; ++kind) {
            snId id = sn_spec_find(p->from, (snKind)kind, word);
            if (id) p->gone[kind][id - 1] = found = true;
        }
        if (found) continue;
        (void)sn_fail(p->error, SN_BAD_INPUT,
                      "the model has no body, joint, strand, group, constraint, curve or function "
                      "\"%.100s\"",
                      word);
        sn_error_remedy(p->error, "sinew info --list names what there is");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

/* The body that a surface or shape node belongs to is gone. */
static bool surface_is_gone(const Plain *p, const char *node)
{
    snId id = sn_spec_find(p->from, SN_KIND_NODE, node), body = id ? sn_node_body(p->from, id) : 0;
    return body && p->gone[SN_KIND_BODY][body - 1];
}

static void mark_dependent(Plain *p)
{
    for (snId id = 1; id <= sn_spec_count(p->from, SN_KIND_JOINT); ++id) {
        const snJointDef *d = sn_spec_joint(p->from, id);
        if (is_gone(p, SN_KIND_BODY, d->body_a) || is_gone(p, SN_KIND_BODY, d->body_b))
            p->gone[SN_KIND_JOINT][id - 1] = true;
    }
    for (snId id = 1; id <= sn_spec_count(p->from, SN_KIND_CONSTRAINT); ++id) {
        const snConstraintDef *d = sn_spec_constraint(p->from, id);
        bool gone = is_gone(p, SN_KIND_STRAND, d->strand);
        if (d->type == SN_CONSTRAINT_SURFACE)
            gone = gone || surface_is_gone(p, d->attachment);
        else
            gone = gone || is_gone(p, SN_KIND_BODY, d->attachment) || is_gone(p, SN_KIND_STRAND, d->attachment);
        if (gone) p->gone[SN_KIND_CONSTRAINT][id - 1] = true;
    }
}

/* ---- what stays ----------------------------------------------------------------------------- */

/* The names of a list that stay, in new memory, and for each whether it does; NULL when out of memory. */
static char *kept_names(const Plain *p, const char *list, bool groups, bool *stays)
{
    char word[NAME], *kept = SN_NEW_ARRAY(char, strlen(list) + 2);
    int32_t n = 0;
    for (const char *at = list; kept && next_word(&at, word); ++n) {
        bool gone = is_gone(p, SN_KIND_STRAND, word) || (groups && is_gone(p, SN_KIND_GROUP, word));
        if (stays) stays[n] = !gone;
        if (!gone) strcat(strcat(kept, *kept ? " " : ""), word);
    }
    return kept;
}

static snStatus copy_group(Plain *p, snId id)
{
    snGroupDef def = *sn_spec_group(p->from, id);
    char *kept = kept_names(p, def.strands, false, NULL);
    if (!kept) return SN_NO_MEMORY;
    def.strands = kept;
    if (!*kept) p->gone[SN_KIND_GROUP][id - 1] = true;
    snStatus status = *kept ? sn_add_group(p->to, &def, NULL) : SN_OK;
    sn_free(kept);
    return status;
}

/* Levels stand muscle by muscle, for each time in turn. */
static snStatus copy_function(Plain *p, const snFunctionDef *from)
{
    snFunctionDef def = *from;
    int32_t times = def.ntime ? def.ntime : 1, muscles = def.nlevel / times;
    bool *stays = SN_NEW_ARRAY(bool, strlen(def.muscles) + 1);
    double *level = SN_NEW_ARRAY(double, def.nlevel);
    char *kept = kept_names(p, def.muscles, true, stays);
    snStatus status = stays && level && kept ? SN_OK : SN_NO_MEMORY;
    def.muscles = kept, def.level = level, def.nlevel = 0;
    for (int32_t i = 0; status == SN_OK && i < times * muscles; ++i)
        if (stays[i % muscles]) level[def.nlevel++] = from->level[i];
    if (status == SN_OK && *kept) status = sn_add_function(p->to, &def, NULL);
    sn_free(stays);
    sn_free(level);
    sn_free(kept);
    return status;
}

static snStatus copy_one(void *user, snKind kind, snId id)
{
    Plain *p = user;
    if (p->gone[kind][id - 1]) return SN_OK;
    if (kind == SN_KIND_GROUP) return copy_group(p, id);
    if (kind == SN_KIND_FUNCTION) return copy_function(p, sn_spec_function(p->from, id));
    return sn_copy_element(p->from, p->to, kind, id);
}

static snStatus copy(Plain *p)
{
    snModelDef model = *sn_spec_model(p->from);
    model.scene = "";
    snStatus status = sn_set_scene(p->to, sn_spec_scene(p->from));
    if (status == SN_OK) status = sn_set_model(p->to, &model);
    if (status == SN_OK) status = sn_copy_elements(p->from, copy_one, p);
    return status;
}

snStatus sn_make_plain(const snSpec *spec, const char *names, snSpec **plain, snError *error)
{
    if (!spec || !names) return sn_fail_argument(error, "sn_make_plain without spec or names");
    Plain p = {.from = spec, .to = sn_spec_create(), .names = names, .error = error};
    snStatus status = p.to ? SN_OK : sn_fail_no_memory(error);
    for (int kind = 0; kind < SN_KINDS && status == SN_OK; ++kind)
        if (!(p.gone[kind] = SN_NEW_ARRAY(bool, sn_spec_count(spec, (snKind)kind) + 1)))
            status = sn_fail_no_memory(error);
    if (status == SN_OK) status = mark_named(&p);
    if (status == SN_OK) {
        mark_dependent(&p);
        if (copy(&p) != SN_OK) status = sn_fail_no_memory(error);
    }
    for (int kind = 0; kind < SN_KINDS; ++kind) sn_free(p.gone[kind]);
    if (status == SN_OK)
        *plain = p.to;
    else
        sn_spec_destroy(p.to);
    return status;
}
