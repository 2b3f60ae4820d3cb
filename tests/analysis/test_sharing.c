/* How muscles share work on the clinical hand: the paper's two stages against one, and what the other fingers do when
 * one presses. Each prints its figure. */
#include "analysis/clinical_group.h"

#include "analysis/patient.h"

#include <stdlib.h>

/* ---- two stages ------------------------------------------------------------------------------ */

/* The paper's order in torque space: all but the wrist first, then the wrist with muscles that cross nothing else. */
static double two_stages(snPatient *p, const double *q, const char *const *wrist, int n, double *missing)
{
    double Q[8 * 8] = {0}, c[8] = {0}, lo[8] = {0}, hi[8], z[8] = {0}, worst = 0;
    sn_patient_assemble(p, q, NULL, NULL);
    for (int k = 0; k < HAND_Q; ++k) p->ignored[k] = strncmp(m->coord_name[k], "wrist", 5) == 0;
    sn_patient_solve(p, NULL);
    memset(p->ignored, 0, sizeof *p->ignored * HAND_Q);
    for (int k = 0; k < HAND_Q; ++k) {
        missing[k] = p->s->tree.driven[k] ? p->b[k] : 0;
        for (int u = 0; u < HAND_U && p->s->tree.driven[k]; ++u) missing[k] -= p->A[k * HAND_U + u] * p->activation[u];
    }
    for (int i = 0; i < n; ++i) {
        int32_t u = unit(m, wrist[i]);
        lo[i] = -p->activation[u], hi[i] = 1 - p->activation[u];
        for (int k = 0; k < 2; ++k) {
            double e = 1 / p->s->tolerance[k];
            c[i] -= e * e * p->A[k * HAND_U + u] * missing[k];
            for (int j = 0; j < n; ++j)
                Q[i * n + j] += e * e * p->A[k * HAND_U + u] * p->A[k * HAND_U + unit(m, wrist[j])];
        }
        Q[i * n + i] += sn_effort_weight;
        c[i] += sn_effort_weight * p->activation[u];
    }
    snBoxQp *qp = sn_boxqp_create(n);
    assert_int_equal(sn_boxqp_solve(qp, &(snBoxQpProblem){.n = n, .Q = Q, .c = c, .lo = lo, .hi = hi}, z, NULL), SN_OK);
    sn_boxqp_destroy(qp);
    for (int k = 0; k < HAND_Q; ++k) {
        for (int i = 0; i < n && p->s->tree.driven[k]; ++i) missing[k] -= p->A[k * HAND_U + unit(m, wrist[i])] * z[i];
        worst = fmax(worst, fabs(missing[k]));
    }
    return worst;
}

/* Ten poses between flat and a fist: what is left after two stages against what one leaves. */
static void two_stages_leave_as_little_as_one(void **state)
{
    (void)state;
    static const char *const wrist[] = {"FCR", "PL", "FCU", "ECRL", "ECRB", "ECU", "APL"};
    double most = 0, with_apl = 0, one = 0;
    snPatient *p = with(0, NULL);
    for (int i = 0; i < 10; ++i) {
        double q[HAND_Q], missing[HAND_Q];
        snHeld h;
        fist(m, q);
        for (int k = 0; k < HAND_Q; ++k) q[k] *= 0.05 + 0.08 * i;
        bend(m, q, "wrist.f", -20 + 4 * i);
        assert_int_equal(sn_hold(p, q, NULL, NULL, &h), SN_OK);
        one = fmax(one, h.unmet_torque);
        most = fmax(most, two_stages(p, q, wrist, 6, missing) - h.unmet_torque);
        with_apl = fmax(with_apl, two_stages(p, q, wrist, 7, missing));
    }
    print_message("two stages: %.3f mN m more than one (%.3f) without APL (1); with APL %.1f mN m\n", 1e3 * most,
                  1e3 * one, 1e3 * with_apl);
    assert_at_most(most, 1e-3);
    sn_patient_destroy(p);
}

/* ---- one finger presses ---------------------------------------------------------------------- */

enum { TIPS = 4 };

/* Weighed cost of the last solution: what the program of hold.c minimises. */
static double cost_of(const snPatient *p)
{
    double sum = 0;
    for (int k = 0; k < HAND_Q; ++k) sum += 0.5 * pow(p->missing[k] / p->s->tolerance[k], 2);
    for (int u = 0; u < HAND_U; ++u) sum += sn_effort_weight / 2 * p->activation[u] * p->activation[u];
    for (int32_t k = 0; k < p->s->ncouple; ++k)
        sum +=
            sn_couple_weight / 2 * pow(p->activation[p->s->couple[2 * k]] - p->activation[p->s->couple[2 * k + 1]], 2);
    return sum;
}

static double cost_at(snPatient *p, const double *q, const double force[TIPS])
{
    snHeld h;
    for (int i = 0; i < TIPS; ++i) p->load[i].force = v3_of(0, 0, force[i]);
    (void)sn_hold(p, q, NULL, NULL, &h);
    return cost_of(p);
}

/* The least cost over one force at or above zero, by sections. */
static double best_force(snPatient *p, const double *q, double force[TIPS], int tip, double most)
{
    const double golden = 0.6180339887498949;
    double a = 0, b = most;
    for (int i = 0; i < 24; ++i) {
        double x = b - golden * (b - a), y = a + golden * (b - a);
        force[tip] = x;
        double at_x = cost_at(p, q, force);
        force[tip] = y;
        if (at_x < cost_at(p, q, force))
            b = y;
        else
            a = x;
    }
    return force[tip] = (a + b) / 2;
}

/* All fingertips on a table; one presses as hard as it can. Coupled muscles make the others press too: of their own
 * maximum (Zatsiorsky 1998: 11 to 55 %, neighbours most). The table answers with whatever force is asked of it. */
static void one_finger_presses(void **state)
{
    (void)state;
    static const char *const tip[TIPS] = {"dp2", "dp3", "dp4", "dp5"};
    static const char *const bent[] = {"mcp", "pip", "dip"};
    static const double degrees[] = {35, 35, 15};
    snChange load[TIPS];
    double q[HAND_Q] = {0}, own[TIPS], others[TIPS][TIPS];
    int nearest_most = 0, within = 0;
    for (int i = 0; i < TIPS; ++i) {
        load[i] = (snChange){.kind = SN_CHANGE_LOAD, .name = tip[i], .force = {0, 0, 1}};
        for (int k = 0; k < 3; ++k) {
            char name[16];
            snprintf(name, sizeof name, k ? "%s%d" : "%s%d.f", bent[k], i + 2);
            bend(m, q, name, degrees[k]);
        }
    }
    snPatient *p = with(TIPS, load);
    for (int i = 0; i < TIPS; ++i) {
        for (int k = 0; k < TIPS; ++k) p->load[k].force = v3_of(0, 0, k == i);
        assert_int_equal(sn_load_factor(p, q, &own[i]), SN_OK);
    }
    for (int i = 0; i < TIPS; ++i) {
        double force[TIPS] = {0}, most = 0;
        force[i] = own[i];
        for (int round = 0; round < 4; ++round)
            for (int k = 0; k < TIPS; ++k)
                if (k != i) others[i][k] = best_force(p, q, force, k, own[k]) / own[k];
        others[i][i] = 1;
        print_message("%s presses with %.1f N; of their own maximum:", tip[i], own[i]);
        for (int k = 0; k < TIPS; ++k) {
            if (k == i) continue;
            print_message(" %s %.0f %%", tip[k], 100 * others[i][k]);
            most = fmax(most, others[i][k]);
            within += others[i][k] >= 0.11 && others[i][k] <= 0.55;
        }
        for (int k = 0; k < TIPS; ++k)
            if (abs(k - i) == 1 && others[i][k] == most) ++nearest_most;
        print_message("\n");
        assert_true(own[i] > 5 && own[i] < 200);
    }
    print_message("one finger presses: %d of 12 within 11 to 55 %%, a neighbour presses most for %d of 4\n", within,
                  nearest_most);
    assert_int_equal(nearest_most, 4);
    sn_patient_destroy(p);
}

/* More load is lost sooner, rest makes it last, and the patient is as strong as before afterwards. */
static void a_loaded_pose_is_lost_in_the_end(void **state)
{
    (void)state;
    double q[HAND_Q], when[3];
    fist(m, q);
    for (int i = 0; i < 3; ++i) {
        snEndureDef def = sn_default_endure_def();
        snEndurance e;
        snChange load = {.kind = SN_CHANGE_LOAD, .name = "mp2", .force = {0, 0, i == 1 ? 60 : 45}};
        snPatient *p = with(1, &load);
        def.rest = i == 2 ? 30 : 1;
        assert_int_equal(sn_endure(p, q, &def, &e, NULL), SN_OK);
        assert_int_equal(e.count, 120);
        when[i] = e.fails_at;
        print_message("fist, %.0f N on the index finger, 2 s held, %.0f s rest: lost at %.0f s\n", load.force[2],
                      def.rest, e.fails_at);
        for (int32_t k = 1; k < e.count; ++k) assert_true(e.time[k] > e.time[k - 1]);
        for (int32_t k = 0; k < HAND_P; ++k) assert_true(p->strength[k] == 1);
        for (int32_t u = 0; u < HAND_U; ++u) {
            double last = e.fatigued[(e.count - 1) * HAND_U + u];
            assert_true(last >= 0 && last < 1 && e.fatigued[u] == 0);
        }
        sn_endurance_free(&e);
        def.work = -1;
        assert_int_equal(sn_endure(p, q, &def, &e, NULL), SN_BAD_INPUT);
        sn_patient_destroy(p);
    }
    assert_true(when[0] >= 0 && when[1] >= 0 && when[1] < when[0]);
    assert_true(when[2] < 0 || when[2] > when[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_stages_leave_as_little_as_one),
        cmocka_unit_test(one_finger_presses),
        cmocka_unit_test(a_loaded_pose_is_lost_in_the_end),
    };
    return cmocka_run_group_tests_name("analysis.sharing", tests, set_up, tear_down);
}
