/* One rigid body: rows of its points, free rotation, free fall. */
#include "check.h"

#include "body/body.h"

/* One step of a body that nothing touches. */
static void free_step(double mass, v3 inertia, v3 gravity, double h, double velocity[6], quat *q, v3 *x)
{
    double block[36] = {0}, impulse[6] = {0};
    sn_body_inertia(mass, inertia, velocity, gravity, h, block, impulse);
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j)
            if (i != j) assert_near(block[6 * i + j], 0, 0);
        velocity[i] = impulse[i] / block[7 * i];
    }
    sn_body_advance(q, x, velocity, h);
}

typedef struct drift {
    double energy, momentum, length; /* largest relative change: energy, momentum as a vector, its length */
    int flips;                       /* times the middle axis turned over */
} drift;

static drift tumble(v3 inertia, double h, double duration)
{
    double velocity[6] = {0.01, 20, 0.01, 0, 0, 0}, energy0 = sn_body_kinetic_energy(1, inertia, velocity), sign = 1;
    quat q = q_identity();
    v3 x = v3_of(0, 0, 0), momentum0 = v3_mul(inertia, v3_load(velocity));
    drift d = {0, 0, 0, 0};
    for (int i = 0; i < (int)lround(duration / h); ++i) {
        free_step(1, inertia, v3_of(0, 0, 0), h, velocity, &q, &x);
        v3 momentum = q_rotate(q, v3_mul(inertia, v3_load(velocity)));
        d.energy = fmax(d.energy, fabs(sn_body_kinetic_energy(1, inertia, velocity) / energy0 - 1));
        d.momentum = fmax(d.momentum, v3_dist(momentum, momentum0) / v3_len(momentum0));
        d.length = fmax(d.length, fabs(v3_len(momentum) / v3_len(momentum0) - 1));
        if (velocity[1] * sign < -15) sign = -sign, ++d.flips;
    }
    return d;
}

static void tumbling_about_the_middle_axis_keeps_energy_and_momentum(void **state)
{
    (void)state;
    static const v3 inertia[] = {{1e-5, 2e-5, 3e-5}, {1e-5, 2e-5, 2.5e-5}, {3e-6, 2e-5, 2.2e-5}};
    for (int i = 0; i < 3; ++i)
        for (double h = 0.001; h < 0.005; h *= 2) {
            drift d = tumble(inertia[i], h, 2);
            print_message("tumbling, inertia %g %g %g, h %g ms: energy %.3f %%, momentum %.2f %%, its length %.0e\n",
                          inertia[i].x, inertia[i].y, inertia[i].z, 1e3 * h, 100 * d.energy, 100 * d.momentum,
                          d.length);
            assert_true(d.flips >= 1); /* it does tumble */
            assert_at_most(d.energy, 0.001);
            assert_at_most(d.momentum, 0.03);
            assert_at_most(d.length, 1e-12);
        }
}

/* Velocities live in the middle of a step: there the momentum in the world is exact. */
static void momentum_in_the_middle_of_a_step_is_exact(void **state)
{
    (void)state;
    v3 inertia = v3_of(1, 2, 3), x = v3_of(0, 0, 0), first = x;
    double velocity[6] = {3, 20, -5, 0, 0, 0}, h = 0.004;
    quat q = q_identity();
    for (int i = 0; i < 500; ++i) {
        free_step(1, inertia, v3_of(0, 0, 0), h, velocity, &q, &x);
        quat middle = q_mul(q, q_exp(v3_scale(v3_load(velocity), -h / 2)));
        v3 momentum = q_rotate(middle, v3_mul(inertia, v3_load(velocity)));
        if (i == 0) first = momentum;
        assert_near(v3_dist(momentum, first), 0, 1e-11 * v3_len(first));
    }
}

static double spin_error(double h)
{
    v3 inertia = v3_of(1, 2, 3), x = v3_of(0, 0, 0);
    double coarse[6] = {2, 5, -3, 0, 0, 0}, fine[6] = {2, 5, -3, 0, 0, 0};
    quat q = q_identity();
    for (int i = 0; i < 4; ++i) free_step(1, inertia, x, h, coarse, &q, &(v3){0, 0, 0});
    for (int i = 0; i < 64; ++i) free_step(1, inertia, x, h / 16, fine, &q, &(v3){0, 0, 0});
    return v3_dist(v3_load(coarse), v3_load(fine));
}

static void free_rotation_is_of_second_order(void **state)
{
    (void)state; /* over four steps of h the error is h times h^2 */
    assert_at_most(spin_error(0.002) / spin_error(0.004), 1 / 7.0);
}

static void absurd_spin_stays_finite(void **state)
{
    (void)state;
    v3 inertia = v3_of(1e-6, 2e-5, 2.1e-5), x = v3_of(0, 0, 0);
    double velocity[6] = {4000, 3000, -5000, 0, 0, 0}, before = sn_body_kinetic_energy(1, inertia, velocity);
    quat q = q_identity();
    for (int i = 0; i < 200; ++i) free_step(1, inertia, x, 0.02, velocity, &q, &x);
    assert_true(isfinite(velocity[0] + velocity[1] + velocity[2]));
    assert_at_most(sn_body_kinetic_energy(1, inertia, velocity), 25 * before);
    assert_near(q_dot(q, q), 1, 1e-12);
}

static void free_fall_and_translation_are_exact(void **state)
{
    (void)state;
    double velocity[6] = {0, 7, 0, 1, 2, 3}, h = 0.004;
    quat q = q_identity();
    v3 x = v3_of(0, 0, 0);
    for (int i = 0; i < 250; ++i) free_step(0.02, v3_of(1e-5, 2e-5, 3e-5), v3_of(0, 0, -9.81), h, velocity, &q, &x);
    assert_near(velocity[3], 1, 1e-12);
    assert_near(velocity[5], 3 - 9.81, 1e-11);
    assert_near(x.y, 2, 1e-12);
}

static void point_rows_are_derivatives(void **state)
{
    (void)state;
    quat q = q_exp(v3_of(0.4, -1.1, 0.9));
    v3 x = v3_of(0.1, 0.2, -0.3), r = v3_of(0.02, -0.05, 0.03);
    double velocity[6] = {1, -2, 0.5, 0.3, 0.1, -0.2}, h = 1e-3, at[4][3];
    static const int step[4] = {-2, -1, 1, 2};
    for (int i = 0; i < 4; ++i) {
        rigid e = {q, x};
        sn_body_advance(&e.q, &e.p, velocity, step[i] * h);
        v3_store(at[i], rigid_apply(e, r));
    }
    v3 v = sn_body_point_velocity(q, velocity, r);
    for (int c = 0; c < 3; ++c) {
        double row[6], sum = 0, n[3] = {c == 0, c == 1, c == 2};
        sn_body_point_row(q, r, v3_load(n), row);
        for (int i = 0; i < 6; ++i) sum += row[i] * velocity[i];
        assert_near(sum, (8 * (at[2][c] - at[1][c]) - (at[3][c] - at[0][c])) / (12 * h), 1e-11);
        assert_near(sum, v3_dot(v, v3_load(n)), 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tumbling_about_the_middle_axis_keeps_energy_and_momentum),
        cmocka_unit_test(momentum_in_the_middle_of_a_step_is_exact),
        cmocka_unit_test(free_rotation_is_of_second_order),
        cmocka_unit_test(absurd_spin_stays_finite),
        cmocka_unit_test(free_fall_and_translation_are_exact),
        cmocka_unit_test(point_rows_are_derivatives),
    };
    return cmocka_run_group_tests_name("body.body", tests, NULL, NULL);
}
