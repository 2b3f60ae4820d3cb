/* The meshes of the shoulder's muscles: one for each part, closed, oriented
 * outwards, not crossing themselves, with the volume of the fibres, and the strands of the part inside. */
#include "check.h"
#include "geom/bvh.h"
#include "math/spline.h"
#include "shoulder/shoulder.h"

#include <stdio.h>
#include <string.h>

#define TABLES SINEW_SOURCE_DIR "/models/shoulder"

/* How far a strand may stick out of its mesh, m: few triangles have long chords. Two parts do worse: two strands of
 * subscapularis lie beside its sheet, and latissimus is thin where it bends over the lowest ribs. */
static double allowed(const snShoulderPart *p)
{
    if (strcmp(p->name, "latissimus_dorsi") == 0) return 6.5e-3;
    return strcmp(p->name, "subscapularis") == 0 ? 3.5e-3 : 1.0e-3;
}

typedef struct Case {
    snShoulder tables;
    snSpec *spec;
} Case;

static int set_up(void **state)
{
    Case *c = test_calloc(1, sizeof *c);
    snShoulderDef def = sn_default_shoulder_def();
    snError error;
    char text[1024];
    def.tables = TABLES, def.calibrate = false;
    *state = c;
    if (sn_author_shoulder(&def, &c->spec, &error) != SN_OK)
        print_error("%s\n", sn_error_format(&error, text, sizeof text));
    assert_non_null(c->spec);
    assert_int_equal(sn_shoulder_read(&c->tables, TABLES, &error), SN_OK);
    return 0;
}

static int tear_down(void **state)
{
    Case *c = *state;
    sn_shoulder_free(&c->tables);
    sn_spec_destroy(c->spec);
    test_free(c);
    return 0;
}

/* The mesh of a part. */
static snTriMesh mesh_of(const Case *c, const snShoulderPart *p)
{
    char name[SN_SHOULDER_NAME + 8];
    snprintf(name, sizeof name, "%s_muscle", p->name);
    snId id = sn_spec_find(c->spec, SN_KIND_NODE, name);
    assert_true(id > 0);
    const snNodeDef *n = sn_spec_node(c->spec, id);
    assert_int_equal(n->kind, SN_NODE_MESH);
    assert_false(n->visible);
    return (snTriMesh){n->nvertex, n->ntriangle, (double *)(uintptr_t)n->vertex, (int32_t *)(uintptr_t)n->triangle};
}

/* Every muscle has its mesh: closed, oriented outwards, few triangles, no crossings with itself. */
static void are_sound(void **state)
{
    const Case *c = *state;
    int32_t triangles = 0, total = 0;
    for (int32_t i = 0; i < c->tables.part.count; ++i) {
        const snShoulderPart *p = &c->tables.part.at[i];
        snTriMesh mesh = mesh_of(c, p);
        snMeshPlace place;
        assert_int_equal(sn_trimesh_check(&mesh, true, &place), SN_OK);
        assert_int_equal(place.defect, SN_MESH_SOUND);
        snBvh *tree = sn_bvh_create(&mesh);
        assert_non_null(tree);
        int32_t pair[2] = {-1, -1}, crossings = sn_bvh_self_intersections(tree, pair, 1);
        if (crossings) print_error("%s: %d crossings, first triangles %d, %d\n", p->name, crossings, pair[0], pair[1]);
        total += crossings;
        sn_bvh_destroy(tree);
        assert_true(mesh.ntriangle < SN_SHOULDER_MUSCLE_TRIANGLES);
        triangles += mesh.ntriangle;
    }
    print_message("%d triangles in the meshes\n", triangles);
    assert_int_equal(total, 0);
}

/* Cross-section times fibre length, or times the path where that is shorter. */
static double fibre_volume(const Case *c, const snShoulderPart *p)
{
    double volume = 0;
    for (int32_t i = 0; i < p->nstrand; ++i) {
        double length = sn_shoulder_path_length(&c->tables.strand.at[p->first + i]);
        volume += p->area / p->nstrand * fmin(p->fiber_length, length);
    }
    return volume;
}

static void have_the_volume_of_their_fibres(void **state)
{
    const Case *c = *state;
    double worst = 0;
    for (int32_t i = 0; i < c->tables.part.count; ++i) {
        const snShoulderPart *p = &c->tables.part.at[i];
        snTriMesh mesh = mesh_of(c, p);
        double volume, fibres = fibre_volume(c, p);
        sn_trimesh_integrals(&mesh, &volume, NULL, NULL);
        assert_true(volume > 0);
        print_message("%-30s %6.1f cm3, over that of its fibres %.3f\n", p->name, 1e6 * volume, volume / fibres);
        worst = fmax(worst, fabs(volume / fibres - 1));
    }
    assert_true(worst < 0.01);
}

static v3 on_curve(const snNodeDef *node, double t)
{
    double knot[68], b[4];
    int32_t n = node->npoint, spans = n - 3;
    assert_true(n <= 64);
    for (int32_t i = 0; i < n + 4; ++i) knot[i] = fmin(fmax(i - 3, 0), spans) / (double)spans;
    int32_t span = spline_basis(knot, n, t, 0, b, NULL, NULL);
    v3 at = v3_of(0, 0, 0);
    for (int k = 0; k < 4; ++k) at = v3_mad(at, b[k], v3_load(node->point + 3 * (span + k)));
    return at;
}

/* Furthest that the strands of a group are outside, m. */
static double stick_out(const Case *c, const snBvh *tree, const snMeshSide *side, const char *strands)
{
    char names[1024], *rest = NULL;
    double worst = -1;
    assert_true(strlen(strands) < sizeof names);
    strcpy(names, strands);
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        snId id = sn_spec_find(c->spec, SN_KIND_NODE, name);
        assert_true(id > 0);
        for (int k = 0; k <= 100; ++k) {
            snMeshHit hit;
            v3 at = on_curve(sn_spec_node(c->spec, id), k / 100.0);
            worst = fmax(worst, sn_bvh_signed_distance(tree, side, at, 1, &hit));
        }
    }
    return worst;
}

static void strands_lie_inside(void **state)
{
    const Case *c = *state;
    int failed = 0;
    for (snId id = 1; id <= sn_spec_count(c->spec, SN_KIND_GROUP); ++id) {
        const snShoulderPart *p = &c->tables.part.at[id - 1];
        const snGroupDef *group = sn_spec_group(c->spec, id);
        assert_string_equal(group->name, p->name);
        snTriMesh mesh = mesh_of(c, p);
        snMeshSide side;
        snBvh *tree = sn_bvh_create(&mesh);
        assert_true(tree && sn_mesh_side_create(&mesh, &side));
        double out = stick_out(c, tree, &side, group->strands);
        if (out > 0.5e-3) print_message("%s sticks out of its mesh by %.2f mm\n", p->name, 1000 * out);
        if (out > allowed(p)) ++failed;
        sn_mesh_side_free(&side);
        sn_bvh_destroy(tree);
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_sound),
        cmocka_unit_test(have_the_volume_of_their_fibres),
        cmocka_unit_test(strands_lie_inside),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
