/* Geodesics over surfaces of any shape: length against closed forms, gradient against differences, lift-off, bad
 * surfaces. */
#include "check.h"

#include "path/cord.h"
#include "shapes.h"

#include <math.h>
#include <string.h>

static const double R = 0.012; /* m */

static double pseudo(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) * 2 - 1;
}

static v3 some(unsigned *seed, double size)
{
    double d[3];
    for (int c = 0; c < 3; ++c) d[c] = size * pseudo(seed); /* in this order for every compiler */
    return v3_of(d[0], d[1], d[2]);
}

static const rigid tilted = {{0.8, 0.36, -0.48, 0}, {0.001, -0.002, 0.003}};

static snGeodesicWrap wrap_on(const snSurface *s, double offset, v3 side)
{
    snGeodesicWrap w = {.surface = s, .offset = offset, .side = q_rotate(s->frame.q, side)};
    sn_geodesic_prepare(&w, rigid_apply(s->frame, v3_scale(side, R)));
    return w;
}

static double length_of(const snGeodesicWrap *w, v3 a, v3 b, snGeodesicState *state)
{
    snGeodesic g = sn_geodesic_find(w, a, b);
    *state = g.state;
    if (g.state == SN_GEODESIC_CLEAR) return v3_dist(a, b);
    return v3_dist(a, g.on[0]) + g.arc + v3_dist(g.on[1], b);
}

/* By the closed form, in the surface's frame; side +y. */
static double closed_form(snWrapKind kind, double radius, v3 a, v3 b)
{
    snCordPoint point[2] = {{.slot = 0, .wrap = 0, .at = a}, {.slot = 0, .wrap = -1, .at = b}};
    snCordWrap wrap = {.kind = kind, .axis = {0, 0, 1}, .side = {0, 1, 0}, .radius = radius};
    snCord cord = {.npoint = 2, .nwrap = 1, .nslot = 1, .point = point, .wrap = &wrap};
    rigid pose = rigid_identity();
    snCordNode node[4];
    double length;
    sn_cord_place(&cord, &pose, node, &length);
    return length;
}

typedef struct Tally {
    int n, touching, failed, rounds, most;
    double worst, gradient;
} Tally;

/* Ends on both sides of the surface, at all heights; in the surface's frame. */
static void some_ends(unsigned *seed, double low, v3 *a, v3 *b)
{
    *a = v3_add(v3_of(-0.03, low, 0), some(seed, 0.006));
    *b = v3_add(v3_of(0.035, low, 0), some(seed, 0.006));
}

static double slope_by(const snGeodesicWrap *w, v3 a, v3 b, int k, double d)
{
    v3 move = {k % 3 == 0 ? d : 0, k % 3 == 1 ? d : 0, k % 3 == 2 ? d : 0};
    snGeodesicState state;
    double more = length_of(w, k < 3 ? v3_add(a, move) : a, k < 3 ? b : v3_add(b, move), &state);
    double less = length_of(w, k < 3 ? v3_sub(a, move) : a, k < 3 ? b : v3_sub(b, move), &state);
    return (more - less) / (2 * d);
}

static void tally(const snGeodesicWrap *w, v3 a, v3 b, double exact, double d, Tally *t)
{
    snGeodesic g = sn_geodesic_find(w, a, b);
    snGeodesicState state;
    double length = length_of(w, a, b, &state);
    ++t->n;
    if (g.state == SN_GEODESIC_CLEAR) g.by_b = v3_unit(v3_sub(b, a)), g.by_a = v3_neg(g.by_b);
    t->touching += g.state == SN_GEODESIC_SOLVED, t->failed += g.state > SN_GEODESIC_SOLVED;
    t->rounds += g.rounds, t->most = g.rounds > t->most ? g.rounds : t->most;
    if (exact > 0) t->worst = fmax(t->worst, fabs(length - exact));
    double by[6];
    v3_store(by, g.by_a), v3_store(by + 3, g.by_b);
    for (int k = 0; k < 6; ++k) t->gradient = fmax(t->gradient, fabs(slope_by(w, a, b, k, d) - by[k]));
}

static void report(const char *what, const Tally *t)
{
    print_message(
        "%s: length off by at most %.1e m, dl/da by %.1e; %d of %d touch, %d not solved, %.1f rounds, at most %d\n",
        what, t->worst, t->gradient, t->touching, t->n, t->failed, (double)t->rounds / t->n, t->most);
}

static Tally against_closed_form(const snSurface *s, snWrapKind kind, double offset, int n)
{
    snGeodesicWrap w = wrap_on(s, offset, v3_of(0, 1, 0));
    unsigned seed = 5;
    Tally t = {0};
    for (int i = 0; i < n; ++i) {
        v3 a, b;
        some_ends(&seed, kind == SN_WRAP_SPHERE ? 0.0125 + 0.005 * pseudo(&seed) : 0.005 * pseudo(&seed), &a, &b);
        tally(&w, rigid_apply(s->frame, a), rigid_apply(s->frame, b), closed_form(kind, R + offset, a, b), 1e-6, &t);
    }
    return t;
}

static void shapes_as_in_closed_form(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        static const char *name[] = {"sphere", "cylinder", "ellipsoid that is a sphere"};
        snSurface s = {.kind = k == 0   ? SN_SURFACE_SPHERE
                               : k == 1 ? SN_SURFACE_CYLINDER
                                        : SN_SURFACE_ELLIPSOID,
                       .frame = tilted,
                       .size = {R, R, R}};
        Tally t = against_closed_form(&s, k == 1 ? SN_WRAP_CYLINDER : SN_WRAP_SPHERE, k == 2 ? 0.001 : 0, 200);
        report(name[k], &t);
        assert_int_equal(t.failed, 0);
        assert_true(t.touching > 60);
        assert_at_most(t.worst, 1e-7);
        assert_at_most(t.gradient, 1e-8);
    }
}

/* A patch is off its shape by some 1e-8 m; the gradient is that of the patch. */
static void patches_as_in_closed_form(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        snPatch patch = make_patch(R, 1, k, 0.03);
        snSurface s = sn_patch_surface(&patch, tilted);
        Tally t = against_closed_form(&s, k ? SN_WRAP_SPHERE : SN_WRAP_CYLINDER, 0, 200);
        report(k ? "sphere as a patch" : "cylinder as a patch", &t);
        assert_int_equal(t.failed, 0);
        assert_true(t.touching > 60);
        assert_at_most(t.worst, k ? 2e-6 : 2e-7);
        assert_at_most(t.gradient, 1e-8);
        sn_patch_free(&patch);
    }
}

/* A geodesic of an ellipsoid about the origin by the Runge-Kutta method: x'' = -(x' H x') / |g|^2 g. */
static v3 geodesic_bend(v3 half, v3 x, v3 t)
{
    v3 inverse = v3_of(1 / (half.x * half.x), 1 / (half.y * half.y), 1 / (half.z * half.z)), g = v3_mul(inverse, x);
    return v3_scale(g, -v3_dot(t, v3_mul(inverse, t)) / v3_len2(g));
}

static void shoot(v3 half, double length, int steps, v3 *x, v3 *t)
{
    double h = length / steps;
    for (int i = 0; i < steps; ++i) {
        v3 k1 = geodesic_bend(half, *x, *t), t2 = v3_mad(*t, h / 2, k1);
        v3 k2 = geodesic_bend(half, v3_mad(*x, h / 2, *t), t2), t3 = v3_mad(*t, h / 2, k2);
        v3 k3 = geodesic_bend(half, v3_mad(*x, h / 2, t2), t3), t4 = v3_mad(*t, h, k3);
        v3 k4 = geodesic_bend(half, v3_mad(*x, h, t3), t4);
        *x = v3_mad(*x, h / 6, v3_add(v3_add(*t, v3_scale(v3_add(t2, t3), 2)), t4));
        *t = v3_mad(*t, h / 6, v3_add(v3_add(k1, v3_scale(v3_add(k2, k3), 2)), k4));
    }
}

/* How far beside b a strand from a ends that leaves a turned sideways, over how far it would on a plane (Jacobi's
 * equation j'' = -K j, K the curvature of Gauss). At 0 it slips off: neighbours are as short, and no answer is better
 * than another. */
static double firmness(v3 half, v3 x, v3 t, double before, double length, double after)
{
    enum { STEPS = 500 };
    double j = before, slope = 1, h = length / STEPS, product = half.x * half.y * half.z;
    for (int i = 0; i < STEPS; ++i) {
        v3 g = v3_of(x.x / (half.x * half.x), x.y / (half.y * half.y), x.z / (half.z * half.z));
        double curvature = 1 / (product * product * v3_len2(g) * v3_len2(g));
        slope -= h * curvature * j;
        j += h * slope;
        shoot(half, h, 1, &x, &t);
    }
    return (j + after * slope) / (before + length + after);
}

/* Problems made from their answer: a geodesic, and a straight piece at each end. Some of these geodesics are longer
 * than their neighbours on both sides; there a shorter one is found. */
static void ellipsoids_against_integration(void **state)
{
    (void)state;
    unsigned seed = 11;
    double worst = 0, worst_slope = 0, worst_differences = 0;
    int failed = 0, rounds = 0, shorter = 0, infirm = 0, slips = 0, count = 300;
    for (int i = 0; i < count; ++i) {
        v3 half = v3_add(v3_of(0.010, 0.009, 0.012), v3_mul(v3_of(0.004, 0.003, 0.005), some(&seed, 1)));
        v3 x = v3_add(v3_of(0, 0.5, 0), some(&seed, 1)), way = some(&seed, 1);
        x = v3_mul(v3_unit(x), half);
        v3 n = v3_unit(v3_of(x.x / half.x / half.x, x.y / half.y / half.y, x.z / half.z / half.z));
        v3 t = v3_unit(v3_mad(way, -v3_dot(way, n), n)), start = t;
        double length = 0.0045 + 0.004 * pseudo(&seed), before = 0.012 + 0.008 * pseudo(&seed), after = 0.012;
        v3 a = v3_mad(x, -before, t), middle = x, u = t;
        double firm = firmness(half, x, t, before, length, after);
        shoot(half, length / 2, 1000, &middle, &u);
        shoot(half, length, 2000, &x, &t);
        v3 b = v3_mad(x, after, t);
        snSurface s = {.kind = SN_SURFACE_ELLIPSOID, .frame = rigid_identity(), .size = half};
        snGeodesicWrap w = {.surface = &s, .side = v3_unit(v3_add(middle, some(&seed, 0.005)))};
        sn_geodesic_prepare(&w, middle);
        snGeodesic g = sn_geodesic_find(&w, a, b);
        rounds += g.rounds;
        if (g.state == SN_GEODESIC_CLEAR && v3_dist(a, b) < before + length + after) {
            ++shorter;
            continue;
        }
        if (firm < 0.05 && (g.state == SN_GEODESIC_SOLVED || g.state == SN_GEODESIC_SLIPS)) {
            ++infirm;
            continue;
        }
        if (g.state == SN_GEODESIC_SLIPS) {
            ++slips;
            continue;
        }
        if (g.state != SN_GEODESIC_SOLVED) {
            ++failed;
            continue;
        }
        double found = v3_dist(a, g.on[0]) + g.arc + v3_dist(b, g.on[1]);
        if (found < before + length + after - 1e-6) {
            ++shorter;
            continue;
        }
        worst = fmax(worst, fabs(found - before - length - after));
        worst_slope = fmax(worst_slope, fmax(v3_dist(g.by_a, v3_neg(start)), v3_dist(g.by_b, t)));
        Tally y = {0};
        tally(&w, a, b, 0, 3e-7, &y);
        worst_differences = fmax(worst_differences, y.gradient);
    }
    print_message(
        "ellipsoids against integration: length %.1e m, direction %.1e; dl/da against differences %.1e; %d of "
        "%d not solved, in %d a shorter way, %d hardly held, %d more about to slip, %.1f rounds\n",
        worst, worst_slope, worst_differences, failed, count, shorter, infirm, slips, (double)rounds / count);
    assert_int_equal(failed, 0);
    assert_true(shorter + infirm < count / 5 && slips < count / 50);
    assert_at_most(worst, 1e-8);
    assert_at_most(worst_slope, 1e-5);
    assert_at_most(worst_differences, 1e-8);
}

static void meshes_by_their_grid(void **state)
{
    (void)state;
    snTriMesh mesh = make_ball(R);
    snDistance distance = {0};
    snError error;
    assert_int_equal(sn_distance_create(&mesh, 0, &distance, &error), SN_OK);
    snSurface s = {.kind = SN_SURFACE_DISTANCE, .frame = tilted, .distance = &distance};
    Tally t = against_closed_form(&s, SN_WRAP_SPHERE, 0, 100);
    print_message("the grid is off its mesh by %.1e m at most\n", distance.error);
    report("sphere as a mesh", &t);
    assert_int_equal(t.failed, 0);
    assert_true(t.touching > 30);
    assert_at_most(t.worst, 4 * distance.error);
    assert_at_most(t.gradient, 1e-6);
    sn_distance_free(&distance);
    sn_trimesh_free(&mesh);
}

/* One end comes down, so that the curve touches, and goes up again: length and gradient have no jump. */
static void touching_is_continuous(void **state)
{
    (void)state;
    snPatch patch = make_patch(R, 0.8, false, 0.03);
    snSurface s = sn_patch_surface(&patch, rigid_identity());
    snGeodesicWrap w = wrap_on(&s, 0.0005, v3_of(0, 1, 0));
    double last = 0, jump = 0, kink = 0, step = 4e-6;
    v3 by = {0, 0, 0}, a = {-0.03, 0.006, 0.004}, b = {0.03, 0.018, -0.003};
    snGeodesicState before = SN_GEODESIC_CLEAR;
    int changes = 0;
    for (int i = 0; i < 2000; ++i, b.y += i < 1000 ? -step : step) {
        snGeodesic g = sn_geodesic_find(&w, a, b);
        double length = v3_dist(a, b);
        if (g.state == SN_GEODESIC_CLEAR)
            g.by_b = v3_unit(v3_sub(b, a));
        else
            length = v3_dist(a, g.on[0]) + g.arc + v3_dist(g.on[1], b);
        assert_true(g.state <= SN_GEODESIC_SLIPS);
        if (i) jump = fmax(jump, fabs(length - last)), kink = fmax(kink, v3_dist(g.by_b, by));
        changes += (g.state == SN_GEODESIC_CLEAR) != (before == SN_GEODESIC_CLEAR);
        last = length, by = g.by_b, before = g.state;
    }
    print_message("through touching and lifting off (%d times): length changes by at most %.1e m, direction by %.1e in "
                  "steps of %.0e m\n",
                  changes, jump, kink, step);
    assert_int_equal(changes, 2);
    assert_at_most(jump, step);
    assert_at_most(kink, 1e-3);
    sn_patch_free(&patch);
}

/* Nothing that a surface may be is a crash: flat, of no size, ends in it, on it, in one point. */
static void bad_surfaces_do_no_harm(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int k = 0; k < 400; ++k) {
        double flat = k % 4 == 0 ? 1e-9 : k % 4 == 1 ? 0.01 : 1;
        snPatch patch = make_patch(R, flat, k % 8 < 4, k % 3 ? 0.03 : 1e-7);
        snSurface s = sn_patch_surface(&patch, tilted);
        snGeodesicWrap w = wrap_on(&s, k % 5 ? 0 : 0.002, v3_of(0, 1, 0));
        v3 a = some(&seed, k % 7 ? 0.04 : 0.005), b = k % 11 ? some(&seed, 0.04) : a;
        snGeodesic g = sn_geodesic_find(&w, a, b);
        assert_true(isfinite(g.arc) && isfinite(v3_len2(g.by_a)) && isfinite(v3_len2(g.on[0])));
        sn_patch_free(&patch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_as_in_closed_form),       cmocka_unit_test(patches_as_in_closed_form),
        cmocka_unit_test(ellipsoids_against_integration), cmocka_unit_test(meshes_by_their_grid),
        cmocka_unit_test(touching_is_continuous),         cmocka_unit_test(bad_surfaces_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
