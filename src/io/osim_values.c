/* Values of an OpenSim file, and what is said about it. */
#include "io/osim.h"

#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- saying ------------------------------------------------------------------------------- */

const char *osim_name(const snXmlNode *node)
{
    const char *name = node ? sn_xml_attribute(node->attribute, "name") : NULL;
    return name ? name : "";
}

snOrigin osim_origin(const snOsim *o, const snXmlNode *node)
{
    return (snOrigin){o->file, node ? node->line : 0, node ? node->column : 0};
}

/* Place and element; of an element without a name that of the nearest above that has one too. */
static void place_error(const snOsim *o, const snXmlNode *at, snError *error)
{
    sn_error_place(error, o->file, at ? at->line : 0, at ? at->column : 0);
    const snXmlNode *named = at;
    while (named && !*osim_name(named)) named = named->parent;
    if (named) sn_error_element(error, named->tag, osim_name(named));
}

snStatus osim_fail(snOsim *o, const snXmlNode *at, const char *remedy, const char *format, ...)
{
    char message[sizeof o->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sn_fail(o->error, SN_BAD_FILE, "%s", message);
    place_error(o, at, o->error);
    if (remedy) sn_error_remedy(o->error, "%s", remedy);
    return SN_BAD_FILE;
}

snStatus osim_no_memory(snOsim *o)
{
    return sn_fail_no_memory(o->error);
}

snStatus osim_miss(snOsim *o, const snXmlNode *at, const char *format, ...)
{
    snError note = {.status = SN_OK};
    va_list args;
    va_start(args, format);
    vsnprintf(note.message, sizeof note.message, format, args);
    va_end(args);
    sn_text_tame(note.message);
    place_error(o, at, &note);
    return sn_spec_add_missing(o->spec, &note) ? SN_OK : osim_no_memory(o);
}

/* ---- names -------------------------------------------------------------------------------- */

const char *osim_last(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- properties --------------------------------------------------------------------------- */

const snXmlNode *osim_property(const snOsim *o, const snXmlNode *object, const char *tag)
{
    const snXmlNode *own = sn_xml_child(object, tag);
    if (own || !object) return own;
    return sn_xml_child(sn_xml_child(sn_xml_child(o->model, "defaults"), object->tag), tag);
}

snStatus osim_numbers(snOsim *o, const snXmlNode *node, int32_t *count, double **values)
{
    const char *s = node->text;
    size_t room = strlen(s) / 2 + 1;
    *count = 0;
    if (!(*values = sn_arena_alloc(o->arena, room, sizeof **values))) return osim_no_memory(o);
    for (;;) {
        s += strspn(s, " \t\r\n,()~[]");
        size_t n = strcspn(s, " \t\r\n,()~[]");
        if (!n) return SN_OK;
        if (!sn_text_number(s, n, &(*values)[*count]))
            return osim_fail(o, node, NULL, "%s has \"%.*s\", which is not a finite number", node->tag,
                             (int)(n < 40 ? n : 40), s);
        ++*count;
        s += n;
    }
}

snStatus osim_vector(snOsim *o, const snXmlNode *object, const char *tag, int count, double *value)
{
    const snXmlNode *node = osim_property(o, object, tag);
    double *given;
    int32_t n;
    if (!node || !*node->text) return SN_OK;
    snStatus status = osim_numbers(o, node, &n, &given);
    if (status) return status;
    if (n != count) return osim_fail(o, node, NULL, "%s has %d numbers; expected %d", tag, (int)n, count);
    memcpy(value, given, (size_t)count * sizeof *value);
    return SN_OK;
}

snStatus osim_number(snOsim *o, const snXmlNode *object, const char *tag, double *value)
{
    return osim_vector(o, object, tag, 1, value);
}

bool osim_flag(const snOsim *o, const snXmlNode *object, const char *tag, bool otherwise)
{
    const snXmlNode *node = osim_property(o, object, tag);
    if (!node || !*node->text) return otherwise;
    return strcmp(node->text, "true") == 0 || strcmp(node->text, "1") == 0;
}

rigid osim_place_of(const double translation[3], const double angle[3])
{
    quat q = q_mul(q_axis_angle(v3_of(1, 0, 0), angle[0]),
                   q_mul(q_axis_angle(v3_of(0, 1, 0), angle[1]), q_axis_angle(v3_of(0, 0, 1), angle[2])));
    return (rigid){q, v3_load(translation)};
}

const snXmlNode *osim_objects(const snXmlNode *parent, const char *set)
{
    const snXmlNode *in = sn_xml_child(parent, set), *objects = sn_xml_child(in, "objects");
    if (objects) return objects->child;
    return in ? in->child : NULL;
}
