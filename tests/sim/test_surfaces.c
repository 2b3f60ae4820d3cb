/* Path strands over patches and meshes: weights over drums of several shapes against the closed form, what is
 * refused, and what stops a run. */
#include "sim/drums.h"
#include "sim/rig.h"
#include "sim/rope.h"

#include "sim/paths.h"

#include <math.h>
#include <string.h>

enum { AROUND = 11 };
static const double G = 9.81, R = DRUM_RADIUS;
static const double half[3] = {0.01, 0.01, 0.01}, nowhere[3] = {0, 0, 0};
static const double MASS[2] = {0.15, 0.2};

/* Two weights over a drum; the one on the right hangs `aside` out of the plane of the drum. */
static Rig weights(Drum drum, double h, double aside)
{
    double left[3] = {-R, -0.3, 0}, right[3] = {R, -0.3, aside};
    snVia via[AROUND + 2] = {{.p = {-R, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "left"}};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    sn_build_body(&b, "left", left, NULL, half, MASS[0]);
    sn_build_body(&b, "right", right, NULL, half, MASS[1]);
    add_drum(&b, drum);
    via[AROUND + 1] = (snVia){.p = {R, -0.3, aside}, .kind = SN_VIA_FIXED, .on = "right"};
    for (int i = 0; i < AROUND; ++i) {
        double at = SN_PI * (1 - i / (AROUND - 1.0));
        via[i + 1] = (snVia){.p = {R * cos(at), R * sin(at), 0}};
    }
    via[AROUND / 2 + 1].kind = SN_VIA_SURFACE, via[AROUND / 2 + 1].on = "drum";
    snPath path = {.via = via, .nvia = AROUND + 2, .npoint = 60};
    snStrandDef def = rope_def(2 * MASS[0] * MASS[1] * G / (MASS[0] + MASS[1]));
    sn_build_strand(&b, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    return rig_of(sn_build_end(&b), sim);
}

/* Against x'' = (dm + 2 line x) G / all, as in test_paths.c. */
static double speed_error(Rig r, double time)
{
    const snCord *cord = &r.m->cord[0].cord;
    double line = cord->line_mass, all = MASS[0] + MASS[1] + line * cord->tendon_rest;
    double start = (MASS[1] - MASS[0]) * G / all, w = sqrt(2 * line * G / all), expected = start / w * sinh(w * time);
    rig_run(&r, time);
    double speed = 0.5 * (r.s->velocity[6 * 1 + 4] - r.s->velocity[6 * 2 + 4]);
    rig_drop(&r);
    return speed / expected - 1;
}

static void weights_fall_as_without_friction(void **state)
{
    (void)state;
    static const char *name[] = {"closed form", "patch", "patch with a groove", "mesh with a groove"};
    for (Drum drum = CLOSED_FORM; drum <= MESH; ++drum) {
        double error = speed_error(weights(drum, 0.004, 0), 0.3);
        print_message("weights over a drum, %s, h = 4 ms: %+.3f %%\n", name[drum], 100 * error);
        assert_near(error, 0, drum == MESH ? 0.02 : 0.005);
    }
}

/* Where the rope crosses the top of the drum, along its axis. */
static double aside_of(const Rig *r)
{
    const snCordNode *node = r->s->cord_node;
    return r->s->cord_nnode[0] == 4 ? 0.5 * (node[1].p.z + node[2].p.z) : NAN;
}

/* A weight that swings out of the plane drags the rope along a plain drum; a groove keeps it. */
static void a_groove_confines_the_rope(void **state)
{
    (void)state;
    double most[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        Rig r = weights(k ? GROOVE : PATCH, 0.004, 0);
        for (int i = 0; i < 100; ++i) {
            r.s->velocity[6 * 2 + 5] = 0.05; /* dragged at 50 mm/s */
            rig_run(&r, r.s->h);
            most[k] = fmax(most[k], fabs(aside_of(&r)));
        }
        rig_drop(&r);
    }
    print_message("dragged sideways by 20 mm, the rope moves by %.1f mm on a plain drum, %.2f mm in a groove\n",
                  1e3 * most[0], 1e3 * most[1]);
    assert_true(most[0] > 0.007);
    assert_at_most(most[1], 0.3 * most[0]);
}

/* The rope is dragged over the rim of a patch that is too short: the run says so. */
static void an_edge_stops_the_run(void **state)
{
    (void)state;
    Rig r = weights(PATCH, 0.004, 0);
    snError error = {0};
    snStatus status = SN_OK;
    for (int i = 0; i < 600 && status == SN_OK; ++i) {
        for (int b = 1; b < 3; ++b) r.s->velocity[6 * b + 5] = 0.05, r.s->velocity[6 * b + 4] = 0;
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        status = sn_check_gaps(r.s, &error);
    }
    assert_int_equal(status, SN_DIVERGED);
    print_message("%s\n", error.message);
    assert_non_null(strstr(error.message, "edge of a surface"));
    rig_drop(&r);
}

/* A rope over the drum with its ends at two places of the frame. */
static snSpec *small_rope(Drum drum, double half_length, v3 from, v3 to)
{
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    if (drum == MESH)
        add_mesh(&b, drum);
    else
        add_patch(&b, drum, half_length);
    snVia via[] = {{.p = {from.x, from.y, from.z}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0, R + 0.001, 0.5 * (from.z + to.z)}, .kind = SN_VIA_SURFACE, .on = "drum"},
                   {.p = {to.x, to.y, to.z}, .kind = SN_VIA_FIXED, .on = "frame"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 30};
    snStrandDef def = rope_def(1);
    sn_build_strand(&b, &def, &path);
    return sn_build_end(&b);
}

static void bad_surfaces_are_refused(void **state)
{
    (void)state;
    assert_refused(small_rope(PATCH, 0.02, v3_of(-0.06, 0, 0), v3_of(0.01, 0.01, 0)), "inside the surface", "rope");
    assert_refused(small_rope(PATCH, 0.004, v3_of(-0.06, 0, 0.03), v3_of(0.06, 0, -0.03)), "leaves its edge", "rope");
    assert_refused(small_rope(GROOVE, 0.02, v3_of(-0.001, 0.035, -0.06), v3_of(0.001, 0.035, 0.06)), "edge", "rope");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_fall_as_without_friction),
        cmocka_unit_test(a_groove_confines_the_rope),
        cmocka_unit_test(an_edge_stops_the_run),
        cmocka_unit_test(bad_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
