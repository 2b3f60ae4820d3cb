/* A mesh of a model filled with strands: nodes with scales, several inputs, groups and functions that named the inputs,
 * and every allocation failing. */
#include "check.h"

#include "author/muscle_shapes.h"
#include "base/alloc.h"
#include "sinew/spec.h"

#include <string.h>

/* A muscle's mesh and strands in a scene in mm, the mesh mirrored in x by its node: the shapes are symmetric. */
static snSpec *make_model(ShapeKind kind, const char *function_muscles)
{
    static Shape shape;
    shape_make(&shape, kind);
    snSpec *spec = sn_spec_create();
    snSceneDef scene = sn_default_scene_def();
    scene.units = SN_UNITS_MM;
    sn_set_scene(spec, &scene);
    snNodeDef node = sn_default_node_def();
    node.name = "muscle", node.kind = SN_NODE_MESH;
    node.nvertex = shape.tri.nvertex, node.vertex = shape.tri.vertex;
    node.ntriangle = shape.tri.ntriangle, node.triangle = shape.tri.triangle;
    node.scale[0] = -1000, node.scale[1] = node.scale[2] = 1000;
    sn_add_node(spec, &node, NULL);
    for (int32_t i = 0; i < shape.ninput; ++i) {
        node = sn_default_node_def();
        node.name = shape.input[i].name, node.kind = SN_NODE_CURVE, node.degree = 3;
        node.scale[0] = node.scale[1] = node.scale[2] = 500;
        static double point[3 * SHAPE_POSITIONS];
        for (int j = 0; j < 3 * SHAPE_POSITIONS; ++j) point[j] = 2 * shape.position[i][j];
        node.npoint = SHAPE_POSITIONS, node.point = point;
        sn_add_node(spec, &node, NULL);
        snStrandDef strand = sn_default_strand_def();
        strand.name = shape.input[i].name, strand.max_force = 60;
        sn_add_strand(spec, &strand, NULL);
    }
    snGroupDef group = sn_default_group_def();
    group.name = "all", group.strands = shape.ninput > 1 ? "front middle back" : "front";
    sn_add_group(spec, &group, NULL);
    snFunctionDef function = sn_default_function_def();
    double level = 0.5;
    function.name = "lift", function.muscles = function_muscles, function.nlevel = 1, function.level = &level;
    sn_add_function(spec, &function, NULL);
    shape_free(&shape);
    return spec;
}

static snFillDef fill_def(const char *strands, int32_t count)
{
    snFillDef def = sn_default_fill_def();
    def.mesh = "muscle", def.strands = strands, def.group = "all";
    def.fill.count = count, def.fill.samples = 8, def.fill.control_points = 6;
    return def;
}

static void three_heads_become_one_group(void **state)
{
    (void)state;
    snSpec *spec = make_model(DELTOID, "all"), *filled = NULL;
    snFillDef def = fill_def("front middle back", 9);
    snFillReport report;
    snError error = {0};
    assert_int_equal(sn_fill_muscle(spec, &def, (snProgress){0}, &filled, &report, &error), SN_OK);
    assert_int_equal(report.strands, 9);
    assert_at_most(report.quality.outside, 0.2e-3);
    assert_int_equal(sn_spec_count(filled, SN_KIND_STRAND), 12);
    assert_int_equal(sn_spec_count(filled, SN_KIND_GROUP), 1); /* it takes the place of the old one */
    assert_string_equal(sn_spec_group(filled, 1)->name, "all");
    assert_string_equal(sn_spec_function(filled, 1)->muscles, "all");
    double area = 0, force = 0;
    for (snId id = 1; id <= 12; ++id) {
        const snStrandDef *strand = sn_spec_strand(filled, id);
        assert_int_equal(strand->enabled, id > 3);
        if (!strand->enabled) continue;
        area += SN_PI * strand->radius * strand->radius, force += strand->max_force;
        /* the curve is in the scale of its input's node, and begins near the top of the muscle */
        const snNodeDef *node = sn_spec_node(filled, sn_spec_find(filled, SN_KIND_NODE, strand->name));
        assert_near(node->scale[0], 500, 0);
        assert_int_equal(node->npoint, 6);
        assert_near(node->point[1] / 2, 0, 0.01);
        assert_near(node->point[3 * 5 + 1] / 2, -0.16, 0.01);
    }
    assert_near(area, report.muscle.cross_section, 1e-12);
    assert_near(force, 180, 1e-9);
    sn_spec_destroy(filled);
    sn_spec_destroy(spec);
}

static void heads_of_a_function_are_not_thrown_together(void **state)
{
    (void)state;
    snSpec *spec = make_model(DELTOID, "middle"), *filled = NULL;
    snFillDef def = fill_def("front middle", 9);
    snError error = {0};
    assert_int_equal(sn_fill_muscle(spec, &def, (snProgress){0}, &filled, NULL, &error), SN_BAD_INPUT);
    assert_null(filled);
    def.group = "new";
    assert_int_equal(sn_fill_muscle(spec, &def, (snProgress){0}, &filled, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "lift"));
    assert_true(error.remedy[0]);
    def.strands = "front front";
    assert_int_equal(sn_fill_muscle(spec, &def, (snProgress){0}, &filled, NULL, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "twice"));
    sn_spec_destroy(spec);
}

/* Counts its calls, tunes at the third and answers at the last. */
typedef struct {
    int32_t calls, last;
    snFillAnswer answer;
    double moved;
} Watcher;

static snFillAnswer look(void *user, snAutoStrands *strands, int32_t step, double moved)
{
    Watcher *w = user;
    assert_int_equal(step, w->calls++);
    assert_true(step == 0 ? moved > 1e300 : moved < 1e300);
    if (step == 3) assert_int_equal(sn_autostrands_tune(strands, 1, 2, 5, NULL), SN_OK);
    w->moved = moved;
    return step == w->last ? w->answer : SN_FILL_STEP;
}

static void a_watcher_decides_when_it_is_done(void **state)
{
    (void)state;
    snSpec *spec = make_model(SHEET, "front"), *filled = NULL;
    snFillDef def = fill_def("front", 5);
    Watcher watcher = {.last = 150, .answer = SN_FILL_FINISH};
    def.watch = look, def.watch_user = &watcher, def.steps = 1; /* goes on behind convergence, and behind steps */
    snFillReport report;
    snError error = {0};
    assert_int_equal(sn_fill_muscle(spec, &def, (snProgress){0}, &filled, &report, &error), SN_OK);
    assert_int_equal(report.steps, 150);
    assert_at_most(watcher.moved, SN_AUTOSTRANDS_CONVERGED);
    assert_int_equal(sn_spec_node(filled, sn_spec_find(filled, SN_KIND_NODE, "all_1"))->npoint, 5);
    sn_spec_destroy(filled);
    watcher = (Watcher){.last = 2, .answer = SN_FILL_GIVE_UP};
    filled = NULL;
    assert_int_equal(sn_fill_muscle(spec, &def, (snProgress){0}, &filled, &report, &error), SN_CANCELLED);
    assert_null(filled);
    assert_int_equal(watcher.calls, 3);
    sn_spec_destroy(spec);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    snSpec *spec = make_model(SHEET, "front");
    snFillDef def = fill_def("front", 2);
    def.fill.samples = def.fill.control_points = 4, def.steps = 1;
    int64_t live = sn_alloc_live();
    snStatus status = SN_NO_MEMORY;
    for (int64_t n = 0; status != SN_OK; n += n < 10 ? 1 : 7) {
        snSpec *filled = NULL;
        sn_alloc_fail_after(n);
        status = sn_fill_muscle(spec, &def, (snProgress){0}, &filled, NULL, NULL);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        if (status == SN_OK) assert_string_equal(sn_spec_function(filled, 1)->muscles, "all");
        sn_spec_destroy(filled);
        assert_int_equal(sn_alloc_live(), live);
    }
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_heads_become_one_group),
        cmocka_unit_test(heads_of_a_function_are_not_thrown_together),
        cmocka_unit_test(a_watcher_decides_when_it_is_done),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
