/* Path strands: tension along a rope, weights over eyelets and a cylinder against the closed form, forces against the
 * energy, the response against re-solving, a finger at several steps, and what is refused. */
#include "sim/rig.h"
#include "sim/rope.h"

#include "sim/paths.h"

#include <math.h>
#include <stdlib.h>

static const double G = 9.81;
static const double half[3] = {0.01, 0.01, 0.01};

/* ---- weights ---------------------------------------------------------------------------------- */

enum { LEFT = 0, RIGHT = 1 };
static const double MASS[2] = {0.15, 0.2};

typedef struct Atwood {
    Rig rig;
    double rope, line; /* kg, kg/m */
} Atwood;

static void add_weights(snBuild *b, double x, double y)
{
    double left[3] = {-x, y, 0}, right[3] = {x, y, 0}, nowhere[3] = {0, 0, 0};
    sn_build_body(b, "frame", nowhere, NULL, half, 0);
    sn_build_body(b, "left", left, NULL, half, MASS[LEFT]);
    sn_build_body(b, "right", right, NULL, half, MASS[RIGHT]);
}

static double equilibrium(void)
{
    return 2 * MASS[LEFT] * MASS[RIGHT] * G / (MASS[LEFT] + MASS[RIGHT]);
}

static Atwood finish(snBuild *b, const snVia *via, int32_t n, double h)
{
    snPath path = {.via = via, .nvia = n, .npoint = 60};
    snStrandDef def = rope_def(equilibrium());
    sn_build_strand(b, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    Atwood a = {.rig = rig_of(sn_build_end(b), sim)};
    const snCord *cord = &a.rig.m->cord[0].cord;
    a.line = cord->line_mass, a.rope = a.line * cord->tendon_rest;
    return a;
}

/* Over `count` eyelets that turn the rope by 180 degrees in all. */
static Atwood over_eyelets(int count, double h)
{
    snVia via[12] = {0};
    double x = 0, y = 0, turn = SN_PI / count, angle = SN_PI / 2, px[12], py[12];
    for (int i = 0; i < count; ++i) { /* a polygon that starts and ends upright */
        px[i] = x, py[i] = y;
        angle -= turn;
        x += 0.04 * cos(angle), y += 0.04 * sin(angle);
    }
    double middle = px[count - 1] / 2;
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    add_weights(&b, middle, -0.3);
    via[0] = (snVia){.p = {-middle, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "left"};
    via[count + 1] = (snVia){.p = {middle, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "right"};
    for (int i = 0; i < count; ++i)
        via[i + 1] = (snVia){.p = {px[i] - middle, py[i], 0}, .kind = SN_VIA_SLIDING, .on = "frame"};
    return finish(&b, via, count + 2, h);
}

static Atwood over_cylinder(double h)
{
    double centre[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, r = 0.03;
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    add_weights(&b, r, -0.3);
    sn_build_cylinder(&b, "drum", "frame", centre, axis, r, 0.05);
    snVia via[23] = {0};
    via[0] = (snVia){.p = {-r, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "left"};
    via[22] = (snVia){.p = {r, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "right"};
    for (int i = 0; i <= 20; ++i) {
        double at = SN_PI * (1 - i / 20.0);
        via[i + 1] = (snVia){.p = {r * cos(at), r * sin(at), 0}};
    }
    via[11].kind = SN_VIA_SURFACE, via[11].on = "drum";
    return finish(&b, via, 23, h);
}

/* Speed after `time` against the closed form of two weights and a rope that is heavier on one side the further it has
 * gone: x'' = (dm + 2 line x) G / all. Relative error. */
static double speed_error(Atwood a, double time)
{
    rig_run(&a.rig, time);
    double all = MASS[LEFT] + MASS[RIGHT] + a.rope, start = (MASS[RIGHT] - MASS[LEFT]) * G / all;
    double w = sqrt(2 * a.line * G / all), expected = start / w * sinh(w * time);
    double speed = 0.5 * (a.rig.s->velocity[6 * 1 + 4] - a.rig.s->velocity[6 * 2 + 4]);
    rig_drop(&a.rig);
    return speed / expected - 1;
}

static void weights_fall_as_without_friction(void **state)
{
    (void)state;
    static const int count[] = {2, 3, 4, 6};
    static const double step[] = {0.004, 0.002, 0.001};
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            double error = speed_error(over_eyelets(count[i], step[k]), 0.3);
            print_message("weights over %d eyelets of %d degrees, h = %g ms: %+.3f %%\n", count[i], 180 / count[i],
                          1e3 * step[k], 100 * error);
            assert_near(error, 0, 0.005);
        }
    for (int k = 0; k < 3; ++k) {
        double error = speed_error(over_cylinder(step[k]), 0.3);
        print_message("weights over a cylinder of 30 mm, h = %g ms: %+.3f %%\n", 1e3 * step[k], 100 * error);
        assert_near(error, 0, 0.005);
    }
}

/* ---- one tension ------------------------------------------------------------------------------ */

static void add_held(snBuild *b, const char *name, double x, double y)
{
    snBodyDef def = sn_default_body_def();
    def.name = name, def.kinematic = true, def.mass = 1;
    def.position[0] = x, def.position[1] = y, def.rotation[0] = 1;
    assert_int_equal(sn_add_body(b->spec, &def, NULL), SN_OK);
}

/* A weight of 20 N on a rope of tendon through one eyelet that turns it; the other end is moved in steps of 0.5 mm and
 * all is left to rest. rms of the tension at the held end over the weight, less one. */
static double rest_ratio(double degrees, double *worst)
{
    double a = SN_DEG * (degrees - 90), x = -0.2 * cos(a), y = -0.2 * sin(a), nowhere[3] = {0, 0, 0};
    double hangs[3] = {0, -0.2, 0}, sum = 0;
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    sn_build_body(&b, "weight", hangs, NULL, half, 20 / G);
    add_held(&b, "hold", x, y);
    snVia via[] = {{.p = {x, y, 0}, .kind = SN_VIA_FIXED, .on = "hold"},
                   {.p = {0, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                   {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 60};
    snStrandDef def = rope_def(20);
    def.density = 1, def.damping = 0.02; /* its own weight counts, and would show */
    sn_build_strand(&b, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004;
    Rig r = rig_of(sn_build_end(&b), sim);
    double turn[4] = {1, 0, 0, 0};
    *worst = 0;
    for (int i = 1; i <= 24; ++i) {
        double d = 1 + 0.0005 * i / 0.2, to[3] = {x * d, y * d, 0};
        assert_int_equal(sn_move_body(r.m, r.s, 2, to, turn), SN_OK);
        rig_run(&r, 1.5);
        double off = v3_len(v3_load(r.s->out_origin)) / 20 - 1;
        sum += off * off / 24;
        *worst = fmax(*worst, fabs(off));
    }
    rig_drop(&r);
    return sqrt(sum);
}

static void a_rope_has_one_tension_anywhere(void **state)
{
    (void)state;
    static const double angle[] = {30, 45, 60, 90};
    for (int i = 0; i < 4; ++i) {
        double worst, rms = rest_ratio(angle[i], &worst);
        print_message("rope of 180 MPa over %g degrees: tension ratio off by %.5f %% rms, %.5f %% at worst\n", angle[i],
                      100 * rms, 100 * worst);
        assert_at_most(rms, 1e-3);
    }
}

/* ---- a finger --------------------------------------------------------------------------------- */

static Rig finger(double h, double stiffness)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    return rig_of(sn_scene_path_finger(stiffness), sim);
}

static double ramp(double t, double from, double to)
{
    return fmin(fmax((t - from) / (to - from), 0), 1);
}

static void drive_finger(Rig *r, double t)
{
    r->s->activation[0] = 0.5 * ramp(t, 0, 0.1) - 0.3 * ramp(t, 0.3, 0.4);
    r->s->activation[1] = 0.15 + 0.3 * ramp(t, 0.3, 0.4);
}

enum { SAMPLES = 75, FINE = 16 * SAMPLES + 16 }; /* every 8 ms; every 0.5 ms of the truth */

static v3 tip(const Rig *r)
{
    rigid two = r->s->body[2];
    return rigid_apply(two, v3_of(0.015, 0, 0));
}

static void run_finger(double h, double every, int count, v3 *at, double *tension)
{
    Rig r = finger(h, 1e8);
    int steps = (int)(every / h + 0.5);
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < steps; ++k) {
            drive_finger(&r, r.s->time + h);
            rig_run(&r, h);
        }
        at[i] = tip(&r), tension[i] = r.s->out_tension[0];
    }
    rig_drop(&r);
}

/* A step moves bodies with the velocity at its end, so that they are half a step ahead of their time. */
static void a_finger_moves_alike_at_any_step(void **state)
{
    (void)state;
    static const double step[] = {0.008, 0.004, 0.002, 0.001};
    static v3 truth[FINE], at[SAMPLES];
    static double force[FINE], tension[SAMPLES];
    run_finger(0.0001, 0.0005, FINE, truth, force);
    for (int k = 0; k < 4; ++k) {
        double tip2 = 0, now2 = 0, force2 = 0, size2 = 0;
        int ahead = (int)(step[k] / 0.001 + 0.5); /* half a step, in samples */
        run_finger(step[k], 0.008, SAMPLES, at, tension);
        for (int i = 0; i < SAMPLES; ++i) {
            int now = 16 * (i + 1) - 1;
            tip2 += v3_len2(v3_sub(at[i], truth[now + ahead])) / SAMPLES;
            now2 += v3_len2(v3_sub(at[i], truth[now])) / SAMPLES;
            double off = tension[i] - force[now];
            force2 += off * off, size2 += force[now] * force[now];
        }
        print_message("finger, h = %g ms: tip off by %.3f mm rms (%.3f without the half step), tension by %.2f %%\n",
                      1e3 * step[k], 1e3 * sqrt(tip2), 1e3 * sqrt(now2), 100 * sqrt(force2 / size2));
        if (step[k] > 0.004) continue;
        assert_at_most(sqrt(tip2), 1e-3);
        assert_at_most(sqrt(force2 / size2), 0.005);
    }
}

/* Activations that jump from none to all and back, soft and stiff tendons, up to steps of 20 ms. */
static void jumps_of_activation_stay_stable(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; ++stiff)
        for (double h = 0.002; h < 0.021; h += 0.003) {
            Rig r = finger(h, stiff ? 1.2e9 : 1e8);
            for (int i = 0; i < (int)(1 / h); ++i) {
                r.s->activation[0] = i / 10 % 2, r.s->activation[1] = i / 7 % 2;
                assert_int_equal(sn_step(r.m, r.s), SN_OK);
                for (int e = 0; e < 18; ++e) assert_true(fabs(r.s->velocity[e]) < 200);
            }
            rig_drop(&r);
        }
}

/* ---- what a controller is told ------------------------------------------------------------------ */

static double response_error(snSolver solver)
{
    Rig first = finger(0.004, 1e8);
    snSimDef sim = sn_default_sim_def();
    sim.step = 0.004, sim.solver = solver;
    sn_state_destroy(first.s);
    assert_int_equal(sn_state_create(first.m, &sim, &first.s, NULL), SN_OK);
    first.s->activation[0] = 0.3, first.s->activation[1] = 0.2;
    rig_run(&first, 0.1);
    double off = rig_response_error(&first, 2);
    rig_drop(&first);
    return off;
}

static void response_is_what_the_step_does(void **state)
{
    (void)state;
    for (int solver = 0; solver < 2; ++solver) {
        double off = response_error(solver ? SN_SOLVER_PLAIN : SN_SOLVER_STRAND);
        print_message("response against the step: off by %.1e of the largest velocity\n", off);
        assert_at_most(off, 1e-8);
    }
}

/* ---- the state -------------------------------------------------------------------------------- */

static void a_saved_state_goes_on_bit_for_bit(void **state)
{
    (void)state;
    Rig r = finger(0.004, 1e8);
    r.s->activation[0] = 0.4;
    rig_run(&r, 0.1);
    rig_goes_on_after_loading(&r, 0);
    rig_drop(&r);
}

/* The curve keeps its number of points, begins and ends where it is held, and is about as long as the path. */
static void curves_keep_their_points(void **state)
{
    (void)state;
    Rig r = finger(0.004, 1e8);
    for (int i = 0; i < 40; ++i) {
        drive_finger(&r, r.s->time);
        rig_run(&r, 0.012);
        const double *q = r.s->point + 3 * r.m->strand_pointadr[0];
        double drawn = sn_strand_length(&r.m->strand[0], q);
        assert_near(drawn / r.s->out_length[0], 1, 0.04); /* it cuts corners */
        v3 end = rigid_apply(r.s->body[2], r.m->constraint[r.m->strand_constraintadr[1] - 1].point);
        assert_at_most(v3_dist(v3_load(q + 3 * (r.m->strand[0].n - 1)), end), 1e-9);
    }
    rig_drop(&r);
}

/* ---- what is refused -------------------------------------------------------------------------- */

static snSpec *small_rope(const snVia *via, int32_t n, const snStrandDef *def)
{
    double nowhere[3] = {0, 0, 0}, hangs[3] = {0, -0.2, 0}, axis[3] = {0, 0, 1};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    sn_build_body(&b, "weight", hangs, NULL, half, 1);
    sn_build_cylinder(&b, "drum", "frame", nowhere, axis, 0.05, 0.05);
    snPath path = {.via = via, .nvia = n, .npoint = 30};
    sn_build_strand(&b, def, &path);
    return sn_build_end(&b);
}

static void bad_paths_are_refused(void **state)
{
    (void)state;
    snStrandDef def = rope_def(1), broken = def;
    snVia twice[] = {{.p = {-0.2, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                     {.p = {0, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                     {.p = {0.00005, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                     {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    assert_refused(small_rope(twice, 4, &def), "coincides with", "rope");
    snVia loose[] = {{.p = {-0.2, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                     {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    assert_refused(small_rope(loose, 2, &def), "must be fixed to bodies", "rope");
    snVia inside[] = {{.p = {-0.2, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                      {.p = {-0.1, 0.06, 0}, .kind = SN_VIA_SURFACE, .on = "drum"},
                      {.p = {0, 0.04, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                      {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    assert_refused(small_rope(inside, 4, &def), "inside the surface", "rope");
    snVia plain[] = {{.p = {-0.2, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                     {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    broken.rest_scale = -1;
    assert_refused(small_rope(plain, 2, &broken), "rest_scale", "rope");
}

/* A muscle pulled through its eyelet until the belly is in it. */
static void a_belly_in_an_eyelet_is_told(void **state)
{
    (void)state;
    double nowhere[3] = {0, 0, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    add_held(&b, "hand", 0.05, 0);
    snVia via[] = {{.p = {-0.1, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                   {.p = {0.05, 0, 0}, .kind = SN_VIA_FIXED, .on = "hand"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 30, .belly = 0.08};
    snStrandDef def = rope_def(0);
    def.name = "muscle", def.belly_end = 1;
    sn_build_strand(&b, &def, &path);
    Rig r = rig_of(sn_build_end(&b), sn_default_sim_def());
    double to[3] = {0.05, 0, 0}, turn[4] = {1, 0, 0, 0};
    snError error = {0};
    snStatus status = SN_OK;
    for (int i = 0; i < 200 && status == SN_OK; ++i) {
        to[0] += 0.0005;
        assert_int_equal(sn_move_body(r.m, r.s, 1, to, turn), SN_OK);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        status = sn_check_gaps(r.s, &error);
    }
    assert_int_equal(status, SN_DIVERGED);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "muscle"));
    assert_non_null(strstr(error.message, "its belly is"));
    rig_drop(&r);
}

/* A muscle that lifts a weight at a constant speed pulls with what the force-velocity law leaves: the speed at which it
 * settles is that of the law, whatever the step. */
static double lifting_speed(double h)
{
    double nowhere[3] = {0, 0, 0}, hangs[3] = {0, -0.3, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, h);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    sn_build_body(&b, "weight", hangs, NULL, half, 1);
    snVia via[] = {{.p = {0, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    snPath path = {.via = via, .nvia = 2, .npoint = 20};
    snStrandDef def = rope_def(0);
    def.name = "muscle", def.belly_end = 1, def.stiffness = 1, def.active_fl = "constant", def.max_force = 2 * G;
    def.max_velocity = 3, def.damping = 0, def.density = 1e-3;
    sn_build_strand(&b, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    Rig r = rig_of(sn_build_end(&b), sim);
    r.s->activation[0] = 1;
    rig_run(&r, 0.6);
    double speed = r.s->velocity[6 + 4];
    rig_drop(&r);
    return speed;
}

static void a_muscle_lifts_as_fast_as_hill_says(void **state)
{
    (void)state;
    /* (1 - u) / (1 + 4 u) = 1/2 at u = 1/6 of the largest speed: 3 lengths of 0.3 m a second */
    double expected = 3 * 0.3 / 6;
    static const double step[] = {0.004, 0.001};
    for (int k = 0; k < 2; ++k) {
        double speed = lifting_speed(step[k]);
        print_message("half the largest force, h = %g ms: lifts at %.4f m/s, Hill %.4f\n", 1e3 * step[k], speed,
                      expected);
        assert_near(speed / expected, 1, 2e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_fall_as_without_friction), cmocka_unit_test(a_rope_has_one_tension_anywhere),
        cmocka_unit_test(a_finger_moves_alike_at_any_step), cmocka_unit_test(jumps_of_activation_stay_stable),
        cmocka_unit_test(response_is_what_the_step_does),   cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
        cmocka_unit_test(curves_keep_their_points),         cmocka_unit_test(bad_paths_are_refused),
        cmocka_unit_test(a_belly_in_an_eyelet_is_told),     cmocka_unit_test(a_muscle_lifts_as_fast_as_hill_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
