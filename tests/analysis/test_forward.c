/* The clinical hand in motion: energy, step size, stored activations, tracking by each method, the published frame. */
#include "analysis/clinical_group.h"
#include "io/pose.h"

#include "analysis/pursue.h"
#include "base/alloc.h"
#include "motion/poses.h"
#include "opt/boxqp.h"
#include "opt/lbfgsb.h"
#include "sinew/io.h"

static snPatient *patient(void)
{
    snPatient *p = NULL;
    assert_int_equal(sn_patient_create(spec, m, NULL, &p, NULL), SN_OK);
    return p;
}

static snPoses *motion(const char *name)
{
    char path[512];
    snPoses *poses = NULL;
    snprintf(path, sizeof path, SINEW_SOURCE_DIR "/models/hand/motions/%s.pose.csv", name);
    assert_int_equal(sn_load_poses(path, &poses, NULL), SN_OK);
    return poses;
}

/* Nothing drives it and nothing pulls it down: damping can only take energy away. */
static void energy_never_rises(void **state)
{
    (void)state;
    snPatient *p = patient();
    double start, last, rises = -INFINITY;
    uint64_t seed = 6;
    sn_patient_gravity(p, (double[3]){0, 0, 0});
    snTreeSim *sim = sn_patient_sim(p);
    assert_non_null(sim);
    sim->h = 1.0 / 240;
    for (int round = 0; round < 5; ++round) {
        random_pose(m, 0.7, &seed, sim->q);
        memset(sim->v, 0, sizeof(double) * HAND_Q);
        start = last = sn_treesim_energy(sim);
        for (int i = 0; i < 240; ++i) {
            assert_int_equal(sn_treesim_step(sim), SN_OK);
            double now = sn_treesim_energy(sim);
            rises = fmax(rises, now - last);
            assert_at_most(now, last + 1e-9);
            last = now;
        }
        assert_true(last < 0.9 * start);
    }
    print_message("energy without activation and weight rises by %.1e J at most (never)\n", rises);
    sn_treesim_destroy(sim);
    sn_patient_destroy(p);
}

static snPursueReport pursue(snPatient *p, const char *name, const snPursueDef *def)
{
    snPursueReport report;
    snError error = {0};
    snPoses *poses = motion(name);
    snStatus status = sn_pursue(p, poses, def, NULL, &report, &error);
    if (status != SN_OK) print_error("%s: %s\n", name, error.message);
    assert_int_equal(status, SN_OK);
    sn_poses_destroy(poses);
    return report;
}

static void halving_the_step_changes_little(void **state)
{
    (void)state;
    snPatient *p = patient();
    snPursueReport a = pursue(p, "pinch", &(snPursueDef){.size = sizeof(snPursueDef), .step = 1.0 / 240}),
                   b = pursue(p, "pinch",
                              &(snPursueDef){.size = sizeof(snPursueDef), .step = 1.0 / 480, .control_rate = 480});
    double most = 0;
    for (int k = 0; k < HAND_Q; ++k) most = fmax(most, fabs(a.final_pose[k] - b.final_pose[k]));
    print_message("240 to 480 steps a second: %.4f deg (1)\n", most / SN_DEG);
    assert_at_most(most, 1 * SN_DEG);
    sn_pursue_report_free(&a), sn_pursue_report_free(&b);
    sn_patient_destroy(p);
}

static void stored_activations_give_the_same_motion(void **state)
{
    (void)state;
    snPatient *p = patient();
    snPursueReport a = pursue(p, "wave", &(snPursueDef){.size = sizeof(snPursueDef)});
    snPursueDef again = {.size = sizeof(snPursueDef), .activations = a.stored, .nactivation = a.steps};
    snPursueReport b = pursue(p, "wave", &again);
    double most = 0;
    for (int k = 0; k < HAND_Q; ++k) most = fmax(most, fabs(a.final_pose[k] - b.final_pose[k]));
    print_message("stored activations simulated again: %.1e rad (1e-9)\n", most);
    assert_at_most(most, 1e-9);
    sn_pursue_report_free(&a), sn_pursue_report_free(&b);
    sn_patient_destroy(p);
}

static double rms_deg(const snPursueReport *r, bool wrist)
{
    double sum = 0;
    int n = 0;
    for (int k = 0; k < HAND_Q; ++k)
        if ((strncmp(m->coord_name[k], "wrist", 5) == 0) == wrist) sum += r->rms[k] * r->rms[k], ++n;
    return sqrt(sum / n) / SN_DEG;
}

/* Digits 3 deg rms, wrist 1, any joint 12: torques at 240 a second, the pose a step ahead at 24. In the last three
 * fingers start on their stops and have to leave them: a stop that counts as support then keeps the joint (28 deg). */
static void motions_are_followed(void **state)
{
    (void)state;
    heavy_case();
    static const char *const name[] = {"fist",         "pinch", "point", "wave", "letter_s", "finger_extension",
                                       "wrist_circle", "spread"};
    snPatient *p = patient();
    for (int method = SN_PURSUE_TORQUE; method <= SN_PURSUE_STEP; ++method)
        for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
            snPursueReport r =
                pursue(p, name[i], &(snPursueDef){.size = sizeof(snPursueDef), .method = (snPursuit)method});
            print_message("%s %-8s digits %.2f, wrist %.2f, worst %.1f deg\n", method ? "step  " : "torque", name[i],
                          rms_deg(&r, false), rms_deg(&r, true), r.trust.worst_angle / SN_DEG);
            assert_at_most(rms_deg(&r, false), 3);
            assert_at_most(rms_deg(&r, true), 1);
            assert_at_most(r.trust.worst_angle / SN_DEG, 12);
            sn_pursue_report_free(&r);
        }
    sn_patient_destroy(p);
}

/* Palm down the weight of the fingers comes on top: with effort at the weight that a held pose gives it joints stay on
 * their stops (21 deg in key_grip). */
static void motions_are_followed_palm_down(void **state)
{
    (void)state;
    static const char *const name[] = {"key_grip", "typing", "pinch", "wrist_circle"};
    snPatient *p = patient();
    sn_patient_gravity(p, (double[3]){0, 0, -9.81});
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        snPursueReport r = pursue(p, name[i], &(snPursueDef){.size = sizeof(snPursueDef)});
        print_message("palm down %-12s digits %.2f, wrist %.2f, worst %.1f deg\n", name[i], rms_deg(&r, false),
                      rms_deg(&r, true), r.trust.worst_angle / SN_DEG);
        assert_at_most(rms_deg(&r, false), 3);
        assert_at_most(rms_deg(&r, true), 1);
        assert_at_most(r.trust.worst_angle / SN_DEG, 12);
        sn_pursue_report_free(&r);
    }
    sn_patient_destroy(p);
}

/* h T / (I/h + k) from rest, with the arm and the inertia of this hand and 2.7 % at f_A(1) = 0.96. The prototype's
 * 4.4 deg come of an arm of 11 mm; the eyelets of this hand give 9.1, within what was published (9.1 to 13.5). */
static void one_frame_of_the_published_method(void **state)
{
    (void)state;
    enum { LD = 32 };
    snPatient *p = patient();
    double c[HAND_U] = {0}, q[HAND_Q] = {0}, percent[HAND_Q], newtons[HAND_Q], M[HAND_Q * LD], arm = 0, h = 1.0 / 24;
    int32_t mcp = 0, path = 0;
    while (strcmp(m->coord_name[mcp], "mcp2.flexion") != 0) ++mcp;
    while (strcmp(m->skeleton->path_name[path], "FDP2") != 0) ++path;
    c[unit(m, "FDP2")] = 1;
    assert_int_equal(sn_paper_frame(p, c, false, percent), SN_OK);
    assert_int_equal(sn_paper_frame(p, c, true, newtons), SN_OK);
    sn_patient_assemble(p, q, NULL, NULL);
    sn_tree_mass(&p->s->tree, p->tree, M, LD);
    for (int32_t k = p->path->rowadr[path]; k < p->path->rowadr[path + 1]; ++k)
        if (p->path->col[k] == mcp) arm = -p->path->P[k];
    double expected = h * 2.7 * 0.96 * arm / (M[mcp * (LD + 1)] / h + 0.015) / SN_DEG;
    print_message("FDP2 moves MCP2 by %.2f deg a frame; in newtons %.0f deg (arm %.1f mm: %.2f; 11.3 mm: %.2f)\n",
                  angle(m, percent, "mcp2.f"), angle(m, newtons, "mcp2.f"), 1e3 * arm, expected,
                  expected * 0.0113 / arm);
    assert_near(angle(m, newtons, "mcp2.f") / angle(m, percent, "mcp2.f"), 68.93, 1e-6);
    assert_near(angle(m, percent, "mcp2.f"), expected, 1e-9);
    assert_near(expected * 0.0113 / arm, 4.4, 0.02 * 4.4);
    sn_patient_destroy(p);
}

/* Frames of a motion: what L-BFGS-B finds against the quadratic program that each frame is. */
static void the_published_program_is_quadratic(void **state)
{
    (void)state;
    if (!sn_lbfgsb_available()) skip();
    snPatient *p = patient();
    double above = -INFINITY, apart = 0;
    uint64_t seed = 12;
    for (int i = 0; i < 20; ++i) {
        double q[HAND_Q], target[HAND_Q], value, off;
        random_pose(m, 0.5, &seed, q);
        for (int k = 0; k < HAND_Q; ++k) target[k] = q[k] + 5 * SN_DEG * noise(&seed);
        assert_int_equal(sn_paper_compare(p, q, target, &value, &off), SN_OK);
        above = fmax(above, value), apart = fmax(apart, off);
    }
    print_message("paper, 20 frames: QP above L-BFGS-B by %.1e (never), poses %.3f deg rms apart (1)\n", above,
                  apart / SN_DEG);
    assert_at_most(above, 1e-12);
    assert_at_most(apart, 1 * SN_DEG);
    sn_patient_destroy(p);
}

static void the_published_method_runs(void **state)
{
    (void)state;
    if (!sn_lbfgsb_available()) skip();
    snPatient *p = patient();
    snPursueReport r = pursue(p, "wave", &(snPursueDef){.size = sizeof(snPursueDef), .method = SN_PURSUE_PAPER});
    print_message("paper wave: digits %.2f, wrist %.2f deg\n", rms_deg(&r, false), rms_deg(&r, true));
    assert_at_most(rms_deg(&r, false), 9.2);
    sn_pursue_report_free(&r);
    sn_patient_destroy(p);
}

/* A motion as captured at 50 Hz, with columns that begin with `which` unseen from one time to another. */
static snPoses *captured(const char *name, const char *which, double from, double to)
{
    enum { FRAMES = 151 };
    static double time[FRAMES], value[FRAMES * 40];
    const char *column[40];
    snPoses *whole = motion(name), *gappy = NULL;
    int32_t n = sn_poses_columns(whole);
    for (int32_t c = 0; c < n; ++c) column[c] = sn_poses_name(whole, c);
    for (int i = 0; i < FRAMES; ++i) {
        time[i] = i / 50.0;
        sn_poses_at(whole, time[i], value + i * n, NULL, NULL);
        for (int32_t c = 0; which && c < n; ++c)
            if (strstr(column[c], which) && time[i] > from && time[i] < to) value[i * n + c] = NAN;
    }
    assert_int_equal(sn_poses_create_gappy(n, column, FRAMES, time, value, true, &gappy, NULL), SN_OK);
    sn_poses_destroy(whole);
    return gappy;
}

/* Root mean square of the difference of a coordinate, deg: two replays from one time to another. */
static double differ(const snTrack *a, const snTrack *b, const char *coordinate, double from, double to)
{
    double sum = 0;
    int n = 0;
    int32_t k = sn_track_find_scalar(a, coordinate);
    for (int32_t i = 0; i < sn_track_frames(a); ++i)
        if (sn_track_time(a, i) > from && sn_track_time(a, i) < to)
            sum += pow((sn_track_scalar(a, i)[k] - sn_track_scalar(b, i)[k]) / SN_DEG, 2), ++n;
    return sqrt(sum / n);
}

/* A joint of the index finger is out of sight while the fist closes, or while it is held: the muscles that move what is
 * seen, and passive tissue, tell where it is. */
static void muscles_fill_in_what_was_not_seen(void **state)
{
    (void)state;
    static const struct {
        const char *which;
        double from, to;
        bool asserted;
    } gap[] = {
        {"dip2", 0.5, 0.9, true}, {"dip2", 1.2, 1.9, true}, {"pip2", 0.5, 0.9, false}, {"mcp3", 0.5, 0.9, false}};
    snPursueDef def = {.size = sizeof(snPursueDef)};
    snPatient *p = patient();
    snPursueReport r;
    snTrack *whole = NULL, *filled = NULL;
    snPoses *poses = captured("fist", NULL, 0, 0);
    assert_int_equal(sn_pursue(p, poses, &def, &whole, &r, NULL), SN_OK);
    sn_pursue_report_free(&r), sn_poses_destroy(poses);
    for (int i = 0; i < 4; ++i) {
        char name[64];
        snprintf(name, sizeof name, "coordinate/%s.flexion", gap[i].which);
        poses = captured("fist", gap[i].which, gap[i].from, gap[i].to);
        assert_true(sn_poses_gaps(poses) > 0);
        assert_int_equal(sn_pursue(p, poses, &def, &filled, &r, NULL), SN_OK);
        double off = differ(whole, filled, name, gap[i].from, gap[i].to), others = rms_deg(&r, false);
        print_message("%s unseen from %.1f to %.1f s of a fist: %.1f deg rms off there, seen digits %.2f\n",
                      gap[i].which, gap[i].from, gap[i].to, off, others);
        if (gap[i].asserted) assert_at_most(off, 25);
        assert_at_most(others, 3);
        for (int k = 0; k < HAND_Q; ++k) assert_false(p->ignored[k]);
        sn_pursue_report_free(&r), sn_poses_destroy(poses), sn_track_destroy(filled);
    }
    sn_track_destroy(whole);
    sn_patient_destroy(p);
}

/* rms acceleration of MCP2 in rad/s2, by differences over the frames of a replay. */
static double jerkiness(const snTrack *t)
{
    double sum = 0;
    int32_t k = sn_track_find_scalar(t, "coordinate/mcp2.flexion"), n = sn_track_frames(t);
    for (int32_t i = 1; i + 1 < n; ++i) {
        double h = sn_track_time(t, i + 1) - sn_track_time(t, i);
        double a = sn_track_scalar(t, i - 1)[k] - 2 * sn_track_scalar(t, i)[k] + sn_track_scalar(t, i + 1)[k];
        sum += pow(a / (h * h), 2);
    }
    return sqrt(sum / (n - 2));
}

/* Coarse keys of a soft fist: every frame by torques, against activations at the keys alone. */
static void coarse_keys_are_filled_in(void **state)
{
    (void)state;
    double time[4] = {0, 0.6, 1.8, 2.4}, key[4][HAND_Q] = {{0}};
    const char *name[HAND_Q];
    for (int k = 0; k < HAND_Q; ++k) name[k] = m->coord_name[k];
    for (int i = 1; i < 3; ++i) bend(m, key[i], "mcp2.f", 60), bend(m, key[i], "pip2", 60), bend(m, key[i], "dip2", 30);
    double rough[2], off[2];
    for (int only = 0; only < 2; ++only) {
        snPursueDef def = {.size = sizeof(snPursueDef), .keys_only = only, .frame_rate = 48};
        snPoses *poses = NULL;
        snPursueReport r;
        snTrack *replay = NULL;
        snPatient *p = patient();
        assert_int_equal(sn_poses_create(HAND_Q, name, 4, time, key[0], true, &poses, NULL), SN_OK);
        assert_int_equal(sn_pursue(p, poses, &def, &replay, &r, NULL), SN_OK);
        rough[only] = jerkiness(replay), off[only] = rms_deg(&r, false);
        print_message("four keys, %s: MCP2 accelerates by %.1f rad/s2 rms, digits %.2f, wrist %.2f, worst %.1f deg\n",
                      only ? "keys only" : "every frame", rough[only], rms_deg(&r, false), rms_deg(&r, true),
                      r.trust.worst_angle / SN_DEG);
        if (!only) assert_at_most(rms_deg(&r, false), 3);
        sn_pursue_report_free(&r), sn_poses_destroy(poses), sn_track_destroy(replay), sn_patient_destroy(p);
    }
    assert_true(off[0] < off[1] && rough[0] < 20); /* keys alone end elsewhere: nothing corrects them */
}

/* Ten minutes of light work do not tire; five newtons on the finger do. */
static void loads_tire(void **state)
{
    (void)state;
    heavy_case();
    snCase *c = sn_case_create("");
    snPatient *loaded = NULL, *free_hand = patient();
    sn_case_add(c, &(snChange){.kind = SN_CHANGE_LOAD, .name = "dp2", .force = {0, 0, 5}});
    assert_int_equal(sn_patient_create(spec, m, c, &loaded, NULL), SN_OK);
    snPursueDef def = {.size = sizeof(snPursueDef), .fatigue = true, .repeat = 5, .rest = 1, .method = SN_PURSUE_STEP};
    snPursueReport a = pursue(free_hand, "pinch", &def), b = pursue(loaded, "pinch", &def);
    int32_t flexor = unit(m, "FDP2");
    print_message("FDP2 fatigued after 5 pinches: %.4f, with 5 N %.4f\n", a.fatigued[flexor], b.fatigued[flexor]);
    assert_int_equal(a.repetitions, 5);
    assert_true(b.fatigued[flexor] > 3 * a.fatigued[flexor]);
    sn_pursue_report_free(&a), sn_pursue_report_free(&b);
    sn_patient_destroy(free_hand), sn_patient_destroy(loaded);
    sn_case_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_never_rises),
        cmocka_unit_test(halving_the_step_changes_little),
        cmocka_unit_test(stored_activations_give_the_same_motion),
        cmocka_unit_test(motions_are_followed),
        cmocka_unit_test(motions_are_followed_palm_down),
        cmocka_unit_test(one_frame_of_the_published_method),
        cmocka_unit_test(the_published_program_is_quadratic),
        cmocka_unit_test(the_published_method_runs),
        cmocka_unit_test(muscles_fill_in_what_was_not_seen),
        cmocka_unit_test(coarse_keys_are_filled_in),
        cmocka_unit_test(loads_tire),
    };
    return cmocka_run_group_tests_name("analysis.forward", tests, set_up, tear_down);
}
