/* Models of MuJoCo: lengths and masses in closed form, defaults, couplings, what is left out, bad input. */
#include "check.h"

#include "analysis/line_arms.h"
#include "base/alloc.h"
#include "io/mjcf.h"

#include <string.h>

static const double PI = 3.14159265358979324;

static snSpec *read(const char *text)
{
    snSpec *spec = sn_spec_create();
    snError error = {0};
    if (sn_mjcf_read(spec, "test.xml", text, strlen(text), &error)) print_error("%s\n", error.message);
    assert_int_equal(error.status, SN_OK);
    return spec;
}

static snModel *model_of(snSpec *spec)
{
    snModel *m = NULL;
    snError error = {0};
    if (sn_compile(spec, &m, &error)) print_error("%s: %s\n", error.element, error.message);
    assert_non_null(m);
    return m;
}

static double length_at(snModel *m, const char *coordinate, double q, double *slope)
{
    snLineArms a;
    int32_t c = sn_find(m, SN_ITEM_COORDINATE, coordinate);
    assert_true(c >= 0 && sn_line_arms_create(m, &a));
    a.q[c] = q;
    double length = sn_line_at(&a, 0, c, slope);
    sn_line_measure(&a, c);
    assert_near(a.quotient[0], -*slope, 1e-8); /* differences of the length */
    sn_line_arms_free(&a);
    return length;
}

static bool says(const snSpec *spec, const char *text)
{
    const snError *note;
    int32_t n = sn_spec_missing(spec, &note);
    for (int32_t i = 0; i < n; ++i)
        if (strstr(note[i].message, text) || strstr(note[i].element, text)) return true;
    return false;
}

#define MUSCLE "<actuator><muscle name='m' tendon='t' force='100' lengthrange='0.1 0.25'/></actuator>"
#define HINGE(sites, path)                                                                                             \
    "<mujoco><default><joint damping='0.5'/><default class='stiff'><joint stiffness='3'/></default></default>"         \
    "<worldbody><site name='o' pos='-0.1 0.03 0'/>" sites                                                              \
    "<body name='bone' childclass='stiff'><joint name='hinge' axis='0 0 1' range='-90 60' ref='30'/>"                  \
    "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><site name='i' pos='0.1 0.03 0'/></body></worldbody>"         \
    "<tendon><spatial name='t'><site site='o'/>" path "<site site='i'/></spatial></tendon>" MUSCLE "</mujoco>"

/* Law of cosines; the pose as drawn is qpos = ref. */
static void a_hinge_is_where_its_reference_is(void **state)
{
    (void)state;
    snSpec *spec = read(HINGE("", ""));
    const snCoordinateDef *d = sn_spec_coordinate(spec, sn_spec_find(spec, SN_KIND_COORDINATE, "hinge"));
    assert_near(d->range[0], -120, 1e-9);
    assert_near(d->range[1], 30, 1e-9);
    assert_near(d->damping, 0.5, 0); /* of the outermost default, */
    assert_near(d->stiffness, 3, 0); /* and of the childclass */
    snModel *m = model_of(spec);
    for (double q = -1; q < 0.5; q += 0.1) {
        double slope, far2 = 0.1 * 0.1 + 0.03 * 0.03, angle = PI - 2 * atan2(0.03, 0.1) - q;
        assert_near(length_at(m, "hinge", q, &slope), sqrt(2 * far2 * (1 - cos(angle))), 1e-12);
    }
    const snLineMuscleDef *muscle = sn_spec_line_muscle(spec, 1);
    assert_near(muscle->fiber_length, 0.15 / 0.3, 1e-12);
    assert_near(muscle->fiber_neutral, 0.75 + (0.2 - 0.1) / 0.5, 1e-12);
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

/* Tangents and arc over the top; the long way where the side is below. */
static void wraps_take_the_side_of_the_side_site(void **state)
{
    (void)state;
    double r = 0.04, far = sqrt(0.1 * 0.1 + 0.03 * 0.03), touch = acos(r / far), slope;
    double between = PI - 2 * atan2(0.03, 0.1), tangents = 2 * sqrt(far * far - r * r);
    static const char *const geom[] = {"<geom name='g' type='cylinder' size='0.04 0.1'/>",
                                       "<geom name='g' size='0.04'/>"};
    for (int kind = 0; kind < 2; ++kind)
        for (int below = 0; below < 2; ++below) {
            char text[2000];
            snprintf(text, sizeof text, HINGE("%s<site name='s' pos='0 %s0.2 0'/>", "<geom geom='g' sidesite='s'/>"),
                     geom[kind], below ? "-" : "");
            snSpec *spec = read(text);
            snModel *m = model_of(spec);
            double arc = (below ? 2 * PI - between : between) - 2 * touch;
            assert_near(length_at(m, "hinge", 0, &slope), tangents + r * arc, 1e-12);
            sn_model_destroy(m);
            sn_spec_destroy(spec);
        }
}

/* A ring that the straight line misses: the path bends at its top, by symmetry. */
static void a_side_site_inside_makes_a_ring(void **state)
{
    (void)state;
    double slope;
    static const char *const geom[] = {"<geom name='g' type='cylinder' size='0.01 0.1'/>",
                                       "<geom name='g' size='0.01'/>"};
    for (int kind = 0; kind < 2; ++kind) {
        char text[2000];
        snprintf(text, sizeof text, HINGE("%s<site name='s' pos='0 0.001 0'/>", "<geom geom='g' sidesite='s'/>"),
                 geom[kind]);
        snSpec *spec = read(text);
        assert_string_equal(sn_spec_line_muscle(spec, 1)->passes, "inside");
        snModel *m = model_of(spec);
        assert_near(length_at(m, "hinge", 0, &slope), 2 * sqrt(0.1 * 0.1 + 0.02 * 0.02), 1e-12);
        (void)length_at(m, "hinge", 0.3, &slope);
        sn_model_destroy(m);
        sn_spec_destroy(spec);
    }
}

static void equalities_are_polynomials(void **state)
{
    (void)state;
    snSpec *spec =
        read("<mujoco><compiler angle='radian'/><worldbody><site name='o' pos='-0.1 0.03 0'/>"
             "<body name='a'><joint name='turn' axis='0 0 1'/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
             "<body name='b'><joint name='slide' type='slide' axis='1 0 0'/><geom size='0.1'/>"
             "<site name='i' pos='0.1 0 0'/></body></body></worldbody>"
             "<equality><joint joint1='slide' joint2='turn' polycoef='0 0.02 0.03 0 0'/></equality>"
             "<tendon><spatial name='t'><site site='o'/><site site='i'/></spatial></tendon>" MUSCLE "</mujoco>");
    snModel *m = model_of(spec);
    for (double q = -0.5; q < 1; q += 0.25) {
        double slope, out = 0.1 + 0.02 * q + 0.03 * q * q, x = out * cos(q) + 0.1, y = out * sin(q) - 0.03;
        assert_near(length_at(m, "turn", q, &slope), sqrt(x * x + y * y), 1e-12);
    }
    sn_model_destroy(m);
    sn_spec_destroy(spec);
}

/* Euler angles, fixed and moving axes, against turns one after the other. */
static void euler_sequences_are_those_of_the_compiler(void **state)
{
    (void)state;
    static const char *const sequence[] = {"xyz", "XYZ", "zyx"};
    static const double expected[3][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}}; /* where x of the body points */
    for (int k = 0; k < 3; ++k) {
        char text[600];
        snprintf(text, sizeof text,
                 "<mujoco><compiler eulerseq='%s'/><worldbody><body name='b' euler='90 0 90'><joint axis='1 0 0'/>"
                 "<geom size='0.1'/></body></worldbody></mujoco>",
                 sequence[k]);
        snSpec *spec = read(text);
        for (int i = 0; i < 3; ++i) assert_near(sn_spec_coordinate(spec, 1)->axis[i], expected[k][i], 1e-12);
        sn_spec_destroy(spec);
    }
}

static void masses_of_geoms_and_welded_bodies_add_up(void **state)
{
    (void)state;
    snSpec *spec = read("<mujoco><worldbody><body name='b'><joint/><geom type='box' size='0.1 0.2 0.3' mass='6'/>"
                        "<body name='w' pos='1 0 0'><geom type='sphere' size='0.1' mass='2'/></body></body></worldbody>"
                        "</mujoco>");
    const snBodyDef *d = sn_spec_body(spec, 1);
    assert_int_equal(sn_spec_count(spec, SN_KIND_BODY), 1);
    assert_near(d->mass, 8, 1e-12);
    /* centre of mass at 0.25: moments about it by Steiner */
    assert_near(d->inertia[0], 6 * (0.04 + 0.09) / 3 + 0.4 * 2 * 0.01, 1e-12);
    assert_near(d->inertia[1], 6 * (0.01 + 0.09) / 3 + 0.4 * 2 * 0.01 + 6 * 0.0625 + 2 * 0.5625, 1e-12);
    const snNodeDef *com = sn_spec_node(spec, sn_spec_find(spec, SN_KIND_NODE, d->center_of_mass));
    assert_near(com->translate[0], 0.25, 1e-12);
    sn_spec_destroy(spec);
}

static void a_capsule_weighs_what_its_slices_do(void **state)
{
    (void)state;
    snSpec *spec = read("<mujoco><worldbody><body name='b'><joint/><geom type='capsule' size='0.1 0.2'/></body>"
                        "</worldbody></mujoco>");
    double mass = 0, across = 0, along = 0, h = 1e-4;
    for (double z = -0.3 + h / 2; z < 0.3; z += h) {
        double out = fmax(fabs(z) - 0.2, 0), r2 = 0.01 - out * out, slice = 1000 * PI * r2 * h;
        mass += slice, along += slice * r2 / 2, across += slice * (r2 / 4 + z * z);
    }
    const snBodyDef *d = sn_spec_body(spec, 1);
    assert_near(d->mass, mass, 1e-5 * mass);
    assert_near(d->inertia[0], across, 1e-5 * across);
    assert_near(d->inertia[2], along, 1e-5 * along);
    sn_spec_destroy(spec);
}

static void what_is_left_out_is_named(void **state)
{
    (void)state;
    snSpec *spec =
        read("<mujoco><worldbody><site name='o' pos='1 0 0'/><body name='b'><joint name='bj' type='ball' "
             "armature='0.1'/><geom size='0.1'/>"
             "<site name='i'/><site name='k' pos='0 1 0'/><geom type='mesh' mesh='bone'/></body></worldbody>"
             "<asset><mesh name='bone' file='nowhere.stl'/></asset><contact><exclude/></contact>"
             "<tendon><spatial name='t'><site site='o'/><site site='i'/><pulley divisor='2'/><site site='k'/></spatial>"
             "<spatial name='lig'><site site='o'/><site site='i'/></spatial></tendon>"
             "<actuator><motor name='drive' joint='bj'/><muscle tendon='t'/></actuator></mujoco>");
    static const char *const expected[] = {"three turns", "armature",      "pulley",     "drive",
                                           "nowhere.stl", "lig",           "contact is", "peak force",
                                           "lengthrange", "straight line", "inertial"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
        if (!says(spec, expected[i])) fail_msg("nothing is said of %s", expected[i]);
    assert_int_equal(sn_spec_count(spec, SN_KIND_COORDINATE), 3);
    sn_spec_destroy(spec);
}

static void bad_input_is_refused_with_its_place(void **state)
{
    (void)state;
    static const char *const text[][2] = {
        {"<mujoco>\n<include file='none.xml'/></mujoco>", "none.xml"},
        {"<mujoco>\n<worldbody><body><joint axis='0 0 0'/></body></worldbody></mujoco>", "axis"},
        {"<mujoco>\n<worldbody><body pos='1 x 2'/></worldbody></mujoco>", "\"x\""},
        {"<mujoco>\n<worldbody/></mujoco>", "no body"},
        {"<mujoco><worldbody><body><joint/></body></worldbody>\n<tendon><spatial name='t'><site site='q'/></spatial>"
         "</tendon>" MUSCLE "</mujoco>",
         "no site \"q\""},
        {"<mujoco><compiler coordinate='global'/></mujoco>", "global"},
        {"<mujoco><worldbody><body><joint name='a'/></body></worldbody><equality><joint joint1='a' "
         "joint2='z'/></equality>"
         "</mujoco>",
         "\"z\""},
        {"<other/>", "root element"},
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) {
        snSpec *spec = sn_spec_create();
        snError error = {0};
        assert_int_not_equal(sn_mjcf_read(spec, "test.xml", text[i][0], strlen(text[i][0]), &error), SN_OK);
        if (!strstr(error.message, text[i][1])) fail_msg("%s: %s", text[i][1], error.message);
        assert_string_equal(error.file, "test.xml");
        assert_true(error.line > 0);
        sn_spec_destroy(spec);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *text = HINGE("<geom name='g' size='0.01'/>", "<geom geom='g'/>");
    snStatus status = SN_NO_MEMORY;
    int64_t before = sn_alloc_live();
    for (int64_t n = 0; status != SN_OK && n < 2000; ++n) {
        snError error = {0};
        snSpec *spec = sn_spec_create();
        sn_alloc_fail_after(n);
        status = sn_mjcf_read(spec, "test.xml", text, strlen(text), &error);
        sn_alloc_fail_after(-1);
        assert_true(status == SN_OK || status == SN_NO_MEMORY);
        sn_spec_destroy(spec);
        assert_int_equal(sn_alloc_live(), before);
    }
    assert_int_equal(status, SN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinge_is_where_its_reference_is),
        cmocka_unit_test(wraps_take_the_side_of_the_side_site),
        cmocka_unit_test(a_side_site_inside_makes_a_ring),
        cmocka_unit_test(equalities_are_polynomials),
        cmocka_unit_test(euler_sequences_are_those_of_the_compiler),
        cmocka_unit_test(masses_of_geoms_and_welded_bodies_add_up),
        cmocka_unit_test(a_capsule_weighs_what_its_slices_do),
        cmocka_unit_test(what_is_left_out_is_named),
        cmocka_unit_test(bad_input_is_refused_with_its_place),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
