/* Surfaces of tests: tubes as patches, a ball as a mesh. */
#ifndef SN_TESTS_PATH_SHAPES_H
#define SN_TESTS_PATH_SHAPES_H

#include "check.h"

#include "geom/patch.h"
#include "path/geodesic.h"

#include <math.h>

/* A tube about z with half axes R (1, squash), straight, or an ellipsoid without its poles. */
static inline snPatch make_patch(double R, double squash, bool round, double half)
{
    enum { RINGS = 13, ANGLES = 32 };
    double position[3 * RINGS * ANGLES];
    for (int k = 0; k < RINGS; ++k)
        for (int j = 0; j < ANGLES; ++j) {
            double z = 2.0 * k / (RINGS - 1) - 1, angle = 2 * SN_PI * j / ANGLES;
            double w = round ? sqrt(1 - 0.9025 * z * z) : 1;
            v3_store(position + 3 * (k * ANGLES + j),
                     v3_of(R * w * cos(angle), squash * R * w * sin(angle), (round ? 0.95 * R : half) * z));
        }
    snPatch patch;
    assert_int_equal(sn_patch_loft(RINGS, ANGLES, position, &patch, NULL), SN_OK);
    return patch;
}

/* A ball as a mesh of fine triangles, by its distance grid. */
static inline snTriMesh make_ball(double R)
{
    enum { ROWS = 64, ROUND = 128 };
    snTriMesh mesh;
    int32_t n = 0, last = (ROWS - 1) * ROUND;
    assert_true(sn_trimesh_alloc(&mesh, last + 2, 2 * ROUND * (ROWS - 1)));
    for (int k = 1; k < ROWS; ++k)
        for (int j = 0; j < ROUND; ++j) {
            double high = SN_PI * k / ROWS, angle = 2 * SN_PI * j / ROUND;
            v3_store(mesh.vertex + 3 * ((k - 1) * ROUND + j),
                     v3_of(R * sin(high) * cos(angle), R * sin(high) * sin(angle), R * cos(high)));
        }
    v3_store(mesh.vertex + 3 * last, v3_of(0, 0, R)), v3_store(mesh.vertex + 3 * last + 3, v3_of(0, 0, -R));
    int32_t *t = mesh.triangle;
    for (int j = 0; j < ROUND; ++j) {
        int32_t next = (j + 1) % ROUND, under = last - ROUND;
        t[n++] = last, t[n++] = j, t[n++] = next;
        t[n++] = last + 1, t[n++] = under + next, t[n++] = under + j;
        for (int32_t k = 0; k + 2 < ROWS; ++k) {
            int32_t a = k * ROUND + j, b = k * ROUND + next;
            t[n++] = a, t[n++] = a + ROUND, t[n++] = b;
            t[n++] = b, t[n++] = a + ROUND, t[n++] = b + ROUND;
        }
    }
    return mesh;
}

#endif
