/* Two hundred and more random motions of the hand, seeded: holding poses, swaying, reaching from pose to pose within
 * 0.6 s, tapping at 3 to 5 Hz, each with the end joints of the fingers coupled to the middle ones and with all joints
 * by themselves. Poses are drawn over the whole ranges of all 23 coordinates. Muscles can make few of these; so the
 * angles are drawn in until the motion is feasible (robust_case.h). Every fourth of those that were not feasible as
 * drawn is followed as well, and so are motions beyond the ranges: these must stay bounded.
 * SINEW_ROBUST_COUNT sets how many are drawn (288), SINEW_ROBUST_SEED the first seed. */
#include "robust_case.h"

static const double BOUND = 0.3; /* m: of a vertex, in motions that cannot be made */

typedef struct Tally {
    int count, above, whole;
    double sum, largest, scale;
} Tally;

typedef struct Sweep {
    const snModel *m;
    Tally feasible[MOTION_KINDS][2], infeasible;
    int none, diverged, wrong;
    double worst;
} Sweep;

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static void add(Tally *t, const Case *c, const Outcome *o)
{
    ++t->count;
    t->above += o->mean > FOLLOWED;
    t->whole += c->scale == 1;
    t->sum += o->mean;
    t->scale += c->scale;
    t->largest = fmax(t->largest, o->mean);
}

static void follow(Sweep *w, const Case *c, bool feasible)
{
    Outcome o = follow_case(w->m, c);
    w->diverged += o.status != SN_OK;
    w->wrong += o.wrong_sides > 0;
    add(feasible ? &w->feasible[c->kind][c->coupled] : &w->infeasible, c, &o);
    if (!feasible) w->worst = fmax(w->worst, o.worst);
    if (o.status != SN_OK || o.wrong_sides || (feasible && o.mean > FOLLOWED)) print_outcome(c, &o);
}

static void draw(Sweep *w, long i, uint64_t seed)
{
    enum { BEYOND = 8 }; /* of nine, one goes beyond the ranges */
    Case c = {.kind = (MotionKind)(i % 9 / 2), .coupled = i % 2, .scale = 1, .seed = seed, .seconds = 1};
    if (i % 9 == BEYOND) {
        c.kind = MOTION_BEYOND;
        follow(w, &c, false);
        return;
    }
    Case part = feasible_part(w->m, c);
    if (part.scale > 0)
        follow(w, &part, true);
    else
        ++w->none;
    if (part.scale < 1 && i % 4 == 0) follow(w, &c, false);
}

static Tally print_feasible(const Sweep *w)
{
    Tally all = {0};
    for (int k = 0; k < MOTION_BEYOND; ++k)
        for (int coupled = 0; coupled < 2; ++coupled) {
            const Tally *t = &w->feasible[k][coupled];
            print_message("%-5s, fingertips %-7s: %3d feasible (%d as drawn, mean scale %.2f), mean error %.3f mm, "
                          "largest %.3f mm, %d above 1 mm\n",
                          motion_name[k], coupled ? "coupled" : "free", t->count, t->whole,
                          t->scale / fmax(1, t->count), 1e3 * t->sum / fmax(1, t->count), 1e3 * t->largest, t->above);
            all.count += t->count, all.above += t->above, all.whole += t->whole;
            all.sum += t->sum, all.scale += t->scale;
            all.largest = fmax(all.largest, t->largest);
        }
    return all;
}

static void random_motions_of_the_hand_are_followed(void **state)
{
    (void)state;
    snModel *m = shipped_hand();
    Sweep w = {.m = m};
    long count = setting("SINEW_ROBUST_COUNT", 288), first = setting("SINEW_ROBUST_SEED", 1);
    for (long i = 0; i < count; ++i) draw(&w, i, (uint64_t)(first + i));
    Tally all = print_feasible(&w);
    print_message(
        "%d feasible ones (%d as drawn, mean scale %.2f): mean error %.3f mm, largest %.3f mm, %d above 1 mm\n"
        "%d others, %d of them beyond the ranges or not feasible as drawn: mean error %.2f mm, worst %.1f mm\n"
        "%d diverged, %d with a strand on the wrong side\n",
        all.count, all.whole, all.scale / fmax(1, all.count), 1e3 * all.sum / fmax(1, all.count), 1e3 * all.largest,
        all.above, w.none + w.infeasible.count, w.infeasible.count,
        1e3 * w.infeasible.sum / fmax(1, w.infeasible.count), 1e3 * w.worst, w.diverged, w.wrong);
    assert_int_equal(w.diverged, 0);
    assert_int_equal(w.wrong, 0);
    assert_at_most(all.largest, FOLLOWED);
    assert_at_most(w.worst, BOUND);
    sn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_motions_of_the_hand_are_followed)};
    return cmocka_run_group_tests_name("control.robust_many", tests, NULL, NULL);
}
