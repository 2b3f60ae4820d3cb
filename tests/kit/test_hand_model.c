/* The generated hand: counts, drawn exactly through its eyelets, settles, holds, and its mirror image is one. */
#include "forked_failures.h"
#include "geom/mesh.h"
#include "hand/hand.h"
#include "model/nodes.h"
#include "sinew/author.h"
#include "sinew/sim.h"

#include <string.h>

#define TABLES SINEW_SOURCE_DIR "/models/hand"

static snSpec *author(bool left, bool meshes)
{
    snHandDef def = sn_default_hand_def();
    def.tables = TABLES;
    def.left = left;
    def.meshes = meshes;
    snSpec *spec = NULL;
    snError error;
    char text[1024];
    if (sn_author_hand(&def, &spec, &error) != SN_OK) print_error("%s\n", sn_error_format(&error, text, sizeof text));
    assert_non_null(spec);
    return spec;
}

static snSpec *kept[2];

/* The right or left hand with meshes, made once for all tests. */
static const snSpec *whole(bool left)
{
    if (!kept[left]) kept[left] = author(left, true);
    return kept[left];
}

static int tear_down(void **state)
{
    (void)state;
    sn_spec_destroy(kept[0]);
    sn_spec_destroy(kept[1]);
    return 0;
}

/* Shapes of muscles, not bones. */
static bool is_belly(const snSpec *spec, const snNodeDef *node)
{
    return node->parent && !strcmp(sn_spec_node(spec, node->parent)->name, "bellies");
}

static void counts(void **state)
{
    (void)state;
    const snSpec *spec = whole(false);
    int moving = 0, meshes = 0, bellies = 0, surfaces = 0, on_strands = 0;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_BODY); ++id) moving += !sn_spec_body(spec, id)->pinned;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *n = sn_spec_node(spec, id);
        meshes += n->kind == SN_NODE_MESH && !is_belly(spec, n);
        bellies += n->kind == SN_NODE_MESH && is_belly(spec, n);
        surfaces += n->kind == SN_NODE_SHAPE && n->shape == SN_SHAPE_CYLINDER;
    }
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_CONSTRAINT); ++id) {
        const snConstraintDef *c = sn_spec_constraint(spec, id);
        on_strands += c->type == SN_CONSTRAINT_FIXED && sn_spec_find(spec, SN_KIND_STRAND, c->attachment) != 0;
    }
    assert_int_equal(moving, 17);
    assert_int_equal(sn_spec_count(spec, SN_KIND_BODY), 19);
    assert_int_equal(sn_spec_count(spec, SN_KIND_JOINT), 17);
    assert_int_equal(sn_spec_count(spec, SN_KIND_STRAND), 54);
    assert_int_equal(meshes, 30);  /* 27 bones of the hand, radius, ulna, humerus */
    assert_int_equal(bellies, 56); /* one for each strand, triceps, brachialis */
    assert_int_equal(surfaces, 9);
    assert_int_equal(on_strands, 4); /* lumbricals on the deep flexors */
}

/* Every bone is closed, manifold, outside out, and of reasonable size. */
static void check_bones(const snSpec *spec)
{
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *n = sn_spec_node(spec, id);
        if (n->kind != SN_NODE_MESH || is_belly(spec, n)) continue;
        snTriMesh mesh = {n->nvertex, n->ntriangle, (double *)(uintptr_t)n->vertex, (int32_t *)(uintptr_t)n->triangle};
        snError error;
        char text[1024];
        if (sn_trimesh_require(&mesh, true, n->name, &error) != SN_OK)
            fail_msg("%s", sn_error_format(&error, text, sizeof text));
        /* pisiform to radius: enough to look round, few enough for a page */
        assert_in_range(n->ntriangle, 250, 1500);
    }
}

static void bones_are_solid(void **state)
{
    (void)state;
    check_bones(whole(false));
}

static void bones_of_the_left_are_solid(void **state)
{
    (void)state;
    heavy_case();
    check_bones(whole(true));
}

static void no_problems(void **state)
{
    (void)state;
    const snSpec *spec = whole(false);
    snProblems problems = {0};
    snStatus status = sn_check(spec, &problems);
    char text[1024];
    for (int32_t i = 0; i < problems.count && i < 20; ++i)
        print_message("%s\n", sn_error_format(&problems.problem[i], text, sizeof text));
    assert_int_equal(status, SN_OK);
    assert_int_equal(problems.nerror, 0);
    sn_problems_free(&problems);
}

static snModel *compiled(const snSpec *spec)
{
    snModel *model = NULL;
    snError error;
    char text[1024];
    if (sn_compile(spec, &model, &error) != SN_OK) print_error("%s\n", sn_error_format(&error, text, sizeof text));
    assert_non_null(model);
    return model;
}

static snState *settled(const snModel *model)
{
    snSimDef def = sn_default_sim_def();
    def.threads = 1;
    snState *state = NULL;
    snError error;
    char text[1024];
    if (sn_state_create(model, &def, &state, &error) != SN_OK)
        print_error("%s\n", sn_error_format(&error, text, sizeof text));
    assert_non_null(state);
    return state;
}

/* Left alone with no activation the hand hangs where it was drawn, a few degrees relaxed, and stays there. */
static void settles_and_hangs(void **state)
{
    (void)state;
    snSpec *spec = author(false, false);
    snModel *model = compiled(spec);
    snState *s = settled(model);
    assert_at_most(sn_info(s)->worst_gap, 1e-5);
    snView q;
    assert_int_equal(sn_field(model, s, "joint.coordinate", &q), SN_OK);
    for (int i = 0; i < 250; ++i) assert_int_equal(sn_step(model, s), SN_OK);
    double last[64], moved = 0;
    memcpy(last, q.data, sizeof(double) * (size_t)q.rows);
    for (int i = 0; i < 50; ++i) assert_int_equal(sn_step(model, s), SN_OK);
    for (int32_t i = 0; i < q.rows; ++i) {
        assert_at_most(fabs(q.data[i]), 0.2);
        moved = fmax(moved, fabs(q.data[i] - last[i]));
    }
    assert_at_most(moved, 0.01);
    sn_state_destroy(s);
    sn_model_destroy(model);
    sn_spec_destroy(spec);
}

static v3 world_point(const snSpec *spec, snId node, const double *x)
{
    affine e = sn_node_world(spec, node);
    return affine_apply(&e, v3_load(x));
}

/* Every vertex, control point and frame origin of the left hand is the mirror image of the right hand's. */
static void left_is_the_mirror_image(void **state)
{
    (void)state;
    heavy_case();
    const snSpec *right = whole(false), *left = whole(true);
    assert_int_equal(sn_spec_count(right, SN_KIND_NODE), sn_spec_count(left, SN_KIND_NODE));
    double worst = 0;
    for (snId id = 1; id <= sn_spec_count(right, SN_KIND_NODE); ++id) {
        const snNodeDef *a = sn_spec_node(right, id), *b = sn_spec_node(left, id);
        const double zero[3] = {0}, *pa = zero, *pb = zero;
        int32_t n = 1;
        if (a->kind == SN_NODE_MESH) n = a->nvertex, pa = a->vertex, pb = b->vertex;
        if (a->kind == SN_NODE_CURVE) n = a->npoint, pa = a->point, pb = b->point;
        for (int32_t i = 0; i < n; ++i) {
            v3 x = world_point(right, id, pa + 3 * i), y = world_point(left, id, pb + 3 * i);
            worst = fmax(worst, v3_dist(v3_of(x.x, x.y, -x.z), y));
        }
    }
    assert_at_most(worst, 1e-12);
}

/* The same joint coordinates put both hands into mirrored poses. */
static void left_moves_as_the_right(void **state)
{
    (void)state;
    snSpec *spec[2] = {author(false, false), author(true, false)};
    snView position[2];
    snModel *model[2];
    snState *s[2];
    double q[32];
    for (int i = 0; i < 32; ++i) q[i] = 0.1 + 0.05 * (i % 7) - 0.1 * (i % 3);
    for (int side = 0; side < 2; ++side) {
        model[side] = compiled(spec[side]);
        s[side] = settled(model[side]);
        assert_int_equal(sn_pose(model[side], s[side], q), SN_OK);
        assert_int_equal(sn_field(model[side], s[side], "body.position", &position[side]), SN_OK);
    }
    for (int32_t i = 0; i < position[0].rows; ++i)
        for (int k = 0; k < 3; ++k)
            assert_near(position[0].data[3 * i + k], (k == 2 ? -1 : 1) * position[1].data[3 * i + k], 1e-9);
    for (int side = 0; side < 2; ++side) {
        sn_state_destroy(s[side]);
        sn_model_destroy(model[side]);
        sn_spec_destroy(spec[side]);
    }
}

static void bad_tables_are_named(void **state)
{
    (void)state;
    snHandDef def = sn_default_hand_def();
    snSpec *spec = NULL;
    snError error;
    def.tables = SINEW_SOURCE_DIR "/no/such/folder";
    assert_int_equal(sn_author_hand(&def, &spec, &error), SN_NO_FILE);
    assert_non_null(strstr(error.file, "bones.tsv"));
    assert_null(spec);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    heavy_case();
    snHandDef def = sn_default_hand_def();
    def.tables = TABLES;
    def.left = true;
    int64_t live = sn_alloc_live();
    snSpec *spec = NULL;
    snError error;
    forks_begin();
    snStatus status = sn_author_hand(&def, &spec, &error);
    if (forks_end()) forks_judge(status == SN_NO_MEMORY && !spec && sn_alloc_live() == live);
    print_message("%d allocations made to fail\n", forks.made);
    assert_int_equal(status, SN_OK);
    assert_int_equal(forks.bad, 0);
    assert_true(forks.made > 1000);
    sn_spec_destroy(spec);
    assert_int_equal(sn_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts),
        cmocka_unit_test(bones_are_solid),
        cmocka_unit_test(bones_of_the_left_are_solid),
        cmocka_unit_test(no_problems),
        cmocka_unit_test(settles_and_hangs),
        cmocka_unit_test(left_is_the_mirror_image),
        cmocka_unit_test(left_moves_as_the_right),
        cmocka_unit_test(bad_tables_are_named),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
