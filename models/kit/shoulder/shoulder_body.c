/* Bodies, joints and surfaces of the shoulder. */
#include "common/segment.h"
#include "shoulder/shoulder.h"
#include "upper_body/upper_body_bone.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Where meshes of one body go. */
typedef struct place {
    const snShoulderBone *bone;
    snSpec *spec;
    snId parent;
} place;

static snStatus add_mesh(void *context, const char *bone, const double color[3], snBoneMesh *mesh)
{
    const place *p = context;
    char name[SN_SHOULDER_NAME + 8];
    for (int32_t i = 0; i < mesh->vertex.count; i += 3) {
        v3 at = rigid_unapply(p->bone->frame, v3_load(mesh->vertex.at + i));
        v3_store(mesh->vertex.at + i, v3_of(rint(1e6 * at.x) / 1e6, rint(1e6 * at.y) / 1e6, rint(1e6 * at.z) / 1e6));
    }
    (void)snprintf(name, sizeof name, "%s_bone", bone);
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = SN_NODE_MESH;
    node.parent = p->parent;
    node.nvertex = mesh->vertex.count / 3, node.vertex = mesh->vertex.at;
    node.ntriangle = mesh->triangle.count / 3, node.triangle = mesh->triangle.at;
    memcpy(node.color, color, sizeof node.color);
    return sn_add_node(p->spec, &node, NULL);
}

static snStatus add_shape(const snShoulder *s, const snShoulderDef *def, place *p, snError *error)
{
    char folder[4096];
    if (!p->bone->moving) {
        (void)snprintf(folder, sizeof folder, "%s/../body", def->tables);
        return sn_shoulder_thorax(s, def->body ? def->body : folder, add_mesh, p, error);
    }
    snBoneMesh mesh = {0};
    snStatus status = sn_shoulder_shape(s, def->tables, p->bone->name, &mesh, error);
    if (status == SN_OK) status = add_mesh(p, p->bone->name, sn_upper_body_color(p->bone->name), &mesh);
    sn_bone_free(&mesh);
    return status;
}

/* The segment as a solid cylinder from its origin to its end. The axes of the inertia are those of the node, so the
 * cylinder is turned into them by taking the diagonal of its tensor. */
static void set_inertia(const snShoulderBone *bone, snBodyDef *def)
{
    v3 along = v3_sub(bone->end, bone->origin);
    double length = v3_len(along), r = bone->girth_radius;
    double about = bone->mass * r * r / 2, across = bone->mass * (3 * r * r + length * length) / 12;
    v3 a = q_unrotate(bone->frame.q, v3_unit(along));
    def->radius = r;
    def->length = length;
    def->inertia[0] = across + (about - across) * a.x * a.x;
    def->inertia[1] = across + (about - across) * a.y * a.y;
    def->inertia[2] = across + (about - across) * a.z * a.z;
}

static snStatus add_body(const snShoulder *s, const snShoulderBone *bone, const snShoulderDef *with, snSpec *spec,
                         snError *error)
{
    snId node = 0;
    snStatus status = sn_segment_add_node(spec, bone->name, 0, bone->frame, SN_NODE_GROUP, &node);
    if (status == SN_OK && with->meshes) status = add_shape(s, with, &(place){bone, spec, node}, error);
    if (status != SN_OK) return status;
    snBodyDef def = sn_default_body_def();
    set_inertia(bone, &def);
    return sn_segment_add_body(spec, bone->name, node, bone->frame, bone->center_of_mass, bone->moving, bone->mass,
                               &def);
}

static snStatus add_joint(const snShoulder *s, const snShoulderJoint *j, snSpec *spec)
{
    const snShoulderBone *parent = &s->bone.at[j->parent];
    rigid frame = rigid_mul(rigid_inverse(parent->frame), j->frame);
    snId node = sn_spec_find(spec, SN_KIND_NODE, parent->name);
    snStatus status = sn_segment_add_node(spec, j->name, node, frame, SN_NODE_LOCATOR, NULL);
    if (status != SN_OK) return status;
    snJointDef def = sn_default_joint_def();
    def.name = j->name;
    def.type = SN_JOINT_TYPE_BALL;
    def.body_a = parent->name;
    def.body_b = s->bone.at[j->child].name;
    def.limited = true;
    char motions[3 * SN_SHOULDER_NAME + 2];
    (void)snprintf(motions, sizeof motions, "%s %s %s", j->motion[0], j->motion[1], j->motion[2]);
    def.motions = motions;
    def.label = strcmp(j->name, "SC") == 0   ? "sternoclavicular joint"
                : strcmp(j->name, "AC") == 0 ? "acromioclavicular joint"
                : strcmp(j->name, "GH") == 0 ? "glenohumeral joint"
                                             : "";
    for (int k = 0; k < 3; ++k) {
        def.lower[k] = j->lower[k], def.upper[k] = j->upper[k];
        def.stiffness[k] = j->stiffness[k], def.damping[k] = j->damping[k], def.rest[k] = j->rest[k];
    }
    return sn_add_joint(spec, &def, NULL);
}

static snStatus add_surface(const snShoulder *s, const snShoulderSurface *f, snSpec *spec)
{
    const snShoulderBone *bone = &s->bone.at[f->body];
    rigid frame = rigid_mul(rigid_inverse(bone->frame), f->frame);
    snNodeDef node = sn_default_node_def();
    node.name = f->name;
    node.kind = SN_NODE_SHAPE;
    node.parent = sn_spec_find(spec, SN_KIND_NODE, bone->name);
    node.visible = false;
    node.shape = f->shape;
    v3_store(node.translate, frame.p);
    q_store(node.rotate, frame.q);
    const double size[3] = {f->size.x, f->size.y, f->size.z};
    for (int k = 0; k < 3; ++k) node.extent[k] = size[k] > 0 ? size[k] : 1;
    return sn_add_node(spec, &node, NULL);
}

snStatus sn_shoulder_add_bodies(const snShoulder *s, const snShoulderDef *def, snSpec *spec, snError *error)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < s->bone.count && status == SN_OK; ++i)
        status = add_body(s, &s->bone.at[i], def, spec, error);
    for (int32_t i = 0; i < s->joint.count && status == SN_OK; ++i) status = add_joint(s, &s->joint.at[i], spec);
    for (int32_t i = 0; i < s->surface.count && status == SN_OK; ++i) status = add_surface(s, &s->surface.at[i], spec);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}
