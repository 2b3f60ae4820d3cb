/* Rows and coordinates of every joint kind against finite differences, and placing against reading. */
#include "check.h"

#include "body/body.h"

static uint64_t seed = 1;
static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}
static v3 random_v3(double size)
{
    return v3_of(uniform(-size, size), uniform(-size, size), uniform(-size, size));
}
static rigid random_rigid(void)
{
    return (rigid){q_exp(random_v3(1.8)), random_v3(0.3)};
}

static const snJointKind kinds[] = {SN_JOINT_BALL,        SN_JOINT_HINGE,     SN_JOINT_RIGID,
                                    SN_JOINT_CYLINDRICAL, SN_JOINT_UNIVERSAL, SN_JOINT_PRISMATIC};
enum { NKIND = 6 };

static void random_coordinates(snJointKind kind, double *c)
{
    for (int32_t i = 0; i < sn_joint_dofs(kind); ++i) {
        double limit = kind == SN_JOINT_BALL && i == 1 ? 75 * SN_DEG : 175 * SN_DEG;
        c[i] = sn_joint_dof_is_angle(kind, i) ? uniform(-limit, limit) : uniform(-0.2, 0.2);
    }
}

static rigid moved(rigid e, const double velocity[6], double h)
{
    sn_body_advance(&e.q, &e.p, velocity, h);
    return e;
}

/* Angle differences across the cut at pi count as small. */
static double difference(double a, double b, bool is_angle)
{
    return is_angle ? remainder(a - b, 2 * SN_PI) : a - b;
}

static double dot12(const double *row, const double va[6], const double vb[6])
{
    double sum = 0;
    for (int i = 0; i < 6; ++i) sum += row[i] * va[i] + row[6 + i] * vb[i];
    return sum;
}

static void random_velocity(double v[6])
{
    for (int i = 0; i < 6; ++i) v[i] = uniform(-1, 1);
}

/* Fourth-order central difference of gaps or coordinates along a motion. */
static double rate(const double at[4], double h, bool is_angle)
{
    return (8 * difference(at[2], at[1], is_angle) - difference(at[3], at[0], is_angle)) / (12 * h);
}

static double worst_row_error(snJointKind kind, bool on_constraint)
{
    snJoint joint = {kind, random_rigid(), random_rigid()};
    double c[3], va[6], vb[6], gap[6], row[72], coordinate[3], crow[36], worst = 0;
    random_coordinates(kind, c);
    rigid a = random_rigid(), b = sn_joint_place(&joint, a, c);
    if (!on_constraint) b = moved(b, (double[6]){0.1, -0.2, 0.15, 0.02, 0.01, -0.03}, 1);
    random_velocity(va), random_velocity(vb);
    sn_joint_rows_at(&joint, a, b, gap, row);
    sn_joint_coordinates(&joint, a, b, coordinate, crow);
    double h = 3e-4, gaps[6][4], coords[3][4], scratch[72];
    static const int step[4] = {-2, -1, 1, 2};
    for (int j = 0; j < 4; ++j) {
        double g[6], x[3];
        rigid aj = moved(a, va, step[j] * h), bj = moved(b, vb, step[j] * h);
        sn_joint_rows_at(&joint, aj, bj, g, scratch);
        sn_joint_coordinates(&joint, aj, bj, x, scratch);
        for (int i = 0; i < sn_joint_rows(kind); ++i) gaps[i][j] = g[i];
        for (int i = 0; i < sn_joint_dofs(kind); ++i) coords[i][j] = x[i];
    }
    for (int i = 0; i < sn_joint_rows(kind); ++i)
        worst = fmax(worst, fabs(dot12(row + 12 * i, va, vb) - rate(gaps[i], h, false)));
    for (int i = 0; i < sn_joint_dofs(kind); ++i) {
        double exact = dot12(crow + 12 * i, va, vb);
        double found = rate(coords[i], h, sn_joint_dof_is_angle(kind, i));
        worst = fmax(worst, fabs(exact - found) / (1 + fabs(exact)));
    }
    return worst;
}

static void rows_are_derivatives(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = 0; k < NKIND; ++k)
        for (int i = 0; i < 200; ++i)
            for (int on = 0; on < 2; ++on) worst = fmax(worst, worst_row_error(kinds[k], on));
    print_message("joint rows and coordinate rows against finite differences: %.1e\n", worst);
    assert_at_most(worst, 1e-7);
}

static void placing_is_the_inverse_of_reading(void **state)
{
    (void)state;
    for (int k = 0; k < NKIND; ++k)
        for (int i = 0; i < 500; ++i) {
            snJoint joint = {kinds[k], random_rigid(), random_rigid()};
            double c[3], back[3], gap[6], row[72];
            random_coordinates(kinds[k], c);
            rigid a = random_rigid(), b = sn_joint_place(&joint, a, c);
            sn_joint_coordinates(&joint, a, b, back, row);
            for (int j = 0; j < sn_joint_dofs(kinds[k]); ++j) assert_near(back[j], c[j], 1e-12);
            sn_joint_rows_at(&joint, a, b, gap, row);
            for (int j = 0; j < sn_joint_rows(kinds[k]); ++j) assert_near(gap[j], 0, 1e-14);
        }
}

/* Moving along a coordinate is free: constraint rows and coordinate rows together span all six relative motions. */
static void rows_and_coordinates_are_complementary(void **state)
{
    (void)state;
    for (int k = 0; k < NKIND; ++k) {
        snJoint joint = {kinds[k], random_rigid(), random_rigid()};
        double c[3], gap[6], row[72], coordinate[3], crow[36];
        random_coordinates(kinds[k], c);
        rigid a = random_rigid(), b = sn_joint_place(&joint, a, c);
        sn_joint_rows_at(&joint, a, b, gap, row);
        sn_joint_coordinates(&joint, a, b, coordinate, crow);
        double gram[36], rhs[6] = {0}, all[6][6];
        int32_t nrow = sn_joint_rows(kinds[k]);
        assert_int_equal(nrow + sn_joint_dofs(kinds[k]), 6);
        for (int i = 0; i < 6; ++i)
            for (int j = 0; j < 6; ++j) all[i][j] = i < nrow ? row[12 * i + 6 + j] : crow[12 * (i - nrow) + 6 + j];
        for (int i = 0; i < 36; ++i) {
            gram[i] = 0;
            for (int j = 0; j < 6; ++j) gram[i] += all[i / 6][j] * all[i % 6][j];
        }
        assert_true(sn_small_cholesky_solve(gram, rhs, 6, 1));
    }
}

static void rigid_motion_of_both_changes_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < NKIND; ++k) {
        snJoint joint = {kinds[k], random_rigid(), random_rigid()};
        rigid a = random_rigid(), b = random_rigid();
        v3 spin = random_v3(1), shift = random_v3(1);
        double va[6], vb[6], gap[6], row[72], coordinate[3], crow[36];
        v3_store(va, q_unrotate(a.q, spin)), v3_store(va + 3, v3_add(shift, v3_cross(spin, a.p)));
        v3_store(vb, q_unrotate(b.q, spin)), v3_store(vb + 3, v3_add(shift, v3_cross(spin, b.p)));
        sn_joint_rows_at(&joint, a, b, gap, row);
        sn_joint_coordinates(&joint, a, b, coordinate, crow);
        for (int i = 0; i < sn_joint_rows(kinds[k]); ++i) assert_near(dot12(row + 12 * i, va, vb), 0, 1e-13);
        for (int i = 0; i < sn_joint_dofs(kinds[k]); ++i) assert_near(dot12(crow + 12 * i, va, vb), 0, 1e-12);
    }
}

static void angles_run_on_beyond_a_right_angle(void **state)
{
    (void)state;
    snJoint hinge = {SN_JOINT_HINGE, random_rigid(), random_rigid()};
    rigid a = random_rigid();
    for (int degree = -179; degree <= 179; ++degree) {
        double c = degree * SN_DEG, back, row[12];
        sn_joint_coordinates(&hinge, a, sn_joint_place(&hinge, a, &c), &back, row);
        assert_near(back, c, 1e-13);
    }
}

/* Swing and twist of a ball: exact for turns about the axis and away from it, rows by differences, also at the pole of
 * the three angles. */
static void swing_and_twist(void **state)
{
    (void)state;
    double worst = 0;
    for (int k = 0; k < 400; ++k) {
        snJoint joint = {SN_JOINT_BALL, random_rigid(), random_rigid()};
        double roll = uniform(-3, 3), tilt = uniform(0.05, 2.9), way = uniform(-3, 3), va[6], vb[6], swing[4], twist[4];
        v3 x = {1, 0, 0}, side = v3_of(0, cos(way), sin(way)), center = v3_unit(random_v3(1));
        quat q = q_mul(q_axis_angle(side, tilt), q_axis_angle(x, roll)); /* first the twist, then the shortest way */
        rigid a = random_rigid(), move = {q, v3_of(0, 0, 0)};
        rigid b = rigid_mul(rigid_mul(a, joint.frame_a), rigid_mul(move, rigid_inverse(joint.frame_b)));
        double srow[12], trow[12], row[12];
        assert_near(sn_joint_swing(&joint, a, b, x, srow), tilt, 1e-9);
        assert_near(difference(sn_joint_twist(&joint, a, b, trow), roll, true), 0, 1e-9);
        double at = sn_joint_swing(&joint, a, b, center, srow);
        assert_near(at, acos(fmax(-1, fmin(1, v3_dot(center, q_rotate(q, x))))), 1e-7);
        if (at < 0.05 || at > 3.09) continue;
        random_velocity(va), random_velocity(vb);
        static const int step[4] = {-2, -1, 1, 2};
        for (int j = 0; j < 4; ++j) {
            rigid aj = moved(a, va, step[j] * 1e-4), bj = moved(b, vb, step[j] * 1e-4);
            swing[j] = sn_joint_swing(&joint, aj, bj, center, row), twist[j] = sn_joint_twist(&joint, aj, bj, row);
        }
        double ds = dot12(srow, va, vb), dt = dot12(trow, va, vb);
        worst = fmax(worst, fabs(rate(swing, 1e-4, true) - ds) / (1 + fabs(ds)));
        worst = fmax(worst, fabs(rate(twist, 1e-4, true) - dt) / (1 + fabs(dt)));
    }
    print_message("rows of swing and twist against finite differences: %.1e\n", worst);
    assert_at_most(worst, 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_derivatives),
        cmocka_unit_test(placing_is_the_inverse_of_reading),
        cmocka_unit_test(rows_and_coordinates_are_complementary),
        cmocka_unit_test(rigid_motion_of_both_changes_nothing),
        cmocka_unit_test(angles_run_on_beyond_a_right_angle),
        cmocka_unit_test(swing_and_twist),
    };
    return cmocka_run_group_tests_name("body.joint", tests, NULL, NULL);
}
