/* Drums of several kinds on the body "frame", about z through the origin. */
#ifndef SN_TESTS_SIM_DRUMS_H
#define SN_TESTS_SIM_DRUMS_H

#include "sim/rig.h"

#include "geom/patch.h"

#define DRUM_RADIUS 0.03 /* m */

enum { RINGS = 25, ANGLES = 160 };

typedef enum Drum { CLOSED_FORM, PATCH, GROOVE, MESH, PLAIN_MESH, BALL, ELLIPSOID } Drum;

/* Radius at a height of the axis: a groove keeps the rope in its middle. */
static inline double radius_at(Drum drum, double z)
{
    return drum == GROOVE || drum == MESH ? DRUM_RADIUS + 5 * z * z : DRUM_RADIUS;
}

/* Sections from -20 to 20 mm of z, turning so that du x dv points outwards. */
static inline void ring_points(Drum drum, double half_length, double *position)
{
    for (int k = 0; k < RINGS; ++k)
        for (int j = 0; j < ANGLES; ++j) {
            double z = half_length * (2.0 * k / (RINGS - 1) - 1), angle = -2 * SN_PI * j / ANGLES;
            double r = radius_at(drum, z);
            v3_store(position + 3 * (k * ANGLES + j), v3_of(r * cos(angle), r * sin(angle), z));
        }
}

static inline void add_patch(snBuild *b, Drum drum, double half_length)
{
    double position[3 * RINGS * ANGLES], point[3 * RINGS * ANGLES];
    snPatch patch;
    ring_points(drum, half_length, position);
    assert_int_equal(sn_patch_loft(RINGS, ANGLES, position, &patch, NULL), SN_OK);
    for (int k = 0; k < RINGS; ++k)
        for (int j = 0; j < 3 * ANGLES; ++j) point[3 * k * ANGLES + j] = patch.point[3 * k * patch.nv + j];
    snNodeDef node = sn_default_node_def();
    node.name = "drum", node.kind = SN_NODE_SURFACE, node.parent = sn_spec_find(b->spec, SN_KIND_NODE, "frame");
    node.nu = RINGS, node.nv = ANGLES, node.point = point, node.closed_v = true;
    node.nknot = RINGS + 4, node.knot = patch.knot_u;
    assert_int_equal(sn_add_node(b->spec, &node, NULL), SN_OK);
    sn_patch_free(&patch);
}

static inline void add_mesh(snBuild *b, Drum drum)
{
    double vertex[3 * (RINGS * ANGLES + 2)];
    int32_t triangle[6 * RINGS * ANGLES], n = 0;
    ring_points(drum, 0.02, vertex);
    v3_store(vertex + (size_t)3 * RINGS * ANGLES, v3_of(0, 0, -0.02));
    v3_store(vertex + (size_t)3 * RINGS * ANGLES + 3, v3_of(0, 0, 0.02));
    for (int k = 0; k < RINGS; ++k)
        for (int j = 0; j < ANGLES; ++j) {
            int32_t a = k * ANGLES + j, c = k * ANGLES + (j + 1) % ANGLES, last = RINGS * ANGLES;
            if (k == 0) triangle[n++] = last, triangle[n++] = a, triangle[n++] = c;
            if (k == RINGS - 1) {
                triangle[n++] = last + 1, triangle[n++] = c, triangle[n++] = a;
                continue;
            }
            triangle[n++] = a, triangle[n++] = a + ANGLES, triangle[n++] = c;
            triangle[n++] = c, triangle[n++] = a + ANGLES, triangle[n++] = c + ANGLES;
        }
    snNodeDef node = sn_default_node_def();
    node.name = "drum", node.kind = SN_NODE_MESH, node.parent = sn_spec_find(b->spec, SN_KIND_NODE, "frame");
    node.nvertex = RINGS * ANGLES + 2, node.vertex = vertex, node.ntriangle = n / 3, node.triangle = triangle;
    assert_int_equal(sn_add_node(b->spec, &node, NULL), SN_OK);
}

static inline void add_ball(snBuild *b, Drum drum)
{
    double size[3] = {DRUM_RADIUS, DRUM_RADIUS, 1.7 * DRUM_RADIUS};
    snNodeDef node = sn_default_node_def();
    node.name = "drum", node.kind = SN_NODE_SHAPE, node.parent = sn_spec_find(b->spec, SN_KIND_NODE, "frame");
    node.shape = drum == BALL ? SN_SHAPE_SPHERE : SN_SHAPE_ELLIPSOID;
    for (int k = 0; k < (drum == BALL ? 1 : 3); ++k) node.extent[k] = size[k];
    assert_int_equal(sn_add_node(b->spec, &node, NULL), SN_OK);
}

static inline void add_drum(snBuild *b, Drum drum)
{
    static const double axis[3] = {0, 0, 1}, middle[3] = {0, 0, 0};
    if (drum == CLOSED_FORM)
        sn_build_cylinder(b, "drum", "frame", middle, axis, DRUM_RADIUS, 0.05);
    else if (drum >= BALL)
        add_ball(b, drum);
    else if (drum >= MESH)
        add_mesh(b, drum);
    else
        add_patch(b, drum, 0.02);
}

#endif
