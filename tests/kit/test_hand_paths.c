/* The paths of the hand's tables, as tight strings, against published moment arms.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "author/table.h"
#include "check.h"
#include "hand/hand.h"

#include <stdlib.h>
#include <string.h>

#define TABLES SINEW_SOURCE_DIR "/models/hand"

static int load(void **state)
{
    snHand *hand = calloc(1, sizeof *hand);
    snError error;
    if (sn_hand_read(hand, TABLES, &error) != SN_OK) {
        char text[1024];
        print_error("%s\n", sn_error_format(&error, text, sizeof text));
        return 1;
    }
    *state = hand;
    return 0;
}

static int unload(void **state)
{
    sn_hand_free(*state);
    free(*state);
    return 0;
}

static int32_t muscle_of(const snHand *hand, const char *name)
{
    for (int32_t i = 0; i < hand->muscle.count; ++i)
        if (strcmp(hand->muscle.at[i].name, name) == 0) return i;
    return -1;
}

static int32_t coordinate_of(const snHand *hand, const char *joint, const char *motion)
{
    for (int32_t i = 0; i < hand->joint.count; ++i)
        for (int32_t dof = 0; dof < hand->joint.at[i].dofs; ++dof)
            if (strcmp(hand->joint.at[i].name, joint) == 0 && strcmp(hand->joint.at[i].motion[dof], motion) == 0)
                return hand->joint.at[i].first + dof;
    return -1;
}

static void counts(void **state)
{
    const snHand *hand = *state;
    int moving = 0;
    for (int32_t i = 0; i < hand->bone.count; ++i) moving += hand->bone.at[i].moving;
    assert_int_equal(moving, 17);
    assert_int_equal(hand->bone.count, 19);
    assert_int_equal(hand->joint.count, 17);
    assert_int_equal(hand->ncoordinate, 23);
    assert_int_equal(hand->muscle.count, 54);
}

static bool judged_at_neutral(const char *joint)
{
    return strcmp(joint, "wrist") == 0 || strcmp(joint, "prosup") == 0 || strcmp(joint, "cmc1") == 0;
}

static double mean_arm(const snHand *hand, int32_t muscle, int32_t about)
{
    double q[SN_HAND_MAX_COORDINATE] = {0}, lower = 0, upper = 0, sum = 0;
    sn_hand_range(hand, about, &lower, &upper);
    enum { N = 25 };
    for (int i = 0; i < N; ++i) {
        q[about] = lower + (upper - lower) * (i + 0.5) / N;
        sum += sn_hand_moment_arm(hand, q, muscle, about);
    }
    return sum / N;
}

static void published_arms(void **state)
{
    const snHand *hand = *state;
    snFigures t;
    assert_int_equal(sn_figures_load(&t, TABLES, "moment_arms.tsv"), SN_OK);
    int pairs = 0, inside = 0, signs_wrong = 0;
    double q[SN_HAND_MAX_COORDINATE] = {0};
    for (int32_t row = 0; row < t.nrow; ++row) {
        const char *name = sn_figures_text(&t, row, "muscle"), *joint = sn_figures_text(&t, row, "joint");
        int32_t muscle = muscle_of(hand, name), about = coordinate_of(hand, joint, sn_figures_text(&t, row, "motion"));
        assert_true(muscle >= 0 && about >= 0);
        double lo = sn_figures_number(&t, row, "lo"), hi = sn_figures_number(&t, row, "hi"),
               mean = sn_figures_number(&t, row, "mean");
        double r =
            judged_at_neutral(joint) ? sn_hand_moment_arm(hand, q, muscle, about) : mean_arm(hand, muscle, about);
        bool graded = strcmp(sn_figures_text(&t, row, "grade"), "C") != 0;
        bool in = r >= lo - 0.15 * fabs(lo) && r <= hi + 0.15 * fabs(hi);
        if (graded) ++pairs, inside += in;
        if (lo * hi > 0 && r * mean <= 0) ++signs_wrong;
        if (!in || (lo * hi > 0 && r * mean <= 0))
            print_message("%s %s %s: %.2f mm, published %.2f (%.2f to %.2f) grade %s\n", name, joint,
                          sn_figures_text(&t, row, "motion"), 1e3 * r, 1e3 * mean, 1e3 * lo, 1e3 * hi,
                          sn_figures_text(&t, row, "grade"));
    }
    print_message("moment arms of the tables' paths: %d of %d pairs graded A or B in range, %d signs wrong\n", inside,
                  pairs, signs_wrong);
    assert_int_equal(t.error.status, SN_OK);
    sn_figures_free(&t);
    assert_int_equal(signs_wrong, 0);
    assert_true(10 * inside >= 9 * pairs);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Against another published model, where measurements are thin: deviation of the wrist, the saddle joint of the thumb.
 * Where that model has an arm of 2 mm or more, this one has the same sign. */
static void arms_of_another_model(void **state)
{
    const snHand *hand = *state;
    snFigures t;
    double q[SN_HAND_MAX_COORDINATE] = {0}, apart[64];
    int signs_wrong = 0;
    assert_int_equal(sn_figures_load(&t, TABLES, "model_arms.tsv"), SN_OK);
    assert_true(t.nrow > 30 && t.nrow <= 64);
    for (int32_t row = 0; row < t.nrow; ++row) {
        const char *name = sn_figures_text(&t, row, "muscle"), *motion = sn_figures_text(&t, row, "motion");
        int32_t muscle = muscle_of(hand, name), about = coordinate_of(hand, sn_figures_text(&t, row, "joint"), motion);
        assert_true(muscle >= 0 && about >= 0);
        double other = sn_figures_number(&t, row, "mean"), r = sn_hand_moment_arm(hand, q, muscle, about);
        apart[row] = fabs(r - other);
        signs_wrong += fabs(other) >= 2e-3 && r * other <= 0;
        if (apart[row] > 3e-3)
            print_message("%s %s: %.1f mm, Gonzalez 1997 %.1f mm\n", name, motion, 1e3 * r, 1e3 * other);
    }
    qsort(apart, (size_t)t.nrow, sizeof *apart, by_size);
    print_message("%d arms of another model: median difference %.1f mm, one in ten over %.1f mm, %d signs wrong\n",
                  t.nrow, 1e3 * apart[t.nrow / 2], 1e3 * apart[t.nrow - 1 - t.nrow / 10], signs_wrong);
    assert_int_equal(t.error.status, SN_OK);
    assert_int_equal(signs_wrong, 0);
    assert_at_most(apart[t.nrow / 2], 2e-3);
    sn_figures_free(&t);
}

/* No path jumps: neighbouring degrees anywhere in the range of any joint differ by less than 1 mm. */
static void arms_are_continuous(void **state)
{
    const snHand *hand = *state;
    double worst = 0, at_angle = 0;
    int32_t at_muscle = 0, at_coordinate = 0;
    for (int32_t m = 0; m < hand->muscle.count; ++m)
        for (int32_t c = 0; c < hand->ncoordinate; ++c) {
            double q[SN_HAND_MAX_COORDINATE] = {0}, lower = 0, upper = 0, last = 0, low = 1, high = -1;
            sn_hand_range(hand, c, &lower, &upper);
            for (double a = lower; a <= upper + 1e-9; a += SN_DEG) {
                q[c] = a;
                double r = sn_hand_moment_arm(hand, q, m, c), jump = a == lower ? 0 : fabs(r - last);
                if (jump > worst) worst = jump, at_muscle = m, at_coordinate = c, at_angle = a / SN_DEG;
                low = fmin(low, r), high = fmax(high, r), last = r;
            }
            if (getenv("SINEW_VERBOSE") && fmax(fabs(low), fabs(high)) > 1e-5)
                print_message("arm %s %d: %.2f .. %.2f\n", hand->muscle.at[m].name, c, 1e3 * low, 1e3 * high);
        }
    print_message(
        "largest change of a moment arm between neighbouring degrees: %.2f mm (%s, coordinate %d, %.0f deg)\n",
        1e3 * worst, hand->muscle.at[at_muscle].name, at_coordinate, at_angle);
    assert_at_most(worst, 1e-3);
}

/* Largest change of a muscle's arm about coordinate `about` from degree to degree of a joint's coordinate `moved`, the
 * other one at `beside` degrees. */
static double change_beside(const snHand *hand, int32_t muscle, const snHandJoint *joint, int moved, double beside,
                            int32_t about)
{
    double q[SN_HAND_MAX_COORDINATE] = {0}, last = NAN, worst = 0;
    q[joint->first + 1 - moved] = beside * SN_DEG;
    for (double a = joint->lower[moved]; a <= joint->upper[moved] + 1e-9; ++a) {
        q[joint->first + moved] = a * SN_DEG;
        double r = sn_hand_moment_arm(hand, q, muscle, about);
        worst = fmax(worst, fabs(r - last)); /* fmax leaves out the first, which has no neighbour */
        last = r;
    }
    return worst;
}

/* The same on lines five degrees apart all over the rectangle of the joint's two ranges, its edges included. */
static double change_in_rectangle(const snHand *hand, int32_t muscle, const snHandJoint *joint)
{
    double q[SN_HAND_MAX_COORDINATE] = {0}, worst = 0;
    if (fabs(sn_hand_moment_arm(hand, q, muscle, joint->first)) < 1e-7) return 0; /* does not cross */
    for (int moved = 0; moved < 2; ++moved) {
        double lower = joint->lower[1 - moved], upper = joint->upper[1 - moved];
        int lines = (int)ceil((upper - lower) / 5);
        for (int k = 0; k <= lines; ++k)
            for (int dof = 0; dof < 2; ++dof)
                worst = fmax(worst, change_beside(hand, muscle, joint, moved, lower + (upper - lower) * k / lines,
                                                  joint->first + dof));
    }
    return worst;
}

/* The same with both coordinates of a joint moved, to the corners of their ranges: eyelets that lie apart in flexion
 * alone can pass each other when the joint deviates too. */
static void arms_are_continuous_in_both_coordinates(void **state)
{
    const snHand *hand = *state;
    double worst = 0;
    const char *at = "", *of = "";
    for (int32_t j = 0; j < hand->joint.count; ++j)
        for (int32_t m = 0; m < hand->muscle.count && hand->joint.at[j].dofs == 2; ++m) {
            double change = change_in_rectangle(hand, m, &hand->joint.at[j]);
            if (change > worst) worst = change, of = hand->muscle.at[m].name, at = hand->joint.at[j].name;
        }
    print_message("with both coordinates of a joint: %.2f mm (%s, %s)\n", 1e3 * worst, of, at);
    assert_at_most(worst, 1e-3);
}

static const snHandPoint *guarded_point(const snHand *hand, int32_t muscle)
{
    const snHandMuscle *m = &hand->muscle.at[muscle];
    for (int32_t i = m->first; i < m->first + m->npoint; ++i)
        if (hand->point.at[i].guard >= 0) return &hand->point.at[i];
    return NULL;
}

/* Where the joint opens, the surfaces around wrist and ulna leave half of the neutral arm, which straight lines between
 * the eyelets would not. */
static void surfaces_keep_the_arms(void **state)
{
    const snHand *hand = *state;
    int guarded = 0, would_fall = 0;
    double least = INFINITY;
    const char *of = "";
    for (int32_t m = 0; m < hand->muscle.count; ++m) {
        double q[SN_HAND_MAX_COORDINATE] = {0}, lower, upper;
        snHandPoint *p = (snHandPoint *)guarded_point(hand, m);
        if (!p) continue;
        bool prosup = strcmp(hand->surface.at[p->guard].name, "shaft_ulna") == 0;
        int32_t about = coordinate_of(hand, prosup ? "prosup" : "wrist", prosup ? "pronation" : "flexion");
        double neutral = sn_hand_moment_arm(hand, q, m, about);
        sn_hand_range(hand, about, &lower, &upper);
        q[about] = neutral > 0 ? lower : upper;
        double kept = sn_hand_moment_arm(hand, q, m, about) / neutral;
        int32_t guard = p->guard;
        p->guard = -1;
        would_fall += sn_hand_moment_arm(hand, q, m, about) / neutral < 0.25;
        p->guard = guard;
        ++guarded;
        if (kept < least) least = kept, of = hand->muscle.at[m].name;
    }
    print_message("%d muscles keep %.2f of their arm (%s); %d would fall below a quarter\n", guarded, least, of,
                  would_fall);
    assert_int_equal(guarded, 21);
    assert_int_equal(would_fall, 21);
    assert_true(least > 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(published_arms),
        cmocka_unit_test(arms_of_another_model),
        cmocka_unit_test(arms_are_continuous),
        cmocka_unit_test(arms_are_continuous_in_both_coordinates),
        cmocka_unit_test(surfaces_keep_the_arms),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
