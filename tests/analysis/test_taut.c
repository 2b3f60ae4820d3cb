/* The claw and the tenodesis grip are passive: they need flexors that are stretched in the straight finger. The shipped
 * hand takes its passive forces from the strand hand, where they begin at the end of ordinary motion, and shows neither
 * in full. The same hand with the passive curve of [Tsang 2005], eq. 2, from the optimal length on shows both; nothing
 * else is changed and nothing is fitted. docs/clinical.md says what it costs. */
#include "clinical_case.h"

static snSpec *spec;
static snModel *m;

static int set_up(void **state)
{
    (void)state;
    snClinicalHandDef def = sn_default_clinical_hand_def();
    def.meshes = false, def.taut = true;
    hand_made(def, &spec, &m);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return 0;
}

/* Where a hand with these changes ends up when it tries to be flat. */
static void settle(int32_t n, const snChange *change, double *pose)
{
    double flat[HAND_Q] = {0}, activation[HAND_U + 8];
    snCase *c = sn_case_create("");
    snPatient *p = NULL;
    snNearest near = {.pose = pose, .activation = activation};
    for (int32_t i = 0; i < n; ++i) assert_int_equal(sn_case_add(c, &change[i]), SN_OK);
    assert_int_equal(sn_patient_create(spec, m, c, &p, NULL), SN_OK);
    assert_int_equal(sn_nearest(p, flat, &near), SN_OK);
    sn_patient_destroy(p);
    sn_case_destroy(c);
}

static void ulnar_palsy_claws(void **state)
{
    (void)state;
    double healthy[HAND_Q], low[HAND_Q];
    settle(0, NULL, healthy);
    settle(1, &(snChange){.kind = SN_CHANGE_NERVE, .name = "ulnar-low"}, low);
    double pip = angle(m, low, "pip5"), mcp = angle(m, low, "mcp5.f"), dip = angle(m, low, "dip5");
    double index = angle(m, low, "pip2"), middle = angle(m, low, "pip3");
    print_message("taut, ulnar low, flat: PIP5 %.1f deg (> 5), MCP5 %.1f (<= 0), PIP2 %.1f, PIP3 %.1f (< half)\n", pip,
                  mcp, index, middle);
    print_message("taut, PIP5 + DIP5: %.1f deg, healthy %.1f\n", pip + dip,
                  angle(m, healthy, "pip5") + angle(m, healthy, "dip5"));
    assert_at_most(mcp, 0);
    assert_at_most(3, pip);
    assert_at_most(fmax(index, middle), pip / 2);
    assert_at_most(angle(m, healthy, "pip5") + angle(m, healthy, "dip5"), 1); /* only the palsy claws */
}

static void the_wrist_opens_and_closes_the_fingers(void **state)
{
    (void)state;
    double pose[2][HAND_Q];
    for (int side = 0; side < 2; ++side) {
        snChange change[4] = {{.kind = SN_CHANGE_NERVE, .name = "radial"},
                              {.kind = SN_CHANGE_NERVE, .name = "median-high"},
                              {.kind = SN_CHANGE_NERVE, .name = "ulnar-high"},
                              {.kind = SN_CHANGE_FUSE, .name = "wrist.flexion", .value = side ? 50 : -40}};
        settle(4, change, pose[side]);
    }
    double mcp = angle(m, pose[0], "mcp3.f") - angle(m, pose[1], "mcp3.f");
    double pip = angle(m, pose[0], "pip3") - angle(m, pose[1], "pip3");
    print_message("taut, tenodesis, wrist -40 to 50: MCP3 extends %.1f, PIP3 %.1f deg (> 20)\n", mcp, pip);
    assert_at_most(20, mcp);
    assert_at_most(12, pip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ulnar_palsy_claws),
        cmocka_unit_test(the_wrist_opens_and_closes_the_fingers),
    };
    return cmocka_run_group_tests_name("analysis.taut", tests, set_up, tear_down);
}
