/* Closest points against dense sampling, first-order conditions, finite differences and continuity. */
#include "check.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "geom/patch.h"
#include "geom/surface.h"

#include <string.h>

static uint64_t seed;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static v3 uniform3(double r)
{
    return v3_of(uniform(-r, r), uniform(-r, r), uniform(-r, r));
}

static void tube_def(double *station, double *radius, snTubeDef *def)
{
    enum { RINGS = 9, ANGLES = 10 };
    for (int r = 0; r < RINGS; ++r) {
        station[r] = r / (RINGS - 1.0);
        double waist = 0.006 + 0.004 * cos(2 * SN_PI * station[r]); /* a bone: thick ends, thin shaft */
        for (int a = 0; a < ANGLES; ++a)
            radius[r * ANGLES + a] =
                waist * (1 + 0.25 * cos(2 * 2 * SN_PI * a / ANGLES) + 0.05 * sin(2 * SN_PI * a / ANGLES));
    }
    *def = (snTubeDef){.start = {0.01, 0.02, 0.0},
                       .end = {0.02, 0.06, 0.01},
                       .x = {1, 0, 0},
                       .nring = RINGS,
                       .station = station,
                       .nangle = ANGLES,
                       .radius = radius};
}

static snPatch make_tube(void)
{
    double station[9], radius[90];
    snTubeDef def;
    snPatch patch;
    tube_def(station, radius, &def);
    assert_int_equal(sn_patch_tube(&def, &patch, NULL), SN_OK);
    return patch;
}

static const rigid tilted = {{0.8, 0.6, 0, 0}, {0.001, -0.002, 0.003}};

static void tube_passes_its_sections(void **state)
{
    (void)state;
    double station[9], radius[90];
    snTubeDef def;
    tube_def(station, radius, &def);
    snPatch patch = make_tube();
    snSurface s = sn_patch_surface(&patch, rigid_identity());
    v3 axis = v3_sub(def.end, def.start), z = v3_unit(axis), x = v3_unit(v3_mad(def.x, -v3_dot(def.x, z), z));
    for (int i = 0; i < 90; ++i) {
        double angle = 2 * SN_PI * (i % 10) / 10;
        v3 out = v3_add(v3_scale(x, cos(angle)), v3_scale(v3_cross(z, x), sin(angle)));
        v3 p = v3_mad(v3_mad(def.start, station[i / 10], axis), radius[i], out);
        snSurfaceHint hint = {0};
        snSurfaceHit hit = sn_surface_closest(&s, p, &hint);
        assert_near(v3_dist(hit.point, p), 0, 1e-12);
        if (i / 10 > 0 && i / 10 < 8) assert_true(v3_dot(hit.normal, out) > 0.5);
    }
    sn_patch_free(&patch);
}

static void tube_closes_smoothly(void **state)
{
    (void)state;
    snPatch patch = make_tube();
    snSurface s = sn_patch_surface(&patch, tilted);
    for (double u = 0; u <= 1; u += 0.05) {
        v3 n0, n1, p0 = sn_surface_patch_eval(&s, u, 1e-9, &n0), p1 = sn_surface_patch_eval(&s, u, 1 - 1e-9, &n1);
        assert_near(v3_dist(p0, p1), 0, 1e-9);
        assert_near(v3_dist(n0, n1), 0, 1e-6);
        assert_near(v3_dist(sn_surface_patch_eval(&s, u, 1.25, NULL), sn_surface_patch_eval(&s, u, 0.25, NULL)), 0,
                    1e-15);
    }
    sn_patch_free(&patch);
}

static void few_sections_are_enough(void **state)
{
    (void)state;
    double station[3] = {0, 0.4, 1}, radius[12];
    for (int i = 0; i < 12; ++i) radius[i] = 0.01 * (1 + i / 4);
    for (int n = 2; n <= 3; ++n) {
        snTubeDef def = {
            .end = {0, 0, 0.1}, .x = {1, 0, 0}, .nring = n, .station = station, .nangle = 4, .radius = radius};
        snPatch patch = {0};
        assert_int_equal(sn_patch_tube(&def, &patch, NULL), SN_OK);
        snSurface s = sn_patch_surface(&patch, rigid_identity());
        for (int r = 0; r < n; ++r) {
            snSurfaceHint hint = {0};
            v3 p = v3_of(radius[4 * r], 0, 0.1 * station[r]);
            assert_near(v3_dist(sn_surface_closest(&s, p, &hint).point, p), 0, 1e-12);
        }
        sn_patch_free(&patch);
    }
}

static void bad_tubes_are_refused(void **state)
{
    (void)state;
    double station[9], radius[90];
    snTubeDef def;
    snPatch patch = {0};
    snError error;
    tube_def(station, radius, &def);
    snTubeDef d = def;
    d.end = d.start;
    assert_int_equal(sn_patch_tube(&d, &patch, &error), SN_BAD_INPUT);
    d = def, d.nring = 1;
    assert_int_equal(sn_patch_tube(&d, &patch, &error), SN_BAD_INPUT);
    station[3] = NAN;
    assert_int_equal(sn_patch_tube(&def, &patch, &error), SN_BAD_INPUT);
    station[3] = station[2];
    memcpy(radius + 30, radius + 20, 10 * sizeof(double));
    assert_int_equal(sn_patch_tube(&def, &patch, &error), SN_BAD_INPUT);
    tube_def(station, radius, &def);
    radius[17] = -1;
    assert_int_equal(sn_patch_tube(&def, &patch, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "section 1"));
    assert_null(patch.point);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    double station[9], radius[90];
    snTubeDef def;
    tube_def(station, radius, &def);
    int64_t live = sn_alloc_live();
    for (int n = 0;; ++n) {
        snPatch patch = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_patch_tube(&def, &patch, NULL);
        sn_alloc_fail_after(-1);
        sn_patch_free(&patch);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

/* The least distance found by sampling, for patches. */
static double sampled_distance(const snSurface *s, v3 q, int n)
{
    double least = INFINITY;
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j <= n; ++j) {
            double u = s->knot_u[3] + (s->knot_u[s->nu] - s->knot_u[3]) * i / n;
            double v = s->knot_v[3] + (s->knot_v[s->nv] - s->knot_v[3]) * j / n;
            least = fmin(least, v3_dist(sn_surface_patch_eval(s, u, v, NULL), q));
        }
    return least;
}

static void patch_global_search_beats_dense_sampling(void **state)
{
    (void)state;
    snPatch patch = make_tube();
    snSurface s = sn_patch_surface(&patch, tilted);
    seed = 7;
    for (int i = 0; i < 150; ++i) {
        v3 q = rigid_apply(tilted, v3_add(v3_of(0.015, 0.04, 0.005), uniform3(0.03)));
        snSurfaceHint hint = {0};
        snSurfaceHit hit = sn_surface_closest(&s, q, &hint);
        double found = v3_dist(hit.point, q), sampled = sampled_distance(&s, q, 120);
        assert_at_most(found, sampled + 1e-12);
        assert_near(found, sampled, 3e-4); /* half the spacing of the samples, for a point on the surface */
        assert_near(v3_dist(hit.point, sn_surface_patch_eval(&s, hint.u, hint.v, NULL)), 0, 1e-14);
        if (hint.u > 1e-9 && hint.u < 1 - 1e-9) {
            assert_near(v3_len(v3_cross(v3_sub(q, hit.point), hit.normal)), 0, 1e-10);
            assert_near(fabs(hit.distance), found, 1e-12);
        }
    }
    sn_patch_free(&patch);
}

static void patch_normals_match_finite_differences(void **state)
{
    (void)state;
    snPatch patch = make_tube();
    snSurface s = sn_patch_surface(&patch, tilted);
    seed = 3;
    for (int i = 0; i < 200; ++i) {
        double u = uniform(0.01, 0.99), v = uniform(0, 1), e = 1e-6;
        v3 n;
        sn_surface_patch_eval(&s, u, v, &n);
        v3 du = v3_sub(sn_surface_patch_eval(&s, u + e, v, NULL), sn_surface_patch_eval(&s, u - e, v, NULL));
        v3 dv = v3_sub(sn_surface_patch_eval(&s, u, v + e, NULL), sn_surface_patch_eval(&s, u, v - e, NULL));
        assert_near(v3_dot(n, v3_unit(du)), 0, 1e-7);
        assert_near(v3_dot(n, v3_unit(dv)), 0, 1e-7);
        assert_near(v3_len(n), 1, 1e-14);
        /* outwards: stepping along it is a positive distance */
        snSurfaceHint hint = {0};
        v3 q = v3_mad(sn_surface_patch_eval(&s, u, v, NULL), 1e-4, n);
        assert_near(sn_surface_closest(&s, q, &hint).distance, 1e-4, 1e-9);
    }
    sn_patch_free(&patch);
}

/* A query on a path around and along the bone: the tracked point follows without jumps and equals the global one. */
static void tracking_is_continuous(void **state)
{
    (void)state;
    snPatch patch = make_tube();
    snSurface s = sn_patch_surface(&patch, tilted);
    snSurfaceHint hint = {0};
    v3 last = {0};
    double worst = 0;
    for (int i = 0; i < 4000; ++i) {
        double t = i / 4000.0, angle = 6 * SN_PI * t;
        v3 z = v3_unit(v3_of(0.01, 0.04, 0.01)), x = v3_perp(z), y = v3_cross(z, x);
        v3 q = v3_mad(v3_of(0.01, 0.02, 0), 0.002 + 0.038 * t, z);
        q = v3_add(
            q, v3_scale(v3_add(v3_scale(x, cos(angle)), v3_scale(y, sin(angle))), 0.0105 + 0.004 * cos(2 * SN_PI * t)));
        snSurfaceHit hit = sn_surface_closest(&s, rigid_apply(tilted, q), &hint);
        if (i) worst = fmax(worst, v3_dist(hit.point, last));
        last = hit.point;
        if (i % 50 == 0) {
            snSurfaceHint fresh = {0};
            assert_near(v3_dist(sn_surface_closest(&s, rigid_apply(tilted, q), &fresh).point, hit.point), 0, 1e-9);
        }
    }
    assert_at_most(worst, 5e-4);
    sn_patch_free(&patch);
}

/* Pushed through to the far half of a bone, a tracked point stays on its side; the global one jumps. */
static void a_tracked_point_stays_on_its_side(void **state)
{
    (void)state;
    double position[3 * 4 * 16];
    for (int i = 0; i < 4 * 16; ++i) {
        double angle = 2 * SN_PI * (i % 16) / 16;
        v3_store(position + 3 * i, v3_of(0.02 * cos(angle), 0.005 * sin(angle), 0.02 * (i / 16))); /* flat bone */
    }
    snPatch patch;
    assert_int_equal(sn_patch_loft(4, 16, position, &patch, NULL), SN_OK);
    snSurface flat = sn_patch_surface(&patch, rigid_identity());
    snSurface egg = {.kind = SN_SURFACE_ELLIPSOID, .frame = rigid_identity(), .size = {0.02, 0.005, 0.03}};
    const snSurface *each[2] = {&flat, &egg};
    for (int k = 0; k < 2; ++k) {
        snSurfaceHint hint = {0}, fresh = {0};
        double z = k ? 0 : 0.03;
        for (double y = 0.006; y > -0.001; y -= 0.0001) {
            snSurfaceHit hit = sn_surface_closest(each[k], v3_of(0.001, y, z), &hint);
            assert_true(hit.point.y > 0.004);
            assert_near(v3_len(v3_cross(v3_sub(v3_of(0.001, y, z), hit.point), hit.normal)), 0, 1e-10);
        }
        assert_true(sn_surface_closest(each[k], v3_of(0.001, -0.001, z), &fresh).point.y < 0);
    }
    sn_patch_free(&patch);
}

static double implicit(const snSurface *s, v3 p)
{
    v3 l = rigid_unapply(s->frame, p);
    switch (s->kind) {
    case SN_SURFACE_PLANE:
        return l.z;
    case SN_SURFACE_SPHERE:
        return v3_len(l) / s->size.x - 1;
    case SN_SURFACE_CYLINDER:
        return hypot(l.x, l.y) / s->size.x - 1;
    default:
        return v3_len(v3_of(l.x / s->size.x, l.y / s->size.y, l.z / s->size.z)) - 1;
    }
}

static const v3 sizes[] = {{0.02, 0.03, 0.05}, {0.05, 0.01, 0.03},  {1, 1, 1},        {0.01, 0.01, 0.3},
                           {0.3, 0.3, 0.001},  {0.02, 0.3, 0.0002}, {1, 1.0000001, 1}};

static void check_analytic(const snSurface *s, v3 q)
{
    snSurfaceHint hint = {0};
    snSurfaceHit hit = sn_surface_closest(s, q, &hint);
    double scale = 1 + v3_len(q);
    assert_near(implicit(s, hit.point), 0, 1e-12 * scale);
    assert_near(v3_len(hit.normal), 1, 1e-12);
    v3 residual = v3_mad(v3_sub(q, hit.point), -hit.distance, hit.normal);
    assert_near(v3_len(residual), 0, 1e-9 * scale);
    double side = implicit(s, q);
    if (fabs(hit.distance) > 1e-9) assert_true((side > 0) == (hit.distance > 0));
    /* no point nearby is nearer, nor any sample anywhere */
    for (int i = 0; i < 40; ++i) {
        v3 p = v3_mad(hit.point, i < 20 ? 1e-4 * s->size.x : 0.5, uniform3(1));
        snSurfaceHint other = {0};
        p = sn_surface_closest(s, p, &other).point;
        assert_at_most(fabs(hit.distance), v3_dist(p, q) + 1e-12 * scale);
    }
    /* asking again from the hint gives the same */
    assert_near(v3_dist(sn_surface_closest(s, q, &hint).point, hit.point), 0, 1e-12 * scale);
}

static void analytic_shapes_are_exact(void **state)
{
    (void)state;
    seed = 11;
    for (int kind = SN_SURFACE_PLANE; kind <= SN_SURFACE_ELLIPSOID; ++kind)
        for (int k = 0; k < 7; ++k)
            for (int i = 0; i < 200; ++i) {
                snSurface s = {.kind = (snSurfaceKind)kind, .frame = tilted, .size = sizes[k]};
                double reach = i % 3 == 0 ? 0.01 : i % 3 == 1 ? 0.3 : 3;
                check_analytic(&s, uniform3(reach));
            }
}

/* Centres, axes and planes of symmetry, inside and on the evolute. */
static void degenerate_queries_give_a_closest_point(void **state)
{
    (void)state;
    const double step[] = {0, 1e-300, 1e-15, 1e-9, 0.003, 0.02, 0.5};
    for (int kind = SN_SURFACE_PLANE; kind <= SN_SURFACE_ELLIPSOID; ++kind)
        for (int k = 0; k < 7; ++k)
            for (int i = 0; i < 343; ++i) {
                snSurface s = {.kind = (snSurfaceKind)kind, .frame = rigid_identity(), .size = sizes[k]};
                check_analytic(&s, v3_of(step[i % 7], -step[i / 7 % 7], step[i / 49]));
            }
}

/* The derivative of the signed distance is the normal. */
static void distance_has_the_normal_as_gradient(void **state)
{
    (void)state;
    seed = 5;
    snPatch patch = make_tube();
    for (int kind = SN_SURFACE_PLANE; kind <= SN_SURFACE_PATCH; ++kind)
        for (int i = 0; i < 100; ++i) {
            snSurface s = {.kind = (snSurfaceKind)kind, .frame = tilted, .size = {0.01, 0.03, 0.02}};
            v3 q = uniform3(0.05);
            if (kind == SN_SURFACE_PATCH) {
                s = sn_patch_surface(&patch, tilted);
                v3 n, p = sn_surface_patch_eval(&s, uniform(0.1, 0.9), uniform(0, 1), &n);
                q = v3_mad(p, uniform(-0.001, 0.002), n);
            }
            snSurfaceHint hint = {0};
            snSurfaceHit hit = sn_surface_closest(&s, q, &hint);
            if (fabs(hit.distance) < 1e-4 || v3_len(q) < 0.02) continue;
            v3 way = v3_unit(uniform3(1));
            double e = 1e-6;
            snSurfaceHint h1 = hint, h2 = hint;
            double slope = (sn_surface_closest(&s, v3_mad(q, e, way), &h1).distance -
                            sn_surface_closest(&s, v3_mad(q, -e, way), &h2).distance) /
                           (2 * e);
            assert_near(slope, v3_dot(way, hit.normal), 1e-5);
        }
    sn_patch_free(&patch);
}

/* A patch whose ring collapses to a point still has a unit normal there. */
static void a_pole_has_a_normal(void **state)
{
    (void)state;
    snPatch patch = make_tube();
    for (int32_t j = 0; j < patch.nv; ++j) v3_store(patch.point + 3 * j, v3_of(0.01, 0.02, 0));
    snSurface s = sn_patch_surface(&patch, rigid_identity());
    v3 n;
    sn_surface_patch_eval(&s, 0, 0.3, &n);
    assert_near(v3_len(n), 1, 1e-12);
    snSurfaceHint hint = {0};
    snSurfaceHit hit = sn_surface_closest(&s, v3_of(0.01, 0, 0), &hint);
    assert_near(v3_len(hit.normal), 1, 1e-12);
    assert_near(v3_dist(hit.point, v3_of(0.01, 0.02, 0)), 0, 2e-3);
    sn_patch_free(&patch);
}

static void report_speed(void **state)
{
    (void)state;
    snPatch patch = make_tube();
    snSurface s = sn_patch_surface(&patch, tilted),
              egg = {.kind = SN_SURFACE_ELLIPSOID, .frame = tilted, .size = {0.02, 0.03, 0.01}};
    snSurfaceHint hint = {0};
    enum { QUERIES = 100000 };
    double sum = 0, start = sn_clock();
    for (int i = 0; i < QUERIES; ++i) {
        double t = 1e-4 * i; /* about 2 um per query, more than a strand moves in a step */
        v3 q = v3_of(0.015 + 0.012 * cos(t), 0.04 + 0.01 * sin(0.3 * t), 0.012 * sin(t));
        sum += sn_surface_closest(&s, rigid_apply(tilted, q), &hint).distance;
    }
    double tracked = (sn_clock() - start) / QUERIES;
    start = sn_clock();
    for (int i = 0; i < QUERIES; ++i)
        sum += sn_surface_closest(&egg, v3_of(0.05 * cos(i), 0.02 * sin(i), 0.03), &hint).distance;
    double egg_time = (sn_clock() - start) / QUERIES;
    start = sn_clock();
    for (int i = 0; i < 100; ++i) {
        snSurfaceHint fresh = {0};
        sum += sn_surface_closest(&s, v3_of(0.03 * cos(i), 0.03 * sin(i), 0), &fresh).distance;
    }
    print_message("patch with hint %.0f ns, without %.0f us, ellipsoid %.0f ns (%g)\n", 1e9 * tracked,
                  1e4 * (sn_clock() - start), 1e9 * egg_time, sum);
    sn_patch_free(&patch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tube_passes_its_sections),
        cmocka_unit_test(tube_closes_smoothly),
        cmocka_unit_test(few_sections_are_enough),
        cmocka_unit_test(bad_tubes_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(patch_global_search_beats_dense_sampling),
        cmocka_unit_test(patch_normals_match_finite_differences),
        cmocka_unit_test(tracking_is_continuous),
        cmocka_unit_test(a_tracked_point_stays_on_its_side),
        cmocka_unit_test(analytic_shapes_are_exact),
        cmocka_unit_test(degenerate_queries_give_a_closest_point),
        cmocka_unit_test(distance_has_the_normal_as_gradient),
        cmocka_unit_test(a_pole_has_a_normal),
        cmocka_unit_test(report_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
