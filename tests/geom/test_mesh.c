/* Meshes: every defect is found at its place, integrals match closed forms, the tree agrees with brute force. */
#include "check.h"

#include "base/alloc.h"
#include "geom/bvh.h"
#include "geom/mesh.h"

#include <string.h>

static uint64_t seed = 1;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static v3 uniform3(double r)
{
    return v3_of(uniform(-r, r), uniform(-r, r), uniform(-r, r));
}

/* A surface of revolution about z: an ellipsoid with half axes a, a, c. */
static snTriMesh make_ball(double a, double c, int rings, int angles)
{
    double *position = SN_NEW_ARRAY(double, 3 * rings * angles);
    for (int i = 0; i < rings * angles; ++i) {
        double latitude = -SN_PI / 2 + SN_PI * (i / angles + 1) / (rings + 1), turn = 2 * SN_PI * (i % angles) / angles;
        v3_store(position + 3 * i,
                 v3_of(a * cos(latitude) * cos(turn), a * cos(latitude) * sin(turn), c * sin(latitude)));
    }
    v3 south = v3_of(0, 0, -c), north = v3_of(0, 0, c);
    snTriMesh mesh;
    assert_int_equal(sn_trimesh_loft(rings, angles, position, &south, &north, &mesh, NULL), SN_OK);
    sn_free(position);
    return mesh;
}

static snTriMesh make_cube(void)
{
    static const int32_t triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    snTriMesh mesh;
    assert_true(sn_trimesh_alloc(&mesh, 8, 12));
    for (int i = 0; i < 8; ++i) v3_store(mesh.vertex + 3 * i, v3_of(2 + (i & 1), (i >> 1 & 1) * 2.0, (i >> 2) * 3.0));
    memcpy(mesh.triangle, triangle, sizeof triangle);
    return mesh;
}

static snMeshPlace defect_of(const snTriMesh *mesh)
{
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(mesh, true, &place), SN_OK);
    return place;
}

static void sound_meshes_pass(void **state)
{
    (void)state;
    snTriMesh ball = make_ball(1, 2, 20, 30), cube = make_cube();
    assert_int_equal(defect_of(&ball).defect, SN_MESH_SOUND);
    assert_int_equal(defect_of(&cube).defect, SN_MESH_SOUND);
    sn_trimesh_free(&ball), sn_trimesh_free(&cube);
}

static void each_defect_is_found_at_its_place(void **state)
{
    (void)state;
    snTriMesh m = make_cube();
    m.vertex[3 * 5 + 1] = NAN;
    assert_int_equal(defect_of(&m).defect, SN_MESH_NOT_FINITE);
    assert_int_equal(defect_of(&m).vertex[0], 5);
    sn_trimesh_free(&m), m = make_cube();
    m.triangle[3 * 7 + 2] = 8;
    assert_int_equal(defect_of(&m).defect, SN_MESH_BAD_INDEX);
    assert_int_equal(defect_of(&m).triangle, 7);
    sn_trimesh_free(&m), m = make_cube();
    memcpy(m.vertex + 3, m.vertex, 3 * sizeof(double));
    assert_int_equal(defect_of(&m).defect, SN_MESH_DEGENERATE);
    sn_trimesh_free(&m), m = make_cube();
    m.ntriangle = 11; /* leaves out 3 7 5 */
    snMeshPlace place = defect_of(&m);
    assert_int_equal(place.defect, SN_MESH_OPEN_EDGE);
    assert_true((place.vertex[0] == 7 && place.vertex[1] == 3) ||
                (place.vertex[0] == 3 || place.vertex[0] == 5 || place.vertex[0] == 7));
    assert_int_equal(sn_trimesh_check(&m, false, &place), SN_OK);
    assert_int_equal(place.defect, SN_MESH_SOUND);
    m.ntriangle = 0;
    assert_int_equal(defect_of(&m).defect, SN_MESH_EMPTY);
    sn_trimesh_free(&m), m = make_cube();
    m.triangle[33] = 7, m.triangle[34] = 3; /* the last triangle turned over */
    assert_int_equal(defect_of(&m).defect, SN_MESH_FLIPPED_EDGE);
    sn_trimesh_free(&m), m = make_cube();
    for (int t = 0; t < 12; ++t) {
        int32_t swap = m.triangle[3 * t];
        m.triangle[3 * t] = m.triangle[3 * t + 1], m.triangle[3 * t + 1] = swap;
    }
    assert_int_equal(defect_of(&m).defect, SN_MESH_INSIDE_OUT);
    sn_trimesh_free(&m);
}

/* Two tetrahedra glued at a vertex, and along an edge. */
static void pinched_and_crowded_meshes_are_refused(void **state)
{
    (void)state;
    static const int32_t one[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2, 0, 4, 5, 0, 6, 4, 4, 6, 5, 0, 5, 6};
    static const double at[21] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, -1};
    snTriMesh m;
    assert_true(sn_trimesh_alloc(&m, 7, 8));
    memcpy(m.vertex, at, sizeof at), memcpy(m.triangle, one, sizeof one);
    snMeshPlace place = defect_of(&m);
    assert_int_equal(place.defect, SN_MESH_PINCHED_VERTEX);
    assert_int_equal(place.vertex[0], 0);
    static const int32_t two[24] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2, 0, 1, 5, 0, 6, 1, 1, 6, 5, 0, 5, 6};
    memcpy(m.triangle, two, sizeof two);
    place = defect_of(&m);
    assert_int_equal(place.defect, SN_MESH_CROWDED_EDGE);
    assert_int_equal(place.vertex[0] + place.vertex[1], 1);
    snError error;
    assert_int_equal(sn_trimesh_require(&m, true, "skin", &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "vertices"));
    assert_non_null(strstr(error.element, "skin"));
    sn_trimesh_free(&m);
}

static void integrals_match_closed_forms(void **state)
{
    (void)state;
    snTriMesh cube = make_cube();
    double volume;
    v3 centre;
    m3 inertia;
    sn_trimesh_integrals(&cube, &volume, &centre, &inertia);
    assert_near(volume, 6, 1e-12);
    assert_near(v3_dist(centre, v3_of(2.5, 1, 1.5)), 0, 1e-12);
    assert_near(inertia.m[0], 6 * (4 + 9) / 12.0, 1e-11);
    assert_near(inertia.m[4], 6 * (1 + 9) / 12.0, 1e-11);
    assert_near(inertia.m[8], 6 * (1 + 4) / 12.0, 1e-11);
    assert_near(inertia.m[1], 0, 1e-11);
    assert_near(sn_trimesh_area(&cube), 2 * (2 + 3 + 6), 1e-12);
    sn_trimesh_free(&cube);
    snTriMesh ball = make_ball(1, 2, 150, 200);
    sn_trimesh_integrals(&ball, &volume, &centre, &inertia);
    assert_near(volume, 4 * SN_PI / 3 * 2, 0.005);
    assert_near(inertia.m[8], volume * 2 / 5.0, 0.005);
    assert_near(inertia.m[0], volume * (1 + 4) / 5.0, 0.01);
    double *normal = SN_NEW_ARRAY(double, 3 * ball.nvertex);
    sn_trimesh_normals(&ball, normal);
    for (int32_t v = 0; v < ball.nvertex; ++v) {
        v3 p = sn_trimesh_point(&ball, v), n = v3_unit(v3_of(p.x, p.y, p.z / 4));
        assert_near(v3_dist(v3_load(normal + 3 * v), n), 0, 0.02);
    }
    sn_free(normal);
    sn_trimesh_free(&ball);
}

static void aspect_ratio_is_one_for_equilateral(void **state)
{
    (void)state;
    v3 a = {0, 0, 0}, b = {2, 0, 0};
    assert_near(sn_triangle_aspect(a, b, v3_of(1, sqrt(3), 0)), 1, 1e-14);
    assert_near(sn_triangle_aspect(a, b, v3_of(1, 0.5, 0)), 0.5 * sqrt(3.0) * 2 / 0.5, 1e-14);
    assert_true(isinf(sn_triangle_aspect(a, b, v3_of(1, 0, 0))));
}

static void closest_point_agrees_with_brute_force(void **state)
{
    (void)state;
    snTriMesh ball = make_ball(1, 2, 20, 30);
    for (int32_t v = 0; v < 3 * ball.nvertex; ++v) ball.vertex[v] += uniform(-0.02, 0.02);
    snBvh *tree = sn_bvh_create(&ball);
    snMeshSide side;
    assert_true(sn_mesh_side_create(&ball, &side));
    for (int i = 0; i < 500; ++i) {
        v3 q = uniform3(2.5);
        double least = INFINITY, weight[3];
        for (int32_t t = 0; t < ball.ntriangle; ++t)
            least = fmin(
                least, v3_dist(q, sn_triangle_closest(q, sn_trimesh_corner(&ball, t, 0), sn_trimesh_corner(&ball, t, 1),
                                                      sn_trimesh_corner(&ball, t, 2), weight)));
        snMeshHit hit = sn_bvh_closest(tree, q, INFINITY);
        assert_near(hit.distance, least, 1e-15);
        v3 p = {0};
        for (int c = 0; c < 3; ++c) p = v3_mad(p, hit.weight[c], sn_trimesh_corner(&ball, hit.triangle, c));
        assert_near(v3_dist(p, hit.point), 0, 1e-14);
        assert_int_equal(sn_bvh_closest(tree, q, 0.99 * least).triangle, -1);
        double winding = sn_trimesh_winding(&ball, q);
        assert_near(winding, round(winding), 1e-9);
        assert_int_equal(sn_bvh_winding(tree, q), (int)round(winding));
        double distance = sn_bvh_signed_distance(tree, &side, q, INFINITY, NULL);
        assert_near(distance, winding > 0.5 ? -least : least, 1e-15);
    }
    sn_mesh_side_free(&side);
    sn_bvh_destroy(tree);
    sn_trimesh_free(&ball);
}

/* Queries that lie straight above vertices and edges, where the side is decided by a pseudo-normal. */
static void sides_are_right_at_corners_and_edges(void **state)
{
    (void)state;
    snTriMesh cube = make_cube();
    snBvh *tree = sn_bvh_create(&cube);
    snMeshSide side;
    assert_true(sn_mesh_side_create(&cube, &side));
    for (int x = -1; x <= 3; ++x)
        for (int y = -1; y <= 3; ++y)
            for (int z = -1; z <= 3; ++z) {
                v3 q = v3_of(2 + 0.5 * x, y, 1.5 * z);
                double out = fmax(fabs(q.x - 2.5) - 0.5, fmax(fabs(q.y - 1) - 1, fabs(q.z - 1.5) - 1.5));
                if (out == 0) continue;
                double d = sn_bvh_signed_distance(tree, &side, q, INFINITY, NULL);
                assert_true((d < 0) == (out < 0));
                assert_int_equal(sn_bvh_inside(tree, q), out < 0);
            }
    sn_mesh_side_free(&side);
    sn_bvh_destroy(tree);
    sn_trimesh_free(&cube);
}

static void crossings_are_found(void **state)
{
    (void)state;
    snTriMesh ball = make_ball(1, 1, 20, 30);
    snBvh *tree = sn_bvh_create(&ball);
    int32_t pair[2];
    assert_int_equal(sn_bvh_self_intersections(tree, pair, 1), 0);
    /* push the north pole out through the south */
    v3_store(ball.vertex + 3 * (ball.nvertex - 1), v3_of(0.02, 0.03, -1.5));
    sn_bvh_destroy(tree);
    tree = sn_bvh_create(&ball);
    assert_true(sn_bvh_self_intersections(tree, pair, 1) >= 3);
    v3_store(ball.vertex + 3 * (ball.nvertex - 1), v3_of(0, 0, 0.5)); /* only dented */
    sn_bvh_destroy(tree);
    tree = sn_bvh_create(&ball);
    assert_int_equal(sn_bvh_self_intersections(tree, pair, 1), 0);
    assert_near(sn_bvh_closest(tree, v3_of(0, 0, 0.5), INFINITY).distance, 0, 1e-15);
    sn_bvh_destroy(tree);
    sn_trimesh_free(&ball);
}

/* A flat cap, turned so that its triangles are in one plane within round-off only. */
static void flat_caps_do_not_cross_themselves(void **state)
{
    (void)state;
    for (int turn = 0; turn < 60; ++turn) {
        snTriMesh ball = make_ball(1, 1, 6, 32);
        double c = cos(0.1 * turn + 0.05), s = sin(0.1 * turn + 0.05), e = cos(0.37 * turn), f = sin(0.37 * turn);
        for (int32_t v = 0; v < ball.nvertex; ++v) {
            v3 p = v3_load(ball.vertex + 3 * v);
            p.z = fmax(-0.3, fmin(0.3, p.z)); /* poles and the rings next to them come to lie in planes */
            p = v3_of(p.x, c * p.y - s * p.z, s * p.y + c * p.z);
            v3_store(ball.vertex + 3 * v, v3_of(0.3 * (e * p.x - f * p.z), 0.3 * p.y, 0.3 * (f * p.x + e * p.z) + 0.1));
        }
        snBvh *tree = sn_bvh_create(&ball);
        assert_int_equal(sn_bvh_self_intersections(tree, NULL, 0), 0);
        sn_bvh_destroy(tree);
        sn_trimesh_free(&ball);
    }
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    snTriMesh ball = make_ball(1, 1, 6, 8);
    int64_t live = sn_alloc_live();
    for (int n = 0;; ++n) {
        snMeshSide side = {0};
        snMeshPlace place;
        sn_alloc_fail_after(n);
        snBvh *tree = sn_bvh_create(&ball);
        bool done = tree && sn_mesh_side_create(&ball, &side) && sn_trimesh_check(&ball, true, &place) == SN_OK;
        sn_alloc_fail_after(-1);
        sn_mesh_side_free(&side);
        sn_bvh_destroy(tree);
        assert_int_equal(sn_alloc_live(), live);
        if (done) break;
    }
    sn_trimesh_free(&ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_meshes_pass),
        cmocka_unit_test(each_defect_is_found_at_its_place),
        cmocka_unit_test(pinched_and_crowded_meshes_are_refused),
        cmocka_unit_test(integrals_match_closed_forms),
        cmocka_unit_test(aspect_ratio_is_one_for_equilateral),
        cmocka_unit_test(closest_point_agrees_with_brute_force),
        cmocka_unit_test(sides_are_right_at_corners_and_edges),
        cmocka_unit_test(crossings_are_found),
        cmocka_unit_test(flat_caps_do_not_cross_themselves),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
