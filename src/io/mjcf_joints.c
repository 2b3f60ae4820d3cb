/* Joints of an MJCF file as coordinates, and equalities of joints as coordinates that follow others. */
#include "io/mjcf.h"

#include <string.h>

static const char *joint_type(const snMjcf *m, const mjcfJoint *j)
{
    if (strcmp(j->node->tag, "freejoint") == 0) return "free";
    return mjcf_get(m, j->node, m->body.at[j->body].childclass, "type", "hinge");
}

static snStatus add_coordinate(snMjcf *m, const mjcfJoint *j, snCoordinateDef *def, const char *suffix)
{
    const mjcfBody *b = &m->body.at[j->body];
    const char *called = *j->called ? j->called : b->name;
    const char *name = sn_foreign_text(m->arena, "%s%s", called, suffix);
    if (!name || !(def->name = sn_foreign_name(m->spec, m->arena, SN_KIND_COORDINATE, name))) return mjcf_no_memory(m);
    def->body = b->name;
    def->parent = m->body.at[m->body.at[b->parent].owner].name;
    return sn_spec_add(m->spec, SN_KIND_COORDINATE, def, mjcf_origin(m, j->node), NULL) ? mjcf_no_memory(m) : SN_OK;
}

/* ---- ball and free ------------------------------------------------------------------------ */

/* Three turns about the axes of the body as drawn, after three slides along those of the world. */
static snStatus write_turns(snMjcf *m, const mjcfJoint *j, bool free, v3 at)
{
    static const char *const slide[] = {"_tx", "_ty", "_tz"}, *const turn[] = {"_rx", "_ry", "_rz"};
    const mjcfBody *b = &m->body.at[j->body];
    snStatus status = SN_OK;
    for (int k = free ? 0 : 3; k < 6 && !status; ++k) {
        snCoordinateDef def = sn_default_coordinate_def();
        v3 axis = v3_of(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        def.type = k < 3 ? SN_COORDINATE_SLIDE : SN_COORDINATE_TURN;
        def.range[0] = def.range[1] = NAN;
        v3_store(def.axis, k < 3 ? axis : q_rotate(b->drawn.q, axis));
        v3_store(def.center, at);
        status = add_coordinate(m, j, &def, k < 3 ? slide[k] : turn[k - 3]);
    }
    if (!status && !free)
        status = mjcf_miss(m, j->node,
                           "a ball joint becomes three turns about x, y and z; its range, stiffness and damping are "
                           "left out");
    return status;
}

/* ---- hinge and slide ---------------------------------------------------------------------- */

static snStatus read_range(snMjcf *m, const mjcfJoint *j, snCoordinateDef *def, double unit, double ref)
{
    const char *childclass = m->body.at[j->body].childclass;
    const char *limited = mjcf_get(m, j->node, childclass, "limited", "auto");
    double range[2] = {0, 0};
    int given = 0;
    snStatus status = mjcf_numbers(m, j->node, childclass, "range", 2, 2, range, &given);
    bool yes = strcmp(limited, "true") == 0 || (strcmp(limited, "auto") == 0 && given && !m->limits_by_word);
    for (int k = 0; k < 2; ++k) def->range[k] = yes && given ? unit * (range[k] - ref) : NAN;
    if (!status && yes && given && !(range[0] < range[1]))
        return mjcf_fail(m, j->node, "the lower end comes first", "the range is %g to %g", range[0], range[1]);
    return status;
}

static snStatus write_joint(snMjcf *m, mjcfJoint *j)
{
    const mjcfBody *b = &m->body.at[j->body];
    const char *type = joint_type(m, j), *cc = b->childclass;
    snCoordinateDef def = sn_default_coordinate_def();
    double pos[3] = {0}, axis[3] = {0, 0, 1}, ref = 0, rest = 0, friction = 0;
    snStatus status = mjcf_numbers(m, j->node, cc, "pos", 3, 3, pos, NULL);
    v3 at = rigid_apply(b->drawn, v3_load(pos));
    if (status) return status;
    if (strcmp(type, "ball") == 0 || strcmp(type, "free") == 0) return write_turns(m, j, type[0] == 'f', at);
    j->slides = strcmp(type, "slide") == 0;
    if (!j->slides && strcmp(type, "hinge") != 0)
        return mjcf_fail(m, j->node, "hinge, slide, ball or free", "the type of the joint is \"%.40s\"", type);
    double unit = j->slides ? 1 : m->degree / SN_DEG; /* ours: degrees */
    if (!status) status = mjcf_numbers(m, j->node, cc, "axis", 3, 3, axis, NULL);
    if (!status) status = mjcf_numbers(m, j->node, cc, "ref", 1, 1, &ref, NULL);
    if (!status) status = mjcf_numbers(m, j->node, cc, "springref", 1, 1, &rest, NULL);
    if (!status) status = mjcf_numbers(m, j->node, cc, "stiffness", 1, 1, &def.stiffness, NULL);
    if (!status) status = mjcf_numbers(m, j->node, cc, "damping", 1, 1, &def.damping, NULL);
    if (!status) status = mjcf_numbers(m, j->node, cc, "frictionloss", 1, 1, &friction, NULL);
    if (!status) status = read_range(m, j, &def, unit, ref);
    if (status) return status;
    if (!(v3_len(v3_load(axis)) > 1e-12)) return mjcf_fail(m, j->node, "give a direction", "the axis is zero");
    def.type = j->slides ? SN_COORDINATE_SLIDE : SN_COORDINATE_TURN;
    def.rest = unit * (rest - ref);
    v3_store(def.axis, v3_unit(q_rotate(b->drawn.q, v3_load(axis))));
    v3_store(def.center, at);
    status = add_coordinate(m, j, &def, "");
    j->name = def.name;
    if (!status && friction > 0) status = mjcf_miss(m, j->node, "frictionloss %g is left out", friction);
    return status;
}

/* ---- equality ----------------------------------------------------------------------------- */

static mjcfJoint *find_joint(snMjcf *m, const char *called)
{
    for (int32_t i = 0; called && i < m->joint.count; ++i)
        if (m->joint.at[i].name && strcmp(m->joint.at[i].called, called) == 0) return &m->joint.at[i];
    return NULL;
}

/* A polynomial over one coordinate put into another one: c(p(x)), up to the degree that there is room for. */
static void compose(const double outer[5], const double inner[5], double out[5], bool *fits)
{
    double power[5] = {1, 0, 0, 0, 0};
    memset(out, 0, 5 * sizeof *out);
    for (int k = 0; k < 5; ++k) {
        double next[5] = {0};
        for (int i = 0; i < 5; ++i) out[i] += outer[k] * power[i];
        for (int i = 0; i < 5; ++i)
            for (int j = 0; j < 5; ++j) {
                if (i + j < 5)
                    next[i + j] += power[i] * inner[j];
                else if (power[i] * inner[j] != 0 && k + 1 < 5) {
                    for (int n = k + 1; n < 5; ++n) *fits = *fits && outer[n] == 0;
                }
            }
        memcpy(power, next, sizeof power);
    }
}

/* y = c(x) in rad and m as coefficients in degrees and m. */
static void in_degrees(double c[5], bool y_slides, bool x_slides)
{
    double scale = y_slides ? 1 : 1 / SN_DEG;
    for (int k = 0; k < 5; ++k) {
        c[k] *= scale;
        if (!x_slides) scale *= SN_DEG;
    }
}

static snStatus follow(snMjcf *m, const mjcfJoint *j, const char *other, const double c[5])
{
    snId id = sn_spec_find(m->spec, SN_KIND_COORDINATE, j->name);
    snCoordinateDef *def = sn_spec_edit(m->spec, SN_KIND_COORDINATE, id);
    int32_t n = 5;
    while (n > 1 && c[n - 1] == 0) --n;
    def->follows = sn_spec_text(m->spec, other);
    def->function = SN_FOLLOWING_POLYNOMIAL;
    const snAttr *values = sn_attr_find(sn_element(SN_KIND_COORDINATE), "Values");
    if (!def->follows || sn_spec_set_array(m->spec, SN_KIND_COORDINATE, id, values, n, c)) return mjcf_no_memory(m);
    return SN_OK;
}

static snStatus couple(snMjcf *m, const snXmlNode *e)
{
    const char *active = sn_xml_attribute(e->attribute, "active");
    const char *first = sn_xml_attribute(e->attribute, "joint1"), *second = sn_xml_attribute(e->attribute, "joint2");
    mjcfJoint *y = find_joint(m, first), *x = find_joint(m, second);
    double c[5] = {0, 1, 0, 0, 0}, all[5];
    bool fits = true;
    snStatus status = mjcf_numbers(m, e, NULL, "polycoef", 1, 5, c, NULL);
    if (status || (active && strcmp(active, "false") == 0)) return status;
    if (!y || (second && !x))
        return mjcf_fail(m, e, "name a hinge or a slide", "there is no joint \"%.80s\"",
                         y ? second : (first ? first : ""));
    if (!x)
        return mjcf_miss(m, e, "joint %.80s is to be held: it stays free to move, at first where it is drawn", first);
    const snCoordinateDef *own = sn_spec_coordinate(m->spec, sn_spec_find(m->spec, SN_KIND_COORDINATE, y->name));
    const snCoordinateDef *lead = sn_spec_coordinate(m->spec, sn_spec_find(m->spec, SN_KIND_COORDINATE, x->name));
    if (*own->follows) return mjcf_miss(m, e, "joint %.80s follows another one already: this is left out", first);
    in_degrees(c, y->slides, x->slides);
    if (!*lead->follows) return follow(m, y, x->name, c);
    double inner[5] = {0};
    memcpy(inner, lead->value, sizeof(double) * (size_t)(lead->nvalue < 5 ? lead->nvalue : 5));
    compose(c, inner, all, &fits);
    if (strcmp(lead->follows, y->name) == 0)
        return mjcf_fail(m, e, "leave one of them out", "joints %.80s and %.80s follow each other", first, second);
    if (!fits)
        return mjcf_miss(m, e,
                         "joint %.80s follows one that follows another, by a polynomial of more than the fourth "
                         "degree: it moves freely",
                         first);
    return follow(m, y, lead->follows, all);
}

static snStatus say_armature(snMjcf *m)
{
    snStatus status = SN_OK;
    int32_t count = 0;
    for (int32_t i = 0; i < m->joint.count && !status; ++i) {
        double armature = 0;
        const mjcfJoint *j = &m->joint.at[i];
        status = mjcf_numbers(m, j->node, m->body.at[j->body].childclass, "armature", 1, 1, &armature, NULL);
        count += armature > 0;
    }
    if (status || !count) return status;
    return mjcf_miss(m, m->root, "the armature of %d joints is left out: they have less inertia", (int)count);
}

snStatus mjcf_write_coordinates(snMjcf *m)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < m->joint.count && !status; ++i) status = write_joint(m, &m->joint.at[i]);
    if (!status) status = say_armature(m);
    for (const snXmlNode *s = NULL; !status && (s = mjcf_section(m, "equality", s));)
        for (const snXmlNode *e = s->child; e && !status; e = e->next)
            status = strcmp(e->tag, "joint") == 0
                         ? couple(m, e)
                         : mjcf_miss(m, e, "the equality of kind %s is left out: what it joins moves freely", e->tag);
    return status;
}
