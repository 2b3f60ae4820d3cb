/* Models that differ a little: what changes and by how much, what stays, and that a draw depends on nothing but its
 * number, the seed and the names. */
#include "check.h"

#include "author/own/variants.h"
#include "io/own/kept.h"
#include "scenes.h"
#include "sinew/author.h"
#include "sinew/io.h"

#include <math.h>
#include <string.h>

static snSpec *varied(const char *scene, snVary what, double by, uint64_t seed, int32_t draw)
{
    snSpec *spec = sn_scene(scene);
    snVariation v = {what, by};
    assert_non_null(spec);
    assert_int_equal(sn_vary_spec(spec, &v, 1, seed, draw, NULL), SN_OK);
    return spec;
}

static uint64_t hash(const char *scene, snVary what, uint64_t seed, int32_t draw)
{
    snSpec *spec = varied(scene, what, 0.05, seed, draw);
    uint64_t h = sn_hash_model(spec, NULL);
    sn_spec_destroy(spec);
    return h;
}

static void test_a_draw_is_itself(void **state)
{
    (void)state;
    snSpec *plain = sn_scene("finger");
    uint64_t as_is = sn_hash_model(plain, NULL);
    for (int32_t what = 0; sn_vary_name(what); ++what) {
        assert_non_null(sn_vary_doc(what));
        assert_true(hash("finger", (snVary)what, 7, 0) == as_is);
        assert_true(hash("finger", (snVary)what, 7, 3) == hash("finger", (snVary)what, 7, 3));
        assert_true(hash("finger", (snVary)what, 7, 3) != as_is);
        assert_true(hash("finger", (snVary)what, 7, 3) != hash("finger", (snVary)what, 7, 4));
        assert_true(hash("finger", (snVary)what, 8, 3) != hash("finger", (snVary)what, 7, 3));
    }
    sn_spec_destroy(plain);
}

/* Over many draws the factors fill their range evenly: mean 1, variance by^2 / 3, none outside. */
static void test_forces_are_spread_evenly(void **state)
{
    (void)state;
    double sum = 0, square = 0, least = 9, most = 0, before = 0;
    int32_t count = 0;
    snSpec *plain = sn_scene("finger");
    for (int32_t draw = 1; draw <= 150; ++draw) {
        snSpec *spec = varied("finger", SN_VARY_PCSA, 0.05, 1, draw);
        for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_STRAND); ++id) {
            const snStrandDef *was = sn_spec_strand(plain, id), *is = sn_spec_strand(spec, id);
            if (!(was->belly_end > was->belly_start)) {
                assert_true(is->max_force == was->max_force);
                continue;
            }
            double force = was->max_force > 0 ? was->max_force : 0.3e6 * 3.14159265358979 * was->radius * was->radius;
            double f = is->max_force / force;
            assert_true(f != before); /* each muscle has one of its own */
            before = f;
            sum += f, square += (f - 1) * (f - 1), ++count;
            least = fmin(least, f), most = fmax(most, f);
        }
        sn_spec_destroy(spec);
    }
    sn_spec_destroy(plain);
    assert_true(count > 150);
    assert_true(least >= 0.95 - 1e-12 && least < 0.952 && most <= 1.05 + 1e-12 && most > 1.048);
    assert_near(sum / count, 1, 5 * 0.05 / sqrt(3.0 * count));
    assert_near(square / count, 0.05 * 0.05 / 3, 0.1 * 0.05 * 0.05 / 3);
}

static snSpec *line_model(bool more)
{
    snSpec *spec = sn_spec_create();
    snLineMuscleDef m = sn_default_line_muscle_def();
    const double point[] = {0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0.1, 0.2, 0};
    m.bodies = "world world world world", m.npoint = 4, m.point = point, m.pcsa = 1e-4, m.fiber_length = 0.05;
    m.max_force = 30, m.slack_length = 0.3;
    if (more) {
        m.name = "another";
        assert_int_equal(sn_add_line_muscle(spec, &m, NULL), SN_OK);
    }
    m.name = "biceps";
    assert_int_equal(sn_add_line_muscle(spec, &m, NULL), SN_OK);
    return spec;
}

static const snLineMuscleDef *biceps(const snSpec *spec)
{
    return sn_spec_line_muscle(spec, sn_spec_find(spec, SN_KIND_LINE_MUSCLE, "biceps"));
}

/* Origin and insertion stay; what lies between moves by at most 3 % of 0.3 m, differently for each point. */
static void test_vias_of_lines(void **state)
{
    (void)state;
    double farthest = 0;
    for (int32_t draw = 1; draw <= 300; ++draw) {
        snSpec *plain = line_model(false), *spec = line_model(draw % 2), *again = line_model(true);
        snVariation v[] = {{SN_VARY_VIA, 0.03}, {SN_VARY_PCSA, 0.1}, {SN_VARY_FIBER, 0.1}, {SN_VARY_SLACK, 0.1}};
        assert_int_equal(sn_vary_spec(spec, v, 4, 5, draw, NULL), SN_OK);
        assert_int_equal(sn_vary_spec(again, v, 4, 5, draw, NULL), SN_OK);
        const snLineMuscleDef *was = biceps(plain), *is = biceps(spec), *other = biceps(again);
        assert_memory_equal(is->point, other->point, 12 * sizeof(double)); /* whoever else is there */
        assert_memory_equal(is->point, was->point, 3 * sizeof(double));
        assert_memory_equal(is->point + 9, was->point + 9, 3 * sizeof(double));
        for (int i = 1; i < 3; ++i) {
            double d = 0;
            for (int k = 0; k < 3; ++k) d += pow(is->point[3 * i + k] - was->point[3 * i + k], 2);
            assert_true(d > 0 && sqrt(d) <= 0.03 * 0.3 + 1e-12);
            farthest = fmax(farthest, sqrt(d));
        }
        assert_near(is->max_force / was->max_force, is->pcsa / was->pcsa, 1e-12);
        assert_true(is->fiber_length != was->fiber_length && is->slack_length != was->slack_length);
        sn_spec_destroy(plain), sn_spec_destroy(spec), sn_spec_destroy(again);
    }
    assert_true(farthest > 0.95 * 0.009);
}

/* What cannot be varied is said; nonsense is refused. */
static void test_refusals(void **state)
{
    (void)state;
    snError error;
    snSpec *spec = line_model(false);
    snVariation v = {SN_VARY_MASS, 0.1};
    assert_int_equal(sn_vary_spec(spec, &v, 1, 1, 1, &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "nothing that mass could vary"));
    v.by = 1;
    assert_int_equal(sn_vary_spec(spec, &v, 1, 1, 1, &error), SN_BAD_INPUT);
    v.by = NAN;
    assert_int_equal(sn_vary_spec(spec, &v, 1, 1, 1, NULL), SN_BAD_INPUT);
    v = (snVariation){(snVary)99, 0.1};
    assert_int_equal(sn_vary_spec(spec, &v, 1, 1, 1, &error), SN_BAD_ARGUMENT);
    assert_int_equal(sn_vary_spec(NULL, &v, 1, 1, 1, &error), SN_BAD_ARGUMENT);
    assert_int_equal(sn_vary_spec(spec, NULL, 1, 1, 1, &error), SN_BAD_ARGUMENT);
    assert_int_equal(sn_vary_spec(spec, &v, 1, 1, -1, &error), SN_BAD_ARGUMENT);
    assert_null(sn_vary_name(-1));
    sn_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_draw_is_itself),
        cmocka_unit_test(test_forces_are_spread_evenly),
        cmocka_unit_test(test_vias_of_lines),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("author.vary", tests, NULL, NULL);
}
