/* Loads: what is written is what acts, the muscles balance it by virtual work, and nothing is half added. */

#include "base/alloc.h"
#include "check.h"
#include "control/load.h"
#include "control/own/load.h"
#include "sim/plant.h"
#include "sinew/io.h"
#include "sinew/record.h"

#include <string.h>

static snModel *hand;

static int open_hand(void **state)
{
    (void)state;
    snSpec *spec = NULL;
    snError error = {0};
    char path[4096];
    snStatus status = sn_find_model("hand", path, sizeof path, &error);
    if (status == SN_OK) status = sn_load_model(path, &spec, &error);
    if (status == SN_OK) status = sn_compile(spec, &hand, &error);
    if (status != SN_OK) fprintf(stderr, "%s\n", error.message);
    sn_spec_destroy(spec);
    return status == SN_OK ? 0 : -1;
}

static int close_hand(void **state)
{
    (void)state;
    sn_model_destroy(hand);
    return 0;
}

static snState *at_rest(void)
{
    snSimDef def = sn_default_sim_def();
    snState *s = NULL;
    def.skip_settle = true;
    def.threads = 1;
    assert_int_equal(sn_state_create(hand, &def, &s, NULL), SN_OK);
    return s;
}

static snLoads *read_loads(const char *text)
{
    snLoads *l = NULL;
    snError error = {0};
    assert_int_equal(sn_loads_create(hand, &l, &error), SN_OK);
    if (sn_loads_read(l, text, &error) != SN_OK) fail_msg("%s: %s", text, error.message);
    return l;
}

static v3 force_on(snState *s, int32_t body)
{
    return v3_load(sn_plant_force(s) + 3 * body);
}

static void text_says_where_and_how_much(void **state)
{
    (void)state;
    snState *s = at_rest();
    int32_t tip = sn_find(hand, SN_ITEM_BODY, "dp2"), palm = sn_find(hand, SN_ITEM_BODY, "hand");
    snLoads *l = read_loads("dp2=0:0,0,0/2:1,2,8");
    sn_loads_apply(l, s, 1);
    assert_near(v3_dist(force_on(s, tip), (v3){0.5, 1, 4}), 0, 1e-12);
    assert_near(v3_len(v3_load(sn_plant_torque(s) + 3 * tip)), 0, 1e-12);
    sn_loads_apply(l, s, 5);
    assert_near(v3_dist(force_on(s, tip), (v3){1, 2, 8}), 0, 1e-12);
    sn_loads_destroy(l);

    l = read_loads("hand=2kg");
    sn_loads_apply(l, s, 0);
    assert_near(v3_dist(force_on(s, palm), v3_scale(hand->gravity, 2)), 0, 1e-12);
    sn_loads_destroy(l);

    /* A tip at 0.0334, -0.1796, 0.004 as drawn (models/hand/bones.tsv): 11 mm of bone from the centre of mass. */
    l = read_loads("dp2@tip=0,0,5");
    sn_loads_apply(l, s, 0);
    double moment = v3_len(v3_load(sn_plant_torque(s) + 3 * tip));
    assert_near(moment, 5 * 0.0113, 0.01);
    sn_loads_destroy(l);
    sn_state_destroy(s);
}

/* A force as drawn turns with its bone, one of the world does not. */
static void a_force_turns_with_its_bone(void **state)
{
    (void)state;
    snState *s = at_rest();
    int32_t body = sn_find(hand, SN_ITEM_BODY, "pp3"), flexion = sn_find(hand, SN_ITEM_COORDINATE, "mcp3.flexion");
    double *q = SN_NEW_ARRAY(double, hand->ncoord);
    q[flexion] = SN_PI / 2;
    assert_int_equal(sn_pose(hand, s, q), SN_OK);
    snLoads *turning = read_loads("pp3=0,0,6"), *fixed = read_loads("pp3:world=0,0,6");
    sn_loads_apply(turning, s, 0);
    v3 f = force_on(s, body);
    assert_near(v3_len(f), 6, 1e-12);
    assert_at_most(fabs(f.z), 0.5); /* dorsal of a bone that is bent by 90 degrees: away from the forearm */
    assert_at_most(f.y, -5.9);
    sn_loads_apply(fixed, s, 0);
    assert_near(v3_dist(force_on(s, body), (v3){0, 0, 6}), 0, 1e-12);
    sn_loads_destroy(turning);
    sn_loads_destroy(fixed);
    sn_free(q);
    sn_state_destroy(s);
}

/* The gripped object is in balance, whatever the pose: forces and moments on all bones add up to nothing. */
static void a_gripped_object_is_in_balance(void **state)
{
    (void)state;
    snState *s = at_rest();
    snLoads *l = read_loads("grip=0:0/1:20");
    double *q = SN_NEW_ARRAY(double, hand->ncoord), digits = 0;
    for (int32_t c = 0; c < hand->ncoord; ++c) q[c] = 0.5 * hand->coord_upper[c];
    assert_int_equal(sn_pose(hand, s, q), SN_OK);
    sn_loads_apply(l, s, 1);
    v3 force = {0, 0, 0}, moment = {0, 0, 0};
    assert_int_equal(sn_loads_bodies(l), 16);
    for (int32_t b = 0; b < hand->nbody; ++b) {
        v3 f = force_on(s, b), t = v3_load(sn_plant_torque(s) + 3 * b);
        force = v3_add(force, f);
        moment = v3_add(moment, v3_add(t, v3_cross(sn_plant_bodies(s)[b].p, f)));
        if (strcmp(hand->body_name[b], "hand") != 0) digits += v3_len(f);
    }
    assert_near(v3_len(force), 0, 1e-12);
    assert_near(v3_len(moment), 0, 1e-12);
    assert_near(digits, 5 * 20, 1e-9);
    sn_loads_destroy(l);
    sn_free(q);
    sn_state_destroy(s);
}

static void nonsense_is_refused_and_nothing_is_half_added(void **state)
{
    (void)state;
    static const char *const bad[] = {"dp2",
                                      "dp2=",
                                      "dp2=1,2",
                                      "dp2=1,2,3,4",
                                      "dp2=1,2,nan",
                                      "=1,2,3",
                                      "dp2@=1,2,3",
                                      "dp2@1,2=1,2,3",
                                      "dp9=1,2,3",
                                      "ulna=1,2,3",
                                      "dp2=0,0,2e4",
                                      "dp2=1:1,2,3/",
                                      "dp2=1:1,2,3/1:0,0,0",
                                      "dp2=1,2,3/4,5,6",
                                      "grip=1,2,3",
                                      "grip=",
                                      "hand=2kgs",
                                      "zz*=1,2,3",
                                      "dp2=1:2:3,4,5",
                                      "*@tip=1,2,1e9"};
    snLoads *l = NULL;
    snError error;
    assert_int_equal(sn_loads_create(hand, &l, NULL), SN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        memset(&error, 0, sizeof error);
        if (sn_loads_read(l, bad[i], &error) != SN_BAD_INPUT) fail_msg("%s was taken", bad[i]);
        assert_true(error.message[0]);
        assert_int_equal(sn_loads_bodies(l), 0);
    }
    assert_int_equal(sn_loads_read(l, "dp2=0,0,1", NULL), SN_OK);
    assert_int_equal(sn_loads_read(l, "zz*=0,0,1", NULL), SN_BAD_INPUT);
    assert_int_equal(sn_loads_bodies(l), 1);
    sn_loads_clear(l);
    assert_int_equal(sn_loads_bodies(l), 0);
    sn_loads_destroy(l);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int64_t n = 0;; ++n) {
        snLoads *l = NULL;
        snError error = {0};
        int64_t alive = sn_alloc_live();
        sn_alloc_fail_after(n);
        snStatus status = sn_loads_create(hand, &l, &error);
        if (status == SN_OK) status = sn_loads_read(l, "grip=0:0/1:5/2:6", &error);
        sn_alloc_fail_after(-1);
        sn_loads_destroy(l);
        assert_int_equal(sn_alloc_live(), alive);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

/* ---- a fist that grips ---------------------------------------------------------------------- */

static snTrack *held_fist(void)
{
    static const char *const bent[] = {"mcp", "pip", "dip"};
    static const double angle[] = {70, 80, 50};
    double time[2] = {0, 0.4}, *q = SN_NEW_ARRAY(double, 2 * hand->ncoord);
    snTrack *motion = NULL;
    for (int finger = 2; finger <= 5; ++finger)
        for (int k = 0; k < 3; ++k) {
            char name[32];
            (void)snprintf(name, sizeof name, "%s%d.flexion", bent[k], finger);
            int32_t c = sn_find(hand, SN_ITEM_COORDINATE, name);
            assert_true(c >= 0);
            q[c] = q[hand->ncoord + c] = angle[k] * SN_DEG;
        }
    assert_int_equal(sn_motion_from_coordinates(hand, 2, time, q, &motion), SN_OK);
    sn_free(q);
    return motion;
}

static snTrack *follow(const snTrack *motion, const snLoads *loads)
{
    snFollowDef def = sn_default_follow_def();
    snFollowReport report;
    snTrack *replay = NULL;
    snError error = {0};
    def.loads = loads;
    def.sim.threads = 1;
    if (sn_follow(hand, motion, &def, &replay, &report, &error) != SN_OK) fail_msg("%s", error.message);
    assert_at_most(report.all.rms, 1e-4);
    sn_follow_report_free(&report);
    return replay;
}

static double last(const snTrack *track, const char *kind, const char *name)
{
    char text[128];
    (void)snprintf(text, sizeof text, "%s%s", kind, name);
    int32_t i = sn_track_find_scalar(track, text);
    if (i < 0) fail_msg("no scalar %s", text);
    return sn_track_scalar(track, sn_track_frames(track) - 1)[i];
}

/* Power of the recorded loads at unit velocity of a coordinate, by differences. */
static double virtual_work(const snTrack *replay, int32_t coordinate)
{
    const double small = 1e-6;
    double *q = SN_NEW_ARRAY(double, hand->ncoord), work = 0;
    rigid *low = SN_NEW_ARRAY(rigid, hand->nbody), *high = SN_NEW_ARRAY(rigid, hand->nbody);
    for (int32_t c = 0; c < hand->ncoord; ++c) q[c] = last(replay, "coordinate/", hand->coord_name[c]);
    q[coordinate] -= small, sn_pose_bodies(hand, q, low);
    q[coordinate] += 2 * small, sn_pose_bodies(hand, q, high);
    for (int32_t b = 0; b < hand->nbody; ++b) {
        const char *name = hand->body_name[b];
        char probe[64];
        (void)snprintf(probe, sizeof probe, "load_fx/%s", name);
        if (sn_track_find_scalar(replay, probe) < 0) continue;
        v3 f = {last(replay, "load_fx/", name), last(replay, "load_fy/", name), last(replay, "load_fz/", name)};
        v3 t = {last(replay, "load_mx/", name), last(replay, "load_my/", name), last(replay, "load_mz/", name)};
        v3 turn = q_log(q_mul(high[b].q, q_conj(low[b].q)));
        work += (v3_dot(f, v3_sub(high[b].p, low[b].p)) + v3_dot(t, turn)) / (2 * small);
    }
    sn_free(q);
    sn_free(low);
    sn_free(high);
    return work;
}

static double muscle_moment(const snTrack *replay, int32_t coordinate)
{
    snAnalysisDef def = sn_default_analysis_def();
    snTrack *result = NULL;
    snError error = {0};
    def.coordinate = coordinate;
    if (sn_analyse(hand, replay, &def, &result, &error) != SN_OK) fail_msg("%s", error.message);
    double moment = last(result, "sum_moment/", "all");
    sn_track_destroy(result);
    return moment;
}

/* What the muscles add about a joint when the load comes is what the load takes: the joint's own passive moment,
 * gravity and the pose are the same in both runs. */
static void the_flexors_balance_the_grip_by_virtual_work(void **state)
{
    (void)state;
    static const char *const joint[] = {"dip2.flexion", "pip2.flexion", "mcp2.flexion",
                                        "dip3.flexion", "pip4.flexion", "mcp5.flexion"};
    snTrack *motion = held_fist();
    snLoads *grip = read_loads("grip=20");
    snTrack *unloaded = follow(motion, NULL), *loaded = follow(motion, grip);
    for (size_t i = 0; i < sizeof joint / sizeof *joint; ++i) {
        int32_t c = sn_find(hand, SN_ITEM_COORDINATE, joint[i]);
        double taken = virtual_work(loaded, c), given = muscle_moment(loaded, c) - muscle_moment(unloaded, c);
        printf("%s: the load takes %.4f N m, the muscles add %.4f N m\n", joint[i], taken, given);
        assert_at_most(taken, -0.005);
        assert_near(given, -taken, 0.05 * fabs(taken) + 1e-3);
    }
    for (int finger = 2; finger <= 5; ++finger) {
        char name[8];
        (void)snprintf(name, sizeof name, "FDP%d", finger);
        assert_true(last(loaded, "activation/", name) > 1.5 * last(unloaded, "activation/", name));
        assert_true(last(loaded, "tension/", name) > last(unloaded, "tension/", name) + 2);
    }
    assert_int_equal(sn_track_find_scalar(unloaded, "load_fx/dp2"), -1);
    sn_track_destroy(motion);
    sn_track_destroy(loaded);
    sn_track_destroy(unloaded);
    sn_loads_destroy(grip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_says_where_and_how_much),
        cmocka_unit_test(a_force_turns_with_its_bone),
        cmocka_unit_test(a_gripped_object_is_in_balance),
        cmocka_unit_test(nonsense_is_refused_and_nothing_is_half_added),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(the_flexors_balance_the_grip_by_virtual_work),
    };
    return cmocka_run_group_tests(tests, open_hand, close_hand);
}
