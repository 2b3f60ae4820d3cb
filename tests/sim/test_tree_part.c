/* A tree behind sn_step: the same steps as by hand, states that are saved and put back, forces on bodies, poses. */
#include "check.h"

#include "base/alloc.h"
#include "sim/own/state.h"
#include "sim/state.h"
#include "sinew/record.h"
#include "sinew/sim.h"
#include "upper_body/upper_body.h"

#include <stdlib.h>
#include <string.h>

static snSpec *spec;
static snModel *m;

static int set_up(void **state)
{
    (void)state;
    snUpperBodyDef def = sn_default_upper_body_def();
    snError error = {0};
    def.tables = SINEW_SOURCE_DIR "/models/body", def.meshes = false;
    if (sn_author_upper_body(&def, &spec, &error) || sn_compile(spec, &m, &error)) {
        print_error("%s\n", error.message);
        return 1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sn_model_destroy(m);
    sn_spec_destroy(spec);
    return 0;
}

static snState *begin(void)
{
    snState *s = NULL;
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    return s;
}

static double *field(snState *s, const char *name)
{
    snView view;
    assert_int_equal(sn_field(m, s, name, &view), SN_OK);
    return view.data;
}

static void steps_are_those_of_the_tree(void **state)
{
    (void)state;
    snState *s = begin();
    snTreeSim *t = sn_treesim_create(&m->skeleton->tree, &m->skeleton->path);
    double *activation = field(s, "muscle.activation");
    t->h = s->h, t->gravity = m->gravity;
    for (int32_t i = 0; i < m->nmuscle; i += 7) activation[i] = 0.1;
    for (int32_t p = 0; p < t->paths->npath; ++p) t->activation[p] = activation[m->skeleton->path_unit[p]];
    for (int i = 0; i < 30; ++i) {
        assert_int_equal(sn_step(m, s), SN_OK);
        assert_int_equal(sn_treesim_step(t), SN_OK);
    }
    assert_memory_equal(field(s, "joint.coordinate"), t->q, sizeof(double) * (size_t)m->ncoord);
    assert_true(fabs(t->q[0]) > 1e-6);
    sn_treesim_destroy(t);
    sn_state_destroy(s);
}

static void lines_are_drawn_after_the_step_that_counts(void **state)
{
    (void)state;
    snState *quiet = begin(), *loud = begin();
    size_t bytes = 3 * sizeof(double) * (size_t)sn_tree_drawn(m);
    double *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, field(quiet, "line.point"), bytes);
    for (int i = 0; i < 5; ++i) {
        sn_set_quiet(quiet, i < 4);
        assert_int_equal(sn_step(m, quiet), SN_OK);
        assert_int_equal(sn_step(m, loud), SN_OK);
        assert_true((memcmp(field(quiet, "line.point"), before, bytes) == 0) == (i < 4));
    }
    assert_memory_equal(field(quiet, "line.point"), field(loud, "line.point"), bytes);
    assert_memory_equal(field(quiet, "line.tension"), field(loud, "line.tension"),
                        sizeof(double) * (size_t)m->skeleton->path.npath);
    free(before);
    sn_state_destroy(loud);
    sn_state_destroy(quiet);
}

static void going_on_from_a_saved_state_is_bit_equal(void **state)
{
    (void)state;
    snState *s = begin(), *other = begin();
    for (int i = 0; i < 10; ++i) assert_int_equal(sn_step(m, s), SN_OK);
    size_t size = sn_state_save(m, s, NULL);
    void *bytes = malloc(size);
    (void)sn_state_save(m, s, bytes);
    assert_int_equal(sn_state_load(m, other, bytes, size), SN_OK);
    assert_memory_equal(field(other, "body.position"), field(s, "body.position"),
                        sizeof(double) * 3 * (size_t)m->nbody);
    for (int i = 0; i < 10; ++i) {
        assert_int_equal(sn_step(m, s), SN_OK);
        assert_int_equal(sn_step(m, other), SN_OK);
    }
    assert_true(sn_state_hash(s) == sn_state_hash(other));
    assert_int_equal(sn_state_reset(m, s), SN_OK);
    assert_false(sn_state_hash(s) == sn_state_hash(other));
    assert_near(field(s, "joint.coordinate")[0], 0, 0);
    free(bytes);
    sn_state_destroy(s);
    sn_state_destroy(other);
}

/* Poses by the state and without it, and lines drawn from either; velocities of bodies are
 * differences of their poses. */
static void bodies_and_lines_agree(void **state)
{
    (void)state;
    snState *s = begin();
    double *q = calloc((size_t)m->ncoord, sizeof *q), *pose = calloc(7 * (size_t)m->nbody, sizeof *pose);
    double *point = calloc(3 * (size_t)sn_tree_drawn(m), sizeof *point);
    for (int32_t i = 0; i < m->ncoord; ++i) q[i] = 0.02 * sin(i + 1.0);
    assert_int_equal(sn_pose(m, s, q), SN_OK);
    assert_int_equal(sn_body_poses(m, q, pose), SN_OK);
    assert_int_equal(sn_line_points(m, pose, point), SN_OK);
    for (int32_t b = 0; b < m->nbody; ++b)
        for (int k = 0; k < 3; ++k) assert_near(field(s, "body.position")[3 * b + k], pose[7 * b + k], 1e-13);
    for (int32_t i = 0; i < 3 * sn_tree_drawn(m); ++i) assert_near(field(s, "line.point")[i], point[i], 1e-12);
    assert_int_equal(sn_step(m, s), SN_OK);
    int32_t hand = sn_find(m, SN_ITEM_BODY, "hand_R");
    double before[3], h = 1e-6;
    memcpy(before, field(s, "body.position") + 3 * hand, sizeof before);
    for (int32_t i = 0; i < m->ncoord; ++i) q[i] = s->tree->q[i] + h * s->tree->v[i];
    assert_int_equal(sn_body_poses(m, q, pose), SN_OK);
    for (int k = 0; k < 3; ++k)
        assert_near((pose[7 * hand + k] - before[k]) / h, field(s, "body.velocity")[3 * hand + k], 1e-5);
    free(q), free(pose), free(point);
    sn_state_destroy(s);
}

/* A force on a body and a torque work on coordinates as virtual work says. */
static void forces_on_bodies_do_virtual_work(void **state)
{
    (void)state;
    snState *s = begin();
    int32_t hand = sn_find(m, SN_ITEM_BODY, "hand_R");
    double *q = calloc((size_t)m->ncoord, sizeof *q), push[3] = {3, -2, 5}, turn[3] = {0.4, 0.2, -0.3};
    const double d = 1e-6;
    memcpy(field(s, "body.force") + 3 * hand, push, sizeof push);
    memcpy(field(s, "body.torque") + 3 * hand, turn, sizeof turn);
    assert_int_equal(sn_step(m, s), SN_OK); /* the forces of a step are those at its beginning, all at 0 */
    rigid *low = calloc((size_t)m->nbody, sizeof *low), *high = calloc((size_t)m->nbody, sizeof *high);
    for (int32_t i = 0; i < m->ncoord; ++i) {
        q[i] = -d, assert_int_equal(sn_body_poses(m, q, (double *)low), SN_OK);
        q[i] = d, assert_int_equal(sn_body_poses(m, q, (double *)high), SN_OK);
        q[i] = 0;
        const double *a = (const double *)low + 7 * hand, *b = (const double *)high + 7 * hand;
        rigid from = {q_load(a + 3), v3_load(a)}, to = {q_load(b + 3), v3_load(b)}, node = m->body_node[hand];
        v3 com_a = rigid_mul(from, rigid_inverse(node)).p, com_b = rigid_mul(to, rigid_inverse(node)).p;
        v3 spin = q_log(q_mul(to.q, q_conj(from.q)));
        double work = v3_dot(v3_load(push), v3_sub(com_b, com_a)) + v3_dot(v3_load(turn), spin);
        assert_near(s->tree->external[i], work / (2 * d), 1e-6);
    }
    free(q), free(low), free(high);
    sn_state_destroy(s);
}

/* Muscles off and no weight: dampers can only take energy away. */
static void energy_falls(void **state)
{
    (void)state;
    snState *s = begin();
    double *q = calloc((size_t)m->ncoord, sizeof *q), last;
    for (int32_t i = 0; i < m->ncoord; ++i) q[i] = 0.03 * sin(3.0 * i);
    sn_set_gravity_scale(s, 0);
    assert_int_equal(sn_pose(m, s, q), SN_OK);
    snEnergy e = sn_energy(m, s);
    double start = last = e.kinetic + e.elastic + e.potential;
    for (int i = 0; i < 60; ++i) {
        assert_int_equal(sn_step(m, s), SN_OK);
        e = sn_energy(m, s);
        assert_at_most(e.kinetic + e.elastic + e.potential, last + 1e-9);
        last = e.kinetic + e.elastic + e.potential;
    }
    assert_true(last < 0.7 * start);
    free(q);
    sn_state_destroy(s);
}

static void recording_has_lines(void **state)
{
    (void)state;
    snState *s = begin();
    snRecorder *r = NULL;
    snTrackFrame frame;
    assert_int_equal(sn_recorder_create(m, "body", &r), SN_OK);
    const snTrackDef *d = sn_recorder_def(r);
    assert_int_equal(d->nstrand, 814);
    assert_int_equal(d->nscalar, 3 * 814 + 147);
    int64_t count = sn_alloc_count();
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(sn_step(m, s), SN_OK);
        assert_int_equal(sn_recorder_read(r, s, sn_time(s), &frame), SN_OK);
    }
    assert_int_equal(sn_alloc_count(), count);
    double drawn = 0;
    for (int32_t k = 0; k + 1 < d->strand_npoint[0]; ++k)
        drawn += v3_dist(v3_load(frame.point + 3 * k), v3_load(frame.point + 3 * k + 3));
    assert_near(drawn, frame.scalar[2 * 814], 1e-12);
    sn_recorder_destroy(r);
    sn_state_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_the_tree),
        cmocka_unit_test(lines_are_drawn_after_the_step_that_counts),
        cmocka_unit_test(going_on_from_a_saved_state_is_bit_equal),
        cmocka_unit_test(bodies_and_lines_agree),
        cmocka_unit_test(forces_on_bodies_do_virtual_work),
        cmocka_unit_test(energy_falls),
        cmocka_unit_test(recording_has_lines),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
