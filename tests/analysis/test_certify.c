/* The certificate: jumps and kinks whose place and size are known in closed form, smooth models without any, nothing to
 * measure. */
#include "compiled.h"

#include "analysis/own/certify.h"
#include "base/alloc.h"

#include <string.h>

static const double DEG = 0.017453292519943295, PI = 3.14159265358979324;
static const double ROUND = 0.02, OUT = 0.1, UP = 0.03; /* m: radius of the pulley; both ends of the muscle */

typedef struct Arm {
    double low, high; /* deg */
    bool pulley, coupled, off;
} Arm;

/* A bone that turns about z through the origin, a muscle from (-OUT, UP) to (OUT, UP) on it, over a pulley of the world;
 * coupled: the hinge follows another coordinate, one for one up to 10 degrees and twice as fast beyond; off: the muscle is disabled. */
static snSpec *make_arm(Arm a)
{
    static const double line[6] = {-0.1, 0.03, 0, 0.1, 0.03, 0}, table[6] = {0, 0, 10, 10, 20, 30};
    snSpec *spec = sn_spec_create();
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE;
    snBodyDef base = sn_default_body_def(), bone = base;
    base.name = "base", base.mass = 1, base.pinned = true;
    bone.name = "bone", bone.mass = 1, bone.inertia[0] = bone.inertia[1] = bone.inertia[2] = 0.01;
    snCoordinateDef turn = sn_default_coordinate_def(), crank = turn;
    turn.name = "elbow.flexion", turn.parent = "base", turn.body = "bone";
    turn.axis[0] = turn.axis[1] = 0, turn.axis[2] = 1, turn.range[0] = a.low, turn.range[1] = a.high;
    crank = turn;
    crank.name = "crank", crank.type = SN_COORDINATE_NONE;
    if (a.coupled) turn.follows = "crank", turn.function = SN_FOLLOWING_TABLE, turn.nvalue = 6, turn.value = table;
    snNodeDef pulley = sn_default_node_def();
    pulley.name = "pulley", pulley.kind = SN_NODE_SHAPE, pulley.shape = SN_SHAPE_CYLINDER, pulley.extent[0] = ROUND;
    snLineMuscleDef muscle = sn_default_line_muscle_def();
    muscle.name = "flexor", muscle.bodies = "base bone", muscle.npoint = 2, muscle.point = line;
    muscle.wraps = a.pulley ? "pulley" : "";
    muscle.enabled = !a.off, muscle.max_force = 500, muscle.fiber_length = 0.1;
    assert_false(sn_set_model(spec, &model) || sn_add_body(spec, &base, NULL) || sn_add_body(spec, &bone, NULL));
    if (a.coupled) assert_int_equal(sn_add_coordinate(spec, &crank, NULL), SN_OK);
    assert_int_equal(sn_add_coordinate(spec, &turn, NULL), SN_OK);
    assert_int_equal(sn_add_node(spec, &pulley, NULL), SN_OK);
    assert_int_equal(sn_add_line_muscle(spec, &muscle, NULL), SN_OK);
    return spec;
}

static snCertificate *certificate_of(const snModel *m, const snCertifyDef *def)
{
    snCertificate *c = NULL;
    snError error = {0};
    if (sn_certify(m, def, &c, &error) != SN_OK) print_error("%s\n", error.message);
    assert_non_null(c);
    return c;
}

/* Over the pulley the path is drawn on, its side is kept until both ends are level again on the far side: half a turn
 * from where it was drawn, whatever the radius. There the long way around gives up for the straight line. */
static void the_side_flips_where_it_must(void **state)
{
    (void)state;
    snModel *m = compiled(make_arm((Arm){-200, 20, true, false, false}));
    snCertificate *c = certificate_of(m, NULL);
    double far = sqrt(OUT * OUT + UP * UP), between = 2 * atan2(UP, OUT);
    double around = 2 * (sqrt(far * far - ROUND * ROUND) - ROUND * acos(ROUND / far)) + ROUND * (2 * PI - between);
    assert_true(c->npair == 1 && c->njump > 1); /* at rest, and at random poses again: there is only one coordinate */
    for (int32_t i = 0; i < c->njump; ++i) {
        assert_int_equal(c->jump[i].kind, SN_JUMP_LENGTH);
        assert_near(c->jump[i].value / DEG, -180, 1e-6);
        assert_near(c->jump[i].size, around - 2 * UP, 1e-9);
        assert_near(c->jump[i].after, around, 1e-9);
    }
    assert_int_equal(c->pair[0].njump, c->njump);
    assert_true(c->worst_difference < 1e-6); /* from one side at the jump itself, which is a pose */
    sn_certificate_destroy(c);
    sn_model_destroy(m);
}

static void lifting_off_is_no_jump(void **state)
{
    (void)state;
    snModel *m = compiled(make_arm((Arm){-100, 60, true, false, false}));
    snCertificate *c = certificate_of(m, NULL);
    assert_int_equal(c->njump, 0);
    assert_int_equal(c->poses, 200);
    assert_true(c->measured > 200 && c->worst_difference < 1e-8);
    sn_certificate_destroy(c);
    sn_model_destroy(m);
}

/* d of two points a distance R from the hinge, at an angle of 180 degrees less between and turned by q. */
static double arm_at(double q)
{
    double far2 = OUT * OUT + UP * UP, angle = PI - 2 * atan2(UP, OUT) - q;
    double length = sqrt(2 * far2 * (1 - cos(angle)));
    return far2 * sin(angle) / length; /* -dl/dq: the angle falls as q rises */
}

static void a_coupling_with_a_corner_is_a_kink(void **state)
{
    (void)state;
    snModel *m = compiled(make_arm((Arm){0, 20, false, true, false}));
    snCertifyDef def = sn_default_certify_def();
    def.turn = 0.7 * DEG; /* so that the corner is between two poses */
    def.poses = 0;
    snCertificate *c = certificate_of(m, &def);
    assert_int_equal(c->njump, 1);
    assert_int_equal(c->jump[0].kind, SN_JUMP_ARM);
    assert_near(c->jump[0].value / DEG, 10, 1e-6);
    assert_near(c->jump[0].size, arm_at(10 * DEG), 1e-8);
    assert_near(c->jump[0].before, arm_at(10 * DEG), 1e-8);
    assert_near(c->jump[0].after, 2 * arm_at(10 * DEG), 1e-8);
    def.arm_jump = 2 * c->jump[0].size;
    sn_certificate_destroy(c);
    c = certificate_of(m, &def);
    assert_int_equal(c->njump, 0);
    sn_certificate_destroy(c);
    sn_model_destroy(m);
}

static void nothing_measured_is_a_failure(void **state)
{
    (void)state;
    snModel *m = compiled(make_arm((Arm){-100, 60, false, false, true}));
    snCertificate *c = NULL;
    snError error = {0};
    assert_int_equal(sn_certify(m, NULL, &c, &error), SN_BAD_INPUT);
    assert_null(c);
    assert_non_null(strstr(error.message, "nothing was measured"));
    sn_model_destroy(m);
}

static void arms_on_a_tree_are_closed_forms(void **state)
{
    (void)state;
    snModel *m = compiled(make_arm((Arm){-60, 60, false, false, false}));
    snArms *arms = NULL;
    assert_int_equal(sn_moment_arms(m, NULL, &arms, NULL), SN_OK);
    assert_int_equal(arms->ncurve, 1);
    assert_int_equal(arms->curve[0].count, 121);
    for (int32_t k = 0; k < arms->curve[0].count; ++k) {
        assert_near(arms->curve[0].work[k], arm_at(arms->curve[0].q[k]), 1e-12);
        assert_near(arms->curve[0].excursion[k], arm_at(arms->curve[0].q[k]), 1e-8);
    }
    assert_near(arms->neutral[0], arm_at(0), 1e-12);
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    snModel *m = compiled(make_arm((Arm){-200, 20, true, false, false}));
    snCertifyDef def = sn_default_certify_def();
    def.poses = 1;
    int64_t before = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int64_t n = 0; status != SN_OK && n < 1000; ++n) {
        snCertificate *c = NULL;
        sn_alloc_fail_after(n);
        status = sn_certify(m, &def, &c, NULL);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_certificate_destroy(c);
        assert_int_equal(sn_alloc_live(), before);
    }
    assert_int_equal(status, SN_OK);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_side_flips_where_it_must),       cmocka_unit_test(lifting_off_is_no_jump),
        cmocka_unit_test(a_coupling_with_a_corner_is_a_kink), cmocka_unit_test(nothing_measured_is_a_failure),
        cmocka_unit_test(arms_on_a_tree_are_closed_forms),    cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
