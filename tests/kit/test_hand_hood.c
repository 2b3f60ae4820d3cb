/* The variant of the hand with branching extensor hoods, of paths that meet in free junctions: the same muscles and
 * bones, bands that pull and never push, what a muscle does through the bands, and motions that are followed.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "check.h"
#include "hand/hand.h"
#include "sim/state.h"
#include "sinew/author.h"
#include "sinew/io.h"
#include "sinew/model.h"
#include "sinew/record.h"
#include "sinew/sim.h"

#define TABLES SINEW_SOURCE_DIR "/models/hand"

static int set_up(void **state)
{
    snHandDef def = sn_default_hand_def();
    def.tables = TABLES;
    def.hood = true;
    snSpec *spec = NULL;
    snModel *model = NULL;
    snError error = {0};
    snStatus status = sn_author_hand(&def, &spec, &error);
    if (status == SN_OK) status = sn_compile(spec, &model, &error);
    if (status != SN_OK) print_error("%s\n", error.message);
    sn_spec_destroy(spec);
    *state = model;
    return status != SN_OK;
}

static int tear_down(void **state)
{
    sn_model_destroy(*state);
    return 0;
}

/* Bands are strands but not muscles: what is controlled stays the same. */
static void counts(void **state)
{
    const snModel *model = *state;
    assert_int_equal(sn_count(model, SN_ITEM_MUSCLE), 54);
    assert_int_equal(sn_count(model, SN_ITEM_STRAND), 54 + 8);
    assert_int_equal(sn_count(model, SN_ITEM_COORDINATE), 23);
    assert_int_equal(sn_find(model, SN_ITEM_MUSCLE, "LBR2"), -1);
}

/* In the neutral pose the hood settles; its muscles then keep less than 5 % of their force, and the ends of the bands
 * stay on the tendons that they start from. */
static void settles(void **state)
{
    const snModel *model = *state;
    snState *s = NULL;
    snSimDef sim = sn_default_sim_def();
    snError error = {0};
    sim.threads = 1;
    assert_int_equal(sn_state_create(model, &sim, &s, &error), SN_OK);
    snView tension, gap;
    assert_int_equal(sn_field(model, s, "strand.tension", &tension), SN_OK);
    assert_int_equal(sn_field(model, s, "constraint.gap", &gap), SN_OK);
    double most = tension.data[sn_find(model, SN_ITEM_STRAND, "ED2")],
           apart = gap.data[sn_find(model, SN_ITEM_CONSTRAINT, "LBR2.origin")];
    print_message("at rest: ED2 %.2f N, LBR2 %.2f N, junction %.4f mm apart\n", most,
                  tension.data[sn_find(model, SN_ITEM_STRAND, "LBR2")], 1e3 * apart);
    assert_at_most(most, 0.05 * 48.8);
    assert_at_most(fabs(apart), 1e-5);
    sn_state_destroy(s);
}

/* Arm of a muscle through all bands (m): how its own cord, up to the first junction, shortens as a joint turns. */
static double arm_through(const snModel *m, snState *s, double *q, const char *muscle, const char *coordinate)
{
    const double d = 1e-4;
    double length[2];
    int32_t at = sn_find(m, SN_ITEM_COORDINATE, coordinate);
    int32_t cord = m->strand_cordadr[sn_find(m, SN_ITEM_STRAND, muscle)];
    assert_true(at >= 0);
    for (int k = 0; k < 2; ++k) {
        q[at] += k ? 2 * d : -d;
        assert_int_equal(sn_pose(m, s, q), SN_OK);
        length[k] = s->cord_length[cord];
    }
    q[at] -= d;
    return -(length[1] - length[0]) / (2 * d);
}

/* ED2, EI and a lumbrical straighten middle and end joint, whether the finger is straight or half bent. */
static void muscles_act_through_bands(void **state)
{
    const snModel *m = *state;
    snState *s = NULL;
    snSimDef sim = sn_default_sim_def();
    snError error = {0};
    double q[64] = {0};
    static const char *const muscle[] = {"ED2", "EI", "LU2"};
    sim.threads = 1;
    assert_int_equal(sn_state_create(m, &sim, &s, &error), SN_OK);
    for (int bent = 0; bent < 2; ++bent) {
        q[sn_find(m, SN_ITEM_COORDINATE, "pip2.flexion")] = bent ? 50 * SN_DEG : 0;
        q[sn_find(m, SN_ITEM_COORDINATE, "dip2.flexion")] = bent ? 30 * SN_DEG : 0;
        for (int k = 0; k < 3; ++k) {
            for (int i = 0; i < 3; ++i) s->activation[sn_find(m, SN_ITEM_MUSCLE, muscle[i])] = i == k ? 0.2 : 0.02;
            double pip = arm_through(m, s, q, muscle[k], "pip2.flexion"),
                   dip = arm_through(m, s, q, muscle[k], "dip2.flexion");
            print_message("%s, %s: %.2f mm at the middle joint, %.2f mm at the end joint\n", muscle[k],
                          bent ? "half bent" : "straight", 1e3 * pip, 1e3 * dip);
            assert_true(pip < 0 && dip < 1e-5);
        }
    }
    sn_state_destroy(s);
}

static void follow(const snModel *model, const char *name, double start, double end)
{
    char path[1024];
    snTrack *motion = NULL, *replay = NULL;
    snFollowReport report;
    snFollowDef def = sn_default_follow_def();
    snMotionDef motion_def = sn_default_motion_def();
    snError error = {0};
    snprintf(path, sizeof path, TABLES "/motions/%s.pose.csv", name);
    assert_int_equal(sn_load_motion(model, path, &motion_def, &motion, &error), SN_OK);
    def.start = start, def.end = end;
    assert_int_equal(sn_follow(model, motion, &def, &replay, &report, &error), SN_OK);
    print_message("%s: mean %.4f mm, worst %.3f mm, largest activation %.2f\n", name, 1e3 * report.all.mean,
                  1e3 * report.all.worst, report.max_activation);
    assert_at_most(report.all.mean, 0.5e-3);
    assert_at_most(report.all.worst, 3e-3);
    assert_at_most(report.max_activation, 0.8);
    assert_int_equal(report.wrong_sides, 0);
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    sn_track_destroy(replay);
}

static void follows_a_fist(void **state)
{
    follow(*state, "fist", 0, 1.2);
}

static void follows_fingers_one_by_one(void **state)
{
    follow(*state, "finger_extension", 0, 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(settles),
        cmocka_unit_test(muscles_act_through_bands),
        cmocka_unit_test(follows_a_fist),
        cmocka_unit_test(follows_fingers_one_by_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
