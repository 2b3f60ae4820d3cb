/* Models at random run for a second at their default step, or fail with a remedy that works when followed; and what a
 * step does that is taken in pieces (sim/retry.c). */
#include "sim/random_run.h"
#include "sim/rig.h"

#include "base/alloc.h"
#include "sim/measure.h"
#include "sim/retry.h"

#include <stdlib.h>

enum { MODELS = 40, FEW = 8 }; /* few under a sanitizer */

static void models_at_random_run(void **state)
{
    (void)state;
    int valid = 0, in_pieces = 0, failed = 0, models = getenv("SINEW_LIGHT") ? FEW : MODELS;
    for (uint64_t seed = 0; seed < (uint64_t)models; ++seed) {
        RandomRun run = random_run(seed, NULL);
        if (!run.valid) continue;
        ++valid, in_pieces += run.most > 1;
        if (run.status == SN_OK) continue;
        ++failed;
        print_message("%d: %s (%s)\n", (int)seed, run.error.message, run.error.remedy);
        assert_true(random_follow_remedy(seed, run) > 0);
    }
    print_message("%d of %d models valid: %d needed smaller steps, %d failed\n", valid, models, in_pieces, failed);
    assert_true(valid > models / 2);
    assert_true(in_pieces > valid / 10);
    assert_true(failed <= 1);
}

/* ---- a step in pieces --------------------------------------------------------------------------- */

/* A bone of 10 g on a hinge, 3 cm from a muscle of 400 N: faster than steps of 4 ms can follow. */
static Rig catapult(double h)
{
    static const double frame[3] = {0, 0, 0}, arm[3] = {0.03, 0, 0}, half[3] = {0.03, 0.004, 0.004};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0.05, 0.004);
    sn_build_body(&b, "frame", frame, NULL, half, 0);
    sn_build_body(&b, "arm", arm, NULL, half, 0.01);
    snJointDef joint = sn_default_joint_def();
    joint.name = "hinge", joint.type = SN_JOINT_TYPE_HINGE, joint.body_a = "frame", joint.body_b = "arm";
    joint.damping[0] = 0.01;
    sn_build_joint(&b, &joint);
    snVia via[] = {{.p = {0, 0.05, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0.05, 0, 0}, .kind = SN_VIA_FIXED, .on = "arm"}};
    snPath path = {.via = via, .nvia = 2, .npoint = 12};
    snStrandDef def = sn_default_strand_def();
    def.name = "muscle", def.radius = 0.003, def.max_force = 400, def.active_fl = "hill-active";
    def.tension_only = true;
    sn_build_strand(&b, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    Rig r = rig_of(sn_build_end(&b), sim);
    r.s->activation[0] = 1;
    return r;
}

static double angle_after(double h, double seconds, int32_t *most)
{
    Rig r = catapult(h);
    *most = 0;
    for (int k = 0; k * h < seconds - 1e-9; ++k) {
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        *most = r.s->info.substeps > *most ? r.s->info.substeps : *most;
    }
    double angle = r.s->out_coordinate[0];
    assert_near(r.s->time, seconds, 1e-12);
    rig_drop(&r);
    return angle;
}

/* What pieces give is what small steps give. */
static void pieces_go_where_small_steps_go(void **state)
{
    (void)state;
    int32_t most, none;
    double fine = angle_after(0.004 / 512, 0.016, &none), coarse = angle_after(0.004, 0.016, &most);
    print_message("after 16 ms: %.4f rad in steps of 8 us, %.4f in steps of 4 ms, up to %d pieces\n", fine, coarse,
                  most);
    assert_int_equal(none, 1);
    assert_true(most > 1);
    assert_true(fabs(fine) > 0.3);
    assert_near(coarse, fine, 0.1 * fabs(fine));
}

static void a_step_in_pieces_allocates_nothing(void **state)
{
    (void)state;
    Rig r = catapult(0.004);
    int64_t before = sn_alloc_count();
    bool pieces = false;
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        pieces |= r.s->info.substeps > 1;
    }
    assert_true(pieces);
    assert_int_equal(sn_alloc_count(), before);
    assert_int_equal(r.s->info.steps, 4);
    rig_drop(&r);
}

/* Forces are those of the last piece, not scaled by its length. */
static void forces_are_those_of_the_step(void **state)
{
    (void)state;
    Rig r = catapult(0.004);
    assert_int_equal(sn_step(r.m, r.s), SN_OK);
    assert_true(r.s->info.substeps > 1);
    double tension = r.s->out_tension[0];
    assert_true(tension > 40 && tension < 600);
    sn_measure(r.m, r.s);
    assert_near(r.s->out_tension[0], tension, 0);
    rig_goes_on_after_loading(&r, 0);
    rig_drop(&r);
}

/* A kinematic body that tears its strand along is where it was told to be, and went there at an even speed. */
static void moved_bodies_arrive(void **state)
{
    (void)state;
    snBuild b = sn_build_begin();
    static const double zero[3] = {0, 0, 0}, below[3] = {0, -0.1, 0}, half[3] = {0.01, 0.01, 0.01};
    sn_build_model(&b, 0.05, 0.004);
    sn_build_body(&b, "frame", zero, NULL, half, 0);
    sn_build_body(&b, "weight", below, NULL, half, 0.002);
    snBodyDef moved = sn_default_body_def();
    moved.name = "hand", moved.kinematic = true;
    assert_int_equal(sn_add_body(b.spec, &moved, NULL), SN_OK);
    snVia via[] = {{.p = {0, 0, 0}, .kind = SN_VIA_FIXED, .on = "hand"},
                   {.p = {0, -0.1, 0}, .kind = SN_VIA_FIXED, .on = "weight"}};
    snPath path = {.via = via, .nvia = 2, .npoint = 12};
    snStrandDef def = sn_default_strand_def();
    def.name = "rope", def.radius = 0.002, def.belly_start = def.belly_end = 0;
    sn_build_strand(&b, &def, &path);
    Rig r = rig_of(sn_build_end(&b), sn_default_sim_def());
    double to[3] = {0, 0.08, 0}, turn[4] = {cos(0.5), 0, 0, sin(0.5)};
    assert_int_equal(sn_move_body(r.m, r.s, 2, to, turn), SN_OK);
    assert_int_equal(sn_step(r.m, r.s), SN_OK);
    assert_true(r.s->info.substeps > 1);
    for (int k = 0; k < 3; ++k) assert_near(r.s->out_position[6 + k], to[k], 1e-15);
    for (int k = 0; k < 4; ++k) assert_near(r.s->out_rotation[8 + k], turn[k], 1e-12);
    assert_near(r.s->out_velocity[7], 0.08 / 0.004, 1e-9);
    assert_near(r.s->out_angular[8], 1 / 0.004, 1e-9);
    rig_drop(&r);
}

/* What no piece is small enough for fails, and the state is where it was. */
static void a_step_that_fails_leaves_the_state(void **state)
{
    (void)state;
    Rig r = catapult(0.004);
    r.s->activation[0] = 0;
    rig_run(&r, 0.02);
    uint64_t hash = sn_state_hash(r.s);
    double time = r.s->time;
    r.s->force[3 + 2] = 1e9;
    assert_int_equal(sn_step(r.m, r.s), SN_DIVERGED);
    assert_non_null(strstr(r.s->info.culprit, "arm"));
    assert_true(sn_state_hash(r.s) == hash);
    assert_near(r.s->time, time, 0);
    assert_near(r.s->h, 0.004, 0);
    r.s->force[3 + 2] = 0;
    assert_int_equal(sn_step(r.m, r.s), SN_OK);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_at_random_run),
        cmocka_unit_test(pieces_go_where_small_steps_go),
        cmocka_unit_test(a_step_in_pieces_allocates_nothing),
        cmocka_unit_test(forces_are_those_of_the_step),
        cmocka_unit_test(moved_bodies_arrive),
        cmocka_unit_test(a_step_that_fails_leaves_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
