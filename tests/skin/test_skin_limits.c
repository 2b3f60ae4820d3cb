/* The skin at its limits: bones that come through it, meshes and strands that are refused, memory that runs out. */
#include "fork.h"

#include "base/alloc.h"
#include "skin/own/skin.h"

/* ---- bones ---------------------------------------------------------------------------------------- */

enum { RINGS = 9, ANGLES = 12 };

/* A closed tube around the axis of the first finger, 5 mm in radius; the finger has 9 mm. */
static snTriMesh make_tube(void)
{
    double position[3 * RINGS * ANGLES];
    snTriMesh tube;
    for (int r = 0; r < RINGS; ++r)
        for (int a = 0; a < ANGLES; ++a) {
            v3 p = v3_lerp(finger[0][0], finger[0][1], (double)r / (RINGS - 1));
            double turn = 2 * SN_PI * a / ANGLES;
            v3_store(position + 3 * (ANGLES * r + a), v3_add(p, v3_of(0.005 * sin(turn), 0, 0.005 * cos(turn))));
        }
    assert_int_equal(sn_trimesh_loft(RINGS, ANGLES, position, NULL, NULL, &tube, NULL), SN_OK);
    return tube;
}

/* A bone that leaves its place by up to 9 mm, sideways and upwards: the skin stays outside, and elsewhere as it was. */
static void skin_stays_out_of_bones(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snTriMesh tube = make_tube();
    snMeshPlace place;
    assert_int_equal(sn_trimesh_check(&tube, true, &place), SN_OK);
    assert_int_equal(place.defect, SN_MESH_SOUND);
    snSkinBone bone[BODIES + 1];
    memcpy(bone, f.bone, sizeof f.bone);
    bone[BODIES] = (snSkinBone){2, tube.nvertex, tube.ntriangle, tube.vertex, tube.triangle};
    f.def.bone = bone, f.def.nbone = BODIES + 1;
    int32_t n = f.mesh.nvertex, *body = SN_NEW_ARRAY(int32_t, 4 * n);
    double *weight = SN_NEW_ARRAY(double, 4 * n);
    for (int32_t v = 0; v < n; ++v) weight[4 * v] = 1; /* all of the skin stays with the palm */
    f.def.weight_body = body, f.def.weight = weight;
    snSkin *skin = make_skin(&f);
    snBvh *tree = sn_bvh_create(&tube);
    double *vertex = SN_NEW_ARRAY(double, 3 * n), pose[7 * BODIES];
    sn_skin_deform(skin, f.rest, NULL, vertex, NULL);
    for (int32_t i = 0; i < 3 * n; ++i) assert_near(vertex[i], f.mesh.vertex[i], 1e-15);
    int64_t before = sn_alloc_count();
    for (int k = 0; k < 12; ++k) { /* to and fro, with jumps: what a vertex has seen before may not mislead it */
        v3 way = v3_scale(v3_of(sin(2.0 * k), 0, cos(2.0 * k)), 0.003 * (k % 4));
        memcpy(pose, f.rest, sizeof pose);
        v3_store(pose + 14, v3_add(v3_load(pose + 14), way));
        sn_skin_deform(skin, pose, f.point, vertex, NULL);
        int32_t moved = 0;
        for (int32_t v = 0; v < n; ++v) {
            v3 p = v3_load(vertex + 3 * v), base = v3_load(sn_skin_base(skin) + 3 * v);
            assert_false(sn_bvh_inside(tree, v3_sub(p, way)));
            moved += v3_dist(base, sn_trimesh_point(&f.mesh, v)) > 1e-6;
        }
        if (k % 4 == 0) assert_int_equal(moved, 0);
        if (k % 4 == 3) assert_true(moved > 50);
    }
    assert_int_equal(sn_alloc_count(), before);
    snSkin *fresh = make_skin(&f); /* a frame does not depend on the frames before it */
    double *first = SN_NEW_ARRAY(double, 3 * n);
    sn_skin_deform(fresh, pose, f.point, first, NULL);
    for (int32_t i = 0; i < 3 * n; ++i) assert_near(first[i], vertex[i], 1e-12);
    sn_free(first);
    sn_skin_destroy(fresh);
    sn_bvh_destroy(tree), sn_trimesh_free(&tube);
    sn_free(vertex), sn_free(body), sn_free(weight);
    sn_skin_destroy(skin);
}

/* ---- trouble -------------------------------------------------------------------------------------- */

static void bad_meshes_and_strands_are_refused(void **state)
{
    (void)state;
    Fork f;
    snSkin *skin = NULL;
    snError error;
    make_fork(&f);
    f.def.ntriangle -= 1;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "open"));
    make_fork(&f);
    f.def.ntriangle = 0;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    double *copy = SN_NEW_ARRAY(double, 3 * f.mesh.nvertex);
    memcpy(copy, f.mesh.vertex, sizeof(double) * 3 * (size_t)f.mesh.nvertex);
    copy[30] = NAN, f.def.vertex = copy;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "vertex 10"));
    sn_free(copy);
    make_fork(&f);
    f.def.nbone = 0;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    f.strand[2].npoint = 3;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    f.def.lateral = 0;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    make_fork(&f);
    f.point[40] = INFINITY;
    assert_int_equal(sn_skin_create(&f.def, &skin, &error), SN_BAD_INPUT);
    assert_null(skin);
}

/* What was kept of a skin makes an equal one, and vouches for no other mesh. */
static void what_was_kept_belongs_to_one_mesh(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    snSkin *first = make_skin(&f), *second = NULL;
    size_t size = 0;
    const void *bound = sn_skin_bound(first, &size);
    assert_non_null(bound);
    f.def.bound = bound, f.def.bound_size = size;
    second = make_skin(&f);
    int32_t n = 3 * f.mesh.nvertex;
    double *a = SN_NEW_ARRAY(double, n), *b = SN_NEW_ARRAY(double, n), pose[7 * BODIES];
    memcpy(pose, f.rest, sizeof pose);
    pose[7 * 1 + 2] -= 0.004, pose[7 * 2] += 0.006; /* one finger down, the other into it */
    sn_skin_deform(first, pose, f.point, a, NULL), sn_skin_deform(second, pose, f.point, b, NULL);
    assert_memory_equal(a, b, sizeof *a * (size_t)n);
    sn_skin_destroy(second), second = NULL;
    int32_t *triangle = SN_NEW_ARRAY(int32_t, 3 * f.mesh.ntriangle);
    memcpy(triangle, f.mesh.triangle, sizeof *triangle * 3 * (size_t)f.mesh.ntriangle);
    triangle[30] = f.mesh.nvertex + 7; /* of the same size, but a corner is out of range */
    f.def.triangle = triangle;
    assert_int_equal(sn_skin_create(&f.def, &second, NULL), SN_BAD_INPUT);
    assert_null(second);
    sn_free(triangle), sn_free(a), sn_free(b);
    sn_skin_destroy(first);
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    Fork f;
    make_fork(&f);
    /* a smaller skin: a tetrahedron around everything */
    double corner[12] = {-0.2, -0.2, -0.2, 0.4, -0.2, -0.2, -0.2, 0.4, -0.2, -0.2, -0.2, 0.4};
    int32_t face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    f.def.nvertex = f.def.ntriangle = 4, f.def.vertex = corner, f.def.triangle = face;
    double inner[12]; /* a bone in it */
    for (int i = 0; i < 12; ++i) inner[i] = 0.1 * corner[i];
    f.bone[0] = (snSkinBone){0, 4, 4, inner, face};
    int64_t live = sn_alloc_live();
    for (int n = 0;; ++n) {
        snSkin *skin = NULL;
        sn_alloc_fail_after(n);
        snStatus status = sn_skin_create(&f.def, &skin, NULL);
        sn_alloc_fail_after(-1);
        sn_skin_destroy(skin);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skin_stays_out_of_bones),
        cmocka_unit_test(bad_meshes_and_strands_are_refused),
        cmocka_unit_test(what_was_kept_belongs_to_one_mesh),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, make_mesh, free_mesh);
}
