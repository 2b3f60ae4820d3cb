/* A model seen in a mirror. With M the reflection of one axis, a node at (t, R) moves to (M t, M R M) and its contents
 * from x to M x, so that everything ends up at M times its place. What has a handedness needs more:
 * - triangles and surfaces turn round so that outside stays outside,
 * - a shape keeps its z axis (a plane's normal): M R diag(-1, 1, 1),
 * - turning is an axial vector: a joint's frame is -M R, so that the mirrored motion has the same coordinates. */
#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"
#include "model/copy.h"
#include "model/views.h"
#include "sinew/author.h"

#include <stdio.h>
#include <string.h>

typedef struct mirror {
    const snSpec *from;
    snSpec *to;
    int axis;
} mirror;

static m3 scaled_columns(m3 a, double x, double y, double z)
{
    double s[3] = {x, y, z};
    for (int i = 0; i < 9; ++i) a.m[i] *= s[i % 3];
    return a;
}

/* The mirrored place of a node, by the rule of its kind. */
static void turn(const mirror *m, snNodeDef *node)
{
    double sign[3] = {1, 1, 1};
    sign[m->axis] = -1;
    m3 r = m3_from_q(q_unit(q_load(node->rotate)));
    for (int i = 0; i < 9; ++i) r.m[i] *= sign[i / 3];
    if (node->kind == SN_NODE_SHAPE)
        r = scaled_columns(r, -1, 1, 1);
    else if (node->kind == SN_NODE_LOCATOR)
        r = scaled_columns(r, -1, -1, -1);
    else
        r = scaled_columns(r, sign[0], sign[1], sign[2]);
    q_store(node->rotate, q_from_m3(&r));
    node->translate[m->axis] = -node->translate[m->axis];
}

static double *flipped(const mirror *m, const double *at, int32_t count)
{
    double *copy = SN_NEW_ARRAY(double, 3 * count);
    for (int32_t i = 0; copy && i < count; ++i)
        for (int k = 0; k < 3; ++k) copy[3 * i + k] = k == m->axis ? -at[3 * i + k] : at[3 * i + k];
    return copy;
}

static snStatus copy_mesh(const mirror *m, snNodeDef *node)
{
    double *vertex = flipped(m, node->vertex, node->nvertex);
    int32_t *triangle = SN_NEW_ARRAY(int32_t, 3 * node->ntriangle);
    snStatus status = vertex && triangle ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; triangle && i < node->ntriangle; ++i) {
        const int32_t *t = node->triangle + 3 * i;
        triangle[3 * i] = t[0], triangle[3 * i + 1] = t[2], triangle[3 * i + 2] = t[1];
    }
    node->vertex = vertex, node->triangle = triangle;
    if (status == SN_OK) status = sn_add_node(m->to, node, NULL);
    sn_free(vertex);
    sn_free(triangle);
    return status;
}

static snStatus copy_curve(const mirror *m, snNodeDef *node)
{
    double *point = flipped(m, node->point, node->npoint);
    node->point = point;
    snStatus status = point ? sn_add_node(m->to, node, NULL) : SN_NO_MEMORY;
    sn_free(point);
    return status;
}

/* Runs the surface's v the other way, which turns its normal. */
static snStatus copy_surface(const mirror *m, snNodeDef *node)
{
    int32_t nu = node->nu, nv = node->nv, n = nu * nv;
    double *point = flipped(m, node->point, n), *knot = SN_NEW_ARRAY(double, node->nknot_v);
    double *weight = SN_NEW_ARRAY(double, node->nweight);
    snStatus status = point && knot && weight ? SN_OK : SN_NO_MEMORY;
    for (int32_t i = 0; status == SN_OK && i < nu; ++i)
        for (int32_t j = 0; j < nv; ++j) {
            int32_t here = i * nv + j, there = i * nv + nv - 1 - j;
            for (int k = 0; k < 3; ++k) point[3 * here + k] = (k == m->axis ? -1 : 1) * node->point[3 * there + k];
            if (node->nweight) weight[here] = node->weight[there];
        }
    for (int32_t i = 0; status == SN_OK && i < node->nknot_v; ++i)
        knot[i] = node->knot_v[0] + node->knot_v[node->nknot_v - 1] - node->knot_v[node->nknot_v - 1 - i];
    node->point = point, node->knot_v = knot, node->weight = weight;
    if (status == SN_OK) status = sn_add_node(m->to, node, NULL);
    sn_free(point);
    sn_free(knot);
    sn_free(weight);
    return status;
}

static snStatus copy_node(const mirror *m, snId id)
{
    snNodeDef node = *sn_spec_node(m->from, id);
    turn(m, &node);
    switch (node.kind) {
    case SN_NODE_MESH:
        return copy_mesh(m, &node);
    case SN_NODE_CURVE:
        return copy_curve(m, &node);
    case SN_NODE_SURFACE:
        return copy_surface(m, &node);
    default:
        return sn_add_node(m->to, &node, NULL);
    }
}

/* A joint whose frame is a group gets a locator of its own inside it, half a turn about the mirrored axis away. */
static snStatus copy_joint(const mirror *m, snId id)
{
    snJointDef def = *sn_spec_joint(m->from, id);
    const char *name = def.node && *def.node ? def.node : def.name;
    snId node = sn_spec_find(m->from, SN_KIND_NODE, name);
    char own[280];
    if (node && sn_spec_node(m->from, node)->kind != SN_NODE_LOCATOR) {
        snNodeDef locator = sn_default_node_def();
        snprintf(own, sizeof own, "%.200s.mirrored.%d", name, (int)id);
        locator.name = def.node = own;
        locator.kind = SN_NODE_LOCATOR;
        locator.parent = node;
        memset(locator.rotate, 0, sizeof locator.rotate);
        locator.rotate[1 + m->axis] = 1;
        snStatus status = sn_add_node(m->to, &locator, NULL);
        if (status != SN_OK) return status;
    }
    return sn_add_joint(m->to, &def, NULL);
}

/* xy, xz, yz: the two that hold the mirrored axis change sign. */
static snStatus copy_body(const mirror *m, snId id)
{
    snBodyDef def = *sn_spec_body(m->from, id);
    double *p = def.inertia_products;
    for (int k = 0; k < 3; ++k)
        if (k != 2 - m->axis && p[k] != 0) p[k] = -p[k];
    return sn_add_body(m->to, &def, NULL);
}

/* Turning is an axial vector: about -M u the mirrored motion has the same angle. */
static snStatus copy_coordinate(const mirror *m, snId id)
{
    snCoordinateDef def = *sn_spec_coordinate(m->from, id);
    for (int k = 0; k < 3; ++k)
        if ((k == m->axis) != (def.type == SN_COORDINATE_TURN)) def.axis[k] = -def.axis[k];
    def.center[m->axis] = -def.center[m->axis];
    return sn_add_coordinate(m->to, &def, NULL);
}

static snStatus copy_spring(const mirror *m, snId id)
{
    snSpringDef def = *sn_spec_spring(m->from, id);
    def.point[m->axis] = -def.point[m->axis];
    return sn_add_spring(m->to, &def, NULL);
}

static snStatus copy_line_muscle(const mirror *m, snId id)
{
    snLineMuscleDef def = *sn_spec_line_muscle(m->from, id);
    double *point = flipped(m, def.point, def.npoint), *side = flipped(m, def.side, def.nside);
    def.point = point;
    def.side = side;
    snStatus status = point && side ? sn_add_line_muscle(m->to, &def, NULL) : SN_NO_MEMORY;
    sn_free(side);
    sn_free(point);
    return status;
}

static snStatus copy_one(void *user, snKind kind, snId id)
{
    const mirror *m = user;
    switch (kind) {
    case SN_KIND_NODE:
        return copy_node(m, id);
    case SN_KIND_BODY:
        return copy_body(m, id);
    case SN_KIND_JOINT:
        return copy_joint(m, id);
    case SN_KIND_COORDINATE:
        return copy_coordinate(m, id);
    case SN_KIND_SPRING:
        return copy_spring(m, id);
    case SN_KIND_LINE_MUSCLE:
        return copy_line_muscle(m, id);
    default:
        return sn_copy_element(m->from, m->to, kind, id);
    }
}

/* What was seen from one side of the mirror's axis is seen from the other. False: they do not fit. */
static bool mirror_views(const mirror *m, char *out, size_t size)
{
    const char *at = sn_spec_model(m->from)->views;
    snNamedView view;
    size_t used = 0;
    out[0] = '\0';
    while (sn_next_view(&at, &view)) {
        bool positive = (view.sign > 0) != (view.axis == m->axis);
        int n = snprintf(out + used, size - used, "%s%s=%c%c", used ? " " : "", view.name, positive ? '+' : '-',
                         "xyz"[view.axis]);
        if (n < 0 || (size_t)n >= size - used) return false;
        used += (size_t)n;
    }
    return true;
}

static snStatus copy_elements(mirror *m)
{
    snModelDef model = *sn_spec_model(m->from);
    model.gravity[m->axis] = -model.gravity[m->axis];
    char views[512];
    if (!mirror_views(m, views, sizeof views)) return SN_NO_MEMORY;
    model.views = views;
    snStatus status = sn_set_scene(m->to, sn_spec_scene(m->from));
    if (status == SN_OK) status = sn_set_model(m->to, &model);
    if (status == SN_OK) status = sn_copy_elements(m->from, copy_one, m);
    return status;
}

snStatus sn_mirror_spec(const snSpec *spec, int axis, snSpec **mirrored, snError *error)
{
    if (!spec || !mirrored) return sn_fail_argument(error, "sn_mirror_spec without spec or mirrored");
    if (axis < 0 || axis > 2) return sn_fail(error, SN_USAGE, "axis %d: expected 0, 1 or 2", axis);
    mirror m = {spec, sn_spec_create(), axis};
    snStatus status = m.to ? copy_elements(&m) : SN_NO_MEMORY;
    if (status == SN_OK) {
        *mirrored = m.to;
        return SN_OK;
    }
    sn_spec_destroy(m.to);
    return sn_fail_no_memory(error);
}
