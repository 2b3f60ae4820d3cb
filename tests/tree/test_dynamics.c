/* Dynamics of trees: inverse, mass matrix, articulated bodies, hybrid, derivatives, books, passive tissue, each against
 * a second method; at the size of a hand and of the upper body. */
#include "tree_case.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "opt/dense.h"

#include <stdlib.h>

static const v3 gravity = {0, -9.81, 0};

typedef struct caseSet {
    treeCase c[2];
    int32_t ld;
    double *M, *dq, *dv, *a, *b, *x, *y; /* ld * ld, and vectors of ld */
} caseSet;

static int open_cases(void **state)
{
    caseSet *s = calloc(1, sizeof *s);
    case_small(&s->c[0]);
    case_upper_body(&s->c[1]);
    s->ld = sn_dense_ld(s->c[1].tree.ndof);
    size_t n = (size_t)s->ld;
    s->M = calloc(3 * n * n + 4 * n, sizeof(double));
    s->dq = s->M + n * n, s->dv = s->dq + n * n, s->a = s->dv + n * n, s->b = s->a + n, s->x = s->b + n,
    s->y = s->x + n;
    *state = s;
    return 0;
}

static int close_cases(void **state)
{
    caseSet *s = *state;
    for (int k = 0; k < 2; ++k) case_free(&s->c[k]);
    free(s->M);
    free(s);
    return 0;
}

static double largest(const double *x, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

static void the_body_has_the_published_counts(void **state)
{
    const treeCase *c = &((caseSet *)*state)->c[1];
    int32_t driven = 0;
    double mass = 0;
    for (int32_t i = 0; i < c->tree.ndof; ++i) driven += c->tree.driven[i];
    for (int32_t i = 0; i < c->tree.nbody; ++i) mass += c->tree.mass[i];
    assert_int_equal(c->tree.ndof, 147);
    assert_int_equal(c->tree.nbody, 68);
    assert_int_equal(c->paths.npath, 814);
    assert_int_equal(c->tree.nspring, 20);
    assert_int_equal(driven, 96); /* ribs yield */
    assert_near(mass, 46.5, 0.1);
    for (int32_t i = 0; i < c->paths.npath; ++i) assert_true(c->paths.pointadr[i + 1] >= c->paths.pointadr[i] + 2);
}

/* A case in a random pose with random accelerations s->a, and the torques s->x that they take. */
static treeCase *accelerate(caseSet *s, int k, caseRandom *r)
{
    treeCase *c = &s->c[k];
    pose_at_random(c, r, 1, 3);
    for (int32_t i = 0; i < c->tree.ndof; ++i) s->a[i] = random_between(r, -20, 20);
    sn_tree_inverse(&c->tree, c->work, s->a, gravity, s->x);
    return c;
}

static void inverse_is_mass_times_acceleration_plus_the_rest(void **state)
{
    caseSet *s = *state;
    caseRandom r = {1};
    for (int k = 0; k < 2; ++k)
        for (int trial = 0; trial < 20; ++trial) {
            treeCase *c = accelerate(s, k, &r);
            int32_t n = c->tree.ndof;
            sn_tree_inverse(&c->tree, c->work, NULL, gravity, s->y);
            sn_tree_mass(&c->tree, c->work, s->M, s->ld);
            double scale = largest(s->x, n);
            for (int32_t i = 0; i < n; ++i) {
                for (int32_t j = 0; j < n; ++j) s->y[i] += s->M[i * s->ld + j] * s->a[j];
                assert_near(s->x[i], s->y[i], 1e-12 * scale);
            }
        }
}

static void articulated_bodies_undo_the_inverse(void **state)
{
    caseSet *s = *state;
    caseRandom r = {2};
    for (int k = 0; k < 2; ++k)
        for (int trial = 0; trial < 20; ++trial) {
            treeCase *c = accelerate(s, k, &r);
            int32_t n = c->tree.ndof;
            assert_true(sn_tree_forward(&c->tree, c->work, s->x, gravity, s->b));
            for (int32_t i = 0; i < n; ++i) assert_near(s->b[i], s->a[i], 1e-7 * 20);
            /* Half the coordinates driven: what was torque there becomes unknown, and the reverse. */
            double tau_error = 0, qdd_error = 0, scale = largest(s->x, n);
            for (int32_t i = 0; i < n; ++i)
                s->b[i] = c->tree.driven[i] ? s->a[i] : NAN, s->y[i] = c->tree.driven[i] ? NAN : s->x[i];
            assert_true(sn_tree_hybrid(&c->tree, c->work, c->tree.driven, gravity, s->b, s->y));
            for (int32_t i = 0; i < n; ++i) {
                tau_error = fmax(tau_error, fabs(s->y[i] - s->x[i]) / scale);
                qdd_error = fmax(qdd_error, fabs(s->b[i] - s->a[i]) / 20);
            }
            assert_at_most(tau_error, 1e-11);
            assert_at_most(qdd_error, 1e-8);
        }
}

static void a_link_without_inertia_is_refused(void **state)
{
    (void)state;
    const int32_t parent = -1, body = 0;
    const bool slides = false;
    const double axis[3] = {0, 0, 1}, zero[6] = {0};
    snTree tree = {.ndof = 1,
                   .parent = &parent,
                   .slides = &slides,
                   .axis = axis,
                   .centre = zero,
                   .nbody = 1,
                   .body_link = &body,
                   .mass = zero,
                   .com = zero,
                   .inertia = zero};
    snTreeWork *work = sn_tree_create(&tree);
    double q = 0, qdd;
    sn_tree_place(&tree, work, &q);
    sn_tree_move(&tree, work, &q);
    assert_false(sn_tree_forward(&tree, work, &q, gravity, &qdd));
    sn_tree_destroy(work);
}

/* Inverse at q + e, v. */
static void inverse_at(treeCase *c, const double *qdd, int32_t j, double eq, double ev, double *tau)
{
    c->q[j] += eq, c->v[j] += ev;
    case_place(c, c->q, c->v);
    sn_tree_inverse(&c->tree, c->work, qdd, gravity, tau);
    c->q[j] -= eq, c->v[j] -= ev;
}

static void derivative_of_the_inverse_is_that_of_differences(void **state)
{
    caseSet *s = *state;
    caseRandom r = {3};
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        int32_t n = c->tree.ndof;
        pose_at_random(c, &r, 0.8, 2);
        for (int32_t i = 0; i < n; ++i) s->a[i] = random_between(&r, -5, 5);
        sn_tree_inverse_derivative(&c->tree, c->work, s->a, gravity, s->dq, s->dv, s->ld);
        double scale_q = largest(s->dq, n * s->ld), scale_v = largest(s->dv, n * s->ld), e = 1e-5;
        for (int32_t j = 0; j < n; ++j)
            for (int which = 0; which < 2; ++which) {
                inverse_at(c, s->a, j, which ? 0 : e, which ? e : 0, s->x);
                inverse_at(c, s->a, j, which ? 0 : -e, which ? -e : 0, s->y);
                const double *exact = which ? s->dv : s->dq;
                for (int32_t i = 0; i < n; ++i)
                    assert_near((s->x[i] - s->y[i]) / (2 * e), exact[i * s->ld + j],
                                1e-6 * (which ? scale_v : scale_q));
            }
        /* Without dv, dq is the same. */
        pose_at_random(c, &r, 0.8, 2);
        sn_tree_inverse_derivative(&c->tree, c->work, s->a, gravity, s->dq, s->dv, s->ld);
        sn_tree_inverse_derivative(&c->tree, c->work, s->a, gravity, s->dv, NULL, s->ld);
        for (int32_t i = 0; i < n; ++i)
            assert_memory_equal(s->dq + i * s->ld, s->dv + i * s->ld, (size_t)n * sizeof(double));
    }
}

static void jacobian_and_push_move_points(void **state)
{
    caseSet *s = *state;
    caseRandom r = {4};
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        int32_t n = c->tree.ndof, link = n - 1;
        v3 p = random_v3(&r, 0.1), force = random_v3(&r, 10);
        pose_at_random(c, &r, 1, 1);
        sn_tree_point_jacobian(&c->tree, c->work, link, p, s->M, s->ld);
        v3 v = sn_tree_point_velocity(c->work, link, p);
        double got[3], want[3];
        v3_store(want, v);
        for (int row = 0; row < 3; ++row) {
            got[row] = 0;
            for (int32_t j = 0; j < n; ++j) got[row] += s->M[row * s->ld + j] * c->v[j];
            assert_near(got[row], want[row], 1e-12);
        }
        memset(s->x, 0, (size_t)n * sizeof *s->x);
        sn_tree_push(&c->tree, c->work, link, p, force, s->x);
        double power = 0;
        for (int32_t j = 0; j < n; ++j) power += s->x[j] * c->v[j];
        assert_near(power, v3_dot(force, v), 1e-11 * (1 + fabs(power)));
        v3 before = sn_tree_point(c->work, link, p);
        double h = 1e-7;
        for (int32_t j = 0; j < n; ++j) c->q[j] += h * c->v[j];
        case_place(c, c->q, c->v);
        v3 moved = v3_scale(v3_sub(sn_tree_point(c->work, link, p), before), 1 / h);
        assert_at_most(v3_dist(moved, v), 1e-5 * (1 + v3_len(v)));
    }
}

/* Energy of weight and tissue against the forces: the gradient by differences. */
static double stored(treeCase *c, int32_t j, double e)
{
    c->q[j] += e;
    case_place(c, c->q, c->v);
    double sum = sn_tree_potential_energy(&c->tree, c->work, gravity) + sn_tree_passive_energy(&c->tree, c->work, c->q);
    c->q[j] -= e;
    return sum;
}

static void weight_and_tissue_have_a_potential(void **state)
{
    caseSet *s = *state;
    caseRandom r = {5};
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        int32_t n = c->tree.ndof;
        pose_at_random(c, &r, 1.1, 0); /* some beyond their stops */
        sn_tree_inverse(&c->tree, c->work, NULL, gravity, s->x);
        memset(s->y, 0, (size_t)n * sizeof *s->y);
        sn_tree_passive(&c->tree, c->work, c->q, c->v, s->y);
        double scale = largest(s->y, n) + largest(s->x, n);
        for (int32_t j = 0; j < n; ++j)
            assert_near((stored(c, j, 1e-5) - stored(c, j, -1e-5)) / 2e-5, s->x[j] - s->y[j], 1e-6 * scale);
    }
}

/* Stiffness and damping of tissue by differences of the force. */
static void tissue_stiffness_is_that_of_differences(void **state)
{
    caseSet *s = *state;
    caseRandom r = {6};
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        int32_t n = c->tree.ndof;
        pose_at_random(c, &r, 1.1, 0);
        for (int which = 0; which < 2; ++which) { /* K at rest, then D */
            double e = 1e-6;
            memset(s->M, 0, (size_t)n * (size_t)s->ld * sizeof *s->M);
            case_place(c, c->q, c->v);
            double h = which ? 1e-12 : 1e12, unit = which ? h : h * h;
            sn_tree_passive_stiffness(&c->tree, c->work, c->q, c->v, h, false, s->M, s->ld);
            if (!which) { /* the product is that of the matrix, levers apart */
                for (int32_t i = 0; i < n; ++i) s->a[i] = random_between(&r, -1, 1), s->b[i] = 0;
                sn_tree_passive_product(&c->tree, c->work, c->q, c->v, 1, s->a, s->b);
                for (int32_t i = 0; i < n; ++i) {
                    double sum = 0;
                    for (int32_t j = 0; j < n; ++j) sum += s->M[i * s->ld + j] * s->a[j];
                    assert_near(s->b[i], sum / unit, 1e-9 * largest(s->b, n));
                }
                sn_tree_passive_levers(&c->tree, c->work, c->v, unit, s->M, s->ld);
            }
            double scale = largest(s->M, n * s->ld) / unit;
            for (int32_t j = 0; j < n; ++j) {
                double *moved = which ? c->v : c->q;
                for (int side = 0; side < 2; ++side) {
                    double *force = side ? s->y : s->x;
                    memset(force, 0, (size_t)n * sizeof *force);
                    moved[j] += side ? -e : e;
                    case_place(c, c->q, c->v);
                    sn_tree_passive(&c->tree, c->work, c->q, c->v, force);
                    moved[j] += side ? e : -e;
                }
                for (int32_t i = 0; i < n; ++i)
                    assert_near(-(s->x[i] - s->y[i]) / (2 * e), s->M[i * s->ld + j] / unit, 2e-6 * scale);
            }
        }
    }
}

/* Runge and Kutta over q and v, with tissue if asked. */
static void accelerations(treeCase *c, const double *q, const double *v, v3 g, bool tissue, double *tau, double *qdd)
{
    case_place(c, q, v);
    memset(tau, 0, (size_t)c->tree.ndof * sizeof *tau);
    if (tissue) sn_tree_passive(&c->tree, c->work, q, v, tau);
    assert_true(sn_tree_forward(&c->tree, c->work, tau, g, qdd));
}

static void rk4(treeCase *c, v3 g, bool tissue, double h)
{
    enum { N = 147 };
    double k[4][2][N], q[N], v[N], tau[N];
    int32_t n = c->tree.ndof;
    const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (int s = 0; s < 4; ++s) {
        for (int32_t i = 0; i < n; ++i) {
            q[i] = c->q[i] + (s ? h * at[s] * k[s - 1][0][i] : 0);
            v[i] = c->v[i] + (s ? h * at[s] * k[s - 1][1][i] : 0);
            k[s][0][i] = v[i];
        }
        accelerations(c, q, v, g, tissue, tau, k[s][1]);
    }
    for (int s = 0; s < 4; ++s)
        for (int32_t i = 0; i < n; ++i) {
            c->q[i] += h * weight[s] * k[s][0][i];
            c->v[i] += h * weight[s] * k[s][1][i];
        }
    case_place(c, c->q, c->v);
}

static double energy(const treeCase *c, v3 g)
{
    return sn_tree_kinetic_energy(&c->tree, c->work) + sn_tree_potential_energy(&c->tree, c->work, g) +
           sn_tree_passive_energy(&c->tree, c->work, c->q);
}

static void energy_of_an_undamped_body_stays(void **state)
{
    caseSet *s = *state;
    caseRandom r = {8};
    for (int k = 0; k < 2; ++k) {
        treeCase *c = &s->c[k];
        snTree kept = c->tree;
        double *none = CASE_ARRAY(c, double, c->tree.ndof);
        c->tree.damping = c->tree.stop_stiffness = none; /* a stop's kink costs the integrator its order */
        if (k) c->tree.spring_c = none;
        if (!k) c->tree.nspring = 0; /* the random ones are damped */
        pose_at_random(c, &r, 0.3, 1);
        double before = energy(c, gravity), moving = sn_tree_kinetic_energy(&c->tree, c->work);
        for (int step = 0; step < 5000; ++step)
            rk4(c, gravity, true, k ? 1.5e-6 : 2e-5); /* the cage rings at kilohertz */
        assert_near(energy(c, gravity), before, 1e-10 * moving);
        c->tree = kept;
    }
}

/* Six free coordinates to the world: momentum and energy without gravity. */
static void a_free_chain_keeps_momentum(void **state)
{
    caseSet *s = *state;
    treeCase *c = &s->c[0];
    caseRandom r = {9};
    snTree kept = c->tree;
    double *axis = CASE_ARRAY(c, double, 3 * SMALL_DOF), *centre = CASE_ARRAY(c, double, 3 * SMALL_DOF);
    bool *slides = CASE_ARRAY(c, bool, SMALL_DOF);
    int32_t *parent = CASE_ARRAY(c, int32_t, SMALL_DOF);
    double *mass = CASE_ARRAY(c, double, SMALL_DOF);
    /* Nothing rides on the first five: what only slides would need a moment from the world. */
    for (int32_t i = 5; i < SMALL_DOF; ++i) mass[i] = kept.mass[i];
    for (int32_t i = 0; i < SMALL_DOF; ++i) { /* a chain whose first six links are free */
        parent[i] = i - 1, slides[i] = i < 3;
        v3_store(axis + 3 * i, i < 6 ? v3_of(i % 3 == 0, i % 3 == 1, i % 3 == 2) : v3_load(kept.axis + 3 * i));
        v3_store(centre + 3 * i, i < 6 ? v3_of(0, 0, 0) : v3_load(kept.centre + 3 * i));
    }
    c->tree.axis = axis, c->tree.centre = centre, c->tree.slides = slides, c->tree.parent = parent, c->tree.nspring = 0;
    c->tree.mass = mass;
    snTreeWork *work = c->work;
    c->work = sn_tree_create(&c->tree);
    pose_at_random(c, &r, 0.5, 1);
    v3 none = {0, 0, 0};
    double before[6], after[6], e0 = sn_tree_kinetic_energy(&c->tree, c->work);
    sn_tree_momentum(&c->tree, c->work, before);
    for (int step = 0; step < 5000; ++step) rk4(c, none, false, 2e-5);
    sn_tree_momentum(&c->tree, c->work, after);
    for (int k = 0; k < 6; ++k) assert_near(after[k], before[k], 1e-10 * largest(before, 6));
    assert_near(sn_tree_kinetic_energy(&c->tree, c->work), e0, 1e-10 * e0);
    sn_tree_destroy(c->work);
    c->work = work;
    c->tree = kept;
}

/* A heavy pendulum against the complete elliptic integral, by the arithmetic-geometric mean. */
static void pendulum_has_its_period(void **state)
{
    (void)state;
    const int32_t parent = -1, body = 0;
    const bool slides = false, driven = false;
    const double axis[3] = {0, 0, 1}, centre[3] = {0, 1, 0}, none = 0, free_low = -INFINITY, free_high = INFINITY,
                 mass = 1.3, com[3] = {0, 0.6, 0}, inertia[6] = {0.02, 0.02, 0.03, 0, 0, 0};
    treeCase c = {0};
    double q = 1.5, v = 0;
    c.tree = (snTree){.ndof = 1,
                      .parent = &parent,
                      .slides = &slides,
                      .axis = axis,
                      .centre = centre,
                      .stiffness = &none,
                      .damping = &none,
                      .rest = &none,
                      .lower = &free_low,
                      .upper = &free_high,
                      .stop_stiffness = &none,
                      .stop_damping = &none,
                      .driven = &driven,
                      .nbody = 1,
                      .body_link = &body,
                      .mass = &mass,
                      .com = com,
                      .inertia = inertia};
    c.q = &q, c.v = &v;
    c.work = sn_tree_create(&c.tree);
    double about = inertia[2] + mass * 0.16, a = 1, b = cos(1.5 / 2);
    for (int k = 0; k < 10; ++k) {
        double mean = (a + b) / 2;
        b = sqrt(a * b), a = mean;
    }
    double period = 2 * SN_PI / a * sqrt(about / (mass * 9.81 * 0.4)), h = 1e-4, t = 0, last = q;
    while (t < 3 * period) { /* the first return to rest on the starting side */
        last = v;
        rk4(&c, gravity, false, h), t += h;
        if (t > period / 2 && last > 0 && v <= 0) break;
    }
    double found = t - h * (0 - v) / (last - v);
    assert_near(found / period, 1, 5e-4);
    sn_tree_destroy(c.work);
}

static void evaluating_allocates_nothing(void **state)
{
    caseSet *s = *state;
    treeCase *c = &s->c[1];
    caseRandom r = {10};
    int64_t count = sn_alloc_count();
    for (int k = 0; k < 10; ++k) {
        pose_at_random(c, &r, 1, 1);
        sn_tree_inverse(&c->tree, c->work, c->v, gravity, s->x);
        sn_tree_mass(&c->tree, c->work, s->M, s->ld);
        sn_tree_forward(&c->tree, c->work, s->x, gravity, s->y);
        sn_tree_inverse_derivative(&c->tree, c->work, NULL, gravity, s->dq, s->dv, s->ld);
        sn_tree_passive(&c->tree, c->work, c->q, c->v, s->x);
        sn_tree_passive_stiffness(&c->tree, c->work, c->q, c->v, 0.007, true, s->M, s->ld);
    }
    assert_int_equal(sn_alloc_count(), count);
}

static void every_failed_allocation_is_survived(void **state)
{
    caseSet *s = *state;
    int64_t live = sn_alloc_live();
    for (int n = 0; n < 3; ++n) {
        sn_alloc_fail_after(n);
        assert_null(sn_tree_create(&s->c[1].tree));
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
    }
    sn_tree_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_body_has_the_published_counts),
        cmocka_unit_test(inverse_is_mass_times_acceleration_plus_the_rest),
        cmocka_unit_test(articulated_bodies_undo_the_inverse),
        cmocka_unit_test(a_link_without_inertia_is_refused),
        cmocka_unit_test(derivative_of_the_inverse_is_that_of_differences),
        cmocka_unit_test(jacobian_and_push_move_points),
        cmocka_unit_test(weight_and_tissue_have_a_potential),
        cmocka_unit_test(tissue_stiffness_is_that_of_differences),
        cmocka_unit_test(energy_of_an_undamped_body_stays),
        cmocka_unit_test(a_free_chain_keeps_momentum),
        cmocka_unit_test(pendulum_has_its_period),
        cmocka_unit_test(evaluating_allocates_nothing),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, open_cases, close_cases);
}
