/* Knots: the junction is in equilibrium, its velocity and the gradients of all lengths against differences of poses,
 * the force against differences of the energy, the answer to an activation against solving again. */
#include "knot_case.h"

enum { CORDS = 5 };

/* A trunk with two junctions on the way through three bodies; a branch that begins on it, one that ends on it. */
typedef struct Example {
    snCordPoint trunk[4], out[3], in[2];
    snCordWrap wrap[3];
    snCord cord[CORDS];
    snKnotCord part[CORDS];
    int32_t first[2];
    snKnot knot;
} Example;

/* Cylinders so wide that the first junction comes to lie on one of them, before it and behind it. */
static void put_wraps(Example *e)
{
    static const double x[3] = {-0.035, 0.001, 0.055}, radius[3] = {0.012, 0.006, 0.01};
    for (int k = 0; k < 3; ++k) {
        e->trunk[k].wrap = k;
        e->wrap[k] = (snCordWrap){.kind = SN_WRAP_CYLINDER,
                                  .slot = k,
                                  .centre = {x[k], 0.006 - radius[k], 0},
                                  .axis = v3_unit(v3_of(0.1, 0.05, 1)),
                                  .side = {0, 1, 0},
                                  .radius = radius[k]};
    }
    for (int i = 0; i < 3; ++i) e->cord[i].nwrap = 3, e->cord[i].wrap = e->wrap;
}

static void make(Example *e, bool wrapped)
{
    *e = (Example){.trunk = {{.slot = 0, .wrap = -1, .at = {-0.06, 0, 0}},
                             {.slot = 1, .wrap = -1, .at = {-0.01, 0.004, 0.002}},
                             {.slot = 1, .wrap = -1, .at = {0.03, -0.003, 0}},
                             {.slot = 2, .wrap = -1, .at = {0.08, 0.002, -0.004}}},
                   .out = {{.slot = -1, .wrap = -1},
                           {.slot = 1, .wrap = -1, .at = {0.02, 0.012, 0.003}},
                           {.slot = 2, .wrap = -1, .at = {0.05, 0.012, 0.003}}},
                   .in = {{.slot = 0, .wrap = -1, .at = {-0.03, -0.02, 0.006}}, {.slot = -1, .wrap = -1}},
                   .first = {0, 0}};
    e->cord[0] = tendon(e->trunk, 4, 0.03, 0.022, 0.8);
    e->cord[1] = tendon(e->trunk, 4, 0, 0.045, 0.8);
    e->cord[2] = tendon(e->trunk, 4, 0, 0.036, 0.8);
    e->cord[3] = tendon(e->out, 3, 0.03, 0.016, 0.8);
    e->cord[4] = tendon(e->in, 2, 0.03, 0.04, 0.8);
    e->part[0] = (snKnotCord){&e->cord[0], -1, 0, false};
    e->part[1] = (snKnotCord){&e->cord[1], 0, 1, false};
    e->part[2] = (snKnotCord){&e->cord[2], 1, -1, false};
    e->part[3] = (snKnotCord){&e->cord[3], 0, -1, true};
    e->part[4] = (snKnotCord){&e->cord[4], -1, 1, true};
    e->knot = (snKnot){.ncord = CORDS, .njunction = 2, .nslot = BODIES, .cord = e->part, .trunk = e->first};
    if (wrapped) put_wraps(e);
}

typedef struct Now {
    snCordNode node[CORDS][NODES];
    double g[CORDS][WIDTH], jac[2 * 3 * WIDTH], s[2];
    snKnotCordNow cord[CORDS];
} Now;

static void solve(const Example *e, const rigid *pose, const double *a, Now *now)
{
    for (int i = 0; i < CORDS; ++i)
        now->cord[i] = (snKnotCordNow){.node = now->node[i], .activation = a[i], .x = 1, .g = now->g[i]};
    now->s[0] = 0.05, now->s[1] = 0.1;
    sn_knot_solve(&e->knot, pose, now->cord, now->s, now->jac);
}

static const double ACTIVE[CORDS] = {0.5, 0, 0, 0.4, 0.3};

static void forces_balance_at_junctions(void **state)
{
    unsigned seed = 3;
    Example e;
    make(&e, *state != NULL);
    double worst = 0;
    for (int round = 0; round < 100; ++round) {
        rigid pose[BODIES];
        Now now;
        some_poses(&seed, 0.15, 0.003, pose);
        solve(&e, pose, ACTIVE, &now);
        snKnotCordNow *c = now.cord;
        v3 t = c[1].node[0].t, u = c[2].node[0].t;
        double off0 = c[0].pull.tension - c[1].pull.tension - c[3].pull.tension * v3_dot(t, c[3].node[0].t);
        double off1 =
            c[1].pull.tension - c[2].pull.tension + c[4].pull.tension * v3_dot(u, c[4].node[c[4].nnode - 1].arrive);
        worst = fmax(worst, fmax(fabs(off0), fabs(off1)));
        assert_true(c[3].pull.tension > 1 && c[4].pull.tension > 1 && c[0].pull.tension > 1);
        for (int i = 0; i < CORDS; ++i) { /* nodes say the same as the lengths */
            double sum = 0;
            for (int k = 0; k < c[i].nnode; ++k) sum += c[i].node[k].length;
            assert_near(sum, c[i].length, 1e-12);
        }
        assert_true(v3_dist(c[3].node[0].p, c[1].node[0].p) < 1e-15);
    }
    print_message("largest force on a junction: %.2g N\n", worst);
    assert_true(worst < 1e-9);
}

static bool same_course(const Now *a, const Now *b)
{
    for (int i = 0; i < CORDS; ++i) {
        if (a->cord[i].nnode != b->cord[i].nnode) return false;
        for (int k = 0; k < a->cord[i].nnode; ++k)
            if (a->node[i][k].arc != b->node[i][k].arc) return false;
    }
    return true;
}

static void gradients_are_the_changes(void **state)
{
    unsigned seed = 5;
    Example e;
    make(&e, *state != NULL);
    const double d = *state ? 5e-7 : 2e-6; /* arcs of a few millimetres ask for smaller steps */
    double worst = 0, worst_place = 0, worst_force = 0;
    int compared = 0, on_wrap[2] = {0};
    for (int round = 0; round < 30; ++round) {
        rigid pose[BODIES], other[BODIES];
        Now now, low, high;
        some_poses(&seed, 0.15, 0.003, pose);
        solve(&e, pose, ACTIVE, &now);
        for (int k = 0; k < WIDTH; ++k) {
            memcpy(other, pose, sizeof other);
            other[k / 6] = moved(pose[k / 6], k % 6, -d), solve(&e, other, ACTIVE, &low);
            other[k / 6] = moved(pose[k / 6], k % 6, d), solve(&e, other, ACTIVE, &high);
            if (!same_course(&low, &now) || !same_course(&high, &now)) continue;
            ++compared, ++on_wrap[now.node[1][0].arc];
            double force = 0;
            for (int i = 0; i < CORDS; ++i) {
                worst = fmax(worst, fabs((high.cord[i].length - low.cord[i].length) / (2 * d) - now.g[i][k]));
                force += now.cord[i].pull.tension * now.g[i][k];
            }
            worst_force = fmax(
                worst_force,
                fabs((energy_of(&e.knot, high.cord, ACTIVE) - energy_of(&e.knot, low.cord, ACTIVE)) / (2 * d) - force));
            v3 p = v3_scale(v3_sub(high.cord[3].node[0].p, low.cord[3].node[0].p), 0.5 / d);
            v3 row = {now.jac[k], now.jac[WIDTH + k], now.jac[2 * WIDTH + k]};
            worst_place = fmax(worst_place, v3_dist(p, row));
        }
    }
    print_message("lengths %.2g, junction %.2g, force %.2g N; first junction on a wrap in %d of %d\n", worst,
                  worst_place, worst_force, on_wrap[1], compared);
    assert_true(compared > 300 && on_wrap[0] > 50);
    if (*state) assert_true(on_wrap[1] > 50);
    assert_true(worst < 1e-8);
    assert_true(worst_place < 1e-8);
    assert_true(worst_force < 1e-7);
}

static void activation_acts_along_the_gradient(void **state)
{
    unsigned seed = 9;
    Example e;
    make(&e, *state != NULL);
    const double d = 1e-5;
    double worst = 0, largest = 0;
    for (int round = 0; round < 30; ++round) {
        rigid pose[BODIES];
        Now now, low, high;
        some_poses(&seed, 0.15, 0.003, pose);
        solve(&e, pose, ACTIVE, &now);
        for (int i = 0; i < CORDS; i += 3) {
            double a[CORDS], f0[WIDTH], f1[WIDTH];
            memcpy(a, ACTIVE, sizeof a);
            a[i] = ACTIVE[i] - d, solve(&e, pose, a, &low), force_of(&e.knot, low.cord, f0);
            a[i] = ACTIVE[i] + d, solve(&e, pose, a, &high), force_of(&e.knot, high.cord, f1);
            compare_answer(&now.cord[i], f0, f1, d, &worst, &largest);
        }
    }
    print_message("answer to activations: off by %.2g of %.3g N\n", worst, largest);
    assert_true(worst < 1e-7 * largest);
}

static void slack_cords_stay_where_they_were(void **state)
{
    (void)state;
    Example e;
    make(&e, false);
    for (int i = 0; i < CORDS; ++i) e.cord[i].tendon_rest += 0.1, e.cord[i].tension_only = true;
    rigid pose[BODIES];
    for (int b = 0; b < BODIES; ++b) pose[b] = rigid_identity();
    Now now;
    double none[CORDS] = {0};
    solve(&e, pose, none, &now);
    assert_near(now.s[0], 0.05, 1e-15);
    for (int i = 0; i < CORDS; ++i) assert_near(now.cord[i].pull.tension, 0, 0);
    for (int k = 0; k < 2 * 3 * WIDTH; ++k) assert_true(isfinite(now.jac[k]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_balance_at_junctions),
        cmocka_unit_test_prestate(forces_balance_at_junctions, (void *)"wraps"),
        cmocka_unit_test(gradients_are_the_changes),
        cmocka_unit_test_prestate(gradients_are_the_changes, (void *)"wraps"),
        cmocka_unit_test(activation_acts_along_the_gradient),
        cmocka_unit_test_prestate(activation_acts_along_the_gradient, (void *)"wraps"),
        cmocka_unit_test(slack_cords_stay_where_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
