/* Path strands that `lateral` confines sideways: a rope that is dragged stays between its bounds, weights over it fall
 * as without friction, both ends pull alike; and what is refused. */
#include "sim/drums.h"
#include "sim/rope.h"

#include "sim/paths.h"

#include <math.h>
#include <stdio.h>

enum { AROUND = 11, MOST = 12 };
static const double G = 9.81, R = DRUM_RADIUS;
static const double half[3] = {0.01, 0.01, 0.01}, nowhere[3] = {0, 0, 0};
static const double MASS[2] = {0.15, 0.2};

static void confine(snSpec *spec, const char *name, double position, double lateral)
{
    snConstraintDef def = sn_default_constraint_def();
    def.name = name, def.type = SN_CONSTRAINT_SURFACE, def.strand = "rope", def.attachment = "drum";
    def.position = position, def.equality = SN_INEQUAL, def.lateral = lateral;
    assert_int_equal(sn_add_constraint(spec, &def, NULL), SN_OK);
}

/* Two weights over a drum, and gates evenly over its upper half. */
static snSpec *weights_spec(Drum drum, int ngate, double lateral)
{
    double left[3] = {-R, -0.3, 0}, right[3] = {R, -0.3, 0};
    snVia via[AROUND + 2] = {{.p = {-R, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "left"}};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    sn_build_body(&b, "left", left, NULL, half, MASS[0]);
    sn_build_body(&b, "right", right, NULL, half, MASS[1]);
    add_drum(&b, drum);
    via[AROUND + 1] = (snVia){.p = {R, -0.3, 0}, .kind = SN_VIA_FIXED, .on = "right"};
    for (int i = 0; i < AROUND; ++i) {
        double at = SN_PI * (1 - i / (AROUND - 1.0));
        via[i + 1] = (snVia){.p = {R * cos(at), R * sin(at), 0}};
    }
    via[AROUND / 2 + 1].kind = SN_VIA_SURFACE, via[AROUND / 2 + 1].on = "drum";
    snPath path = {.via = via, .nvia = AROUND + 2, .npoint = 60};
    snStrandDef def = rope_def(2 * MASS[0] * MASS[1] * G / (MASS[0] + MASS[1]));
    sn_build_strand(&b, &def, &path);
    snSpec *spec = sn_build_end(&b);
    for (int i = 0; i < ngate; ++i) {
        char name[20];
        snprintf(name, sizeof name, "gate%d", i);
        confine(spec, name, 0.5 + (ngate > 1 ? 0.05 * (2.0 * i / (ngate - 1) - 1) : 0), lateral);
    }
    return spec;
}

static Rig weights(Drum drum, double h, double aside, int ngate, double lateral)
{
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    Rig r = rig_of(weights_spec(drum, ngate, lateral), sim);
    for (int b = 1; b < 3; ++b) r.s->body[b].p.z += aside;
    return r;
}

static int32_t stops(const Rig *r)
{
    int32_t count = 0;
    for (int32_t k = 0; k < r->s->cord_nnode[0]; ++k) count += r->s->cord_node[k].gate > 0;
    return count;
}

/* Against x'' = (dm + 2 line x) G / all, as in test_paths.c. */
static void weights_fall_as_without_friction(void **state)
{
    (void)state;
    static const Drum drums[] = {CLOSED_FORM, BALL, ELLIPSOID, PATCH, PLAIN_MESH};
    static const char *name[] = {"drum", "ball", "n ellipsoid", "drum that is a patch", "drum that is a mesh"};
    for (int d = 0; d < 5; ++d)
        for (int ngate = 1; ngate <= 3; ngate += 2) {
            bool closed_form = drums[d] == CLOSED_FORM || drums[d] == BALL;
            int steps = closed_form ? 75 : 15; /* geodesics take longer */
            if (drums[d] == PLAIN_MESH && ngate > 1) continue;
            Rig r = weights(drums[d], 0.004, 0.006, ngate, drums[d] == ELLIPSOID ? 5e-4 : 1e-3);
            const snCord *cord = &r.m->cord[0].cord;
            double line = cord->line_mass, all = MASS[0] + MASS[1] + line * cord->tendon_rest, time = 0.004 * steps;
            double start = (MASS[1] - MASS[0]) * G / all, w = sqrt(2 * line * G / all),
                   expected = start / w * sinh(w * time), ratio = 0;
            int32_t least = MOST;
            for (int i = 0; i < steps; ++i) {
                for (int b = 1; b < 3; ++b) r.s->velocity[6 * b + 5] = 0; /* they would swing back */
                rig_run(&r, r.s->h);
                if (stops(&r) < least) least = stops(&r);
                double ends[2] = {v3_len(v3_load(r.s->out_origin)), v3_len(v3_load(r.s->out_insertion))};
                ratio = fmax(ratio, fabs(ends[1] / ends[0] - 1));
            }
            double speed = 0.5 * (r.s->velocity[6 * 1 + 4] - r.s->velocity[6 * 2 + 4]);
            print_message("weights over a%s%s, held aside, %d gates (leaning on at least %d), h = 4 ms: %+.3f %%; ends "
                          "pull alike to %.1e\n",
                          drums[d] == ELLIPSOID ? "" : " ", name[d], ngate, (int)least, 100 * (speed / expected - 1),
                          ratio);
            assert_true(least >= 1);
            assert_near(speed / expected - 1, 0, 0.02);
            assert_at_most(ratio, 1e-3);
            rig_drop(&r);
        }
}

/* Places of the rope between the first and the last gate: how far out of the middle. */
static double widest(const Rig *r, double across)
{
    const snPathCord *k = &r->m->cord[0];
    rigid pose[SN_CORD_BODIES];
    double most = 0, length = r->s->cord_length[0];
    sn_cord_poses(k, r->s->body, pose);
    for (int i = 0; i <= 400; ++i) {
        v3 p = sn_cord_point(&k->cord, pose, r->s->cord_nnode[0], r->s->cord_node, length * i / 400);
        if (p.y > 0 && fabs(p.x) < across) most = fmax(most, fabs(p.z));
    }
    return most;
}

static void a_rope_that_is_dragged_stays_between_its_bounds(void **state)
{
    (void)state;
    double most[3] = {0, 0, 0}, leant[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        Rig r = weights(k == 2 ? PATCH : CLOSED_FORM, 0.004, 0, k ? 3 : 0, 0.001);
        for (int i = 0; i < (k == 2 ? 50 : 100); ++i) {
            for (int b = 1; b < 3; ++b) r.s->velocity[6 * b + 5] = k == 2 ? 0.1 : 0.05; /* dragged at 50 mm/s, or 100 */
            rig_run(&r, r.s->h);
            if (k < 2 || i % 5 == 4) most[k] = fmax(most[k], widest(&r, 0.018));
        }
        leant[k] = stops(&r);
        rig_drop(&r);
    }
    print_message(
        "dragged sideways by 20 mm, the rope moves by %.1f mm on a plain drum, %.6f mm between bounds of 1 mm, %.6f mm "
        "on a patch\n",
        1e3 * most[0], 1e3 * most[1], 1e3 * most[2]);
    assert_true(most[0] > 0.015 && leant[1] > 1 && leant[2] > 1);
    for (int k = 1; k < 3; ++k) assert_near(most[k], 0.001, k == 1 ? 1e-8 : 1e-6);
}

/* Forces of the constraints do the work that the rope's tension does on the frame. */
static void check_power(Drum drum)
{
    Rig r = weights(drum, 0.004, 0.006, 3, 0.001);
    double velocity[6] = {0.3, -0.2, 0.5, 0.1, 0.2, -0.4}, g[6 * SN_CORD_BODIES], sum = 0, direct = 0;
    rigid pose[SN_CORD_BODIES];
    const snPathCord *k = &r.m->cord[0];
    rig_run(&r, 0.02);
    sn_cord_poses(k, r.s->body, pose);
    sn_cord_gradient(&k->cord, pose, r.s->cord_nnode[0], r.s->cord_node, g);
    for (int e = 0; e < 6 * k->cord.nslot; ++e)
        if (k->body[e / 6] == 0) direct -= r.s->cord_tension[0] * g[e] * velocity[e % 6];
    for (int32_t c = 0; c < r.m->nconstraint; ++c)
        if (r.m->constraint[c].body == 0) sum += sn_paths_power(r.m, r.s, c, velocity);
    assert_true(fabs(direct) > 0.01 && stops(&r) > 0);
    assert_near(sum, direct, 1e-9);
    rig_goes_on_after_loading(&r, 0);
    rig_drop(&r);
}

static void power_of_constraints_is_that_of_the_rope(void **state)
{
    (void)state;
    check_power(CLOSED_FORM);
    check_power(PATCH);
}

/* Drawn over the top of the drum, and both ends far to the right of it. */
static snSpec *detour(void)
{
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0);
    sn_build_body(&b, "frame", nowhere, NULL, half, 0);
    add_drum(&b, CLOSED_FORM);
    snVia via[] = {{.p = {0.06, 0.04, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0, R + 0.001, 0}},
                   {.p = {0.06, 0.06, 0}, .kind = SN_VIA_FIXED, .on = "frame"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 30};
    snStrandDef def = rope_def(1);
    sn_build_strand(&b, &def, &path);
    snSpec *spec = sn_build_end(&b);
    confine(spec, "detour", 0.45, 0.001);
    return spec;
}

static void bad_bounds_are_refused(void **state)
{
    (void)state;
    assert_refused(weights_spec(CLOSED_FORM, 1, 0), "no room between its bounds", "gate0");
    assert_refused(weights_spec(BALL, 1, 0.04), "too far apart", "gate0");
    assert_refused(weights_spec(CLOSED_FORM, SN_CORD_GATES + 1, 0.001), "more than eight", "gate8");
    assert_refused(weights_spec(ELLIPSOID, 1, 0.06), "too far apart", "gate0");
    assert_refused(weights_spec(PATCH, 1, 0.021), "too far apart", "gate0"); /* past its edge */
    snSpec *spec = weights_spec(CLOSED_FORM, 1, 0.001);
    confine(spec, "hanging", 0.05, 0.001); /* on the straight piece, far from the drum */
    assert_refused(spec, "too far from it", "hanging");
    assert_refused(detour(), "does not pass between", "detour");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_fall_as_without_friction),
        cmocka_unit_test(a_rope_that_is_dragged_stays_between_its_bounds),
        cmocka_unit_test(power_of_constraints_is_that_of_the_rope),
        cmocka_unit_test(bad_bounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
