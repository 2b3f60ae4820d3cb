/* The scenes are what they say: counts, names, lengths. That they run is the business of tests/sim and tests/cli. */
#include "check.h"

#include "build.h"
#include "scenes.h"

#include <string.h>

static void every_scene_is_made(void **state)
{
    (void)state;
    int count = 0;
    for (const snSceneInfo *info; (info = sn_scene_info(count)) != NULL; ++count) {
        snSpec *spec = sn_scene(info->name);
        assert_non_null(spec);
        assert_true(sn_spec_count(spec, SN_KIND_BODY) > 0);
        sn_spec_destroy(spec);
    }
    assert_int_equal(count, 12);
    assert_null(sn_scene("no such scene"));
    assert_null(sn_scene_info(-1));
}

static void count_hand(const char *name, int32_t times)
{
    snSpec *spec = sn_scene(name);
    assert_non_null(spec);
    int32_t moving = 0, bodies = sn_spec_count(spec, SN_KIND_BODY);
    for (snId id = 1; id <= bodies; ++id) moving += !sn_spec_body(spec, id)->pinned;
    assert_int_equal(moving, 17 * times);
    assert_int_equal(sn_spec_count(spec, SN_KIND_JOINT), 17 * times);
    assert_int_equal(sn_spec_count(spec, SN_KIND_STRAND), 54 * times);
    for (snId id = 1; id <= 54 * times; ++id) {
        const snStrandDef *strand = sn_spec_strand(spec, id);
        snId node = sn_spec_find(spec, SN_KIND_NODE, strand->name);
        int32_t npoint = node ? sn_spec_node(spec, node)->npoint : strand->npoint;
        assert_int_equal(npoint, 12);
    }
    sn_spec_destroy(spec);
}

static void synthetic_hands_have_their_counts(void **state)
{
    (void)state;
    count_hand("hand-synthetic", 1);
    count_hand("hand-synthetic-x10", 10);
    count_hand("hand-paths", 1);
    count_hand("hand-paths-x10", 10);
}

static void finger_has_eight_musculotendons(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("finger");
    assert_int_equal(sn_spec_count(spec, SN_KIND_STRAND), 8);
    assert_int_equal(sn_spec_count(spec, SN_KIND_BODY), 4);
    assert_int_equal(sn_spec_count(spec, SN_KIND_JOINT), 3);
    sn_spec_destroy(spec);
}

static void sheet_has_struts_between_neighbours(void **state)
{
    (void)state;
    snSpec *spec = sn_scene("sheet");
    assert_int_equal(sn_spec_count(spec, SN_KIND_STRAND), 132);
    int32_t struts = 0;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_CONSTRAINT); ++id)
        struts += sn_spec_constraint(spec, id)->type == SN_CONSTRAINT_STRUT;
    assert_int_equal(struts, 66 * 6 + 65 * 5);
    sn_spec_destroy(spec);
}

static void straight_path_has_even_speed(void **state)
{
    (void)state;
    snVia via[2] = {{.p = {0, 0, 0}}, {.p = {0.3, 0, 0}}};
    snPath path = {.via = via, .nvia = 2, .npoint = 11};
    double point[33], p[3];
    sn_build_points(&path, point);
    for (int i = 0; i <= 20; ++i) {
        sn_build_curve(point, 11, i / 20.0, p);
        assert_near(p[0], 0.3 * i / 20, 1e-15);
    }
    assert_near(sn_build_curve_length(point, 11), 0.3, 1e-12);
}

static void rotation_takes_z_to_any_axis(void **state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        double a = 0.7 * i, b = 1.3 * i, axis[3] = {cos(a) * cos(b), sin(a) * cos(b), sin(b)}, q[4];
        if (i == 0) axis[0] = axis[1] = 0, axis[2] = -1;
        sn_build_z_to(axis, q);
        assert_near(2 * (q[1] * q[3] + q[0] * q[2]), axis[0], 1e-12);
        assert_near(2 * (q[2] * q[3] - q[0] * q[1]), axis[1], 1e-12);
        assert_near(1 - 2 * (q[1] * q[1] + q[2] * q[2]), axis[2], 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_made),
        cmocka_unit_test(synthetic_hands_have_their_counts),
        cmocka_unit_test(finger_has_eight_musculotendons),
        cmocka_unit_test(sheet_has_struts_between_neighbours),
        cmocka_unit_test(straight_path_has_even_speed),
        cmocka_unit_test(rotation_takes_z_to_any_axis),
    };
    return cmocka_run_group_tests_name("scenes", tests, NULL, NULL);
}
