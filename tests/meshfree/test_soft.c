/* The elastic body: force and stiffness against differences, rigid motions, zero-energy modes, patch tests. */
#include "soft_case.h"

static uint64_t seed = 5;
static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return 2 * (double)(seed >> 11) / 9007199254740992.0 - 1;
}

static double square(double t)
{
    (void)t;
    return 0.02;
}

/* A muscle with contact, loads and activation, pushed out of shape. */
static void rough(softCase *c, snDistance *distance, double size)
{
    snError error = {0};
    case_spindle(&c->mesh);
    case_points(c, 150, true);
    c->def.law = sn_default_soft_def().law;
    c->def.law.prestretch = 1.2;
    snTriMesh ball;
    case_mesh(0.06, square, 2, 0, &ball);
    for (int32_t i = 0; i < ball.nvertex; ++i) ball.vertex[3 * i] += 0.045, ball.vertex[3 * i + 2] += 0.1;
    require_ok(sn_distance_create(&ball, 0.002, distance, &error), &error);
    sn_trimesh_free(&ball);
    c->bone[0].distance = distance;
    c->def.depth = c->points.depth; /* nodes feel the bone from as far as they are deep */
    case_body(c, 25e3, 3e6, 1e5, 3e5, 0.02, 0.24);
    c->state->activation = 0.4;
    for (int32_t i = 0; i < 3 * c->quads.nnode; ++i) c->state->x[i] += size * uniform() + (i % 3 == 0 ? 0.004 : 0);
}

static void force_is_the_gradient(void **state)
{
    (void)state;
    softCase c = {0};
    snDistance distance = {0};
    rough(&c, &distance, 2e-3);
    int32_t n = 3 * c.quads.nnode;
    double *g = calloc((size_t)n, sizeof *g), scale = 0, worst = 0, deepest = 0;
    sn_soft_evaluate(c.body, c.state, c.state->x, g);
    sn_soft_contact(c.body, c.state, c.state->x, NULL, NULL, 0, &deepest);
    assert_true(deepest > 1e-4); /* contact is part of it */
    for (int32_t i = 0; i < n; ++i) scale = fmax(scale, fabs(g[i]));
    /* along random directions: many unknowns at once */
    for (int trial = 0; trial < 20; ++trial) {
        double *d = calloc((size_t)n, sizeof *d), *x = calloc((size_t)n, sizeof *x), slope = 0, w[4], h = 2e-8;
        for (int32_t i = 0; i < n; ++i) {
            d[i] = c.body->order[i / 3] >= 0 ? uniform() : 0;
            slope += g[i] * d[i];
        }
        const double at[4] = {-2, -1, 1, 2};
        for (int k = 0; k < 4; ++k) {
            for (int32_t i = 0; i < n; ++i) x[i] = c.state->x[i] + at[k] * h * d[i];
            w[k] = sn_soft_evaluate(c.body, c.state, x, NULL);
        }
        worst = fmax(worst, fabs((w[0] - 8 * w[1] + 8 * w[2] - w[3]) / (12 * h) - slope) / (scale * sqrt(n / 3.0)));
        free(d), free(x);
    }
    print_message("force: %.1e\n", worst);
    assert_at_most(worst, 1e-8);
    free(g);
    sn_distance_free(&distance);
    case_free(&c);
}

static double entry(const softCase *c, int32_t row, int32_t column)
{
    return (double)c->state
        ->value[row >= column ? sn_tiles_at(&c->body->tiles, row, column) : sn_tiles_at(&c->body->tiles, column, row)];
}
static bool within(const snTiles *t, int32_t row, int32_t column)
{
    int32_t r = row > column ? row : column, k = row > column ? column : row;
    return k / SN_TILE >= t->first[r / SN_TILE];
}

static void stiffness_is_its_slope(void **state)
{
    (void)state;
    softCase c = {0};
    snDistance distance = {0};
    rough(&c, &distance, 2e-4);
    double deepest = 0;
    sn_soft_contact(c.body, c.state, c.state->x, NULL, NULL, 0, &deepest);
    assert_true(deepest > 1e-4); /* contact is part of it */
    int32_t n = 3 * c.quads.nnode, checked = 0;
    double *low = SN_NEW_ARRAY(double, n), *high = SN_NEW_ARRAY(double, n), scale = 0, worst = 0, h = 1e-8;
    sn_soft_assemble(c.body, c.state, 0);
    for (int32_t r = 0; r < 3 * c.body->nfree; ++r) scale = fmax(scale, entry(&c, r, r));
    for (int32_t i = 0; i < n; i += 7) {
        int32_t column = c.body->order[i / 3];
        if (column < 0) continue;
        double x = c.state->x[i];
        c.state->x[i] = x + h, sn_soft_evaluate(c.body, c.state, c.state->x, high);
        c.state->x[i] = x - h, sn_soft_evaluate(c.body, c.state, c.state->x, low);
        c.state->x[i] = x;
        for (int32_t j = 0; j < n; ++j) {
            int32_t row = c.body->order[j / 3];
            if (row < 0) continue;
            double slope = (high[j] - low[j]) / (2 * h);
            bool stored = within(&c.body->tiles, 3 * row + j % 3, 3 * column + i % 3);
            double value = stored ? entry(&c, 3 * row + j % 3, 3 * column + i % 3) : 0;
            worst = fmax(worst, fabs(slope - value) / scale);
            ++checked;
        }
    }
    print_message("stiffness: %.1e of the largest over %d entries\n", worst, checked);
    assert_at_most(worst, 1e-6);
    sn_free(low), sn_free(high);
    sn_distance_free(&distance);
    case_free(&c);
}

static void a_rigid_turn_makes_no_force(void **state)
{
    (void)state;
    softCase c = {0};
    case_spindle(&c.mesh);
    case_points(&c, 400, true);
    case_body(&c, 25e3, 3e6, 0, 0, -1, 1);
    quat q = q_axis_angle(v3_unit(v3_of(1, 2, -1)), 120 * SN_DEG);
    for (int32_t i = 0; i < 400; ++i)
        v3_store(c.state->x + 3 * i, v3_add(q_rotate(q, v3_load(c.quads.rest + 3 * i)), v3_of(0.1, 0.2, 0.3)));
    sn_soft_evaluate(c.body, c.state, c.state->x, c.state->force);
    double worst = 0;
    for (int32_t i = 0; i < 1200; ++i) worst = fmax(worst, fabs(c.state->force[i]));
    print_message("largest force after a turn: %.1e mN\n", worst * 1e3);
    assert_at_most(worst * 1e3, 1e-6);
    case_free(&c);
}

/* Eigenvalues of A (n x n, overwritten) below shift, by the signs of the pivots of A - shift I. */
static int below(int32_t n, double *A, double shift)
{
    int count = 0;
    for (int32_t i = 0; i < n; ++i) A[i * n + i] -= shift;
    for (int32_t k = 0; k < n; ++k) {
        double pivot = A[k * n + k];
        if (pivot < 0) ++count;
        for (int32_t i = k + 1; i < n; ++i) {
            double f = A[i * n + k] / pivot;
            for (int32_t j = k + 1; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
        }
    }
    return count;
}

static void only_rigid_motions_cost_nothing(void **state)
{
    (void)state;
    softCase c = {0};
    case_mesh(0.12, square, 8, 0, &c.mesh);
    case_points(&c, 120, true);
    case_body(&c, 25e3, 3e6, 0, 0, -1, 1);
    int32_t n = 3 * c.body->nfree;
    assert_int_equal(n, 360);
    sn_soft_assemble(c.body, c.state, 1);
    double *A = calloc((size_t)n * (size_t)n, sizeof *A), mean = 0;
    int modes[2];
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t i = 0; i < n; ++i)
            for (int32_t j = 0; j < n; ++j) A[i * n + j] = within(&c.body->tiles, i, j) ? entry(&c, i, j) : 0;
        mean = 0;
        for (int32_t i = 0; i < n; ++i) mean += A[i * n + i] / n;
        modes[pass] = below(n, A, (pass == 0 ? 2e-6 : 2e-4) * mean);
    }
    print_message("modes below 2e-6 and 2e-4 of the mean diagonal: %d, %d\n", modes[0], modes[1]);
    assert_int_equal(modes[0], 6);
    assert_int_equal(modes[1], 6);
    free(A);
    case_free(&c);
}

/* The rim of a muscle is moved by an isochoric stretch of 10 %; the points inside must follow. */
static double patch_error(double s)
{
    softCase c = {0};
    snError error = {0};
    case_spindle(&c.mesh);
    case_points(&c, 400, true);
    c.def.stabilisation = s;
    case_body(&c, 25e3, 3e6, 0, 0, -1, 1);
    sn_soft_state_destroy(c.state);
    sn_soft_destroy(c.body);
    for (int32_t i = 0; i < 400; ++i) c.attached[i] = c.points.depth[i] < 0.8 * c.points.spacing ? 0 : -1;
    c.def.stabilisation = s;
    require_ok(sn_soft_create(&c.def, &c.body, &error), &error);
    require_ok(sn_soft_state_create(c.body, &c.state, &error), &error);
    double t = 1 / sqrt(1.1), sum = 0;
    double *goal = calloc(1200, sizeof *goal);
    for (int32_t i = 0; i < 400; ++i) {
        v3 p = v3_load(c.quads.rest + 3 * i);
        v3_store(goal + 3 * i, v3_of(t * p.x, t * p.y, 1.1 * p.z));
    }
    double *keep = c.quads.rest;
    c.quads.rest = goal; /* where the bone holds them; the gradients know the rest shape already */
    snSoftSolveDef solve = sn_default_soft_solve_def();
    solve.tolerance = 1e-8;
    snSoftInfo info = sn_soft_solve(c.body, c.state, &solve);
    c.quads.rest = keep;
    assert_true(info.converged);
    for (int32_t i = 0; i < 400; ++i) sum += v3_len2(v3_sub(v3_load(c.state->x + 3 * i), v3_load(goal + 3 * i)));
    double rms = sqrt(sum / c.body->nfree);
    print_message("s = %g: %d free points, rms %.4f mm\n", s, c.body->nfree, rms * 1e3);
    free(goal);
    case_free(&c);
    return rms;
}

static void equilibrium_patch(void **state)
{
    (void)state;
    assert_at_most(patch_error(1e-9), 0.02e-3); /* some free points have a small share of the wall */
    assert_at_most(patch_error(1), 0.02e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force_is_the_gradient),       cmocka_unit_test(stiffness_is_its_slope),
        cmocka_unit_test(a_rigid_turn_makes_no_force), cmocka_unit_test(only_rigid_motions_cost_nothing),
        cmocka_unit_test(equilibrium_patch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
