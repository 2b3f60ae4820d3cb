/* Skins from sections: sound meshes with well-shaped triangles, fingers apart, webs joined, volumes as the sections
 * say. */
#include "check.h"

#include "author/skin_builder.h"
#include "author/skin_loft.h"
#include "author/skin_table.h"
#include "base/alloc.h"
#include "geom/bvh.h"

#include <string.h>

/* A mitten: a palm and two fingers a hair apart, with a nail on each. */
typedef struct {
    snSkinSection palm[3], finger[2][3];
    snSkinChain chain[3];
    snSkinNail nail[2];
    snSkinBuildDef def;
} Mitten;

static snSkinSection section(double x, double y, double breadth, double depth, int32_t body)
{
    return (snSkinSection){{x, y, 0}, {1, 0, 0}, {0, 0, 1}, breadth, depth, 2.4, 0, body, 0};
}

static void make_mitten(Mitten *m, int32_t triangles)
{
    memset(m, 0, sizeof *m);
    for (int i = 0; i < 3; ++i) m->palm[i] = section(0, -0.02 * i, 0.045, 0.03, 0);
    for (int f = 0; f < 2; ++f) {
        for (int i = 0; i < 3; ++i)
            m->finger[f][i] = section(f ? 0.0102 : -0.0102, -0.03 - 0.025 * i, 0.02 - 0.001 * i, 0.018, 1 + f);
        m->chain[1 + f] = (snSkinChain){.name = f ? "left" : "right",
                                        .nsection = 3,
                                        .section = m->finger[f],
                                        .start_cap = 0.01,
                                        .end_cap = 0.006,
                                        .fillet = 0.006,
                                        .group = 1,
                                        .edge = 0.7};
        m->nail[f] = (snSkinNail){1 + f, 2, 0.01, 0.012};
    }
    m->chain[0] = (snSkinChain){
        .name = "palm", .nsection = 3, .section = m->palm, .start_cap = 0.01, .flat_start = true, .end_cap = 0.01};
    m->def = sn_default_skin_build_def();
    m->def.nchain = 3, m->def.chain = m->chain, m->def.nnail = 2, m->def.nail = m->nail, m->def.triangles = triangles;
    m->def.gap = 0.002;
}

static void a_mitten_is_sound(void **state)
{
    (void)state;
    Mitten m;
    make_mitten(&m, 9000);
    snSkinBuild b = {0};
    assert_int_equal(sn_skin_build(&m.def, &b, NULL), SN_OK);
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(&b.mesh, true, &place), SN_OK);
    assert_int_equal(place.defect, SN_MESH_SOUND);
    assert_at_most(b.worst_aspect, 4);
    assert_near(b.mesh.ntriangle / 9000.0, 1, 0.15);
    snBvh *tree = sn_bvh_create(&b.mesh);
    assert_int_equal(sn_bvh_self_intersections(tree, NULL, 0), 0);
    /* the slit between the fingers is open, the web closed */
    for (double y = -0.055; y > -0.08; y -= 0.002) assert_false(sn_bvh_inside(tree, v3_of(0, y, 0)));
    assert_true(sn_bvh_inside(tree, v3_of(0, -0.046, 0)));
    for (int f = -1; f < 2; f += 2)
        for (double y = 0; y > -0.08; y -= 0.002) assert_true(sn_bvh_inside(tree, v3_of(0.0102 * f, y, 0)));
    double volume;
    sn_trimesh_integrals(&b.mesh, &volume, NULL, NULL);
    assert_true(volume < b.loft_volume && volume > 0.8 * b.loft_volume);
    double nails = 0;
    for (int32_t v = 0; v < b.mesh.nvertex; ++v) {
        v3 p = sn_trimesh_point(&b.mesh, v);
        if (p.y < -0.06) assert_int_equal(b.body[v], p.x > 0 ? 2 : 1);
        if (p.y > -0.01) assert_int_equal(b.chain[v], 0);
        if (b.nail[v] > 0) assert_true(p.y < -0.07 && p.z > 0);
        nails += b.nail[v];
    }
    assert_true(nails > 40);
    sn_bvh_destroy(tree);
    sn_skin_build_free(&b);
}

/* A loft of equal sections is a cylinder of known section between its caps, and its signed distance is exact. */
static void a_loft_has_the_sections_it_was_given(void **state)
{
    (void)state;
    snSkinSection s[3];
    for (int i = 0; i < 3; ++i) s[i] = section(0, -0.02 * i, 0.02, 0.02, 0), s[i].exponent = 2;
    snSkinChain chain = {.name = "tube", .nsection = 3, .section = s, .start_cap = 0.01, .end_cap = 0.01};
    snSkinLoft loft;
    assert_int_equal(sn_skin_loft_create(&chain, 0.0004, &loft, NULL), SN_OK);
    double volume;
    sn_trimesh_integrals(&loft.mesh, &volume, NULL, NULL);
    double expected = SN_PI * 1e-4 * 0.04 + 4 * SN_PI / 3 * 1e-6; /* a capsule */
    assert_near(volume / expected, 1, 0.02);
    for (double y = 0; y >= -0.04; y -= 0.004)
        for (double r = 0.001; r < 0.02; r += 0.003) {
            double d = sn_skin_loft_distance(&loft, v3_of(r * 0.6, y, r * 0.8), 1, NULL);
            assert_near(d, r - 0.01, 5e-5);
        }
    assert_near(sn_skin_loft_distance(&loft, v3_of(0, -0.02, 0), 0.004, NULL), -0.004, 0);
    assert_near(sn_skin_loft_distance(&loft, v3_of(0.5, -0.02, 0), 0.004, NULL), 0.004, 0);
    sn_skin_loft_free(&loft);
}

static void bad_sections_are_named(void **state)
{
    (void)state;
    Mitten m;
    snSkinBuild b = {0};
    snError error;
    make_mitten(&m, 2000);
    m.finger[1][2].depth = 0;
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.element, "left"));
    assert_non_null(strstr(error.message, "section 2"));
    make_mitten(&m, 2000), m.palm[1].ex = v3_of(0, 0, 1);
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    make_mitten(&m, 2000), m.palm[1].center = m.palm[0].center;
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    make_mitten(&m, 2000), m.palm[1].center.x = NAN;
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    make_mitten(&m, 2000), m.chain[2].nsection = 1;
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    make_mitten(&m, 2000), m.nail[0].section = 7;
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    make_mitten(&m, 2000), m.def.nchain = 0;
    assert_int_equal(sn_skin_build(&m.def, &b, &error), SN_BAD_INPUT);
    assert_null(b.mesh.vertex);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    Mitten m;
    make_mitten(&m, 300);
    m.def.spacing = 0.004;
    int64_t live = sn_alloc_live();
    for (int n = 0;; n += n < 40 ? 1 : 29) {
        snSkinBuild b = {0};
        sn_alloc_fail_after(n);
        snStatus status = sn_skin_build(&m.def, &b, NULL);
        sn_alloc_fail_after(-1);
        sn_skin_build_free(&b);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

/* The shipped hand, coarse enough to be quick. */
static void the_hand_is_sound(void **state)
{
    (void)state;
    heavy_case();
    snSkinTables tables;
    snError error;
    assert_int_equal(sn_skin_tables_load(&tables, SINEW_SOURCE_DIR "/models/hand", &error), SN_OK);
    assert_int_equal(tables.nchain, 6);
    assert_int_equal(tables.nnail, 5);
    snSkinBuildDef def = sn_default_skin_build_def();
    def.nchain = tables.nchain, def.chain = tables.chain, def.nnail = tables.nnail, def.nail = tables.nail,
    def.triangles = 20000;
    def.pool = sn_pool_create(2);
    snSkinBuild b = {0};
    assert_int_equal(sn_skin_build(&def, &b, &error), SN_OK);
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(&b.mesh, true, &place), SN_OK);
    assert_int_equal(place.defect, SN_MESH_SOUND);
    snBvh *tree = sn_bvh_create(&b.mesh);
    int32_t crossings = sn_bvh_self_intersections(tree, NULL, 0);
    double volume;
    sn_trimesh_integrals(&b.mesh, &volume, NULL, NULL);
    print_message("%d triangles, worst aspect ratio %.2f, %d crossings, %.0f ml (separate solids %.0f ml)\n",
                  (int)b.mesh.ntriangle, b.worst_aspect, (int)crossings, 1e6 * volume, 1e6 * b.loft_volume);
    assert_at_most(b.worst_aspect, 4);
    assert_int_equal(crossings, 0);
    assert_near(volume / b.loft_volume, 0.96, 0.03);
    /* every section's centre is inside, and its girth shows: the surface lies near the ends of its axes */
    for (int32_t i = 0; i < tables.nsection; ++i) assert_true(sn_bvh_inside(tree, tables.section[i].center));
    /* wrist girth (ANSUR II) by slicing the mesh is left to the eye; its breadth and depth are met */
    const snSkinSection *wrist = tables.section + 5;
    assert_near(sn_bvh_closest(tree, v3_mad(wrist->center, 0.5 * wrist->depth, wrist->ez), INFINITY).distance, 0, 1e-3);
    assert_near(sn_bvh_closest(tree, v3_mad(wrist->center, -0.5 * wrist->breadth, wrist->ex), INFINITY).distance, 0,
                1e-3);
    sn_bvh_destroy(tree);
    sn_skin_build_free(&b);
    sn_pool_destroy(def.pool);
    sn_skin_tables_free(&tables);
}

static void missing_tables_are_named(void **state)
{
    (void)state;
    snSkinTables tables;
    snError error;
    assert_int_equal(sn_skin_tables_load(&tables, SINEW_SOURCE_DIR "/no/such/folder", &error), SN_NO_FILE);
    assert_non_null(strstr(error.file, "skin_sections.tsv"));
    sn_skin_tables_free(&tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mitten_is_sound),        cmocka_unit_test(a_loft_has_the_sections_it_was_given),
        cmocka_unit_test(bad_sections_are_named),   cmocka_unit_test(the_hand_is_sound),
        cmocka_unit_test(missing_tables_are_named), cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
