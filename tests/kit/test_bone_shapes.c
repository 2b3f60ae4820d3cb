/* Bones carved from tables: volumes against formulas, closed meshes, mirrored sides, and rows that are refused. */
#include "check.h"

#include "base/alloc.h"
#include "common/shape.h"
#include "geom/mesh.h"
#include "hand/hand.h"
#include "upper_body/upper_body_bone.h"

#include <stdio.h>
#include <string.h>

static const char *const heading = "body\tkind\tpoints\tsize\tblend\n";

static void write_table(const char *rows)
{
    FILE *file = fopen("bone_shapes.tsv", "w");
    assert_non_null(file);
    fprintf(file, "%s%s", heading, rows);
    fclose(file);
}

static bool find_x(void *context, const char *name, size_t length, v3 *at)
{
    (void)context;
    *at = v3_of(0.01, 0, 0);
    return length == 1 && name[0] == 'X';
}

static void read_rows(const char *rows, snFigures *t, snShape *shape)
{
    write_table(rows);
    assert_int_equal(sn_figures_load(t, ".", "bone_shapes.tsv"), SN_OK);
    for (int32_t i = 0; i < t->nrow; ++i) assert_true(sn_shape_read(shape, t, i, find_x, NULL));
}

static snTriMesh view(const snBoneMesh *m)
{
    return (snTriMesh){m->vertex.count / 3, m->triangle.count / 3, m->vertex.at, m->triangle.at};
}

static double volume_of(const snBoneMesh *m)
{
    snTriMesh mesh = view(m);
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(&mesh, true, &place), SN_OK);
    double sum = 0;
    for (int32_t t = 0; t < mesh.ntriangle; ++t)
        sum += v3_dot(sn_trimesh_corner(&mesh, t, 0),
                      v3_cross(sn_trimesh_corner(&mesh, t, 1), sn_trimesh_corner(&mesh, t, 2))) /
               6;
    return sum;
}

static double volume_of_rows(const char *rows)
{
    snFigures t = {0};
    snShape shape = {0};
    snBoneMesh mesh = {0};
    snError error = {0};
    read_rows(rows, &t, &shape);
    assert_int_equal(t.error.status, SN_OK);
    assert_int_equal(sn_shape_mesh(&shape, 0.0006, 0.0018, &mesh, &error), SN_OK);
    double volume = volume_of(&mesh);
    sn_bone_free(&mesh);
    sn_shape_free(&shape);
    sn_figures_free(&t);
    return volume;
}

static void volumes_are_those_of_the_solids(void **state)
{
    (void)state;
    const double egg = 4 * SN_PI / 3 * 10 * 14 * 8e-9, rod = SN_PI * 36 * 40e-9 + 4 * SN_PI / 3 * 216e-9;
    assert_near(volume_of_rows("a\tegg\t1,2,3\t10 14 8\t0\n"), egg, 0.03 * egg);
    assert_near(volume_of_rows("a\tegg\t1,2,3\t10 14 8 20 -30 50\t0\n"), egg, 0.03 * egg);
    assert_near(volume_of_rows("a\trod\tX X+0,40,0\t6\t0\n"), rod, 0.03 * rod);
    /* a slab: prism, half tubes along its edges, one ball at its corners together */
    const double slab = 0.5 * 30 * 40 * 8e-9 + 0.5 * SN_PI * 16 * (30 + 40 + 50) * 1e-9 + 4 * SN_PI / 3 * 64e-9;
    assert_near(volume_of_rows("a\tslab\t0,0,0 30,0,0 0,40,0\t4\t0\n"), slab, 0.03 * slab);
    /* half of the egg is cut away by a large ball whose surface is nearly flat there: a cap of height 10^2/2R is left
     * out */
    double half = volume_of_rows("a\tegg\t0,0,0\t10 10 10\t0\na\t-egg\t0,0,-400\t400 400 400\t0\n");
    assert_near(half, 2 * SN_PI / 3 * 1e-6, 0.03 * 2 * SN_PI / 3 * 1e-6);
    /* a fillet only adds */
    double plain = volume_of_rows("a\tegg\t0,0,0 14,0,0\t10 10 10\t0\n");
    double filled = volume_of_rows("a\tegg\t0,0,0\t10 10 10\t0\na\tegg\t14,0,0\t10 10 10\t6\n");
    assert_true(filled > 1.005 * plain && filled < 1.2 * plain);
}

static void wrong_rows_are_named(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"a\tball\t0,0,0\t1 1 1\t0\n", "unknown kind"},      {"a\trod\t0,0,0\t1\t0\n", "at least 2 points"},
        {"a\trod\t0,0,0 Y\t1\t0\n", "\"Y\" is not a place"}, {"a\tegg\t0,0,0\t1 1\t0\n", "size of egg"},
        {"a\trod\t0,0,0 X\t1 -1\t0\n", "size of rod"},       {"a\tslab\t0,0,0 X\t1\t0\n", "at least 3 points"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        snFigures t = {0};
        snShape shape = {0};
        read_rows(wrong[i][0], &t, &shape);
        assert_int_equal(t.error.status, SN_BAD_FILE);
        assert_non_null(strstr(t.error.message, wrong[i][1]));
        assert_int_equal(shape.piece.count, 0);
        sn_shape_free(&shape);
        sn_figures_free(&t);
    }
}

/* A bone of every kind is closed, and the left humerus is the mirror image of the right one. */
static void bones_of_the_body_are_closed(void **state)
{
    (void)state;
    heavy_case();
    static const char *const bone[] = {"skull", "mandible", "C1", "T5", "rib4_L", "cc6_10_R", "humerus_R", "humerus_L"};
    snUpperBodyDrawing drawing = {0};
    snError error = {0};
    double volume[8];
    assert_int_equal(sn_upper_body_drawing_load(&drawing, SINEW_SOURCE_DIR "/models/body", &error), SN_OK);
    for (int i = 0; i < 8; ++i) {
        snBoneMesh mesh = {0};
        assert_int_equal(sn_upper_body_bone(&drawing, bone[i], &mesh, &error), SN_OK);
        volume[i] = volume_of(&mesh);
        print_message("%s: %d triangles, %.1f cm3\n", bone[i], mesh.triangle.count / 3, 1e6 * volume[i]);
        assert_true(volume[i] > 0);
        sn_bone_free(&mesh);
    }
    assert_near(volume[7], volume[6], 1e-9 * volume[6]);
    sn_upper_body_drawing_free(&drawing);
}

/* Each bone of the hand is closed and near the joints that it belongs to. */
static void bones_of_the_hand_are_closed(void **state)
{
    (void)state;
    snHandDef def = sn_default_hand_def();
    snSpec *spec = NULL;
    snError error = {0};
    int32_t meshes = 0, triangles = 0;
    snHand hand = {0};
    def.tables = SINEW_SOURCE_DIR "/models/hand";
    assert_int_equal(sn_hand_read(&hand, def.tables, &error), SN_OK);
    spec = sn_spec_create();
    assert_int_equal(sn_hand_add_bones(&hand, &def, spec, &error), SN_OK);
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE); ++id) {
        const snNodeDef *node = sn_spec_node(spec, id);
        if (node->kind != SN_NODE_MESH) continue;
        snTriMesh mesh = {node->nvertex, node->ntriangle, (double *)node->vertex, (int32_t *)node->triangle};
        snMeshPlace place;
        assert_int_equal(sn_trimesh_check(&mesh, true, &place), SN_OK);
        ++meshes, triangles += mesh.ntriangle;
    }
    print_message("hand: %d bones, %d triangles\n", meshes, triangles);
    assert_int_equal(meshes, 30); /* 14 phalanges, 5 metacarpals, 8 carpals, radius, ulna, humerus */
    sn_spec_destroy(spec);
    sn_hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_those_of_the_solids),
        cmocka_unit_test(wrong_rows_are_named),
        cmocka_unit_test(bones_of_the_body_are_closed),
        cmocka_unit_test(bones_of_the_hand_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
