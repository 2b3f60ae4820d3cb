/* How a relaxed hand lies, and what is reached when only some joints are asked for. */
#include "analysis/clinical_group.h"

#include "analysis/patient.h"
#include "sim/tree_sim.h"

static void lie(snPatient *p, double *pose)
{
    double unbalanced = 1;
    assert_int_equal(sn_rest(p, NULL, pose, &unbalanced), SN_OK);
    assert_at_most(unbalanced, 1e-6); /* N m: a joint would move by 0.005 deg */
    sn_patient_destroy(p);
}

static snPatient *nerve(const char *name)
{
    return with(1, &(snChange){.kind = SN_CHANGE_NERVE, .name = name});
}

/* The same from a fist, at another step: it is where the hand lies, not where the search ended. */
static void a_fist_that_lets_go_lies_there_too(void **state)
{
    (void)state;
    double pose[HAND_Q], away = 0;
    lie(with(0, NULL), pose);
    snPatient *p = with(0, NULL);
    snTreeSim *sim = sn_patient_sim(p);
    assert_non_null(sim);
    sim->h = 1.0 / 480;
    fist(m, sim->q);
    sn_patient_drive(p, m->skeleton->unit_tone, sim);
    for (int i = 0; i < 20 * 480; ++i) assert_int_equal(sn_treesim_step(sim), SN_OK);
    for (int k = 0; k < HAND_Q; ++k) away = fmax(away, fabs(sim->q[k] - pose[k]) / SN_DEG);
    print_message("rest from straight and from a fist: %.4f deg apart\n", away);
    assert_at_most(away, 0.01);
    sn_treesim_destroy(sim);
    sn_patient_destroy(p);
}

static void palsies_are_seen_at_rest(void **state)
{
    (void)state;
    double healthy[HAND_Q], low[HAND_Q], high[HAND_Q], median[HAND_Q], radial[HAND_Q];
    lie(with(0, NULL), healthy), lie(nerve("ulnar-low"), low), lie(nerve("ulnar-high"), high);
    lie(nerve("median-low"), median), lie(nerve("radial"), radial);
    print_message("at rest: MCP %.0f %.0f %.0f %.0f, PIP %.0f %.0f %.0f %.0f deg\n", angle(m, healthy, "mcp2.f"),
                  angle(m, healthy, "mcp3.f"), angle(m, healthy, "mcp4.f"), angle(m, healthy, "mcp5.f"),
                  angle(m, healthy, "pip2"), angle(m, healthy, "pip3"), angle(m, healthy, "pip4"),
                  angle(m, healthy, "pip5"));
    print_message("ring finger MCP, PIP, DIP: healthy %.0f %.0f %.0f, ulnar low %.0f %.0f %.0f, high %.0f %.0f %.0f\n",
                  angle(m, healthy, "mcp4.f"), angle(m, healthy, "pip4"), angle(m, healthy, "dip4"),
                  angle(m, low, "mcp4.f"), angle(m, low, "pip4"), angle(m, low, "dip4"), angle(m, high, "mcp4.f"),
                  angle(m, high, "pip4"), angle(m, high, "dip4"));
    for (int f = 2; f <= 5; ++f) {
        char mcp[8], pip[8];
        (void)snprintf(mcp, sizeof mcp, "mcp%d.f", f), (void)snprintf(pip, sizeof pip, "pip%d", f);
        assert_at_most(30, angle(m, healthy, mcp));
        assert_at_most(20, angle(m, healthy, pip));
    }
    assert_at_most(angle(m, low, "mcp4.f"), angle(m, healthy, "mcp4.f") - 5); /* claw */
    assert_at_most(angle(m, healthy, "pip4") + 5, angle(m, low, "pip4"));
    assert_at_most(angle(m, high, "pip4") + angle(m, high, "dip4"), angle(m, low, "pip4") + angle(m, low, "dip4") - 5);
    assert_at_most(angle(m, median, "cmc1.ab"), angle(m, healthy, "cmc1.ab") - 10); /* ape hand */
    assert_at_most(angle(m, healthy, "mcp3.f") + 5, angle(m, radial, "mcp3.f"));    /* finger drop */
}

/* Paralysis takes tone but not passive pull: with no tone at all a palsy lies like a healthy hand. */
static void only_tone_is_lost(void **state)
{
    (void)state;
    double none[HAND_U] = {0}, a[HAND_Q], b[HAND_Q], tone[HAND_U] = {[0] = 2};
    snPatient *healthy = with(0, NULL), *ulnar = nerve("ulnar-low");
    assert_int_equal(sn_rest(healthy, none, a, NULL), SN_OK);
    assert_int_equal(sn_rest(ulnar, none, b, NULL), SN_OK);
    for (int k = 0; k < HAND_Q; ++k) assert_near(a[k], b[k], 0);
    assert_int_equal(sn_rest(healthy, tone, a, NULL), SN_BAD_INPUT);
    assert_int_equal(sn_rest(NULL, NULL, a, NULL), SN_BAD_ARGUMENT);
    sn_patient_destroy(healthy), sn_patient_destroy(ulnar);
    snPatient *fused = with(1, &(snChange){.kind = SN_CHANGE_FUSE, .name = "pip3", .value = 70});
    lie(fused, a);
    assert_near(angle(m, a, "pip3"), 70, 1e-9);
}

/* All coordinates asked for is sn_nearest; one alone is reached at least as well, and the others go their way. */
static void one_joint_is_asked_for(void **state)
{
    (void)state;
    double q[HAND_Q] = {0}, all[HAND_Q], one[HAND_Q], activation[HAND_U];
    bool asked[HAND_Q];
    snNearest a = {.pose = all, .activation = activation}, b = {.pose = one, .activation = activation};
    for (int k = 0; k < HAND_Q; ++k) asked[k] = true;
    snPatient *p = nerve("posterior-interosseous");
    bend(m, q, "wrist.f", -40);
    assert_int_equal(sn_nearest(p, q, &a), SN_OK);
    assert_int_equal(sn_attempt(p, q, asked, &b), SN_OK);
    assert_memory_equal(all, one, sizeof all);
    for (int k = 0; k < HAND_Q; ++k) asked[k] = strcmp(m->coord_name[k], "wrist.flexion") == 0;
    assert_int_equal(sn_attempt(p, q, asked, &b), SN_OK);
    print_message("posterior interosseous, wrist -40 asked for: %.1f deg, %.1f radial; with straight fingers %.1f\n",
                  angle(m, one, "wrist.f"), angle(m, one, "wrist.d"), angle(m, all, "wrist.f"));
    assert_at_most(angle(m, one, "wrist.f"), angle(m, all, "wrist.f") - 10);
    assert_string_equal(m->coord_name[b.worst], "wrist.flexion");
    assert_near(b.rms, b.error, 1e-12);
    assert_at_most(b.unbalanced, 2e-3);
    sn_patient_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fist_that_lets_go_lies_there_too),
        cmocka_unit_test(palsies_are_seen_at_rest),
        cmocka_unit_test(only_tone_is_lost),
        cmocka_unit_test(one_joint_is_asked_for),
    };
    return cmocka_run_group_tests_name("analysis.rest", tests, set_up, tear_down);
}
