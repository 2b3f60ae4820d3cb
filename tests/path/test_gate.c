/* Gates: cords confined sideways over cylinders and spheres. Gradient against differences, also while the
 * cord leans on walls; the closed form over a cylinder; no shorter way exists; forces that are continuous where a wall
 * is touched and where the wrap is left; walls that stand on their wrap. */
#include "check.h"

#include "moved_cord.h"

#include <math.h>
#include <string.h>

enum { GATES = 3, KINDS = 2 };
static const double R = 0.01;

/* A cord along x from body 0 over a wrap on body 1 to body 2, drawn over its top; gates at several angles from there.
 */
typedef struct Example {
    snCordPoint point[2];
    snCordWrap wrap;
    snCordGate gate[GATES];
    snCord cord;
} Example;

static void make(Example *e, snWrapKind kind, int ngate, double half)
{
    static const double angle[GATES + 1][GATES] = {{0}, {0}, {-0.35, 0.3}, {-0.5, 0, 0.45}};
    *e = (Example){
        .point = {{.slot = 0, .wrap = 0, .at = {-0.04, -0.015, 0}}, {.slot = 2, .wrap = -1, .at = {0.05, -0.02, 0}}},
        .wrap = {.kind = kind, .slot = 1, .axis = {0, 0, 1}, .side = {0, 1, 0}, .radius = R}};
    e->wrap.ngate = ngate, e->wrap.gate = e->gate;
    for (int k = 0; k < ngate; ++k) {
        double a = angle[ngate][k];
        v3 at = {R * sin(a), R * cos(a), 0}, out = {sin(a), cos(a), 0};
        /* as lateral_axis: out x direction of the strand */
        e->gate[k] = (snCordGate){.at = at, .aside = {0, 0, -1}, .out = out, .half = half};
        assert_true(sn_cord_gate_stand(&e->wrap, &e->gate[k]));
    }
    /* over a ball the shorter way is that over the top */
    if (kind == SN_WRAP_SPHERE) e->point[0].at.y = 0.002, e->point[1].at.y = 0.003;
    e->cord = (snCord){.npoint = 2, .nwrap = 1, .nslot = BODIES, .point = e->point, .wrap = &e->wrap};
    assert_true(sn_cord_nodes(&e->cord) <= MOST_NODES);
}

static void still(rigid *pose)
{
    for (int b = 0; b < BODIES; ++b) pose[b] = (rigid){{1, 0, 0, 0}, {0, 0, 0}};
}

/* How many gates a cord leans on; checks that it is where the wall is. */
static int leant_on(const Example *e, const rigid *pose, int32_t n, const snCordNode *node, int *lifted)
{
    int count = 0;
    for (int32_t k = 0; k < n; ++k) {
        if (node[k].gate == 0) continue;
        ++count, *lifted += height_at_wall(&e->gate[node[k].gate - 1], pose[1], node[k].p) > 1e-6;
    }
    return count;
}

static void gradient_is_the_change_of_length(void **state)
{
    (void)state;
    static const char *name[] = {"cylinder", "sphere"};
    for (int kind = 0; kind < KINDS; ++kind) {
        unsigned seed = 11;
        int leaning[GATES + 1] = {0}, lifted = 0;
        double worst = 0;
        for (int i = 0; i < 600; ++i) {
            Example e;
            make(&e, (snWrapKind)kind, 1 + i % GATES, 0.001);
            rigid pose[BODIES];
            for (int b = 0; b < BODIES; ++b) pose[b] = pose_aside(&seed, 0.25, kind == 0 ? 0.01 : 0.003);
            snCordNode node[MOST_NODES];
            double length, g[6 * BODIES], d = 2e-7;
            int32_t n = sn_cord_place(&e.cord, pose, node, &length);
            ++leaning[leant_on(&e, pose, n, node, &lifted)];
            sn_cord_gradient(&e.cord, pose, n, node, g);
            for (int k = 0; k < 6 * BODIES; ++k) {
                double slope =
                    (moved_length(&e.cord, pose, k / 6, k % 6, d) - moved_length(&e.cord, pose, k / 6, k % 6, -d)) /
                    (2 * d);
                worst = fmax(worst, fabs(slope - g[k]));
            }
        }
        print_message("%s: dl/dv with gates off by at most %.1e; poses that lean on 0, 1, 2, 3: %d, %d, %d, %d; stops "
                      "lifted off: %d\n",
                      name[kind], worst, leaning[0], leaning[1], leaning[2], leaning[3], lifted);
        assert_true(leaning[0] > 5 && leaning[1] > 5 && leaning[2] > 3);
        assert_at_most(worst, 1e-8);
    }
}

/* Both ends aside by the same, one gate at the top: two helices that meet there, unrolled two straight lines. */
static void a_cylinder_in_closed_form(void **state)
{
    (void)state;
    Example e;
    double half = 0.001, aside = 0.006, length, flat, x = 0.04, y = -0.015;
    rigid pose[BODIES];
    snCordNode node[MOST_NODES];
    make(&e, SN_WRAP_CYLINDER, 1, half);
    still(pose);
    e.point[1].at = v3_of(x, y, 0);
    double rho = hypot(x, y), tangent = sqrt(rho * rho - R * R), theta = 2 * (SN_PI / 2 + atan2(-y, x));
    flat = 2 * tangent + R * (theta - 2 * acos(R / rho));
    assert_near(length_at(&e.cord, pose), flat, 1e-14);
    e.point[0].at.z = e.point[1].at.z = aside;
    int32_t n = sn_cord_place(&e.cord, pose, node, &length);
    assert_int_equal(n, 7);
    assert_near(length, 2 * hypot(flat / 2, aside - half), 1e-13);
    assert_near(node[3].p.z, half, 1e-15);
    assert_near(node[3].p.y, R, 1e-10);
    /* the wall pushes with twice the sine of the angle to the unrolled cylinder, and nothing pushes along */
    v3 push = v3_sub(node[3].t, node[3].arrive);
    assert_near(push.z, 2 * (aside - half) / (length / 2), 1e-9);
    assert_near(push.x, 0, 1e-12);
    e.wrap.ngate = 0; /* set free, it runs straight over the cylinder */
    assert_near(length_at(&e.cord, pose), flat, 1e-14);
}

/* Every other point between the walls makes the way longer: the least of l(a, x) + l(x, b) over a grid of the gate. */
static void no_way_between_the_walls_is_shorter(void **state)
{
    (void)state;
    unsigned seed = 5;
    int leaning = 0;
    for (int i = 0; i < 200; ++i) {
        Example e;
        snWrapKind kind = i % 2 ? SN_WRAP_SPHERE : SN_WRAP_CYLINDER;
        make(&e, kind, 1, 0.0015);
        rigid pose[BODIES];
        for (int b = 0; b < BODIES; ++b) pose[b] = pose_aside(&seed, 0.25, 0.005);
        snCordNode node[MOST_NODES];
        double length, least = INFINITY;
        int lifted = 0;
        int32_t n = sn_cord_place(&e.cord, pose, node, &length);
        leaning += leant_on(&e, pose, n, node, &lifted);
        /* two cords that end at the same point of body 1 */
        snCordWrap plain = e.wrap;
        plain.ngate = 0;
        for (int c = 0; c < 31 * 40; ++c) {
            double z = 0.0015 * (2.0 * (c % 31) / 30 - 1), top = kind == SN_WRAP_SPHERE ? sqrt(R * R - z * z) : R;
            v3 x = {0, top * (1 + 1e-10) + 0.012 * pow(c / 31 / 39.0, 2), z};
            snCordPoint before[2] = {e.point[0], {.slot = 1, .wrap = -1, .at = x}};
            snCordPoint behind[2] = {{.slot = 1, .wrap = 0, .at = x}, e.point[1]};
            snCord half[2] = {e.cord, e.cord};
            half[0].point = before, half[1].point = behind, half[0].wrap = half[1].wrap = &plain;
            least = fmin(least, length_at(&half[0], pose) + length_at(&half[1], pose));
        }
        assert_true(length < least + 1e-12);
        assert_near(length, least, 2e-5); /* the grid is 0.1 mm apart */
    }
    assert_true(leaning > 80);
}

static void gradient_at(const Example *e, const rigid *pose, double *g, int *leaning)
{
    snCordNode node[MOST_NODES];
    double length;
    int lifted = 0;
    int32_t n = sn_cord_place(&e->cord, pose, node, &length);
    sn_cord_gradient(&e->cord, pose, n, node, g);
    *leaning = leant_on(e, pose, n, node, &lifted) + 10 * (lifted > 0);
}

/* An end goes aside and up: through touching walls, leaving them and lifting off. In steps half as long all changes of
 * dl/dv are smaller: by half where nothing happens, by the root of it where something is touched. */
static void forces_are_continuous(void **state)
{
    (void)state;
    heavy_case();
    for (int kind = 0; kind < KINDS; ++kind) {
        double jump[2] = {0, 0};
        int events = 0;
        for (int fine = 0; fine < 2; ++fine) {
            int steps = fine ? 64000 : 4000, last = -1;
            double before[6 * BODIES] = {0};
            for (int i = 0; i <= steps; ++i) {
                Example e;
                make(&e, (snWrapKind)kind, 2, 0.001);
                rigid pose[BODIES];
                still(pose);
                double u = 1.0 * i / steps;
                pose[2].p = v3_of(0, 0.05 * u, 0.004 * sin(9 * u));
                pose[0].p = v3_of(0, 0.02 * sin(5 * u), 0.003 * sin(4 * u));
                double g[6 * BODIES];
                int leaning;
                gradient_at(&e, pose, g, &leaning);
                if (!fine && last >= 0 && leaning != last) ++events;
                jump[fine] = fmax(jump[fine], change_of(g, before, i == 0));
                last = leaning;
            }
        }
        print_message(
            "%s: %d times walls are touched, left or left below; largest change of dl/dv in a step %.1e, in one "
            "of a sixteenth %.1e\n",
            kind ? "sphere" : "cylinder", events, jump[0], jump[1]);
        assert_true(events > 4);
        assert_at_most(jump[1], 0.3 * jump[0]);
    }
}

/* A wall needs something to stand on. */
static void walls_beside_the_wrap_are_refused(void **state)
{
    (void)state;
    snCordWrap ball = {.kind = SN_WRAP_SPHERE, .radius = R};
    snCordGate gate = {.at = {0, R, 0}, .aside = {0, 0, 1}, .out = {0, 1, 0}, .half = 0.9 * R};
    assert_true(sn_cord_gate_stand(&ball, &gate));
    assert_near(gate.low[0], sqrt(1 - 0.81) * R - R, 1e-9 * R);
    assert_near(gate.low[1], gate.low[0], 1e-15);
    gate.half = 1.1 * R;
    assert_false(sn_cord_gate_stand(&ball, &gate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_change_of_length),    cmocka_unit_test(a_cylinder_in_closed_form),
        cmocka_unit_test(no_way_between_the_walls_is_shorter), cmocka_unit_test(forces_are_continuous),
        cmocka_unit_test(walls_beside_the_wrap_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
