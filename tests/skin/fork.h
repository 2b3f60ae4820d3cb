/* A fork to put a skin on: palm (body 0), two fingers (1, 2), a tip on the first (3). */
#ifndef SN_TESTS_FORK_H
#define SN_TESTS_FORK_H

#include "check.h"

#include "geom/bvh.h"
#include "geom/grid.h"
#include "geom/remesh.h"
#include "math/vec.h"
#include "skin/skin.h"

#include <string.h>

static const v3 palm[2] = {{0, -0.03, 0}, {0, 0.008, 0}};
static const v3 finger[2][2] = {{{0.010, 0.005, 0}, {0.0125, 0.07, 0}}, {{-0.010, 0.005, 0}, {-0.0125, 0.07, 0}}};

static inline double capsule(v3 p, const v3 *end, double radius)
{
    v3 d = v3_sub(end[1], end[0]);
    double t = fmax(0, fmin(1, v3_dot(v3_sub(p, end[0]), d) / v3_len2(d)));
    return v3_dist(p, v3_mad(end[0], t, d)) - radius;
}

static inline double fork_distance(const void *context, v3 p, double limit)
{
    (void)context, (void)limit;
    double a = capsule(p, finger[0], 0.009), b = capsule(p, finger[1], 0.009), c = capsule(p, palm, 0.018);
    return sn_distance_union(c, fmin(sn_distance_apart(a, b, 0.002), sn_distance_apart(b, a, 0.002)), 0.004);
}

static inline double edge(const void *context, v3 p)
{
    (void)context, (void)p;
    return 0.0019;
}
static inline v3 onto(const void *grid, v3 p)
{
    return sn_grid_project(grid, p);
}
static inline v3 outwards(const void *grid, v3 p)
{
    v3 g;
    sn_grid_sample(grid, p, &g);
    return g;
}

enum { BODIES = 4, STRANDS = 5, POINTS = 9 };

typedef struct {
    snTriMesh mesh;
    double rest[7 * BODIES], stick[BODIES][6], point[3 * STRANDS * POINTS];
    snSkinBone bone[BODIES];
    snSkinStrand strand[STRANDS];
    snSkinDef def;
} Fork;

static snTriMesh fork_mesh; /* made once */

static inline int make_mesh(void **state)
{
    (void)state;
    snGridDef g = {v3_of(-0.03, -0.06, -0.03), v3_of(0.03, 0.09, 0.03), 0.0016, fork_distance, NULL, NULL};
    snGrid grid;
    if (sn_grid_create(&g, &grid, NULL) != SN_OK || sn_grid_extract(&grid, &fork_mesh, NULL) != SN_OK) return 1;
    snRemeshDef r = sn_default_remesh_def();
    r.size = edge, r.project = onto, r.normal = outwards, r.context = &grid;
    if (sn_remesh(&r, &fork_mesh, NULL) != SN_OK) return 1;
    sn_grid_free(&grid);
    return 0;
}

static inline int free_mesh(void **state)
{
    (void)state;
    sn_trimesh_free(&fork_mesh);
    return 0;
}

static const int32_t parents[BODIES] = {-1, 0, 0, 1};

/* Strands 0 to 3 run along the fingers, dorsal 6.5 mm above the axis or palmar below it; 4 is a belly in the palm. */
static inline void place_strands(Fork *f)
{
    for (int s = 0; s < STRANDS; ++s)
        for (int i = 0; i < POINTS; ++i) {
            double t = (double)i / (POINTS - 1), z = s % 2 ? -0.005 : 0.0065;
            v3 p = v3_mad(v3_lerp(finger[s / 2 % 2][0], finger[s / 2 % 2][1], t), z, v3_of(0, 0, 1));
            if (s == 4) p = v3_of(0, -0.028 + 0.03 * t, 0.009);
            v3_store(f->point + 3 * (s * POINTS + i), p);
        }
}

static inline void make_fork(Fork *f)
{
    memset(f, 0, sizeof *f);
    f->mesh = fork_mesh;
    v3 split = v3_lerp(finger[0][0], finger[0][1], 0.55),
       joint[BODIES + 1][2] = {
           {palm[0], palm[1]}, {finger[0][0], split}, {finger[1][0], finger[1][1]}, {split, finger[0][1]}};
    for (int b = 0; b < BODIES; ++b) {
        v3_store(f->rest + 7 * b, joint[b][0]), f->rest[7 * b + 3] = 1;
        v3_store(f->stick[b], joint[b][0]), v3_store(f->stick[b] + 3, joint[b][1]);
        f->bone[b] = (snSkinBone){.body = b, .nvertex = 2, .vertex = f->stick[b]};
    }
    place_strands(f);
    for (int s = 0; s < STRANDS; ++s)
        f->strand[s] = (snSkinStrand){
            .npoint = POINTS, .point = f->point + 3 * s * POINTS, .height = NAN, .lateral = NAN, .depth = NAN};
    f->strand[4].belly_start = 0, f->strand[4].belly_end = 1, f->strand[4].belly_radius = 0.006;
    f->def = sn_default_skin_def();
    f->def.nvertex = f->mesh.nvertex, f->def.ntriangle = f->mesh.ntriangle, f->def.vertex = f->mesh.vertex;
    f->def.triangle = f->mesh.triangle, f->def.nbody = BODIES, f->def.rest = f->rest, f->def.parent = parents;
    f->def.nbone = BODIES, f->def.bone = f->bone, f->def.nstrand = STRANDS, f->def.strand = f->strand;
}

static inline snSkin *make_skin(Fork *f)
{
    snSkin *skin = NULL;
    snError error = {0};
    snStatus status = sn_skin_create(&f->def, &skin, &error);
    if (status != SN_OK) print_error("%s\n", error.message);
    assert_int_equal(status, SN_OK);
    return skin;
}

/* Poses with both fingers bent by an angle about x, the tip by twice that; all strands carried along rigidly. */
static inline void bend(const Fork *f, double angle, double pose[7 * BODIES], double point[3 * STRANDS * POINTS])
{
    rigid motion[BODIES];
    motion[0] = rigid_identity();
    for (int b = 1; b < BODIES; ++b) {
        v3 at = v3_load(f->rest + 7 * b);
        quat q = q_axis_angle(v3_of(1, 0, 0), angle);
        motion[b] = rigid_mul(motion[parents[b]], (rigid){q, v3_sub(at, q_rotate(q, at))});
    }
    for (int b = 0; b < BODIES; ++b) {
        v3_store(pose + 7 * b, rigid_apply(motion[b], v3_load(f->rest + 7 * b))),
            q_store(pose + 7 * b + 3, motion[b].q);
    }
    for (int i = 0; i < STRANDS * POINTS; ++i) {
        int s = i / POINTS, body = s == 4 ? 0 : s / 2 == 1 ? 2 : i % POINTS > 4 ? 3 : 1;
        v3_store(point + 3 * i, rigid_apply(motion[body], v3_load(f->point + 3 * i)));
    }
}

#endif
