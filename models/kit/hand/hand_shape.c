/* Bones of the hand from the pieces of shapes.tsv. Those of the digits are three patterns, each fitted to the length
 * and widths of its bone; carpals, radius, ulna and humerus stand in the table as they are. */
#include "hand/hand_shape.h"
#include "common/shape.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) ((int32_t)(sizeof(a) / sizeof *(a)))

static const double bone_color[3] = {0.91, 0.87, 0.78};
static const char *const pattern_name[SN_HAND_PATTERNS] = {"phalanx", "tip", "metacarpal"};
enum { PHALANX, TIP, METACARPAL };

/* Size of the patterns, m: half widths of base and head, length, and how much of it keeps its shape at both ends. */
typedef struct widths {
    double base_x, base_z, head_x, head_z;
} widths;
static const widths pattern_widths = {0.008, 0.0065, 0.006, 0.0045};
static const double PATTERN_LENGTH = 0.045, PATTERN_END = 0.008;
static const double SPACING = 0.0007, EDGE = 0.0024, CARPAL_EDGE = 0.0015, LONG_SPACING = 0.0018,
                    LONG_EDGE = 0.0105; /* m */

/* What is added to one body. */
typedef struct builder {
    snHandShapes *shapes;
    const snHand *hand;
    snSpec *spec;
    const snHandBone *bone;
    snId node; /* group of the body */
    snError *error;
} builder;

/* Vertices of one mesh, triangles of the same or of the pattern that it was fitted from. */
static snStatus add_mesh(const builder *b, const char *name, const double *vertex, const snBoneMesh *like)
{
    snNodeDef node = sn_default_node_def();
    node.name = name;
    node.kind = SN_NODE_MESH;
    node.parent = b->node;
    memcpy(node.color, bone_color, sizeof node.color);
    node.nvertex = like->vertex.count / 3, node.vertex = vertex;
    node.ntriangle = like->triangle.count / 3, node.triangle = like->triangle.at;
    return sn_add_node(b->spec, &node, NULL);
}

static v3 whole_micrometres(v3 p)
{
    return v3_of(rint(1e6 * p.x) / 1e6, rint(1e6 * p.y) / 1e6, rint(1e6 * p.z) / 1e6);
}

/* ---- what the table holds ------------------------------------------------------------------------ */

snStatus sn_hand_shapes_load(snHandShapes *s, const char *folder, snError *error)
{
    snStatus status = sn_figures_load(&s->table, folder, "shapes.tsv");
    if (status != SN_OK) *error = s->table.error;
    for (int i = 0; i < SN_HAND_PATTERNS && status == SN_OK; ++i)
        status = sn_shape_carve(&s->table, pattern_name[i], NULL, NULL, SPACING, EDGE, &s->pattern[i], error);
    return status;
}

void sn_hand_shapes_free(snHandShapes *s)
{
    sn_figures_free(&s->table);
    for (int i = 0; i < SN_HAND_PATTERNS; ++i) sn_bone_free(&s->pattern[i]);
}

/* A bone that stands in the table, from the world to the body's frame. */
static snStatus add_own(const builder *b, const char *row, const char *name, double spacing, double edge)
{
    snBoneMesh mesh = {0};
    snStatus status = sn_shape_carve(&b->shapes->table, row, NULL, NULL, spacing, edge, &mesh, b->error);
    for (int32_t i = 0; i < mesh.vertex.count; i += 3)
        v3_store(mesh.vertex.at + i, whole_micrometres(rigid_unapply(b->bone->frame, v3_load(mesh.vertex.at + i))));
    if (status == SN_OK) status = add_mesh(b, name, mesh.vertex.at, &mesh);
    sn_bone_free(&mesh);
    return status;
}

/* ---- phalanges and metacarpals ------------------------------------------------------------- */

/* Place along the bone of one along the pattern: both ends keep their roundness, the shaft takes what is left. */
static double along(double s, double length, double base, double head)
{
    double first = base * PATTERN_END, last = length - head * PATTERN_END;
    if (s < PATTERN_END) return base * s;
    if (s > PATTERN_LENGTH - PATTERN_END) return length - head * (PATTERN_LENGTH - s);
    return first + (last - first) * (s - PATTERN_END) / (PATTERN_LENGTH - 2 * PATTERN_END);
}

/* A pattern from `start` to `end` down the y axis of the frame. */
static snStatus add_fitted(const builder *b, const char *name, int32_t pattern, rigid frame, double start, double end,
                           widths w)
{
    const snBoneMesh *from = &b->shapes->pattern[pattern];
    double *vertex = SN_NEW_ARRAY(double, from->vertex.count);
    if (!vertex) return sn_fail_no_memory(b->error);
    const widths *p = &pattern_widths;
    for (int32_t i = 0; i < from->vertex.count; i += 3) {
        v3 v = v3_load(from->vertex.at + i);
        double t = fmin(fmax(-v.y / PATTERN_LENGTH, 0), 1), u = t * t * (3 - 2 * t);
        double x = (1 - u) * w.base_x / p->base_x + u * w.head_x / p->head_x;
        double z = (1 - u) * w.base_z / p->base_z + u * w.head_z / p->head_z;
        double y = start + along(-v.y, end - start, w.base_z / p->base_z, w.head_z / p->head_z);
        v3_store(vertex + i, whole_micrometres(rigid_apply(frame, v3_of(x * v.x, -y, z * v.z))));
    }
    snStatus status = add_mesh(b, name, vertex, from);
    sn_free(vertex);
    return status;
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

static snStatus add_digit(const builder *b, const char *name)
{
    const snHandBone *bone = b->bone;
    double length = v3_dist(bone->proximal, bone->distal), start = 0.9 * radius_before(b);
    widths w = {bone->proximal_ml / 2, bone->proximal_dp / 2, bone->distal_ml / 2, bone->distal_dp / 2};
    bool last = bone->name[0] == 'd', first = bone->name[0] == 'm' && bone->name[1] == 'c';
    if (first) start = 0.0025;
    return add_fitted(b, name,
                      last    ? TIP
                      : first ? METACARPAL
                              : PHALANX,
                      rigid_identity(), start, last ? length : length + 0.92 * w.head_z, w);
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

static const char *const carpals[] = {"scaphoid",  "lunate",    "triquetrum", "pisiform",
                                      "trapezium", "trapezoid", "capitate",   "hamate"};

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
    v3 base = rigid_unapply(b->bone->frame, v3_scale(v3_load(row->base), 1e-3)),
       head = rigid_unapply(b->bone->frame, finger->proximal);
    v3 dorsal = q_unrotate(b->bone->frame.q, q_rotate(finger->frame.q, v3_of(0, 0, 1)));
    widths w = {row->base_ml / 2e3, row->base_dp / 2e3, row->head_ml / 2e3, row->head_dp / 2e3};
    return add_fitted(b, row->name, METACARPAL, sn_bone_frame(base, head, dorsal), 0,
                      v3_dist(base, head) + 0.95 * w.head_z, w);
}

static snStatus add_palm(const builder *b)
{
    snStatus status = SN_OK;
    for (int32_t i = 0; i < COUNT(metacarpals) && status == SN_OK; ++i) status = add_metacarpal(b, &metacarpals[i]);
    for (int32_t i = 0; i < COUNT(carpals) && status == SN_OK; ++i)
        status = add_own(b, carpals[i], carpals[i], SPACING, CARPAL_EDGE);
    return status;
}

snStatus sn_hand_add_shape(snHandShapes *shapes, const snHand *hand, const snHandBone *bone, snSpec *spec, snId node,
                           snError *error)
{
    static const char *const large[] = {"radius", "ulna", "humerus"};
    const builder b = {shapes, hand, spec, bone, node, error};
    char name[SN_HAND_NAME + 8];
    (void)snprintf(name, sizeof name, "%s_bone", bone->name);
    if (strcmp(bone->name, "hand") == 0) return add_palm(&b);
    for (int32_t i = 0; i < COUNT(large); ++i)
        if (strcmp(bone->name, large[i]) == 0) return add_own(&b, large[i], name, LONG_SPACING, LONG_EDGE);
    return add_digit(&b, name);
}
