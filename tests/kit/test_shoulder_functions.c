/* Each of the twelve functions of the shoulder at level 0.8: it moves its bone in its direction, the scapula stays on
 * the ribs, nothing diverges in 2 s, and after release everything comes back to rest. Prints what docs/measured.md
 * quotes.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "shoulder_case.h"

static const double LEVEL = 0.8, ACTIVE = 2, THIRD = 0.332, RELEASE = 0.25, BACK = 1.75; /* s */

typedef struct Result {
    double angle, at_third; /* rad: after 2 s, after 0.33 s */
    double least, most;     /* gap below the medial border over the whole run, m */
    double back;            /* m: furthest vertex from rest at the end */
    double rhythm[2]; /* of the arm's elevation, what the glenohumeral joint does over what the scapula does, at both
                         times */
} Result;

/* Steps with the level of a function going from one value to another. */
static void run(Shoulder *c, const snShoulderFunction *f, double from, double to, double seconds, Result *r)
{
    int64_t steps = (int64_t)(seconds / c->state->h + 0.5);
    for (int64_t i = 0; i < steps; ++i) {
        shoulder_activate(c, f, from + (to - from) * (double)(i + 1) / (double)steps);
        if (sn_step(c->model, c->state) != SN_OK) fail_msg("%s diverged: %s", f->name, sn_info(c->state)->culprit);
        shoulder_gap(c, &r->least, &r->most);
    }
}

/* Scapulohumeral rhythm of functions that raise the arm. */
static double rhythm(const Shoulder *c, const char *function)
{
    double up = shoulder_measure(c, "scapula.upward_rotation");
    return (shoulder_measure(c, function) - up) / up;
}

static Result try_function(Shoulder *c, const snShoulderFunction *f)
{
    Result r = {.least = INFINITY, .most = -INFINITY};
    sn_state_reset(c->model, c->state);
    run(c, f, LEVEL, LEVEL, THIRD, &r);
    r.at_third = shoulder_measure(c, f->name), r.rhythm[0] = rhythm(c, f->name);
    run(c, f, LEVEL, LEVEL, ACTIVE - THIRD, &r);
    r.angle = shoulder_measure(c, f->name), r.rhythm[1] = rhythm(c, f->name);
    run(c, f, LEVEL, 0, RELEASE, &r);
    run(c, f, 0, 0, BACK, &r);
    r.back = shoulder_offset(c);
    return r;
}

/* Upward rotation and abduction have to reach 20 degrees, what the others have to reach is chosen here: 5. */
static double wanted(const char *function)
{
    bool far = strcmp(function, "scapula.upward_rotation") == 0 || strcmp(function, "humerus.abduction") == 0;
    return (far ? 20 : 5) * SN_DEG;
}

static void all_functions(void **state)
{
    (void)state;
    Shoulder c;
    shoulder_open(&c);
    print_message("%-28s %8s %8s %16s %10s\n", "function at 0.8", "0.33 s", "2 s", "gap, mm", "back, mm");
    for (int32_t i = 0; i < c.tables.function.count; ++i) {
        const snShoulderFunction *f = &c.tables.function.at[i];
        Result r = try_function(&c, f);
        print_message("%-28s %8.1f %8.1f %8.1f %7.1f %10.2f\n", f->name, r.at_third / SN_DEG, r.angle / SN_DEG,
                      1e3 * r.least, 1e3 * r.most, 1e3 * r.back);
        bool abducts = strcmp(f->name, "humerus.abduction") == 0, flexes = strcmp(f->name, "humerus.flexion") == 0;
        if (abducts || flexes)
            print_message("%-28s %8.2f %8.2f to 1\n", "  scapulohumeral rhythm", r.rhythm[0], r.rhythm[1]);
        /* Giphart 2013: 2.0 +- 0.4 to 1 in abduction, 1.1 +- 0.3 in flexion; Inman 1944: 2 to 1 in both */
        assert_true(!abducts || (r.rhythm[1] > 1.6 && r.rhythm[1] < 2.4));
        assert_true(!flexes || (r.rhythm[1] > 0.8 && r.rhythm[1] < 2.4));
        assert_at_most(wanted(f->name), r.angle);
        assert_at_most(r.angle, 110 * SN_DEG);
        assert_at_most(-0.002, r.least);
        assert_at_most(r.most, 0.025);
        assert_at_most(r.back, 0.001);
    }
    shoulder_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_functions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
