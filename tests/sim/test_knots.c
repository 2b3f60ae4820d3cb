/* Paths that begin on other paths: weights on a rope that branches against statics, a finger with a lumbrical on its
 * flexor at several steps, what a controller is told, states that are saved, and what is refused. */
#include "sim/knot_rig.h"

#include "build.h"

#include <math.h>
#include <stdlib.h>

static const double G = 9.81;
static const double half[3] = {0.01, 0.01, 0.01};

static snStrandDef rope_def(const char *name)
{
    snStrandDef def = sn_default_strand_def();
    def.name = name, def.kind = SN_STRAND_PATH;
    def.radius = 0.001, def.tendon_stiffness = 1e7, def.density = 1;
    def.belly_start = def.belly_end = 0, def.mass_damping = 0, def.damping = 0.02;
    return def;
}

static void add_rope(snBuild *b, const char *name, const snVia *via, int32_t n)
{
    snStrandDef def = rope_def(name);
    snPath path = {.via = via, .nvia = n, .npoint = 30};
    sn_build_strand(b, &def, &path);
}

/* A rope down to a weight; another that leaves it at a slope of 3 : 4 and runs down beside it. */
static snSpec *branching_rope(void)
{
    double nowhere[3] = {0, 0, 0}, first[3] = {0, -0.5, 0}, second[3] = {0.03, -0.4, 0};
    static const snVia trunk[] = {{.p = {0, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                                  {.p = {0, -0.2, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                  {.p = {0, -0.5, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    static const snVia branch[] = {{.p = {0, -0.1, 0}, .kind = SN_VIA_FIXED, .on = "trunk"},
                                   {.p = {0.03, -0.14, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                                   {.p = {0.03, -0.4, 0}, .kind = SN_VIA_FIXED, .on = "other"}};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    sn_build_body(&b, "weight", first, NULL, half, 0.2);
    sn_build_body(&b, "other", second, NULL, half, 0.1);
    add_rope(&b, "trunk", trunk, 3);
    add_rope(&b, "branch", branch, 3);
    return sn_build_end(&b);
}

static void weights_hang_on_a_branching_rope(void **state)
{
    (void)state;
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(branching_rope(), sim);
    rig_run(&r, 6);
    const double *T = r.s->cord_tension;
    assert_int_equal(r.m->ncord, 3);
    v3 along = r.s->cord_node[r.m->cord[2].node].t;
    double off[3] = {T[0] - 0.2 * G + along.y * 0.1 * G, T[1] - 0.2 * G, T[2] - 0.1 * G};
    print_message("tensions %.5f, %.5f, %.5f N, off by %.0e, %.0e, %.0e N; branch at %.4f of the trunk's direction\n",
                  T[0], T[1], T[2], off[0], off[1], off[2], -along.y);
    assert_near(T[1], 0.2 * G, 2e-4);
    assert_near(T[2], 0.1 * G, 2e-4);
    assert_near(T[0], 0.2 * G - along.y * 0.1 * G, 2e-4);
    rig_drop(&r);
}

/* What is behind a fixed constraint of a branch is a cord of its own. */
static void a_branch_may_be_fixed_on_its_way(void **state)
{
    (void)state;
    static const snVia more[] = {{.p = {0, -0.05, 0}, .kind = SN_VIA_FIXED, .on = "trunk"},
                                 {.p = {-0.03, -0.14, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                                 {.p = {-0.03, -0.4, 0}, .kind = SN_VIA_FIXED, .on = "third"}};
    double third[3] = {-0.03, -0.4, 0};
    snBuild b = {.spec = branching_rope()};
    sn_build_body(&b, "third", third, NULL, half, 0.15);
    add_rope(&b, "more", more, 3);
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(sn_build_end(&b), sim);
    rig_run(&r, 6);
    int32_t last = r.m->ncord - 1;
    assert_int_equal(r.m->cord[last].knot, -1);
    assert_int_equal(r.m->cord[last - 1].knot, 0);
    assert_near(r.s->cord_tension[last], 0.15 * G, 2e-4);
    rig_drop(&r);
}

/* ---- a finger --------------------------------------------------------------------------------- */

static snSpec *finger_spec(double stiffness)
{
    static const snVia via[] = {{.p = {-0.04, -0.0091, 0}, .kind = SN_VIA_FIXED, .on = "flexor"},
                                {.p = {0.012, -0.004, 0.004}, .kind = SN_VIA_SLIDING, .on = "one"},
                                {.p = {0.038, 0.006, 0.004}, .kind = SN_VIA_SLIDING, .on = "one"},
                                {.p = {0.058, 0.005, 0}, .kind = SN_VIA_FIXED, .on = "two"}};
    snBuild b = {.spec = sn_scene_path_finger(stiffness)};
    snStrandDef def = sn_default_strand_def();
    def.kind = SN_STRAND_PATH, def.radius = 0.001, def.tendon_stiffness = stiffness, def.damping = 0.0015;
    def.passive_fl = "hill-passive", def.active_fl = "hill-active", def.max_force = 1, def.stiffness = 1e6;
    def.name = "lumbrical";
    snPath path = {.via = via, .nvia = 4, .npoint = 30, .belly = 0.05};
    sn_build_strand(&b, &def, &path);
    return sn_build_end(&b);
}

static Rig finger(double h, double stiffness)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    return rig_of(finger_spec(stiffness), sim);
}

static void drive(Rig *r)
{
    double t = r->s->time;
    r->s->activation[0] = 0.25 + 0.2 * sin(9 * t);
    r->s->activation[1] = 0.2 + 0.15 * cos(7 * t);
    r->s->activation[2] = 0.5 + 0.4 * sin(11 * t);
}

static v3 tip_after(double h, double seconds, double *tension)
{
    Rig r = finger(h, 1e8);
    while (r.s->time < seconds - 0.5 * h) drive(&r), assert_int_equal(sn_step(r.m, r.s), SN_OK);
    v3 tip = rigid_apply(r.s->body[2], v3_of(0.015, 0, 0));
    *tension = r.s->cord_tension[1];
    rig_drop(&r);
    return tip;
}

static void a_finger_moves_alike_at_any_step(void **state)
{
    (void)state;
    double T0, T1, T4;
    v3 best = tip_after(0.00025, 0.8, &T0), fine = tip_after(0.001, 0.8, &T1), coarse = tip_after(0.004, 0.8, &T4);
    print_message("tip off by %.3f mm at 4 ms, %.3f at 1 ms; tension behind the junction %.4f, %.4f, %.4f N\n",
                  1e3 * v3_dist(coarse, best), 1e3 * v3_dist(fine, best), T4, T1, T0);
    assert_at_most(v3_dist(coarse, best), 1.5e-3);
    assert_at_most(v3_dist(fine, best), 0.5e-3);
    assert_near(T4 / T0, 1, 0.03);
}

static void jumps_of_activation_stay_stable(void **state)
{
    (void)state;
    static const int period[] = {10, 7, 9};
    for (double h = 0.002; h < 0.021; h += 0.006)
        for (int stiff = 0; stiff < 2; ++stiff) assert_stable(finger(h, stiff ? 1.2e9 : 1e8), period);
}

static void response_is_what_the_step_does(void **state)
{
    (void)state;
    assert_told_as_it_is(finger(0.004, 1e8));
}

/* At rest, what constraints do on the bodies and what the branch pulls across its trunk is all that the cords do. */
static void power_of_constraints_is_that_of_the_cords(void **state)
{
    (void)state;
    Rig r = finger(0.004, 1e8);
    double cords, held, across;
    rig_pull(&r, 4);
    find_power(&r, &cords, &held, &across);
    print_message("power of the cords %.6f W, of their constraints %.6f W, across the trunk %.6f W\n", cords, held,
                  across);
    assert_true(fabs(across) > 1e-3 * fabs(cords));
    assert_near(held + across, cords, 1e-6 * fabs(cords));
    rig_drop(&r);
}

static void a_saved_state_goes_on_bit_for_bit(void **state)
{
    (void)state;
    Rig r = finger(0.004, 1e8);
    r.s->activation[0] = 0.4, r.s->activation[2] = 0.3;
    rig_run(&r, 0.1);
    rig_goes_on_after_loading(&r, 2);
    rig_drop(&r);
}

/* ---- bad input --------------------------------------------------------------------------------- */

static snSpec *with_another(const snVia *via, int32_t n)
{
    snBuild b = {.spec = branching_rope()};
    add_rope(&b, "more", via, n);
    return sn_build_end(&b);
}

static void bad_branches_are_refused(void **state)
{
    (void)state;
    snVia chain[] = {{.p = {0.03, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "branch"},
                     {.p = {0.1, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "frame"}};
    assert_refused(with_another(chain, 2), "hangs on another path itself", "more");
    snVia both[] = {{.p = {0, -0.05, 0}, .kind = SN_VIA_FIXED, .on = "trunk"},
                    {.p = {0.05, -0.1, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                    {.p = {0, -0.15, 0}, .kind = SN_VIA_FIXED, .on = "trunk"}};
    assert_refused(with_another(both, 3), "at one of its ends at most", "more");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_hang_on_a_branching_rope),
        cmocka_unit_test(a_branch_may_be_fixed_on_its_way),
        cmocka_unit_test(a_finger_moves_alike_at_any_step),
        cmocka_unit_test(jumps_of_activation_stay_stable),
        cmocka_unit_test(response_is_what_the_step_does),
        cmocka_unit_test(power_of_constraints_is_that_of_the_cords),
        cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(bad_branches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
