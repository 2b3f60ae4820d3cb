/* Distance grids of meshes: against the exact distance, order of convergence, smooth normals, thin parts. */
#include "check.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "geom/bvh.h"
#include "geom/surface.h"

#include <string.h>

static uint64_t seed = 7;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* A ball stretched by a cylinder of the given half length about z. */
static snTriMesh make_capsule(double radius, double half, int rings, int angles)
{
    double *position = SN_NEW_ARRAY(double, 3 * rings * angles);
    for (int i = 0; i < rings * angles; ++i) {
        double latitude = -SN_PI / 2 + SN_PI * (i / angles + 1) / (rings + 1), turn = 2 * SN_PI * (i % angles) / angles;
        double r = radius * cos(latitude), z = radius * sin(latitude);
        if (half > 0) z += i / angles * 2 < rings ? -half : half;
        v3_store(position + 3 * i, v3_of(r * cos(turn), r * sin(turn), z));
    }
    v3 south = v3_of(0, 0, -radius - half), north = v3_of(0, 0, radius + half);
    snTriMesh mesh;
    assert_int_equal(sn_trimesh_loft(rings, angles, position, &south, &north, &mesh, NULL), SN_OK);
    sn_free(position);
    return mesh;
}

static snTriMesh make_box(double x, double y, double z)
{
    static const int32_t triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    snTriMesh mesh;
    assert_true(sn_trimesh_alloc(&mesh, 8, 12));
    for (int i = 0; i < 8; ++i)
        v3_store(mesh.vertex + 3 * i, v3_of(i & 1 ? x : -x, i >> 1 & 1 ? y : -y, i >> 2 ? z : -z));
    memcpy(mesh.triangle, triangle, sizeof triangle);
    return mesh;
}

static snDistance field_of(const snTriMesh *mesh, double spacing)
{
    snDistance distance = {0};
    snError error = {0};
    if (sn_distance_create(mesh, spacing, &distance, &error) != SN_OK) fail_msg("%s", error.message);
    return distance;
}

/* Largest error against the exact distance at points within `band` of the surface. */
static double worst_error(const snTriMesh *mesh, const snDistance *f, double band, int count)
{
    snBvh *tree = sn_bvh_create(mesh);
    snMeshSide side;
    assert_non_null(tree);
    assert_true(sn_mesh_side_create(mesh, &side));
    double worst = 0;
    for (int i = 0; i < count; ++i) {
        int32_t t = (int32_t)uniform(0, mesh->ntriangle);
        double a = uniform(0, 1), b = uniform(0, 1 - a);
        v3 p = v3_scale(sn_trimesh_corner(mesh, t, 0), 1 - a - b);
        p = v3_mad(v3_mad(p, a, sn_trimesh_corner(mesh, t, 1)), b, sn_trimesh_corner(mesh, t, 2));
        p = v3_add(p, v3_of(uniform(-band, band), uniform(-band, band), uniform(-band, band)));
        double d = sn_bvh_signed_distance(tree, &side, p, INFINITY, NULL);
        worst = fmax(worst, fabs(sn_distance_sample(f, p, NULL) - d));
    }
    sn_mesh_side_free(&side);
    sn_bvh_destroy(tree);
    return worst;
}

static void field_is_the_distance_of_the_mesh(void **state)
{
    (void)state;
    snTriMesh mesh[] = {make_capsule(0.03, 0, 48, 64), make_capsule(0.012, 0.05, 40, 48), make_box(0.02, 0.03, 0.04)};
    static const char *const name[] = {"sphere", "capsule", "box"};
    for (int k = 0; k < 3; ++k) {
        double t = sn_clock();
        snDistance f = field_of(&mesh[k], 0);
        t = sn_clock() - t;
        double near = worst_error(&mesh[k], &f, 2 * f.spacing, 20000);
        print_message("%s: %d x %d x %d points of %.2f mm, %.0f ms; off by %.4f mm on the mesh, %.4f mm near it\n",
                      name[k], (int)f.n[0], (int)f.n[1], (int)f.n[2], 1e3 * f.spacing, 1e3 * t, 1e3 * f.error,
                      1e3 * near);
        assert_at_most(f.error, (k < 2 ? 0.05 : 0.5) * f.spacing); /* edges are rounded, smooth shapes are not */
        assert_at_most(near, (k < 2 ? 0.1 : 0.5) * f.spacing);
        sn_distance_free(&f);
        sn_trimesh_free(&mesh[k]);
    }
}

/* Against the sphere itself: a mesh so fine that its facets do not matter. */
static void field_converges(void **state)
{
    (void)state;
    snTriMesh ball = make_capsule(0.03, 0, 200, 300);
    double before = 0;
    for (int k = 0; k < 3; ++k) {
        double spacing = 0.012 / (1 << k), worst = 0, turn = 0;
        snDistance f = field_of(&ball, spacing);
        for (int i = 0; i < 4000; ++i) {
            v3 u = v3_unit(v3_of(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1))), g;
            double r = uniform(0.026, 0.036), d = sn_distance_sample(&f, v3_scale(u, r), &g);
            worst = fmax(worst, fabs(d - (r - 0.03)));
            turn = fmax(turn, v3_len(v3_sub(g, u)));
        }
        print_message("sphere of 30 mm, spacing %.1f mm: distance off by %.5f mm, gradient by %.5f\n", 1e3 * spacing,
                      1e3 * worst, turn);
        if (k) assert_at_most(worst, before / 4 + 2e-6); /* until the facets show */
        before = worst;
        sn_distance_free(&f);
    }
    assert_at_most(before, 2e-5);
    sn_trimesh_free(&ball);
}

static void gradient_is_the_derivative_and_continuous(void **state)
{
    (void)state;
    snTriMesh mesh = make_box(0.02, 0.03, 0.04); /* edges: the exact distance has kinks */
    snDistance f = field_of(&mesh, 0.004);
    const double h = 1e-6;
    double wrong = 0, jump = 0;
    for (int i = 0; i < 3000; ++i) {
        v3 p = v3_of(uniform(-0.05, 0.05), uniform(-0.06, 0.06), uniform(-0.07, 0.07)), g, next;
        sn_distance_sample(&f, p, &g);
        double x = sn_distance_sample(&f, v3_of(p.x + h, p.y, p.z), NULL) -
                   sn_distance_sample(&f, v3_of(p.x - h, p.y, p.z), NULL);
        double y = sn_distance_sample(&f, v3_of(p.x, p.y + h, p.z), NULL) -
                   sn_distance_sample(&f, v3_of(p.x, p.y - h, p.z), NULL);
        bool on_grid = fabs(p.x) < 0.03 && fabs(p.y) < 0.04 && fabs(p.z) < 0.05;
        if (on_grid) wrong = fmax(wrong, fmax(fabs(x / (2 * h) - g.x), fabs(y / (2 * h) - g.y)));
        /* across the faces of the cells and over the rim of the grid */
        v3 q = v3_mad(p, 1e-7, v3_unit(v3_of(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1))));
        sn_distance_sample(&f, q, &next);
        jump = fmax(jump, v3_len(v3_sub(next, g)));
    }
    print_message("gradient against differences %.1e, change over 1e-7 m %.1e\n", wrong, jump);
    assert_at_most(wrong, 1e-5);
    assert_at_most(jump, 1e-3);
    sn_distance_free(&f);
    sn_trimesh_free(&mesh);
}

/* A blade 3 mm thick: a point that is pressed in past its middle comes out where it went in. */
static void thin_parts_keep_their_sides(void **state)
{
    (void)state;
    snTriMesh blade = make_box(0.0015, 0.03, 0.04);
    snDistance f = field_of(&blade, 0);
    snSurface s = {.kind = SN_SURFACE_DISTANCE, .frame = rigid_identity(), .distance = &f};
    snSurfaceHint hint = {0};
    snSurfaceHit hit = sn_surface_closest(&s, v3_of(0.003, 0.004, 0.005), &hint);
    assert_near(hit.distance, 0.0015, 3e-4);
    for (double x = 0.003; x > -0.0012; x -= 0.0001) {
        hit = sn_surface_closest(&s, v3_of(x, 0.004, 0.005), &hint);
        assert_near(hit.normal.x, 1, 1e-3);
        assert_near(hit.distance, x - 0.0015, 4e-4);
        assert_near(hit.point.x, 0.0015, 3e-4);
    }
    snSurfaceHint fresh = {0};
    assert_near(sn_surface_closest(&s, v3_of(-0.0012, 0.004, 0.005), &fresh).normal.x, -1, 1e-3);
    sn_distance_free(&f);
    sn_trimesh_free(&blade);
}

static void far_points_see_the_mesh(void **state)
{
    (void)state;
    snTriMesh ball = make_capsule(0.03, 0, 48, 64);
    snDistance f = field_of(&ball, 0);
    for (int i = 0; i < 200; ++i) {
        v3 u = v3_unit(v3_of(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1))), g;
        double d = sn_distance_sample(&f, v3_scale(u, 0.2), &g);
        assert_near(d, 0.17, 0.01);
        assert_near(v3_len(g), 1, 1e-9);
        assert_true(v3_dot(g, u) > 0.95);
    }
    sn_distance_free(&f);
    sn_trimesh_free(&ball);
}

static void what_a_grid_cannot_show_is_refused(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    snTriMesh foil = make_box(1e-6, 0.03, 0.04), ball = make_capsule(0.03, 0, 48, 64);
    snDistance f = {0};
    snError error = {0};
    assert_int_equal(sn_distance_create(&foil, 0, &f, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "too thin"));
    assert_int_equal(sn_distance_create(&ball, 1e-6, &f, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "points"));
    assert_null(f.coefficient);
    sn_trimesh_free(&foil);
    sn_trimesh_free(&ball);
    assert_int_equal(sn_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_is_the_distance_of_the_mesh),
        cmocka_unit_test(field_converges),
        cmocka_unit_test(gradient_is_the_derivative_and_continuous),
        cmocka_unit_test(thin_parts_keep_their_sides),
        cmocka_unit_test(far_points_see_the_mesh),
        cmocka_unit_test(what_a_grid_cannot_show_is_refused),
    };
    return cmocka_run_group_tests_name("geom.distance", tests, NULL, NULL);
}
