/* Points in a muscle: volumes, moment matrices, exact reproduction of affine motions, embedding of the surface. */
#include "soft_case.h"

static void affine(const double A[9], v3 b, int32_t n, const double *x, double *y)
{
    m3 m;
    memcpy(m.m, A, sizeof m.m);
    for (int32_t i = 0; i < n; ++i) v3_store(y + 3 * i, v3_add(m3_mulv(&m, v3_load(x + 3 * i)), b));
}

static void volumes_and_moments(void **state)
{
    (void)state;
    softCase c = {0};
    case_spindle(&c.mesh);
    case_points(&c, 400, true);
    double volume, sum = 0;
    sn_trimesh_integrals(&c.mesh, &volume, NULL, NULL);
    for (int32_t i = 0; i < c.points.n; ++i) sum += c.points.volume[i];
    print_message("volume %.1f cm3, condition %.2f, neighbours %.1f\n", volume * 1e6, c.points.condition,
                  (double)c.points.first[c.points.n] / c.points.n);
    assert_near(sum, volume, 1e-12 * volume);
    assert_at_most(c.points.condition, 10);
    snBvh *tree = sn_bvh_create(&c.mesh);
    for (int32_t i = 0; i < c.points.n; ++i) assert_true(sn_bvh_inside(tree, v3_load(c.points.x + 3 * i)));
    sn_bvh_destroy(tree);
    case_free(&c);
}

static void linear_fields_are_exact(void **state)
{
    (void)state;
    softCase c = {0};
    case_spindle(&c.mesh);
    case_points(&c, 400, true);
    const double A[9] = {1.1, 0.2, -0.1, 0.3, 0.9, 0.2, -0.2, 0.1, 1.2};
    double *y = calloc(3 * 400, sizeof *y), F[9], rest = 0, moved = 0;
    affine(A, v3_of(0.1, -0.2, 0.3), 400, c.quads.rest, y);
    for (int32_t q = 0; q < c.quads.n; ++q) {
        sn_soft_quads_gradient(&c.quads, q, c.quads.rest, F);
        for (int r = 0; r < 9; ++r) rest = fmax(rest, fabs(F[r] - (r % 4 == 0)));
        sn_soft_quads_gradient(&c.quads, q, y, F);
        for (int r = 0; r < 9; ++r) moved = fmax(moved, fabs(F[r] - A[r]));
    }
    print_message("F - I at rest %.1e, F - A %.1e\n", rest, moved);
    assert_at_most(rest, 1e-12);
    assert_at_most(moved, 1e-12);
    free(y);
    case_free(&c);
}

static void surface_follows(void **state)
{
    (void)state;
    softCase c = {0};
    snError error = {0};
    case_spindle(&c.mesh);
    case_points(&c, 400, true);
    snBvh *tree = sn_bvh_create(&c.mesh);
    snSoftEmbedding e;
    require_ok(sn_soft_embed(&c.points, tree, c.mesh.nvertex, c.mesh.vertex, &e, &error), &error);
    double *y = calloc(3 * (size_t)c.mesh.nvertex, sizeof *y), worst = 0;
    sn_soft_embedding_apply(&e, c.points.x, y);
    for (int32_t i = 0; i < 3 * c.mesh.nvertex; ++i) worst = fmax(worst, fabs(y[i] - c.mesh.vertex[i]));
    print_message("sum of |phi| %.2f, rest error %.1e m\n", e.largest, worst);
    assert_at_most(e.largest, 4);
    assert_at_most(worst, 1e-11);
    free(y);
    sn_soft_embedding_free(&e);
    sn_bvh_destroy(tree);
    case_free(&c);
}

/* Two fingers side by side with a narrow gap: nobody is the neighbour of a point in the other finger. */
static void no_neighbours_across_a_gap(void **state)
{
    (void)state;
    enum { N = 240 };
    softCase c = {0};
    snError error = {0};
    snTriMesh one;
    case_mesh(0.1, case_spindle_radius, 2, 0, &one);
    assert_true(sn_trimesh_alloc(&c.mesh, 2 * one.nvertex, 2 * one.ntriangle));
    for (int32_t i = 0; i < 2 * one.nvertex; ++i) {
        v3 p = sn_trimesh_point(&one, i % one.nvertex);
        if (i >= one.nvertex) p.x += 0.0405;
        v3_store(c.mesh.vertex + 3 * i, p);
    }
    for (int32_t i = 0; i < 6 * one.ntriangle; ++i)
        c.mesh.triangle[i] = one.triangle[i % (3 * one.ntriangle)] + (i >= 3 * one.ntriangle ? one.nvertex : 0);
    snSoftPointsDef def = sn_default_soft_points_def();
    def.mesh = &c.mesh, def.count = N;
    require_ok(sn_soft_points_create(&def, &c.points, &error), &error);
    for (int32_t i = 0; i < N; ++i)
        for (int32_t k = c.points.first[i]; k < c.points.first[i + 1]; ++k)
            assert_true((c.points.x[3 * i] > 0.02) == (c.points.x[3 * c.points.neighbour[k]] > 0.02));
    sn_trimesh_free(&one);
    case_free(&c);
}

static double rod_radius(double t)
{
    (void)t;
    return 0.0065;
}

/* How much of the turn of its fibres in a twisted rod the points see: all of it where the fit knows quadratic fields.
 */
static void twist_is_seen(void **state)
{
    (void)state;
    softCase c = {0};
    double seen = 0, all = 0, rate = 0.1, F[9];
    case_mesh(0.1, rod_radius, 2, 0, &c.mesh);
    case_points(&c, 150, true);
    double *y = calloc(3 * 150, sizeof *y);
    for (int32_t i = 0; i < 150; ++i) {
        v3 x = v3_load(c.points.x + 3 * i);
        v3_store(y + 3 * i, q_rotate(q_axis_angle(v3_of(0, 0, 1), rate * x.z), x));
    }
    for (int32_t i = 0; i < 150; ++i) {
        v3 x = v3_load(y + 3 * i), turned = v3_of(-rate * x.y, rate * x.x, 0);
        sn_soft_quads_gradient(&c.quads, i, y, F);
        seen += c.quads.volume[i] * v3_dot(v3_of(F[2], F[5], F[8]), turned);
        all += c.quads.volume[i] * v3_len2(turned);
    }
    print_message("part of a twist that is seen: %.3f\n", seen / all);
    assert_at_most(0.8, seen / all);
    assert_at_most(seen / all, 1);
    free(y);
    case_free(&c);
}

/* A piece of a tube, 12 cm long: from -angle to angle around z. */
static void sheet_mesh(double thickness, double middle, double angle, snTriMesh *mesh)
{
    enum { RINGS = 12, ANGLES = 48 };
    snError error = {0};
    double position[3 * RINGS * ANGLES];
    for (int r = 0; r < RINGS; ++r)
        for (int a = 0; a < ANGLES; ++a) {
            double t = angle * (2.0 * (a < ANGLES / 2 ? a : ANGLES - 1 - a) / (ANGLES / 2 - 1) - 1);
            double radius = middle + (a < ANGLES / 2 ? 0.5 : -0.5) * thickness;
            v3_store(position + 3 * (r * ANGLES + a), v3_of(radius * cos(t), radius * sin(t), 0.12 * r / (RINGS - 1)));
        }
    assert_int_equal(sn_trimesh_loft(RINGS, ANGLES, position, NULL, NULL, mesh, &error), SN_OK);
}

/* A curved sheet: plain points would lie in one layer. */
static void fill_sheet(double thickness)
{
    softCase c = {0};
    double F[9], worst = 0, steepest = 0;
    sheet_mesh(thickness, 0.06, 1, &c.mesh);
    case_points(&c, 200, true);
    print_message("sheet of %.1f mm: condition %.2f\n", 1e3 * thickness, c.points.condition);
    assert_non_null(c.points.metric);
    assert_at_most(c.points.condition, 10);
    const double A[9] = {1.1, 0.2, -0.1, 0.3, 0.9, 0.2, -0.2, 0.1, 1.2};
    double *y = calloc(3 * 200, sizeof *y);
    int32_t tilted = 0, outer = 0;
    affine(A, v3_of(0.1, -0.2, 0.3), 200, c.quads.rest, y);
    for (int32_t i = 0; i < c.points.n; ++i) {
        v3 x = v3_load(c.points.x + 3 * i), out = v3_unit(v3_of(x.x, x.y, 0));
        sn_soft_quads_gradient(&c.quads, i, y, F);
        for (int r = 0; r < 9; ++r) worst = fmax(worst, fabs(F[r] - A[r]));
        m3 metric, axes;
        double stretch[3];
        memcpy(metric.m, c.points.metric + 9 * i, sizeof metric.m);
        m3_eigen_symmetric(&metric, stretch, &axes);
        tilted += fabs(v3_dot(out, v3_of(axes.m[2], axes.m[5], axes.m[8]))) < 0.94; /* 20 degrees */
        outer += hypot(x.x, x.y) > 0.06;
        steepest = fmax(steepest, stretch[2]);
    }
    print_message("F - A %.1e, %d of 200 normals off by 20 degrees, %d points in the outer half, stretch %.1f\n", worst,
                  tilted, outer, steepest);
    assert_at_most(worst, 1e-11);
    assert_true(tilted <= 20 && outer > 60 && outer < 140);
    free(y);
    case_free(&c);
}

/* In the thin one the lines between points next to each other leave the sheet and come back through the same wall. */
static void thin_sheets_are_filled(void **state)
{
    (void)state;
    heavy_case();
    fill_sheet(4e-3);
    fill_sheet(2e-3);
}

/* The mean of what a point owns may lie on the hollow side of a curved sheet, where no other point would see it. */
static void points_are_inside(void **state)
{
    (void)state;
    softCase c = {0};
    sheet_mesh(1.2e-3, 0.02, 3, &c.mesh);
    case_points(&c, 100, true);
    snBvh *tree = sn_bvh_create(&c.mesh);
    assert_non_null(tree);
    for (int32_t i = 0; i < c.points.n; ++i) assert_true(sn_bvh_inside(tree, v3_load(c.points.x + 3 * i)));
    sn_bvh_destroy(tree);
    case_free(&c);
}

/* The force of a uniform stress on a point is that on its share of the wall: none inside. All shares close up, and
 * their moments are the volume. */
static void uniform_stress_is_exact(void **state)
{
    (void)state;
    softCase c = {0};
    case_spindle(&c.mesh);
    case_points(&c, 300, true);
    double sum[3 * 300] = {0}, total[3] = {0}, moment[9] = {0}, volume, worst = 0, largest = 0;
    int32_t inside = 0;
    sn_trimesh_integrals(&c.mesh, &volume, NULL, NULL);
    for (int32_t q = 0; q < 300; ++q)
        for (int32_t k = 3 * c.quads.first[q]; k < 3 * c.quads.first[q + 1]; ++k)
            sum[3 * c.quads.node[k / 3] + k % 3] += c.quads.volume[q] * c.quads.gradient[k];
    for (int32_t i = 0; i < 300; ++i) {
        const double *W = c.points.wall + 3 * i, *x = c.points.x + 3 * i;
        inside += W[0] == 0 && W[1] == 0 && W[2] == 0;
        for (int e = 0; e < 3; ++e) {
            worst = fmax(worst, fabs(sum[3 * i + e] - W[e])), largest = fmax(largest, fabs(W[e]));
            total[e] += W[e];
            for (int j = 0; j < 3; ++j) moment[3 * e + j] += W[e] * x[j];
        }
    }
    print_message("sums of gradients: %.1e of the largest share of the wall; %d of 300 points inside\n",
                  worst / largest, inside);
    assert_at_most(worst, 1e-8 * largest);
    assert_true(inside > 60 && inside < 200);
    for (int e = 0; e < 3; ++e) assert_near(total[e], 0, 1e-12);
    for (int r = 0; r < 9; ++r) assert_near(moment[r], r % 4 == 0 ? volume : 0, 1e-10 * volume);
    case_free(&c);
}

/* What bones hold has points of its own and is rigid. What is free between them has the volume that the mesh has there,
 * its fields are exact, and points that no bone holds feel a uniform stress only through their share of the wall. The
 * bones bear it, each the section times the stress. */
static void bones_hold_their_part(void **state)
{
    (void)state;
    enum { N = 300 };
    softCase c = {0};
    const double low = 0.013, high = 0.081, A[9] = {1.1, 0.2, -0.1, 0.3, 0.9, 0.2, -0.2, 0.1, 1.2};
    double sum[3 * N] = {0}, *y = calloc(3 * N, sizeof *y), F[9], worst = 0, off = 0, largest = 0, whole;
    double volume = 0, free_volume = 0;
    v3 bears[2] = {{0, 0, 0}, {0, 0, 0}};
    int32_t border = 0;
    case_mesh(0.1, rod_radius, 2, 0, &c.mesh);
    case_points(&c, N, true);
    case_hold(&c, low, high);
    affine(A, v3_of(0.1, -0.2, 0.3), N, c.quads.rest, y);
    for (int32_t i = 0; i < N; ++i) {
        int32_t bone = c.points.attached[i], from = c.quads.first[i], to = c.quads.first[i + 1];
        double z = c.points.x[3 * i + 2];
        volume += c.points.volume[i], free_volume += bone < 0 ? c.points.volume[i] : 0;
        assert_true(bone < 0 ? z > low && z < high && to > from : to == from);
        assert_true(bone < 0 || (bone == 0 ? z <= low + 1e-9 : z >= high - 1e-9));
        border += fabs(z - low) < 1e-9 || fabs(z - high) < 1e-9;
        sn_soft_quads_gradient(&c.quads, i, y, F);
        for (int r = 0; r < 9 && bone < 0; ++r) worst = fmax(worst, fabs(F[r] - A[r]));
        for (int32_t k = 3 * from; k < 3 * to; ++k)
            sum[3 * c.quads.node[k / 3] + k % 3] += c.quads.volume[i] * c.quads.gradient[k];
    }
    for (int32_t i = 0; i < N; ++i) {
        int32_t bone = c.points.attached[i];
        if (bone >= 0) bears[bone] = v3_add(bears[bone], v3_load(sum + 3 * i));
        for (int e = 0; e < 3; ++e) largest = fmax(largest, fabs(c.points.wall[3 * i + e]));
        for (int e = 0; e < 3 && bone < 0; ++e) off = fmax(off, fabs(sum[3 * i + e] - c.points.wall[3 * i + e]));
    }
    sn_trimesh_integrals(&c.mesh, &whole, NULL, NULL);
    double section = whole / 0.1, between = section * (high - low);
    print_message(
        "%d points on the borders; free volume off by %.2f %%, F - A %.1e, sums off by %.1e; bones bear %.3f and "
        "%.3f of the section\n",
        border, 100 * (free_volume / between - 1), worst, off / largest, -bears[0].z / section, bears[1].z / section);
    assert_near(volume, whole, 1e-12 * whole);
    assert_near(free_volume, between, 0.003 * between);
    assert_true(border > 12);
    assert_at_most(worst, 1e-12);
    assert_at_most(off, 1e-8 * largest);
    assert_near(-bears[0].z, section, 0.01 * section);
    assert_near(bears[1].z, section, 0.01 * section);
    free(y);
    case_free(&c);
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    softCase c = {0};
    snError error = {0};
    case_spindle(&c.mesh);
    snSoftPointsDef def = sn_default_soft_points_def();
    def.mesh = &c.mesh, def.count = 60;
    --c.mesh.ntriangle;
    assert_int_equal(sn_soft_points_create(&def, &c.points, &error), SN_BAD_INPUT);
    ++c.mesh.ntriangle;
    const double all[2] = {0.2, 0.1}; /* nothing is free */
    def.bone = case_bone, def.context = all;
    assert_int_equal(sn_soft_points_create(&def, &c.points, &error), SN_BAD_INPUT);
    def.bone = NULL;
    c.mesh.vertex[7] = NAN;
    assert_int_equal(sn_soft_points_create(&def, &c.points, &error), SN_BAD_INPUT);
    sn_trimesh_free(&c.mesh);
}

static void survives_no_memory(void **state)
{
    (void)state;
    snTriMesh mesh;
    snError error = {0};
    case_spindle(&mesh);
    int64_t before = sn_alloc_live();
    snSoftPointsDef def = sn_default_soft_points_def();
    const double end[2] = {0.015, 0.245};
    def.mesh = &mesh, def.count = 150, def.bone = case_bone, def.context = end;
    for (int64_t n = 0;; ++n) {
        snSoftPoints points;
        snSoftQuads quads = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_soft_points_create(&def, &points, &error);
        if (status == SN_OK) status = sn_soft_quads_from_points(&points, true, &quads, &error);
        sn_alloc_fail_after(-1);
        sn_soft_points_free(&points);
        sn_soft_quads_free(&quads);
        assert_int_equal(sn_alloc_live(), before);
        if (status == SN_OK) break;
        if (status != SN_NO_MEMORY) print_error("%s\n", error.message);
        assert_int_equal(status, SN_NO_MEMORY);
    }
    sn_trimesh_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_and_moments),    cmocka_unit_test(linear_fields_are_exact),
        cmocka_unit_test(surface_follows),        cmocka_unit_test(no_neighbours_across_a_gap),
        cmocka_unit_test(thin_sheets_are_filled), cmocka_unit_test(points_are_inside),
        cmocka_unit_test(twist_is_seen),          cmocka_unit_test(uniform_stress_is_exact),
        cmocka_unit_test(bones_hold_their_part),  cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(survives_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
