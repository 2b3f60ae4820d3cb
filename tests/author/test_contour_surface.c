/* Surfaces through contours: closed, manifold, the right volume, whatever the number of threads; points inside them. */
#include "io/io_case.h"

#include "author/own/surface.h"
#include "geom/bvh.h"
#include "geom/mesh.h"
#include "image/outline.h"

static void make_truth(snPhantomKind kind, snContours *truth)
{
    snPhantomDef def = sn_default_phantom_def();
    snError error;
    def.kind = kind;
    def.n[0] = 128, def.n[1] = 96, def.n[2] = 60;
    def.spacing[0] = def.spacing[1] = 0.75e-3;
    assert_ok(sn_make_phantom(&def, NULL, truth, &error), error);
}

static snTriMesh shape_of(const snMesh *mesh)
{
    return (snTriMesh){mesh->nvertex, mesh->ntriangle, mesh->vertex, mesh->triangle};
}

static void test_every_phantom_is_closed_and_full(void **state)
{
    (void)state;
    heavy_case();
    for (int kind = 0; kind < 4; ++kind) {
        snContours truth = {0};
        snSurfaceDef def = sn_default_surface_def();
        snSurfaceReport report;
        snMesh mesh = {0};
        snError error = {0};
        make_truth((snPhantomKind)kind, &truth);
        assert_ok(sn_make_surface(&truth, &def, &mesh, &report, &error), error);
        snTriMesh shape = shape_of(&mesh);
        assert_ok(sn_trimesh_require(&shape, true, "surface", &error), error);
        snBvh *tree = sn_bvh_create(&shape);
        assert_int_equal(sn_bvh_self_intersections(tree, NULL, 0), 0);
        sn_bvh_destroy(tree);
        assert_int_equal(report.parts, 1);
        print_message("phantom %d: volume off by %+.2f %%\n", kind, 100 * (report.volume / truth.muscle->volume - 1));
        assert_near(report.volume / truth.muscle->volume, 1, 0.02);
        assert_at_most(report.worst_aspect, 6);
        sn_mesh_free(&mesh);
        sn_contours_free(&truth);
    }
    assert_int_equal(sn_alloc_live(), 0);
}

/* Vertices of the spindle's surface lie on the ellipsoid of the phantom. */
static void test_the_surface_is_where_the_muscle_is(void **state)
{
    (void)state;
    snContours truth = {0};
    snSurfaceDef def = sn_default_surface_def();
    snMesh mesh = {0};
    snError error = {0};
    double square = 0, worst = 0;
    make_truth(SN_PHANTOM_SPINDLE, &truth);
    assert_ok(sn_make_surface(&truth, &def, &mesh, NULL, &error), error);
    for (int32_t v = 0; v < mesh.nvertex; ++v) {
        double x = 1e3 * mesh.vertex[3 * v] - 1.3, y = 1e3 * mesh.vertex[3 * v + 1] + 0.7,
               z = 1e3 * mesh.vertex[3 * v + 2];
        double u = x / 20, w = y / 15, t = z / 126, g = sqrt(u * u + w * w + t * t);
        double off = (g - 1) * g / sqrt(u * u / 400 + w * w / 225 + t * t / 15876);
        square += off * off, worst = fmax(worst, fabs(off));
    }
    print_message("off by %.3f mm rms, %.2f mm at most\n", sqrt(square / mesh.nvertex), worst);
    assert_at_most(sqrt(square / mesh.nvertex), 0.15);
    assert_at_most(worst, 2.5);
    sn_mesh_free(&mesh);
    sn_contours_free(&truth);
}

static void test_threads_and_mirrored_axes(void **state)
{
    (void)state;
    snContours truth = {0};
    snSurfaceDef def = sn_default_surface_def();
    snMesh one = {0}, two = {0};
    snError error = {0};
    double volume;
    make_truth(SN_PHANTOM_HEADS, &truth);
    def.threads = 1, def.edge = 4e-3;
    assert_ok(sn_make_surface(&truth, &def, &one, NULL, &error), error);
    def.threads = 2;
    assert_ok(sn_make_surface(&truth, &def, &two, NULL, &error), error);
    assert_int_equal(one.nvertex, two.nvertex);
    assert_memory_equal(one.vertex, two.vertex, 3 * (size_t)one.nvertex * sizeof(double));
    sn_mesh_free(&two);
    truth.place.axis[0] = -1; /* left-handed, as scanners store them */
    assert_ok(sn_make_surface(&truth, &def, &two, NULL, &error), error);
    snTriMesh shape = shape_of(&two);
    sn_trimesh_integrals(&shape, &volume, NULL, NULL);
    assert_true(volume > 0);
    assert_ok(sn_trimesh_require(&shape, true, "mirrored", &error), error);
    sn_mesh_free(&one);
    sn_mesh_free(&two);
    sn_contours_free(&truth);
}

static void test_points_are_inside_and_stand_for_the_volume(void **state)
{
    (void)state;
    enum { N = 200 };
    snContours truth = {0};
    snSurfaceDef def = sn_default_surface_def();
    snSurfaceReport report;
    snMesh mesh = {0};
    snError error = {0};
    double point[3 * N], volume[N], sum = 0;
    make_truth(SN_PHANTOM_BENT, &truth);
    def.edge = 4e-3;
    assert_ok(sn_make_surface(&truth, &def, &mesh, &report, &error), error);
    assert_ok(sn_fill_points(&mesh, N, point, volume, &error), error);
    snTriMesh shape = shape_of(&mesh);
    snBvh *tree = sn_bvh_create(&shape);
    for (int i = 0; i < N; ++i) {
        assert_true(sn_bvh_inside(tree, v3_load(point + 3 * i)));
        sum += volume[i];
    }
    assert_near(sum / report.volume, 1, 1e-9);
    sn_bvh_destroy(tree);
    double line[3 * 9];
    assert_ok(sn_contour_line(&truth, NULL, 9, line, &error), error);
    for (int i = 1; i < 8; ++i) { /* on the arc of radius 252 mm that starts 14 mm to the left */
        double x = 1e3 * line[3 * i] + 14, z = 1e3 * line[3 * i + 2];
        assert_near(hypot(252 - x, z), 252, 1.2); /* level sections of a tapering arc lean to one side */
        assert_near(line[3 * i + 1], 0, 3e-4);
    }
    sn_mesh_free(&mesh);
    sn_contours_free(&truth);
}

static void test_bad_input_is_refused(void **state)
{
    (void)state;
    snContours truth = {0}, empty = {0};
    snSurfaceDef def = sn_default_surface_def();
    snMesh mesh = {0};
    snError error = {0};
    make_truth(SN_PHANTOM_SPINDLE, &truth);
    def.muscle = "biceps";
    assert_int_equal(sn_make_surface(&truth, &def, &mesh, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.remedy, "phantom"));
    def.muscle = NULL;
    assert_int_equal(sn_make_surface(&empty, &def, &mesh, NULL, &error), SN_BAD_INPUT);
    def.edge = 1e-6;
    assert_int_equal(sn_make_surface(&truth, &def, &mesh, NULL, &error), SN_BAD_INPUT);
    for (int32_t k = 0; k < 60; ++k)
        if (k != 30) sn_slice_free(truth.muscle->slice + k);
    def.edge = 0;
    assert_int_equal(sn_make_surface(&truth, &def, &mesh, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "1 slice;"));
    sn_contours_free(&truth);
    assert_int_equal(sn_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_phantom_is_closed_and_full),
        cmocka_unit_test(test_the_surface_is_where_the_muscle_is),
        cmocka_unit_test(test_threads_and_mirrored_axes),
        cmocka_unit_test(test_points_are_inside_and_stand_for_the_volume),
        cmocka_unit_test(test_bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
