/* What the plant tells a controller is what the step then does: a response predicts the new velocities, a driven body
 * arrives, a controller can be put in place and taken away. */
#include "sim/rig.h"

#include "opt/dense.h"
#include "sim/plant.h"

#include <stdlib.h>

typedef struct Probe {
    snResponse *response;
    int32_t ld, calls;
    double *rows; /* nbody * 6 rows: of every free body, as told in the last call */
    double activation;
} Probe;

static void ask(void *context, const snModel *m, snState *s)
{
    Probe *p = context;
    ++p->calls;
    sn_response_find(p->response, 0, NULL);
    for (int32_t b = 0; b < m->nbody; ++b)
        if (sn_body_is_free(m, b)) sn_response_of_body(p->response, b, p->ld, p->rows + 6 * b * p->ld);
    for (int32_t k = 0; k < m->nmuscle; ++k) sn_plant_activation(s)[k] = p->activation * (1 + k % 3);
}

static Probe probe_of(Rig *r, double activation)
{
    Probe p = {.response = sn_response_create(r->m, r->s), .ld = sn_dense_ld(r->m->nmuscle + 1)};
    p.rows = calloc((size_t)(6 * r->m->nbody * p.ld), sizeof(double));
    p.activation = activation;
    assert_non_null(p.response);
    return p;
}

static void drop_probe(Probe *p)
{
    sn_response_destroy(p->response);
    free(p->rows);
}

/* Largest difference between the velocities after a step and those that the response told, over the largest. */
static double surprise(const Rig *r, const Probe *p)
{
    const double *a = sn_plant_activation(r->s);
    double worst = 0, largest = 0;
    for (int32_t b = 0; b < r->m->nbody; ++b)
        for (int i = 0; i < 6 && sn_body_is_free(r->m, b); ++i) {
            const double *row = p->rows + (6 * b + i) * p->ld;
            double told = row[r->m->nmuscle], is = r->s->velocity[6 * b + i];
            for (int32_t k = 0; k < r->m->nmuscle; ++k) told += row[k] * a[k];
            worst = fmax(worst, fabs(told - is)), largest = fmax(largest, fabs(is));
        }
    return worst / largest;
}

static void response_predicts_the_step(void **state)
{
    (void)state;
    static const char *const scene[] = {"finger", "pulley", "spindle",
                                        "hand-synthetic"}; /* single strands and groups */
    for (int k = 0; k < 4; ++k) {
        Rig r = rig_scene(scene[k], 0.004);
        Probe p = probe_of(&r, 0.02);
        sn_plant_strength(r.s)[0] = 0.7;
        snController before = sn_plant_control(r.s, (snController){ask, &p});
        assert_null(before.choose);
        double worst = 0;
        for (int i = 0; i < 40; ++i) {
            rig_run(&r, 0.004);
            worst = fmax(worst, surprise(&r, &p));
        }
        print_message("%s: velocities as told within %.1e, asked %d times in 40 steps\n", scene[k], worst, p.calls);
        assert_at_most(worst, 3e-7); /* without refinement */
        assert_true(p.calls >= 40);
        snController mine = sn_plant_control(r.s, (snController){0});
        assert_true(mine.choose == ask && mine.context == &p);
        int32_t calls = p.calls;
        rig_run(&r, 0.004);
        assert_int_equal(p.calls, calls); /* taken away */
        drop_probe(&p);
        rig_drop(&r);
    }
}

/* A muscle whose actuators pull through something that the bodies do not feel has no effect on them; nothing else
 * changes. */
static void actuators_of_other_parts_stay_apart(void **state)
{
    (void)state;
    Rig a = rig_scene("finger", 0.004), b = rig_scene("finger", 0.004);
    int32_t last = b.m->nactuator - 1;
    b.m->actuator[last].through = (snThrough)(SN_THROUGH_STRAND + 100);
    Probe pa = probe_of(&a, 0), pb = probe_of(&b, 0);
    sn_plant_control(a.s, (snController){ask, &pa});
    sn_plant_control(b.s, (snController){ask, &pb});
    rig_run(&a, 0.02);
    rig_run(&b, 0.02);
    double effect = 0;
    for (int32_t i = 0; i < 6 * a.m->nbody; ++i)
        for (int32_t k = 0; k <= a.m->nmuscle; ++k) {
            double x = pa.rows[i * pa.ld + k], y = pb.rows[i * pb.ld + k];
            bool others = k != b.m->actuator[last].muscle;
            assert_near(y, others ? x : 0, 0);
            if (!others) effect = fmax(effect, fabs(x));
        }
    assert_true(effect > 1e-3);
    drop_probe(&pa);
    drop_probe(&pb);
    rig_drop(&a);
    rig_drop(&b);
}

static void driven_body_arrives_and_is_let_go(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    double q[8] = {0};
    rigid *aim = calloc((size_t)r.m->nbody, sizeof *aim);
    for (int32_t b = 0; b < r.m->nbody; ++b) sn_plant_drive(r.m, r.s, b, true);
    for (int i = 1; i <= 50; ++i) {
        q[0] = 0.3 * i / 50;
        sn_pose_bodies(r.m, q, aim);
        for (int32_t b = 0; b < r.m->nbody; ++b)
            if (sn_body_is_free(r.m, b)) sn_plant_aim(r.s, b, aim[b]);
        rig_run(&r, 0.004);
        for (int32_t b = 0; b < r.m->nbody; ++b)
            assert_near(v3_dist(sn_plant_bodies(r.s)[b].p, (sn_body_is_free(r.m, b) ? aim : r.m->body_rest)[b].p), 0,
                        0);
    }
    double back[8];
    sn_pose_coordinates(r.m, sn_plant_bodies(r.s), back);
    for (int32_t c = 0; c < r.m->ncoord; ++c) {
        assert_near(back[c], q[c], 1e-12);
        assert_near(sn_plant_coordinates(r.s)[c], q[c], 1e-12);
    }
    for (int32_t b = 0; b < r.m->nbody; ++b) sn_plant_drive(r.m, r.s, b, false);
    v3 held = sn_plant_bodies(r.s)[r.m->nbody - 1].p;
    rig_run(&r, 0.1);
    assert_true(v3_dist(sn_plant_bodies(r.s)[r.m->nbody - 1].p, held) > 1e-5); /* it moves by itself again */
    free(aim);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(response_predicts_the_step),
        cmocka_unit_test(actuators_of_other_parts_stay_apart),
        cmocka_unit_test(driven_body_arrives_and_is_let_go),
    };
    return cmocka_run_group_tests_name("sim.plant", tests, NULL, NULL);
}
