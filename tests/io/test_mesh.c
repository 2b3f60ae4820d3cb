#include "io_case.h"

#include "io/mesh_read.h"
#include "math/vec.h"

/* A closed tetrahedron with colours and coordinates that need all their digits. */
static snMesh tetrahedron(double *vertex, int32_t *triangle, double *color)
{
    uint32_t seed = 11;
    static const double corner[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t face[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    for (int i = 0; i < 12; ++i) {
        vertex[i] = corner[i] + 0.1 * noise(&seed);
        color[i] = (i * 20) / 255.0;
        triangle[i] = face[i];
    }
    return (snMesh){.nvertex = 4, .ntriangle = 4, .vertex = vertex, .triangle = triangle, .color = color};
}

static double volume(const snMesh *m)
{
    double sum = 0;
    for (int32_t i = 0; i < m->ntriangle; ++i) {
        const int32_t *t = m->triangle + 3 * i;
        v3 a = v3_load(m->vertex + 3 * t[0]), b = v3_load(m->vertex + 3 * t[1]), c = v3_load(m->vertex + 3 * t[2]);
        sum += v3_dot(a, v3_cross(b, c)) / 6;
    }
    return sum;
}

static void meshes_come_back(void **state)
{
    (void)state;
    double vertex[12], color[12];
    int32_t triangle[12];
    snMesh mesh = tetrahedron(vertex, triangle, color), back = {0};
    snError error;
    static const char *const exact[] = {"io_mesh.obj", "io_mesh.ply"};
    for (int i = 0; i < 2; ++i) {
        assert_ok(sn_save_mesh(&mesh, exact[i], &error), error);
        assert_ok(sn_load_mesh(exact[i], &back, &error), error);
        assert_int_equal(back.nvertex, 4);
        assert_int_equal(back.ntriangle, 4);
        assert_memory_equal(back.vertex, vertex, sizeof vertex);
        assert_memory_equal(back.triangle, triangle, sizeof triangle);
        for (int k = 0; k < 12; ++k) assert_near(back.color[k], color[k], 1e-15);
        sn_mesh_free(&back);
        unlink(exact[i]);
    }
    assert_ok(sn_save_mesh(&mesh, "io_mesh.stl", &error), error);
    assert_ok(sn_load_mesh("io_mesh.stl", &back, &error), error);
    assert_int_equal(back.nvertex, 4);
    assert_int_equal(back.ntriangle, 4);
    assert_null(back.color);
    assert_near(volume(&back), volume(&mesh), 1e-7);
    sn_mesh_free(&back);
    unlink("io_mesh.stl");
}

static void parse(const char *text, snMesh *mesh)
{
    snError error;
    snStatus (*reader)(const char *, const char *, size_t, snMesh *, snError *) =
        !strncmp(text, "ply", 3)     ? sn_parse_ply
        : !strncmp(text, "solid", 5) ? sn_parse_stl
                                     : sn_parse_obj;
    assert_ok(reader("text", text, strlen(text), mesh, &error), error);
}

static double area(const snMesh *m, v3 up)
{
    double sum = 0;
    for (int32_t i = 0; i < m->ntriangle; ++i) {
        const int32_t *t = m->triangle + 3 * i;
        v3 a = v3_load(m->vertex + 3 * t[0]), b = v3_load(m->vertex + 3 * t[1]), c = v3_load(m->vertex + 3 * t[2]);
        double twice = v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), up);
        assert_true(twice > 0); /* no triangle is turned over */
        sum += twice / 2;
    }
    return sum;
}

/* A concave polygon (an L, and a comb) keeps its area and the way round of its triangles. */
static void concave_polygons_are_split_right(void **state)
{
    (void)state;
    snMesh mesh = {0};
    parse("v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1/1 2/2/2 3//3 4 5 -1\n", &mesh);
    assert_int_equal(mesh.ntriangle, 4);
    assert_near(area(&mesh, v3_of(0, 0, 1)), 4, 1e-14);
    sn_mesh_free(&mesh);
    parse("v 0 0 0\nv 0 0 5\nv 0 4 5\nv 0 4 0\nv 0 3 0\nv 0 3 4\nv 0 2 4\nv 0 2 0\nv 0 1 0\nv 0 1 4\nv 0 0.5 4\nv 0 "
          "0.5 0\n"
          "f 12 11 10 9 8 7 6 5 4 3 2 1\n",
          &mesh);
    assert_int_equal(mesh.ntriangle, 10);
    assert_near(area(&mesh, v3_of(1, 0, 0)), 20 - 4 - 2, 1e-13);
    sn_mesh_free(&mesh);
}

static void reads_what_others_write(void **state)
{
    (void)state;
    snMesh mesh = {0};
    parse("ply\nformat ascii 1.0\ncomment made elsewhere\nelement vertex 4\nproperty float x\nproperty float y\n"
          "property float z\nproperty float nx\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n"
          "element camera 1\nproperty list uchar float v\nelement face 1\nproperty uchar flags\n"
          "property list uchar int vertex_index\nend_header\n0 0 0 9 255 0 51\n1 0 0 9 0 0 0\n1 1 0 9 0 0 0\n0 1 0 9 0 "
          "0 0\n"
          "2 7 8\n7 4 0 1 2 3\n",
          &mesh);
    assert_int_equal(mesh.ntriangle, 2);
    assert_near(mesh.color[0], 1, 1e-15);
    assert_near(mesh.color[2], 0.2, 1e-15);
    assert_near(area(&mesh, v3_of(0, 0, 1)), 1, 1e-14);
    sn_mesh_free(&mesh);
    parse(
        "solid two words\r\n FACET normal 0 0 1\r\n outer loop\r\n vertex 0 0 0\r\n vertex 1 0 0\r\n vertex 1 1 -0\r\n"
        " endloop\r\n endfacet\r\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 1 0\nvertex 0 1e0 0\nendloop\n"
        "endfacet\nendsolid two words\n",
        &mesh);
    assert_int_equal(mesh.nvertex, 4);
    assert_near(area(&mesh, v3_of(0, 0, 1)), 1, 1e-14);
    sn_mesh_free(&mesh);
}

static void big_endian_ply(void **state)
{
    (void)state;
    char text[400];
    int n = sprintf(text, "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty short y\n"
                          "property double z\nelement face 1\nproperty list uchar uint vertex_indices\nend_header\n");
    static const unsigned char data[] = {0x3f, 0x80, 0, 0, 0,    2,    0x40, 0x08, 0, 0, 0, 0, 0, 0, /* 1 2 3 */
                                         0,    0,    0, 0, 0xff, 0xff, 0,    0,    0, 0, 0, 0, 0, 0, /* 0 -1 0 */
                                         0,    0,    0, 0, 0,    0,    0,    0,    0, 0, 0, 0, 0, 0,
                                         3,    0,    0, 0, 0,    0,    0,    0,    1, 0, 0, 0, 2};
    memcpy(text + n, data, sizeof data);
    snMesh mesh = {0};
    snError error;
    assert_ok(sn_parse_ply("text", text, (size_t)n + sizeof data, &mesh, &error), error);
    assert_near(mesh.vertex[0], 1, 0);
    assert_near(mesh.vertex[1], 2, 0);
    assert_near(mesh.vertex[2], 3, 0);
    assert_near(mesh.vertex[4], -1, 0);
    sn_mesh_free(&mesh);
}

static void refuses_to_write_nonsense(void **state)
{
    (void)state;
    double vertex[12], color[12];
    int32_t triangle[12];
    snMesh mesh = tetrahedron(vertex, triangle, color);
    snError error;
    assert_int_equal(sn_save_mesh(&mesh, "io_mesh.xyz", &error), SN_BAD_INPUT);
    vertex[5] = NAN;
    assert_int_equal(sn_save_mesh(&mesh, "io_nonsense.obj", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "vertex 2 is not finite");
    vertex[5] = 0, triangle[3] = 4;
    assert_int_equal(sn_save_mesh(&mesh, "io_nonsense.obj", &error), SN_BAD_INPUT);
    assert_string_equal(error.message, "triangle 2 has a corner out of range");
    assert_int_equal(access("io_nonsense.obj", F_OK), -1);
    assert_int_equal(sn_load_mesh("no_such_file.obj", &mesh, &error), SN_NO_FILE);
}

static void survives_failing_allocations(void **state)
{
    (void)state;
    static const char *const text[] = {
        "v 0 0 0 1 1 1\nv 2 0 0 0 0 0\nv 2 1 0 0 0 0\nv 1 1 0 0 0 0\nv 1 3 0 0 0 0\nf 1 2 3 4 5\n",
        ("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n1 1 0\n3 0 1 2\n"),
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 -0\nendloop\nendfacet\n"};
    snStatus (*const reader[])(const char *, const char *, size_t, snMesh *, snError *) = {sn_parse_obj, sn_parse_ply,
                                                                                           sn_parse_stl};
    int64_t before = sn_alloc_live();
    for (int i = 0; i < 3; ++i) {
        snStatus status = SN_NO_MEMORY;
        for (int n = 0; status != SN_OK; ++n) {
            snMesh mesh = {0};
            snError error;
            sn_alloc_fail_after(n);
            status = reader[i]("text", text[i], strlen(text[i]), &mesh, &error);
            sn_alloc_fail_after(-1);
            assert_true(status == SN_OK || status == SN_NO_MEMORY);
            sn_mesh_free(&mesh);
            assert_int_equal(sn_alloc_live(), before);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_come_back),          cmocka_unit_test(concave_polygons_are_split_right),
        cmocka_unit_test(reads_what_others_write),   cmocka_unit_test(big_endian_ply),
        cmocka_unit_test(refuses_to_write_nonsense), cmocka_unit_test(survives_failing_allocations),
    };
    return cmocka_run_group_tests_name("io.mesh", tests, NULL, NULL);
}
