/* How far a pose sags: to where passive joints hold it, known in closed form; no further than asked; not at all where
 * nothing lacks. And activations that leave the least by another measure. */
#include "check.h"

#include "analysis/sag.h"
#include "control/inverse.h"
#include "scenes.h"
#include "sim/plant.h"

#include <stdlib.h>
#include <string.h>

static const double MOST = 0.02; /* m */

/* The finger of two bones without weight and without force in its strands, on springs that rest at the given angles. */
static snModel *limp_finger(const double rest[2])
{
    snSpec *spec = sn_scene_path_finger(1.2e9);
    snModel *m = NULL;
    assert_int_equal(sn_compile(spec, &m, NULL), SN_OK);
    sn_spec_destroy(spec);
    assert_int_equal(m->ncoord, 2);
    m->gravity = (v3){0, 0, 0};
    for (int32_t i = 0; i < m->ncord; ++i) m->cord[i].cord.active = m->cord[i].cord.passive = 0;
    for (int32_t c = 0; c < 2; ++c) m->coord_stiffness[c] = 0.2, m->coord_rest[c] = rest[c];
    return m;
}

static double find(const snModel *m, const double *coordinate, double most)
{
    snSag *sag = sn_sag_create(m, NULL, most);
    const double *const moment[3] = {coordinate, coordinate, coordinate};
    double away = -1;
    assert_non_null(sag);
    assert_int_equal(sn_sag_find(sag, moment, &away), SN_OK);
    sn_sag_destroy(sag);
    return away;
}

/* Mean distance of the vertices between two poses. */
static double between(const snModel *m, const double *p, const double *q)
{
    rigid *a = calloc((size_t)m->nbody, sizeof *a), *b = calloc((size_t)m->nbody, sizeof *b);
    double sum = 0, count = 0;
    sn_pose_bodies(m, p, a);
    sn_pose_bodies(m, q, b);
    for (int32_t k = 0; k < m->nbody; ++k)
        for (int32_t v = m->body_vertexadr[k]; sn_body_is_free(m, k) && v < m->body_vertexadr[k + 1]; ++v, ++count)
            sum += v3_dist(rigid_apply(a[k], v3_load(m->body_vertex + 3 * v)),
                           rigid_apply(b[k], v3_load(m->body_vertex + 3 * v)));
    free(a);
    free(b);
    assert_true(count > 0);
    return sum / count;
}

static void a_limp_finger_sags_to_where_its_springs_rest(void **state)
{
    (void)state;
    const double rest[3][2] = {{-0.1, 0.05}, {0.03, -0.2}, {0.06, 0.04}}, zero[2] = {0};
    for (int i = 0; i < 3; ++i) {
        snModel *m = limp_finger(rest[i]);
        double away = find(m, zero, MOST), exact = between(m, zero, rest[i]);
        print_message("springs at %g, %g rad: sags by %.3f mm of %.3f mm\n", rest[i][0], rest[i][1], 1e3 * away,
                      1e3 * exact);
        assert_near(away, exact, 5e-5);
        assert_near(find(m, zero, 0.5 * exact), 0.5 * exact, 1e-12); /* no further than asked */
        assert_at_most(find(m, rest[i], MOST), 1e-12);               /* nothing lacks */
        sn_model_destroy(m);
    }
}

/* Two springs, one muscle: of all activations the one that leaves the least, by either measure. */
static void the_least_is_left_by_the_measure_asked_for(void **state)
{
    (void)state;
    const double rest[2] = {0.1, -0.02}, zero[2] = {0}, root[4] = {0.5, 0, -0.3, 2};
    snModel *m = limp_finger(rest);
    snState *s = NULL;
    m->cord[0].cord.active = 5;
    assert_int_equal(sn_state_create(m, NULL, &s, NULL), SN_OK);
    snInverse *inverse = sn_inverse_create(m, s, 1);
    rigid *body = calloc((size_t)m->nbody, sizeof *body);
    sn_pose_bodies(m, zero, body);
    double measured[2][2];
    for (int i = 0; i < 2; ++i) {
        sn_inverse_measure(inverse, i ? root : NULL);
        for (int k = 0; k < 30; ++k) assert_int_equal(sn_inverse_step(inverse, body), SN_OK);
        const double *u = sn_inverse_unmet(inverse);
        double first = root[0] * u[0], second = root[2] * u[0] + root[3] * u[1];
        measured[i][0] = sqrt(u[0] * u[0] + u[1] * u[1]);
        measured[i][1] = sqrt(first * first + second * second);
        print_message("unmet %.3f mN m, by the other measure %.3f\n", 1e3 * measured[i][0], 1e3 * measured[i][1]);
    }
    assert_true(measured[0][0] < measured[1][0] && measured[1][1] < measured[0][1]);
    free(body);
    sn_inverse_destroy(inverse);
    sn_state_destroy(s);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_limp_finger_sags_to_where_its_springs_rest),
                                       cmocka_unit_test(the_least_is_left_by_the_measure_asked_for)};
    return cmocka_run_group_tests_name("analysis.sag", tests, NULL, NULL);
}
