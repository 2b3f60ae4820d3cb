/* Momentum, energy and determinism of whole systems; no allocation while stepping; clean failures. */
#include "sim/measure.h"
#include "sim/rig.h"

#include "base/alloc.h"

/* Two free bodies joined by a strand, spinning about each other, no gravity. */
static Rig pair(double h)
{
    double a[3] = {-0.1, 0, 0}, b[3] = {0.1, 0, 0}, half[3] = {0.02, 0.03, 0.01};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0, h);
    sn_build_body(&build, "a", a, NULL, half, 0.2);
    sn_build_body(&build, "b", b, NULL, half, 0.3);
    snVia via[] = {{.p = {-0.08, 0, 0}, .kind = SN_VIA_FIXED, .on = "a"},
                   {.p = {0.08, 0, 0}, .kind = SN_VIA_FIXED, .on = "b"}};
    snPath path = {.via = via, .nvia = 2, .npoint = 10};
    snStrandDef def = sn_default_strand_def();
    def.name = "rope", def.radius = 0.002, def.tendon_stiffness = 1e6, def.belly_start = def.belly_end = 0;
    sn_build_strand(&build, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.gravity_scale = 0;
    sim.skip_settle = true;
    sim.step = h;
    Rig r = rig_of(sn_build_end(&build), sim);
    for (int32_t k = 0; k < 2; ++k) { /* turn about z with 3 rad/s, drift along x, a little tumbling */
        r.s->velocity[6 * k + 2] = 3, r.s->velocity[6 * k] = 0.2;
        r.s->velocity[6 * k + 3] = 0.1, r.s->velocity[6 * k + 4] = 3 * (k ? 0.1 : -0.1);
    }
    for (int32_t i = 0; i < r.m->npoint; ++i) {
        r.s->pointdot[3 * i] = 0.1;
        r.s->pointdot[3 * i + 1] = 3 * r.s->point[3 * i];
    }
    return r;
}

static double momentum_drift(double h, double *angular)
{
    Rig r = pair(h);
    rig_run(&r, 10 * h); /* past the first steps, in which the constraints close */
    snEnergy e0 = sn_energy(r.m, r.s);
    rig_run(&r, 2);
    snEnergy e1 = sn_energy(r.m, r.s);
    double linear = v3_dist(v3_load(e0.momentum), v3_load(e1.momentum)) / v3_len(v3_load(e0.momentum));
    *angular = e1.angular_momentum[2] / e0.angular_momentum[2] - 1;
    rig_drop(&r);
    return linear;
}

static void momentum_is_kept(void **state)
{
    (void)state;
    double coarse, fine, linear = momentum_drift(0.004, &coarse);
    linear = fmax(linear, momentum_drift(0.002, &fine));
    print_message("two bodies and a strand, 2 s: linear momentum %.1e, angular %+.2f %% -> %+.2f %% for h 4 -> 2 ms\n",
                  linear, 100 * coarse, 100 * fine);
    assert_at_most(linear, 1e-13);
    assert_at_most(fabs(fine), 0.6 * fabs(coarse) + 1e-4);
}

/* Activations that keep everything moving. */
static void drive(Rig *r, int64_t i)
{
    for (int32_t k = 0; k < r->m->nmuscle; ++k) r->s->activation[k] = 0.02 + 0.02 * sin(0.02 * (double)i + k);
}

static uint64_t trajectory(const char *scene, int steps, int32_t threads, snSolver solver, double *point)
{
    snSimDef def = sn_default_sim_def();
    def.threads = threads;
    def.solver = solver;
    Rig r = rig_of(sn_scene(scene), def);
    uint64_t hash = 0;
    for (int i = 0; i < steps; ++i) {
        drive(&r, i);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        uint64_t h = sn_state_hash(r.s);
        hash = sn_hash_bytes(hash, &h, sizeof h);
    }
    if (point) memcpy(point, r.s->point, sizeof(double) * 3 * (size_t)r.m->npoint);
    rig_drop(&r);
    return hash;
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    static const char *const scene[] = {"finger", "hand-synthetic", "sheet"};
    for (int k = 0; k < 3; ++k) {
        uint64_t one = trajectory(scene[k], 50, 1, SN_SOLVER_STRAND, NULL);
        assert_true(one == trajectory(scene[k], 50, 2, SN_SOLVER_STRAND, NULL));
        assert_true(one == trajectory(scene[k], 50, 3, SN_SOLVER_STRAND, NULL));
    }
}

static void solvers_agree(void **state)
{
    (void)state;
    static double a[30000], b[30000];
    static const struct {
        const char *scene;
        int32_t npoint, steps;
    } c[] = {{"finger", 0, 25}, {"hand-synthetic", 54 * 12, 25}, {"sheet", 0, 25}};
    for (int k = 0; k < 3; ++k) {
        memset(a, 0, sizeof a);
        memset(b, 0, sizeof b);
        trajectory(c[k].scene, c[k].steps, 1, SN_SOLVER_STRAND, a);
        trajectory(c[k].scene, c[k].steps, 1, SN_SOLVER_PLAIN, b);
        double worst = 0;
        for (int i = 0; i < 30000; ++i) worst = fmax(worst, fabs(a[i] - b[i]));
        print_message("%s: both solvers agree to %.1e m after %d steps\n", c[k].scene, worst, c[k].steps);
        assert_at_most(worst, 5e-12);
    }
}

static void stepping_allocates_nothing(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    int64_t before = sn_alloc_count();
    for (int i = 0; i < 1000; ++i) {
        drive(&r, i);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
    }
    assert_int_equal(sn_alloc_count(), before);
    rig_drop(&r);
}

static void every_failed_allocation_is_clean(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("crane");
    assert_failures_clean(spec, 2000);
    sn_spec_destroy(spec);
}

/* A velocity that is no number: the step fails, says who, and leaves the state as it was. */
static void divergence_keeps_the_last_good_state(void **state)
{
    (void)state;
    Rig r = rig_scene("crane", 0.004);
    rig_run(&r, 0.02);
    r.s->velocity[6 * (r.m->nbody - 1)] = NAN;
    uint64_t hash = sn_state_hash(r.s);
    double time = sn_time(r.s);
    assert_int_equal(sn_step(r.m, r.s), SN_DIVERGED);
    assert_true(strlen(sn_info(r.s)->culprit) > 0);
    assert_true(sn_state_hash(r.s) == hash);
    assert_near(sn_time(r.s), time, 0);
    rig_drop(&r);
}

static void reset_starts_over(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    uint64_t first = sn_state_hash(r.s), after;
    for (int i = 0; i < 20; ++i) drive(&r, i), assert_int_equal(sn_step(r.m, r.s), SN_OK);
    after = sn_state_hash(r.s);
    assert_int_equal(sn_state_reset(r.m, r.s), SN_OK);
    assert_true(sn_state_hash(r.s) == first);
    for (int i = 0; i < 20; ++i) drive(&r, i), assert_int_equal(sn_step(r.m, r.s), SN_OK);
    assert_true(sn_state_hash(r.s) == after);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_is_kept),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(solvers_agree),
        cmocka_unit_test(stepping_allocates_nothing),
        cmocka_unit_test(every_failed_allocation_is_clean),
        cmocka_unit_test(divergence_keeps_the_last_good_state),
        cmocka_unit_test(reset_starts_over),
    };
    return cmocka_run_group_tests_name("sim.conservation", tests, NULL, NULL);
}
