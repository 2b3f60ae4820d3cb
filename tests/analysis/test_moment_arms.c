/* Moment arms: closed forms, the agreement of both ways on the finger, and the static check.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "compiled.h"

#include "analysis/own/muscles.h"
#include "base/alloc.h"
#include "build.h"
#include "scenes.h"
#include "sim/state.h"
#include "sinew/control.h"

#include <string.h>

static const double DRUM = 0.01;

static snArms *arms_of(const snModel *m)
{
    snArms *arms = NULL;
    snError error;
    if (sn_moment_arms(m, NULL, &arms, &error) != SN_OK) print_error("%s\n", error.message);
    assert_non_null(arms);
    return arms;
}

static const snArmCurve *curve_of(const snModel *m, const snArms *arms, const char *strand, const char *coordinate)
{
    int32_t s = sn_find(m, SN_ITEM_STRAND, strand), c = sn_find(m, SN_ITEM_COORDINATE, coordinate);
    for (int32_t i = 0; i < arms->ncurve; ++i)
        if (arms->curve[i].strand == s && arms->curve[i].coordinate == c) return &arms->curve[i];
    print_error("no curve of %s about %s\n", strand, coordinate);
    fail();
    return NULL;
}

/* A frame and an arm that turns about z through the origin, limits in degrees. */
static void add_arm(snBuild *build, double lower, double upper)
{
    static const double nowhere[3] = {0}, small[3] = {0.01, 0.01, 0.01}, middle[3] = {0.06, 0, 0},
                        half[3] = {0.06, 0.01, 0.01};
    sn_build_body(build, "frame", nowhere, NULL, small, 0);
    sn_build_body(build, "arm", middle, NULL, half, 0.1);
    snJointDef hinge = sn_default_joint_def();
    hinge.name = "elbow";
    hinge.type = SN_JOINT_TYPE_HINGE;
    hinge.body_a = "frame";
    hinge.body_b = "arm";
    hinge.limited = true;
    hinge.lower[0] = lower;
    hinge.upper[0] = upper;
    sn_build_joint(build, &hinge);
}

static snStrandDef muscle(void)
{
    snStrandDef def = sn_default_strand_def();
    def.name = "biceps";
    def.density = 1000;
    def.radius = 0.001;
    def.damping = 0.001;
    def.stiffness = 1e7;
    def.tendon_stiffness = 1e8;
    def.max_force = 400; /* taut over the whole range */
    def.tension_only = false;
    return def;
}

/* The arm with one muscle along a path, with a drum on its hinge or without. */
static snModel *arm_with(const snPath *path, double lower, double upper, bool drum)
{
    static const double nowhere[3] = {0}, axis[3] = {0, 0, 1};
    snBuild build = sn_build_begin();
    sn_build_model(&build, 0.1, 0);
    add_arm(&build, lower, upper);
    if (drum) sn_build_cylinder(&build, "drum", "frame", nowhere, axis, DRUM, 0.05);
    snStrandDef def = muscle();
    sn_build_strand(&build, &def, path);
    return compiled(sn_build_end(&build));
}

/* From one eyelet on the frame to one on the arm: L = |E1 - turned E2| plus what does not change. */
static void straight_strand_has_the_closed_form(void **state)
{
    (void)state;
    snVia via[] = {{.p = {-0.15, 0.02, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {-0.03, 0.02, 0}, .kind = SN_VIA_SLIDING, .on = "frame"},
                   {.p = {0.04, 0.015, 0}, .kind = SN_VIA_SLIDING, .on = "arm"},
                   {.p = {0.08, 0.01, 0}, .kind = SN_VIA_FIXED, .on = "arm"}};
    snPath path = {.via = via, .nvia = 4, .npoint = 80, .belly = 0.08};
    snModel *m = arm_with(&path, -30, 30, false);
    snArms *arms = arms_of(m);
    const snArmCurve *c = curve_of(m, arms, "biceps", "elbow.0");
    double worst = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        v3 a = {-0.03, 0.02, 0},
           b = {0.04 * cos(c->q[k]) - 0.015 * sin(c->q[k]), 0.04 * sin(c->q[k]) + 0.015 * cos(c->q[k]), 0};
        v3 along = v3_unit(v3_sub(a, b)); /* pulls the arm at b */
        double arm = b.x * along.y - b.y * along.x;
        worst = fmax(worst, fmax(fabs(c->excursion[k] - arm), fabs(c->work[k] - arm)));
    }
    print_message("straight: arm at rest %.3f mm, worst error %.4f mm, two ways differ %.4f mm\n", 1e3 * c->neutral,
                  1e3 * worst, 1e3 * c->worst);
    assert_int_equal(c->count, 61);
    assert_at_most(worst, 3e-4); /* 1.7 %: the strand rounds the kinks at its eyelets */
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

/* Around a drum the arm is its radius, wherever the strand wraps. */
static void wrapped_strand_has_the_radius(void **state)
{
    (void)state;
    snVia via[] = {{.p = {-0.15, DRUM, 0}, .kind = SN_VIA_FIXED, .on = "frame"},
                   {.p = {0, DRUM, 0}, .kind = SN_VIA_SURFACE, .on = "drum", .before = 0.024, .after = 0.024},
                   {.p = {0.1, DRUM, 0}, .kind = SN_VIA_FIXED, .on = "arm"}};
    snPath path = {.via = via, .nvia = 3, .npoint = 90, .belly = 0.08};
    snModel *m = arm_with(&path, -60, 0, true);
    snArms *arms = arms_of(m);
    const snArmCurve *c = curve_of(m, arms, "biceps", "elbow.0");
    double worst = 0;
    for (int32_t k = 0; k < c->count; ++k)
        worst = fmax(worst, fmax(fabs(c->excursion[k] - DRUM), fabs(c->work[k] - DRUM)));
    print_message("wrapped: mean %.3f mm of %.3f, worst error %.3f mm, two ways differ %.4f mm, jump %.3f mm\n",
                  1e3 * c->mean, 1e3 * DRUM, 1e3 * worst, 1e3 * c->worst, 1e3 * c->jump);
    assert_near(c->mean, DRUM, 0.02 * DRUM);
    assert_at_most(worst, 3e-4); /* contact points 4 mm apart: a polygon around the drum */
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

/* Both ways on every tendon and joint of the finger, also at full flexion, where eyelets on both sides of a knuckle all
 * but meet: the plain length is off there by what the bends stretch, the length by tension is not. */
static void both_ways_agree_on_the_finger(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snArms *arms = arms_of(m);
    int32_t poses = 0, good = 0;
    for (int32_t i = 0; i < arms->ncurve; ++i) {
        const snArmCurve *c = &arms->curve[i];
        for (int32_t k = 0; k < c->count; ++k, ++poses)
            good += fabs(c->work[k] - c->excursion[k]) <= fmax(2e-4, 0.02 * fabs(c->work[k]));
        if (c->difference > 5e-5)
            print_message("%s about %s: %.3f mm apart on average\n", sn_name(m, SN_ITEM_STRAND, c->strand),
                          sn_name(m, SN_ITEM_COORDINATE, c->coordinate), 1e3 * c->difference);
        assert_at_most(c->difference, 5e-5);
    }
    print_message("%d pairs, %d poses, %.1f %% within 2 %% or 0.2 mm\n", arms->ncurve, poses, 100.0 * good / poses);
    assert_int_equal(arms->ncurve, 27);
    assert_true(good > 0.99 * poses);
    assert_int_equal(arms->wrong_sides, 0);
    assert_true(curve_of(m, arms, "FDP2", "MCP.0")->mean > 0); /* flexors bend, extensors stretch */
    assert_true(curve_of(m, arms, "ED2", "MCP.0")->mean < 0);
    assert_true(curve_of(m, arms, "ED2", "DIP.0")->mean < 0);
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

/* The last joint of the finger alone, in steps of `turn` degrees. */
static snArmDef end_joint(const snModel *m, double turn)
{
    snArmDef def = sn_default_arm_def();
    def.joint = sn_find(m, SN_ITEM_JOINT, "DIP");
    def.turn = turn * SN_DEG;
    return def;
}

static void one_joint_is_enough_if_asked(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snArmDef def = end_joint(m, 5);
    snArms *arms = NULL;
    assert_int_equal(sn_moment_arms(m, &def, &arms, NULL), SN_OK);
    for (int32_t i = 0; i < arms->ncurve; ++i)
        assert_string_equal(sn_name(m, SN_ITEM_COORDINATE, arms->curve[i].coordinate), "DIP.0");
    assert_true(arms->ncurve > 0);
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snArmDef def = end_joint(m, 40);
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int n = 0; status != SN_OK && n < 1000; ++n) {
        snArms *arms = NULL;
        snStatics s = {0};
        snError error;
        sn_alloc_fail_after(n);
        status = sn_moment_arms(m, &def, &arms, &error);
        if (status == SN_OK) status = sn_static_check(m, arms->neutral, 0.1, &s, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_statics_free(&s);
        sn_arms_destroy(arms);
        assert_true(sn_alloc_live() == live);
    }
    assert_int_equal(status, SN_OK);
    sn_model_destroy(m);
}

/* ---- the static check ----------------------------------------------------------------------- */

/* Arms of the finger's shape by hand: a torque that one muscle gives alone takes no more; the
 * others must be cancelled. */
static void held_torques_are_met(void **state)
{
    (void)state;
    snModel *m = compiled(sn_scene("finger"));
    snArms *arms = arms_of(m);
    snStatics s;
    assert_int_equal(sn_static_check(m, arms->neutral, 0.01, &s, NULL), SN_OK);
    int32_t nc = sn_count(m, SN_ITEM_COORDINATE);
    assert_true(s.nhold > nc && s.nhold <= 2 * nc + 1);
    assert_int_equal(s.hold[s.nhold - 1].coordinate, -1);
    for (int32_t i = 0; i + 1 < s.nhold; ++i) {
        assert_true(s.hold[i].norm >= s.hold[i].alone * (1 - 1e-9) || s.hold[i].unmet > 1e-6);
        assert_true(s.hold[i].largest <= 1 + 1e-12);
    }
    bool twins = false; /* the two heads of the first dorsal interosseus */
    for (int32_t i = 0; i < s.ntwins; ++i) {
        const char *a = sn_name(m, SN_ITEM_MUSCLE, s.twins[i].a), *b = sn_name(m, SN_ITEM_MUSCLE, s.twins[i].b);
        twins = twins || (!strcmp(a, "DI1_s") && !strcmp(b, "DI1_d"));
        assert_true(s.twins[i].cosine <= 1 + 1e-12 && (i == 0 || s.twins[i].cosine <= s.twins[i - 1].cosine));
    }
    assert_true(twins);
    sn_statics_free(&s);
    snError error;
    assert_int_equal(sn_static_check(m, arms->neutral, 2, &s, &error), SN_BAD_INPUT);
    sn_arms_destroy(arms);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_strand_has_the_closed_form),
        cmocka_unit_test(wrapped_strand_has_the_radius),
        cmocka_unit_test(both_ways_agree_on_the_finger),
        cmocka_unit_test(one_joint_is_enough_if_asked),
        cmocka_unit_test(held_torques_are_met),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("analysis.moment_arms", tests, NULL, NULL);
}
