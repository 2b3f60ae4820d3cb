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

enum { MOST_NODES = 2000 };

/* Search trees of the bones of a spec, made once each. */
typedef struct Bones {
    const snSpec *spec;
    snTriMesh mesh[MOST_NODES]; /* by node */
    snBvh *tree[MOST_NODES];
} Bones;

static Bones *bones_of(const snSpec *spec)
{
    Bones *bones = calloc(1, sizeof *bones);
    assert_non_null(bones);
    assert_true(sn_spec_count(spec, SN_KIND_NODE) < MOST_NODES);
    bones->spec = spec;
    return bones;
}

static void bones_free(Bones *bones)
{
    for (int i = 0; i < MOST_NODES; ++i) sn_bvh_destroy(bones->tree[i]);
    free(bones);
}

/* From a place to the nearest bone that hangs on the node of a body and whose name begins with prefix. */
static double to_bone(Bones *bones, const snShoulderBone *body, const char *prefix, v3 at)
{
    double least = INFINITY;
    snId node = sn_spec_find(bones->spec, SN_KIND_NODE, body->name);
    for (snId id = 1; id <= sn_spec_count(bones->spec, SN_KIND_NODE); ++id) {
        const snNodeDef *n = sn_spec_node(bones->spec, id);
        if (n->kind != SN_NODE_MESH || n->parent != node || strncmp(n->name, prefix, strlen(prefix)) != 0) continue;
        if (!bones->tree[id]) {
            bones->mesh[id] = mesh_of(n);
            bones->tree[id] = sn_bvh_create(&bones->mesh[id]);
        }
        assert_non_null(bones->tree[id]);
        least = fmin(least, sn_bvh_closest(bones->tree[id], rigid_unapply(body->frame, at), least).distance);
    }
    return least;
}

typedef struct ends {
    int n;
    double sum, most;
    const char *of;
} ends;

/* How far the origins or the insertions of muscles stand from the bones of the bodies that move, or of the others. */
static ends muscle_ends(Bones *bones, const snShoulder *s, bool insertions, bool moving)
{
    ends e = {.of = ""};
    for (int32_t i = 0; i < s->strand.count; ++i) {
        const snShoulderStrand *strand = &s->strand.at[i];
        const snShoulderBone *body = &s->bone.at[insertions ? strand->insertion : strand->origin];
        if (body->moving != moving || strand->part < 0) continue;
        double away = to_bone(bones, body, "", strand->at[insertions ? strand->npoint - 1 : 0]);
        e.sum += away, ++e.n;
        if (away > e.most) e.most = away, e.of = strand->name;
    }
    print_message("%d %s on %s: %.1f mm from the bones in the mean, at most %.1f mm (%s)\n", e.n,
                  insertions ? "insertions" : "origins", moving ? "bones that move" : "the thorax", 1e3 * e.sum / e.n,
                  1e3 * e.most, e.of);
    return e;
}

/* Muscles begin and end at bones that were drawn from other tables. Upper trapezius begins at the ligament of the neck,
 * which stands 1 to 2 cm behind the vertebrae. */
static void muscles_end_at_bones(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(true);
    snShoulder s = {0};
    assert_int_equal(sn_shoulder_read(&s, SHOULDER_TABLES, NULL), SN_OK);
    Bones *bones = bones_of(spec);
    ends thorax = muscle_ends(bones, &s, false, false), origins = muscle_ends(bones, &s, false, true),
         insertions = muscle_ends(bones, &s, true, true);
    assert_true(thorax.n > 50 && thorax.sum / thorax.n < 0.0035 && thorax.most < 0.017);
    assert_true(strncmp(thorax.of, "trapezius", 9) == 0);
    assert_true(origins.sum / origins.n < 0.0025 && origins.most < 0.007);
    assert_true(insertions.sum / insertions.n < 0.0025 && insertions.most < 0.010);
    assert_int_equal(thorax.n + origins.n, 120);
    assert_int_equal(insertions.n, 120);
    bones_free(bones);
    sn_shoulder_free(&s);
    sn_spec_destroy(spec);
}

/* The cartilages of another body's tables reach from the ribs to the sternum. */
static void cartilages_reach(void **state)
{
    (void)state;
    snSpec *spec = shoulder_spec(true);
    snShoulder s = {0};
    assert_int_equal(sn_shoulder_read(&s, SHOULDER_TABLES, NULL), SN_OK);
    assert_false(s.bone.at[0].moving);
    Bones *bones = bones_of(spec);
    for (int rib = 3; rib <= 5; ++rib) {
        char name[32];
        (void)snprintf(name, sizeof name, "cc%d_R_bone", rib);
        const snNodeDef *cartilage = sn_spec_node(spec, sn_spec_find(spec, SN_KIND_NODE, name));
        double to_rib = INFINITY, to_sternum = INFINITY;
        (void)snprintf(name, sizeof name, "rib%d_R_bone", rib);
        for (int32_t i = 0; i < cartilage->nvertex; ++i) {
            v3 at = rigid_apply(s.bone.at[0].frame, v3_load(cartilage->vertex + 3 * i));
            to_rib = fmin(to_rib, to_bone(bones, &s.bone.at[0], name, at));
            to_sternum = fmin(to_sternum, to_bone(bones, &s.bone.at[0], "sternum", at));
        }
        assert_true(to_rib < 0.002 && to_sternum < 0.002);
    }
    bones_free(bones);
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
        cmocka_unit_test(muscles_end_at_bones),
        cmocka_unit_test(cartilages_reach),
        cmocka_unit_test(hangs_still),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(missing_tables_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
