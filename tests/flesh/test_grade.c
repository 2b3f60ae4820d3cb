/* Larger cells deep inside: what they fill, corners that hang, patch test, derivatives, against uniform cells. */
#include "base/clock.h"
#include "check.h"
#include "slab.h"

#include <math.h>

enum { DEEP = 2 * SN_LATTICE_FINE };

typedef struct {
    snSamples s;
    snBoneSample *bone;
    snTissue t;
    snPool *pool;
} Block;

/* Two fingers, side by side from a common palm, or one block where nothing is cut. Held at its ends. */
static void block_create(Block *b, const int32_t cells[3], bool cut, int32_t sizes, int32_t threads, double gravity)
{
    snError error = {0};
    b->s = slab_create(cells[0], cells[1], cells[2], 0.01);
    for (int32_t x = b->s.n[0] / 2; cut && x < b->s.n[0]; ++x)
        for (int32_t z = 0; z < b->s.n[2]; ++z) /* apart by no more than a link */
            b->s.flag[slab_at(&b->s, x, b->s.n[1] / 2, z)] &= (uint8_t)~2;
    assert_int_equal(sn_samples_grade(&b->s, sizes, DEEP, NULL), SN_OK);
    snTissueDef def = slab_def(&b->s);
    double low = 0.04, high = cut ? 1e9 : 0.01 * cells[0] - 0.04;
    def.nbone_sample = slab_hold(&b->s, low, high, 30, NULL);
    b->bone = SN_NEW_ARRAY(snBoneSample, def.nbone_sample);
    (void)slab_hold(&b->s, low, high, 30, b->bone);
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
    sn_free(b->s.size);
}

static const int32_t large[3] = {36, 40, 24}; /* each finger is 20 cells thick */
static const int32_t medium[3] = {24, 24, 12};

static double random_in(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / 16777216.0 - 0.5;
}

static void cells_of_all_sizes_fill_the_block(void **state)
{
    (void)state;
    heavy_case();
    Block b, uniform;
    double volume = 0.36 * 0.40 * 0.24, mass = 0, first[3] = {0};
    block_create(&b, large, true, 3, 1, 0);
    block_create(&uniform, large, true, 1, 1, 0);
    const snLattice *l = &b.t.lattice;
    assert_int_equal(uniform.t.lattice.nhang, 0);
    print_message("%d tetrahedra of the finest size, %d, %d of larger ones instead of %d; %d nodes of %d, %d hang\n",
                  b.t.ntet[0], b.t.ntet[1], b.t.ntet[2], uniform.t.ntet[0], b.t.n, uniform.t.n, l->nhang);
    for (int32_t size = 0; size < 3; ++size) assert_true(b.t.ntet[size] > 0);
    assert_int_equal(b.t.ntet[0] + 8 * b.t.ntet[1] + 64 * b.t.ntet[2], uniform.t.ntet[0]);
    /* the emptiest cells at the rim count as a twentieth full in both */
    double there = sn_tissue_evaluate(&uniform.t, uniform.t.rest, NULL).volume;
    assert_near(there / volume, 1, 1e-3);
    assert_near(sn_tissue_evaluate(&b.t, b.t.rest, NULL).volume / there, 1, 1e-12);
    for (int32_t i = 0; i < b.t.n; ++i) {
        mass += b.t.mass[i];
        for (int d = 0; d < 3; ++d) first[d] += b.t.mass[i] * b.t.rest[4 * i + d];
        assert_true(b.t.mass[i] > 0);
    }
    for (int32_t i = 0; i < uniform.t.n; ++i) {
        mass -= uniform.t.mass[i];
        for (int d = 0; d < 3; ++d) first[d] -= uniform.t.mass[i] * uniform.t.rest[4 * i + d];
    }
    assert_at_most(fabs(mass) / (1000 * volume), 1e-12);
    for (int d = 0; d < 3; ++d) assert_at_most(fabs(first[d]) / (1000 * volume * 0.2), 1e-12);
    block_free(&b);
    block_free(&uniform);
}

static void corners_hang_on_the_middle_of_edges(void **state)
{
    (void)state;
    Block b;
    block_create(&b, large, true, 3, 1, 0);
    for (int32_t level = 0; level < 3; ++level) {
        snLattice l;
        assert_int_equal(sn_lattice_create(&b.s, level, &l), SN_OK);
        assert_int_equal(l.nhang > 0, level < 2);
        for (int32_t i = 0; i < l.nhang; ++i) {
            const int32_t *h = l.hang + 2 * i;
            assert_true(h[0] < l.nnode && h[1] < l.nnode && h[0] != h[1]);
            v3 mean = v3_scale(v3_add(sn_lattice_point(&l, h[0]), sn_lattice_point(&l, h[1])), 0.5);
            assert_at_most(v3_dist(mean, sn_lattice_point(&l, l.nnode + i)), 1e-12);
        }
        sn_lattice_free(&l);
    }
    block_free(&b);
}

/* An affine map is in balance everywhere inside. */
static void patch_test(void **state)
{
    (void)state;
    heavy_case();
    static const double f[3][3] = {{1.2, 0.1, -0.05}, {0.07, 0.9, 0.12}, {0.02, -0.08, 1.05}};
    Block b;
    double most = 0, rim = 0;
    block_create(&b, large, true, 3, 1, 0);
    sn_tissue_free(&b.t); /* the same without springs */
    snTissueDef def = slab_def(&b.s);
    snError error = {0};
    assert_int_equal(sn_tissue_create(&def, &b.t, &error), SN_OK);
    double *x = SN_NEW_ARRAY(double, 4 * b.t.n), *g = SN_NEW_ARRAY(double, 4 * b.t.n);
    for (int32_t i = 0; i < b.t.n; ++i)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) x[4 * i + r] += f[r][c] * b.t.rest[4 * i + c];
    snOctMeasure m = sn_tissue_evaluate(&b.t, x, g);
    for (int32_t i = 0; i < b.t.n; ++i) {
        const double *p = b.t.rest + 4 * i, end = 0.01 * large[0], side = 0.01 * large[1], height = 0.01 * large[2];
        bool inside = p[0] > 0.0101 && p[0] < end - 0.0101 && p[1] > 0.0101 && p[1] < side - 0.0101 && p[2] > 0.0101 &&
                      p[2] < height - 0.0101;
        inside = inside && (p[0] < end / 2 - 0.0201 || fabs(p[1] - side / 2) > 0.0201);
        for (int d = 0; d < 3; ++d) *(inside ? &most : &rim) = fmax(inside ? most : rim, fabs(g[4 * i + d]));
    }
    assert_int_equal(m.inverted, 0);
    assert_true(rim > 0.1); /* N */
    print_message("patch test on the cut and coarsened mesh: %.1e of the force at its rim\n", most / rim);
    assert_at_most(most / rim, 1e-10);
    sn_free(x);
    sn_free(g);
    block_free(&b);
}

/* Energy with all nodes gone along their way; the gradient there if it is asked for. */
static double energy_along(Block *b, const double *x, const double *way, double step, double *at, double *g)
{
    for (size_t i = 0; i < 4 * (size_t)b->t.n; ++i) at[i] = x[i] + step * way[i];
    return sn_tissue_evaluate(&b->t, at, g).energy;
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    heavy_case();
    Block b;
    uint32_t seed = 11;
    const double step = 1e-4, far = 1e-3;
    block_create(&b, large, true, 3, 1, 9.81);
    size_t n = 4 * (size_t)b.t.n;
    double *x = SN_NEW_ARRAY(double, n), *way = SN_NEW_ARRAY(double, n), *g = SN_NEW_ARRAY(double, n);
    double *at = SN_NEW_ARRAY(double, n), *more = SN_NEW_ARRAY(double, n), *less = SN_NEW_ARRAY(double, n), slope = 0,
           off = 0, size = 0;
    float *p = SN_NEW_ARRAY(float, n), *q = SN_NEW_ARRAY(float, n);
    for (size_t i = 0; i < n; ++i)
        if (i % 4 < 3) x[i] = b.t.rest[i] + 1e-3 * random_in(&seed), way[i] = 1e-2 * random_in(&seed);
    snTissuePush push = {.oct = b.t.lattice.noct / 2, .weight = {0.1, 0.2, 0.3, 0.4}, .stiffness = 1e4};
    while (b.t.batch_rows[0] < 0 && push.oct > 0 && b.t.lattice.oct_node[6 * push.oct] < b.t.n) --push.oct;
    assert_true(b.t.lattice.oct_node[6 * push.oct] >= b.t.n); /* a corner that hangs is pushed */
    push.normal[1] = 1, push.offset = 1;
    b.t.push = &push, b.t.npush = 1;
    (void)sn_tissue_evaluate(&b.t, x, g);
    for (size_t i = 0; i < n; ++i) slope += g[i] * way[i], p[i] = (float)way[i];
    double change = 8 * (energy_along(&b, x, way, far, at, NULL) - energy_along(&b, x, way, -far, at, NULL)) -
                    (energy_along(&b, x, way, 2 * far, at, NULL) - energy_along(&b, x, way, -2 * far, at, NULL));
    double wrong = fabs(change / (12 * far) / slope - 1);
    (void)energy_along(&b, x, way, step, at, more);
    (void)energy_along(&b, x, way, -step, at, less);
    sn_tissue_assemble(&b.t, x, false);
    sn_blocks_product(&b.t.grid.level[0].matrix, NULL, p, q);
    for (size_t i = 0; i < n; ++i) {
        if (i % 4 == 3) continue;
        double d = (more[i] - less[i]) / (2 * step);
        off += (d - (double)q[i]) * (d - (double)q[i]), size += d * d;
    }
    print_message("gradient against differences %.1e, Hessian times a vector %.1e\n", wrong, sqrt(off / size));
    assert_at_most(wrong, 1e-8);
    assert_at_most(sqrt(off / size), 1e-6);
    void *block[] = {x, way, g, at, more, less, p, q};
    for (size_t i = 0; i < sizeof block / sizeof block[0]; ++i) sn_free(block[i]);
    block_free(&b);
}

/* Both bent and pulled; the way of the nodes that both have. */
static void rest_is_that_of_uniform_cells(void **state)
{
    (void)state;
    heavy_case();
    const int32_t cells[3] = {36, 14, 14};
    double pose[14] = {0, 0, 0, 1, 0, 0, 0, 0.02, 0.03, 0, cos(0.2), 0, sin(0.2), 0}, most = 0, moved = 0;
    snTissueSettings settings = sn_default_tissue_settings();
    Block b[2];
    snTissueReport report[2];
    double processor[2];
    settings.project = true;
    for (int k = 0; k < 2; ++k) {
        block_create(&b[k], cells, false, k == 0 ? 1 : 3, 1, 9.81);
        sn_tissue_pose(&b[k].t, pose);
        double began = sn_clock_thread();
        report[k] = sn_tissue_solve(&b[k].t, &settings);
        processor[k] = sn_clock_thread() - began;
        assert_true(report[k].converged);
        assert_int_equal(report[k].inverted, 0);
    }
    const snLattice *fine = &b[0].t.lattice, *mixed = &b[1].t.lattice;
    for (int32_t v = 0; v < b[0].s.n[0] * b[0].s.n[1] * b[0].s.n[2]; ++v) {
        int32_t o = mixed->sample_oct[v], at = fine->sample_oct[v];
        if (o < 0 || sn_oct_size(mixed, o) > 0) continue;
        for (int i = 0; i < 6; ++i) {
            int32_t p = mixed->oct_node[6 * o + i], q = fine->oct_node[6 * at + i];
            if (p >= mixed->nnode) continue;
            v3 x = v3_load(b[1].t.x + 4 * p), y = v3_load(b[0].t.x + 4 * q);
            most = fmax(most, v3_dist(x, y)), moved = fmax(moved, v3_dist(y, v3_load(b[0].t.rest + 4 * q)));
        }
    }
    print_message("%d tetrahedra and %d, %d and %d Newton, %d and %d CG iterations, %.2f and %.2f s of processor: "
                  "%.3f mm apart, where %.1f mm were moved\n",
                  b[0].t.ntet[0], b[1].t.ntet[0] + b[1].t.ntet[1] + b[1].t.ntet[2], report[0].newton, report[1].newton,
                  report[0].cg, report[1].cg, processor[0], processor[1], 1e3 * most, 1e3 * moved);
    assert_true(moved > 0.03);
    assert_at_most(most / moved, 0.01);
    assert_at_most(report[1].cg, 1.3 * report[0].cg);
    block_free(&b[0]);
    block_free(&b[1]);
}

static void any_number_of_threads_gives_the_same(void **state)
{
    (void)state;
    Block one, three;
    snTissueSettings settings = sn_default_tissue_settings();
    double pose[14] = {0, 0.01, 0.02, cos(0.1), 0, sin(0.1), 0, 0, 0, 0, 1, 0, 0, 0};
    block_create(&one, medium, true, 3, 1, 9.81);
    block_create(&three, medium, true, 3, 3, 9.81);
    assert_true(one.t.nslab > 4);
    sn_tissue_pose(&one.t, pose), sn_tissue_pose(&three.t, pose);
    settings.project = true;
    int64_t before = sn_alloc_count();
    snTissueReport a = sn_tissue_solve(&one.t, &settings), b = sn_tissue_solve(&three.t, &settings);
    assert_int_equal(sn_alloc_count(), before);
    assert_true(a.converged && a.newton > 2);
    assert_int_equal(a.cg, b.cg);
    assert_memory_equal(one.t.x, three.t.x, 4 * (size_t)one.t.n * sizeof *one.t.x);
    block_free(&one);
    block_free(&three);
}

/* Slabs that are worked on at the same time share no row. */
static void slabs_share_with_neighbours_only(void **state)
{
    (void)state;
    heavy_case();
    Block b;
    block_create(&b, large, true, 3, 1, 0);
    int32_t *last = SN_NEW_ARRAY(int32_t, b.t.n);
    for (int32_t slab = 0; slab < b.t.nslab; ++slab)
        for (int32_t lane = SN_OCTS * b.t.slab[slab]; lane < SN_OCTS * b.t.slab[slab + 1]; ++lane)
            for (int i = 0; b.t.lane_oct[lane] >= 0 && i < 6; ++i) {
                int32_t row[2];
                sn_lattice_rows(&b.t.lattice, b.t.lattice.oct_node[6 * b.t.lane_oct[lane] + i], row);
                for (int k = 0; k < 2; ++k) {
                    assert_true(last[row[k]] == 0 || slab + 1 - last[row[k]] <= 1);
                    last[row[k]] = slab + 1;
                }
            }
    sn_free(last);
    block_free(&b);
}

static void what_is_kept_stays_fine(void **state)
{
    (void)state;
    snSamples s = slab_create(20, 20, 20, 0.01);
    size_t n = (size_t)s.n[0] * (size_t)s.n[1] * (size_t)s.n[2];
    uint8_t *keep = SN_NEW_ARRAY(uint8_t, n);
    int32_t middle = s.n[0] / 2, many[2] = {0};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(sn_samples_grade(&s, 3, DEEP, k == 0 ? NULL : keep), SN_OK);
        for (size_t i = 0; i < n; ++i) many[k] += s.size[i] > 0;
        keep[slab_at(&s, middle, middle, middle)] = 1;
    }
    assert_true(many[0] > 1000 && many[1] < many[0]);
    for (int32_t by = -DEEP / 2 + 1; by < DEEP / 2; ++by)
        assert_int_equal(s.size[slab_at(&s, middle + by, middle - by, middle)], 0);
    sn_free(keep);
    sn_free(s.flag);
    sn_free(s.size);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    snSamples s = slab_create(9, 9, 9, 0.01);
    int64_t live = sn_alloc_live();
    for (int64_t n = 0;; ++n) {
        snTissue t;
        snError error = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_samples_grade(&s, 3, DEEP, NULL);
        snTissueDef def = slab_def(&s);
        bool graded = status == SN_OK;
        if (graded) status = sn_tissue_create(&def, &t, &error);
        sn_alloc_fail_after(-1);
        if (status == SN_OK) sn_tissue_free(&t);
        if (graded) sn_free(s.size), s.size = NULL;
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
    sn_free(s.flag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_of_all_sizes_fill_the_block),
        cmocka_unit_test(corners_hang_on_the_middle_of_edges),
        cmocka_unit_test(patch_test),
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(rest_is_that_of_uniform_cells),
        cmocka_unit_test(any_number_of_threads_gives_the_same),
        cmocka_unit_test(slabs_share_with_neighbours_only),
        cmocka_unit_test(what_is_kept_stays_fine),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
