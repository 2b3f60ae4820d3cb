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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_found_by_the_name_it_is_listed_under),
        cmocka_unit_test(points_of_strands_lie_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
