/* What a program sees of a model and its state through the public headers: fields by name, and where strands lie. */
#include "model/model.h"
#include "sim/rig.h"

static void every_field_is_found_by_the_name_it_is_listed_under(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    snView view;
    int32_t n = 0;
    for (const char *name; (name = sn_field_name(n)); ++n) {
        assert_int_equal(sn_field(r.m, r.s, name, &view), SN_OK);
        assert_true(strlen(sn_field_doc(n)) > 5 && view.columns > 0);
        assert_true(view.data || view.rows == 0);
    }
    assert_true(n > 10);
    assert_null(sn_field_doc(n));
    assert_null(sn_field_name(-1));
    assert_int_not_equal(sn_field(r.m, r.s, "strand.colour", &view), SN_OK);
    rig_drop(&r);
}

/* The control points of all strands are one array, strand after strand. */
static void points_of_strands_lie_one_after_the_other(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    snView point, length;
    assert_int_equal(sn_field(r.m, r.s, "strand.point", &point), SN_OK);
    assert_int_equal(sn_field(r.m, r.s, "strand.length", &length), SN_OK);
    assert_int_equal(point.rows, sn_count(r.m, SN_ITEM_POINT));
    int32_t n = sn_count(r.m, SN_ITEM_STRAND);
    assert_int_equal(sn_strand_first_point(r.m, 0), 0);
    for (int32_t s = 0; s < n; ++s) {
        int32_t first = sn_strand_first_point(r.m, s), end = s + 1 < n ? sn_strand_first_point(r.m, s + 1) : point.rows;
        double polygon = 0; /* of a spline it is no shorter than the curve */
        assert_true(end - first >= 4);
        for (int32_t i = first + 1; i < end; ++i)
            polygon += v3_dist(v3_load(point.data + 3 * i), v3_load(point.data + 3 * i - 3));
        assert_true(polygon >= length.data[s] * (1 - 1e-9));
    }
    rig_drop(&r);
}

/* A value outside its range is refused before anything moves, with field, place and range in the message. */
static void refuses(Rig *r, const char *name, snView view, double wrong)
{
    char place[64];
    double *at = view.data + (view.rows - 1) * view.columns, before = *at, time = sn_time(r->s);
    uint64_t hash = sn_state_hash(r->s);
    *at = wrong;
    assert_int_equal(sn_step(r->m, r->s), SN_BAD_INPUT);
    assert_true(sn_state_hash(r->s) == hash && sn_time(r->s) == time);
    snprintf(place, sizeof place, "%s[%d]", name, (int)view.rows - 1);
    assert_non_null(strstr(sn_info(r->s)->culprit, place));
    assert_non_null(strstr(sn_info(r->s)->culprit, " to "));
    *at = before;
    assert_int_equal(sn_step(r->m, r->s), SN_OK);
    assert_null(strstr(sn_info(r->s)->culprit, name));
}

static void every_writable_field_has_a_range_that_the_step_holds_to(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    snFieldInfo field;
    int32_t writable = 0;
    for (int32_t n = 0; (field = sn_field_info(n)).name; ++n) {
        snView view;
        assert_int_equal(sn_field(r.m, r.s, field.name, &view), SN_OK);
        assert_int_equal(view.writable, field.writable);
        if (!field.writable) continue;
        assert_true(isfinite(field.low) && isfinite(field.high) && view.rows > 0);
        refuses(&r, field.name, view, field.low - 0.01 * (field.high - field.low));
        refuses(&r, field.name, view, field.high + 0.01 * (field.high - field.low));
        refuses(&r, field.name, view, NAN);
        refuses(&r, field.name, view, INFINITY);
        ++writable;
    }
    assert_int_equal(writable, 4);
    rig_drop(&r);
}

static void a_definition_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    snSimDef wrong[6];
    static const char *const name[6] = {"step", "step", "step", "gravity_scale", "contact_rounds", "threads"};
    for (int i = 0; i < 6; ++i) wrong[i] = sn_default_sim_def();
    wrong[0].step = -1, wrong[1].step = NAN, wrong[2].step = 5, wrong[3].gravity_scale = NAN;
    wrong[4].contact_rounds = -1, wrong[5].threads = -3;
    for (int i = 0; i < 6; ++i) {
        snState *made = NULL;
        snError error = {0};
        assert_int_equal(sn_state_create(r.m, &wrong[i], &made, &error), SN_BAD_INPUT);
        assert_null(made);
        assert_non_null(strstr(error.message, name[i]));
        assert_non_null(strstr(error.message, "outside"));
    }
    rig_drop(&r);
}

static void a_body_is_not_moved_to_nowhere(void **state)
{
    (void)state;
    Rig r = rig_scene("finger", 0.004);
    int32_t body = 0;
    while (body < r.m->nbody && r.m->body_mode[body] != SN_BODY_KINEMATIC) ++body;
    const double here[3] = {0}, unit[4] = {1, 0, 0, 0}, none[4] = {0}, nan4[4] = {NAN, 0, 0, 0};
    const double nowhere[2][3] = {{NAN, 0, 0}, {0, 1e9, 0}};
    if (body < r.m->nbody) {
        assert_int_equal(sn_move_body(r.m, r.s, body, here, none), SN_BAD_INPUT);
        assert_int_equal(sn_move_body(r.m, r.s, body, here, nan4), SN_BAD_INPUT);
        for (int i = 0; i < 2; ++i) assert_int_equal(sn_move_body(r.m, r.s, body, nowhere[i], unit), SN_BAD_INPUT);
    }
    double coordinate[64] = {NAN};
    assert_true(r.m->ncoord > 0 && r.m->ncoord <= 64);
    assert_int_equal(sn_pose(r.m, r.s, coordinate), SN_BAD_INPUT);
    coordinate[0] = 1e300;
    assert_int_equal(sn_pose(r.m, r.s, coordinate), SN_BAD_INPUT);
    assert_int_equal(sn_step(r.m, NULL), SN_BAD_ARGUMENT);
    rig_drop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_found_by_the_name_it_is_listed_under),
        cmocka_unit_test(every_writable_field_has_a_range_that_the_step_holds_to),
        cmocka_unit_test(a_definition_out_of_range_is_refused_by_name),
        cmocka_unit_test(a_body_is_not_moved_to_nowhere),
        cmocka_unit_test(points_of_strands_lie_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
