/* Inverse kinematics on the upper body: derivatives against differences, targets that a known pose gives, targets out
 * of reach, and the walls of the ranges. */
#include "tree_case.h"

#include "control/ik.h"

enum { NTARGET = 3 };

typedef struct rig {
    treeCase c;
    snIk *ik;
    snIkTarget target[NTARGET];
    bool *free;
    double goal[3 * NTARGET], *q;
} rig;

static int32_t body(const rig *r, const char *name)
{
    for (int32_t i = 0; i < r->c.tree.nbody; ++i)
        if (strcmp(r->c.body[i], name) == 0) return i;
    print_error("no body %s\n", name);
    fail();
    return -1;
}

/* A chest that is at a place, a head that is turned, a head that looks. */
static void open_rig(rig *r, bool looks)
{
    case_upper_body(&r->c);
    const char *name[NTARGET] = {"T1", "skull", "skull"};
    const snIkKind kind[NTARGET] = {SN_IK_PLACE, SN_IK_TURN, SN_IK_LOOK};
    r->free = CASE_ARRAY(&r->c, bool, r->c.tree.ndof);
    r->q = CASE_ARRAY(&r->c, double, r->c.tree.ndof);
    for (int k = 0; k < NTARGET; ++k) {
        int32_t b = body(r, name[k]);
        r->target[k] = (snIkTarget){.kind = kind[k], .link = r->c.tree.body_link[b], .wanted = {true, true, true}};
        memcpy(r->target[k].point, r->c.tree.com + 3 * b, sizeof r->target[k].point);
        for (int32_t i = r->target[k].link; i >= 0; i = r->c.tree.parent[i]) r->free[i] = r->c.tree.driven[i];
    }
    r->ik = sn_ik_create(&r->c.tree, looks ? NTARGET : NTARGET - 1, r->target, r->free);
    assert_non_null(r->ik);
}

static void close_rig(rig *r)
{
    sn_ik_destroy(r->ik);
    case_free(&r->c);
}

/* Free coordinates anywhere within a share of their ranges. */
static void random_pose(rig *r, caseRandom *random, double share, double *q)
{
    for (int32_t i = 0; i < r->c.tree.ndof; ++i)
        q[i] = r->free[i] ? share * random_between(random, r->c.tree.lower[i], r->c.tree.upper[i]) : 0;
}

static void test_derivative(void **state)
{
    (void)state;
    rig r = {0};
    caseRandom random = {5};
    open_rig(&r, true);
    int32_t n = r.c.tree.ndof, rows = 3 * NTARGET;
    double *J = CASE_ARRAY(&r.c, double, rows *n), up[9], down[9], worst = 0;
    for (int pose = 0; pose < 10; ++pose) {
        random_pose(&r, &random, 0.8, r.q);
        v3_store(r.goal, random_v3(&random, 0.3));
        v3_store(r.goal + 3, random_v3(&random, 1.2));
        v3_store(r.goal + 6, v3_add(v3_of(2, 1.6, 0), random_v3(&random, 0.8)));
        sn_ik_residual(r.ik, r.goal, r.q, up, J);
        for (int32_t i = 0; i < n; ++i) {
            const double step = 1e-6, at = r.q[i];
            r.q[i] = at + step;
            sn_ik_residual(r.ik, r.goal, r.q, up, NULL);
            r.q[i] = at - step;
            sn_ik_residual(r.ik, r.goal, r.q, down, NULL);
            r.q[i] = at;
            for (int32_t k = 0; k < rows; ++k)
                worst = fmax(worst, fabs((up[k] - down[k]) / (2 * step) - J[(size_t)k * (size_t)n + (size_t)i]));
        }
    }
    print_message("derivative against differences: %.2g\n", worst);
    assert_true(worst < 1e-6);
    close_rig(&r);
}

/* A line between points of two links that are apart, weighted. */
static void test_aim(void **state)
{
    (void)state;
    rig r = {0};
    caseRandom random = {9};
    open_rig(&r, false);
    int32_t n = r.c.tree.ndof, near = body(&r, "L3"), far = body(&r, "skull"), rounds;
    snIkTarget aim = {
        .kind = SN_IK_AIM, .link = r.c.tree.body_link[near], .far_link = r.c.tree.body_link[far], .weight = 0.3};
    memcpy(aim.point, r.c.tree.com + 3 * near, sizeof aim.point),
        memcpy(aim.far, r.c.tree.com + 3 * far, sizeof aim.far);
    snIk *ik = sn_ik_create(&r.c.tree, 1, &aim, r.free);
    double *J = CASE_ARRAY(&r.c, double, 3 * n), up[3], down[3], goal[3], worst = 0;
    for (int pose = 0; pose < 10; ++pose) {
        random_pose(&r, &random, 0.8, r.q);
        v3_store(goal, v3_unit(v3_add(v3_of(0, 1, 0), random_v3(&random, 0.2))));
        sn_ik_residual(ik, goal, r.q, up, J);
        for (int32_t i = 0; i < n; ++i) {
            const double step = 1e-6, at = r.q[i];
            r.q[i] = at + step, sn_ik_residual(ik, goal, r.q, up, NULL);
            r.q[i] = at - step, sn_ik_residual(ik, goal, r.q, down, NULL);
            r.q[i] = at;
            for (int32_t k = 0; k < 3; ++k)
                worst = fmax(worst, fabs((up[k] - down[k]) / (2 * step) - J[(size_t)k * (size_t)n + (size_t)i]));
        }
        assert_int_equal(sn_ik_solve(ik, goal, r.q, &rounds), SN_OK);
        assert_true(sn_ik_missed(ik, goal, r.q, 0) < 2e-3);
    }
    print_message("aim: derivative against differences: %.2g\n", worst);
    assert_true(worst < 1e-6);
    sn_ik_destroy(ik);
    close_rig(&r);
}

/* What a pose within the ranges does, found again: the pose may be another one. */
static void test_round_trip(void **state)
{
    (void)state;
    caseRandom random = {11};
    double worst_place = 0, worst_turn = 0;
    int32_t most = 0, rounds;
    for (int pose = 0; pose < 20; ++pose) {
        rig r = {0};
        open_rig(&r, false);
        double r0[9];
        random_pose(&r, &random, 0.5, r.q);
        sn_ik_residual(r.ik, r.goal, r.q, r0, NULL); /* goals of zero: the residual is the place, and the turn back */
        v3_store(r.goal, v3_load(r0));
        v3_store(r.goal + 3, v3_neg(v3_load(r0 + 3)));
        assert_true(sn_ik_missed(r.ik, r.goal, r.q, 0) < 1e-14 && sn_ik_missed(r.ik, r.goal, r.q, 1) < 1e-12);
        memset(r.q, 0, sizeof *r.q * (size_t)r.c.tree.ndof);
        assert_int_equal(sn_ik_solve(r.ik, r.goal, r.q, &rounds), SN_OK);
        most = rounds > most ? rounds : most;
        worst_place = fmax(worst_place, sn_ik_missed(r.ik, r.goal, r.q, 0));
        worst_turn = fmax(worst_turn, sn_ik_missed(r.ik, r.goal, r.q, 1));
        for (int32_t i = 0; i < r.c.tree.ndof; ++i) {
            if (!r.free[i]) assert_true(r.q[i] == 0);
            assert_true(!r.free[i] || (r.q[i] >= r.c.tree.lower[i] && r.q[i] <= r.c.tree.upper[i]));
        }
        close_rig(&r);
    }
    print_message("reachable targets: %.2g mm, %.2g rad, at most %d rounds\n", 1e3 * worst_place, worst_turn, most);
    assert_true(worst_place < 1e-4 && worst_turn < 1e-3);
}

/* Out of reach: it ends at the wall, and no small change within the ranges comes nearer. */
static void test_unreachable(void **state)
{
    (void)state;
    rig r = {0};
    caseRandom random = {3};
    int32_t rounds, at_wall = 0;
    open_rig(&r, false);
    v3_store(r.goal, v3_add(v3_load(r.target[0].point), v3_of(1, 0, 0)));
    assert_int_equal(sn_ik_solve(r.ik, r.goal, r.q, &rounds), SN_OK);
    double r0[6], best, *other = CASE_ARRAY(&r.c, double, r.c.tree.ndof);
    sn_ik_residual(r.ik, r.goal, r.q, r0, NULL);
    best = v3_dot(v3_load(r0), v3_load(r0)) + 0.04 * v3_dot(v3_load(r0 + 3), v3_load(r0 + 3));
    for (int32_t i = 0; i < r.c.tree.ndof; ++i)
        at_wall += r.free[i] && (r.q[i] == r.c.tree.lower[i] || r.q[i] == r.c.tree.upper[i]);
    for (int trial = 0; trial < 200; ++trial) {
        for (int32_t i = 0; i < r.c.tree.ndof; ++i)
            other[i] = r.free[i] ? fmin(fmax(r.q[i] + random_between(&random, -0.01, 0.01), r.c.tree.lower[i]),
                                        r.c.tree.upper[i])
                                 : 0;
        sn_ik_residual(r.ik, r.goal, other, r0, NULL);
        assert_true(v3_dot(v3_load(r0), v3_load(r0)) + 0.04 * v3_dot(v3_load(r0 + 3), v3_load(r0 + 3)) > best - 1e-5);
    }
    print_message("1 m forward: %.3g m short after %d rounds, %d coordinates at their ends\n",
                  sn_ik_missed(r.ik, r.goal, r.q, 0), rounds, at_wall);
    assert_true(at_wall > 3 && sn_ik_missed(r.ik, r.goal, r.q, 0) > 0.1);
    r.goal[0] = NAN;
    memcpy(other, r.q, sizeof *other * (size_t)r.c.tree.ndof);
    assert_int_equal(sn_ik_solve(r.ik, r.goal, r.q, &rounds), SN_FAILED);
    assert_memory_equal(other, r.q, sizeof *other * (size_t)r.c.tree.ndof);
    close_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivative), cmocka_unit_test(test_aim),
                                       cmocka_unit_test(test_round_trip), cmocka_unit_test(test_unreachable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
