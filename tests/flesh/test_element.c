/* The material of flesh on one batch of octahedra: derivatives against differences, homogeneous stretch against the
 * closed form, projection, instruction sets against each other. */
#include "check.h"
#include "flesh/element.h"

#include <math.h>
#include <string.h>

enum { NODES = 6 * SN_OCTS };

typedef struct {
    snOctBatch batch;
    snFiberLanes fiber[4 * SN_OCT_FIBERS];
    snFiberState muscle[2];
    snElements e;
    double rest[4 * NODES], x[4 * NODES];
} Fixture;

static uint32_t seed = 7;

static double random_unit(void)
{
    seed = seed * 1664525u + 1013904223u;
    return (double)(seed >> 8) / 16777216.0 - 0.5;
}

/* Octahedra along the first axis with a spacing of 2 cm, each with nodes of its own. */
static void set_up(Fixture *f, int nfiber)
{
    static const double corner[6][3] = {{-0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}, {0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}};
    memset(f, 0, sizeof *f);
    f->e = (snElements){.noct = SN_OCTS,
                        .nbatch = 1,
                        .spacing = 0.02,
                        .batch = &f->batch,
                        .fiber = f->fiber,
                        .muscle = f->muscle,
                        .material = {2e4, 6e4, 1e7, 0.02, 3e5, 1.4}};
    f->batch.nfiber = nfiber;
    f->muscle[0] = (snFiberState){.activation = 0.8, .optimum = 1.4};
    f->muscle[1] = (snFiberState){.activation = 0.3, .optimum = 0.8, .follow = 4, .length = 0.7};
    for (int l = 0; l < SN_OCTS; ++l) {
        for (int i = 0; i < 6; ++i) {
            f->batch.node[i][l] = 6 * l + i;
            for (int d = 0; d < 3; ++d) f->rest[4 * (6 * l + i) + d] = 0.02 * corner[i][d];
        }
        for (int k = 0; k < 4; ++k) {
            f->batch.weight[k][l] = (float)(0.02 * 0.02 * 0.02 / 12 * (1 - 0.1 * k));
            for (int s = 0; s < nfiber; ++s) {
                snFiberLanes *fiber = &f->fiber[k * nfiber + s];
                double v[3] = {random_unit(), random_unit(), random_unit() + 0.1};
                double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
                for (int d = 0; d < 3; ++d) fiber->direction[d][l] = (float)(v[d] / n);
                fiber->share[l] = 0.4f, fiber->muscle[l] = s;
            }
        }
    }
    memcpy(f->x, f->rest, sizeof f->x);
}

static void disturb(Fixture *f, double size)
{
    for (int i = 0; i < NODES; ++i)
        for (int d = 0; d < 3; ++d) f->x[4 * i + d] = f->rest[4 * i + d] + size * random_unit();
}

static double energy_of(const Fixture *f, const snElementKernels *k)
{
    snOctMeasure m;
    k->gradient(&f->e, 0, f->x, NULL, &m);
    return m.energy;
}

/* Fourth-order differences over the largest component of the gradient. */
static double gradient_error(Fixture *f, const snElementKernels *k)
{
    snOctGradient g;
    snOctMeasure m;
    double worst = 0, largest = 0, step = 2e-6;
    k->gradient(&f->e, 0, f->x, &g, &m);
    for (int i = 0; i < NODES; ++i)
        for (int d = 0; d < 3; ++d) {
            double *x = &f->x[4 * i + d], at = *x, e[4];
            static const double offset[4] = {-2, -1, 1, 2};
            for (int s = 0; s < 4; ++s) *x = at + offset[s] * step, e[s] = energy_of(f, k);
            *x = at;
            double slope = (e[0] - 8 * e[1] + 8 * e[2] - e[3]) / (12 * step), value = g.value[i % 6][d][i / 6];
            worst = fmax(worst, fabs(slope - value)), largest = fmax(largest, fabs(value));
        }
    return worst / largest;
}

static void gradient_is_the_slope_of_the_energy(void **state)
{
    (void)state;
    Fixture f;
    for (int nfiber = 0; nfiber <= 2; ++nfiber) {
        set_up(&f, nfiber);
        disturb(&f, 0.006);
        assert_at_most(gradient_error(&f, sn_elements_portable()), 1e-8);
        assert_at_most(gradient_error(&f, sn_elements_best()), 1e-8);
    }
}

static void gradient_holds_when_inverted(void **state)
{
    (void)state;
    Fixture f;
    snOctMeasure m;
    set_up(&f, 1);
    disturb(&f, 0.05);
    sn_elements_best()->gradient(&f.e, 0, f.x, NULL, &m);
    assert_true(m.inverted > 5 && m.least < -0.5);
    assert_at_most(gradient_error(&f, sn_elements_best()), 1e-7);
}

/* Hessian times a direction against differences of the gradient, over its size. */
static double hessian_error(Fixture *f, const snElementKernels *k)
{
    snOctHessian h;
    snOctGradient low, high;
    snOctMeasure m;
    double direction[4 * NODES] = {0}, worst = 0, largest = 0, step = 1e-6, at[4 * NODES];
    k->hessian(&f->e, 0, f->x, false, &h);
    for (int i = 0; i < 4 * NODES; ++i) direction[i] = i % 4 < 3 ? random_unit() : 0;
    memcpy(at, f->x, sizeof at);
    for (int i = 0; i < 4 * NODES; ++i) f->x[i] = at[i] + step * direction[i];
    k->gradient(&f->e, 0, f->x, &high, &m);
    for (int i = 0; i < 4 * NODES; ++i) f->x[i] = at[i] - step * direction[i];
    k->gradient(&f->e, 0, f->x, &low, &m);
    memcpy(f->x, at, sizeof at);
    for (int l = 0; l < SN_OCTS; ++l)
        for (int a = 0; a < 6; ++a)
            for (int i = 0; i < 3; ++i) {
                double sum = 0, slope = (high.value[a][i][l] - low.value[a][i][l]) / (2 * step);
                for (int b = 0; b < 6; ++b)
                    for (int j = 0; j < 3; ++j) {
                        float v = a <= b ? h.value[sn_oct_pair(a, b)][3 * j + i][l]
                                         : h.value[sn_oct_pair(b, a)][3 * i + j][l];
                        sum += (double)v * direction[4 * (6 * l + b) + j];
                    }
                worst = fmax(worst, fabs(sum - slope)), largest = fmax(largest, fabs(slope));
            }
    return worst / largest;
}

static void hessian_is_the_slope_of_the_gradient(void **state)
{
    (void)state;
    Fixture f;
    for (int nfiber = 0; nfiber <= 2; ++nfiber) {
        set_up(&f, nfiber);
        disturb(&f, 0.004);
        assert_at_most(hessian_error(&f, sn_elements_portable()), 1e-6);
        assert_at_most(hessian_error(&f, sn_elements_best()), 1e-6);
    }
}

/* Squeezed to a quarter, where the wall against collapse works; one tetrahedron of each octahedron is hardly filled. */
static void derivatives_hold_when_crushed(void **state)
{
    (void)state;
    Fixture f;
    snOctMeasure m;
    for (int nfiber = 0; nfiber <= 1; ++nfiber) {
        set_up(&f, nfiber);
        for (int l = 0; l < SN_OCTS; ++l) f.batch.weight[1][l] *= 0.05f;
        disturb(&f, 0.001);
        for (int i = 0; i < NODES; ++i) f.x[4 * i + 2] *= 0.25;
        sn_elements_best()->gradient(&f.e, 0, f.x, NULL, &m);
        assert_true(m.least > SN_J_CRUSHED && m.least < SN_J_WALL);
        assert_at_most(gradient_error(&f, sn_elements_best()), 1e-8);
        assert_at_most(gradient_error(&f, sn_elements_portable()), 1e-8);
        assert_at_most(hessian_error(&f, sn_elements_portable()), 1e-6);
        assert_at_most(hessian_error(&f, sn_elements_best()), 1e-6);
    }
}

/* Energy of the quadratic form in random directions; the projected one must not be negative. */
static double least_curvature(const snOctHessian *h, int lane)
{
    double least = INFINITY;
    for (int trial = 0; trial < 200; ++trial) {
        double v[6][3], sum = 0, size = 0;
        for (int a = 0; a < 6; ++a)
            for (int i = 0; i < 3; ++i) v[a][i] = random_unit(), size += v[a][i] * v[a][i];
        for (int a = 0; a < 6; ++a)
            for (int b = a; b < 6; ++b)
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        sum +=
                            (a == b ? 1 : 2) * v[a][i] * v[b][j] * (double)h->value[sn_oct_pair(a, b)][3 * j + i][lane];
        least = fmin(least, sum / size);
    }
    return least;
}

static void projection_is_positive_and_leaves_the_rest_alone(void **state)
{
    (void)state;
    Fixture f;
    snOctHessian plain, projected;
    set_up(&f, 1);
    disturb(&f, 0.05);
    for (int k = 0; k < 4; ++k) memset(f.fiber[k].share, 0, sizeof f.fiber[k].share);
    sn_elements_best()->hessian(&f.e, 0, f.x, true, &projected);
    for (int l = 0; l < SN_OCTS; ++l) assert_true(least_curvature(&projected, l) > 0);
    set_up(&f, 0); /* in the rest pose all eigenvalues are positive already */
    sn_elements_best()->hessian(&f.e, 0, f.x, true, &projected);
    sn_elements_best()->hessian(&f.e, 0, f.x, false, &plain);
    for (int p = 0; p < SN_OCT_PAIRS; ++p)
        for (int i = 0; i < 9; ++i) assert_near((double)projected.value[p][i][3], (double)plain.value[p][i][3], 2e-2);
}

/* Cauchy-free check: energy density of a homogeneous stretch by the formula of the material. */
static double closed_form(const snFleshMaterial *m, const double s[3])
{
    double j = s[0] * s[1] * s[2], i1 = 0, i2 = 0;
    for (int d = 0; d < 3; ++d) i1 += s[d] * s[d], i2 += s[d] * s[d] * s[(d + 1) % 3] * s[(d + 1) % 3];
    double l = log(j);
    return m->mu10 * (i1 * pow(j, -2.0 / 3) - 3) + m->mu01 * (i2 * pow(j, -4.0 / 3) - 3) +
           0.5 * m->kappa * (1 - m->own) * l * l + 0.5 * m->kappa * m->own * (j - 1) * (j - 1);
}

static void homogeneous_stretch_has_the_energy_of_the_formula(void **state)
{
    (void)state;
    static const double stretch[4][3] = {{1.5, 0.81, 0.82}, {0.7, 1.2, 1.18}, {1.3, 1.3, 0.6}, {1, 1, 1}};
    Fixture f;
    set_up(&f, 0);
    double volume = 0;
    for (int k = 0; k < 4; ++k)
        for (int l = 0; l < SN_OCTS; ++l) volume += (double)f.batch.weight[k][l];
    for (int c = 0; c < 4; ++c) {
        for (int i = 0; i < NODES; ++i)
            for (int d = 0; d < 3; ++d) f.x[4 * i + d] = stretch[c][d] * f.rest[4 * i + d];
        double expected = volume * closed_form(&f.e.material, stretch[c]);
        assert_near(energy_of(&f, sn_elements_best()), expected, 1e-9 * (1 + fabs(expected)));
    }
}

static void fiber_law_is_smooth(void **state)
{
    (void)state;
    const snFiberState muscle[] = {{.activation = 0.7, .optimum = 1.4},
                                   {.activation = 0.7, .optimum = 0.8, .follow = 4, .length = 0.6}};
    for (int k = 0; k < 2; ++k)
        for (double s = 0.3; s < 3; s += 0.0137) {
            double step = 1e-5;
            snFiberLaw a = sn_fiber_law(s - step, &muscle[k]), b = sn_fiber_law(s + step, &muscle[k]),
                       m = sn_fiber_law(s, &muscle[k]);
            assert_near((b.energy - a.energy) / (2 * step), m.force, 1e-8);
            assert_near((b.force - a.force) / (2 * step), m.slope, 1e-4);
        }
    assert_near(sn_fiber_law(1.4, &(snFiberState){.activation = 1, .optimum = 1.4}).force, 1 / 1.4, 1e-12);
    /* as drawn it is at rest, wherever its optimum lies */
    for (double optimum = 0.6; optimum < 1.6; optimum += 0.1)
        assert_true(sn_fiber_law(1, &(snFiberState){.optimum = optimum, .follow = 4, .length = 1}).force == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_the_slope_of_the_energy),
        cmocka_unit_test(gradient_holds_when_inverted),
        cmocka_unit_test(hessian_is_the_slope_of_the_gradient),
        cmocka_unit_test(derivatives_hold_when_crushed),
        cmocka_unit_test(projection_is_positive_and_leaves_the_rest_alone),
        cmocka_unit_test(homogeneous_stretch_has_the_energy_of_the_formula),
        cmocka_unit_test(fiber_law_is_smooth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
