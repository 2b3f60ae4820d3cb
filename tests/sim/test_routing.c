/* Tendons over pulleys and surfaces: tension on both sides, friction, drift, contact forces, sides after settling. */
#include "sim/rig.h"

static double at_end(const double *force)
{
    return v3_len(v3_load(force));
}

static void pulley_has_equal_tension_on_both_sides(void **state)
{
    (void)state;
    Rig r = rig_scene("pulley", 0.004);
    rig_run(&r, 6);
    double wall = 0, weight = 0;
    for (int i = 0; i < 500; ++i) { /* mean over what is left of the bouncing */
        rig_run(&r, 0.004);
        wall += at_end(r.s->out_origin) / 500, weight += at_end(r.s->out_insertion) / 500;
    }
    print_message("pulley at rest: tension ratio %.4f, gap %.1e m\n", wall / weight, r.s->info.worst_gap);
    assert_near(wall / weight, 1, 0.03);
    assert_near(weight, 9.81 * SN_SCENE_PULLEY_LOAD, 3e-5);
    assert_at_most(r.s->info.worst_gap, 1e-9);
    rig_drop(&r);
}

static snId kinematic_body(snBuild *b, const char *name, double x, double y)
{
    snBodyDef def = sn_default_body_def();
    snId id;
    def.name = name, def.kinematic = true, def.mass = 1;
    def.position[0] = x, def.position[1] = y;
    def.rotation[0] = 1;
    assert_int_equal(sn_add_body(b->spec, &def, &id), SN_OK);
    return id;
}

/* A rope drawn over the pulley at 40 mm/s, one hand giving what the other takes: pulled side over giving side. The kink
 * is a little softer on a knot than between two, which gives and takes as the rope passes: the mean is over whole
 * spans. */
static double drawn_ratio(double h, double *drift)
{
    enum { POINTS = 80 };
    double origin[3] = {0, 0, 0}, half[3] = {0.01, 0.01, 0.01}, turn[4] = {1, 0, 0, 0};
    double give[3] = {-0.2, 0, 0}, take[3] = {0, -0.2, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0.2, h);
    sn_build_body(&b, "frame", origin, NULL, half, 0);
    kinematic_body(&b, "give", give[0], give[1]);
    kinematic_body(&b, "take", take[0], take[1]);
    snVia via[] = {{.p = {-0.2, 0, 0}, .kind = SN_VIA_FIXED, .on = "give"},
                   {.p = {0, 0, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                   {.p = {0, -0.2, 0}, .kind = SN_VIA_FIXED, .on = "take"}};
    snPath path = {.via = via, .nvia = 3, .npoint = POINTS};
    snStrandDef def = sn_default_strand_def();
    def.name = "rope", def.radius = 0.002, def.tendon_stiffness = 1e7, def.rest_scale = 0.92, def.damping = 0.001;
    def.belly_start = def.belly_end = 0;
    sn_build_strand(&b, &def, &path);
    snSimDef sim = sn_default_sim_def();
    sim.gravity_scale = 0;
    Rig r = rig_of(sn_build_end(&b), sim);
    double pulled = 0, giving = 0, period = 0.4 / (POINTS - 3) / 0.04;
    int steps = (int)(0.2 / h), mean = (int)(4 * period / h + 0.5);
    *drift = 0;
    for (int i = 0; i < steps + mean; ++i) {
        give[0] += 0.04 * h, take[1] -= 0.04 * h;
        assert_int_equal(sn_move_body(r.m, r.s, sn_find(r.m, SN_ITEM_BODY, "give"), give, turn), SN_OK);
        assert_int_equal(sn_move_body(r.m, r.s, sn_find(r.m, SN_ITEM_BODY, "take"), take, turn), SN_OK);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        *drift = fmax(*drift, r.s->info.worst_gap);
        if (i >= steps) pulled += at_end(r.s->out_insertion), giving += at_end(r.s->out_origin);
    }
    rig_drop(&r);
    return pulled / giving;
}

static void pulley_friction_is_small(void **state)
{
    (void)state;
    static const double step[] = {0.004, 0.002, 0.001};
    for (int k = 0; k < 3; ++k) {
        double drift, ratio = drawn_ratio(step[k], &drift);
        print_message("pulley at 40 mm/s, h = %g ms: tension ratio %.4f, drift %.1e m\n", 1e3 * step[k], ratio, drift);
        assert_at_most(drift, 1e-5);
        assert_near(ratio, 1, 14 * step[k]); /* an error of the step: 0.050, 0.025 and 0.013 */
    }
}

static void crane_joint_does_not_drift(void **state)
{
    (void)state;
    Rig r = rig_scene("crane", 0.004);
    double worst = 0;
    for (int i = 0; i < 500; ++i) {
        rig_run(&r, 0.004);
        for (int32_t k = 0; k < 5; ++k) worst = fmax(worst, fabs(r.s->joint_gap[k]));
    }
    print_message("crane: joint drift %.1e m\n", worst);
    assert_at_most(worst, 3e-6);
    rig_drop(&r);
}

/* A strand drawn tight around a cylinder, 90 degrees of it, held at both ends. Contact points every quarter radius,
 * control points as close: further apart a thin bone would slip between two of them. */
static Rig wrap(double radius, double h)
{
    enum { VIAS = 161 };
    double origin[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, half[3] = {0.01, 0.01, 0.01}, leg = 4 * radius;
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0.3, h);
    sn_build_body(&b, "bone", origin, NULL, half, 0);
    sn_build_cylinder(&b, "wrap", "bone", origin, axis, radius, 0.02);
    snVia via[VIAS] = {0};
    double arc = radius * SN_PI / 2, total = arc + 2 * leg;
    for (int i = 0; i < VIAS; ++i) { /* straight up, a quarter turn over the top, straight down */
        double at = total * i / (VIAS - 1), turn = fmin(fmax((at - leg) / radius, 0), SN_PI / 2),
               a = 0.75 * SN_PI - turn;
        double out = at < leg ? at - leg : at > leg + arc ? at - leg - arc : 0;
        via[i].p[0] = radius * cos(a) + out * sin(a);
        via[i].p[1] = radius * sin(a) - out * cos(a);
    }
    via[0].kind = via[VIAS - 1].kind = SN_VIA_FIXED;
    via[0].on = "bone", via[VIAS - 1].on = "pull";
    kinematic_body(&b, "pull", via[VIAS - 1].p[0], via[VIAS - 1].p[1]);
    snPath path = {.via = via, .nvia = VIAS, .npoint = 42};
    snStrandDef def = sn_default_strand_def();
    def.name = "tendon", def.radius = 0.001, def.tendon_stiffness = 1e8, def.belly_start = def.belly_end = 0;
    def.rest_scale = 0.97;
    sn_build_strand(&b, &def, &path);
    for (int i = -4; i <= 4; ++i) {
        char name[16];
        snId id;
        snConstraintDef c = sn_default_constraint_def();
        snprintf(name, sizeof name, "touch%d", i + 4);
        c.name = name, c.type = SN_CONSTRAINT_SURFACE, c.strand = "tendon", c.attachment = "wrap";
        c.equality = SN_INEQUAL, c.position = 0.5 + 0.25 * radius * i / total;
        assert_int_equal(sn_add_constraint(b.spec, &c, &id), SN_OK);
    }
    snSimDef sim = sn_default_sim_def();
    sim.step = h;
    return rig_of(sn_build_end(&b), sim);
}

static void contact_only_pushes(void **state)
{
    (void)state;
    static const double radius[] = {0.002, 0.003, 0.008};
    for (int k = 0; k < 3; ++k) {
        Rig r = wrap(radius[k], 0.004);
        double least = 0, touching = 0;
        for (int i = 0; i < 250; ++i) {
            rig_run(&r, 0.004);
            for (int32_t c = 0; c < r.m->nconstraint; ++c)
                if (r.m->constraint[c].one_sided) least = fmin(least, r.s->out_force[c]);
        }
        for (int32_t c = 0; c < r.m->nconstraint; ++c)
            touching += r.m->constraint[c].one_sided && r.s->out_force[c] > 0.01;
        double ratio = at_end(r.s->out_origin) / at_end(r.s->out_insertion);
        const snStrand *st = &r.m->strand[0];
        double before = sn_strand_tension(st, r.s->point, 0, sn_strand_parameter(st, 0.15));
        double behind = sn_strand_tension(st, r.s->point, 0, sn_strand_parameter(st, 0.85));
        double top = sn_strand_tension(st, r.s->point, 0, sn_strand_parameter(st, 0.5));
        print_message("wrap of %g mm: least contact force %.3f N, %g points touch, tension ratio of the ends %.4f, "
                      "before and behind %.4f, on top %.4f\n",
                      1e3 * radius[k], least, touching, ratio, before / behind, top / before);
        assert_at_most(-least, 1e-3);
        assert_near(ratio, 1, 1e-9);
        assert_near(before / behind, 1, 1e-9);
        assert_true(touching >= 1);
        rig_drop(&r);
    }
}

/* The same wrap after one end was drawn out by half a radius: the tendon has slid over the bone. */
static void tension_is_even_across_a_tight_wrap(void **state)
{
    (void)state;
    static const double radius[] = {0.002, 0.003};
    for (int k = 0; k < 2; ++k) {
        Rig r = wrap(radius[k], 0.004);
        int32_t body = sn_find(r.m, SN_ITEM_BODY, "pull");
        double at[3], turn[4] = {1, 0, 0, 0}, during = 1, step = 0.5 * radius[k] / 125 * sqrt(0.5);
        memcpy(at, r.s->out_position + 3 * body, sizeof at);
        for (int i = 0; i < 375; ++i) { /* half a second of pulling, one of rest */
            if (i < 125) at[0] += step, at[1] -= step;
            assert_int_equal(sn_move_body(r.m, r.s, body, at, turn), SN_OK);
            assert_int_equal(sn_step(r.m, r.s), SN_OK);
            if (i < 125) during = at_end(r.s->out_insertion) / at_end(r.s->out_origin);
        }
        double rest = at_end(r.s->out_insertion) / at_end(r.s->out_origin);
        print_message("wrap of %g mm, drawn out: tension ratio %.4f while sliding, %.4f at rest\n", 1e3 * radius[k],
                      during, rest);
        assert_near(rest, 1, 0.003);
        rig_drop(&r);
    }
}

static void tendon_stays_on_its_side_at_any_step(void **state)
{
    (void)state;
    static const double step[] = {0.0005, 0.001, 0.002, 0.004, 0.008, 0.016};
    for (int k = 0; k < 6; ++k) {
        Rig r = rig_scene("finger", step[k]);
        double depth;
        rig_run(&r, 0.3);
        assert_int_equal(sn_wrong_side(r.m, r.s, &depth), -1);
        rig_drop(&r);
        r = wrap(0.003, step[k]);
        rig_run(&r, 0.3);
        assert_int_equal(sn_wrong_side(r.m, r.s, &depth), -1);
        rig_drop(&r);
    }
}

/* Drawn on the inside of its cylinder, a strand is refused when it stays there. */
static void wrong_side_is_refused(void **state)
{
    (void)state;
    double origin[3] = {0, 0, 0}, axis[3] = {0, 0, 1}, half[3] = {0.01, 0.01, 0.01};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0.01, 0.004);
    sn_build_body(&b, "bone", origin, NULL, half, 0);
    sn_build_cylinder(&b, "wrap", "bone", origin, axis, 0.05, 0.02);
    snVia via[] = {{.p = {-0.03, 0, 0}, .kind = SN_VIA_FIXED, .on = "bone"},
                   {.p = {0, 0.001, 0}, .kind = SN_VIA_SURFACE, .on = "wrap"},
                   {.p = {0.03, 0, 0}, .kind = SN_VIA_FIXED, .on = "bone"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 12};
    snStrandDef def = sn_default_strand_def();
    def.name = "tendon", def.radius = 0.001, def.belly_start = def.belly_end = 0;
    sn_build_strand(&b, &def, &path);
    snSpec *spec = sn_build_end(&b);
    snModel *m = NULL;
    snState *s = NULL;
    snError error = {0};
    snStatus status = sn_compile(spec, &m, &error);
    if (status == SN_OK) status = sn_state_create(m, NULL, &s, &error);
    assert_int_equal(status, SN_BAD_INPUT);
    assert_null(s);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulley_has_equal_tension_on_both_sides),
        cmocka_unit_test(pulley_friction_is_small),
        cmocka_unit_test(crane_joint_does_not_drift),
        cmocka_unit_test(contact_only_pushes),
        cmocka_unit_test(tension_is_even_across_a_tight_wrap),
        cmocka_unit_test(tendon_stays_on_its_side_at_any_step),
        cmocka_unit_test(wrong_side_is_refused),
    };
    return cmocka_run_group_tests_name("sim.routing", tests, NULL, NULL);
}
