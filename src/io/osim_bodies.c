/* Bodies and the frames that things are given in. Version 3 names bodies; version 4 names frames by paths of components
 * (/jointset/hip_r/femur_offset), of which the last two parts are enough to find them. */
#include "io/osim.h"

#include <string.h>

const char *const osim_body_sets[OSIM_SETS] = {"BodySet", "ComponentSet", "components"};
const char *const osim_joint_sets[OSIM_SETS] = {"JointSet", "ComponentSet", "components"};

enum { OFFSETS = 20 }; /* of an offset of an offset ... */

static snStatus add_body(snOsim *o, const char *called, const char *name, const snXmlNode *node)
{
    osimBody body = {.called = called, .name = name, .node = node};
    body.in_parent = body.in_child = body.drawn = body.now = rigid_identity();
    if (!name || !sn_array_push(&o->body, body)) return osim_no_memory(o);
    return SN_OK;
}

int32_t osim_find_body(const snOsim *o, const char *called)
{
    for (int32_t i = 0; i < o->body.count; ++i)
        if (strcmp(o->body.at[i].called, called) == 0) return i;
    return -1;
}

static const char *unused_name(snOsim *o, const char *called)
{
    const char *clean = sn_foreign_name(o->spec, o->arena, SN_KIND_BODY, called);
    if (clean && (strcmp(clean, "world") == 0 || strcmp(clean, "-") == 0))
        clean = sn_foreign_text(o->arena, "%s_body", clean);
    const char *unique = clean;
    for (int k = 2; unique; ++k) {
        bool taken = false;
        for (int32_t i = 0; i < o->body.count; ++i) taken = taken || strcmp(o->body.at[i].name, unique) == 0;
        if (!taken) return unique;
        unique = sn_foreign_text(o->arena, "%s_%d", clean, k);
    }
    return NULL;
}

static snStatus read_body(snOsim *o, const snXmlNode *node)
{
    const char *called = osim_name(node);
    if (strcmp(called, "ground") == 0)
        o->body.at[0].node = node;
    else if (osim_find_body(o, called) >= 0)
        return osim_fail(o, node, "rename one of them", "a second body of this name");
    else
        return add_body(o, called, unused_name(o, called), node);
    return SN_OK;
}

snStatus osim_read_bodies(snOsim *o)
{
    snStatus status = add_body(o, "ground", "world", sn_xml_child(o->model, "Ground"));
    for (int set = 0; set < OSIM_SETS; ++set)
        for (const snXmlNode *node = osim_objects(o->model, osim_body_sets[set]); node && !status; node = node->next)
            if (strcmp(node->tag, "Body") == 0) status = read_body(o, node);
    return status;
}

snStatus osim_add_carrier(snOsim *o, const char *name, const snXmlNode *at, int32_t parent, rigid frame,
                          const osimStep step[3], int32_t *body)
{
    snStatus status = add_body(o, "", unused_name(o, name), NULL);
    if (status) return status;
    osimBody *b = &o->body.at[ *body = o->body.count - 1];
    b->joint = at;
    b->joint_name = b->name;
    b->parent = parent;
    b->in_parent = frame;
    b->nstep = 3;
    memcpy(b->step, step, 3 * sizeof *step);
    b->has_joint = true;
    return SN_OK;
}

/* ---- frames ------------------------------------------------------------------------------- */

/* What a socket of an object is connected to, in the spelling of any version; NULL: nothing. */
static const snXmlNode *connectee(const snXmlNode *object, const char *socket)
{
    char tag[80];
    const snXmlNode *found;
    (void)snprintf(tag, sizeof tag, "socket_%s", socket);
    if ((found = sn_xml_child(object, tag))) return found;
    (void)snprintf(tag, sizeof tag, "socket_%s_connectee_name", socket);
    if ((found = sn_xml_child(object, tag))) return found;
    const snXmlNode *list = sn_xml_child(object, "connectors");
    for (found = list ? list->child : NULL; found; found = found->next)
        if (strcmp(osim_name(found), socket) == 0) return sn_xml_child(found, "connectee_name");
    return sn_xml_child(object, socket);
}

static const snXmlNode *offset_in(const snXmlNode *within, const char *name)
{
    for (const snXmlNode *node = within; node; node = sn_xml_next(node, within))
        if (strstr(node->tag, "OffsetFrame") && strcmp(osim_name(node), name) == 0) return node;
    return NULL;
}

/* The offset frame of a path: within the object, within the joint that the path names, anywhere. */
static const snXmlNode *find_offset(const snOsim *o, const snXmlNode *context, const char *path, bool anywhere)
{
    const char *last = osim_last(path);
    const snXmlNode *found = offset_in(context, last);
    size_t n = (size_t)(last - path), first = n > 0 ? n - 1 : 0;
    while (first > 0 && path[first - 1] != '/') --first;
    for (const snXmlNode *node = o->model; node && !found && n > first + 1; node = sn_xml_next(node, o->model)) {
        const char *name = osim_name(node);
        if (strlen(name) == n - 1 - first && memcmp(name, path + first, n - 1 - first) == 0)
            found = offset_in(node, last);
    }
    return found || !anywhere ? found : offset_in(o->model, last);
}

/* The frame that a component hangs in: what ".." means. */
static const snXmlNode *above(const snXmlNode *node)
{
    while (node && strcmp(node->tag, "Body") != 0 && strcmp(node->tag, "Ground") != 0 &&
           !strstr(node->tag, "OffsetFrame"))
        node = node->parent;
    return node;
}

static snStatus resolve(snOsim *o, const snXmlNode *context, const snXmlNode *at, int32_t *body, rigid *place)
{
    *place = rigid_identity();
    for (int depth = 0; depth < OFFSETS; ++depth) {
        const char *path = at->text;
        const snXmlNode *up = strcmp(path, "..") == 0 ? above(at->parent->parent) : NULL;
        if (up) path = *osim_name(up) ? osim_name(up) : "ground";
        const snXmlNode *offset = up && strstr(up->tag, "OffsetFrame") ? up : NULL;
        if (!up) offset = find_offset(o, context, path, false);
        if (!offset && (*body = osim_find_body(o, osim_last(path))) >= 0) return SN_OK;
        if (!offset) offset = find_offset(o, context, path, true);
        if (!offset)
            return osim_fail(o, at, "name a body of the file, or ground", "there is no body or frame \"%.100s\"", path);
        double translation[3] = {0}, angle[3] = {0};
        snStatus status = osim_vector(o, offset, "translation", 3, translation);
        if (!status) status = osim_vector(o, offset, "orientation", 3, angle);
        if (status) return status;
        *place = rigid_mul(osim_place_of(translation, angle), *place);
        at = connectee(offset, "parent");
        context = offset->parent;
        if (!at) return osim_fail(o, offset, NULL, "the frame has no parent");
    }
    return osim_fail(o, at, NULL, "frames that are offsets of each other form a cycle");
}

snStatus osim_frame(snOsim *o, const snXmlNode *context, const char *tag, int32_t *body, rigid *place)
{
    const snXmlNode *at = connectee(context, tag);
    if (!at) at = connectee(context, "parent_body");
    if (!at) at = sn_xml_child(context, "body");
    if (!at || !*at->text)
        return osim_fail(o, context, "name a body of the file, or ground", "%s names no body", context->tag);
    return resolve(o, context, at, body, place);
}
