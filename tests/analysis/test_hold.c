/* Holding poses: derivatives, optimality, ranges, what a case changes, bad names. */
#include "clinical_case.h"

#include "analysis/patient.h"
#include "base/alloc.h"

typedef struct Hand {
    snSpec *spec;
    snModel *m;
} Hand;

static Hand hand;

static int set_up(void **state)
{
    (void)state;
    hand_of(false, &hand.spec, &hand.m);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sn_model_destroy(hand.m);
    sn_spec_destroy(hand.spec);
    return 0;
}

static snPatient *patient(const snCase *c)
{
    snPatient *p = NULL;
    snError error = {0};
    if (sn_patient_create(hand.spec, hand.m, c, &p, &error) != SN_OK) print_error("%s\n", error.message);
    assert_non_null(p);
    return p;
}

static snPatient *changed(snChangeKind kind, const char *name, double value)
{
    snCase *c = sn_case_create("");
    assert_int_equal(sn_case_add(c, &(snChange){.kind = kind, .name = name, .value = value}), SN_OK);
    snPatient *p = patient(c);
    sn_case_destroy(c);
    return p;
}

static void stiffness_is_the_slope_of_the_torque(void **state)
{
    (void)state;
    snCase *c = sn_case_create("");
    assert_int_equal(sn_case_add(c, &(snChange){.kind = SN_CHANGE_LOAD, .name = "dp2", .force = {1, 2, 5}}), SN_OK);
    snPatient *p = patient(c);
    uint64_t seed = 2;
    double q[HAND_Q], a[HAND_U], K[HAND_Q * 24], tau[HAND_Q], up[HAND_Q], down[HAND_Q], h = 1e-5, worst = 0;
    for (int round = 0; round < 50; ++round) {
        random_pose(hand.m, 0.9, &seed, q);
        for (int u = 0; u < HAND_U; ++u) a[u] = 0.5 + 0.5 * noise(&seed);
        sn_patient_stiffness(p, q, a, tau, true, K, 24);
        for (int j = 0; j < HAND_Q; ++j) {
            double at = q[j];
            q[j] = at + h, sn_patient_torque(p, q, a, up);
            q[j] = at - h, sn_patient_torque(p, q, a, down);
            q[j] = at;
            for (int i = 0; i < HAND_Q; ++i) {
                double scale = sqrt(fabs(K[24 * i + i] * K[24 * j + j])) + 0.01;
                worst = fmax(worst, fabs(K[24 * i + j] + (up[i] - down[i]) / (2 * h)) / scale);
            }
        }
    }
    print_message("K against differences: %.2e\n", worst);
    assert_at_most(worst, 1e-4);
    sn_case_destroy(c);
    sn_patient_destroy(p);
}

/* The program of the header, by its definition: gradient at the answer. */
static double wrong_gradient(const snPatient *p, double rho, double kappa)
{
    double worst = 0, scale = 0;
    for (int32_t j = 0; j < p->nu; ++j) {
        double g = rho * p->cost[j] * p->activation[j];
        for (int32_t k = 0; k < p->nq; ++k)
            g -= p->A[(size_t)(k * p->nu + j)] * p->missing[k] / (p->s->tolerance[k] * p->s->tolerance[k]);
        for (int32_t k = 0; k < p->s->ncouple; ++k) {
            int32_t a = p->s->couple[2 * k], b = p->s->couple[2 * k + 1];
            double d = p->activation[a] - p->activation[b];
            if (a == j) g += kappa * d;
            if (b == j) g -= kappa * d;
        }
        bool low = p->activation[j] <= 0, high = p->activation[j] >= 1;
        worst = fmax(worst, low ? -g : high ? g : fabs(g));
        for (int32_t k = 0; k < p->nq; ++k)
            scale =
                fmax(scale, fabs(p->A[(size_t)(k * p->nu + j)] * p->b[k]) / (p->s->tolerance[k] * p->s->tolerance[k]));
    }
    return worst / scale;
}

static void answers_are_optimal(void **state)
{
    (void)state;
    snPatient *p = patient(NULL);
    uint64_t seed = 4;
    double q[HAND_Q], worst = 0;
    snHeld hold;
    for (int round = 0; round < 100; ++round) {
        random_pose(hand.m, 0.8, &seed, q);
        assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
        worst = fmax(worst, wrong_gradient(p, sn_effort_weight, sn_couple_weight));
    }
    print_message("optimality of 100 random poses: %.1e (1e-10)\n", worst);
    assert_at_most(worst, 1e-10);
    sn_patient_destroy(p);
}

/* Loads that saturate muscles while joints lie on their stops, each answer the start of the next: a line search of the
 * dual program that ends before the slope has turned runs in circles here. */
static void any_load_has_an_answer(void **state)
{
    (void)state;
    uint64_t seed = 5;
    double q[HAND_Q];
    fist(hand.m, q);
    for (int round = 0; round < 40; ++round) {
        snCase *c = sn_case_create("");
        snChange load = {.kind = SN_CHANGE_LOAD, .name = round % 2 ? "mp2" : "dp3"};
        for (int k = 0; k < 3; ++k) load.force[k] = 30 * noise(&seed);
        assert_int_equal(sn_case_add(c, &load), SN_OK);
        snPatient *p = patient(c);
        for (int turn = 0; turn < 20; ++turn) {
            snHeld held;
            if (turn % 4) random_pose(hand.m, 1, &seed, q);
            assert_int_equal(sn_hold(p, q, NULL, NULL, &held), SN_OK);
            assert_at_most(held.residual, 1e-9);
        }
        sn_case_destroy(c);
        sn_patient_destroy(p);
    }
}

static void a_natural_pose_is_held(void **state)
{
    (void)state;
    snPatient *p = patient(NULL);
    double q[HAND_Q] = {0};
    snHeld hold;
    assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
    print_message("neutral: unmet %.3f mN m, effort %.4f\n", 1e3 * hold.unmet_torque, hold.effort);
    fist(hand.m, q);
    assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
    print_message("fist: unmet %.3f mN m at %s, effort %.3f\n", 1e3 * hold.unmet_torque,
                  hold.worst >= 0 ? hand.m->coord_name[hold.worst] : "-", hold.effort);
    assert_at_most(hold.unmet_torque, 2e-3);
    int64_t before = sn_alloc_count();
    for (int i = 0; i < 1000; ++i) assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
    assert_int_equal(sn_alloc_count(), before);
    sn_patient_destroy(p);
}

static void targets_beyond_the_range_are_clamped(void **state)
{
    (void)state;
    snPatient *p = patient(NULL);
    double q[HAND_Q] = {0};
    snHeld hold;
    bend(hand.m, q, "pip3.f", 130);
    assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
    assert_near(angle(hand.m, hold.pose, "pip3.f"), 100, 1e-9);
    int32_t clamped = 0;
    for (int k = 0; k < HAND_Q; ++k) clamped += hold.clamped[k];
    assert_int_equal(clamped, 1);
    q[0] = NAN;
    assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_BAD_INPUT);
    sn_patient_destroy(p);
}

static void ranges_contain_the_answer(void **state)
{
    (void)state;
    snPatient *p = patient(NULL);
    double q[HAND_Q], low[HAND_U], high[HAND_U];
    snHeld hold;
    fist(hand.m, q);
    assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
    assert_int_equal(sn_ranges(p, low, high), SN_OK);
    int32_t wide = 0, widest = 0;
    double outside = 0;
    for (int u = 0; u < HAND_U; ++u) {
        outside = fmax(outside, fmax(low[u] - hold.activation[u], hold.activation[u] - high[u]));
        assert_at_most(low[u], hold.activation[u] + 1e-6);
        assert_at_most(hold.activation[u], high[u] + 1e-6);
        wide += high[u] - low[u] > 0.1;
        widest += high[u] - low[u] > 0.9;
    }
    print_message(
        "ranges: the answer lies outside by %.1e (1e-6); %d units move by more than 0.1, %d by more than 0.9\n",
        outside, wide, widest);
    assert_true(wide > 3);
    sn_patient_destroy(p);
}

static double objective(const snPatient *p, const snHeld *h)
{
    double sum = sn_effort_weight * h->effort / 2;
    for (int32_t k = 0; k < p->nq; ++k) sum += pow(h->missing[k] / p->s->tolerance[k], 2) / 2;
    return sum;
}

/* Convex and monotone: with less of a muscle the optimum cannot fall, and the muscle gives no more force. */
static void weakness_never_helps(void **state)
{
    (void)state;
    static const char *const name[] = {"FDP2", "ED3", "FCU", "APB", "DI1"};
    double q[HAND_Q], falls = -INFINITY, rises = -INFINITY;
    uint64_t seed = 8;
    for (int i = 0; i < 5; ++i) {
        random_pose(hand.m, 0.6, &seed, q);
        double last = -1, force = INFINITY;
        for (double level = 1; level > -0.1; level -= 0.25) {
            snCase *c = sn_case_create("");
            sn_case_add(c, &(snChange){.kind = SN_CHANGE_STRENGTH, .name = name[i], .value = fmax(level, 0)});
            sn_case_add(c, &(snChange){.kind = SN_CHANGE_COUPLE, .name = "none"});
            snPatient *p = patient(c);
            snHeld hold;
            assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
            double f = fmax(level, 0) * hold.activation[unit(hand.m, name[i])];
            assert_at_most(last, objective(p, &hold) + 1e-9);
            assert_at_most(f, force + 1e-9);
            if (last >= 0) falls = fmax(falls, last - objective(p, &hold)), rises = fmax(rises, f - force);
            last = objective(p, &hold), force = f;
            sn_patient_destroy(p);
            sn_case_destroy(c);
        }
    }
    print_message("strength lowered: the optimum falls by %.1e, the force rises by %.1e at most (1e-9)\n", falls,
                  rises);
}

static void weights_of_one_change_nothing(void **state)
{
    (void)state;
    snPatient *a = patient(NULL), *b = changed(SN_CHANGE_STRENGTH, "FDP2", 1);
    double q[HAND_Q];
    snHeld x, y;
    fist(hand.m, q);
    sn_hold(a, q, NULL, NULL, &x), sn_hold(b, q, NULL, NULL, &y);
    bool same = memcmp(x.activation, y.activation, sizeof(double) * HAND_U) == 0;
    print_message("weights of one: %s\n", same ? "bit-equal" : "different");
    assert_true(same);
    sn_patient_destroy(a);
    sn_patient_destroy(b);
}

/* Tired is cost, weak is capacity: FDP2 at 50 % about doubles its activation, a high price moves the work elsewhere. */
static void tired_and_weak_differ(void **state)
{
    (void)state;
    snPatient *healthy = patient(NULL), *weak = changed(SN_CHANGE_STRENGTH, "FDP2", 0.5),
              *tired = changed(SN_CHANGE_COST, "FDS2", 50);
    double q[HAND_Q];
    snHeld a, b, c;
    int32_t fdp = unit(hand.m, "FDP2"), fds = unit(hand.m, "FDS2");
    fist(hand.m, q);
    sn_hold(healthy, q, NULL, NULL, &a), sn_hold(weak, q, NULL, NULL, &b), sn_hold(tired, q, NULL, NULL, &c);
    assert_at_most(a.activation[fdp], b.activation[fdp]);
    assert_at_most(b.unmet_torque, 2e-3);
    assert_at_most(c.activation[fds], a.activation[fds]);
    assert_at_most(c.unmet_torque, 2e-3);
    sn_patient_destroy(healthy), sn_patient_destroy(weak), sn_patient_destroy(tired);
}

static void hard_coupling_shares_one_activation(void **state)
{
    (void)state;
    snPatient *p = changed(SN_CHANGE_COUPLE, "hard", 0);
    double q[HAND_Q];
    snHeld hold;
    assert_int_equal(p->nz, 35); /* the paper's controls */
    fist(hand.m, q);
    assert_int_equal(sn_hold(p, q, NULL, NULL, &hold), SN_OK);
    for (int f = 3; f <= 5; ++f) {
        char name[8];
        snprintf(name, sizeof name, "FDP%d", f);
        assert_near(hold.activation[unit(hand.m, name)], hold.activation[unit(hand.m, "FDP2")], 0);
    }
    sn_patient_destroy(p);
}

static void bad_names_are_explained(void **state)
{
    (void)state;
    static const struct {
        snChange change;
        const char *message, *remedy;
    } bad[] = {
        {{.kind = SN_CHANGE_STRENGTH, .name = "FDP22", .value = 0.5}, "no unit called", "FDP2"},
        {{.kind = SN_CHANGE_STRENGTH, .name = "FDP2", .value = 1.5}, "strength of FDP2 is 1.5", ""},
        {{.kind = SN_CHANGE_PASSIVE, .name = "FDP2", .value = NAN}, "passive of FDP2 is", ""},
        {{.kind = SN_CHANGE_COST, .name = "FDP2", .value = 0}, "cost of FDP2 is 0", ""},
        {{.kind = SN_CHANGE_NERVE, .name = "ulna-low"}, "no nerve lesion called", "ulnar-low"},
        {{.kind = SN_CHANGE_FUSE, .name = "pip7"}, "no joint called", ""},
        {{.kind = SN_CHANGE_LOAD, .name = "dp9"}, "no body called", "dp"},
        {{.kind = SN_CHANGE_LOAD, .name = "dp2", .force = {0, NAN, 0}}, "not a number", ""},
        {{.kind = SN_CHANGE_COUPLE, .name = "weak"}, "expected hard, soft or none", ""},
        {{.kind = SN_CHANGE_TRANSFER, .name = "FCR", .to = "FCR"}, "its own recipient", ""},
        {{.kind = SN_CHANGE_TRANSFER, .name = "FCX", .to = "ED"}, "no such donor", ""},
        {{.kind = SN_CHANGE_TRANSFER, .name = "FCR", .to = "EX"}, "no such recipient", ""},
        {{.kind = SN_CHANGE_TRANSFER, .name = "FCR", .to = "ED", .value = 1.7}, "outside 0.5 to 1.5", ""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        snCase *c = sn_case_create("");
        snPatient *p = NULL;
        snError error = {0};
        sn_case_add(c, &bad[i].change);
        assert_int_equal(sn_patient_create(hand.spec, hand.m, c, &p, &error), SN_BAD_INPUT);
        assert_non_null(strstr(error.message, bad[i].message));
        assert_non_null(strstr(error.remedy, bad[i].remedy));
        sn_case_destroy(c);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    snCase *c = sn_case_create("");
    sn_case_add(c, &(snChange){.kind = SN_CHANGE_TRANSFER, .name = "PT", .to = "ECRB"});
    int64_t live = sn_alloc_live();
    for (int64_t n = 0; n < 100000; n += 1 + n / 8) {
        snPatient *p = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_patient_create(hand.spec, hand.m, c, &p, NULL);
        sn_alloc_fail_after(-1);
        sn_patient_destroy(p);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
    sn_case_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffness_is_the_slope_of_the_torque),
        cmocka_unit_test(answers_are_optimal),
        cmocka_unit_test(any_load_has_an_answer),
        cmocka_unit_test(a_natural_pose_is_held),
        cmocka_unit_test(targets_beyond_the_range_are_clamped),
        cmocka_unit_test(ranges_contain_the_answer),
        cmocka_unit_test(weakness_never_helps),
        cmocka_unit_test(weights_of_one_change_nothing),
        cmocka_unit_test(tired_and_weak_differ),
        cmocka_unit_test(hard_coupling_shares_one_activation),
        cmocka_unit_test(bad_names_are_explained),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests_name("analysis.hold", tests, set_up, tear_down);
}
