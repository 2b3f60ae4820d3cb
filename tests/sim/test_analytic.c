/* The simulator against closed forms: catenary, string, pendulum, isometric force. */
#include "sim/measure.h"
#include "sim/rig.h"

static void cable_hangs_as_a_catenary(void **state)
{
    (void)state;
    Rig r = rig_scene("cable", 0.004);
    rig_run(&r, 4);
    double c = sn_scene_catenary(), top = c * cosh(SN_SCENE_CABLE_SPAN / (2 * c)), worst = 0;
    const snStrand *st = &r.m->strand[0];
    for (int k = 0; k <= 400; ++k) {
        v3 p = sn_strand_point(st, r.s->point, sn_strand_parameter(st, k / 400.0), NULL, NULL);
        double y = c * cosh((p.x - SN_SCENE_CABLE_SPAN / 2) / c) - top;
        worst = fmax(worst, fabs(p.y - y));
    }
    double weight = 1000 * SN_PI * 0.001 * 0.001 * 9.81;
    double end = weight * sqrt(c * c + SN_SCENE_CABLE_LENGTH * SN_SCENE_CABLE_LENGTH / 4);
    double got = v3_len(v3_load(r.s->out_origin));
    print_message("catenary: shape %.3f mm, end force %+.4f %%\n", 1e3 * worst, 100 * (got / end - 1));
    assert_at_most(worst, 0.3e-3);
    assert_near(got / end, 1, 4e-4);
    rig_drop(&r);
}

/* Half a period between two passages of the middle through rest, over many periods. */
static void string_vibrates_at_its_frequency(void **state)
{
    (void)state;
    Rig r = rig_scene("string", 0.25e-3);
    const snStrand *st = &r.m->strand[0];
    r.s->def.gravity_scale = 0;
    rig_run(&r, 0.5);
    double length = SN_SCENE_STRING_LENGTH, rest_y = r.s->point[3 * (st->n / 2) + 1];
    for (int32_t i = 0; i < st->n; ++i) r.s->point[3 * i + 1] += 1e-4 * sin(SN_PI * r.s->point[3 * i] / length);
    int crossings = 0;
    double first = 0, last = 0, before = 1;
    for (int i = 0; i < 8000 && crossings < 41; ++i) {
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        double y = r.s->point[3 * (st->n / 2) + 1] - rest_y;
        if (y * before < 0) {
            double at = r.s->time - r.s->h * y / (y - before);
            if (crossings++ == 0) first = at;
            last = at;
        }
        before = y;
    }
    assert_true(crossings >= 11);
    double period = 2 * (last - first) / (crossings - 1);
    double tension = v3_len(v3_load(r.s->out_origin)), mass = 0;
    for (int32_t i = 0; i < st->n; ++i)
        for (int32_t k = 0; k < 4 && i + k < st->n; ++k) mass += (k ? 2 : 1) * st->mass[4 * i + k];
    double expected = 2 * length * sqrt(mass / length / tension);
    print_message("string: frequency %+.3f %% over %d crossings\n", 100 * (expected / period - 1), crossings);
    assert_near(expected / period, 1, 0.005);
    rig_drop(&r);
}

/* Period of a physical pendulum from 90 degrees: 4 K(sin 45) / omega0, and its energy. */
static void pendulum_keeps_time_and_energy(void **state)
{
    (void)state;
    Rig r = rig_scene("pendulum", 0.001);
    double length = SN_SCENE_PENDULUM_LENGTH, half = length / 2, thick = 0.005;
    double inertia = (length * length + 4 * thick * thick) / 12 + half * half; /* of a box of 1 kg, about its end */
    double elliptic = 1.85407467730137191843;                                  /* K(1/sqrt 2) */
    double expected = 4 * elliptic * sqrt(inertia / (9.81 * half)), before = 1, first = 0, last = 0;
    int crossings = 0;
    snEnergy e0 = sn_energy(r.m, r.s);
    for (int i = 0; i < 4000; ++i) {
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        double swing = r.s->out_position[3]; /* of the rod's middle, sideways from the hinge */
        if (before * swing < 0) {
            double at = r.s->time - r.s->h * swing / (swing - before);
            if (crossings++ == 0) first = at;
            last = at;
        }
        before = swing;
    }
    double period = 2 * (last - first) / (crossings - 1);
    snEnergy e1 = sn_energy(r.m, r.s);
    double drop = 9.81 * half, lost = (e1.kinetic + e1.potential - e0.kinetic - e0.potential) / drop;
    print_message("pendulum: period %+.4f %%, energy %+.3f %% in 4 s\n", 100 * (period / expected - 1), 100 * lost);
    assert_near(period / expected, 1, 3e-5);
    assert_near(lost, 0, 5e-3);
    rig_drop(&r);
}

/* A muscle held at both ends pulls with what its laws say, with and without a tendon in series. */
static void isometric_force(void **state)
{
    (void)state;
    for (int with_tendon = 0; with_tendon < 2; ++with_tendon) {
        snBuild b = sn_build_begin();
        double at[3] = {0, 0, 0}, half[3] = {0.01, 0.01, 0.01};
        sn_build_model(&b, 0, 0);
        sn_build_body(&b, "frame", at, NULL, half, 0);
        snVia via[] = {{.p = {0, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                       {.p = {0.3, 0, 0}, .kind = SN_VIA_FIXED, .on = "frame"}};
        snPath path = {.via = via, .nvia = 2, .npoint = 30, .belly = with_tendon ? 0.12 : 0.3};
        snStrandDef def = sn_default_strand_def();
        def.name = "muscle", def.active_fl = "constant", def.radius = 0.004, def.max_force = 100, def.stiffness = 1e6;
        sn_build_strand(&b, &def, &path);
        snSimDef sim = sn_default_sim_def();
        sim.gravity_scale = 0;
        Rig r = rig_of(sn_build_end(&b), sim);
        r.s->activation[0] = 0.4;
        rig_run(&r, 4);
        /* In equilibrium the tension is uniform; the strains it causes add up to no change of length. */
        const snStrand *st = &r.m->strand[0];
        double low = 0, high = 100;
        for (int i = 0; i < 100; ++i) {
            double t = 0.5 * (low + high), change = 0;
            for (int32_t g = 0; g < st->ngauss; ++g) {
                const snGauss *p = &st->gauss[g];
                double passive = t - 0.4 * p->active;
                change += p->weight * passive / (passive < 0 ? p->slack : p->passive);
            }
            if (change > 0)
                high = t;
            else
                low = t;
        }
        double got = r.s->out_tension[0];
        print_message("isometric%s: %.6f N, expected %.6f N, %+.1e\n", with_tendon ? " with tendon" : "", got, low,
                      got / low - 1);
        assert_near(got / low, 1, 1e-4);
        rig_drop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cable_hangs_as_a_catenary),
        cmocka_unit_test(string_vibrates_at_its_frequency),
        cmocka_unit_test(pendulum_keeps_time_and_energy),
        cmocka_unit_test(isometric_force),
    };
    return cmocka_run_group_tests_name("sim.analytic", tests, NULL, NULL);
}
