/* Bodies, joints and wrap surfaces of the hand as scene nodes, and the shapes of its bones.
 *
 * The shapes are ours: a few sections per kind of bone, scaled by the lengths and widths of the table, with the marks
 * that make a bone recognisable (waists, paired condyles, tufts, styloids, olecranon, epicondyles). */
#include "common/bone.h"
#include "hand/hand.h"
#include "common/segment.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/patch.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))

static const double bone_color[3] = {0.91, 0.87, 0.78};

static snStatus add_mesh(snSpec *spec, const char *name, snId parent, const snBoneMesh *mesh)
{
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = SN_NODE_MESH;
    node.parent = parent;
    memcpy(node.color, bone_color, sizeof node.color);
    node.nvertex = mesh->vertex.count / 3, node.vertex = mesh->vertex.at;
    node.ntriangle = mesh->triangle.count / 3, node.triangle = mesh->triangle.at;
    return sn_add_node(spec, &node, NULL);
}

/* What is added to one body. */
typedef struct builder {
    const snHand *hand;
    snSpec *spec;
    const snHandBone *bone;
    snId node; /* group of the body */
} builder;

typedef bool (*shaper)(const builder *b, snBoneMesh *mesh);

static snStatus shape_mesh(const builder *b, const char *name, shaper shape)
{
    snBoneMesh mesh = {0};
    snStatus status = shape(b, &mesh) ? add_mesh(b->spec, name, b->node, &mesh) : SN_NO_MEMORY;
    sn_bone_free(&mesh);
    return status;
}

/* World point to the body's frame. */
static v3 local(const builder *b, double x_mm, double y_mm, double z_mm)
{
    return rigid_unapply(b->bone->frame, v3_of(1e-3 * x_mm, 1e-3 * y_mm, 1e-3 * z_mm));
}

/* ---- phalanges and metacarpals ------------------------------------------------------------- */

/* Half widths relative to those of the base and head of the table; y in fractions of the bone: 0 base, 1 head. */
typedef struct station {
    double along, base_x, base_z, head_x, head_z, center_z, power, palmar, dorsal;
} station;

static const station phalanx[] = {
    {0.00, 0.62, 0.60, 0, 0, 0.00, 2.2, 0.00, 0.00},       {0.03, 0.92, 0.92, 0, 0, 0.00, 2.2, 0.05, 0.00},
    {0.08, 1.00, 1.00, 0, 0, 0.00, 2.2, 0.12, 0.00},       {0.18, 0.84, 0.80, 0, 0, 0.05, 2.2, 0.12, 0.00},
    {0.36, 0.42, 0.36, 0.28, 0.30, 0.10, 2.1, 0.06, 0.00}, {0.55, 0.20, 0.20, 0.50, 0.52, 0.10, 2.1, 0.04, 0.00},
    {0.72, 0.08, 0.08, 0.72, 0.74, 0.06, 2.2, 0.05, 0.00}, {0.85, 0, 0, 0.97, 0.92, 0.00, 2.4, 0.14, 0.05},
    {0.93, 0, 0, 1.02, 1.00, -0.04, 2.5, 0.24, 0.10},      {0.98, 0, 0, 0.90, 0.80, -0.06, 2.4, 0.26, 0.14},
    {1.00, 0, 0, 0.62, 0.50, -0.08, 2.2, 0.20, 0.16},
};
static const station tip[] = {
    {0.00, 0.62, 0.60, 0, 0, 0.00, 2.2, 0.00, 0.00},       {0.05, 0.95, 0.95, 0, 0, 0.00, 2.2, 0.10, 0.00},
    {0.14, 1.00, 0.98, 0, 0, 0.00, 2.3, 0.10, 0.00},       {0.28, 0.70, 0.64, 0.05, 0.10, 0.06, 2.2, 0.05, 0.00},
    {0.48, 0.18, 0.18, 0.44, 0.56, 0.10, 2.1, 0.00, 0.00}, {0.68, 0, 0, 0.66, 0.80, 0.08, 2.1, 0.00, 0.00},
    {0.82, 0, 0, 0.98, 0.96, 0.00, 2.2, 0.05, 0.00},       {0.91, 0, 0, 1.10, 0.90, -0.06, 2.3, 0.06, 0.00},
    {0.97, 0, 0, 0.92, 0.66, -0.06, 2.2, 0.04, 0.00},      {1.00, 0, 0, 0.58, 0.38, -0.06, 2.1, 0.00, 0.00},
};
static const station metacarpal[] = {
    {0.00, 0.66, 0.62, 0, 0, 0.00, 2.6, 0.00, 0.00},       {0.03, 0.96, 0.94, 0, 0, 0.00, 2.7, 0.04, 0.00},
    {0.09, 1.00, 1.00, 0, 0, 0.00, 2.6, 0.08, 0.00},       {0.18, 0.78, 0.74, 0.02, 0.04, 0.00, 2.4, 0.06, 0.00},
    {0.34, 0.36, 0.34, 0.24, 0.26, 0.05, 2.1, 0.00, 0.00}, {0.55, 0.16, 0.16, 0.38, 0.42, 0.08, 2.0, 0.00, 0.00},
    {0.74, 0.04, 0.04, 0.64, 0.66, 0.04, 2.1, 0.05, 0.00}, {0.86, 0, 0, 0.98, 0.92, -0.02, 2.3, 0.16, 0.04},
    {0.93, 0, 0, 1.00, 1.00, -0.05, 2.2, 0.18, 0.00},      {0.98, 0, 0, 0.82, 0.80, -0.04, 2.1, 0.12, 0.00},
    {1.00, 0, 0, 0.55, 0.52, -0.02, 2.0, 0.05, 0.00},
};

/* Half widths of base and head, m. */
typedef struct widths {
    double base_x, base_z, head_x, head_z;
} widths;

static bool loft_stations(snBoneMesh *mesh, const station *s, int32_t n, rigid frame, double start, double end,
                          widths w)
{
    snBoneRing ring[16];
    for (int32_t i = 0; i < n; ++i) {
        double x = s[i].base_x * w.base_x + s[i].head_x * w.head_x, z = s[i].base_z * w.base_z + s[i].head_z * w.head_z;
        ring[i] = (snBoneRing){.y = -(start + s[i].along * (end - start)),
                               .center_z = s[i].center_z * z,
                               .half_x = x,
                               .half_z = z,
                               .power = s[i].power,
                               .palmar_groove = s[i].palmar,
                               .dorsal_groove = s[i].dorsal};
    }
    return sn_bone_loft(mesh, ring, n, frame, 1, 26);
}

/* Radius of the head that a bone's base turns on: the head of the bone before it. */
static double radius_before(const builder *b)
{
    const char *name = b->bone->name;
    for (int32_t i = 0; i < b->hand->joint.count; ++i) {
        const snHandJoint *j = &b->hand->joint.at[i];
        if (strcmp(b->hand->bone.at[j->child].name, name) != 0) continue;
        const snHandBone *parent = &b->hand->bone.at[j->parent];
        return strcmp(parent->name, "hand") == 0 ? 0.5 * b->bone->proximal_dp : 0.5 * parent->distal_dp;
    }
    return 0;
}

static bool shape_digit(const builder *b, snBoneMesh *mesh)
{
    const snHandBone *bone = b->bone;
    double length = v3_dist(bone->proximal, bone->distal), start = 0.9 * radius_before(b);
    widths w = {bone->proximal_ml / 2, bone->proximal_dp / 2, bone->distal_ml / 2, bone->distal_dp / 2};
    bool last = bone->name[0] == 'd', first = bone->name[0] == 'm' && bone->name[1] == 'c';
    if (first) start = 0.0025;
    const station *s = last ? tip : first ? metacarpal : phalanx;
    int32_t n = last ? COUNT(tip) : first ? COUNT(metacarpal) : COUNT(phalanx);
    return loft_stations(mesh, s, n, rigid_identity(), start, last ? length : length + 0.92 * w.head_z, w);
}

/* ---- palm ---------------------------------------------------------------------------------- */

/* Metacarpals 2 to 5: base in the world, widths of the base in mm. Heads are at the joints of the table. */
static const struct metacarpal_row {
    const char *name, *finger;
    double base[3], base_ml, base_dp, head_ml, head_dp;
} metacarpals[] = {
    {"metacarpal_2", "pp2", {13.0, -22.5, 1.5}, 17.5, 15.5, 15.5, 14.6},
    {"metacarpal_3", "pp3", {1.5, -23.5, 3.0}, 14.5, 16.0, 15.5, 15.2},
    {"metacarpal_4", "pp4", {-9.5, -22.5, 0.8}, 12.0, 13.0, 14.0, 14.2},
    {"metacarpal_5", "pp5", {-17.5, -20.5, -2.0}, 13.0, 11.5, 13.0, 12.2},
};

/* Carpal bones: centre in the world, half axes in mm, turn about the dorsal axis in deg. */
static const struct carpal_row {
    const char *name;
    double center[3], half[3], turn;
    int32_t shape;
} carpals[] = {
    {"scaphoid", {11.0, 1.5, -2.0}, {7.0, 11.0, 7.5}, 38, 1},
    {"lunate", {-0.5, 6.0, -0.5}, {7.8, 6.0, 8.5}, 8, 2},
    {"triquetrum", {-12.5, 1.0, -1.0}, {6.5, 8.2, 7.0}, -28, 3},
    {"pisiform", {-14.0, -5.0, -11.0}, {5.0, 6.0, 5.0}, 0, 4},
    {"trapezium", {20.0, -13.5, -6.0}, {8.0, 7.2, 7.2}, 35, 5},
    {"trapezoid", {11.5, -14.0, 1.5}, {5.6, 7.0, 7.6}, -8, 6},
    {"capitate", {1.2, -10.5, 1.0}, {6.6, 12.5, 8.4}, -3, 7},
    {"hamate", {-10.8, -13.0, -0.5}, {7.2, 9.8, 7.8}, 18, 8},
};

static const snHandBone *bone_called(const snHand *hand, const char *name)
{
    for (int32_t i = 0; i < hand->bone.count; ++i)
        if (strcmp(hand->bone.at[i].name, name) == 0) return &hand->bone.at[i];
    return NULL;
}

static snStatus add_metacarpal(const builder *b, const struct metacarpal_row *row)
{
    const snHandBone *finger = bone_called(b->hand, row->finger);
    if (!finger) return SN_OK;
    v3 base = local(b, row->base[0], row->base[1], row->base[2]),
       head = rigid_unapply(b->bone->frame, finger->proximal);
    v3 dorsal = q_unrotate(b->bone->frame.q, q_rotate(finger->frame.q, v3_of(0, 0, 1)));
    widths w = {row->base_ml / 2e3, row->base_dp / 2e3, row->head_ml / 2e3, row->head_dp / 2e3};
    snBoneMesh mesh = {0};
    bool ok = loft_stations(&mesh, metacarpal, COUNT(metacarpal), sn_bone_frame(base, head, dorsal), 0,
                            v3_dist(base, head) + 0.95 * w.head_z, w);
    snStatus status = ok ? add_mesh(b->spec, row->name, b->node, &mesh) : SN_NO_MEMORY;
    sn_bone_free(&mesh);
    return status;
}

static snStatus add_carpal(const builder *b, const struct carpal_row *row)
{
    rigid frame = {q_axis_angle(v3_of(0, 0, 1), row->turn * SN_DEG),
                   local(b, row->center[0], row->center[1], row->center[2])};
    snBoneMesh mesh = {0};
    bool ok = sn_bone_lump(&mesh, frame, v3_scale(v3_load(row->half), 1.1e-3), 2.5, row->shape);
    if (ok && strcmp(row->name, "hamate") == 0) { /* with its hook */
        rigid hook = {q_axis_angle(v3_of(1, 0, 0), 12 * SN_DEG), local(b, -10.5, -16.5, -9.5)};
        ok = sn_bone_lump(&mesh, hook, v3_of(0.0024, 0.0042, 0.0055), 2.2, 9);
    }
    snStatus status = ok ? add_mesh(b->spec, row->name, b->node, &mesh) : SN_NO_MEMORY;
    sn_bone_free(&mesh);
    return status;
}

static snStatus add_palm(const builder *b)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < COUNT(metacarpals) && status == SN_OK; ++i) status = add_metacarpal(b, &metacarpals[i]);
    for (int32_t i = 0; i < COUNT(carpals) && status == SN_OK; ++i) status = add_carpal(b, &carpals[i]);
    return status;
}

/* ---- forearm and humerus, in mm of the world --------------------------------------------------- */

/* y, centre x and z, half widths x and z, power, grooves. */
static const snBoneRing radius_rings[] = {
    {249.5, -16.0, -24.0, 8.6, 8.6, 2.0, 0, 0},    {247.0, -16.0, -24.0, 11.2, 11.2, 2.0, 0, 0},
    {240.0, -16.0, -24.0, 11.4, 11.4, 2.0, 0, 0},  {235.5, -15.8, -23.6, 8.4, 8.4, 2.0, 0, 0},
    {226.0, -15.0, -22.6, 6.6, 6.6, 2.0, 0, 0},    {212.0, -15.4, -22.0, 9.2, 8.4, 2.0, 0, 0},
    {196.0, -12.6, -20.0, 7.2, 7.0, 2.1, 0, 0},    {160.0, -5.0, -15.5, 7.6, 6.4, 2.3, 0, 0},
    {115.0, 0.5, -10.5, 7.8, 6.2, 2.4, 0, 0},      {70.0, 3.0, -6.0, 8.4, 6.6, 2.4, 0, 0},
    {42.0, 3.5, -3.0, 11.5, 8.4, 2.5, 0.04, 0},    {25.0, 3.6, -1.0, 15.8, 11.0, 2.6, 0.10, 0.02},
    {16.0, 4.0, 0.0, 16.8, 12.0, 2.7, 0.10, 0.08}, {12.5, 6.5, 0.0, 13.6, 10.8, 2.5, 0.06, 0.06},
    {7.5, 13.0, -0.5, 6.4, 7.2, 2.2, 0, 0},        {4.5, 15.0, -1.0, 3.2, 4.4, 2.0, 0, 0},
};
static const snBoneRing ulna_rings[] = {
    {276.0, -35.0, -45.0, 5.5, 8.0, 2.2, 0, 0},   {271.0, -35.5, -45.0, 9.5, 11.6, 2.3, 0, 0},
    {260.0, -37.0, -45.0, 8.0, 11.8, 2.4, 0, 0},  {250.0, -35.5, -45.5, 8.2, 11.5, 2.4, 0, 0},
    {238.0, -29.0, -45.5, 14.6, 12.0, 2.4, 0, 0}, {229.0, -26.0, -44.5, 15.0, 11.0, 2.4, 0, 0},
    {214.0, -26.5, -42.0, 10.0, 9.0, 2.3, 0, 0},  {185.0, -28.0, -36.0, 7.6, 7.4, 2.3, 0, 0},
    {140.0, -27.0, -26.0, 6.6, 6.8, 2.3, 0, 0},   {90.0, -22.5, -14.0, 5.8, 6.0, 2.2, 0, 0},
    {50.0, -19.0, -4.0, 5.2, 5.2, 2.1, 0, 0},     {30.0, -17.6, 1.0, 6.4, 6.2, 2.0, 0, 0},
    {21.0, -17.0, 3.0, 8.6, 8.4, 2.0, 0, 0},      {16.0, -17.2, 3.2, 7.6, 7.6, 2.0, 0, 0},
    {12.0, -20.4, 3.6, 3.2, 3.4, 2.0, 0, 0},      {8.5, -21.4, 3.8, 1.8, 2.0, 2.0, 0, 0},
};
static const snBoneRing humerus_rings[] = {
    {430.0, -23.0, -38.5, 9.0, 9.0, 2.0, 0, 0},   {425.0, -23.0, -38.5, 11.0, 11.0, 2.0, 0, 0},
    {390.0, -22.0, -39.0, 10.6, 11.0, 2.1, 0, 0}, {350.0, -20.5, -40.0, 9.8, 12.0, 2.2, 0, 0},
    {320.0, -19.5, -40.6, 8.8, 15.0, 2.3, 0, 0},  {297.0, -18.6, -41.0, 7.6, 22.0, 2.4, 0.02, 0.02},
    {280.0, -18.0, -41.5, 7.0, 28.5, 2.5, 0, 0},  {270.0, -17.4, -42.0, 7.6, 31.5, 2.5, 0, 0},
    {262.0, -16.4, -42.0, 9.6, 28.0, 2.7, 0, 0},  {256.0, -15.6, -41.0, 11.0, 23.5, 2.8, 0, 0},
    {250.0, -15.4, -40.5, 9.2, 21.0, 2.6, 0, 0},  {246.5, -15.4, -40.5, 5.2, 16.0, 2.4, 0, 0},
};

static bool shape_long(const builder *b, const snBoneRing *ring, int32_t n, snBoneMesh *mesh)
{
    rigid frame = rigid_inverse(b->bone->frame);
    return sn_bone_loft(mesh, ring, n, frame, 1e-3, 30);
}

static bool shape_radius(const builder *b, snBoneMesh *mesh)
{
    return shape_long(b, radius_rings, COUNT(radius_rings), mesh);
}

/* With the coronoid in front of the notch that holds the humerus. */
static bool shape_ulna(const builder *b, snBoneMesh *mesh)
{
    return shape_long(b, ulna_rings, COUNT(ulna_rings), mesh);
}

static bool shape_humerus(const builder *b, snBoneMesh *mesh)
{
    return shape_long(b, humerus_rings, COUNT(humerus_rings), mesh);
}

static snStatus add_shape(const builder *b)
{
    char name[SN_HAND_NAME + 8];
    snprintf(name, sizeof name, "%s_bone", b->bone->name);
    if (strcmp(b->bone->name, "hand") == 0) return add_palm(b);
    if (strcmp(b->bone->name, "radius") == 0) return shape_mesh(b, name, shape_radius);
    if (strcmp(b->bone->name, "ulna") == 0) return shape_mesh(b, name, shape_ulna);
    if (strcmp(b->bone->name, "humerus") == 0) return shape_mesh(b, name, shape_humerus);
    return shape_mesh(b, name, shape_digit);
}

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

static snStatus add_bone(const snHand *hand, const snHandBone *bone, bool mesh, snSpec *spec)
{
    builder b = {hand, spec, bone, 0};
    snStatus status = sn_segment_add_node(spec, bone->name, 0, bone->frame, SN_NODE_GROUP, &b.node);
    if (status == SN_OK && mesh) status = add_shape(&b);
    if (status != SN_OK) return status;
    snBodyDef def = sn_default_body_def();
    set_inertia(bone, &def);
    return sn_segment_add_body(spec, bone->name, b.node, bone->frame, bone->center_of_mass, bone->moving, bone->mass,
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
    snStatus status = SN_OK;
    for (int32_t i = 0; i < hand->bone.count && status == SN_OK; ++i)
        status = add_bone(hand, &hand->bone.at[i], def->meshes, spec);
    for (int32_t i = 0; i < hand->joint.count && status == SN_OK; ++i)
        status = add_joint(hand, &hand->joint.at[i], spec);
    for (int32_t i = 0; i < hand->surface.count && status == SN_OK; ++i)
        status = def->paths ? add_cylinder(hand, &hand->surface.at[i], spec)
                            : add_surface(hand, &hand->surface.at[i], spec, error);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(error) : status;
}
