/* The generated shoulder: counts, soundness, and that it hangs still in the pose in which it is drawn.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "shoulder_case.h"

#include "base/alloc.h"
#include "geom/bvh.h"
#include "geom/mesh.h"

static void counts(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(false);
    int muscle = 0, ligament = 0, moving = 0;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_STRAND); ++id) {
        const snStrandDef *s = sn_spec_strand(spec, id);
        if (!s->enabled) continue;
        if (s->belly_end > s->belly_start)
            ++muscle;
        else
            ++ligament;
    }
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_BODY); ++id) moving += !sn_spec_body(spec, id)->pinned;
    assert_int_equal(muscle, 120);
    assert_int_equal(ligament, 12);
    assert_int_equal(moving, 3);
    assert_int_equal(sn_spec_count(spec, SN_KIND_BODY), 4);
    assert_int_equal(sn_spec_count(spec, SN_KIND_FUNCTION), 12);
    assert_int_equal(sn_spec_count(spec, SN_KIND_JOINT), 3);
    for (snId id = 1; id <= 3; ++id) assert_int_equal(sn_spec_joint(spec, id)->type, SN_JOINT_TYPE_BALL);
    sn_spec_destroy(spec);
}

static snTriMesh mesh_of(const snNodeDef *n)
{
    return (snTriMesh){n->nvertex, n->ntriangle, (double *)(uintptr_t)n->vertex, (int32_t *)(uintptr_t)n->triangle};
}

static void bones_are_solid(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(true);
    int bones = 0, triangles = 0;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *n = sn_spec_node(spec, id);
        if (n->kind != SN_NODE_MESH) continue;
        snTriMesh mesh = mesh_of(n);
        snError error;
        char text[1024];
        if (sn_trimesh_require(&mesh, true, n->name, &error) != SN_OK)
            fail_msg("%s", sn_error_format(&error, text, sizeof text));
        if (strstr(n->name, "_bone")) ++bones, triangles += n->ntriangle;
    }
    print_message("%d bones and cartilages, %d triangles\n", bones, triangles);
    assert_int_equal(bones, 59); /* 3 that move, 24 vertebrae, 20 ribs, 8 cartilages, skull, jaw, sternum, pelvis */
    sn_spec_destroy(spec);
}

/* From a place in the frame of the thorax, which is that of the tables, to the nearest of its bones. */
static double to_bone(const snSpec *spec, const char *prefix, v3 at)
{
    double least = INFINITY;
    snId thorax = sn_spec_find(spec, SN_KIND_NODE, "thorax");
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *n = sn_spec_node(spec, id);
        if (n->kind != SN_NODE_MESH || n->parent != thorax || strncmp(n->name, prefix, strlen(prefix)) != 0) continue;
        snTriMesh mesh = mesh_of(n);
        snBvh *tree = sn_bvh_create(&mesh);
        assert_non_null(tree);
        least = fmin(least, sn_bvh_closest(tree, at, least).distance);
        sn_bvh_destroy(tree);
    }
    return least;
}

/* The bones of another body's tables stand where the muscles of this one begin, and its cartilages reach from the ribs
 * to the sternum. */
static void thorax_fits_the_muscles(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(true);
    snShoulder s = {0};
    double sum = 0, most = 0;
    int n = 0;
    assert_int_equal(sn_shoulder_read(&s, SHOULDER_TABLES, NULL), SN_OK);
    for (int32_t i = 0; i < s.strand.count; ++i) {
        const snShoulderStrand *strand = &s.strand.at[i];
        if (s.bone.at[strand->origin].moving) continue;
        double away = to_bone(spec, "", strand->at[0]);
        sum += away, most = fmax(most, away), ++n;
    }
    print_message("%d origins on the thorax: %.1f mm from its bones in the mean, at most %.1f mm\n", n, 1e3 * sum / n,
                  1e3 * most);
    assert_true(n > 50 && sum / n < 0.008 && most < 0.025);
    for (int rib = 3; rib <= 5; ++rib) {
        char name[32];
        (void)snprintf(name, sizeof name, "cc%d_R_bone", rib);
        const snNodeDef *cartilage = sn_spec_node(spec, sn_spec_find(spec, SN_KIND_NODE, name));
        double to_rib = INFINITY, to_sternum = INFINITY;
        (void)snprintf(name, sizeof name, "rib%d_R_bone", rib);
        for (int32_t i = 0; i < cartilage->nvertex; ++i) {
            to_rib = fmin(to_rib, to_bone(spec, name, v3_load(cartilage->vertex + 3 * i)));
            to_sternum = fmin(to_sternum, to_bone(spec, "sternum", v3_load(cartilage->vertex + 3 * i)));
        }
        assert_true(to_rib < 0.002 && to_sternum < 0.002);
    }
    sn_shoulder_free(&s);
    sn_spec_destroy(spec);
}

/* Over a second at rest no bone moves by more than half a millimetre. */
static void hangs_still(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(false);
    snModel *model = NULL;
    snState *s = NULL;
    snError error;
    snSimDef def = sn_default_sim_def();
    def.threads = 1;
    assert_int_equal(sn_compile(spec, &model, &error), SN_OK);
    assert_int_equal(sn_state_create(model, &def, &s, &error), SN_OK);
    snView view;
    assert_int_equal(sn_field(model, s, "joint.coordinate", &view), SN_OK);
    for (int i = 0; i < 250; ++i) {
        assert_int_equal(sn_step(model, s), SN_OK);
        for (int32_t k = 0; k < view.rows; ++k) assert_near(view.data[k], 0, 0.1 * 0.0174533);
    }
    sn_state_destroy(s);
    sn_model_destroy(model);
    sn_spec_destroy(spec);
}

/* Without bone meshes and calibration, which only take longer: both are made of parts that have this test of their own.
 */
static void allocations_may_fail(void **state)
{
    (void)state;
    snShoulderDef def = sn_default_shoulder_def();
    def.tables = SHOULDER_TABLES, def.meshes = false, def.calibrate = false;
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int64_t n = 0; status != SN_OK; n += 1 + n / 4) {
        snSpec *spec = NULL;
        snError error;
        sn_alloc_fail_after(n);
        status = sn_author_shoulder(&def, &spec, &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_spec_destroy(spec);
        assert_int_equal(sn_alloc_live(), live);
    }
}

static void missing_tables_are_named(void **state)
{
    (void)state;
    snShoulderDef def = sn_default_shoulder_def();
    def.tables = SINEW_SOURCE_DIR "/models/hand"; /* has bones.tsv, but not this one's columns */
    snSpec *spec = NULL;
    snError error;
    char text[1024];
    assert_int_equal(sn_author_shoulder(&def, &spec, &error), SN_BAD_FILE);
    assert_non_null(strstr(sn_error_format(&error, text, sizeof text), "bones.tsv"));
    def.tables = SINEW_SOURCE_DIR "/models/none";
    assert_int_equal(sn_author_shoulder(&def, &spec, &error), SN_NO_FILE);
    assert_null(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(bones_are_solid),
        cmocka_unit_test(thorax_fits_the_muscles),
        cmocka_unit_test(hangs_still),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(missing_tables_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
