/* The generated shoulder: counts, soundness, and that it hangs still in the pose in which it is drawn.
 * Heavy: minutes under a sanitizer, which sees the same code in shorter tests. */
#include "shoulder_case.h"

#include "base/alloc.h"
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

static void bones_are_solid(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(true);
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *n = sn_spec_node(spec, id);
        if (n->kind != SN_NODE_MESH) continue;
        snTriMesh mesh = {n->nvertex, n->ntriangle, (double *)(uintptr_t)n->vertex, (int32_t *)(uintptr_t)n->triangle};
        snError error;
        char text[1024];
        if (sn_trimesh_require(&mesh, true, n->name, &error) != SN_OK)
            fail_msg("%s", sn_error_format(&error, text, sizeof text));
    }
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
        cmocka_unit_test(hangs_still),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(missing_tables_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
