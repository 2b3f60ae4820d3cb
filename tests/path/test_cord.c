/* Cords: length and gradient against differences, also through lift-off; tension against the energy; belly and tendon
 * in series against bisection; where material lies. */
#include "check.h"

#include "moved_cord.h"

#include <math.h>
#include <string.h>

static rigid some_pose(unsigned *seed, double size)
{
    v3 turn = {pseudo(seed), pseudo(seed), pseudo(seed)};
    v3 shift = {pseudo(seed), pseudo(seed), pseudo(seed)};
    return (rigid){q_exp(v3_scale(turn, size)), v3_scale(shift, 0.02 * size)};
}

/* A cord from body 0 over a wrap on body 1 and an eyelet on it to body 2. */
typedef struct Example {
    snCordPoint point[4];
    snCordWrap wrap[1];
    snSurface surface; /* an ellipsoid in place of the sphere, lower, so that it holds the cord */
    snGeodesicWrap over;
    snCord cord;
} Example;

static void make(Example *e, snWrapKind kind)
{
    *e = (Example){.point = {{.slot = 0, .wrap = 0, .at = {-0.05, 0.004, 0}},
                             {.slot = 1, .wrap = -1, .at = {0.03, -0.012, 0.002}},
                             {.slot = 1, .wrap = -1, .at = {0.045, -0.012, 0}},
                             {.slot = 2, .wrap = -1, .at = {0.07, -0.03, -0.004}}},
                   .wrap = {{.kind = kind, .slot = 1, .axis = {0, 0, 1}, .side = {0, 1, 0}, .radius = 0.01}}};
    e->surface = (snSurface){
        .kind = SN_SURFACE_ELLIPSOID, .frame = {{1, 0, 0, 0}, {0, -0.012, 0}}, .size = {0.016, 0.022, 0.028}};
    e->over = (snGeodesicWrap){.surface = &e->surface, .side = {0, 1, 0}};
    sn_geodesic_prepare(&e->over, v3_of(0, 0.01, 0));
    e->wrap[0].over = &e->over;
    e->cord = (snCord){.npoint = 4,
                       .nwrap = 1,
                       .nslot = BODIES,
                       .point = e->point,
                       .wrap = e->wrap,
                       .tendon_rest = 0.08,
                       .tendon_before = 0.01,
                       .belly_rest = 0.035,
                       .tendon = 900,
                       .passive = 40,
                       .active = 50,
                       .fiber = 1.05,
                       .passive_law = {.kind = SN_LAW_HILL_PASSIVE},
                       .active_law = {.kind = SN_LAW_HILL_ACTIVE}};
}

static void gradient_is_the_change_of_length(void **state)
{
    (void)state;
    unsigned seed = 7;
    int touching = 0;
    double worst = 0;
    for (int i = 0; i < 400; ++i) {
        Example e;
        make(&e, i % 3 == 0 ? SN_WRAP_CYLINDER : i % 3 == 1 ? SN_WRAP_SPHERE : SN_WRAP_SURFACE);
        rigid pose[BODIES];
        for (int b = 0; b < BODIES; ++b) pose[b] = some_pose(&seed, i % 3 == 2 ? 0.3 : 0.4);
        snCordNode node[8];
        double length, g[6 * BODIES], d = 2e-7;
        int32_t n = sn_cord_place(&e.cord, pose, node, &length);
        touching += n == 6;
        sn_cord_gradient(&e.cord, pose, n, node, g);
        for (int k = 0; k < 6 * BODIES; ++k) {
            double slope =
                (moved_length(&e.cord, pose, k / 6, k % 6, d) - moved_length(&e.cord, pose, k / 6, k % 6, -d)) /
                (2 * d);
            worst = fmax(worst, fabs(slope - g[k]));
        }
    }
    print_message("dl/dv against differences: off by at most %.1e over 400 poses, %d of them touching\n", worst,
                  touching);
    assert_true(touching > 100 && touching < 390);
    assert_at_most(worst, 1e-8);
}

/* Two wraps between two points, on different bodies: gradient against differences; none, one or both are touched. */
static void two_wraps_in_a_row(void **state)
{
    (void)state;
    const snCordPoint point[2] = {{.slot = 0, .wrap = 0, .more = 1, .at = {-0.05, 0.004, 0}},
                                  {.slot = 2, .wrap = -1, .at = {0.07, -0.03, -0.004}}};
    const snCordWrap wrap[2] = {{.kind = SN_WRAP_SPHERE, .slot = 1, .centre = {0, -0.015, 0}, .radius = 0.012},
                                {.kind = SN_WRAP_CYLINDER,
                                 .slot = 2,
                                 .centre = {0.04, -0.024, 0},
                                 .axis = {0, 0, 1},
                                 .side = {0, 1, 0},
                                 .radius = 0.008}};
    const snCord c = {.npoint = 2, .nwrap = 2, .nslot = BODIES, .point = point, .wrap = wrap};
    unsigned seed = 21;
    int touched[3] = {0};
    double worst = 0;
    for (int i = 0; i < 300; ++i) {
        rigid pose[BODIES];
        for (int b = 0; b < BODIES; ++b) pose[b] = some_pose(&seed, 0.4);
        snCordNode node[8];
        double length, g[6 * BODIES], sum = 0, d = 2e-7;
        int32_t n = sn_cord_place(&c, pose, node, &length);
        ++touched[(n - 2) / 2];
        for (int32_t k = 0; k < n; ++k) sum += node[k].length;
        assert_near(sum, length, 1e-15);
        sn_cord_gradient(&c, pose, n, node, g);
        for (int k = 0; k < 6 * BODIES; ++k) {
            double slope =
                (moved_length(&c, pose, k / 6, k % 6, d) - moved_length(&c, pose, k / 6, k % 6, -d)) / (2 * d);
            worst = fmax(worst, fabs(slope - g[k]));
        }
    }
    print_message("two wraps in a row: off by at most %.1e; none, one, both touched in %d, %d, %d poses\n", worst,
                  touched[0], touched[1], touched[2]);
    assert_true(touched[0] > 5 && touched[1] > 20 && touched[2] > 20);
    assert_at_most(worst, 1e-8);
}

static void tension_is_the_change_of_energy(void **state)
{
    (void)state;
    double worst = 0, worst_slope = 0, worst_active = 0;
    Example e;
    make(&e, SN_WRAP_CYLINDER);
    for (double l = 0.10; l < 0.16; l += 0.0013)
        for (double a = 0; a <= 1; a += 0.25) {
            double x = 1, d = 1e-6;
            snCordPull p = sn_cord_pull(&e.cord, l, a, &x);
            if (p.tension <= 1e-3) continue;
            double y = x, z = x, u = x, w = x;
            double by_l = (sn_cord_energy(&e.cord, l + d, a) - sn_cord_energy(&e.cord, l - d, a)) / (2 * d);
            double slope =
                (sn_cord_pull(&e.cord, l + d, a, &y).tension - sn_cord_pull(&e.cord, l - d, a, &z).tension) / (2 * d);
            double by_a =
                (sn_cord_pull(&e.cord, l, a + d, &u).tension - sn_cord_pull(&e.cord, l, a - d, &w).tension) / (2 * d);
            worst = fmax(worst, fabs(by_l / p.tension - 1));
            if (slope > 0) worst_slope = fmax(worst_slope, fabs(slope / p.slope - 1));
            worst_active = fmax(worst_active, fabs(by_a / p.by_a - 1));
            assert_near(sn_cord_along(&p, e.cord.tendon_rest, e.cord.belly_rest), l, 1e-12);
        }
    print_message("tension against the energy %.1e, dT/dl %.1e, dT/da %.1e\n", worst, worst_slope, worst_active);
    assert_at_most(worst, 1e-7);
    assert_at_most(worst_slope, 1e-5);
    assert_at_most(worst_active, 1e-5);
}

static void a_short_cord_is_slack(void **state)
{
    (void)state;
    Example e;
    make(&e, SN_WRAP_CYLINDER);
    e.cord.active = 0, e.cord.tension_only = true;
    double x = 1;
    snCordPull p = sn_cord_pull(&e.cord, 0.1, 0, &x);
    assert_near(p.tension, 0, 0);
    assert_near(p.slope, 0, 0);
    assert_near(sn_cord_along(&p, e.cord.tendon_rest, e.cord.belly_rest), 0.1, 1e-12);
}

static void material_is_found_where_it_lies(void **state)
{
    (void)state;
    Example e;
    make(&e, SN_WRAP_CYLINDER);
    double x = 1;
    snCordPull p = sn_cord_pull(&e.cord, 0.13, 0.4, &x);
    double last = -1;
    for (double along = 0; along <= 0.13; along += 0.002) {
        double tendon, belly;
        sn_cord_material(&e.cord, &p, along, &tendon, &belly);
        assert_near(sn_cord_along(&p, tendon, belly), along, 1e-12);
        double share = sn_cord_share(&e.cord, &p, tendon, belly);
        assert_true(share >= last);
        last = share;
    }
    assert_near(sn_cord_share(&e.cord, &p, e.cord.tendon_rest, e.cord.belly_rest), 1, 1e-12);
}

/* Points along the cord are as far apart as they should be, on arcs too, and never inside the wrap. */
static void points_lie_along_the_cord(void **state)
{
    (void)state;
    unsigned seed = 3;
    for (int i = 0; i < 100; ++i) {
        Example e;
        make(&e, i % 3 == 0 ? SN_WRAP_CYLINDER : i % 3 == 1 ? SN_WRAP_SPHERE : SN_WRAP_SURFACE);
        rigid pose[BODIES];
        for (int b = 0; b < BODIES; ++b) pose[b] = some_pose(&seed, 0.3);
        snCordNode node[8];
        double length, sum = 0;
        int32_t n = sn_cord_place(&e.cord, pose, node, &length);
        v3 last = sn_cord_point(&e.cord, pose, n, node, 0);
        for (int k = 1; k <= 2000; ++k) {
            v3 p = sn_cord_point(&e.cord, pose, n, node, length * k / 2000);
            sum += v3_dist(p, last);
            last = p;
        }
        assert_near(sum / length, 1, 5e-4); /* steps cut corners */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_change_of_length), cmocka_unit_test(two_wraps_in_a_row),
        cmocka_unit_test(tension_is_the_change_of_energy),  cmocka_unit_test(a_short_cord_is_slack),
        cmocka_unit_test(material_is_found_where_it_lies),  cmocka_unit_test(points_lie_along_the_cord),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
