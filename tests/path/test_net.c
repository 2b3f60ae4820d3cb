/* Nets: cords that meet in points which are free in space. Forces balance there; velocities of junctions, gradients of
 * lengths, forces and answers to activations against solving again; straight, over wraps and on floors. */
#include "knot_case.h"

enum { CORDS = 8, JUNCTIONS = 3, UNKNOWNS = 7 };

/* Two free junctions with a band between them, bellies and tendons to three bodies; a lumbrical from a junction on the
 * line of a trunk to one that is free. */
typedef struct Example {
    snCordPoint trunk[3], from[2], band[2], side[3], end[2], other[2], lumbrical[3];
    snCordWrap wrap[3];
    snCord cord[CORDS];
    snKnotCord part[CORDS];
    int32_t first[JUNCTIONS];
    snKnotFloor floor[JUNCTIONS];
    snKnot knot;
} Example;

static void put_wraps(Example *e)
{
    e->wrap[0] = (snCordWrap){SN_WRAP_CYLINDER, 1, {0.002, -0.006, 0}, {0.1, 0, 1}, {0, 1, 0}, 0.0095, NULL, 0, NULL};
    e->wrap[1] = (snCordWrap){SN_WRAP_SPHERE, 1, {0.018, -0.006, 0.004}, {0, 0, 1}, {0, 1, 0}, 0.009, NULL, 0, NULL};
    e->wrap[2] = (snCordWrap){SN_WRAP_CYLINDER, 2, {0.05, -0.006, 0}, {0, 0.1, 1}, {0, 1, 0}, 0.009, NULL, 0, NULL};
    for (int k = 0; k < 3; ++k) e->wrap[k].axis = v3_unit(e->wrap[k].axis);
    e->band[0].wrap = e->side[0].wrap = e->end[0].wrap = 0;
    e->cord[3].wrap = &e->wrap[0], e->cord[4].wrap = &e->wrap[1], e->cord[5].wrap = &e->wrap[2];
    for (int i = 3; i < 6; ++i) e->cord[i].nwrap = 1;
}

/* A cylinder and a sphere under the free junctions, so high that the cords press on them in some poses. */
static void put_floors(Example *e)
{
    e->floor[0] = (snKnotFloor){SN_WRAP_CYLINDER, 1, {-0.012, -0.021, 0}, {0.1, 0, 1}, 0.0265};
    e->floor[1] = (snKnotFloor){SN_WRAP_SPHERE, 2, {0.022, -0.03, 0}, {0, 0, 1}, 0.034};
    e->floor[2].slot = -1;
    e->floor[0].axis = v3_unit(e->floor[0].axis);
    e->knot.floor = e->floor;
}

static const char WRAPS[] = "wraps", FLOORS[] = "floors";

static void make(Example *e, const char *with)
{
    const snCordPoint free = {.slot = -1, .wrap = -1};
    *e = (Example){.trunk = {{0, -1, 0, {-0.06, -0.03, 0}}, {1, -1, 0, {0, -0.028, 0}}, {2, -1, 0, {0.08, -0.02, 0}}},
                   .from = {{0, -1, 0, {-0.06, 0, 0}}, free},
                   .band = {free, free},
                   .side = {free, {1, -1, 0, {0.03, 0.004, 0.008}}, {2, -1, 0, {0.07, 0.006, 0.006}}},
                   .end = {free, {2, -1, 0, {0.08, 0, -0.003}}},
                   .other = {{1, -1, 0, {0.01, 0.02, -0.012}}, free},
                   .lumbrical = {free, {1, -1, 0, {0.005, -0.01, -0.004}}, free},
                   .first = {-1, -1, 0}};
    e->cord[0] = tendon(e->trunk, 3, 0.03, 0.02, 0.6), e->cord[1] = tendon(e->trunk, 3, 0, 0.085, 0.6);
    e->cord[2] = tendon(e->from, 2, 0.03, 0.015, 0.6), e->cord[3] = tendon(e->band, 2, 0, 0.03, 0.6);
    e->cord[4] = tendon(e->side, 3, 0, 0.078, 0.6), e->cord[5] = tendon(e->end, 2, 0, 0.056, 0.6);
    e->cord[6] = tendon(e->other, 2, 0.01, 0.01, 0.6), e->cord[7] = tendon(e->lumbrical, 3, 0.02, 0.022, 0.6);
    static const int32_t from[CORDS] = {-1, 2, -1, 0, 0, 1, -1, 2}, to[CORDS] = {2, -1, 0, 1, -1, -1, 1, 1};
    for (int i = 0; i < CORDS; ++i) e->part[i] = (snKnotCord){&e->cord[i], from[i], to[i], i > 1};
    e->knot = (snKnot){.ncord = CORDS, .njunction = JUNCTIONS, .nslot = BODIES, .cord = e->part, .trunk = e->first};
    if (with == WRAPS) put_wraps(e);
    if (with == FLOORS) put_floors(e);
}

typedef struct Now {
    snCordNode node[CORDS][NODES];
    double g[CORDS][WIDTH], jac[JUNCTIONS * 3 * WIDTH], s[UNKNOWNS];
    snKnotCordNow cord[CORDS];
} Now;

static void solve_from(const Example *e, const rigid *pose, const double *a, const double *start, Now *now)
{
    for (int i = 0; i < CORDS; ++i)
        now->cord[i] = (snKnotCordNow){.node = now->node[i], .activation = a[i], .x = 1, .g = now->g[i]};
    memcpy(now->s, start, sizeof now->s);
    sn_knot_solve(&e->knot, pose, now->cord, now->s, now->jac);
}

static void solve(const Example *e, const rigid *pose, const double *a, Now *now)
{
    static const double start[UNKNOWNS] = {-0.012, 0.006, 0, 0.022, 0.006, 0, 0.05};
    solve_from(e, pose, a, start, now);
}

static const double ACTIVE[CORDS] = {0.5, 0, 0.6, 0, 0, 0, 0.3, 0.4};

/* Sum of the pulls on a free junction, as the nodes of its cords say. */
static v3 force_at(const Example *e, const Now *now, int32_t j, double *most)
{
    v3 sum = {0, 0, 0};
    for (int i = 0; i < CORDS; ++i) {
        const snKnotCordNow *c = &now->cord[i];
        if (e->part[i].from == j) sum = v3_mad(sum, c->pull.tension, c->node[0].t);
        if (e->part[i].to == j) sum = v3_mad(sum, -c->pull.tension, c->node[c->nnode - 1].arrive);
        if (e->part[i].from == j || e->part[i].to == j) *most = fmax(*most, c->pull.tension);
    }
    return sum;
}

/* Height of a junction over its floor, and the direction away from it. */
static double above(const Example *e, const rigid *pose, const Now *now, int32_t j, v3 *out)
{
    const snKnotFloor *f = &e->floor[j];
    v3 d = v3_sub(v3_load(now->s + 3 * j), rigid_apply(pose[f->slot], f->centre)),
       a = q_rotate(pose[f->slot].q, f->axis);
    if (f->kind == SN_WRAP_CYLINDER) d = v3_mad(d, -v3_dot(d, a), a);
    *out = v3_unit(d);
    return v3_len(d) - f->radius;
}

static void forces_balance_at_junctions(void **state)
{
    unsigned seed = 3;
    Example e;
    make(&e, *state);
    double worst = 0;
    int touched = 0, pressed[2] = {0};
    for (int round = 0; round < 200; ++round) {
        rigid pose[BODIES];
        Now now;
        some_poses(&seed, 0.1, 0.002, pose);
        solve(&e, pose, ACTIVE, &now);
        for (int j = 0; j < 2; ++j) {
            double most = 0;
            v3 off = force_at(&e, &now, j, &most);
            assert_true(most > 1);
            if (*state == FLOORS) { /* on its floor, it is pressed on it; off it, it is above */
                v3 out;
                double h = above(&e, pose, &now, j, &out), up = v3_dot(off, out);
                bool on = h < 1e-10;
                assert_true(h > -1e-15 && (!on || up < 1e-9));
                if (on)
                    off = v3_mad(off, -up, out), ++pressed[1];
                else
                    ++pressed[0];
            }
            worst = fmax(worst, v3_len(off) / most);
        }
        for (int i = 0; i < CORDS; ++i) { /* nodes say the same as the lengths */
            double sum = 0;
            for (int k = 0; k < now.cord[i].nnode; ++k) sum += now.node[i][k].length, touched += now.node[i][k].arc;
            assert_near(sum, now.cord[i].length, 1e-12);
        }
        for (int i = 3; i < 5; ++i) assert_true(v3_dist(now.node[i][0].p, v3_load(now.s)) < 1e-15);
    }
    print_message("largest force on a junction: %.2g of the largest tension; arcs: %d\n", worst, touched);
    assert_true(worst < 1e-9);
    assert_true(*state == WRAPS ? touched > 100 : !touched);
    if (*state == FLOORS) print_message("on a floor %d, above it %d\n", pressed[1], pressed[0]);
    if (*state == FLOORS) assert_true(pressed[0] > 30 && pressed[1] > 30);
}

static bool same_course(const Example *e, const rigid *pose_a, const Now *a, const rigid *pose_b, const Now *b)
{
    for (int i = 0; i < CORDS; ++i) {
        if (a->cord[i].nnode != b->cord[i].nnode) return false;
        if ((a->cord[i].pull.tension > 0) != (b->cord[i].pull.tension > 0)) return false;
    }
    for (int j = 0; j < 2 && e->knot.floor; ++j) {
        v3 out;
        if ((above(e, pose_a, a, j, &out) < 1e-10) != (above(e, pose_b, b, j, &out) < 1e-10)) return false;
    }
    return true;
}

typedef struct Off {
    double length, place, force, by;
    int compared, slack, arcs;
} Off;

static void compare(const Example *e, const rigid *pose, const Now *now, int k, double d, Off *off)
{
    rigid other[BODIES];
    Now low, high;
    memcpy(other, pose, sizeof other);
    other[k / 6] = moved(pose[k / 6], k % 6, -d), solve(e, other, ACTIVE, &low);
    if (!same_course(e, other, &low, pose, now)) return;
    other[k / 6] = moved(pose[k / 6], k % 6, d), solve(e, other, ACTIVE, &high);
    if (!same_course(e, other, &high, pose, now)) return;
    ++off->compared;
    double force = 0;
    for (int i = 0; i < CORDS; ++i) {
        off->length = fmax(off->length, fabs((high.cord[i].length - low.cord[i].length) / (2 * d) - now->g[i][k]));
        force += now->cord[i].pull.tension * now->g[i][k];
        off->slack += !(now->cord[i].pull.tension > 0);
        off->arcs += now->cord[i].nnode > e->cord[i].npoint && i > 1;
    }
    double by = (energy_of(&e->knot, high.cord, ACTIVE) - energy_of(&e->knot, low.cord, ACTIVE)) / (2 * d);
    off->force = fmax(off->force, fabs(by - force)), off->by = fmax(off->by, fabs(by));
    for (int j = 0; j < 2; ++j) {
        v3 p = v3_scale(v3_sub(v3_load(high.s + 3 * j), v3_load(low.s + 3 * j)), 0.5 / d);
        const double *row = now->jac + 3 * j * WIDTH + k;
        off->place = fmax(off->place, v3_dist(p, v3_of(row[0], row[WIDTH], row[2 * WIDTH])));
    }
}

static void gradients_are_the_changes(void **state)
{
    unsigned seed = 5;
    Example e;
    make(&e, *state);
    Off off = {0};
    for (int round = 0; round < 30; ++round) {
        rigid pose[BODIES];
        Now now;
        some_poses(&seed, 0.1, 0.002, pose);
        solve(&e, pose, ACTIVE, &now);
        for (int k = 0; k < WIDTH; ++k) compare(&e, pose, &now, k, *state == WRAPS ? 3e-7 : 5e-7, &off);
    }
    print_message("%d compared, arcs %d, slack %d; lengths %.2g, junctions %.2g, force %.2g of %.3g N\n", off.compared,
                  off.arcs, off.slack, off.length, off.place, off.force, off.by);
    assert_true(off.compared > 400);
    if (*state == WRAPS) assert_true(off.arcs > 400);
    assert_true(off.length < 1e-8);
    assert_true(off.place < 1e-7);
    assert_true(off.force < 1e-7);
}

static void activation_acts_along_the_gradient(void **state)
{
    unsigned seed = 9;
    Example e;
    make(&e, *state);
    const double d = 1e-5;
    double worst = 0, largest = 0;
    for (int round = 0; round < 30; ++round) {
        rigid pose[BODIES];
        Now now, low, high;
        some_poses(&seed, 0.1, 0.002, pose);
        solve(&e, pose, ACTIVE, &now);
        for (int i = 0; i < CORDS; ++i) {
            if (!(ACTIVE[i] > 0)) continue;
            double a[CORDS], f0[WIDTH], f1[WIDTH];
            memcpy(a, ACTIVE, sizeof a);
            a[i] = ACTIVE[i] - d, solve(&e, pose, a, &low), force_of(&e.knot, low.cord, f0);
            a[i] = ACTIVE[i] + d, solve(&e, pose, a, &high), force_of(&e.knot, high.cord, f1);
            if (!same_course(&e, pose, &low, pose, &now) || !same_course(&e, pose, &high, pose, &now)) continue;
            compare_answer(&now.cord[i], f0, f1, d, &worst, &largest);
        }
    }
    print_message("answer to activations: off by %.2g of %.3g N\n", worst, largest);
    assert_true(worst < 1e-8 * largest);
}

/* Where the search starts does not matter. */
static void the_start_does_not_matter(void **state)
{
    unsigned seed = 11;
    Example e;
    make(&e, *state);
    double worst = 0;
    for (int round = 0; round < 100; ++round) {
        rigid pose[BODIES];
        Now now, other;
        double start[UNKNOWNS];
        some_poses(&seed, 0.1, 0.002, pose);
        solve(&e, pose, ACTIVE, &now);
        double far = *state == WRAPS ? 0.001 : 0.03; /* not into a wrap */
        for (int k = 0; k < 6; ++k) start[k] = now.s[k] + far * (k % 3 == 1 ? fabs(pseudo(&seed)) : pseudo(&seed));
        start[6] = 0.05;
        solve_from(&e, pose, ACTIVE, start, &other);
        for (int k = 0; k < UNKNOWNS; ++k) worst = fmax(worst, fabs(now.s[k] - other.s[k]));
    }
    print_message("from elsewhere: %.2g m apart\n", worst);
    assert_true(worst < 1e-12);
}

/* As a body with its floor comes nearer and leaves again. */
static void a_junction_lands_without_a_jump(void **state)
{
    (void)state;
    Example e;
    make(&e, FLOORS);
    double last[WIDTH], jump = 0, start[UNKNOWNS] = {-0.012, 0.006, 0, 0.022, 0.006, 0, 0.05};
    int on[2] = {0};
    for (int step = -3000; step <= 3000; ++step) {
        rigid pose[BODIES];
        Now now;
        double f[WIDTH];
        v3 out;
        for (int b = 0; b < BODIES; ++b) pose[b] = rigid_identity();
        pose[1].p.y = 1e-6 * 2 * (step < 0 ? step : -step);
        solve_from(&e, pose, ACTIVE, start, &now);
        memcpy(start, now.s, sizeof start);
        force_of(&e.knot, now.cord, f);
        jump = fmax(jump, change_of(f, last, step == -3000));
        ++on[above(&e, pose, &now, 0, &out) < 1e-10];
    }
    print_message("on the floor %d of %d; largest change of a force in 2 um: %.2g N\n", on[1], on[0] + on[1], jump);
    assert_true(on[0] > 500 && on[1] > 500);
    assert_true(jump < 0.2); /* cords of up to 1e5 N/m */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_balance_at_junctions),
        cmocka_unit_test_prestate(forces_balance_at_junctions, (void *)WRAPS),
        cmocka_unit_test_prestate(forces_balance_at_junctions, (void *)FLOORS),
        cmocka_unit_test(gradients_are_the_changes),
        cmocka_unit_test_prestate(gradients_are_the_changes, (void *)WRAPS),
        cmocka_unit_test_prestate(gradients_are_the_changes, (void *)FLOORS),
        cmocka_unit_test(activation_acts_along_the_gradient),
        cmocka_unit_test_prestate(activation_acts_along_the_gradient, (void *)WRAPS),
        cmocka_unit_test_prestate(activation_acts_along_the_gradient, (void *)FLOORS),
        cmocka_unit_test(the_start_does_not_matter),
        cmocka_unit_test_prestate(the_start_does_not_matter, (void *)WRAPS),
        cmocka_unit_test_prestate(the_start_does_not_matter, (void *)FLOORS),
        cmocka_unit_test(a_junction_lands_without_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
