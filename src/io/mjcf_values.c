/* Values of an MJCF file with its defaults, and what is said about it. Every element keeps the name of its file in its
 * text, which MJCF does not use: see mjcf.c. */
#include "io/mjcf.h"

#include "base/error.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *mjcf_name(const snXmlNode *node)
{
    const char *name = node ? sn_xml_attribute(node->attribute, "name") : NULL;
    return name ? name : "";
}

snOrigin mjcf_origin(const snMjcf *m, const snXmlNode *at)
{
    const char *file = at && *at->text ? sn_spec_text(m->spec, at->text) : m->file;
    return (snOrigin){file ? file : m->file, at ? at->line : 0, at ? at->column : 0};
}

static void place_error(const snMjcf *m, const snXmlNode *at, snError *error)
{
    sn_error_place(error, at && *at->text ? at->text : m->file, at ? at->line : 0, at ? at->column : 0);
    if (at) sn_error_element(error, at->tag, *mjcf_name(at) ? mjcf_name(at) : NULL);
}

snStatus mjcf_fail(snMjcf *m, const snXmlNode *at, const char *remedy, const char *format, ...)
{
    char message[sizeof m->error->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sn_text_tame(message);
    sn_fail(m->error, SN_BAD_FILE, "%s", message);
    place_error(m, at, m->error);
    if (remedy) sn_error_remedy(m->error, "%s", remedy);
    return SN_BAD_FILE;
}

snStatus mjcf_no_memory(snMjcf *m)
{
    return sn_fail_no_memory(m->error);
}

snStatus mjcf_miss(snMjcf *m, const snXmlNode *at, const char *format, ...)
{
    snError note = {.status = SN_OK};
    va_list args;
    va_start(args, format);
    vsnprintf(note.message, sizeof note.message, format, args);
    va_end(args);
    sn_text_tame(note.message);
    place_error(m, at, &note);
    return sn_spec_add_missing(m->spec, &note) ? SN_OK : mjcf_no_memory(m);
}

const snXmlNode *mjcf_section(const snMjcf *m, const char *tag, const snXmlNode *after)
{
    for (const snXmlNode *s = after ? after->next : m->root->child; s; s = s->next)
        if (strcmp(s->tag, tag) == 0) return s;
    return NULL;
}

/* ---- defaults ----------------------------------------------------------------------------- */

/* The <default> element of a class; NULL as name: the outermost ones. */
static const snXmlNode *next_default(const snMjcf *m, const char *name, const snXmlNode *after)
{
    bool behind = !after;
    for (const snXmlNode *top = mjcf_section(m, "default", NULL); top; top = mjcf_section(m, "default", top))
        for (const snXmlNode *d = top; d; d = sn_xml_next(d, top)) {
            const char *own = strcmp(d->tag, "default") == 0 ? sn_xml_attribute(d->attribute, "class") : NULL;
            bool fits = strcmp(d->tag, "default") == 0 && (name ? own && strcmp(own, name) == 0 : d == top);
            if (fits && behind) return d;
            if (d == after) behind = true;
        }
    return NULL;
}

static bool is_actuator(const snXmlNode *node)
{
    return node->parent && strcmp(node->parent->tag, "actuator") == 0;
}

/* Whether defaults of this tag are for the element: all actuators share theirs, and spatial tendons are <tendon>. */
static bool is_for(const snXmlNode *given, const snXmlNode *node)
{
    if (strcmp(given->tag, node->tag) == 0) return true;
    if (is_actuator(node)) return strcmp(given->tag, "general") == 0;
    bool tendon = strcmp(node->tag, "spatial") == 0 || strcmp(node->tag, "fixed") == 0;
    return tendon && strcmp(given->tag, "tendon") == 0;
}

static const char *in_default(const snXmlNode *d, const snXmlNode *node, const char *attribute)
{
    const char *value = NULL;
    for (const snXmlNode *given = d->child; given; given = given->next)
        if (is_for(given, node)) {
            const char *found = sn_xml_attribute(given->attribute, attribute);
            if (found) value = found;
        }
    return value;
}

const char *mjcf_get(const snMjcf *m, const snXmlNode *node, const char *childclass, const char *attribute,
                     const char *otherwise)
{
    const char *value = sn_xml_attribute(node->attribute, attribute),
               *name = sn_xml_attribute(node->attribute, "class");
    if (value) return value;
    if (!name) name = childclass;
    for (const snXmlNode *d = NULL; name && (d = next_default(m, name, d));)
        for (const snXmlNode *up = d; up && strcmp(up->tag, "default") == 0; up = up->parent)
            if ((value = in_default(up, node, attribute))) return value;
    for (const snXmlNode *d = NULL; (d = next_default(m, NULL, d));)
        if ((value = in_default(d, node, attribute))) return value;
    return otherwise;
}

/* ---- numbers and frames ------------------------------------------------------------------- */

snStatus mjcf_numbers(snMjcf *m, const snXmlNode *node, const char *childclass, const char *attribute, int least,
                      int count, double *value, int *given)
{
    const char *s = mjcf_get(m, node, childclass, attribute, NULL);
    int n = 0;
    if (given) *given = 0;
    if (!s) return SN_OK;
    for (;; ++n) {
        s += strspn(s, " \t\r\n,");
        size_t length = strcspn(s, " \t\r\n,");
        double number;
        if (!length) break;
        if (!sn_text_number(s, length, &number) || fabs(number) > 1e12)
            return mjcf_fail(m, node, NULL, "%s has \"%.*s\", which is not a number below 1e12", attribute,
                             (int)(length < 40 ? length : 40), s);
        if (n < count) value[n] = number;
        s += length;
    }
    if (n < least || n > count)
        return mjcf_fail(m, node, NULL, "%s has %d numbers; expected %d%s%.0d", attribute, n, least,
                         least < count ? " to " : "", least < count ? count : 0);
    if (given) *given = n;
    return SN_OK;
}

static quat from_columns(v3 x, v3 y, v3 z)
{
    double t = x.x + y.y + z.z;
    quat q;
    if (t > 0)
        q = (quat){1 + t, y.z - z.y, z.x - x.z, x.y - y.x};
    else if (x.x > y.y && x.x > z.z)
        q = (quat){y.z - z.y, 1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z};
    else if (y.y > z.z)
        q = (quat){z.x - x.z, y.x + x.y, 1 + y.y - x.x - z.z, z.y + y.z};
    else
        q = (quat){x.y - y.x, z.x + x.z, z.y + y.z, 1 + z.z - x.x - y.y};
    return q_unit(q);
}

/* The shortest turn that brings z there. */
static quat z_to(v3 to)
{
    v3 z = v3_of(0, 0, 1), n = v3_cross(z, to);
    double sine = v3_len(n), cosine = v3_dot(z, to);
    if (sine < 1e-12) return cosine < 0 ? q_axis_angle(v3_of(1, 0, 0), SN_PI) : q_identity();
    return q_axis_angle(v3_scale(n, 1 / sine), atan2(sine, cosine));
}

rigid mjcf_along(v3 from, v3 to)
{
    v3 way = v3_sub(to, from);
    return (rigid){v3_len(way) > 0 ? z_to(v3_unit(way)) : q_identity(), v3_lerp(from, to, 0.5)};
}

static quat from_euler(const snMjcf *m, const double angle[3])
{
    quat q = q_identity();
    for (int i = 0; i < 3; ++i) {
        char letter = m->eulerseq[i];
        bool fixed = letter < 'a';
        int axis = (fixed ? letter - 'X' : letter - 'x');
        quat turn = q_axis_angle(v3_of(axis == 0, axis == 1, axis == 2), angle[i] * m->degree);
        q = fixed ? q_mul(turn, q) : q_mul(q, turn);
    }
    return q;
}

snStatus mjcf_frame(snMjcf *m, const snXmlNode *node, const char *childclass, rigid *frame)
{
    double pos[3] = {0}, value[6] = {1};
    int given[5] = {0};
    *frame = rigid_identity();
    snStatus status = mjcf_numbers(m, node, childclass, "pos", 3, 3, pos, NULL);
    frame->p = v3_load(pos);
    if (!status) status = mjcf_numbers(m, node, childclass, "quat", 4, 4, value, &given[0]);
    if (!status && given[0]) frame->q = q_load(value);
    if (!status) status = mjcf_numbers(m, node, childclass, "axisangle", 4, 4, value, &given[1]);
    if (!status && given[1]) frame->q = q_axis_angle(v3_unit(v3_load(value)), value[3] * m->degree);
    if (!status) status = mjcf_numbers(m, node, childclass, "xyaxes", 6, 6, value, &given[2]);
    if (!status && given[2]) {
        v3 x = v3_unit(v3_load(value)), y = v3_load(value + 3);
        y = v3_unit(v3_mad(y, -v3_dot(x, y), x));
        frame->q = from_columns(x, y, v3_cross(x, y));
    }
    if (!status) status = mjcf_numbers(m, node, childclass, "zaxis", 3, 3, value, &given[3]);
    if (!status && given[3]) frame->q = z_to(v3_unit(v3_load(value)));
    if (!status) status = mjcf_numbers(m, node, childclass, "euler", 3, 3, value, &given[4]);
    if (!status && given[4]) frame->q = from_euler(m, value);
    if (status) return status;
    double size = q_dot(frame->q, frame->q);
    if (!(size > 1e-12)) return mjcf_fail(m, node, "give a turn", "the orientation is zero");
    frame->q = q_unit(frame->q);
    return SN_OK;
}
