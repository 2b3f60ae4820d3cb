/* Models on a tree: what a spec compiles into, in which order, and what the checker warns of. */
#include "check.h"

#include "base/alloc.h"
#include "model/model.h"
#include "sinew/model.h"

#include <string.h>

static void must(snStatus status)
{
    assert_int_equal(status, SN_OK);
}

static void add_body(snSpec *spec, const char *name, double x, bool pinned)
{
    snBodyDef def = sn_default_body_def();
    def.name = name, def.pinned = pinned;
    def.mass = 2;
    def.inertia[0] = 0.02, def.inertia[1] = 0.03, def.inertia[2] = 0.04;
    def.inertia_products[0] = 0.004, def.inertia_products[2] = -0.003;
    def.position[0] = x, def.position[1] = 0.1;
    def.rotation[0] = cos(0.3), def.rotation[3] = sin(0.3); /* 0.6 rad about z */
    must(sn_add_body(spec, &def, NULL));
}

static void add_coordinate(snSpec *spec, const char *name, const char *parent, const char *body, bool slides)
{
    snCoordinateDef def = sn_default_coordinate_def();
    def.name = name, def.parent = parent, def.body = body;
    def.type = slides ? SN_COORDINATE_SLIDE : SN_COORDINATE_TURN;
    def.axis[0] = 0.6, def.axis[2] = 0.8;
    def.center[0] = 0.25;
    def.range[0] = -30, def.range[1] = 90;
    def.stiffness = 3, def.damping = 0.2, def.rest = 10, def.compression = 0.007;
    must(sn_add_coordinate(spec, &def, NULL));
}

static void add_muscle(snSpec *spec, const char *name, const char *unit, const char *bodies, const char *coupled,
                       double y)
{
    double point[] = {0, y, 0, 0.3, y, 0, 0.5, y, 0.1};
    snLineMuscleDef def = sn_default_line_muscle_def();
    def.name = name, def.unit = unit, def.bodies = bodies, def.coupled = coupled;
    def.npoint = 3, def.point = point;
    def.max_force = 100, def.fiber_length = 0.1, def.fiber_neutral = 0.9, def.pennation = 60;
    must(sn_add_line_muscle(spec, &def, NULL));
}

/* The coordinates of the second link stand before those of the first, and those of one body apart. */
static snSpec *arm(void)
{
    snSpec *spec = sn_spec_create();
    assert_non_null(spec);
    snModelDef model = sn_default_model_def();
    model.type = SN_MODEL_TREE;
    must(sn_set_model(spec, &model));
    add_body(spec, "base", 0, true);
    add_body(spec, "hand", 0.5, false);
    add_body(spec, "fore", 0.2, false);
    add_coordinate(spec, "wrist.flexion", "fore", "hand", false);
    add_coordinate(spec, "elbow.flexion", "base", "fore", false);
    add_coordinate(spec, "wrist.slide", "fore", "hand", true);
    add_coordinate(spec, "elbow.rotation", "base", "fore", false);
    add_muscle(spec, "flexor_a", "flexor", "base fore hand", "pair", 0.03);
    add_muscle(spec, "extensor", "", "base fore hand", "pair", -0.03);
    add_muscle(spec, "flexor_b", "flexor", "world fore fore", "", 0.02);
    add_muscle(spec, "third", "", "base hand hand", "pair", 0.04);
    snSpringDef spring = sn_default_spring_def();
    spring.name = "band", spring.body_a = "base", spring.body_b = "hand", spring.stiffness = 70;
    spring.point[1] = 0.5;
    must(sn_add_spring(spec, &spring, NULL));
    return spec;
}

static snModel *compiled_arm(void)
{
    snSpec *spec = arm();
    snModel *m = NULL;
    snError error = {0};
    if (sn_compile(spec, &m, &error) != SN_OK) print_error("%s: %s\n", error.element, error.message);
    sn_spec_destroy(spec);
    assert_non_null(m);
    assert_non_null(m->skeleton);
    return m;
}

static void parents_come_before_children(void **state)
{
    (void)state;
    snModel *m = compiled_arm();
    const snTree *t = &m->skeleton->tree;
    assert_int_equal(t->ndof, 4);
    const char *const order[] = {"elbow.flexion", "elbow.rotation", "wrist.flexion", "wrist.slide"};
    for (int32_t k = 0; k < 4; ++k) {
        assert_string_equal(sn_name(m, SN_ITEM_COORDINATE, k), order[k]);
        assert_int_equal(sn_find(m, SN_ITEM_COORDINATE, order[k]), k);
        assert_int_equal(t->parent[k], k - 1);
    }
    assert_true(t->slides[3] && !t->slides[2]);
    assert_int_equal(t->body_link[0], -1);
    assert_int_equal(t->body_link[1], 3);
    assert_int_equal(t->body_link[2], 1);
    assert_int_equal(t->spring_a[0], -1);
    assert_int_equal(t->spring_b[0], 3);
    assert_near(t->lower[0], -30 * SN_DEG, 1e-15);
    assert_near(t->upper[3], 90, 1e-12); /* a slide counts in metres */
    assert_near(t->rest[1], 10 * SN_DEG, 1e-15);
    assert_near(t->rest[3], 10, 0);
    assert_near(m->skeleton->compression[2], 0.007, 0);
    sn_model_destroy(m);
}

/* Turned by 0.6 rad about z, the tensor of the node's axes in the world is R I R'. */
static void inertia_is_that_of_the_world(void **state)
{
    (void)state;
    snModel *m = compiled_arm();
    const double *have = m->skeleton->tree.inertia + 6;
    m3 r = m3_from_q(q_axis_angle(v3_of(0, 0, 1), 0.6)),
       t = {{r.m[0], r.m[3], r.m[6], r.m[1], r.m[4], r.m[7], r.m[2], r.m[5], r.m[8]}};
    m3 I = {{0.02, 0.004, 0, 0.004, 0.03, -0.003, 0, -0.003, 0.04}}, half = m3_mul(&r, &I), want = m3_mul(&half, &t);
    const int at[] = {0, 4, 8, 1, 2, 5};
    for (int i = 0; i < 6; ++i) assert_near(have[i], want.m[at[i]], 1e-14);
    assert_near(m->skeleton->tree.mass[1], 2, 1e-12);
    assert_near(m->skeleton->tree.com[3], 0.5, 1e-12);
    sn_model_destroy(m);
}

static void paths_make_units(void **state)
{
    (void)state;
    snModel *m = compiled_arm();
    const snSkeleton *s = m->skeleton;
    assert_int_equal(s->path.npath, 4);
    assert_int_equal(sn_count(m, SN_ITEM_MUSCLE), 3);
    assert_string_equal(sn_name(m, SN_ITEM_MUSCLE, 0), "flexor");
    assert_string_equal(sn_name(m, SN_ITEM_MUSCLE, 1), "extensor");
    assert_int_equal(s->unit_pathadr[1], 2);
    assert_int_equal(s->unit_path[0], 0);
    assert_int_equal(s->unit_path[1], 2);
    assert_int_equal(s->ncouple, 2);
    assert_int_equal(s->couple[0], 0);
    assert_int_equal(s->couple[1], 1);
    assert_int_equal(s->couple[2], 1);
    assert_int_equal(s->couple[3], 2);
    const int32_t *link = s->path.point_link;
    assert_int_equal(link[0], -1);
    assert_int_equal(link[1], 1);
    assert_int_equal(link[2], 3);
    assert_int_equal(link[6], -1);
    const snPathMuscle *p = &s->path.muscle[0];
    assert_near(p->max_force, 50, 1e-12); /* cos 60 deg */
    assert_near(p->fibre_length, 0.05, 1e-15);
    assert_near(p->neutral_length, 0.3 + hypot(0.2, 0.1), 1e-15);
    assert_near(p->passive_neutral, 0.9, 1e-15);
    assert_true(isinf(p->v_max));
    assert_int_equal(s->path.law[p->active_law].kind, SN_LAW_HILL_ACTIVE);
    assert_int_equal(s->path.law[p->passive_law].kind, SN_LAW_HILL_PASSIVE);
    sn_model_destroy(m);
}

static bool warns(const snSpec *spec, const char *text)
{
    snProblems problems;
    bool found = false;
    must(sn_check(spec, &problems));
    for (int32_t i = 0; i < problems.count; ++i) found = found || strstr(problems.problem[i].message, text);
    sn_problems_free(&problems);
    return found;
}

static void what_muscles_cannot_move_is_named(void **state)
{
    (void)state;
    snSpec *spec = arm();
    assert_false(warns(spec, "no muscle moves it"));
    add_body(spec, "finger", 0.6, false);
    add_coordinate(spec, "finger.flexion", "hand", "finger", false);
    assert_true(warns(spec, "no muscle moves it"));
    add_muscle(spec, "pull", "", "hand hand finger", "", 0.05);
    assert_true(warns(spec, "muscles move it one way only"));
    assert_false(warns(spec, "no muscle moves it"));
    sn_spec_destroy(spec);
}

static void long_steps_and_wide_middles_are_warned_of(void **state)
{
    (void)state;
    snSpec *spec = arm();
    snModelDef model = *sn_spec_model(spec);
    model.step = 0.02;
    must(sn_set_model(spec, &model));
    assert_true(warns(spec, "too long for muscles"));
    assert_false(warns(spec, "second of three turns"));
    add_coordinate(spec, "elbow.swing", "base", "fore", false);
    assert_true(warns(spec, "second of three turns"));
    sn_spec_destroy(spec);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    snSpec *spec = arm();
    int64_t live = sn_alloc_live();
    for (int64_t n = 0; n < 1000; ++n) {
        snModel *m = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_compile(spec, &m, NULL);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) {
            sn_model_destroy(m);
            assert_true(n > 3);
            assert_int_equal(sn_alloc_live(), live);
            sn_spec_destroy(spec);
            return;
        }
        assert_int_equal(status, SN_NO_MEMORY);
        assert_int_equal(sn_alloc_live(), live);
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_come_before_children),
        cmocka_unit_test(inertia_is_that_of_the_world),
        cmocka_unit_test(paths_make_units),
        cmocka_unit_test(what_muscles_cannot_move_is_named),
        cmocka_unit_test(long_steps_and_wide_middles_are_warned_of),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("model.tree", tests, NULL, NULL);
}
