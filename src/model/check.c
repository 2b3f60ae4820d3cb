/* sn_check: every problem of a spec at once. Here the list of problems, and what the schema alone can tell: ranges,
 * finite numbers, names. */
#include "model/check.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/text.h"
#include "model/views.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_PROBLEMS = 1000 }; /* errors, and as many warnings: nobody reads more */

/* ---- the list ----------------------------------------------------------------------------- */

static const char *name_of(const snSpec *spec, int element, snId id)
{
    if (!id) return "";
    return sn_attr_string(sn_attr_find(sn_element(element), "name"), sn_spec_def(spec, (snKind)element, id));
}

/* Whether the reader has found something wrong in the same element: what follows from it is not said again. */
static bool is_misread(const snChecker *c, snOrigin origin)
{
    const snError *error;
    int32_t count = sn_spec_misread(c->spec, &error);
    for (int32_t i = 0; i < count; ++i)
        if (origin.file && error[i].line == origin.line && strcmp(error[i].file, origin.file) == 0) return true;
    return false;
}

static bool room_for_one(snChecker *c)
{
    if (!sn_array_grow_((void **)(void *)&c->problem, &c->capacity, c->count + 1, sizeof *c->problem))
        c->no_memory = true;
    return !c->no_memory;
}

static void add_misread(snChecker *c)
{
    const snError *error;
    int32_t count = sn_spec_misread(c->spec, &error);
    for (int32_t i = 0; i < count && i < MAX_PROBLEMS && room_for_one(c); ++i) {
        c->problem[c->count] = error[i];
        c->problem[c->count++].status = SN_BAD_INPUT;
        ++c->nerror;
    }
}

/* All of them: they are what the user must know of the import, and are no more than the file has elements. */
static void add_missing(snChecker *c)
{
    const snError *note;
    int32_t count = sn_spec_missing(c->spec, &note);
    for (int32_t i = 0; i < count && room_for_one(c); ++i) c->problem[c->count++] = note[i];
}

static void add(snChecker *c, snStatus status, int element, snId id, const char *remedy, const char *format,
                va_list args)
{
    int32_t *kind = status ? &c->nerror : &c->nwarning; /* warnings must not crowd out errors */
    snOrigin origin = sn_spec_origin(c->spec, element, id);
    if (is_misread(c, origin) || ++*kind > MAX_PROBLEMS || c->no_memory || !room_for_one(c)) return;
    snError *e = &c->problem[c->count++];
    *e = (snError){.status = status};
    vsnprintf(e->message, sizeof e->message, format, args);
    sn_text_tame(e->message);
    sn_error_place(e, origin.file, origin.line, origin.column);
    const char *tag = sn_element(element)->tag;
    if (element == SN_KIND_NODE) tag = sn_node_tag(sn_spec_node(c->spec, id)->kind);
    sn_error_element(e, tag, name_of(c->spec, element, id));
    if (remedy) sn_error_remedy(e, "%s", remedy);
}

void sn_check_error(snChecker *c, int element, snId id, const char *remedy, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(c, SN_BAD_INPUT, element, id, remedy, format, args);
    va_end(args);
}

void sn_check_warning(snChecker *c, int element, snId id, const char *remedy, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(c, SN_OK, element, id, remedy, format, args);
    va_end(args);
}

void sn_check_dangling(snChecker *c, int element, snId id, const char *attribute, const char *name, snKind kind,
                       const char *what)
{
    char remedy[200];
    const char *best = NULL;
    int least = sn_name_near(name) + 1;
    for (snId other = 1; other <= sn_spec_count(c->spec, kind); ++other) {
        const char *candidate = name_of(c->spec, (int)kind, other);
        int d = sn_name_distance(name, candidate);
        if (d < least) least = d, best = candidate;
    }
    if (best)
        snprintf(remedy, sizeof remedy, "did you mean \"%.100s\"?", best);
    else
        snprintf(remedy, sizeof remedy, "add it, or correct the name");
    if (*name)
        sn_check_error(c, element, id, remedy, "%s is \"%.100s\", but there is no %s of that name", attribute, name,
                       what);
    else
        sn_check_error(c, element, id, "give the name", "%s is empty; expected the name of a %s", attribute, what);
}

bool sn_next_name(const char **list, char name[SN_NAME_MAX + 1])
{
    static const char blanks[] = " \t\r\n";
    *list += strspn(*list, blanks);
    size_t n = strcspn(*list, blanks);
    if (n == 0) return false;
    size_t kept = n < SN_NAME_MAX ? n : SN_NAME_MAX;
    memcpy(name, *list, kept);
    name[kept] = '\0';
    *list += n;
    return true;
}

/* ---- what the schema tells ---------------------------------------------------------------- */

static bool in_range(const snAttr *attr, double v)
{
    return v <= attr->max && (attr->flags & SN_ATTR_POSITIVE ? v > attr->min : v >= attr->min);
}

static void report_range(snChecker *c, int element, snId id, const snAttr *attr, double v)
{
    char range[120], remedy[120] = "";
    const char *unit = attr->unit, *gap = *unit ? " " : "";
    const char *least = attr->flags & SN_ATTR_POSITIVE ? "greater than" : "at least";
    int n = snprintf(range, sizeof range, "%s %g", least, attr->min);
    if (!isinf(attr->max)) n += snprintf(range + n, sizeof range - (size_t)n, " and at most %g", attr->max);
    snprintf(range + n, sizeof range - (size_t)n, "%s%s", gap, unit);
    if (element == SN_KIND_CONSTRAINT && strcmp(attr->name, "position") == 0)
        snprintf(remedy, sizeof remedy, "the strand starts at 0 and ends at 1: elsewhere the constraint is off it");
    else if (attr->type == SN_ATTR_NUMBER || attr->type == SN_ATTR_INT)
        snprintf(remedy, sizeof remedy, "the default is %g", attr->initial[0]);
    sn_check_error(c, element, id, remedy, "%s is %g%s%s; it must be %s", attr->name, v, gap, unit, range);
}

/* The first bad one of some numbers. */
static void check_numbers(snChecker *c, int element, snId id, const snAttr *attr, const double *v, int64_t n)
{
    for (int64_t i = 0; i < n; ++i) {
        if (!isfinite(v[i])) {
            sn_check_error(c, element, id, NULL, "%s has a value that is not a finite number (number %lld)", attr->name,
                           (long long)(i + 1));
            return;
        }
        if (!in_range(attr, v[i])) {
            report_range(c, element, id, attr, v[i]);
            return;
        }
    }
}

static void check_enum(snChecker *c, int element, snId id, const snAttr *attr, const void *def)
{
    int value = sn_attr_enum(attr, def), count = 0;
    while (attr->names[count]) ++count;
    if (value < 0 || value >= count)
        sn_check_error(c, element, id, NULL, "%s is %d, which is none of the %d choices", attr->name, value, count);
}

static void check_attr(snChecker *c, int element, snId id, const snAttr *attr, const void *def)
{
    const void *at = sn_attr_get(attr, def);
    if ((attr->flags & SN_ATTR_MAY_BE_NAN) && sn_attr_is_default(attr, def)) return;
    switch (attr->type) {
    case SN_ATTR_INT:
        if (!in_range(attr, *(const int32_t *)at)) report_range(c, element, id, attr, *(const int32_t *)at);
        break;
    case SN_ATTR_NUMBER:
        check_numbers(c, element, id, attr, at, 1);
        break;
    case SN_ATTR_VECTOR:
        check_numbers(c, element, id, attr, at, attr->width);
        break;
    case SN_ATTR_ENUM:
        check_enum(c, element, id, attr, def);
        break;
    case SN_ATTR_NUMBERS:
        check_numbers(c, element, id, attr, *(const double *const *)at,
                      (int64_t)attr->width * sn_attr_count(attr, def));
        break;
    case SN_ATTR_BOOL:
    case SN_ATTR_STRING:
    case SN_ATTR_INTS:
        break;
    }
}

static void check_def(snChecker *c, int element, snId id, const void *def)
{
    const snElement *e = sn_element(element);
    for (int i = 0; i < e->nattr; ++i)
        if (sn_attr_applies(element, &e->attr[i], def)) check_attr(c, element, id, &e->attr[i], def);
}

/* ---- names -------------------------------------------------------------------------------- */

static void check_name(snChecker *c, snKind kind, snId id)
{
    const char *name = name_of(c->spec, (int)kind, id);
    bool listed = kind == SN_KIND_STRAND || kind == SN_KIND_GROUP || kind == SN_KIND_LINE_MUSCLE;
    if (!*name) {
        sn_check_error(c, (int)kind, id, "give every element a name", "the name is empty");
        return;
    }
    if (strlen(name) > SN_NAME_MAX)
        sn_check_error(c, (int)kind, id, "shorten it", "the name has more than %d bytes", SN_NAME_MAX);
    const char *fault = sn_name_fault(name);
    if (fault && !(listed && strpbrk(name, " \t\r\n")))
        sn_check_error(c, (int)kind, id, "rename it", "the name %s", fault);
    if (listed && strpbrk(name, " \t\r\n"))
        sn_check_error(c, (int)kind, id, "use _ instead", "the name has a blank, so no list can contain it");
    snId first = sn_spec_find(c->spec, kind, name);
    if (first == id) return;
    snOrigin here = sn_spec_origin(c->spec, (int)kind, id), there = sn_spec_origin(c->spec, (int)kind, first);
    char place[200] = "";
    if (there.line && strcmp(here.file, there.file) == 0)
        snprintf(place, sizeof place, "; the first is in line %d", there.line);
    else if (there.line)
        snprintf(place, sizeof place, "; the first is in line %d of %.150s", there.line, there.file);
    sn_check_error(c, (int)kind, id, "rename one of them", "a second one of this name%s", place);
}

static void check_schema(snChecker *c)
{
    check_def(c, SN_ELEMENT_SCENE, 0, sn_spec_scene(c->spec));
    check_def(c, SN_ELEMENT_MODEL, 0, sn_spec_model(c->spec));
    for (int kind = 0; kind < SN_KINDS; ++kind)
        for (snId id = 1; id <= sn_spec_count(c->spec, (snKind)kind); ++id) {
            check_name(c, (snKind)kind, id);
            const void *def = sn_spec_def(c->spec, (snKind)kind, id);
            if (kind == SN_KIND_NODE && (unsigned)((const snNodeDef *)def)->kind >= SN_NODE_KINDS)
                sn_check_error(c, kind, id, NULL, "the node is of an unknown kind");
            else
                check_def(c, kind, id, def);
        }
}

static void check_model(snChecker *c)
{
    const snModelDef *model = sn_spec_model(c->spec);
    snId skin = sn_spec_find(c->spec, SN_KIND_NODE, model->skin);
    if (*model->skin && !skin) sn_check_dangling(c, SN_ELEMENT_MODEL, 0, "skin", model->skin, SN_KIND_NODE, "node");
    if (skin && sn_spec_node(c->spec, skin)->kind != SN_NODE_MESH)
        sn_check_error(c, SN_ELEMENT_MODEL, 0, "name a Mesh", "skin is \"%.100s\", which is not a mesh", model->skin);
    snNamedView view;
    const char *at = model->views;
    while (sn_next_view(&at, &view)) {}
    if (*at)
        sn_check_error(c, SN_ELEMENT_MODEL, 0, "write NAME=AXIS, as in Palmar=-z Dorsal=+z",
                       "views: \"%.60s\" is not a named view", at);
    if (sn_spec_count(c->spec, SN_KIND_BODY) + sn_spec_count(c->spec, SN_KIND_STRAND) == 0)
        sn_check_warning(c, SN_ELEMENT_MODEL, 0, "add RigidBody and Strand elements to the muscle file",
                         "the model has neither bodies nor strands");
}

static void check_all(snChecker *c)
{
    check_schema(c);
    check_model(c);
    sn_check_scene(c);
    sn_check_prepare(c);
    if (c->no_memory) return;
    sn_check_bodies(c);
    sn_check_joints(c);
    sn_check_curves(c);
    sn_check_strands(c);
    sn_check_groups(c);
    sn_check_functions(c);
    sn_check_constraints(c);
    sn_check_paths(c);
    sn_check_wraps(c);
    sn_check_routing(c);
    sn_check_tree(c);
}

snStatus sn_check(const snSpec *spec, snProblems *problems)
{
    if (!spec || !problems) return SN_BAD_ARGUMENT;
    snChecker c = {.spec = spec};
    add_misread(&c);
    add_missing(&c);
    check_all(&c);
    sn_arena_free(&c.memory);
    *problems = (snProblems){0};
    if (c.no_memory) {
        sn_free(c.problem);
        return SN_NO_MEMORY;
    }
    *problems = (snProblems){.count = c.count, .nerror = c.nerror, .problem = c.problem, .memory = c.problem};
    sn_spec_set_sound(spec, c.nerror == 0);
    return c.nerror ? SN_BAD_INPUT : SN_OK;
}
