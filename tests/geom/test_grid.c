/* Surfaces from distance grids: closed and manifold whatever the grid, true to it, and well shaped after remeshing.
 */
#include "check.h"

#include "base/alloc.h"
#include "geom/bvh.h"
#include "geom/grid.h"
#include "geom/remesh.h"

static double ball(v3 p, v3 centre, double radius)
{
    return v3_dist(p, centre) - radius;
}

static double one_ball(const void *context, v3 p, double limit)
{
    (void)limit;
    return ball(p, v3_of(0.001, 0.002, -0.001), *(const double *)context);
}

/* Two fingers with a web: capsules that meet at an angle. */
static double capsule(v3 p, v3 a, v3 b, double radius)
{
    v3 d = v3_sub(b, a);
    double t = fmax(0, fmin(1, v3_dot(v3_sub(p, a), d) / v3_len2(d)));
    return v3_dist(p, v3_mad(a, t, d)) - radius;
}
static double forked(const void *context, v3 p, double limit)
{
    (void)context, (void)limit;
    double a = capsule(p, v3_of(0, 0, 0), v3_of(0.012, 0.05, 0), 0.008),
           b = capsule(p, v3_of(0, 0, 0), v3_of(-0.012, 0.05, 0), 0.008);
    double palm = capsule(p, v3_of(0, -0.03, 0), v3_of(0, 0.01, 0), 0.014);
    return sn_distance_union(palm, fmin(sn_distance_apart(a, b, 0.002), sn_distance_apart(b, a, 0.002)), 0.004);
}
/* Noise: as nasty as a grid can be. */
static double noise(const void *context, v3 p, double limit)
{
    (void)limit;
    double k = *(const double *)context, r = v3_len(p);
    return r > 0.03 ? r - 0.03 : 0.002 * sin(k * p.x * 1.1 + 1) * sin(k * p.y * 1.3 + 2) * cos(k * p.z) + 1e-9;
}

static snGrid make_grid(snDistanceFn distance, const void *context, double reach, double spacing)
{
    snGridDef def = {v3_of(-reach, -reach, -reach), v3_of(reach, reach, reach), spacing, distance, context, NULL};
    snGrid grid;
    assert_int_equal(sn_grid_create(&def, &grid, NULL), SN_OK);
    return grid;
}

static void assert_sound(const snTriMesh *mesh)
{
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(mesh, true, &place), SN_OK);
    assert_int_equal(place.defect, SN_MESH_SOUND);
}

static void a_ball_comes_out_round(void **state)
{
    (void)state;
    double radius = 0.02, volume;
    snGrid grid = make_grid(one_ball, &radius, 0.03, 0.0011);
    snTriMesh mesh;
    assert_int_equal(sn_grid_extract(&grid, &mesh, NULL), SN_OK);
    assert_sound(&mesh);
    sn_trimesh_integrals(&mesh, &volume, NULL, NULL);
    assert_near(volume / (4 * SN_PI / 3 * pow(radius, 3)), 1, 0.01);
    for (int32_t v = 0; v < mesh.nvertex; ++v) {
        v3 p = sn_grid_project(&grid, sn_trimesh_point(&mesh, v)), g;
        assert_near(one_ball(&radius, p, 1), 0, 2e-5); /* a sixth of the spacing squared over the radius */
        sn_grid_sample(&grid, p, &g);
        assert_near(v3_len(g), 1, 0.01);
        assert_near(v3_dot(g, v3_unit(v3_sub(p, v3_of(0.001, 0.002, -0.001)))), 1, 0.01);
    }
    sn_trimesh_free(&mesh);
    sn_grid_free(&grid);
}

static void noise_gives_a_manifold_all_the_same(void **state)
{
    (void)state;
    for (double k = 300; k < 3000; k *= 1.6) {
        snGrid grid = make_grid(noise, &k, 0.035, 0.0021);
        snTriMesh mesh;
        assert_int_equal(sn_grid_extract(&grid, &mesh, NULL), SN_OK);
        snMeshPlace place;
        assert_int_equal(sn_trimesh_check(&mesh, true, &place), SN_OK);
        assert_int_equal(place.defect, SN_MESH_SOUND);
        sn_trimesh_free(&mesh);
        sn_grid_free(&grid);
    }
}

static void a_surface_that_leaves_the_grid_is_refused(void **state)
{
    (void)state;
    double radius = 0.02, nothing = -0.01;
    snTriMesh mesh = {0};
    snGrid grid = make_grid(one_ball, &radius, 0.019, 0.001);
    assert_int_equal(sn_grid_extract(&grid, &mesh, NULL), SN_BAD_INPUT);
    sn_grid_free(&grid);
    grid = make_grid(one_ball, &nothing, 0.019, 0.001);
    assert_int_equal(sn_grid_extract(&grid, &mesh, NULL), SN_BAD_INPUT);
    sn_grid_free(&grid);
    snGridDef bad = {v3_of(0, 0, 0), v3_of(1, 1, 0), 0.1, one_ball, &radius, NULL};
    assert_int_equal(sn_grid_create(&bad, &grid, NULL), SN_BAD_INPUT);
    bad.high.z = 1, bad.spacing = 1e-4;
    assert_int_equal(sn_grid_create(&bad, &grid, NULL), SN_BAD_INPUT);
}

static double graded(const void *context, v3 p)
{
    (void)context;
    return 0.0012 + 0.02 * fmax(0, 0.03 - p.y);
}
static v3 project(const void *context, v3 p)
{
    return sn_grid_project(context, p);
}

static v3 normal(const void *context, v3 p)
{
    v3 g;
    sn_grid_sample(context, p, &g);
    return g;
}

static void remeshing_gives_well_shaped_triangles(void **state)
{
    (void)state;
    snGrid grid = make_grid(forked, NULL, 0.07, 0.0013);
    snTriMesh mesh;
    assert_int_equal(sn_grid_extract(&grid, &mesh, NULL), SN_OK);
    double before, after, expected = sn_remesh_estimate(&mesh, graded, NULL);
    sn_trimesh_integrals(&mesh, &before, NULL, NULL);
    snRemeshDef def = sn_default_remesh_def();
    def.size = graded, def.project = project, def.normal = normal, def.context = &grid;
    assert_int_equal(sn_remesh(&def, &mesh, NULL), SN_OK);
    assert_sound(&mesh);
    sn_trimesh_integrals(&mesh, &after, NULL, NULL);
    assert_near(after / before, 1, 0.01);
    double worst = sn_trimesh_worst_aspect(&mesh, NULL);
    print_message("%d triangles (expected %.0f), worst aspect ratio %.2f\n", (int)mesh.ntriangle, expected, worst);
    assert_at_most(worst, 4);
    assert_near(mesh.ntriangle / expected, 1, 0.3);
    for (int32_t v = 0; v < mesh.nvertex; ++v)
        assert_near(sn_grid_sample(&grid, sn_trimesh_point(&mesh, v), NULL), 0, 2e-5);
    snBvh *tree = sn_bvh_create(&mesh);
    assert_int_equal(sn_bvh_self_intersections(tree, NULL, 0), 0);
    sn_bvh_destroy(tree);
    sn_trimesh_free(&mesh);
    sn_grid_free(&grid);
}

static void threads_do_not_change_the_grid(void **state)
{
    (void)state;
    snPool *pool = sn_pool_create(2);
    snGridDef def = {v3_of(-0.07, -0.07, -0.07), v3_of(0.07, 0.07, 0.07), 0.003, forked, NULL, pool};
    snGrid two, one = make_grid(forked, NULL, 0.07, 0.003);
    assert_int_equal(sn_grid_create(&def, &two, NULL), SN_OK);
    assert_memory_equal(one.value, two.value, sizeof(float) * (size_t)(one.n[0] * one.n[1] * one.n[2]));
    sn_grid_free(&one), sn_grid_free(&two);
    sn_pool_destroy(pool);
}

static void the_union_is_filleted_and_steep_at_most_one(void **state)
{
    (void)state;
    assert_near(sn_distance_union(0.1, 0.5, 0.2), 0.1, 0);
    assert_near(sn_distance_union(0.1, 0.1, 0.2), 0.05, 1e-15);
    assert_near(sn_distance_union(0.3, 0.1, 0), 0.1, 0);
    for (double a = -0.3; a < 0.3; a += 0.01) {
        double e = 1e-6, slope = (sn_distance_union(a + e, 0.05, 0.2) - sn_distance_union(a - e, 0.05, 0.2)) / (2 * e);
        assert_true(slope > -1e-6 && slope < 1 + 1e-6);
    }
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    double radius = 0.005;
    int64_t live = sn_alloc_live();
    for (int n = 0;; ++n) {
        snGridDef def = {v3_of(-0.01, -0.01, -0.01), v3_of(0.01, 0.01, 0.01), 0.002, one_ball, &radius, NULL};
        snGrid grid = {0};
        snTriMesh mesh = {0};
        snRemeshDef remesh = sn_default_remesh_def();
        remesh.size = graded, remesh.project = project, remesh.normal = normal, remesh.context = &grid;
        sn_alloc_fail_after(n);
        snStatus status = sn_grid_create(&def, &grid, NULL);
        if (status == SN_OK) status = sn_grid_extract(&grid, &mesh, NULL);
        if (status == SN_OK) status = sn_remesh(&remesh, &mesh, NULL);
        sn_alloc_fail_after(-1);
        sn_trimesh_free(&mesh);
        sn_grid_free(&grid);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_comes_out_round),
        cmocka_unit_test(noise_gives_a_manifold_all_the_same),
        cmocka_unit_test(a_surface_that_leaves_the_grid_is_refused),
        cmocka_unit_test(remeshing_gives_well_shaped_triangles),
        cmocka_unit_test(threads_do_not_change_the_grid),
        cmocka_unit_test(the_union_is_filleted_and_steep_at_most_one),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
