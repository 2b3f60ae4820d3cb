/* A pilot on the upper body: it stands, goes where it is aimed, carries a weight, breathes, and lets go. */
#include "check.h"

#include "control/own/pilot.h"
#include "sinew/sinew.h"

#include <math.h>
#include <string.h>

typedef struct rig {
    snSpec *spec;
    snModel *model;
    snState *state;
    snPoses *breath;
    snPilot *pilot;
    snSteerDef def;
    snView coordinate, activation;
} rig;

static void open_rig(rig *r)
{
    char path[4096];
    snError error = {0};
    snMotionDef motion = sn_default_motion_def();
    if (sn_find_model("body", path, sizeof path, NULL) != SN_OK) skip(); /* the models are not built */
    assert_int_equal(sn_load_model(path, &r->spec, &error), SN_OK);
    assert_int_equal(sn_compile(r->spec, &r->model, &error), SN_OK);
    snSimDef sim = sn_default_sim_def();
    assert_int_equal(sn_state_create(r->model, &sim, &r->state, &error), SN_OK);
    motion.model = path;
    assert_int_equal(sn_load_motion_poses("breath", &motion, &r->breath, &error), SN_OK);
    r->def = sn_default_steer_def();
    r->def.breath = r->breath, r->def.breath_depth = 1e-9;
    assert_int_equal(sn_field(r->model, r->state, "joint.coordinate", &r->coordinate), SN_OK);
    assert_int_equal(sn_field(r->model, r->state, "muscle.activation", &r->activation), SN_OK);
    assert_int_equal(sn_pilot_create(r->model, r->state, &r->def, &r->pilot, &error), SN_OK);
}

static void close_rig(rig *r)
{
    sn_pilot_destroy(r->pilot);
    sn_poses_destroy(r->breath);
    sn_state_destroy(r->state);
    sn_model_destroy(r->model);
    sn_spec_destroy(r->spec);
}

static void run(rig *r, double seconds)
{
    for (double end = sn_time(r->state) + seconds; sn_time(r->state) < end;)
        assert_int_equal(sn_step(r->model, r->state), SN_OK);
}

static double at(const rig *r, const char *name)
{
    return r->coordinate.data[sn_find(r->model, SN_ITEM_COORDINATE, name)];
}

static double effort(const rig *r)
{
    double sum = 0;
    for (int32_t i = 0; i < r->activation.rows; ++i) sum += r->activation.data[i];
    return sum;
}

static void test_all(void **state)
{
    (void)state;
    heavy_case();
    rig r = {0};
    open_rig(&r);
    run(&r, 0.5);
    assert_true(fabs(at(&r, "L5_FE")) < 0.005 && fabs(at(&r, "skull_FE")) < 0.005);
    double standing = effort(&r), goal[200] = {0};

    goal[sn_find(r.model, SN_ITEM_COORDINATE, "ulna_R_flex")] = 1;
    sn_pilot_aim(r.pilot, goal);
    run(&r, 1.5);
    assert_true(fabs(at(&r, "ulna_R_flex") - 1) < 0.02);
    assert_true(fabs(at(&r, "ulna_L_flex")) < 0.02);

    double bare = r.activation.data[sn_find(r.model, SN_ITEM_MUSCLE, "brachialis_R")];
    sn_pilot_load(r.pilot, sn_find(r.model, SN_ITEM_BODY, "radius_R"), 0.5);
    run(&r, 0.5);
    double loaded = r.activation.data[sn_find(r.model, SN_ITEM_MUSCLE, "brachialis_R")];
    print_message("brachialis %.3f, with 0.5 kg %.3f\n", bare, loaded);
    assert_true(loaded > bare + 0.005);
    assert_true(fabs(at(&r, "ulna_R_flex") - 1) < 0.02);

    sn_pilot_dial(r.pilot, SN_PILOT_COACTIVATION, 1);
    run(&r, 0.1);
    print_message("sum of activations %.1f, with coactivation %.1f\n", standing, effort(&r));
    assert_true(effort(&r) > 1.2 * standing);
    sn_pilot_dial(r.pilot, SN_PILOT_COACTIVATION, NAN);

    double least = INFINITY, most = -INFINITY;
    sn_pilot_dial(r.pilot, SN_PILOT_BREATHING, 0.0349);
    for (int i = 0; i < 40; ++i) {
        run(&r, 0.1);
        least = fmin(least, at(&r, "rib6_R_insp")), most = fmax(most, at(&r, "rib6_R_insp"));
    }
    print_message("a rib moves by %.4f rad in a breath of 2 degrees\n", most - least);
    assert_true(most - least > 0.5 * 0.0349 && most - least < 0.0349); /* ribs yield: most of the way */

    sn_pilot_destroy(r.pilot); /* lets go: muscles relax, the body falls */
    r.pilot = NULL;
    memset(r.activation.data, 0, sizeof(double) * (size_t)r.activation.rows);
    run(&r, 0.2);
    assert_true(fabs(at(&r, "ulna_R_flex") - 1) > 0.05);
    close_rig(&r);
}

/* Every dial for a moment: what the sanitizers see of the above. */
static void test_in_short(void **state)
{
    (void)state;
    rig r = {0};
    open_rig(&r);
    double goal[200] = {0}, standing;
    run(&r, 0.02);
    standing = effort(&r);
    goal[sn_find(r.model, SN_ITEM_COORDINATE, "ulna_R_flex")] = 1;
    sn_pilot_aim(r.pilot, goal);
    sn_pilot_load(r.pilot, sn_find(r.model, SN_ITEM_BODY, "radius_R"), 0.5);
    sn_pilot_dial(r.pilot, SN_PILOT_COACTIVATION, 1);
    sn_pilot_dial(r.pilot, SN_PILOT_BREATHING, 0.0349);
    run(&r, 0.04);
    assert_true(at(&r, "ulna_R_flex") > 1e-4); /* on its way */
    assert_true(effort(&r) > standing);
    close_rig(&r);
}

static void test_refused(void **state)
{
    (void)state;
    snError error = {0};
    snSteerDef def = sn_default_steer_def();
    snPilot *pilot = NULL;
    assert_int_equal(sn_pilot_create(NULL, NULL, &def, &pilot, &error), SN_BAD_ARGUMENT);
    assert_null(pilot);
    sn_pilot_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all), cmocka_unit_test(test_in_short),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
