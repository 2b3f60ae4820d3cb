/* Ball joints with a cone and a twist: the bone stops there, whichever way it comes, also beyond a right angle, where
 * the three angles of the coordinates have no meaning. */
#include "sim/rig.h"

/* A rod that hangs from a ball, x down its length, with a torque that drives it about. */
static Rig rod(double swing, const double center[3], double twist)
{
    double middle[3] = {0, -0.15, 0}, turn[4], half[3] = {0.15, 0.05, 0.05}, top[3] = {0, 0, 0};
    static const double x[3] = {0, -1, 0}, y[3] = {1, 0, 0}, z[3] = {0, 0, 1};
    snBuild b = sn_build_begin();
    sn_build_model(&b, 0, 0.004);
    sn_build_body(&b, "wall", top, NULL, (double[3]){0.01, 0.01, 0.01}, 0);
    sn_build_axes(x, y, z, turn);
    sn_build_body(&b, "rod", middle, turn, half, 1);
    snJointDef ball = sn_default_joint_def();
    ball.name = "ball", ball.type = SN_JOINT_TYPE_BALL, ball.body_a = "wall", ball.body_b = "rod";
    memcpy(ball.rotation, turn, sizeof turn);
    ball.swing = swing, ball.twist[0] = -twist, ball.twist[1] = twist;
    if (center) memcpy(ball.swing_center, center, sizeof ball.swing_center);
    sn_build_joint(&b, &ball);
    snSimDef sim = sn_default_sim_def();
    sim.gravity_scale = 0;
    return rig_of(sn_build_end(&b), sim);
}

/* A torque on the rod, and some drag so that it does not spin up. */
static void drive(Rig *r, v3 torque)
{
    v3 omega = q_rotate(r->s->body[1].q, v3_load(r->s->velocity + 6));
    v3_store(r->s->torque + 3, v3_mad(torque, -0.1, omega));
    rig_run(r, 0.004);
}

static double swing_of(const Rig *r, v3 center)
{
    double row[12];
    return sn_joint_swing(&r->m->joint[0], r->s->body[0], r->s->body[1], center, row) / SN_DEG;
}

static double twist_of(const Rig *r)
{
    double row[12];
    return sn_joint_twist(&r->m->joint[0], r->s->body[0], r->s->body[1], row) / SN_DEG;
}

/* Pushes the rod away from the middle of its cone, each time in another direction; the furthest it gets. */
static void rod_stops_at_its_cone(void **state)
{
    (void)state;
    static const double tilted[3] = {0.6, 0.8, 0};
    static const struct {
        double swing;
        const double *center;
    } run[] = {{30, NULL}, {100, NULL}, {150, NULL}, {80, tilted}};
    for (int k = 0; k < 4; ++k) {
        v3 center = run[k].center ? v3_load(run[k].center) : v3_of(1, 0, 0);
        double furthest = 0, least = 1e9, drift = 0;
        for (int way = 0; way < 6; ++way) {
            Rig r = rod(run[k].swing, run[k].center, 0);
            double angle = way * SN_PI / 3, reached = 0;
            v3 push = v3_of(2 * cos(angle), 0.2, 2 * sin(angle));
            for (int i = 0; i < 500; ++i) {
                drive(&r, push);
                reached = fmax(reached, swing_of(&r, center));
                for (int32_t j = 0; j < 3; ++j) drift = fmax(drift, fabs(r.s->joint_gap[j]));
            }
            furthest = fmax(furthest, reached), least = fmin(least, reached);
            rig_drop(&r);
        }
        print_message("cone of %g degrees: reached %.3f to %.3f, joint apart by %.1e m\n", run[k].swing, least,
                      furthest, drift);
        assert_at_most(furthest, run[k].swing + (run[k].swing == 80 ? 0.25 : 0.02));
        if (run[k].swing <= 100) assert_true(least > run[k].swing - 1); /* it got there */
    }
}

static void rod_stops_at_its_twist(void **state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        Rig r = rod(0, NULL, 40);
        double furthest = 0;
        for (int i = 0; i < 400; ++i) {
            v3 x = q_rotate(r.s->body[1].q, q_rotate(r.m->joint[0].frame_b.q, v3_of(1, 0, 0)));
            drive(&r, v3_add(v3_scale(x, 0.2 * way), v3_of(0, 0, i < 100 ? 1 : 0))); /* while it swings */
            furthest = fmax(furthest, way * twist_of(&r));
        }
        print_message("twist of 40 degrees: reached %.3f\n", furthest);
        assert_at_most(furthest, 40.02);
        assert_true(furthest > 39);
        rig_drop(&r);
    }
}

/* Without limits there are no rows, and what was there before has not moved. */
static void no_limit_no_row(void **state)
{
    (void)state;
    Rig r = rod(0, NULL, 0);
    assert_int_equal(r.m->pattern.njoint, 3);
    rig_drop(&r);
    r = rod(30, NULL, 10);
    assert_int_equal(r.m->pattern.njoint, 5);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_stops_at_its_cone),
        cmocka_unit_test(rod_stops_at_its_twist),
        cmocka_unit_test(no_limit_no_row),
    };
    return cmocka_run_group_tests_name("sim.cone", tests, NULL, NULL);
}
