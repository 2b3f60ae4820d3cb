/* AutoStrands on five muscles: evenly spread, inside, apart, smooth; what is refused; parameters that change while it
 * runs; physiological cross-sections against formulas. */
#include "author/autostrands.h"
#include "check.h"

#include "author/muscle_shapes.h"
#include "author/own/strands.h"
#include "base/alloc.h"
#include "geom/bvh.h"
#include "math/spline.h"

#include <string.h>
#include <time.h>

static snAutoStrandsDef def_of(const Shape *shape, int32_t count)
{
    snAutoStrandsDef def = sn_default_autostrands_def();
    def.mesh = &shape->mesh, def.ninput = shape->ninput, def.input = shape->input, def.count = count;
    return def;
}

/* Furthest outside of curves given by control points, by another way than the quality report's. */
static double furthest_outside(const Shape *shape, const double *point, int32_t count, int32_t n)
{
    snBvh *tree = sn_bvh_create(&shape->tri);
    double knot[64], worst = 0;
    spline_clamped_knots(knot, n);
    for (int32_t s = 0; s < count; ++s) {
        for (int i = 0; i <= 60; ++i) {
            double b[4];
            int32_t span = spline_basis(knot, n, i / 60.0, 0, b, NULL, NULL);
            v3 p = {0, 0, 0};
            for (int j = 0; j < 4; ++j) p = v3_mad(p, b[j], v3_load(point + 3 * (s * n + span + j)));
            if (!sn_bvh_inside(tree, p)) worst = fmax(worst, sn_bvh_closest(tree, p, INFINITY).distance);
        }
    }
    sn_bvh_destroy(tree);
    return worst;
}

static void five_muscles_are_filled_evenly(void **state)
{
    (void)state;
    heavy_case();
    static const char *const name[SHAPES] = {"spindle", "sheet", "fan", "bent tube", "deltoid with three heads"};
    for (int kind = 0; kind < SHAPES; ++kind) {
        static Shape shape;
        shape_make(&shape, (ShapeKind)kind);
        snAutoStrandsDef def = def_of(&shape, 40);
        snAutoStrands *a = NULL;
        snError error = {0};
        assert_int_equal(sn_autostrands_create(&def, &a, &error), SN_OK);
        int32_t steps;
        assert_int_equal(sn_autostrands_run(a, 400, (snProgress){0}, &steps), SN_OK);
        assert_in_range(steps, 5, 300); /* converged, not cut off */
        snAutoStrandsQuality q;
        assert_int_equal(sn_autostrands_quality(a, &q, NULL), SN_OK);
        print_message("%s: spacing %.1f mm, variation %.2f, bend %.1f deg, outside %.2f mm, %d steps\n", name[kind],
                      1e3 * q.spacing, q.spacing_variation, q.bend, 1e3 * q.outside, (int)steps);
        assert_at_most(q.spacing_variation, 0.25);
        assert_at_most(0.5, q.nearest);
        assert_int_equal(q.crossings, 0);
        assert_at_most(q.outside, 0.2e-3);
        assert_at_most(q.bend, 12);
        assert_true(q.wall > q.wall_least && q.wall_least > 0);
        static double point[3 * 40 * 12];
        assert_int_equal(sn_autostrands_view(a).control_points, 12);
        assert_int_equal(sn_autostrands_finish(a, point, NULL), SN_OK);
        assert_at_most(furthest_outside(&shape, point, 40, 12), 0.2e-3);
        sn_autostrands_destroy(a);
        shape_free(&shape);
    }
}

/* Shapes that nothing was tuned to: the same of them, within two seconds of processor time. */
static void strange_muscles_are_filled_too(void **state)
{
    (void)state;
    heavy_case();
    static const char *const name[] = {"flat spindle bent like an S", "belly twisted by 90 degrees", "bumpy belly"};
    for (int kind = S_BENT; kind < ALL_SHAPES; ++kind) {
        static Shape shape;
        shape_make(&shape, (ShapeKind)kind);
        snAutoStrandsDef def = def_of(&shape, 40);
        snAutoStrands *a = NULL;
        snError error = {0};
        clock_t began = clock();
        if (sn_autostrands_create(&def, &a, &error) != SN_OK) fail_msg("%s: %s", name[kind - S_BENT], error.message);
        int32_t steps;
        assert_int_equal(sn_autostrands_run(a, 400, (snProgress){0}, &steps), SN_OK);
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        snAutoStrandsQuality q;
        assert_int_equal(sn_autostrands_quality(a, &q, NULL), SN_OK);
        print_message("%s: variation %.2f, bend %.1f deg, outside %.2f mm, crossings %d, %d steps in %.2f s\n",
                      name[kind - S_BENT], q.spacing_variation, q.bend, 1e3 * q.outside, (int)q.crossings, (int)steps,
                      seconds);
        assert_in_range(steps, 5, 399); /* converged, not cut off */
        assert_at_most(q.spacing_variation, 0.25);
        assert_int_equal(q.crossings, 0);
        assert_at_most(q.outside, 0.2e-3);
        sn_autostrands_destroy(a);
        shape_free(&shape);
    }
}

static void heads_get_strands_by_their_size(void **state)
{
    (void)state;
    static Shape shape;
    shape_make(&shape, DELTOID);
    snAutoStrandsDef def = def_of(&shape, 20);
    snAutoStrands *a = NULL;
    assert_int_equal(sn_autostrands_create(&def, &a, NULL), SN_OK);
    int32_t of[3] = {0, 0, 0};
    for (int32_t s = 0; s < sn_autostrands_view(a).count; ++s) {
        int32_t input = sn_autostrands_view(a).input[s];
        assert_in_range(input, 0, 2);
        ++of[input];
        /* it begins at its own head */
        v3 p = v3_load(sn_autostrands_view(a).point + 3 * s * sn_autostrands_view(a).samples);
        for (int other = 0; other < 3; ++other)
            assert_at_most(v3_dist(p, deltoid_path(input, 0)), v3_dist(p, deltoid_path(other, 0)) + 2e-3);
    }
    assert_true(of[0] >= 5 && of[1] >= 5 && of[2] >= 5); /* three heads of nearly the same size */
    sn_autostrands_destroy(a);
    def.count = 0, def.duplicates = 4;
    assert_int_equal(sn_autostrands_create(&def, &a, NULL), SN_OK);
    assert_int_equal(sn_autostrands_view(a).count, 12);
    sn_autostrands_destroy(a);
    shape_free(&shape);
}

static double largest_bend(const snAutoStrands *a)
{
    snAutoStrandsQuality q;
    assert_int_equal(sn_autostrands_quality(a, &q, NULL), SN_OK);
    return q.bend;
}

static void parameters_change_while_it_runs(void **state)
{
    (void)state;
    static Shape shape;
    shape_make(&shape, SPINDLE);
    snAutoStrandsDef def = def_of(&shape, 12);
    snAutoStrands *a = NULL;
    assert_int_equal(sn_autostrands_create(&def, &a, NULL), SN_OK);
    sn_autostrands_run(a, 60, (snProgress){0}, NULL);
    int64_t allocations = sn_alloc_count();
    sn_autostrands_step(a);
    assert_int_equal(sn_alloc_count(), allocations);
    double before = largest_bend(a);
    assert_int_equal(sn_autostrands_tune(a, 500, 1, 20, NULL), SN_OK);
    for (int i = 0; i < 100; ++i) sn_autostrands_step(a);
    assert_true(largest_bend(a) < before); /* stiffer is straighter */
    assert_int_equal(sn_autostrands_view(a).control_points, 20);
    snError error = {0};
    assert_int_equal(sn_autostrands_tune(a, -1, 1, 20, &error), SN_BAD_INPUT);
    assert_int_equal(sn_autostrands_tune(a, 1, 0, 20, &error), SN_BAD_INPUT);
    assert_int_equal(sn_autostrands_tune(a, 1, 1, 3, &error), SN_BAD_INPUT);
    assert_int_equal(sn_autostrands_view(a).control_points, 20);
    sn_autostrands_destroy(a);
    shape_free(&shape);
}

static int stop_at_five(void *user, const char *stage, double done, double total)
{
    (void)user, (void)stage, (void)total;
    return done >= 5;
}

static void attachments_are_shared_when_wished(void **state)
{
    (void)state;
    static Shape shape;
    shape_make(&shape, SPINDLE);
    for (int shared = 0; shared < 2; ++shared) {
        snAutoStrandsDef def = def_of(&shape, 12);
        def.attachment_radius = shared ? 0 : 0.002;
        snAutoStrands *a = NULL;
        assert_int_equal(sn_autostrands_create(&def, &a, NULL), SN_OK);
        int32_t steps, n = sn_autostrands_view(a).samples;
        assert_int_equal(sn_autostrands_run(a, 100, (snProgress){stop_at_five, NULL}, &steps), SN_CANCELLED);
        assert_int_equal(steps, 5);
        for (int32_t s = 0; s < 12; ++s) {
            const double *p = sn_autostrands_view(a).point + 3 * s * n;
            double allowed = shared ? 1e-12 : 0.002 + 1e-3; /* and what keeps it inside */
            assert_at_most(v3_dist(v3_load(p), v3_load(shape.position[0])), allowed);
            assert_at_most(v3_dist(v3_load(p + 3 * (n - 1)), v3_of(0, 0.12, 0)), allowed);
        }
        sn_autostrands_destroy(a);
    }
    shape_free(&shape);
}

static void expect_refusal(const snAutoStrandsDef *def, const char *message)
{
    snAutoStrands *a = NULL;
    snError error = {0};
    assert_int_equal(sn_autostrands_create(def, &a, &error), SN_BAD_INPUT);
    assert_null(a);
    if (!strstr(error.message, message)) fail_msg("'%s' does not say '%s'", error.message, message);
}

static void bad_input_is_refused_with_its_place(void **state)
{
    (void)state;
    static Shape shape;
    shape_make(&shape, SPINDLE);
    snAutoStrandsDef good = def_of(&shape, 10), def = good;
    snMesh open = shape.mesh;
    open.ntriangle -= 1;
    def.mesh = &open;
    expect_refusal(&def, "open");
    /* a strand that leaves: the place is named, and the strand */
    snAutoStrandInput input = {"astray", 3, (double[]){0, 0.01, 0, 0.1, 0.06, 0, 0, 0.11, 0}};
    def = good, def.ninput = 1, def.input = &input;
    expect_refusal(&def, "mm outside the muscle mesh at 0.");
    snAutoStrands *a = NULL;
    snError error = {0};
    sn_autostrands_create(&def, &a, &error);
    assert_non_null(strstr(error.element, "astray"));
    assert_true(error.remedy[0]);
    input.nposition = 1;
    expect_refusal(&def, "at least 2");
    def = good, def.ninput = 0;
    expect_refusal(&def, "no input strand");
    def = good, def.samples = 3;
    expect_refusal(&def, "samples");
    def = good, def.control_points = 99;
    expect_refusal(&def, "control points");
    def = good, def.repulsion = NAN;
    expect_refusal(&def, "repulsion");
    /* the belly pushed through the other side */
    for (int32_t v = 0; v < shape.tri.nvertex; ++v) {
        double *p = shape.tri.vertex + 3 * v;
        if (fabs(p[1] - 0.06) < 0.002 && p[0] > 0.01) p[0] -= 0.06;
    }
    expect_refusal(&good, "crosses itself");
    shape_free(&shape);
}

static void cross_section_is_volume_over_length(void **state)
{
    (void)state;
    static Shape shape;
    shape_make(&shape, BENT_TUBE);
    snAutoStrandsDef def = def_of(&shape, 30);
    def.control_points = 0;
    snAutoStrands *a = NULL;
    assert_int_equal(sn_autostrands_create(&def, &a, NULL), SN_OK);
    sn_autostrands_run(a, 200, (snProgress){0}, NULL);
    snMuscleMeasure m;
    assert_int_equal(sn_measure_muscle(&shape.mesh, 30, 24, sn_autostrands_view(a).point, &m, NULL), SN_OK);
    /* half a torus: pi R long, pi r^2 thick; polygons are smaller by a percent or so */
    assert_near(m.volume / (SN_PI * 0.045 * SN_PI * 0.012 * 0.012), 1, 0.02);
    assert_near(m.fiber_length / (SN_PI * 0.045), 1, 0.02);
    assert_near(m.cross_section, m.volume / m.fiber_length, 1e-15);
    snError error = {0};
    assert_int_equal(sn_measure_muscle(&shape.mesh, 0, 24, NULL, &m, &error), SN_BAD_INPUT);
    sn_autostrands_destroy(a);
    shape_free(&shape);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static Shape shape;
    shape_make(&shape, SHEET);
    snAutoStrandsDef def = def_of(&shape, 2);
    def.samples = 4, def.control_points = 4;
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int64_t n = 0; status != SN_OK; n += n < 20 ? 1 : 5) {
        snAutoStrands *a = NULL;
        snAutoStrandsQuality q;
        sn_alloc_fail_after(n);
        status = sn_autostrands_create(&def, &a, NULL);
        if (status == SN_OK) status = sn_autostrands_quality(a, &q, NULL);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_autostrands_destroy(a);
        assert_int_equal(sn_alloc_live(), live);
    }
    shape_free(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_muscles_are_filled_evenly),      cmocka_unit_test(strange_muscles_are_filled_too),
        cmocka_unit_test(heads_get_strands_by_their_size),     cmocka_unit_test(parameters_change_while_it_runs),
        cmocka_unit_test(attachments_are_shared_when_wished),  cmocka_unit_test(bad_input_is_refused_with_its_place),
        cmocka_unit_test(cross_section_is_volume_over_length), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
