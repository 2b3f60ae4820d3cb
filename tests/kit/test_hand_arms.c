/* Moment arms of the hand by two ways, at the joints where they are furthest apart: the eyelets of the superficial
 * flexor nearly meet when the middle joint is bent, the end joint of the little finger has the shortest tendon, and at
 * the wrist lumbricals pull across the deep flexors. The whole hand is swept by long_hand_arms_all.c. Heavy: minutes
 * under a sanitizer, which sees the same code in shorter tests. */
#include "hand_arms.h"

static void both_ways_agree(void **state)
{
    (void)state;
    static const char *const joints[] = {"pip3", "dip5", "wrist"};
    snModel *model = hand_model();
    for (int i = 0; i < 3; ++i) {
        sweep_result r = sweep(model, sn_find(model, SN_ITEM_JOINT, joints[i]), NULL, 1);
        print_message("%s: the two ways differ by %.4f mm on average, %.3f mm at most\n", joints[i], 1e3 * r.apart,
                      1e3 * r.worst);
        assert_at_most(r.apart, 0.002e-3);
        assert_at_most(r.worst, 0.06e-3);
        assert_at_most(r.jump, 1e-3);
        assert_int_equal(r.wrong_sides, 0);
    }
    sn_model_destroy(model);
}

/* The pose of the other joints is the caller's: with the finger bent at the knuckle, the deep flexor has the same arm
 * at the end joint as with a straight one, since no eyelet there has moved against the joint. */
static void arms_do_not_depend_on_joints_before(void **state)
{
    (void)state;
    snModel *model = hand_model();
    double pose[64] = {0};
    int32_t joint = sn_find(model, SN_ITEM_JOINT, "dip2"), strand = sn_find(model, SN_ITEM_STRAND, "FDP2");
    double mean[2] = {0, 0};
    for (int bent = 0; bent < 2; ++bent) {
        snArmDef def = sn_default_arm_def();
        snArms *arms = NULL;
        pose[sn_find(model, SN_ITEM_COORDINATE, "mcp2.0")] = bent * 1.0;
        def.joint = joint, def.pose = pose, def.turn *= 4;
        assert_int_equal(sn_moment_arms(model, &def, &arms, NULL), SN_OK);
        for (int32_t i = 0; i < arms->ncurve; ++i)
            if (arms->curve[i].strand == strand) mean[bent] = arms->curve[i].mean;
        sn_arms_destroy(arms);
    }
    assert_near(mean[1], mean[0], 0.05 * fabs(mean[0]));
    assert_true(mean[0] > 0);
    sn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways_agree),
                                       cmocka_unit_test(arms_do_not_depend_on_joints_before)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
