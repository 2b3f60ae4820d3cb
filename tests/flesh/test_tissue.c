/* A body of flesh: patch test, stretch against the closed form, a beam against Timoshenko's, threads, tangles. */
#include "check.h"
#include "slab.h"

#include <math.h>

typedef struct {
    snSamples s;
    snBoneSample *bone;
    snTissue t;
    snPool *pool;
} Block;

/* Held below x = low and above x = high. */
static void block_create(Block *b, int32_t nx, int32_t ny, int32_t nz, double low, double high, double stiffness,
                         int32_t threads, double gravity)
{
    snError error = {0};
    b->s = slab_create(nx, ny, nz, 0.01);
    snTissueDef def = slab_def(&b->s);
    def.nbone_sample = slab_hold(&b->s, low, high, stiffness, NULL);
    b->bone = SN_NEW_ARRAY(snBoneSample, def.nbone_sample);
    (void)slab_hold(&b->s, low, high, stiffness, b->bone);
    def.bone_sample = b->bone, def.gravity[2] = -gravity;
    def.pool = b->pool = sn_pool_create(threads);
    assert_int_equal(sn_tissue_create(&def, &b->t, &error), SN_OK);
}

static void block_free(Block *b)
{
    sn_tissue_free(&b->t);
    sn_pool_destroy(b->pool);
    sn_free(b->bone);
    sn_free(b->s.flag);
}

static void patch_test(void **state)
{
    (void)state;
    static const double f[3][3] = {{1.2, 0.1, -0.05}, {0.07, 0.9, 0.12}, {0.02, -0.08, 1.05}};
    Block b;
    block_create(&b, 8, 6, 5, -1, 1, 30, 1, 0);
    double *x = SN_NEW_ARRAY(double, 4 * b.t.n), *g = SN_NEW_ARRAY(double, 4 * b.t.n), most = 0, rim = 0;
    for (int32_t i = 0; i < b.t.n; ++i)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) x[4 * i + r] += f[r][c] * b.t.rest[4 * i + c];
    (void)sn_tissue_evaluate(&b.t, x, g);
    for (int32_t i = 0; i < b.t.n; ++i) {
        const double *p = b.t.rest + 4 * i;
        bool inside =
            p[0] > 0.0101 && p[0] < 0.0699 && p[1] > 0.0101 && p[1] < 0.0499 && p[2] > 0.0101 && p[2] < 0.0399;
        for (int d = 0; d < 3; ++d) *(inside ? &most : &rim) = fmax(inside ? most : rim, fabs(g[4 * i + d]));
    }
    assert_true(rim > 0.1); /* N: the stress is there */
    assert_at_most(most / rim, 1e-10);
    sn_free(x);
    sn_free(g);
    block_free(&b);
}

/* Energy density of a homogeneous stretch by the material's formula. */
static double energy_at(const snFleshMaterial *m, double a, double b, double c)
{
    double j = a * b * c, l = log(j), i1 = a * a + b * b + c * c, i2 = a * a * b * b + b * b * c * c + c * c * a * a;
    return m->mu10 * (i1 * pow(j, -2.0 / 3) - 3) + m->mu01 * (i2 * pow(j, -4.0 / 3) - 3) +
           0.5 * m->kappa * ((1 - m->own) * l * l + m->own * (j - 1) * (j - 1));
}

/* The third stretch that two given ones lead to; second 0: the free sides of one stretch. */
static double free_side(const snFleshMaterial *m, double first, double second)
{
    double low = 0.2, high = 3, golden = 0.5 * (sqrt(5) - 1);
    while (high - low > 1e-11) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        double ea = energy_at(m, first, second > 0 ? second : a, a),
               eb = energy_at(m, first, second > 0 ? second : b, b);
        if (ea < eb)
            high = b;
        else
            low = a;
    }
    return 0.5 * (low + high);
}

/* Planes pull the outermost samples of both ends along the axes that are stretched. */
static int32_t pull_ends(const Block *b, const double stretch[3], const int32_t cells[3], snTissuePush *push)
{
    int32_t n = 0, rim = 8;
    for (int32_t x = rim; x < b->s.n[0] - rim; ++x)
        for (int32_t y = rim; y < b->s.n[1] - rim; ++y)
            for (int32_t z = rim; z < b->s.n[2] - rim; ++z)
                for (int d = 0; d < 3; ++d) {
                    int32_t at[3] = {x, y, z};
                    bool low = at[d] == rim, high = at[d] == b->s.n[d] - rim - 1;
                    if (stretch[d] == 0 || (!low && !high)) continue;
                    v3 p = sn_sample_point(&b->s, x, y, z);
                    double point[3] = {p.x, p.y, p.z}, middle = 0.005 * cells[d];
                    snTissuePush *to = &push[n++];
                    int32_t face[4];
                    *to = (snTissuePush){.stiffness = 1e5};
                    to->tet = sn_lattice_locate(&b->t.lattice, 0, p, face);
                    to->oct = b->t.lattice.sample_oct[slab_at(&b->s, x, y, z)];
                    sn_tet_weights(&b->t.lattice, face, to->tet, p, to->weight);
                    to->normal[d] = high ? 1 : -1;
                    to->offset = to->normal[d] * (middle + stretch[d] * (point[d] - middle));
                }
    return n;
}

/* The middle of a block: stretch along each axis between two nodes around its centre. */
static double measure(const Block *b, int axis, const int32_t cells[3])
{
    double low[3], high[3];
    int32_t a = -1, c = -1;
    for (int d = 0; d < 3; ++d) low[d] = high[d] = 0.005 * cells[d];
    low[axis] -= 0.01, high[axis] += 0.01;
    for (int32_t i = 0; i < b->t.n; ++i) {
        if (v3_dist(v3_load(b->t.rest + 4 * i), v3_load(low)) < 1e-9) a = i;
        if (v3_dist(v3_load(b->t.rest + 4 * i), v3_load(high)) < 1e-9) c = i;
    }
    assert_true(a >= 0 && c >= 0);
    return (b->t.x[4 * c + axis] - b->t.x[4 * a + axis]) / 0.02;
}

static void stretched(bool biaxial)
{
    const int32_t cells[3] = {biaxial ? 20 : 24, biaxial ? 20 : 4, 4}; /* the ends are far from the middle */
    double stretch[3] = {1.25, biaxial ? 1.25 : 0, 0};
    Block b;
    snTissueSettings settings = sn_default_tissue_settings();
    settings.tolerance = 1e-9, settings.forcing = 1e-3;
    block_create(&b, cells[0], cells[1], cells[2], -1, 1, 30, 1, 0);
    b.t.step = 0.05; /* nothing holds it sideways: an anchor that is the result in the end */
    memcpy(b.t.inertia_at, b.t.rest, 4 * (size_t)b.t.n * sizeof *b.t.rest);
    snTissuePush *push = SN_NEW_ARRAY(snTissuePush, 4 * 80 * 80);
    b.t.npush = pull_ends(&b, stretch, cells, push), b.t.push = push;
    for (int k = 0; k < 12; ++k) {
        assert_true(sn_tissue_solve(&b.t, &settings).converged);
        memcpy(b.t.inertia_at, b.t.x, 4 * (size_t)b.t.n * sizeof *b.t.x);
    }
    double along = measure(&b, 0, cells), across = measure(&b, 2, cells), other = measure(&b, 1, cells);
    double side = free_side(&b.t.elements.material, along, biaxial ? other : 0);
    assert_true(along > 1.2);
    assert_near(across, side, 1e-4);
    if (!biaxial) assert_near(other, side, 1e-4);
    if (biaxial) assert_near(other, along, 1e-3); /* the lattice's diagonals are not the same along both */
    sn_free(push);
    block_free(&b);
}

static void uniaxial_stretch(void **state)
{
    (void)state;
    stretched(false);
}

static void biaxial_stretch(void **state)
{
    (void)state;
    stretched(true);
}

/* Ratio of the tip's sag under gravity to Timoshenko's beam; four cells thick, eight times as long. */
static double sag(double own)
{
    enum { THICK = 4, LONG = 32 };
    Block b;
    snTissueSettings settings = sn_default_tissue_settings();
    double tip = 0, side = THICK * 0.01, length = LONG * 0.01, gravity = 0.2;
    int32_t count = 0;
    settings.tolerance = 1e-8, settings.forcing = 1e-3;
    block_create(&b, LONG + THICK, THICK, THICK, side, 1e9, 3000, 1, gravity);
    b.t.elements.material.own = own;
    snTissueReport report = sn_tissue_solve(&b.t, &settings);
    assert_true(report.converged && report.inverted == 0);
    for (int32_t i = 0; i < b.t.n; ++i) {
        const double *p = b.t.rest + 4 * i;
        if (fabs(p[0] - side - length) > 1e-9 || fabs(p[1] - side / 2) > 0.006 || fabs(p[2] - side / 2) > 0.006)
            continue;
        tip += b.t.rest[4 * i + 2] - b.t.x[4 * i + 2], ++count;
    }
    const snFleshMaterial *m = &b.t.elements.material;
    double mu = 2 * (m->mu10 + m->mu01), young = 9 * m->kappa * mu / (3 * m->kappa + mu), area = side * side;
    double load = 1000 * gravity * area, bend = load * pow(length, 4) / (8 * young * area * area / 12);
    double shear = load * length * length / (2 * 5.0 / 6 * mu * area);
    block_free(&b);
    return tip / count / (bend + shear);
}

static void beam_bends_as_timoshenko_says(void **state)
{
    (void)state;
    double shared = sag(0.02), single = sag(1);
    print_message("sag over Timoshenko's: %.3f with a pressure for each octahedron, %.3f for each tetrahedron\n",
                  shared, single);
    assert_near(shared, 1, 0.1);
    assert_true(shared > single);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    Block one, three;
    snTissueSettings settings = sn_default_tissue_settings();
    double pose[14] = {0, 0, 0, 1, 0, 0, 0, 0.02, 0.03, 0, cos(0.3), 0, sin(0.3), 0};
    block_create(&one, 20, 8, 8, 0.04, 0.16, 30, 1, 9.81);
    block_create(&three, 20, 8, 8, 0.04, 0.16, 30, 3, 9.81);
    sn_tissue_pose(&one.t, pose), sn_tissue_pose(&three.t, pose);
    int64_t before = sn_alloc_count();
    snTissueReport a = sn_tissue_solve(&one.t, &settings), b = sn_tissue_solve(&three.t, &settings);
    assert_int_equal(sn_alloc_count(), before); /* solving allocates nothing */
    assert_true(a.converged && a.newton > 2);
    assert_int_equal(a.cg, b.cg);
    assert_memory_equal(one.t.x, three.t.x, 4 * (size_t)one.t.n * sizeof *one.t.x);
    block_free(&one);
    block_free(&three);
}

static void recovers_from_a_tangle(void **state)
{
    (void)state;
    Block b;
    snTissueSettings settings = sn_default_tissue_settings();
    uint32_t seed = 5;
    block_create(&b, 12, 5, 5, 0.02, 0.1, 30, 1, 9.81);
    assert_true(sn_tissue_solve(&b.t, &settings).converged);
    double *good = SN_NEW_ARRAY(double, 4 * b.t.n), apart = 0;
    memcpy(good, b.t.x, 4 * (size_t)b.t.n * sizeof *good);
    for (int32_t i = 0; i < 4 * b.t.n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        if (i % 4 < 3) b.t.x[i] += 0.013 * ((double)(seed >> 8) / 16777216.0 - 0.5);
    }
    assert_true(sn_tissue_evaluate(&b.t, b.t.x, NULL).inverted * 10 > 4 * b.t.lattice.noct); /* over a tenth */
    snTissueReport report = sn_tissue_solve(&b.t, &settings);
    assert_true(report.converged);
    assert_int_equal(report.inverted, 0);
    for (int32_t i = 0; i < 4 * b.t.n; ++i) apart = fmax(apart, fabs(b.t.x[i] - good[i]));
    assert_at_most(apart, 2e-5);
    sn_free(good);
    block_free(&b);
}

static void bad_material_is_refused(void **state)
{
    (void)state;
    snSamples s = slab_create(3, 3, 3, 0.01);
    snTissueDef def = slab_def(&s);
    snTissue t;
    snError error = {0};
    def.material.mu10 = 0;
    assert_int_equal(sn_tissue_create(&def, &t, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "mu10"));
    def = slab_def(&s), def.material.kappa = -1;
    assert_int_equal(sn_tissue_create(&def, &t, &error), SN_BAD_INPUT);
    sn_free(s.flag);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    snSamples s = slab_create(4, 3, 3, 0.01);
    snTissueDef def = slab_def(&s);
    snBoneSample bone[2048];
    def.nbone_sample = slab_hold(&s, 0.01, 1, 30, bone), def.bone_sample = bone;
    int64_t live = sn_alloc_live();
    for (int64_t n = 0;; ++n) {
        snTissue t;
        snError error = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_tissue_create(&def, &t, &error);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) {
            sn_tissue_free(&t);
            break;
        }
        assert_int_equal(status, SN_NO_MEMORY);
        assert_int_equal(sn_alloc_live(), live);
    }
    assert_int_equal(sn_alloc_live(), live);
    sn_free(s.flag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch_test),
        cmocka_unit_test(uniaxial_stretch),
        cmocka_unit_test(biaxial_stretch),
        cmocka_unit_test(beam_bends_as_timoshenko_says),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(recovers_from_a_tangle),
        cmocka_unit_test(bad_material_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
