/* Joints as steps. Every kind of joint is a table of turns and slides between the frames on its two bodies; those of a
 * CustomJoint stand in the file. OpenSim adds translations in the parent's frame to rotations that compose, so that
 * slides come first. */
#include "io/osim.h"

#include <string.h>

typedef struct Kind {
    const char *tag;
    int nstep;
    const char *steps;      /* two characters each: t turn or s slide, and the axis; in order of composition */
    const char *coordinate; /* which coordinate of the joint each step is, one digit each */
} Kind;

static const Kind kinds[] = {
    {"WeldJoint", 0, "", ""},
    {"PinJoint", 1, "tz", "0"},
    {"SliderJoint", 1, "sx", "0"},
    {"UniversalJoint", 2, "txty", "01"},
    {"BallJoint", 3, "txtytz", "012"},
    {"GimbalJoint", 3, "txtytz", "012"},
    {"EllipsoidJoint", 3, "txtytz", "012"},
    {"PlanarJoint", 3, "sxsytz", "120"},
    {"FreeJoint", 6, "sxsysztxtytz", "345012"},
};

/* ---- coordinates -------------------------------------------------------------------------- */

int32_t osim_find_coordinate(const snOsim *o, const char *name)
{
    name = osim_last(name);
    for (int32_t i = 0; i < o->coordinate.count; ++i) {
        const osimCoordinate *c = &o->coordinate.at[i];
        if (strcmp(c->node ? osim_name(c->node) : c->name, name) == 0) return i;
    }
    return -1;
}

static snStatus add_coordinate(snOsim *o, const snXmlNode *node, const char *name, bool slides)
{
    osimCoordinate c = {.node = node,
                        .name = sn_foreign_name(o->spec, o->arena, SN_KIND_COORDINATE, name),
                        .root = o->coordinate.count};
    c.range[0] = -HUGE_VAL, c.range[1] = HUGE_VAL;
    const snXmlNode *motion = sn_xml_child(node, "motion_type"), *range = sn_xml_child(node, "range");
    snStatus status = osim_number(o, node, "default_value", &c.value);
    if (!status && range && *range->text) status = osim_vector(o, node, "range", 2, c.range);
    if (status) return status;
    c.slides = motion ? strcmp(motion->text, "translational") == 0 : slides;
    c.locked = osim_flag(o, node, "locked", false);
    c.clamped = osim_flag(o, node, "clamped", false);
    for (int k = 2; c.name && osim_find_coordinate(o, c.name) >= 0; ++k)
        c.name = sn_foreign_text(o->arena, "%s_%d", name, k);
    if (!c.name || !sn_array_push(&o->coordinate, c)) return osim_no_memory(o);
    if (osim_flag(o, node, "prescribed", false))
        status = osim_miss(o, node, "its motion is prescribed in the file; here it moves freely");
    return status;
}

/* Those of one joint; as many as its kind needs. */
static snStatus read_coordinates(snOsim *o, const snXmlNode *joint, const Kind *kind)
{
    const snXmlNode *list = sn_xml_child(joint, "coordinates");
    const snXmlNode *node = list ? list->child : osim_objects(joint, "CoordinateSet");
    int32_t count = 0;
    snStatus status = SN_OK;
    for (; node && !status; node = node->next)
        if (strcmp(node->tag, "Coordinate") == 0) {
            status = add_coordinate(o, node, osim_name(node), false);
            ++count;
        }
    for (; kind && count < kind->nstep && !status; ++count) {
        const char *name = sn_foreign_text(o->arena, "%s_coord_%d", osim_name(joint), (int)count);
        const char *step = strchr(kind->coordinate, '0' + (int)count);
        if (!name) return osim_no_memory(o);
        status = add_coordinate(o, NULL, name, step && kind->steps[2 * (step - kind->coordinate)] == 's');
    }
    return status;
}

/* ---- steps -------------------------------------------------------------------------------- */

static snStatus steps_of_kind(snOsim *o, osimBody *b, const Kind *kind, int32_t first)
{
    static const char *const names[] = {"x", "y", "z"};
    double line[] = {0, 1};
    double *identity = sn_arena_copy(o->arena, line, 2, sizeof *line);
    if (!identity) return osim_no_memory(o);
    b->nstep = kind->nstep;
    for (int i = 0; i < kind->nstep; ++i) {
        int axis = kind->steps[2 * i + 1] - 'x';
        b->step[i] = (osimStep){.slides = kind->steps[2 * i] == 's',
                                .axis = v3_of(axis == 0, axis == 1, axis == 2),
                                .coordinate = first + kind->coordinate[i] - '0',
                                .function = {.kind = SN_CURVE_POLYNOMIAL, .n = 2, .y = identity},
                                .name = names[axis]};
    }
    return SN_OK;
}

static snStatus read_axis(snOsim *o, const snXmlNode *node, bool slides, osimStep *step)
{
    double axis[3] = {0, 0, 0};
    const snXmlNode *name = sn_xml_child(node, "coordinates");
    if (!name) name = sn_xml_child(node, "coordinate");
    *step = (osimStep){.slides = slides, .coordinate = -1, .name = osim_name(node)};
    snStatus status = osim_vector(o, node, "axis", 3, axis);
    if (!status) status = osim_function(o, node, &step->function);
    if (status) return status;
    step->axis = v3_load(axis);
    if (name && *name->text) {
        if (strpbrk(name->text, " \t\n"))
            return osim_fail(o, name, "let each axis follow one coordinate",
                             "an axis that follows several coordinates");
        step->coordinate = osim_find_coordinate(o, name->text);
        if (step->coordinate < 0)
            return osim_fail(o, name, "name a coordinate of the joint", "there is no coordinate \"%.100s\"",
                             name->text);
        if (!step->function.n) {
            double line[] = {0, 1}, *y = sn_arena_copy(o->arena, line, 2, sizeof *line);
            step->function = (snCurve){.kind = SN_CURVE_POLYNOMIAL, .n = 2, .y = y};
            if (!y) return osim_no_memory(o);
        }
    }
    if (!step->function.n) status = osim_constant(o, 0, &step->function);
    if (status) return status;
    if (!(v3_len(step->axis) > 1e-9)) {
        if (step->coordinate >= 0 || step->function.y[0] != 0)
            return osim_fail(o, node, "give it a direction", "the axis has the length 0");
        step->axis = v3_of(1, 0, 0);
    }
    step->axis = v3_unit(step->axis);
    return SN_OK;
}

/* Six axes, rotations first in the file. */
static snStatus steps_of_custom(snOsim *o, osimBody *b, const snXmlNode *joint)
{
    const snXmlNode *transform = sn_xml_child(joint, "SpatialTransform");
    const snXmlNode *axis[OSIM_STEPS] = {NULL};
    int count = 0;
    for (const snXmlNode *node = transform ? transform->child : NULL; node; node = node->next)
        if (strcmp(node->tag, "TransformAxis") == 0) {
            if (count == OSIM_STEPS) return osim_fail(o, node, NULL, "a SpatialTransform has more than 6 axes");
            axis[count++] = node;
        }
    b->nstep = 0;
    snStatus status = SN_OK;
    for (int turn = 0; turn < 2; ++turn)
        for (int i = 0; i < count && !status; ++i) {
            bool slides = strncmp(osim_name(axis[i]), "translation", 11) == 0 ||
                          (strncmp(osim_name(axis[i]), "rotation", 8) != 0 && i >= 3);
            if (slides == (turn == 0)) status = read_axis(o, axis[i], slides, &b->step[b->nstep++]);
        }
    return status;
}

static void reverse_steps(osimBody *b)
{
    osimStep step[OSIM_STEPS];
    memcpy(step, b->step, sizeof step);
    for (int32_t i = 0; i < b->nstep; ++i) {
        b->step[i] = step[b->nstep - 1 - i];
        b->step[i].axis = v3_neg(b->step[i].axis);
    }
}

/* ---- joints ------------------------------------------------------------------------------- */

static snStatus read_offset(snOsim *o, const snXmlNode *joint, const char *location, const char *orientation,
                            rigid *place)
{
    double translation[3] = {0}, angle[3] = {0};
    snStatus status = osim_vector(o, joint, location, 3, translation);
    if (!status) status = osim_vector(o, joint, orientation, 3, angle);
    if (!status) *place = rigid_mul(*place, osim_place_of(translation, angle));
    return status;
}

static const Kind *kind_of(const char *tag)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(kinds[i].tag, tag) == 0) return &kinds[i];
    return NULL;
}

static snStatus read_steps(snOsim *o, osimBody *b, const snXmlNode *joint)
{
    const Kind *kind = kind_of(joint->tag);
    bool custom = strcmp(joint->tag, "CustomJoint") == 0;
    int32_t first = o->coordinate.count;
    snStatus status = SN_OK;
    if (kind || custom) status = read_coordinates(o, joint, kind);
    if (status) return status;
    if (custom) return steps_of_custom(o, b, joint);
    if (strcmp(joint->tag, "EllipsoidJoint") == 0)
        status = osim_miss(o, joint, "the joint glides on an ellipsoid; here it turns about the middle of it");
    if (!kind)
        return osim_miss(o, joint, "a %s is not read: body \"%.80s\" is fixed to its parent", joint->tag, b->called);
    return status ? status : steps_of_kind(o, b, kind, first);
}

/* child: -1: as the joint says. */
static snStatus read_joint(snOsim *o, const snXmlNode *joint, int32_t child)
{
    int32_t parent;
    rigid in_parent = rigid_identity(), in_child = rigid_identity();
    snStatus status = osim_frame(o, joint, "parent_frame", &parent, &in_parent);
    if (!status && child < 0)
        status =
            osim_frame(o, joint, sn_xml_child(joint, "connectors") ? "child_body" : "child_frame", &child, &in_child);
    if (!status) status = read_offset(o, joint, "location_in_parent", "orientation_in_parent", &in_parent);
    if (!status)
        status = read_offset(o, joint, sn_xml_child(joint, "location_in_child") ? "location_in_child" : "location",
                             sn_xml_child(joint, "orientation_in_child") ? "orientation_in_child" : "orientation",
                             &in_child);
    if (status) return status;
    bool reversed = child == 0 || (o->body.at[child].has_joint && parent && !o->body.at[parent].has_joint);
    int32_t moved = reversed ? parent : child, base = reversed ? child : parent;
    if (moved == base) return osim_fail(o, joint, NULL, "both sides of the joint are on the same body");
    osimBody *b = &o->body.at[moved];
    if (moved == 0 || b->has_joint)
        return osim_miss(o, joint, "a second joint on body \"%.80s\" closes a loop: it is left out", b->called);
    b->has_joint = true;
    b->joint = joint;
    b->joint_name = *osim_name(joint) ? osim_name(joint) : b->called;
    b->parent = base;
    b->in_parent = reversed ? in_child : in_parent;
    b->in_child = reversed ? in_parent : in_child;
    status = read_steps(o, b, joint);
    if (reversed) reverse_steps(b);
    return status;
}

/* A body that nothing holds moves freely. */
static snStatus add_free(snOsim *o, osimBody *b)
{
    const Kind *kind = kind_of("FreeJoint");
    int32_t first = o->coordinate.count;
    snStatus status = SN_OK;
    for (int i = 0; i < kind->nstep && !status; ++i) {
        const char *name = sn_foreign_text(o->arena, "%s.%s%d", b->name, i < 3 ? "rotation" : "translation", i % 3 + 1);
        status = name ? add_coordinate(o, NULL, name, i >= 3) : osim_no_memory(o);
    }
    b->joint_name = b->name;
    b->has_joint = true;
    return status ? status : steps_of_kind(o, b, kind, first);
}

static bool is_joint(const snXmlNode *node)
{
    size_t n = strlen(node->tag);
    return n > 5 && strcmp(node->tag + n - 5, "Joint") == 0;
}

snStatus osim_read_joints(snOsim *o)
{
    snStatus status = SN_OK;
    for (int set = 0; set < OSIM_SETS; ++set)
        for (const snXmlNode *node = osim_objects(o->model, osim_joint_sets[set]); node && !status; node = node->next)
            if (is_joint(node)) status = read_joint(o, node, -1);
    for (int32_t i = 1; i < o->body.count && !status; ++i) {
        const snXmlNode *in = sn_xml_child(o->body.at[i].node, "Joint");
        for (in = in ? in->child : NULL; in && !status; in = in->next)
            if (is_joint(in)) status = read_joint(o, in, i);
    }
    for (int32_t i = 1; i < o->body.count && !status; ++i)
        if (!o->body.at[i].has_joint) status = add_free(o, &o->body.at[i]);
    return status;
}
