/* Paths that meet in free junctions: three weights on a rope that forks against Lami, a rope of three strands against
 * one, a finger with a branching extensor hood at several steps, what a controller is told, states that are saved,
 * memory, and what is refused. */
#include "sim/knot_rig.h"

#include "base/alloc.h"
#include "build.h"

#include <math.h>
#include <stdlib.h>

static const double G = 9.81;
static const double half[3] = {0.01, 0.01, 0.01};

static void add_rope(snBuild *b, const char *name, const snVia *via, int32_t n)
{
    snStrandDef def = sn_default_strand_def();
    def.name = name, def.kind = SN_STRAND_PATH;
    def.radius = 0.001, def.tendon_stiffness = 1e9, def.density = 1;
    def.belly_start = def.belly_end = 0, def.mass_damping = 0, def.damping = 0.02;
    snPath path = {.via = via, .nvia = n, .npoint = 30};
    sn_build_strand(b, &def, &path);
}

static snBuild begin(int32_t nweight, const double place[][3], const double *mass)
{
    static const char *const name[] = {"a", "b", "c"};
    double nowhere[3] = {0, 0, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    for (int32_t i = 0; i < nweight; ++i) sn_build_body(&b, name[i], place[i], NULL, half, mass[i]);
    return b;
}

/* Weights of 150, 200 and 250 g over three eyelets, their ropes tied together in the middle. The third rope is held by
 * the other two. */
static snSpec *tied_ropes(void)
{
    static const double mass[] = {0.15, 0.2, 0.25};
    static const double place[][3] = {{0.3, -0.3, 0}, {-0.3, -0.3, 0}, {0, -0.5, 0}};
    static const snVia one[] = {{.p = {0, 0, 0}, .kind = SN_VIA_JOINED, .on = "third"},
                                {.p = {0.18, 0.135, 0.0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                {.p = {0.3, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "a"}};
    static const snVia two[] = {{.p = {0, 0, 0}, .kind = SN_VIA_JOINED, .on = "third"},
                                {.p = {-0.15, 0.12, 0.03}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                {.p = {-0.3, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "b"}};
    static const snVia three[] = {{.p = {0, 0, 0}, .kind = SN_VIA_FREE},
                                  {.p = {0.01, -0.2, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                  {.p = {0, -0.5, 0}, .kind = SN_VIA_FIXED, .on = "c"}};
    snBuild b = begin(3, place, mass);
    add_rope(&b, "first", one, 3);
    add_rope(&b, "second", two, 3);
    add_rope(&b, "third", three, 3);
    return sn_build_end(&b);
}

/* Slowed down until it hangs still. */
static void calm(Rig *r, double seconds)
{
    int64_t n = (int64_t)(seconds / r->s->h + 0.5);
    for (int64_t i = 0; i < n; ++i) {
        for (int e = 6; e < 6 * r->m->nbody; ++e) r->s->velocity[e] *= 0.98;
        assert_int_equal(sn_step(r->m, r->s), SN_OK);
    }
}

/* The node of a rope at the junction. */
static const snCordNode *s_node(const Rig *r, int32_t cord)
{
    return r->s->cord_node + r->m->cord[cord].node;
}

static void three_weights_hang_at_the_angles_of_lami(void **state)
{
    (void)state;
    static const double angle[3] = {90, 143.13010235415598, 126.86989764584402};
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(tied_ropes(), sim);
    assert_int_equal(r.m->nknot, 1);
    assert_int_equal(r.m->ncord, 3);
    calm(&r, 8);
    for (int i = 0; i < 3; ++i) {
        const snCordNode *a = s_node(&r, i), *b = s_node(&r, (i + 1) % 3);
        double is = acos(v3_dot(a->t, b->t)) * 180 / SN_PI, T = r.s->cord_tension[i];
        print_message("%.5f N, %.5f degrees\n", T, is);
        assert_near(is / angle[i], 1, 1e-3);
        assert_near(T / (G * (0.15 + 0.05 * i)), 1, 1e-3);
    }
    rig_drop(&r);
}

/* ---- in a row --------------------------------------------------------------------------------- */

/* 200 and 150 g over two eyelets, on one rope or on three that are tied together between the eyelets. */
static snSpec *weights_on(bool tied)
{
    static const double mass[] = {0.2, 0.15};
    static const double place[][3] = {{-0.2, -0.3, 0}, {0.2, -0.3, 0}};
    static const snVia one[] = {{.p = {-0.2, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "a"},
                                {.p = {-0.2, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                {.p = {0.2, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                {.p = {0.2, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "b"}};
    static const snVia first[] = {{.p = {-0.2, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "a"},
                                  {.p = {-0.2, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                  {.p = {-0.03, 0, 0}, .kind = SN_VIA_JOINED, .on = "middle"}};
    static const snVia middle[] = {{.p = {-0.03, 0, 0}, .kind = SN_VIA_FREE}, {.p = {0.03, 0, 0}, .kind = SN_VIA_FREE}};
    static const snVia last[] = {{.p = {0.03, 0, 0}, .kind = SN_VIA_JOINED, .on = "middle"},
                                 {.p = {0.2, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                 {.p = {0.2, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "b"}};
    snBuild b = begin(2, place, mass);
    if (tied) {
        add_rope(&b, "first", first, 3);
        add_rope(&b, "middle", middle, 2);
        add_rope(&b, "last", last, 3);
    } else {
        add_rope(&b, "rope", one, 4);
    }
    return sn_build_end(&b);
}

static double speed_after(bool tied, double seconds, double *tension)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(weights_on(tied), sim);
    rig_run(&r, seconds);
    double v = r.s->velocity[6 + 4];
    for (int i = 0; i < r.m->ncord; ++i) tension[i] = r.s->cord_tension[i];
    rig_drop(&r);
    return v;
}

static void a_tied_rope_lets_weights_fall_as_one(void **state)
{
    (void)state;
    double T[3], one[1], plain = speed_after(false, 0.2, one), v = speed_after(true, 0.2, T);
    double exact = -G * 0.05 / 0.35 * 0.2, pull = 2 * 0.2 * 0.15 / 0.35 * G;
    print_message("%.6f m/s, one rope %.6f, exact %.6f; %.5f, %.5f, %.5f N, exact %.5f\n", v, plain, exact, T[0], T[1],
                  T[2], pull);
    assert_near(v / exact, 1, 0.005);
    for (int i = 0; i < 3; ++i) assert_near(T[i] / pull, 1, 0.005);
}

/* ---- over a drum -------------------------------------------------------------------------------- */

/* The same weights over a drum of 100 mm, their ropes tied together on its top. */
static snSpec *weights_over_a_drum(void)
{
    static const double mass[] = {0.2, 0.15}, nowhere[3] = {0, 0, 0}, axis[3] = {0, 0, 1};
    static const double place[][3] = {{-0.1, -0.3, 0}, {0.1, -0.3, 0}};
    static const snVia left[] = {{.p = {-0.1, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "a"},
                                 {.p = {-0.102, 0, 0}, .kind = SN_VIA_FREE},
                                 {.p = {-0.072, 0.072, 0}, .kind = SN_VIA_SURFACE, .on = "drum"},
                                 {.p = {0, 0.101, 0}, .kind = SN_VIA_JOINED, .on = "right"}};
    static const snVia right[] = {{.p = {0, 0.101, 0}, .kind = SN_VIA_FREE},
                                  {.p = {0.072, 0.072, 0}, .kind = SN_VIA_SURFACE, .on = "drum"},
                                  {.p = {0.102, 0, 0}, .kind = SN_VIA_FREE},
                                  {.p = {0.1, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "b"}};
    snBuild b = begin(2, place, mass);
    sn_build_cylinder(&b, "drum", "frame", nowhere, axis, 0.1, 0.1);
    add_rope(&b, "left", left, 4);
    add_rope(&b, "right", right, 4);
    return sn_build_end(&b);
}

static void a_knot_slides_over_a_drum(void **state)
{
    (void)state;
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(weights_over_a_drum(), sim);
    assert_true(r.m->knot[0].knot.floor[0].slot >= 0);
    rig_run(&r, 0.2);
    v3 p = v3_load(r.s->junction_s);
    double v = r.s->velocity[6 + 4], exact = -G * 0.05 / 0.35 * 0.2, pull = 2 * 0.2 * 0.15 / 0.35 * G;
    print_message("%.6f m/s, exact %.6f; %.5f, %.5f N, exact %.5f; knot at %.4f, %.4f m, %.4f m from the axis\n", v,
                  exact, r.s->cord_tension[0], r.s->cord_tension[1], pull, p.x, p.y, hypot(p.x, p.y));
    assert_near(hypot(p.x, p.y), 0.10001, 1e-9);
    assert_true(p.x < -0.02);
    assert_near(v / exact, 1, 0.005);
    for (int i = 0; i < 2; ++i) assert_near(r.s->cord_tension[i] / pull, 1, 0.005);
    rig_drop(&r);
}

/* ---- a hood ----------------------------------------------------------------------------------- */

enum { MUSCLES = 4 }; /* flexor, extensor, lumbrical, interosseous */

static Rig hood(double h, double stiffness)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    return rig_of(sn_scene_path_hood(stiffness), sim);
}

/* Activations are those of the end of a step. */
static void drive(Rig *r)
{
    double t = r->s->time + r->s->h;
    r->s->activation[0] = 0.25 + 0.2 * sin(9 * t);
    r->s->activation[1] = 0.2 + 0.15 * cos(7 * t);
    r->s->activation[2] = 0.5 + 0.4 * sin(11 * t);
    r->s->activation[3] = 0.4 + 0.4 * sin(8 * t);
}

static v3 tip_after(double h, double seconds)
{
    Rig r = hood(h, 1e8);
    while (r.s->time < seconds - 0.5 * h) drive(&r), assert_int_equal(sn_step(r.m, r.s), SN_OK);
    v3 tip = rigid_apply(r.s->body[2], v3_of(0.015, 0, 0));
    rig_drop(&r);
    return tip;
}

static void a_finger_with_a_hood_moves_alike_at_any_step(void **state)
{
    (void)state;
    v3 best = tip_after(0.00025, 0.8), fine = tip_after(0.001, 0.8), coarse = tip_after(0.004, 0.8);
    print_message("tip off by %.3f mm at 4 ms, %.3f at 1 ms\n", 1e3 * v3_dist(coarse, best), 1e3 * v3_dist(fine, best));
    assert_at_most(v3_dist(coarse, best), 1.5e-3);
    assert_at_most(v3_dist(fine, best), 0.5e-3);
}

static void jumps_of_activation_stay_stable(void **state)
{
    (void)state;
    static const int period[] = {10, 9, 8, 7};
    for (double h = 0.002; h < 0.021; h += 0.006)
        for (int stiff = 0; stiff < 2; ++stiff) assert_stable(hood(h, stiff ? 1.2e9 : 1e8), period);
}

static void response_is_what_the_step_does(void **state)
{
    (void)state;
    assert_told_as_it_is(hood(0.004, 1e8));
}

/* At rest: free junctions take no force, so that the constraints to bodies do all that the cords do, but for what the
 * lumbrical pulls across the flexor. */
static void power_of_constraints_is_that_of_the_cords(void **state)
{
    (void)state;
    Rig r = hood(0.004, 1e8);
    double cords, held, across;
    rig_pull(&r, 4);
    find_power(&r, &cords, &held, &across);
    print_message("power of the cords %.6f W, of their constraints %.6f W\n", cords, held + across);
    assert_near(held + across, cords, 1e-6 * fabs(cords));
    rig_drop(&r);
}

/* Strands that meet are drawn to the same point. */
static void curves_end_in_their_junction(void **state)
{
    (void)state;
    Rig r = hood(0.004, 1e8);
    for (int k = 0; k < MUSCLES; ++k) r.s->activation[k] = 0.2 + 0.1 * k;
    rig_run(&r, 0.3);
    int32_t radial = sn_find(r.m, SN_ITEM_STRAND, "radial"), ulnar = sn_find(r.m, SN_ITEM_STRAND, "ulnar");
    v3 a = v3_load(r.s->point + 3 * r.m->strand_pointadr[radial]),
       b = v3_load(r.s->point + 3 * r.m->strand_pointadr[ulnar]);
    assert_true(v3_dist(a, b) < 1e-12);
    int32_t muscle = sn_find(r.m, SN_ITEM_STRAND, "lumbrical");
    v3 end = v3_load(r.s->point + 3 * (r.m->strand_pointadr[muscle + 1] - 1));
    double nearest = INFINITY;
    for (int i = 0; i <= 1000; ++i) {
        v3 t;
        v3 p = sn_plant_strand_point(r.m, r.s, radial, sn_strand_parameter(&r.m->strand[radial], i / 1000.0), &t);
        nearest = fmin(nearest, v3_dist(p, end));
    }
    print_message("lumbrical drawn %.3f mm from its band\n", 1e3 * nearest);
    assert_at_most(nearest, 0.3e-3); /* the curve rounds the corner there */
    rig_drop(&r);
}

static void a_saved_state_goes_on_bit_for_bit(void **state)
{
    (void)state;
    Rig r = hood(0.004, 1e8);
    r.s->activation[0] = 0.4, r.s->activation[2] = 0.3;
    rig_run(&r, 0.1);
    rig_goes_on_after_loading(&r, 2);
    rig_drop(&r);
}

/* ---- memory ----------------------------------------------------------------------------------- */

static void stepping_allocates_nothing(void **state)
{
    (void)state;
    Rig r = hood(0.004, 1e8);
    int64_t before = sn_alloc_count();
    for (int i = 0; i < 200; ++i) drive(&r), assert_int_equal(sn_step(r.m, r.s), SN_OK);
    assert_int_equal(sn_alloc_count(), before);
    rig_drop(&r);
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    snSpec *spec = sn_scene_path_hood(1e8);
    assert_failures_clean(spec, 5000);
    sn_spec_destroy(spec);
}

/* ---- bad input --------------------------------------------------------------------------------- */

static snSpec *with_another(snSpec *spec, const snVia *via, int32_t n)
{
    snBuild b = {.spec = spec};
    add_rope(&b, "more", via, n);
    return sn_build_end(&b);
}

static void bad_nets_are_refused(void **state)
{
    (void)state;
    snVia line[] = {{.p = {0.1, 0.075, 0}, .kind = SN_VIA_FIXED, .on = "first"},
                    {.p = {0.1, 0.2, 0}, .kind = SN_VIA_FIXED, .on = "frame"}};
    assert_refused(with_another(tied_ropes(), line, 2), "hangs on another path itself", "more");
    snVia loop[] = {{.p = {0.1, 0.075, 0}, .kind = SN_VIA_JOINED, .on = "first"},
                    {.p = {0.1, 0.2, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                    {.p = {0.2, 0.2, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                    {.p = {0.1, 0.075, 0}, .kind = SN_VIA_JOINED, .on = "first"}};
    assert_refused(with_another(tied_ropes(), loop, 4), "begins and ends in that junction", "more");
    snVia held[] = {{.p = {0.3, -0.3, 0}, .kind = SN_VIA_JOINED, .on = "first"},
                    {.p = {0.1, 0.2, 0}, .kind = SN_VIA_FIXED, .on = "frame"}};
    assert_refused(with_another(tied_ropes(), held, 2), "held already", "more");
    snVia open[] = {{.p = {0.1, 0.075, 0}, .kind = SN_VIA_JOINED, .on = "first"},
                    {.p = {0.1, 0.2, 0}, .kind = SN_VIA_FREE}};
    assert_refused(with_another(tied_ropes(), open, 2), "must be fixed", "more");
}

/* A ring of ropes that no body holds. */
static void a_net_hangs_on_something(void **state)
{
    (void)state;
    static const double p[3][3] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}};
    static const char *const name[] = {"one", "two", "three"};
    snBuild b = begin(0, NULL, NULL);
    for (int i = 0; i < 3; ++i) {
        const double *from = p[i], *to = p[(i + 1) % 3];
        snVia via[] = {{.p = {from[0], from[1], 0}, .kind = SN_VIA_FREE},
                       {.p = {to[0], to[1], 0}, .kind = SN_VIA_JOINED, .on = name[(i + 1) % 3]}};
        add_rope(&b, name[i], via, 2);
    }
    assert_refused(sn_build_end(&b), "no end of them is fixed to a body", "one");
}

/* More junctions than a net may have, on a row of ropes. */
static void a_net_has_an_end(void **state)
{
    (void)state;
    snBuild b = begin(0, NULL, NULL);
    char name[12][8];
    for (int i = 0; i < 12; ++i) snprintf(name[i], sizeof name[i], "r%d", i);
    for (int i = 0; i < 12; ++i) {
        snVia via[] = {{.p = {0.1 * i, 0, 0}, .kind = i ? SN_VIA_FREE : SN_VIA_FIXED, .on = "frame"},
                       {.p = {0.1 * (i + 1), 0, 0},
                        .kind = i < 11 ? SN_VIA_JOINED : SN_VIA_FIXED,
                        .on = i < 11 ? name[i + 1] : "frame"}};
        add_rope(&b, name[i], via, 2);
    }
    assert_refused(sn_build_end(&b), "have 11 junctions", "r0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_weights_hang_at_the_angles_of_lami),
        cmocka_unit_test(a_tied_rope_lets_weights_fall_as_one),
        cmocka_unit_test(a_knot_slides_over_a_drum),
        cmocka_unit_test(a_finger_with_a_hood_moves_alike_at_any_step),
        cmocka_unit_test(jumps_of_activation_stay_stable),
        cmocka_unit_test(response_is_what_the_step_does),
        cmocka_unit_test(power_of_constraints_is_that_of_the_cords),
        cmocka_unit_test(curves_end_in_their_junction),
        cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(stepping_allocates_nothing),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(bad_nets_are_refused),
        cmocka_unit_test(a_net_hangs_on_something),
        cmocka_unit_test(a_net_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
