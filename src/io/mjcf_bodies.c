/* Bodies, joints, sites and geoms of an MJCF file, placed in the world of the reference pose. */
#include "io/mjcf.h"

#include <string.h>

static snStatus add_place(snMjcf *m, const snXmlNode *node, int32_t body, const char *childclass, bool geom)
{
    mjcfPlace p = {.called = mjcf_name(node), .node = node, .body = body, .childclass = childclass};
    double ends[6];
    int given;
    snStatus status = mjcf_numbers(m, node, childclass, "fromto", 6, 6, ends, &given);
    if (!status && given)
        p.frame = mjcf_along(v3_load(ends), v3_load(ends + 3));
    else if (!status)
        status = mjcf_frame(m, node, childclass, &p.frame);
    if (status) return status;
    p.frame = rigid_mul(m->body.at[body].drawn, p.frame);
    bool fine = geom ? sn_array_push(&m->geom, p) : sn_array_push(&m->site, p);
    return fine ? SN_OK : mjcf_no_memory(m);
}

/* Joints of a body; a ball and a free joint become three and six coordinates. */
static snStatus add_joint(snMjcf *m, const snXmlNode *node, int32_t body)
{
    mjcfJoint j = {.called = mjcf_name(node), .node = node, .body = body};
    return sn_array_push(&m->joint, j) ? SN_OK : mjcf_no_memory(m);
}

static bool is_joint(const snXmlNode *node)
{
    return strcmp(node->tag, "joint") == 0 || strcmp(node->tag, "freejoint") == 0;
}

static snStatus read_body(snMjcf *m, const snXmlNode *node, int32_t parent, const char *childclass);

static snStatus read_children(snMjcf *m, const snXmlNode *node, int32_t body, const char *childclass)
{
    snStatus status = SN_OK;
    for (const snXmlNode *c = node->child; c && !status; c = c->next) {
        if (strcmp(c->tag, "site") == 0)
            status = add_place(m, c, body, childclass, false);
        else if (strcmp(c->tag, "geom") == 0)
            status = add_place(m, c, body, childclass, true);
        else if (is_joint(c))
            status = body ? add_joint(m, c, body) : mjcf_fail(m, c, "put it into a body", "the world has a joint");
        else if (strcmp(c->tag, "composite") == 0 || strcmp(c->tag, "flexcomp") == 0 ||
                 strcmp(c->tag, "replicate") == 0 || strcmp(c->tag, "attach") == 0 || strcmp(c->tag, "frame") == 0)
            status = mjcf_miss(m, c, "a %s is left out, with all that is in it", c->tag);
    }
    for (const snXmlNode *c = node->child; c && !status; c = c->next)
        if (strcmp(c->tag, "body") == 0) status = read_body(m, c, body, childclass);
    return status;
}

static const char *unused_name(snMjcf *m, const char *called)
{
    const char *clean = *called ? called : sn_foreign_text(m->arena, "body%d", (int)m->body.count), *unique;
    if (!clean || !(clean = unique = sn_foreign_name(m->spec, m->arena, SN_KIND_BODY, clean))) return NULL;
    for (int k = 2; unique; ++k) {
        bool taken = false;
        for (int32_t i = 0; i < m->body.count; ++i) taken = taken || strcmp(m->body.at[i].name, unique) == 0;
        if (!taken) return unique;
        unique = sn_foreign_text(m->arena, "%s_%d", clean, k);
    }
    return NULL;
}

static snStatus read_body(snMjcf *m, const snXmlNode *node, int32_t parent, const char *childclass)
{
    const char *own = sn_xml_attribute(node->attribute, "childclass");
    mjcfBody b = {.called = mjcf_name(node), .node = node, .parent = parent, .owner = m->body.at[parent].owner};
    b.childclass = childclass = own ? own : childclass;
    rigid frame;
    snStatus status = mjcf_frame(m, node, NULL, &frame);
    if (status) return status;
    b.drawn = rigid_mul(m->body.at[parent].drawn, frame);
    if (!(b.name = unused_name(m, b.called))) return mjcf_no_memory(m);
    for (const snXmlNode *c = node->child; c; c = c->next)
        if (is_joint(c)) b.owner = m->body.count;
    if (!sn_array_push(&m->body, b)) return mjcf_no_memory(m);
    return read_children(m, node, m->body.count - 1, childclass);
}

snStatus mjcf_read_bodies(snMjcf *m)
{
    mjcfBody world = {.called = "world", .name = "world", .node = m->root, .drawn = rigid_identity()};
    snStatus status = sn_array_push(&m->body, world) ? SN_OK : mjcf_no_memory(m);
    for (const snXmlNode *w = NULL; !status && (w = mjcf_section(m, "worldbody", w));)
        status = read_children(m, w, 0, sn_xml_attribute(w->attribute, "childclass"));
    if (!status && m->body.count == 1)
        status = mjcf_fail(m, m->root, "is it a file that others include?", "the model has no body");
    return status;
}
