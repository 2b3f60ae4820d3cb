/* The skin: weights, blending, bulge and bellies on a fork of two fingers, against closed forms and brute force. */
#include "check.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "geom/bvh.h"
#include "geom/grid.h"
#include "geom/remesh.h"
#include "math/vec.h"
#include "skin/skin.h"

#include <string.h>

/* ---- a fork: palm (body 0), two fingers (1, 2), a tip on the first (3) ------------------------------ */

static const v3 palm[2] = {{0, -0.03, 0}, {0, 0.008, 0}};
static const v3 finger[2][2] = {{{0.010, 0.005, 0}, {0.0125, 0.07, 0}}, {{-0.010, 0.005, 0}, {-0.0125, 0.07, 0}}};

static double capsule(v3 p, const v3 *end, double radius)
{
    v3 d = v3_sub(end[1], end[0]);
    double t = fmax(0, fmin(1, v3_dot(v3_sub(p, end[0]), d) / v3_len2(d)));
    return v3_dist(p, v3_mad(end[0], t, d)) - radius;
}

static double fork_distance(const void *context, v3 p, double limit)
{
    (void)context, (void)limit;
    double a = capsule(p, finger[0], 0.009), b = capsule(p, finger[1], 0.009), c = capsule(p, palm, 0.018);
    return sn_distance_union(c, fmin(sn_distance_apart(a, b, 0.002), sn_distance_apart(b, a, 0.002)), 0.004);
}

static double edge(const void *context, v3 p)
{
    (void)context, (void)p;
    return 0.0019;
}
static v3 onto(const void *grid, v3 p)
{
    return sn_grid_project(grid, p);
}
static v3 outwards(const void *grid, v3 p)
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

static int make_mesh(void **state)
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

static int free_mesh(void **state)
{
    (void)state;
    sn_trimesh_free(&fork_mesh);
    return 0;
}

static const int32_t parents[BODIES] = {-1, 0, 0, 1};

/* Strands 0 to 3 run along the fingers, dorsal 6.5 mm above the axis or palmar below it; 4 is a belly in the palm. */
static void place_strands(Fork *f)
{
    for (int s = 0; s < STRANDS; ++s)
        for (int i = 0; i < POINTS; ++i) {
            double t = (double)i / (POINTS - 1), z = s % 2 ? -0.005 : 0.0065;
            v3 p = v3_mad(v3_lerp(finger[s / 2 % 2][0], finger[s / 2 % 2][1], t), z, v3_of(0, 0, 1));
            if (s == 4) p = v3_of(0, -0.028 + 0.03 * t, 0.009);
            v3_store(f->point + 3 * (s * POINTS + i), p);
        }
}

static void make_fork(Fork *f)
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

static snSkin *make_skin(Fork *f)
{
    snSkin *skin = NULL;
    snError error = {0};
    snStatus status = sn_skin_create(&f->def, &skin, &error);
    if (status != SN_OK) print_error("%s\n", error.message);
    assert_int_equal(status, SN_OK);
    return skin;
}

/* Poses with both fingers bent by an angle about x, the tip by twice that; all strands carried along rigidly. */
static void bend(const Fork *f, double angle, double pose[7 * BODIES], double point[3 * STRANDS * POINTS])
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

/* ---- weights -------------------------------------------------------------------------------------- */

static double weight_of(const snSkin *skin, int32_t v, int32_t body)
{
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        if (sn_skin_weight_bodies(skin)[4 * v + k] == body) sum += sn_skin_weights(skin)[4 * v + k];
    return sum;
}

static void weights_are_smooth_and_stay_on_their_finger(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snSkin *skin = make_skin(&f);
    for (int32_t v = 0; v < f.mesh.nvertex; ++v) {
        const double *w = sn_skin_weights(skin) + 4 * v;
        assert_near(w[0] + w[1] + w[2] + w[3], 1, 1e-12);
        assert_true(w[0] >= w[1] && w[1] >= w[2] && w[2] >= w[3] && w[3] >= 0);
        v3 p = sn_trimesh_point(&f.mesh, v);
        if (p.y > 0.036)
            assert_near(p.x > 0 ? weight_of(skin, v, 2) : weight_of(skin, v, 1) + weight_of(skin, v, 3), 0, 0);
        if (p.y > 0.06) assert_true(weight_of(skin, v, p.x > 0 ? 3 : 2) > 0.8);
        if (p.y < -0.03) assert_true(weight_of(skin, v, 0) > 0.8);
    }
    double steepest = 0; /* change of a weight along an edge, per metre */
    for (int32_t t = 0; t < f.mesh.ntriangle; ++t)
        for (int c = 0; c < 3; ++c) {
            int32_t a = f.mesh.triangle[3 * t + c], b = f.mesh.triangle[3 * t + (c + 1) % 3];
            double length = v3_dist(sn_trimesh_point(&f.mesh, a), sn_trimesh_point(&f.mesh, b));
            for (int body = 0; body < BODIES; ++body)
                steepest = fmax(steepest, fabs(weight_of(skin, a, body) - weight_of(skin, b, body)) / length);
        }
    assert_at_most(steepest, 120); /* a tenth per millimetre; a step would be 500 */
    sn_skin_destroy(skin);
}

static void given_weights_are_taken_and_checked(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    int32_t n = f.mesh.nvertex, *body = SN_NEW_ARRAY(int32_t, 4 * n);
    double *weight = SN_NEW_ARRAY(double, 4 * n);
    for (int32_t v = 0; v < n; ++v)
        body[4 * v] = 2, weight[4 * v] = 0.25, body[4 * v + 1] = 1, weight[4 * v + 1] = 0.75;
    f.def.weight_body = body, f.def.weight = weight, f.def.nbone = 0;
    snSkin *skin = make_skin(&f);
    assert_int_equal(sn_skin_weight_bodies(skin)[0], 1); /* the largest first */
    assert_near(sn_skin_weights(skin)[0], 0.75, 1e-15);
    sn_skin_destroy(skin);
    snError error;
    weight[8] = 0.5;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "vertex 2"));
    weight[8] = 0.25, body[8] = 9;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    sn_free(body), sn_free(weight);
}

/* ---- blending ------------------------------------------------------------------------------------- */

static void a_rigid_motion_is_followed_exactly(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snSkin *skin = make_skin(&f);
    double *vertex = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex), pose[7 * BODIES];
    rigid e = {q_unit((quat){0.3, -0.5, 0.7, 0.1}), {0.1, -0.2, 0.3}};
    for (int b = 0; b < BODIES; ++b) {
        v3_store(pose + 7 * b, rigid_apply(e, v3_load(f.rest + 7 * b)));
        q_store(pose + 7 * b + 3, b == 1 ? (quat){-e.q.w, -e.q.x, -e.q.y, -e.q.z} : e.q); /* the same rotation */
    }
    for (int blend = 0; blend < 2; ++blend) {
        sn_skin_set_blend(skin, blend ? SN_SKIN_DUAL_QUATERNION : SN_SKIN_LINEAR);
        sn_skin_deform(skin, pose, NULL, vertex, NULL);
        for (int32_t v = 0; v < f.mesh.nvertex; ++v)
            assert_near(v3_dist(v3_load(vertex + 3 * v), rigid_apply(e, sn_trimesh_point(&f.mesh, v))), 0, 1e-13);
    }
    sn_free(vertex);
    sn_skin_destroy(skin);
}

/* A tip twisted by 150 degrees: the linear blend collapses, dual quaternions keep the volume. */
static void dual_quaternions_keep_volume_in_a_twist(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snSkin *skin = make_skin(&f);
    double *vertex = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex), pose[7 * BODIES], volume[2], rest;
    memcpy(pose, f.rest, sizeof pose);
    q_store(pose + 7 * 3 + 3, q_axis_angle(v3_unit(v3_sub(finger[0][1], finger[0][0])), 150 * SN_DEG));
    sn_trimesh_integrals(&f.mesh, &rest, NULL, NULL);
    for (int blend = 0; blend < 2; ++blend) {
        sn_skin_set_blend(skin, blend ? SN_SKIN_DUAL_QUATERNION : SN_SKIN_LINEAR);
        sn_skin_deform(skin, pose, NULL, vertex, NULL);
        volume[blend] = sn_skin_info(skin).base_volume;
    }
    assert_near(volume[1] / rest, 1, 0.01);
    assert_true(volume[0] < volume[1]);
    sn_free(vertex);
    sn_skin_destroy(skin);
}

/* Angle by which the ring of the first finger around a place of its axis has turned about it. */
static double ring_turn(const Fork *f, const double *vertex, double at, v3 axis)
{
    double along = 0, across = 0;
    for (int32_t v = 0; v < f->mesh.nvertex; ++v) {
        v3 was = v3_sub(sn_trimesh_point(&f->mesh, v), finger[0][0]),
           is = v3_sub(v3_load(vertex + 3 * v), finger[0][0]);
        double y = v3_dot(was, axis);
        if (was.x + finger[0][0].x < 0 || fabs(y - at) > 0.002) continue;
        was = v3_mad(was, -y, axis), is = v3_mad(is, -v3_dot(is, axis), axis);
        along += v3_dot(was, is), across += v3_dot(v3_cross(was, is), axis);
    }
    return atan2(across, along);
}

/* The tip turned along the first finger, as a twist: each ring turns a little further than the one before, and the
 * linear blend keeps the volume. */
static void a_twist_turns_the_skin_gradually(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    v3 axis = v3_unit(v3_sub(finger[0][1], finger[0][0])), to = v3_mad(finger[0][0], 0.060, axis);
    snSkinTwist twist = {.parent = 1, .child = 3};
    v3_store(twist.from, v3_mad(finger[0][0], 0.020, axis)), v3_store(twist.to, to);
    f.def.ntwist = 1, f.def.twist = &twist;
    snSkin *skin = make_skin(&f);
    double *vertex = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex), pose[7 * BODIES], rest, before = 0;
    sn_trimesh_integrals(&f.mesh, &rest, NULL, NULL);
    memcpy(pose, f.rest, sizeof pose);
    q_store(pose + 7 * 3 + 3, q_axis_angle(axis, 80 * SN_DEG));
    sn_skin_deform(skin, pose, NULL, vertex, NULL);
    assert_near(sn_skin_info(skin).base_volume / rest, 1, 0.01);
    assert_near(ring_turn(&f, vertex, 0.018, axis), 0, 1 * SN_DEG);
    for (double at = 0.018; at < 0.064; at += 0.002) {
        double turn = ring_turn(&f, vertex, at, axis);
        assert_true(turn > before - 0.1 * SN_DEG && turn < before + 8 * SN_DEG);
        before = turn;
    }
    assert_near(before, 80 * SN_DEG, 2 * SN_DEG);
    twist.child = 1;
    snSkin *none = NULL;
    assert_int_equal(sn_skin_create(&f.def, &none, NULL), SN_BAD_INPUT);
    sn_free(vertex);
    sn_skin_destroy(skin);
}

/* ---- bulge ---------------------------------------------------------------------------------------- */

/* In the rest pose the closest point of a straight strand is known, so equation 19 is. */
static void the_bulge_is_equation_19(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    f.def.nstrand = 1, f.def.height = 0.8, f.def.lateral = 0.0025, f.def.depth = 0.005;
    snSkin *skin = make_skin(&f);
    double *vertex = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex), *normal = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex);
    sn_trimesh_normals(&f.mesh, normal);
    sn_skin_deform(skin, f.rest, f.point, vertex, NULL);
    v3 a = v3_load(f.point), way = v3_sub(v3_load(f.point + 3 * (POINTS - 1)), a);
    double highest = 0;
    int32_t raised = 0;
    for (int32_t v = 0; v < f.mesh.nvertex; ++v) {
        v3 p = sn_trimesh_point(&f.mesh, v), n = v3_load(normal + 3 * v);
        double t = fmax(0, fmin(1, v3_dot(v3_sub(p, a), way) / v3_len2(way)));
        v3 d = v3_sub(v3_mad(a, t, way), p);
        double along = v3_dot(d, n), h = fmax(along + 0.005, 0), side = v3_len2(v3_mad(d, -along, n));
        double lift = h <= 0.003 ? h : 0.003 + 0.003 * tanh((h - 0.003) / 0.003); /* at most 6 mm */
        double expected = lift * 0.8 * exp(-side / (2 * 0.0025 * 0.0025)), w = sn_skin_influence(skin)[v];
        v3 moved = v3_sub(v3_load(vertex + 3 * v), p);
        if (v3_len(d) > 0.019 || p.x < 0) continue; /* out of reach, or the other finger */
        assert_near(v3_dot(moved, n), w * expected, 1e-9);
        assert_near(v3_len(v3_cross(moved, n)), 0, 1e-12);
        highest = fmax(highest, v3_dot(moved, n)), raised += expected > 1e-4;
        if (v3_len(d) < 0.011) assert_near(w, 1, 0.02);
    }
    assert_near(highest, 0.8 * 0.0025, 2e-4); /* 2.5 mm of skin over the strand */
    assert_true(raised > 100);
    assert_near(sn_skin_info(skin).max_bulge, highest, 1e-12);
    sn_free(vertex), sn_free(normal);
    sn_skin_destroy(skin);
}

static void nothing_bulges_on_the_far_side_or_the_other_finger(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    f.def.nstrand = 1; /* dorsal, first finger */
    snSkin *skin = make_skin(&f);
    double *vertex = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex), pose[7 * BODIES], point[3 * STRANDS * POINTS];
    for (double angle = -0.5; angle <= 1; angle += 0.25) {
        bend(&f, angle, pose, point);
        for (int i = 0; i < POINTS; ++i) point[3 * i + 2] += 0.003; /* lifted, so that it shows well */
        sn_skin_deform(skin, pose, point, vertex, NULL);
        double most = 0;
        for (int32_t v = 0; v < f.mesh.nvertex; ++v) {
            v3 p = sn_trimesh_point(&f.mesh, v);
            if (p.z < -0.006 || (p.x < -0.001 && p.y > 0.025)) assert_near(sn_skin_offset(skin)[v], 0, 5e-6);
            most = fmax(most, sn_skin_offset(skin)[v]);
        }
        assert_true(most > 0.002);
    }
    sn_free(vertex);
    sn_skin_destroy(skin);
}

static void the_search_equals_brute_force(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    f.def.belly = 0;
    snSkin *skin = make_skin(&f);
    int32_t n = 3 * f.mesh.nvertex;
    double *fast = SN_NEW_ARRAY(double, n), *slow = SN_NEW_ARRAY(double, n), pose[7 * BODIES],
           point[3 * STRANDS * POINTS];
    double fast_time = 0, slow_time = 0;
    int32_t bulged = 0;
    for (int frame = 0; frame < 12; ++frame) {
        /* a motion, then a jump: what was nearest before may be far off */
        bend(&f, frame < 8 ? 0.1 * frame : frame % 2 ? -0.6 : 1.2, pose, point);
        for (int i = 0; i < 3 * STRANDS * POINTS; ++i) point[i] += 0.0015 * sin(7.0 * i + 3 * frame);
        sn_skin_set_brute_force(skin, true);
        sn_skin_deform(skin, pose, point, slow, NULL);
        slow_time += sn_skin_info(skin).bulge_seconds;
        sn_skin_set_brute_force(skin, false);
        sn_skin_deform(skin, pose, point, fast, NULL);
        fast_time += sn_skin_info(skin).bulge_seconds;
        bulged += sn_skin_info(skin).bulged;
        for (int32_t i = 0; i < n; ++i) assert_near(fast[i], slow[i], 1e-9);
    }
    assert_true(bulged > 1000);
    print_message("%d vertices, %d strands: %.3f ms a frame, by brute force %.1f ms\n", (int)f.mesh.nvertex, STRANDS,
                  1e3 * fast_time / 12, 1e3 * slow_time / 12);
    sn_free(fast), sn_free(slow);
    sn_skin_destroy(skin);
}

static void prominence_scales_and_influence_is_obeyed(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    int32_t n = f.mesh.nvertex;
    double *influence = SN_NEW_ARRAY(double, n), *vertex = SN_NEW_ARRAY(double, 3 * n), *once = SN_NEW_ARRAY(double, n);
    for (int32_t v = 0; v < n; ++v) influence[v] = sn_trimesh_point(&f.mesh, v).x > 0 ? 0.5 : 0;
    f.def.influence = influence;
    snSkin *skin = make_skin(&f);
    sn_skin_deform(skin, f.rest, f.point, vertex, NULL);
    memcpy(once, sn_skin_offset(skin), sizeof(double) * (size_t)n);
    sn_skin_set_prominence(skin, 2);
    sn_skin_deform(skin, f.rest, f.point, vertex, NULL);
    for (int32_t v = 0; v < n; ++v) {
        assert_near(sn_skin_offset(skin)[v], 2 * once[v], 1e-15);
        if (influence[v] == 0) assert_near(once[v], 0, 0);
    }
    sn_skin_set_prominence(skin, 0);
    sn_skin_deform(skin, f.rest, f.point, vertex, NULL);
    assert_near(sn_skin_info(skin).max_bulge, 0, 0);
    sn_free(influence), sn_free(vertex), sn_free(once);
    sn_skin_destroy(skin);
}

/* Also where the bulges of two strands meet at the border of the paint, and are evened out. */
static void half_painted_skin_moves_half_as_far(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    int32_t n = f.mesh.nvertex;
    double *influence = SN_NEW_ARRAY(double, n), *vertex = SN_NEW_ARRAY(double, 3 * n), *full = SN_NEW_ARRAY(double, n);
    double point[3 * STRANDS * POINTS];
    for (int i = 0; i < POINTS; ++i) /* strand 1 beside strand 0 */
        v3_store(f.point + 3 * (POINTS + i), v3_add(v3_load(f.point + 3 * i), v3_of(0.003, 0, 0)));
    memcpy(point, f.point, sizeof point);
    for (int i = 0; i < POINTS; ++i) point[3 * i + 2] += 0.003;
    for (int half = 0; half < 2; ++half) {
        for (int32_t v = 0; v < n; ++v) influence[v] = half ? (v % 5 ? 0.5 : 0) : 1;
        f.def.influence = influence, f.def.belly = 0, f.def.contact = false;
        snSkin *skin = make_skin(&f);
        sn_skin_deform(skin, f.rest, point, vertex, NULL);
        for (int32_t v = 0; v < n; ++v)
            if (half) assert_near(sn_skin_offset(skin)[v], influence[v] * full[v], 1e-15);
        memcpy(full, sn_skin_offset(skin), sizeof(double) * (size_t)n);
        assert_true(sn_skin_info(skin).max_bulge > 1e-3);
        sn_skin_destroy(skin);
    }
    sn_free(influence), sn_free(vertex), sn_free(full);
}

/* A belly of radius r shortened to L / L0 = q thickens by r (1 / sqrt(q) - 1) at its middle. */
static void bellies_thicken_as_they_shorten(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    f.def.height = 0; /* no bulge of the tendon */
    snSkin *skin = make_skin(&f);
    double *vertex = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex), point[3 * STRANDS * POINTS];
    const double q[] = {1, 0.8, 1.2};
    for (int k = 0; k < 3; ++k) {
        memcpy(point, f.point, sizeof point);
        for (int i = 0; i < POINTS; ++i)
            point[3 * (4 * POINTS + i) + 1] = -0.013 + q[k] * (f.point[3 * (4 * POINTS + i) + 1] + 0.013);
        sn_skin_deform(skin, f.rest, point, vertex, NULL);
        double most = 0, thickening = 0.006 * (1 / sqrt(q[k]) - 1);
        for (int32_t v = 0; v < f.mesh.nvertex; ++v) {
            double offset = sn_skin_offset(skin)[v];
            if (fabs(offset) > fabs(most)) most = offset;
            if (sn_trimesh_point(&f.mesh, v).z < -0.01) assert_near(offset, 0, 1e-9);
        }
        assert_at_most(fabs(most), fabs(thickening) + 1e-12);
        assert_near(most, thickening, 0.25 * fabs(thickening) + 1e-12); /* 3 mm of flesh in between */
    }
    sn_free(vertex);
    sn_skin_destroy(skin);
}

static void deforming_keeps_volume_and_normals_and_allocates_nothing(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snSkin *skin = make_skin(&f);
    int32_t n = f.mesh.nvertex;
    double *vertex = SN_NEW_ARRAY(double, 3 * n), *normal = SN_NEW_ARRAY(double, 3 * n), pose[7 * BODIES],
           point[3 * STRANDS * POINTS];
    int64_t before = sn_alloc_count();
    for (double angle = -0.4; angle < 1.2; angle += 0.2) {
        bend(&f, angle, pose, point);
        sn_skin_deform(skin, pose, point, vertex, normal);
        snSkinInfo info = sn_skin_info(skin);
        assert_near(info.volume / info.base_volume, 1, 0.03);
        snTriMesh moved = f.mesh;
        moved.vertex = vertex;
        double volume;
        sn_trimesh_integrals(&moved, &volume, NULL, NULL);
        assert_near(volume / info.volume, 1, 1e-12);
        for (int32_t v = 0; v < n; ++v) assert_near(v3_len(v3_load(normal + 3 * v)), 1, 1e-12);
    }
    assert_int_equal(sn_alloc_count(), before);
    sn_free(vertex), sn_free(normal);
    sn_skin_destroy(skin);
}

/* ---- bones ---------------------------------------------------------------------------------------- */

enum { RINGS = 9, ANGLES = 12 };

/* A closed tube around the axis of the first finger, 5 mm in radius; the finger has 9 mm. */
static snTriMesh make_tube(void)
{
    double position[3 * RINGS * ANGLES];
    snTriMesh tube;
    for (int r = 0; r < RINGS; ++r)
        for (int a = 0; a < ANGLES; ++a) {
            v3 p = v3_lerp(finger[0][0], finger[0][1], (double)r / (RINGS - 1));
            double turn = 2 * SN_PI * a / ANGLES;
            v3_store(position + 3 * (ANGLES * r + a), v3_add(p, v3_of(0.005 * sin(turn), 0, 0.005 * cos(turn))));
        }
    assert_int_equal(sn_trimesh_loft(RINGS, ANGLES, position, NULL, NULL, &tube, NULL), SN_OK);
    return tube;
}

/* A bone that leaves its place by up to 9 mm, sideways and upwards: the skin stays outside, and elsewhere as it was. */
static void skin_stays_out_of_bones(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snTriMesh tube = make_tube();
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(&tube, true, &place), SN_OK);
    assert_int_equal(place.defect, SN_MESH_SOUND);
    snSkinBone bone[BODIES + 1];
    memcpy(bone, f.bone, sizeof f.bone);
    bone[BODIES] = (snSkinBone){2, tube.nvertex, tube.ntriangle, tube.vertex, tube.triangle};
    f.def.bone = bone, f.def.nbone = BODIES + 1;
    int32_t n = f.mesh.nvertex, *body = SN_NEW_ARRAY(int32_t, 4 * n);
    double *weight = SN_NEW_ARRAY(double, 4 * n);
    for (int32_t v = 0; v < n; ++v) weight[4 * v] = 1; /* all of the skin stays with the palm */
    f.def.weight_body = body, f.def.weight = weight;
    snSkin *skin = make_skin(&f);
    snBvh *tree = sn_bvh_create(&tube);
    double *vertex = SN_NEW_ARRAY(double, 3 * n), pose[7 * BODIES];
    sn_skin_deform(skin, f.rest, NULL, vertex, NULL);
    for (int32_t i = 0; i < 3 * n; ++i) assert_near(vertex[i], f.mesh.vertex[i], 1e-15);
    int64_t before = sn_alloc_count();
    for (int k = 0; k < 12; ++k) { /* to and fro, with jumps: what a vertex has seen before may not mislead it */
        v3 way = v3_scale(v3_of(sin(2.0 * k), 0, cos(2.0 * k)), 0.003 * (k % 4));
        memcpy(pose, f.rest, sizeof pose);
        v3_store(pose + 14, v3_add(v3_load(pose + 14), way));
        sn_skin_deform(skin, pose, f.point, vertex, NULL);
        int32_t moved = 0;
        for (int32_t v = 0; v < n; ++v) {
            v3 p = v3_load(vertex + 3 * v), base = v3_load(sn_skin_base(skin) + 3 * v);
            assert_false(sn_bvh_inside(tree, v3_sub(p, way)));
            moved += v3_dist(base, sn_trimesh_point(&f.mesh, v)) > 1e-6;
        }
        if (k % 4 == 0) assert_int_equal(moved, 0);
        if (k % 4 == 3) assert_true(moved > 50);
    }
    assert_int_equal(sn_alloc_count(), before);
    snSkin *fresh = make_skin(&f); /* a frame does not depend on the frames before it */
    double *first = SN_NEW_ARRAY(double, 3 * n);
    sn_skin_deform(fresh, pose, f.point, first, NULL);
    for (int32_t i = 0; i < 3 * n; ++i) assert_near(first[i], vertex[i], 1e-12);
    sn_free(first);
    sn_skin_destroy(fresh);
    sn_bvh_destroy(tree), sn_trimesh_free(&tube);
    sn_free(vertex), sn_free(body), sn_free(weight);
    sn_skin_destroy(skin);
}

/* ---- trouble -------------------------------------------------------------------------------------- */

static void bad_meshes_and_strands_are_refused(void **state)
{
    (void)state;
    Fork f;
    snSkin *skin = NULL;
    snError error;
    make_fork(&f);
    f.def.ntriangle -= 1;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "open"));
    make_fork(&f);
    f.def.ntriangle = 0;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    double *copy = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex);
    memcpy(copy, f.mesh.vertex, sizeof(double) * 3 * (size_t)f.mesh.nvertex);
    copy[30] = NAN, f.def.vertex = copy;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "vertex 10"));
    sn_free(copy);
    make_fork(&f);
    f.def.nbone = 0;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    f.strand[2].npoint = 3;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    f.def.lateral = 0;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    f.point[40] = INFINITY;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_null(skin);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    /* a smaller skin: a tetrahedron around everything */
    double corner[12] = {-0.2, -0.2, -0.2, 0.4, -0.2, -0.2, -0.2, 0.4, -0.2, -0.2, -0.2, 0.4};
    int32_t face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    f.def.nvertex = f.def.ntriangle = 4, f.def.vertex = corner, f.def.triangle = face;
    double inner[12]; /* a bone in it */
    for (int i = 0; i < 12; ++i) inner[i] = 0.1 * corner[i];
    f.bone[0] = (snSkinBone){0, 4, 4, inner, face};
    int64_t live = sn_alloc_live();
    for (int n = 0;; ++n) {
        snSkin *skin = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_skin_create(&f.def, &skin, NULL);
        sn_alloc_fail_after(-1);
        sn_skin_destroy(skin);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_smooth_and_stay_on_their_finger),
        cmocka_unit_test(given_weights_are_taken_and_checked),
        cmocka_unit_test(a_rigid_motion_is_followed_exactly),
        cmocka_unit_test(dual_quaternions_keep_volume_in_a_twist),
        cmocka_unit_test(a_twist_turns_the_skin_gradually),
        cmocka_unit_test(the_bulge_is_equation_19),
        cmocka_unit_test(nothing_bulges_on_the_far_side_or_the_other_finger),
        cmocka_unit_test(the_search_equals_brute_force),
        cmocka_unit_test(prominence_scales_and_influence_is_obeyed),
        cmocka_unit_test(half_painted_skin_moves_half_as_far),
        cmocka_unit_test(bellies_thicken_as_they_shorten),
        cmocka_unit_test(deforming_keeps_volume_and_normals_and_allocates_nothing),
        cmocka_unit_test(skin_stays_out_of_bones),
        cmocka_unit_test(bad_meshes_and_strands_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, make_mesh, free_mesh);
}
