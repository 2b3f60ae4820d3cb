/* Forces against the energy and stiffness against the force, by finite differences, for each law, taut and slack. */
#include "check.h"

#include "strand_case.h"

#include <string.h>

enum { N = 9 };

static const double table_x[] = {0.4, 0.7, 0.9, 1.0, 1.3, 1.8}, table_passive[] = {-0.5, -0.2, -0.05, 0, 0.5, 2},
                    table_active[] = {0, 0.6, 0.95, 1, 0.7, 0};
static double slope_passive[6], slope_active[6];

typedef struct lawPair {
    const char *name;
    snLaw passive, active;
} lawPair;

static int law_pairs(lawPair pair[6])
{
    sn_law_slopes(6, table_x, table_passive, slope_passive);
    sn_law_slopes(6, table_x, table_active, slope_active);
    pair[0] = (lawPair){"linear, constant", {.kind = SN_LAW_LINEAR}, {.kind = SN_LAW_CONSTANT}};
    pair[1] = (lawPair){"hill", {.kind = SN_LAW_HILL_PASSIVE}, {.kind = SN_LAW_HILL_ACTIVE}};
    pair[2] = (lawPair){"hill, quadratic", {.kind = SN_LAW_HILL_PASSIVE}, {.kind = SN_LAW_QUADRATIC_ACTIVE}};
    pair[3] = (lawPair){"table",
                        {SN_LAW_TABLE, 6, table_x, table_passive, slope_passive},
                        {SN_LAW_TABLE, 6, table_x, table_active, slope_active}};
    pair[4] = (lawPair){"linear, hill", {.kind = SN_LAW_LINEAR}, {.kind = SN_LAW_HILL_ACTIVE}};
    pair[5] = (lawPair){"linear, shift", {.kind = SN_LAW_LINEAR}, {.kind = SN_LAW_SHIFT}};
    return 6;
}

/* The drawn strand scaled by `stretch`, with a little noise so that every Gauss point differs. */
static void pose(const strandCase *c, double stretch, double noise, double q[3 * N])
{
    uint64_t seed = 7;
    for (int i = 0; i < 3 * N; ++i) q[i] = stretch * c->point[i] + noise * (case_random(&seed) - 0.5);
}

static void whole_force(const strandCase *c, const double *q, double a, double f[3 * N])
{
    double active[3 * N];
    memset(f, 0, 3 * N * sizeof *f);
    sn_strand_force(&c->strand, q, NULL, a, 0, f, active, NULL);
    for (int i = 0; i < 3 * N; ++i) f[i] += a * active[i];
}

static double largest(const double *x, int n)
{
    double m = 0;
    for (int i = 0; i < n; ++i) m = fmax(m, fabs(x[i]));
    return m;
}

static double energy_at(const strandCase *c, double *q, int i, double shift, double a)
{
    double keep = q[i];
    q[i] += shift;
    double e = sn_strand_energy(&c->strand, q, a);
    q[i] = keep;
    return e;
}

/* Largest difference of the force from minus the gradient of the energy, over the largest force. */
static double force_error(const strandCase *c, double *q, double a)
{
    double f[3 * N], worst = 0, h = 2e-6;
    whole_force(c, q, a, f);
    for (int i = 0; i < 3 * N; ++i) {
        double near = energy_at(c, q, i, h, a) - energy_at(c, q, i, -h, a);
        double far = energy_at(c, q, i, 2 * h, a) - energy_at(c, q, i, -2 * h, a);
        worst = fmax(worst, fabs(f[i] + (8 * near - far) / (12 * h)));
    }
    return worst / largest(f, 3 * N);
}

/* Entry (i, j) of the band of blocks. */
static double band_entry(const double *A, int i, int j)
{
    int bi = i / 3, bj = j / 3;
    if (bj < bi) return band_entry(A, j, i);
    return bj - bi > 3 ? 0 : A[36 * bi + 9 * (bj - bi) + 3 * (i % 3) + j % 3];
}

/* Largest difference of K from minus the derivative of the force, over the largest entry of K. */
static double stiffness_error(const strandCase *c, double *q, double a)
{
    double A[36 * N] = {0}, f[4][3 * N], ignored[3 * N] = {0}, worst = 0, scale = 0, h = 2e-6;
    static const double step[4] = {-2, -1, 1, 2};
    sn_strand_force(&c->strand, q, NULL, a, 1, ignored, NULL, A);
    for (int j = 0; j < 3 * N; ++j) {
        double keep = q[j];
        for (int k = 0; k < 4; ++k) {
            q[j] = keep + step[k] * h;
            whole_force(c, q, a, f[k]);
        }
        q[j] = keep;
        for (int i = 0; i < 3 * N; ++i) {
            double slope = (8 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12 * h), entry = band_entry(A, i, j);
            worst = fmax(worst, fabs(entry + slope)), scale = fmax(scale, fabs(entry));
        }
    }
    return worst / scale;
}

/* belly only, and belly between tendons with fibres that are short at rest */
static snStrandParams params_of(int variant)
{
    snStrandParams p = case_params();
    if (variant) p.belly_start = 0.3, p.belly_end = 0.7, p.fiber_rest = 0.9, p.tendon_stiffness = 2e6;
    return p;
}

/* One of four variants (belly alone or between tendons; pulling only or pushing too) with a pair of laws. */
static void wavy_with(strandCase *c, const snStrandParams *p, const lawPair *pair, int variant)
{
    case_wavy(c, N, p);
    c->strand.passive_law = pair->passive, c->strand.active_law = pair->active;
    c->strand.tension_only = variant & 2;
}

static void force_is_the_gradient_of_the_energy(void **state)
{
    (void)state;
    static strandCase c;
    lawPair pair[6];
    double q[3 * N], worst = 0;
    for (int l = 0, n = law_pairs(pair); l < n; ++l)
        for (int variant = 0; variant < 4; ++variant) {
            snStrandParams p = params_of(variant & 1);
            wavy_with(&c, &p, &pair[l], variant);
            for (int k = 0; k < 4; ++k) {
                static const double stretch[4] = {0.85, 0.95, 1.08, 1.2}, activation[4] = {0.3, 1, 0, 0.7};
                pose(&c, stretch[k], 0.004, q);
                double e = force_error(&c, q, activation[k]);
                if (e > 1e-7) print_error("%s, variant %d, stretch %g: %g\n", pair[l].name, variant, stretch[k], e);
                worst = fmax(worst, e);
            }
        }
    print_message("force against the gradient of the energy: %.1e\n", worst);
    assert_at_most(worst, 1e-7);
}

static void stiffness_is_the_derivative_of_the_force(void **state)
{
    (void)state;
    static strandCase c;
    lawPair pair[6];
    double q[3 * N], worst = 0;
    for (int l = 0, n = law_pairs(pair); l < n; ++l)
        for (int variant = 0; variant < 4; ++variant) {
            snStrandParams p = params_of(variant & 1);
            p.fiber_rest = 0.7; /* on the rising side, where the sum of both slopes is not clamped */
            wavy_with(&c, &p, &pair[l], variant);
            pose(&c, 1.15, 0.001, q);
            worst = fmax(worst, stiffness_error(&c, q, 0));
            worst = fmax(worst, stiffness_error(&c, q, 0.8));
        }
    print_message("stiffness against the derivative of the force: %.1e\n", worst);
    assert_at_most(worst, 1e-7);
}

/* Slack but active: only the active force pulls, and its stiffness is the geometric one. */
static void slack_active_strand_has_its_exact_stiffness(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    double q[3 * N];
    case_wavy(&c, N, &p);
    c.strand.tension_only = true;
    pose(&c, 0.8, 0.001, q);
    assert_at_most(stiffness_error(&c, q, 0.6), 1e-7);
    c.strand.active_law.kind = SN_LAW_HILL_ACTIVE; /* rising below the optimal length: a true stiffness */
    assert_at_most(stiffness_error(&c, q, 0.6), 1e-7);
}

/* A strand that cannot contract carries nothing when slack; the belly of one that can next to nothing. */
static void slack_strand_carries_nothing(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    double q[3 * N], f[3 * N], A[36 * N] = {0}, ignored[3 * N] = {0};
    p.max_force = 0;
    case_wavy(&c, N, &p);
    c.strand.tension_only = true;
    pose(&c, 0.8, 0, q);
    whole_force(&c, q, 0, f);
    assert_near(largest(f, 3 * N), 0, 0);
    sn_strand_force(&c.strand, q, NULL, 0, 1, ignored, NULL, A);
    assert_near(largest(A, 36 * N), 0, 0);
    p = case_params();
    p.belly_start = 0, p.belly_end = 1;
    case_wavy(&c, N, &p);
    c.strand.tension_only = true;
    whole_force(&c, q, 0, f);
    double slack = largest(f, 3 * N);
    c.strand.tension_only = false;
    whole_force(&c, q, 0, f);
    assert_at_most(slack, 0.03 * largest(f, 3 * N));
}

/* v' A v for random v: what is added to the system matrix is never indefinite, compressed or past the peak alike. */
static void stiffness_is_never_indefinite(void **state)
{
    (void)state;
    static strandCase c;
    lawPair pair[6];
    uint64_t seed = 3;
    for (int l = 0, n = law_pairs(pair); l < n; ++l)
        for (int k = 0; k < 30; ++k) {
            snStrandParams p = params_of(k & 1);
            double q[3 * N], A[36 * N] = {0}, f[3 * N] = {0}, v[3 * N], sum = 0, size = 0;
            case_wavy(&c, N, &p);
            c.strand.passive_law = pair[l].passive, c.strand.active_law = pair[l].active;
            c.strand.beta = 0.002;
            pose(&c, 0.5 + 1.2 * case_random(&seed), 0.01, q);
            sn_strand_force(&c.strand, q, NULL, case_random(&seed), 0.004, f, NULL, A);
            for (int i = 0; i < 3 * N; ++i) v[i] = case_random(&seed) - 0.5;
            for (int i = 0; i < 9 * N * N; ++i) {
                double term = v[i / (3 * N)] * band_entry(A, i / (3 * N), i % (3 * N)) * v[i % (3 * N)];
                sum += term, size += fabs(term);
            }
            assert_at_most(-1e-12 * size, sum);
        }
}

/* Damping once: implicit in the block, or explicit in the force, and none of it in a rigid rotation. */
static void damping_acts_on_stretching_alone(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = case_params();
    double q[3 * N], spin[3 * N], f0[3 * N] = {0}, f1[3 * N] = {0}, f2[3 * N] = {0}, A0[36 * N] = {0}, A1[36 * N] = {0};
    double unused[3 * N] = {0}, qdot[3 * N];
    case_wavy(&c, N, &p);
    pose(&c, 1.1, 0.002, q);
    uint64_t seed = 5;
    for (int i = 0; i < 3 * N; ++i) qdot[i] = case_random(&seed);
    for (int i = 0; i < N; ++i) v3_store(spin + 3 * i, v3_cross(v3_of(1, 2, 3), v3_load(q + 3 * i)));
    sn_strand_force(&c.strand, q, qdot, 0, 0.004, f0, NULL, A0);
    c.strand.beta = 0.01;
    sn_strand_force(&c.strand, q, spin, 0, 0, f1, NULL, NULL);
    for (int i = 0; i < 3 * N; ++i) assert_near(f1[i], f0[i], 1e-12 * largest(f0, 3 * N));
    sn_strand_force(&c.strand, q, qdot, 0, 0, f2, NULL, NULL);
    sn_strand_force(&c.strand, q, qdot, 0, 0.004, unused, NULL, A1);
    for (int i = 0; i < 3 * N; ++i) assert_near(unused[i], f0[i], 0);
    double power = 0;
    for (int i = 0; i < 3 * N; ++i) {
        double sum = f2[i] - f0[i];
        power += sum * qdot[i];
        for (int j = 0; j < 3 * N; ++j) sum += (band_entry(A1, i, j) - band_entry(A0, i, j)) / 0.004 * qdot[j];
        assert_near(sum, 0, 1e-10 * largest(f2, 3 * N));
    }
    assert_at_most(power, 0);
}

static void internal_forces_balance(void **state)
{
    (void)state;
    static strandCase c;
    snStrandParams p = params_of(1);
    double q[3 * N], f[3 * N];
    case_wavy(&c, N, &p);
    pose(&c, 1.1, 0.01, q);
    whole_force(&c, q, 0.5, f);
    v3 sum = v3_of(0, 0, 0), moment = sum;
    for (int i = 0; i < N; ++i) {
        sum = v3_add(sum, v3_load(f + 3 * i));
        moment = v3_add(moment, v3_cross(v3_load(q + 3 * i), v3_load(f + 3 * i)));
    }
    assert_near(v3_len(sum), 0, 1e-12 * largest(f, 3 * N));
    assert_near(v3_len(moment), 0, 1e-13 * largest(f, 3 * N));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_the_gradient_of_the_energy),
        cmocka_unit_test(stiffness_is_the_derivative_of_the_force),
        cmocka_unit_test(slack_active_strand_has_its_exact_stiffness),
        cmocka_unit_test(slack_strand_carries_nothing),
        cmocka_unit_test(stiffness_is_never_indefinite),
        cmocka_unit_test(damping_acts_on_stretching_alone),
        cmocka_unit_test(internal_forces_balance),
    };
    return cmocka_run_group_tests_name("strand.force", tests, NULL, NULL);
}
