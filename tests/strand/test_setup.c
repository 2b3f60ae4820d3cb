/* Set-up: mass and inertia of an arc, blend of belly and tendon, rest lengths, and what the inertia kernel adds. */
#include "check.h"

#include "strand_case.h"

#include <string.h>

/* An arc of radius 0.1 m and 120 degrees in the xy plane, symmetric about x. */
static void build_arc(strandCase *c, int32_t n)
{
    enum { SAMPLES = 400 };
    static double position[3 * SAMPLES];
    for (int i = 0; i < SAMPLES; ++i) {
        double angle = (i / (SAMPLES - 1.0) - 0.5) * 120 * SN_DEG;
        v3_store(position + 3 * i, v3_of(0.1 * cos(angle), 0.1 * sin(angle), 0));
    }
    spline_clamped_knots(c->knot, n);
    assert_true(spline_fit(position, SAMPLES, c->knot, n, c->point));
    snStrandParams p = case_params();
    case_build(c, n, &p);
}

/* x' M y of scalar fields on the control points. */
static double mass_product(const strandCase *c, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < c->strand.n; ++i)
        for (int32_t k = 0; k < 4 && i + k < c->strand.n; ++k)
            sum += c->mass[4 * i + k] * (x[i] * y[i + k] + (k ? x[i + k] * y[i] : 0));
    return sum;
}

static void mass_and_inertia_of_an_arc(void **state)
{
    (void)state;
    static strandCase c;
    build_arc(&c, 20);
    double one[CASE_POINTS], x[CASE_POINTS], y[CASE_POINTS];
    for (int i = 0; i < c.strand.n; ++i) one[i] = 1, x[i] = c.point[3 * i], y[i] = c.point[3 * i + 1];
    double line = 1060 * SN_PI * 9e-6, half = 60 * SN_DEG, mass = line * 0.1 * 2 * half;
    double first = line * 1e-2 * 2 * sin(half); /* integral of x */
    double xx = line * 1e-3 * (half + sin(half) * cos(half)), yy = line * 1e-3 * (half - sin(half) * cos(half));
    double error[] = {mass_product(&c, one, one) / mass - 1, mass_product(&c, one, x) / first - 1,
                      mass_product(&c, x, x) / xx - 1, mass_product(&c, y, y) / yy - 1};
    print_message("arc: mass %.1e, first moment %.1e, second moments %.1e %.1e\n", error[0], error[1], error[2],
                  error[3]);
    for (int i = 0; i < 4; ++i) assert_near(error[i], 0, 1e-5);
    assert_near(mass_product(&c, one, y), 0, 1e-9 * mass);
    assert_near(c.strand.rest_length, 0.1 * 2 * half, 1e-6);
    assert_near(sn_strand_length(&c.strand, c.point), c.strand.rest_length, 1e-15);
}

static void kinetic_energy_of_rigid_motions(void **state)
{
    (void)state;
    static strandCase c;
    build_arc(&c, 20);
    double qdot[3 * CASE_POINTS], line = 1060 * SN_PI * 9e-6, mass = line * 0.1 * 120 * SN_DEG;
    for (int i = 0; i < c.strand.n; ++i) v3_store(qdot + 3 * i, v3_of(1, 2, -2));
    assert_near(sn_strand_kinetic_energy(&c.strand, qdot) / (0.5 * mass * 9), 1, 1e-5);
    for (int i = 0; i < c.strand.n; ++i) /* spin about z: every point at 0.1 m */
        v3_store(qdot + 3 * i, v3_cross(v3_of(0, 0, 3), v3_load(c.point + 3 * i)));
    assert_near(sn_strand_kinetic_energy(&c.strand, qdot) / (0.5 * mass * 0.01 * 9), 1, 1e-5);
}

static void inertia_adds_momentum_weight_and_mass(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    case_wavy(&c, 10, &p);
    c.strand.alpha = 3;
    double qdot[30], impulse[30], A[360] = {0}, h = 0.01;
    uint64_t seed = 11;
    for (int i = 0; i < 30; ++i) qdot[i] = case_random(&seed), impulse[i] = 1;
    sn_strand_inertia(&c.strand, qdot, v3_of(0, 0, -9.81), h, impulse, A);
    for (int i = 0; i < 10; ++i)
        for (int x = 0; x < 3; ++x) {
            double sum = 1;
            for (int j = 0; j < 10; ++j) {
                int low = i < j ? i : j, k = i < j ? j - i : i - j;
                double m = k > 3 ? 0 : c.mass[4 * low + k];
                sum += m * (qdot[3 * j + x] + (x == 2 ? -9.81 * h : 0));
            }
            assert_near(impulse[3 * i + x], sum, 1e-14);
        }
    for (int i = 0; i < 10; ++i)
        for (int k = 0; k < 4; ++k)
            for (int e = 0; e < 9; ++e) {
                double m = i + k < 10 && e % 4 == 0 ? (1 + 3 * h) * c.mass[4 * i + k] : 0;
                assert_near(A[36 * i + 9 * k + e], m, 1e-18);
            }
}

static void belly_turns_smoothly_into_tendon(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    p.belly_start = 0.3, p.belly_end = 0.7, p.rest_scale = 0.98, p.belly_rest_scale = 0.9;
    case_wavy(&c, 33, &p);
    double area = SN_PI * 9e-6, jump = 0;
    int32_t middle = c.strand.ngauss / 2, last = c.strand.ngauss - 1;
    assert_near(c.gauss[0].passive, 1e8 * area, 1e-9);
    assert_near(c.gauss[last].passive, 1e8 * area, 1e-9);
    assert_near(c.gauss[middle].passive, 2e5 * area, 1e-12);
    assert_near(c.gauss[0].active, 0, 0);
    assert_near(c.gauss[middle].active, 30, 0);
    for (int i = 1; i <= last; ++i) jump = fmax(jump, fabs(log(c.gauss[i].passive / c.gauss[i - 1].passive)));
    assert_at_most(jump, log(1e8 / 2e5) * 1.5 * 0.6 / 4); /* slope of the blend times the widest gap between points */
    /* the drawn strand is stretched by 1 / scale */
    double stretch = 0;
    for (int k = 0; k < 4; ++k) stretch += c.gauss[middle].d[k] * c.point[3 * (c.gauss[middle].span + k)];
    assert_true(stretch > 0);
    assert_true(c.strand.rest_length > 0.9 * 0.2 && c.strand.rest_length < 0.98 * 0.23);
    assert_true(sn_strand_length(&c.strand, c.point) > c.strand.rest_length);
}

static void without_belly_all_is_tendon(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    p.belly_start = p.belly_end = 0.4;
    case_wavy(&c, 12, &p);
    for (int i = 0; i < c.strand.ngauss; ++i) {
        assert_near(c.gauss[i].passive, 1e8 * SN_PI * 9e-6, 1e-9);
        assert_near(c.gauss[i].active, 0, 0);
        assert_near(c.gauss[i].share, 0, 0);
    }
}

/* A straight strand of uniform speed: its compliance over that of belly and tendon in series, minus 1. */
static double compliance_error(int32_t n)
{
    static strandCase c;
    snStrandParams p = case_params();
    p.belly_start = 0.25, p.belly_end = 0.75, p.tendon_stiffness = 4e6;
    spline_clamped_knots(c.knot, n);
    for (int i = 0; i < n; ++i) {
        double x = (c.knot[i + 1] + c.knot[i + 2] + c.knot[i + 3]) / 3;
        v3_store(c.point + 3 * i, v3_of(0.2 * x, 0, 0));
    }
    case_build(&c, n, &p);
    double area = SN_PI * 9e-6, compliance = 0;
    for (int i = 0; i < c.strand.ngauss; ++i) compliance += c.gauss[i].weight / c.gauss[i].passive;
    assert_near(c.strand.rest_length, 0.2, 1e-15);
    return compliance / ((0.1 / 2e5 + 0.1 / 4e6) / area) - 1;
}

/* The blend is even in the logarithm, so it takes a little of the belly's compliance, in proportion to its width. */
static void series_of_belly_and_tendon_has_the_summed_compliance(void **state)
{
    (void)state;
    double coarse = compliance_error(31), fine = compliance_error(59);
    print_message("compliance of belly and tendon against the sharp series: 28 spans %.3f, 56 spans %.3f\n", coarse,
                  fine);
    assert_near(fine / coarse, 0.5, 0.01);
}

static void repeated_knots_have_no_gauss_points(void **state)
{
    (void)state;
    static strandCase c;
    double knot[13] = {0, 0, 0, 0, 0.4, 0.4, 0.4, 0.7, 0.9, 1, 1, 1, 1};
    memcpy(c.knot, knot, sizeof knot);
    for (int i = 0; i < 9; ++i) v3_store(c.point + 3 * i, v3_of(0.01 * i, 0.001 * i * i, 0));
    assert_int_equal(sn_strand_gauss_count(knot, 9), 8);
    snStrandParams p = case_params();
    case_build(&c, 9, &p);
    for (int i = 1; i < c.strand.ngauss; ++i) {
        assert_true(c.gauss[i].s > c.gauss[i - 1].s);
        assert_int_equal(c.gauss[i].span, c.gauss[i ^ 1].span);
    }
    assert_true(isfinite(c.strand.rest_length));
    assert_near(sn_strand_tension(&c.strand, c.point, 1, 0.4), 30, 1e-9);
    assert_near(sn_strand_tension(&c.strand, c.point, 0.5, 1), 15, 1e-9);
}

static void point_and_tangent_follow_the_curve(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    case_wavy(&c, 10, &p);
    v3 t, before, after;
    int32_t span = 0;
    assert_near(v3_dist(sn_strand_point(&c.strand, c.point, 0, NULL, NULL), v3_load(c.point)), 0, 1e-16);
    sn_strand_point(&c.strand, c.point, 0.6, &t, &span);
    assert_int_equal(span, 4);
    before = sn_strand_point(&c.strand, c.point, 0.6 - 1e-5, NULL, NULL);
    after = sn_strand_point(&c.strand, c.point, 0.6 + 1e-5, NULL, NULL);
    assert_near(v3_dist(v3_unit(v3_sub(after, before)), t), 0, 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_and_inertia_of_an_arc),
        cmocka_unit_test(kinetic_energy_of_rigid_motions),
        cmocka_unit_test(inertia_adds_momentum_weight_and_mass),
        cmocka_unit_test(belly_turns_smoothly_into_tendon),
        cmocka_unit_test(without_belly_all_is_tendon),
        cmocka_unit_test(series_of_belly_and_tendon_has_the_summed_compliance),
        cmocka_unit_test(repeated_knots_have_no_gauss_points),
        cmocka_unit_test(point_and_tangent_follow_the_curve),
    };
    return cmocka_run_group_tests_name("strand.setup", tests, NULL, NULL);
}
