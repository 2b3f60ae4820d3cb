/* The skin: weights, blending, bulge and bellies on a fork of two fingers, against closed forms and brute force. */
#include "fork.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "skin/own/skin.h"

#include <string.h>

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
    };
    return cmocka_run_group_tests(tests, make_mesh, free_mesh);
}
