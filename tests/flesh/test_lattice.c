/* The lattice: what fills a box, cells shared by separate flesh, nested levels. */
#include "check.h"
#include "slab.h"

static void octahedra_fill_a_box(void **state)
{
    (void)state;
    snSamples s = slab_create(4, 3, 2, 0.01);
    snLattice l;
    assert_int_equal(sn_lattice_create(&s, 0, &l), SN_OK);
    /* faces between cubes and half faces on the rim: 3 per cube and one more layer on each side */
    assert_int_equal(l.noct, (5 * 3 * 2) + (4 * 4 * 2) + (4 * 3 * 3));
    /* corners of the cubes, their centres, and the centres just outside each outer face */
    assert_int_equal(l.nnode, 5 * 4 * 3 + 4 * 3 * 2 + 2 * (3 * 2 + 4 * 2 + 4 * 3));
    for (int32_t v = 0; v < s.n[0] * s.n[1] * s.n[2]; ++v)
        assert_int_equal(l.sample_oct[v] >= 0, (s.flag[v] & SN_SAMPLE_INSIDE) != 0);
    for (int32_t o = 1; o < l.noct; ++o) assert_true(l.oct_face[4 * o + 1 + l.axis] >= l.oct_face[4 * o - 3 + l.axis]);
    sn_lattice_free(&l);
    sn_free(s.flag);
}

static void weights_reproduce_points(void **state)
{
    (void)state;
    snSamples s = slab_create(3, 3, 3, 0.01);
    snLattice l;
    assert_int_equal(sn_lattice_create(&s, 0, &l), SN_OK);
    for (int32_t x = 8; x < s.n[0] - 8; ++x)
        for (int32_t y = 8; y < s.n[1] - 8; ++y)
            for (int32_t z = 8; z < s.n[2] - 8; ++z) {
                v3 p = sn_sample_point(&s, x, y, z), sum = {0};
                int32_t face[4], node[4], k = sn_lattice_locate(&l, 0, p, face),
                                          oct = l.sample_oct[slab_at(&s, x, y, z)];
                double w[4], total = 0;
                assert_memory_equal(face, l.oct_face + 4 * oct, sizeof face);
                sn_tet_weights(&l, face, k, p, w);
                sn_oct_tet(l.oct_node + 6 * oct, k, node);
                for (int i = 0; i < 4; ++i) {
                    assert_true(w[i] >= -1e-12);
                    sum = v3_mad(sum, w[i], sn_lattice_point(&l, node[i])), total += w[i];
                }
                assert_near(total, 1, 1e-12);
                assert_at_most(v3_dist(sum, p), 1e-14);
            }
    sn_lattice_free(&l);
    sn_free(s.flag);
}

/* Two fingers from a common palm, half a spacing apart: cells between them hold both. */
static snSamples fingers(void)
{
    snSamples s = slab_create(12, 5, 3, 0.01);
    for (int32_t x = 24; x < s.n[0]; ++x)
        for (int32_t y = 17; y < 19; ++y)
            for (int32_t z = 0; z < s.n[2]; ++z) s.flag[slab_at(&s, x, y, z)] = 0;
    for (int32_t i = 0; i < s.n[0] * s.n[1] * s.n[2]; ++i) s.flag[i] &= SN_SAMPLE_INSIDE;
    slab_link(&s);
    return s;
}

static void separate_flesh_has_nodes_of_its_own(void **state)
{
    (void)state;
    snSamples s = fingers();
    for (int32_t level = 0; level < 3; ++level) {
        snLattice l;
        assert_int_equal(sn_lattice_create(&s, level, &l), SN_OK);
        uint8_t *side = SN_NEW_ARRAY(uint8_t, l.nnode);
        for (int32_t x = 40; x < s.n[0]; ++x) /* far from the palm on every level */
            for (int32_t y = 0; y < s.n[1]; ++y)
                for (int32_t z = 0; z < s.n[2]; ++z) {
                    int32_t o = l.sample_oct[slab_at(&s, x, y, z)];
                    for (int i = 0; o >= 0 && i < 6; ++i)
                        if (l.node_at[3 * l.oct_node[6 * o + i]] * 2 << level > 40)
                            side[l.oct_node[6 * o + i]] |= y < 18 ? 1 : 2;
                }
        for (int32_t i = 0; i < l.nnode; ++i) assert_true(side[i] != 3);
        sn_free(side);
        sn_lattice_free(&l);
    }
    sn_free(s.flag);
}

static void fine_nodes_are_means_of_coarse_ones(void **state)
{
    (void)state;
    snSamples s = fingers();
    snLattice fine, coarse;
    int32_t off = 0;
    assert_int_equal(sn_lattice_create(&s, 0, &fine), SN_OK);
    assert_int_equal(sn_lattice_create(&s, 1, &coarse), SN_OK);
    int32_t *parent = SN_NEW_ARRAY(int32_t, 2 * fine.nnode);
    assert_int_equal(sn_lattice_parents(&s, &fine, &coarse, parent), SN_OK);
    for (int32_t i = 0; i < fine.nnode; ++i) {
        assert_true(parent[2 * i] >= 0 && parent[2 * i + 1] >= 0);
        v3 mean = v3_scale(
            v3_add(sn_lattice_point(&coarse, parent[2 * i]), sn_lattice_point(&coarse, parent[2 * i + 1])), 0.5);
        off += v3_dist(mean, sn_lattice_point(&fine, i)) > 1e-12; /* corners outside the material may lean on others */
    }
    assert_true(off * 5 < fine.nnode);
    sn_free(parent);
    sn_lattice_free(&fine);
    sn_lattice_free(&coarse);
    sn_free(s.flag);
}

static void parts_without_a_mark_go(void **state)
{
    (void)state;
    snSamples s = slab_create(6, 2, 2, 0.01);
    int32_t n = s.n[0] * s.n[1] * s.n[2], left = 0;
    uint8_t *mark = SN_NEW_ARRAY(uint8_t, n);
    for (int32_t y = 0; y < s.n[1]; ++y)
        for (int32_t z = 0; z < s.n[2]; ++z)
            s.flag[slab_at(&s, 20, y, z)] = 0, s.flag[slab_at(&s, 19, y, z)] &= (uint8_t)~1;
    mark[slab_at(&s, 10, 10, 10)] = 1;
    assert_int_equal(sn_samples_keep_marked(&s, mark), 1);
    for (int32_t i = 0; i < n; ++i) left += (s.flag[i] & SN_SAMPLE_INSIDE) != 0;
    assert_int_equal(left, 12 * 8 * 8);
    sn_free(mark);
    sn_free(s.flag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octahedra_fill_a_box),
        cmocka_unit_test(weights_reproduce_points),
        cmocka_unit_test(separate_flesh_has_nodes_of_its_own),
        cmocka_unit_test(fine_nodes_are_means_of_coarse_ones),
        cmocka_unit_test(parts_without_a_mark_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
