/* Inverse dynamics with the bones on the motion: what muscles have made needs nothing more, what they cannot make lacks
 * what it should, and the activations that are found make the motion when the bones are let go. */
#include "check.h"

#include "analysis/feasible.h"
#include "control/inverse.h"
#include "scenes.h"
#include "sim/state.h"
#include "sinew/control.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 150 };

typedef struct Rig {
    snSpec *spec;
    snModel *m;
    snState *s;
    rigid *pose; /* STEPS + 1 rows */
} Rig;

static Rig rig(void)
{
    Rig r = {.spec = sn_scene("finger")};
    assert_non_null(r.spec);
    assert_int_equal(sn_compile(r.spec, &r.m, NULL), SN_OK);
    assert_int_equal(sn_state_create(r.m, NULL, &r.s, NULL), SN_OK);
    r.pose = calloc((STEPS + 1) * (size_t)r.m->nbody, sizeof *r.pose);
    return r;
}

static void drop(Rig r)
{
    sn_state_destroy(r.s);
    sn_model_destroy(r.m);
    sn_spec_destroy(r.spec);
    free(r.pose);
}

static double made_by(int step, int32_t muscle)
{
    return 0.01 * (1 - cos(0.03 * step)) * (1 + 0.5 * sin(muscle));
}

static void note(Rig *r, int row)
{
    memcpy(r->pose + row * r->m->nbody, r->s->body, sizeof(rigid) * (size_t)r->m->nbody);
}

/* A motion that the muscles make, step by step. */
static void make_motion(Rig *r)
{
    note(r, 0);
    for (int i = 0; i < STEPS; ++i) {
        for (int32_t k = 0; k < r->m->nmuscle; ++k) r->s->activation[k] = made_by(i, k);
        assert_int_equal(sn_step(r->m, r->s), SN_OK);
        note(r, i + 1);
    }
    sn_state_reset(r->m, r->s);
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static void what_muscles_make_needs_nothing_more(void **state)
{
    (void)state;
    Rig r = rig();
    make_motion(&r);
    snInverse *inverse = sn_inverse_create(r.m, r.s, 1);
    assert_non_null(inverse);
    double worst = 0;
    for (int i = 0; i < STEPS; ++i) {
        assert_int_equal(sn_inverse_step(inverse, r.pose + (i + 1) * r.m->nbody), SN_OK);
        worst = fmax(worst, largest(sn_inverse_unmet(inverse), r.m->ncoord));
    }
    print_message("unmet in a motion that muscles have made: %.1e N m\n", worst);
    assert_at_most(worst, 1e-9);
    sn_inverse_destroy(inverse);
    drop(r);
}

/* The activations found with the bones held are those that hold the bones when they are free. */
static void bones_stay_when_they_are_let_go(void **state)
{
    (void)state;
    Rig r = rig();
    make_motion(&r);
    snInverse *inverse = sn_inverse_create(r.m, r.s, 1);
    int half = STEPS / 2;
    for (int i = 0; i < half; ++i) assert_int_equal(sn_inverse_step(inverse, r.pose + (i + 1) * r.m->nbody), SN_OK);
    for (int i = 0; i < 50; ++i) assert_int_equal(sn_inverse_step(inverse, r.pose + half * r.m->nbody), SN_OK);
    sn_inverse_destroy(inverse);
    for (int i = 0; i < 5; ++i) assert_int_equal(sn_step(r.m, r.s), SN_OK);
    double away = 0;
    for (int32_t b = 0; b < r.m->nbody; ++b) {
        away = fmax(away, v3_dist(r.s->body[b].p, r.pose[half * r.m->nbody + b].p));
        assert_int_equal(r.s->driven[b], 0);
    }
    print_message("moved within 20 ms after being let go: %.1e m\n", away);
    assert_at_most(away, 4e-5);
    drop(r);
}

static void unmet_at_rest(Rig *r, snInverse *inverse, int steps, double *unmet)
{
    for (int i = 0; i < steps; ++i) assert_int_equal(sn_inverse_step(inverse, r->pose), SN_OK);
    memcpy(unmet, sn_inverse_unmet(inverse), sizeof(double) * (size_t)r->m->ncoord);
}

/* Without strength, a force on a bone adds its torque about each joint to what is unmet. */
static void force_that_nobody_holds_is_unmet(void **state)
{
    (void)state;
    Rig r = rig();
    const double small = 1e-5;
    const v3 force = {0.3, -0.5, 0.2};
    int32_t last = r.m->nbody - 1;
    double q[8] = {0}, without[8], with[8];
    rigid *low = calloc((size_t)r.m->nbody, sizeof *low), *high = calloc((size_t)r.m->nbody, sizeof *high);
    assert_true(r.m->ncoord <= 8 && r.m->body_free[last] >= 0);
    memset(r.s->strength, 0, sizeof(double) * (size_t)r.m->nmuscle);
    note(&r, 0);
    snInverse *inverse = sn_inverse_create(r.m, r.s, 1);
    unmet_at_rest(&r, inverse, 100, without);
    v3_store(r.s->force + 3 * last, force);
    unmet_at_rest(&r, inverse, 1, with); /* slack strands go on swaying a little */
    for (int32_t c = 0; c < r.m->ncoord; ++c) {
        q[c] = -small, sn_pose_bodies(r.m, q, low);
        q[c] = small, sn_pose_bodies(r.m, q, high);
        q[c] = 0;
        double torque = v3_dot(force, v3_sub(high[last].p, low[last].p)) / (2 * small);
        assert_near(with[c] - without[c], -torque, 6e-7);
    }
    sn_inverse_destroy(inverse);
    free(low);
    free(high);
    drop(r);
}

/* The whole motion at once, as a track: the same answer, and a weak hand lacks something. */
static void a_motion_is_judged(void **state)
{
    (void)state;
    Rig r = rig();
    double time[41], *q = calloc((size_t)(41 * r.m->ncoord), sizeof *q);
    for (int i = 0; i < 41; ++i) {
        time[i] = 0.02 * i;
        q[i * r.m->ncoord] = 20 * SN_DEG * (0.5 - 0.5 * cos(2 * SN_PI * time[i] / 0.8));
    }
    snTrack *motion = NULL;
    snFeasible slow, fast;
    assert_int_equal(sn_motion_from_coordinates(r.m, 41, time, q, &motion), SN_OK);
    assert_int_equal(sn_feasible(r.m, motion, NULL, &slow, NULL), SN_OK);
    sn_track_destroy(motion);
    for (int i = 0; i < 41; ++i) time[i] *= 0.02; /* 60 Hz is too fast for anybody */
    assert_int_equal(sn_motion_from_coordinates(r.m, 41, time, q, &motion), SN_OK);
    assert_int_equal(sn_feasible(r.m, motion, NULL, &fast, NULL), SN_OK);
    print_message("unmet: %.1e N m, and %.1e when fifty times as fast\n", slow.unmet, fast.unmet);
    assert_at_most(slow.unmet, 1e-3);
    assert_true(fast.unmet > 0.1);
    assert_true(fast.activation <= 1);
    sn_track_destroy(motion);
    free(q);
    drop(r);
}

/* ---- paths: what a step of free bones gave is what the same step takes with the bones driven ------- */

typedef struct Audit {
    snEffort *effort;
    const double *given; /* nmuscle: activations of the free step */
    double torque[64], need[8], off;
} Audit;

static void audit(void *context, const snModel *m, snState *s)
{
    Audit *a = context;
    sn_effort_find(a->effort, 1, a->torque, a->need);
    for (int32_t c = 0; c < m->ncoord; ++c) {
        double left = a->need[c];
        for (int32_t k = 0; k < m->nmuscle; ++k) left -= a->torque[c * m->nmuscle + k] * a->given[k];
        a->off = fmax(a->off, fabs(left));
    }
    memcpy(sn_plant_activation(s), a->given, sizeof(double) * (size_t)m->nmuscle);
}

/* The state one step back, and that step again with the bones driven to where it led: the largest torque by which need
 * and gift differ. */
static double repeat_driven(const snModel *m, snState *s, const void *before, size_t size, Audit *a)
{
    rigid *next = calloc((size_t)m->nbody, sizeof *next);
    memcpy(next, s->body, sizeof *next * (size_t)m->nbody);
    assert_int_equal(sn_state_load(m, s, before, size), SN_OK);
    a->off = 0, a->effort = sn_effort_create(m, s);
    assert_non_null(a->effort);
    for (int32_t b = 0; b < m->nbody; ++b) {
        sn_plant_drive(m, s, b, true);
        if (m->body_mode[b] != SN_BODY_PINNED) sn_plant_aim(s, b, next[b]);
    }
    (void)sn_plant_control(s, (snController){audit, a});
    memcpy(s->activation, a->given, sizeof(double) * (size_t)m->nmuscle);
    assert_int_equal(sn_step(m, s), SN_OK);
    (void)sn_plant_control(s, (snController){0});
    sn_effort_destroy(a->effort);
    free(next);
    return a->off;
}

/* A finger of two bones that its flexor throws: the largest difference of need and gift within 60 ms, the largest
 * torque of the flexor and the speed in *torque and *speed. */
static double throw_finger(double h, double *torque, double *speed)
{
    snSpec *spec = sn_scene_path_finger(1.2e9);
    snModel *m = NULL;
    snState *s = NULL;
    double given[4] = {0}, off = 0;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    assert_true(m->nmuscle <= 4 && m->ncoord <= 8);
    sn_plant_set_step(s, h);
    size_t size = sn_state_save(m, s, NULL);
    void *before = malloc(size), *after = malloc(size);
    Audit a = {.given = given};
    *torque = *speed = 0;
    for (int i = 0; i < (int)(0.06 / h + 0.5); ++i) {
        given[0] = 0.3 * (i + 1) * h / 0.06;
        memcpy(s->activation, given, sizeof(double) * (size_t)m->nmuscle);
        (void)sn_state_save(m, s, before);
        assert_int_equal(sn_step(m, s), SN_OK);
        for (int32_t b = 0; b < m->nbody; ++b) *speed = fmax(*speed, v3_len(v3_load(s->velocity + 6 * b)));
        (void)sn_state_save(m, s, after);
        off = fmax(off, repeat_driven(m, s, before, size, &a));
        *torque = fmax(*torque, fabs(a.torque[0] * given[0]));
        assert_int_equal(sn_state_load(m, s, after, size), SN_OK);
    }
    free(before);
    free(after);
    sn_state_destroy(s);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return off;
}

static void what_paths_give_is_what_the_step_takes(void **state)
{
    (void)state;
    double torque, speed, off[3];
    for (int i = 0; i < 3; ++i) {
        double h = 4e-3 / (1 << i);
        off[i] = throw_finger(h, &torque, &speed);
        print_message(
            "paths, step %.0f ms: what a finger needs that is thrown at %.0f rad/s and what its muscles give differ "
            "by %.1e of %.2f N m\n",
            1e3 * h, speed, off[i], torque);
        assert_true(speed > 10);
        if (i) assert_at_most(off[i], off[i - 1] / 3); /* of second order */
    }
    assert_at_most(off[0], 0.01 * torque);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_muscles_make_needs_nothing_more),   cmocka_unit_test(bones_stay_when_they_are_let_go),
        cmocka_unit_test(force_that_nobody_holds_is_unmet),       cmocka_unit_test(a_motion_is_judged),
        cmocka_unit_test(what_paths_give_is_what_the_step_takes),
    };
    return cmocka_run_group_tests_name("control.inverse", tests, NULL, NULL);
}
