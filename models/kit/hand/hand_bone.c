/* Bodies, joints and wrap surfaces of the hand as scene nodes. */
#include "common/segment.h"
#include "hand/hand.h"
#include "hand/hand_shape.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/patch.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- bodies, joints, surfaces ------------------------------------------------------------------ */

/* The segment as a solid cylinder of its girth along y. */
static void set_inertia(const snHandBone *bone, snBodyDef *def)
{
    double length = v3_dist(bone->proximal, bone->distal), r = bone->girth_radius;
    def->radius = r;
    def->length = length;
    def->inertia[1] = bone->mass * r * r / 2;
    def->inertia[0] = def->inertia[2] = bone->mass * (3 * r * r + length * length) / 12;
}

/* shapes: NULL for no meshes. */
static snStatus add_bone(const snHand *hand, const snHandBone *bone, snHandShapes *shapes, snSpec *spec, snError *error)
{
    snId node;
    snStatus status = sn_segment_add_node(spec, bone->name, 0, bone->frame, SN_NODE_GROUP, &node);
    if (status == SN_OK && shapes) status = sn_hand_add_shape(shapes, hand, bone, spec, node, error);
    if (status != SN_OK) return status;
    snBodyDef def = sn_default_body_def();
    set_inertia(bone, &def);
    return sn_segment_add_body(spec, bone->name, node, bone->frame, bone->center_of_mass, bone->moving, bone->mass,
                               &def);
}

/* The frame that src/body asks for: z along the first axis, y along the second. */
static rigid joint_frame(const snHandJoint *j)
{
    v3 z = j->axis[0], y = j->dofs == 2 ? j->axis[1] : v3_perp(z);
    m3 axes = m3_columns(v3_cross(y, z), y, z);
    return (rigid){q_from_m3(&axes), j->center};
}

/* mcp2 is the index finger's MCP joint, prosup that of the forearm. */
static const char *joint_label(const char *name, char *text, size_t size)
{
    static const char *const digit[] = {"thumb", "index finger", "middle finger", "ring finger", "little finger"};
    size_t n = strcspn(name, "12345");
    if (strcmp(name, "prosup") == 0) return "forearm";
    if (!name[n]) return name;
    char kind[8] = "";
    for (size_t i = 0; i < n && i + 1 < sizeof kind; ++i) kind[i] = (char)toupper((unsigned char)name[i]);
    (void)snprintf(text, size, "%s %s", digit[name[n] - '1'], kind);
    return text;
}

static snStatus add_joint(const snHand *hand, const snHandJoint *j, snSpec *spec)
{
    const snHandBone *parent = &hand->bone.at[j->parent];
    rigid frame = rigid_mul(rigid_inverse(parent->frame), joint_frame(j));
    snId node = sn_spec_find(spec, SN_KIND_NODE, parent->name);
    snStatus status = sn_segment_add_node(spec, j->name, node, frame, SN_NODE_LOCATOR, NULL);
    if (status != SN_OK) return status;
    snJointDef def = sn_default_joint_def();
    def.name = j->name;
    def.type = j->dofs == 2 ? SN_JOINT_TYPE_UNIVERSAL : SN_JOINT_TYPE_HINGE;
    def.body_a = parent->name;
    def.body_b = hand->bone.at[j->child].name;
    def.limited = true;
    char motions[2 * SN_HAND_NAME + 1];
    (void)snprintf(motions, sizeof motions, "%s%s%s", j->motion[0], j->dofs == 2 ? " " : "", j->motion[1]);
    def.motions = motions;
    char label[32];
    def.label = joint_label(j->name, label, sizeof label);
    for (int32_t dof = 0; dof < j->dofs; ++dof) {
        def.lower[dof] = j->lower[dof], def.upper[dof] = j->upper[dof];
        def.stiffness[dof] = j->stiffness[dof], def.damping[dof] = j->damping[dof];
    }
    return sn_add_joint(spec, &def, NULL);
}

/* A scene surface lists the points of a closed direction once, and its normal is du x dv: the patch's rows are read
 * backwards where its own normal points inwards. */
static snStatus add_patch(const snHand *hand, const snHandSurface *s, const snPatch *patch, snSpec *spec)
{
    int32_t nv = patch->nv - 3;
    double *point = SN_NEW_ARRAY(double, 3 * patch->nu * nv);
    if (!point) return SN_NO_MEMORY;
    for (int32_t i = 0; i < patch->nu; ++i)
        for (int32_t j = 0; j < nv; ++j) {
            int32_t from = patch->flip > 0 ? j : (nv - j) % nv;
            memcpy(point + 3 * (i * nv + j), patch->point + 3 * (i * patch->nv + from), 3 * sizeof *point);
        }
    snNodeDef node = sn_default_node_def();
    node.name = s->name;
    node.kind = SN_NODE_SURFACE;
    node.parent = sn_spec_find(spec, SN_KIND_NODE, hand->bone.at[s->body].name);
    node.visible = false;
    node.degree = node.degree_v = 3;
    node.closed_v = true;
    node.nu = patch->nu, node.nv = nv, node.point = point;
    node.nknot = patch->nu + 4, node.knot = patch->knot_u;
    snStatus status = sn_add_node(spec, &node, NULL);
    sn_free(point);
    return status;
}

static snStatus add_surface(const snHand *hand, const snHandSurface *s, snSpec *spec, snError *error)
{
    enum { RINGS = 5, ANGLES = 12 };
    static const double place[RINGS] = {0, 0.25, 0.5, 0.75, 1};
    double radius[RINGS * ANGLES];
    for (int i = 0; i < RINGS; ++i) {
        double off = fabs(2 * place[i] - 1);
        for (int k = 0; k < ANGLES; ++k) radius[i * ANGLES + k] = s->radius + off * off * (s->end_radius - s->radius);
    }
    rigid frame = hand->bone.at[s->body].frame;
    v3 half = v3_scale(s->axis, s->length / 2);
    snTubeDef def = {.start = rigid_unapply(frame, v3_sub(s->center, half)),
                     .end = rigid_unapply(frame, v3_add(s->center, half)),
                     .nring = RINGS,
                     .station = place,
                     .nangle = ANGLES,
                     .radius = radius};
    def.x = v3_perp(v3_unit(v3_sub(def.end, def.start)));
    snPatch patch = {0};
    snStatus status = sn_patch_tube(&def, &patch, error);
    if (status == SN_OK) status = add_patch(hand, s, &patch, spec);
    sn_patch_free(&patch);
    return status;
}

/* What paths wrap over: the tube as wide as in its middle. */
static snStatus add_cylinder(const snHand *hand, const snHandSurface *s, snSpec *spec)
{
    rigid frame = hand->bone.at[s->body].frame;
    v3 axis = v3_unit(q_unrotate(frame.q, s->axis)), z = {0, 0, 1}, turn = v3_cross(z, axis);
    double sine = v3_len(turn);
    quat q = sine > 1e-9 ? q_axis_angle(v3_scale(turn, 1 / sine), atan2(sine, axis.z)) : q_identity();
    snNodeDef node = sn_default_node_def();
    node.name = s->name;
    node.kind = SN_NODE_SHAPE;
    node.shape = SN_SHAPE_CYLINDER;
    node.parent = sn_spec_find(spec, SN_KIND_NODE, hand->bone.at[s->body].name);
    node.visible = false;
    v3_store(node.translate, rigid_unapply(frame, s->center));
    q_store(node.rotate, q);
    node.extent[0] = s->radius, node.extent[1] = s->length;
    return sn_add_node(spec, &node, NULL);
}

snStatus sn_hand_add_bones(const snHand *hand, const snHandDef *def, snSpec *spec, snError *error)
{
    snHandShapes shapes = {0};
    snStatus status = def->meshes ? sn_hand_shapes_load(&shapes, def->tables, error) : SN_OK;
    for (int32_t i = 0; i < hand->bone.count && status == SN_OK; ++i)
        status = add_bone(hand, &hand->bone.at[i], def->meshes ? &shapes : NULL, spec, error);
    sn_hand_shapes_free(&shapes);
    for (int32_t i = 0; i < hand->joint.count && status == SN_OK; ++i)
        status = add_joint(hand, &hand->joint.at[i], spec);
    for (int32_t i = 0; i < hand->surface.count && status == SN_OK; ++i)
        status = sn_hand_has_paths(def) ? add_cylinder(hand, &hand->surface.at[i], spec)
                                        : add_surface(hand, &hand->surface.at[i], spec, error);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}
