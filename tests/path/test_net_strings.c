/* Simple nets of strings against closed forms: three strings against Lami, bands side by side and in a row against one
 * string, slack bands, a junction that is pulled into a point. */
#include "check.h"

#include "path/knot.h"

#include <math.h>

enum { MOST = 5 };

/* Strings between places of one body and junctions. */
typedef struct Strings {
    snCordPoint point[MOST][2];
    snCord cord[MOST];
    snKnotCord part[MOST];
    int32_t free[2];
    snKnot knot;
    snCordNode node[MOST][4];
    double g[MOST][12], jac[72], s[6];
    snKnotCordNow now[MOST];
    rigid pose[2];
} Strings;

static void begin(Strings *t, int32_t njunction)
{
    *t = (Strings){.free = {-1, -1}, .pose = {rigid_identity(), rigid_identity()}};
    t->knot = (snKnot){.njunction = njunction, .nslot = 2, .cord = t->part, .trunk = t->free};
}

/* Where an end is: a junction, or a place of a body. */
typedef struct At {
    int32_t junction, slot;
    v3 p;
} At;

static At on_body(int32_t slot, double x, double y, double z)
{
    return (At){-1, slot, {x, y, z}};
}

static At in_junction(int32_t j)
{
    return (At){j, -1, {0, 0, 0}};
}

/* A string that stretches, or one that pulls alike at any length (rest 0, `stiffness` its pull). */
static void add_string(Strings *t, At a, At b, double rest, double stiffness)
{
    int32_t i = t->knot.ncord++;
    t->point[i][0] = (snCordPoint){a.slot, -1, 0, a.p};
    t->point[i][1] = (snCordPoint){b.slot, -1, 0, b.p};
    snCord *c = &t->cord[i];
    *c = (snCord){.npoint = 2, .nslot = 2, .point = t->point[i], .tendon_rest = rest, .tendon = stiffness};
    if (!(rest > 0)) c->belly_rest = 0.1, c->active = stiffness, c->fiber = 1, c->active_law.kind = SN_LAW_CONSTANT;
    t->part[i] = (snKnotCord){c, a.junction, b.junction, true};
}

static void find(Strings *t)
{
    for (int i = 0; i < t->knot.ncord; ++i)
        t->now[i] = (snKnotCordNow){.node = t->node[i], .activation = 1, .x = 1, .g = t->g[i]};
    sn_knot_solve(&t->knot, t->pose, t->now, t->s, t->jac);
}

static double angle_between(const Strings *t, int i, int k)
{
    return acos(v3_dot(t->node[i][0].t, t->node[k][0].t)) * 180 / SN_PI;
}

/* Pulls that do not depend on the length: the angles are those of the triangle of forces. */
static void three_strings_meet_at_the_angles_of_lami(void **state)
{
    (void)state;
    static const double pull[2][3] = {{5, 5, 5}, {3, 4, 5}};
    static const double angle[2][3] = {{120, 120, 120}, {90, 143.13010235415598, 126.86989764584402}};
    for (int k = 0; k < 2; ++k) {
        Strings t;
        begin(&t, 1);
        add_string(&t, in_junction(0), on_body(0, 0.1, 0.02, 0.01), 0, pull[k][0]);
        add_string(&t, in_junction(0), on_body(0, -0.07, 0.05, 0), 0, pull[k][1]);
        add_string(&t, in_junction(0), on_body(0, 0.01, -0.11, 0.03), 0, pull[k][2]);
        find(&t);
        for (int i = 0; i < 3; ++i) assert_near(angle_between(&t, i, (i + 1) % 3), angle[k][i], 1e-9);
    }
}

static void two_bands_side_by_side_are_one_of_twice_the_area(void **state)
{
    (void)state;
    Strings t[2];
    for (int k = 0; k < 2; ++k) {
        begin(&t[k], 1);
        add_string(&t[k], on_body(0, -0.1, 0, 0), in_junction(0), 0.09, 900);
        add_string(&t[k], on_body(0, -0.05, 0.08, 0), in_junction(0), 0.09, 700);
        for (int i = 0; i < 2 - k; ++i)
            add_string(&t[k], in_junction(0), on_body(1, 0.1, -0.01, 0.02), 0.095, (k + 1) * 500);
        find(&t[k]);
    }
    for (int k = 0; k < 3; ++k) assert_near(t[0].s[k], t[1].s[k], 1e-14);
    assert_near(2 * t[0].now[2].pull.tension, t[1].now[2].pull.tension, 1e-10);
    assert_true(t[1].now[2].pull.tension > 10);
}

static void strings_in_a_row_are_one_string(void **state)
{
    (void)state;
    Strings t;
    begin(&t, 2);
    t.s[1] = 0.02, t.s[4] = -0.01, t.s[3] = 0.05; /* the search starts off the line */
    add_string(&t, on_body(0, -0.1, 0, 0), in_junction(0), 0.05, 800);
    add_string(&t, in_junction(0), in_junction(1), 0.06, 800);
    add_string(&t, in_junction(1), on_body(1, 0.1, 0.03, 0), 0.07, 800);
    find(&t);
    double length = sqrt(0.04 + 0.0009), tension = 800 * (length / 0.18 - 1);
    for (int i = 0; i < 3; ++i) assert_near(t.now[i].pull.tension, tension, 1e-9);
    double g[12] = {0}, k = 0;
    for (int i = 0; i < 3; ++i)
        for (int e = 0; e < 12; ++e) g[e] += t.g[i][e];
    for (int i = 0; i < 3; ++i) k += t.now[i].pull.slope * t.g[i][9] * t.g[i][9];
    double along = 0.2 / length;
    assert_near(g[9], along, 1e-12);
    assert_near(g[3], -along, 1e-12);
    assert_near(k, 800 / 0.18 * along * along, 1e-6);
}

/* A third band, longer and longer: the forces of the three go over into those of the other two. */
static void a_band_goes_slack_without_a_jump(void **state)
{
    (void)state;
    double last[3] = {0}, jump = 0;
    bool slack = false, taut = false;
    for (int step = 0; step <= 2000; ++step) {
        Strings t;
        begin(&t, 1);
        add_string(&t, on_body(0, -0.1, 0, 0), in_junction(0), 0.09, 900);
        add_string(&t, in_junction(0), on_body(1, 0.1, 0, 0), 0.09, 900);
        add_string(&t, in_junction(0), on_body(0, 0, 0.05, 0), 0.0499 + 1e-7 * step, 400);
        find(&t);
        for (int e = 0; e < 3; ++e) {
            double f = 0;
            for (int i = 0; i < 3; ++i) f += t.now[i].pull.tension * t.g[i][9 + e];
            if (step) jump = fmax(jump, fabs(f - last[e]));
            last[e] = f;
        }
        if (t.now[2].pull.tension > 0)
            taut = true;
        else
            slack = true;
        double worst = fabs(t.now[0].pull.tension - t.now[1].pull.tension);
        if (slack) assert_near(worst, 0, 1e-9);
    }
    print_message("largest change of a force: %.2g N\n", jump);
    assert_true(slack && taut);
    assert_true(jump < 400 / 0.0499 * 1.001e-7);
}

static void slack_strings_leave_the_junction_where_it_was(void **state)
{
    (void)state;
    Strings t;
    begin(&t, 1);
    t.s[0] = 0.01, t.s[1] = 0.02, t.s[2] = 0.03;
    for (int i = 0; i < 3; ++i) add_string(&t, in_junction(0), on_body(0, 0.1 * (i - 1), 0, 0), 1, 500);
    find(&t);
    assert_true(t.s[0] == 0.01 && t.s[1] == 0.02 && t.s[2] == 0.03);
    for (int i = 0; i < 3; ++i) assert_near(t.now[i].pull.tension, 0, 0);
    for (int e = 0; e < 36; ++e) assert_near(t.jac[e], 0, 0);
}

/* One that pulls more than the others together draws the junction to where it is held: it rests next to that point. */
static void a_junction_rests_next_to_a_point(void **state)
{
    (void)state;
    Strings t;
    begin(&t, 1);
    add_string(&t, in_junction(0), on_body(0, 0.1, 0.02, 0.01), 0, 9);
    add_string(&t, in_junction(0), on_body(0, -0.07, 0.05, 0), 0, 3);
    add_string(&t, in_junction(0), on_body(1, 0.01, -0.11, 0.03), 0, 4);
    find(&t);
    double far = v3_dist(v3_load(t.s), v3_of(0.1, 0.02, 0.01));
    v3 sum = {0, 0, 0};
    for (int i = 0; i < 3; ++i) sum = v3_mad(sum, t.now[i].pull.tension, t.node[i][0].t);
    print_message("%.3g mm from the point, off by %.2g N\n", 1e3 * far, v3_len(sum));
    assert_true(far < 2e-4 && far > 0);
    assert_true(v3_len(sum) < 1e-9);
    for (int i = 0; i < 3; ++i)
        for (int e = 0; e < 12; ++e) assert_true(fabs(t.g[i][e]) < 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_strings_meet_at_the_angles_of_lami),
        cmocka_unit_test(two_bands_side_by_side_are_one_of_twice_the_area),
        cmocka_unit_test(strings_in_a_row_are_one_string),
        cmocka_unit_test(a_band_goes_slack_without_a_jump),
        cmocka_unit_test(slack_strings_leave_the_junction_where_it_was),
        cmocka_unit_test(a_junction_rests_next_to_a_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
