/* Who works: the price of activation by volume, and activation dynamics. */
#include "sim/rig.h"

#include "sinew/control.h"

static const double box[3] = {0.1, 0.01, 0.01}, cube[3] = {0.01, 0.01, 0.01};

static void add_flexor(snBuild *b, const char *name, double height, double force)
{
    snVia via[] = {{.p = {-0.15, height, 0}, .kind = SN_VIA_FIXED, .on = "base"},
                   {.p = {0.06, height / 2, 0}, .kind = SN_VIA_FIXED, .on = "arm"}};
    snPath path = {.via = via, .nvia = 2, .npoint = 12, .belly = 0.1};
    snStrandDef def = sn_default_strand_def();
    def.name = name, def.kind = SN_STRAND_PATH, def.radius = 0.003, def.max_force = force, def.stiffness = 1e4;
    def.active_fl = "constant";
    sn_build_strand(b, &def, &path);
}

/* An arm that two muscles of 60 N hold level; the first in `pieces` pieces of equal force. */
static Rig arm(int pieces)
{
    static const char *const name[] = {"first", "second", "third"};
    double nowhere[3] = {-0.02, 0, 0}, middle[3] = {0.1, 0, 0};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "base", nowhere, NULL, cube, 0);
    sn_build_body(&b, "arm", middle, NULL, box, 0.6);
    snJointDef hinge = sn_default_joint_def();
    hinge.name = "hinge", hinge.type = SN_JOINT_TYPE_HINGE, hinge.body_a = "base", hinge.body_b = "arm";
    hinge.damping[0] = 0.01;
    sn_build_joint(&b, &hinge);
    for (int i = 0; i < pieces; ++i) add_flexor(&b, name[i], 0.04, 60.0 / pieces);
    add_flexor(&b, "other", 0.05, 60);
    return rig_of(sn_build_end(&b), sn_default_sim_def());
}

/* Force of the first muscle, all pieces, over that of both, when the arm is held. */
static double share(int pieces, bool by_volume)
{
    Rig r = arm(pieces);
    snFollower *t;
    snFollowerDef def = sn_default_follower_def();
    def.cost_by_volume = by_volume;
    assert_int_equal(sn_follower_create(r.m, r.s, &def, &t, NULL), SN_OK);
    double pose[7] = {0.1, 0, 0, 1, 0, 0, 0};
    for (int i = 0; i < 250; ++i) {
        sn_follower_aim(t, 0, pose, pose);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
    }
    double sum = 0, all;
    for (int i = 0; i < pieces; ++i) sum += r.s->activation[i] * 60 / pieces;
    all = sum + r.s->activation[pieces] * 60;
    assert_true(all > 10);
    sn_follower_destroy(t);
    rig_drop(&r);
    return sum / all;
}

static void dividing_a_muscle_changes_nothing(void **state)
{
    (void)state;
    double one = share(1, true), two = share(2, true), plain = share(2, false), plain_one = share(1, false);
    print_message("share of the first muscle: whole %.4f, in two pieces %.4f; without volumes %.4f and %.4f\n", one,
                  two, plain_one, plain);
    assert_near(two, one, 0.005);
    assert_true(fabs(plain - plain_one) > 0.05); /* what the option is for */
}

static void activations_rise_and_fall_with_their_times(void **state)
{
    (void)state;
    Rig r = arm(1);
    snFollower *t;
    snFollowerDef def = sn_default_follower_def();
    def.rise_time = 0.010, def.fall_time = 0.040, def.max_rate = 1e9;
    assert_int_equal(sn_follower_create(r.m, r.s, &def, &t, NULL), SN_OK);
    double low[7] = {0.1, 0, 0, 1, 0, 0, 0}, turn = 0.5,
           high[7] = {0.1 * cos(turn), 0.1 * sin(turn), 0, cos(turn / 2), 0, 0, sin(turn / 2)};
    double last[2] = {0, 0}, rose = 0, fell = 0, up = 1 - exp(-0.4), down = 1 - exp(-0.1);
    for (int i = 0; i < 200; ++i) {
        const double *aim = i / 25 % 2 ? high : low;
        sn_follower_aim(t, 0, aim, aim);
        assert_int_equal(sn_step(r.m, r.s), SN_OK);
        for (int k = 0; k < 2; ++k) {
            double a = r.s->activation[k];
            assert_at_most(a - last[k], up * (1 - last[k]) + 1e-12);
            assert_at_most(last[k] - a, down * last[k] + 1e-12);
            rose = fmax(rose, (a - last[k]) / (1 - last[k])), fell = fmax(fell, last[k] > 0.01 ? 1 - a / last[k] : 0);
            last[k] = a;
        }
    }
    assert_near(rose, up, 1e-6); /* both bounds were met */
    assert_near(fell, down, 1e-6);
    sn_follower_destroy(t);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dividing_a_muscle_changes_nothing),
        cmocka_unit_test(activations_rise_and_fall_with_their_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
