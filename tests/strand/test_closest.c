/* The nearest point of a strand: right within its valley, bounded in its change, and never on another branch. */
#include "check.h"

#include "strand_case.h"

static double distance(const strandCase *c, double s, v3 x)
{
    return v3_dist(sn_strand_point(&c->strand, c->point, s, NULL, NULL), x);
}

/* Walks downhill from s in tiny steps: slow, but it cannot jump. */
static double walk(const strandCase *c, double s, v3 x, double low, double high)
{
    double step = 1e-3;
    while (step > 1e-12) {
        double left = fmax(low, s - step), right = fmin(high, s + step), here = distance(c, s, x);
        if (distance(c, left, x) < here)
            s = left;
        else if (distance(c, right, x) < here)
            s = right;
        else
            step /= 2;
    }
    return s;
}

static void finds_the_bottom_of_its_valley(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    case_wavy(&c, 12, &p);
    uint64_t seed = 17;
    double worst = 0, slope = 0;
    for (int i = 0; i < 200; ++i) {
        double s0 = case_random(&seed), near = fmin(1, fmax(0, s0 + 0.05 * (case_random(&seed) - 0.5)));
        v3 off = v3_of(case_random(&seed) - 0.5, case_random(&seed) - 0.5, case_random(&seed) - 0.5), tangent;
        v3 x = v3_mad(sn_strand_point(&c.strand, c.point, s0, NULL, NULL), 0.01, off);
        int32_t span = 3;
        double s = sn_strand_closest(&c.strand, c.point, x, near, 1, &span);
        assert_true(s >= 0 && s <= 1);
        worst = fmax(worst, fabs(s - walk(&c, near, x, 0, 1)));
        v3 gap = v3_sub(sn_strand_point(&c.strand, c.point, s, &tangent, NULL), x);
        if (s > 0 && s < 1) slope = fmax(slope, fabs(v3_dot(gap, tangent)));
    }
    print_message("closest point: %.1e from a slow walk, gap along the tangent %.1e m\n", worst, slope);
    assert_at_most(worst, 1e-6); /* the walk compares distances: blind below the root of rounding */
    assert_at_most(slope, 1e-15);
}

static void change_is_bounded(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    case_wavy(&c, 12, &p);
    v3 end = v3_load(c.point + 33), beyond = v3_mad(end, 1, v3_of(0.1, 0, 0));
    assert_near(sn_strand_closest(&c.strand, c.point, end, 0.5, 0.02, NULL), 0.52, 1e-15);
    assert_near(sn_strand_closest(&c.strand, c.point, end, 0.5, 1, NULL), 1, 1e-9);
    assert_near(sn_strand_closest(&c.strand, c.point, beyond, 0.9, 1, NULL), 1, 0);
    assert_near(sn_strand_closest(&c.strand, c.point, end, 0.5, 0, NULL), 0.5, 0);
    assert_near(sn_strand_closest(&c.strand, c.point, end, 7, 0, NULL), 1, 0);
}

/* A hairpin: two parallel legs 4 mm apart. */
static void hairpin(strandCase *c)
{
    enum { POINTS = 20 };
    spline_clamped_knots(c->knot, POINTS);
    for (int i = 0; i < POINTS; ++i) {
        double x = (i - 9.5) / 9.5, along = 0.1 * (1 - fabs(x));
        v3_store(c->point + 3 * i, v3_of(along, x < 0 ? -0.002 : 0.002, 0));
    }
    snStrandParams p = case_params();
    case_build(c, POINTS, &p);
}

static void does_not_hop_to_the_other_leg(void **state)
{
    (void)state;
    static strandCase c;
    hairpin(&c);
    double s = 0.2;
    for (int i = 0; i < 200; ++i) { /* x slides along, nearer to the other leg all the time */
        v3 x = v3_of(0.04 + 0.0001 * i, 0.0015, 0);
        s = sn_strand_closest(&c.strand, c.point, x, s, 0.1, NULL);
        assert_true(s < 0.45);
        assert_near(v3_dot(v3_sub(sn_strand_point(&c.strand, c.point, s, NULL, NULL), x), v3_of(1, 0, 0)), 0, 1e-12);
    }
    /* far start, whole range allowed: still the leg on which it began */
    assert_true(sn_strand_closest(&c.strand, c.point, v3_of(0.06, 0.0015, 0), 0.05, 1, NULL) < 0.5);
    assert_true(sn_strand_closest(&c.strand, c.point, v3_of(0.06, -0.0015, 0), 0.95, 1, NULL) > 0.5);
}

static void never_gets_further_away(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    uint64_t seed = 29;
    for (int round = 0; round < 300; ++round) { /* random tangles: kinks, loops, flat valleys */
        spline_clamped_knots(c.knot, 12);
        for (int i = 0; i < 36; ++i) c.point[i] = 0.1 * case_random(&seed);
        case_build(&c, 12, &p);
        v3 x = v3_of(0.1 * case_random(&seed), 0.1 * case_random(&seed), 0.1 * case_random(&seed));
        double s0 = case_random(&seed), s = sn_strand_closest(&c.strand, c.point, x, s0, 0.1, NULL);
        assert_true(fabs(s - s0) <= 0.1 + 1e-15 && s >= 0 && s <= 1);
        assert_at_most(distance(&c, s, x), distance(&c, s0, x) + 1e-12);
        if (fabs(s - s0) < 0.1 - 1e-9 && s > 0 && s < 1) { /* stopped by itself: at a bottom */
            double e = 1e-6;
            assert_at_most(distance(&c, s, x), distance(&c, s + e, x) + 1e-12);
            assert_at_most(distance(&c, s, x), distance(&c, s - e, x) + 1e-12);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_bottom_of_its_valley),
        cmocka_unit_test(change_is_bounded),
        cmocka_unit_test(does_not_hop_to_the_other_leg),
        cmocka_unit_test(never_gets_further_away),
    };
    return cmocka_run_group_tests_name("strand.closest", tests, NULL, NULL);
}
