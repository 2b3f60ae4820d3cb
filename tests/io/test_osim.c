/* Models of OpenSim, against lengths and places computed by hand. */
#include "io_case.h"

#include "io/model_files.h"
#include "io/osim.h"
#include "io/own/files.h"
#include "sinew/sinew.h"

#define ARM4 SINEW_SOURCE_DIR "/tests/io/corpus/osim/arm4.osim"
#define ARM3 SINEW_SOURCE_DIR "/tests/io/corpus/osim/arm3.osim"

typedef struct Case {
    snSpec *spec;
    snModel *model;
    snState *state;
    double *q;
    int32_t nq;
} Case;

static Case load(const char *path)
{
    Case c = {0};
    snError error = {0};
    assert_ok(sn_load_model(path, &c.spec, &error), error);
    assert_ok(sn_compile(c.spec, &c.model, &error), error);
    assert_ok(sn_state_create(c.model, NULL, &c.state, &error), error);
    c.nq = sn_count(c.model, SN_ITEM_COORDINATE);
    c.q = calloc((size_t)c.nq, sizeof *c.q);
    assert_non_null(c.q);
    return c;
}

static void release(Case *c)
{
    free(c->q);
    sn_state_destroy(c->state);
    sn_model_destroy(c->model);
    sn_spec_destroy(c->spec);
}

/* Length of a muscle with one coordinate at a value, the others 0. */
static double length_at(Case *c, const char *muscle, const char *coordinate, double value)
{
    snView view;
    int32_t i = sn_find(c->model, SN_ITEM_COORDINATE, coordinate), line = sn_find(c->model, SN_ITEM_LINE, muscle);
    assert_true(i >= 0 && line >= 0);
    memset(c->q, 0, (size_t)c->nq * sizeof *c->q);
    c->q[i] = value;
    assert_int_equal(sn_pose(c->model, c->state, c->q), SN_OK);
    assert_int_equal(sn_field(c->model, c->state, "line.length", &view), SN_OK);
    return view.data[line];
}

/* Places of the bodies with flexion at a value: 7 each. */
static void poses_at(Case *c, double flexion, double *pose)
{
    memset(c->q, 0, (size_t)c->nq * sizeof *c->q);
    c->q[sn_find(c->model, SN_ITEM_COORDINATE, "flexion")] = flexion;
    assert_int_equal(sn_body_poses(c->model, c->q, pose), SN_OK);
}

/* A point of the forearm, which turns about z at (0, 0.7). */
static void forearm(double q, double x, double y, double out[2])
{
    out[0] = cos(q) * x - sin(q) * y;
    out[1] = 0.7 + sin(q) * x + cos(q) * y;
}

/* From (0.03, 1) to (0.03, -0.2) of the forearm. */
static double flexor(double q)
{
    double end[2];
    forearm(q, 0.03, -0.2, end);
    return hypot(end[0] - 0.03, end[1] - 1);
}

static void a_pin_joint_has_the_length_of_the_drawing(void **state)
{
    (void)state;
    static const char *const files[] = {ARM4, ARM3};
    for (int i = 0; i < 2; ++i) {
        Case c = load(files[i]);
        for (double q = 0; q <= 2.4; q += 0.3) assert_near(length_at(&c, "flexor", "flexion", q), flexor(q), 1e-12);
        /* the arm, by the law of cosines: r = x cross direction at the joint */
        double h = 1e-5, q = 0.8, end[2];
        forearm(q, 0.03, -0.2, end);
        double arm = (0.03 * (end[1] - 0.7) - end[0] * 0.3) / flexor(q);
        double slope =
            (length_at(&c, "flexor", "flexion", q + h) - length_at(&c, "flexor", "flexion", q - h)) / (2 * h);
        assert_near(fabs(slope), fabs(arm), 1e-9);
        const snCoordinateDef *d = sn_spec_coordinate(c.spec, sn_spec_find(c.spec, SN_KIND_COORDINATE, "flexion"));
        assert_near(d->range[1], 2.4 * 180 / 3.14159265358979323846, 1e-9);
        release(&c);
    }
}

static void fibres_are_what_the_tendon_leaves(void **state)
{
    (void)state;
    Case c = load(ARM4);
    const snLineMuscleDef *d = sn_spec_line_muscle(c.spec, sn_spec_find(c.spec, SN_KIND_LINE_MUSCLE, "flexor"));
    assert_near(d->fiber_neutral, (flexor(0) - 0.3) / (0.2 * cos(0.2)), 1e-12);
    assert_near(d->max_force, 500, 0);
    assert_near(d->max_velocity, 10, 0);
    const snForceLengthDef *law =
        sn_spec_force_length(c.spec, sn_spec_find(c.spec, SN_KIND_FORCE_LENGTH, d->passive_fl));
    assert_non_null(law);
    for (int32_t i = 0; i < law->npoint; ++i) {
        double x = law->stretch[i], expected = x > 1 ? (exp(5 * (x - 1) / 0.6) - 1) / (exp(5) - 1) : 0;
        assert_near(law->force[i], expected, 1e-6);
    }
    release(&c);
    c = load(ARM3); /* figures of the default muscle of the file */
    d = sn_spec_line_muscle(c.spec, 1);
    assert_near(d->max_force, 500, 0);
    assert_string_equal(d->passive_fl, "thelen_passive_4_0.6");
    release(&c);
}

/* glide = 2 (0.5 flexion + 0.2) moves the plate along a spline and a table, and turns it by a polynomial. */
static void coupled_and_spline_joints_are_where_the_file_says(void **state)
{
    (void)state;
    Case c = load(ARM4);
    double pose[7 * 8];
    int32_t plate = sn_find(c.model, SN_ITEM_BODY, "plate");
    static const double knot[][2] = {{0, 0.02}, {1, 0.05}, {2, 0.04}}; /* glide, x */
    for (int i = 0; i < 3; ++i) {
        double q = knot[i][0] - 0.4, at[2];
        double y = knot[i][0] <= 1 ? -0.2 + 0.05 * (knot[i][0] + 1) : -0.1 - 0.1 * (knot[i][0] - 1);
        forearm(q, knot[i][1], y, at);
        poses_at(&c, q, pose);
        const double *p = pose + 7 * plate;
        assert_near(p[0], at[0], 1e-12);
        assert_near(p[1], at[1], 1e-12);
        assert_near(p[2], 0.07, 1e-12);
        double turn = q + 2 * (0.25 * knot[i][0] * knot[i][0] + 0.1);
        assert_near(fabs(p[3] * cos(turn / 2) + p[6] * sin(turn / 2)), 1, 1e-12);
    }
    release(&c);
}

static void a_moving_point_moves(void **state)
{
    (void)state;
    Case c = load(ARM4);
    for (double q = 0; q < 2; q += 0.25) {
        double end[2];
        forearm(q, 0.02 + 0.01 * q, -0.05, end);
        assert_near(length_at(&c, "slider", "flexion", q), hypot(end[0], end[1] - 0.9), 1e-12);
    }
    release(&c);
}

/* The extensor runs behind the pulley, but its quadrant says in front: as drawn both ends are at x = -0.03, 0.3 above
 * and 0.2 below the axis, and it goes round on the side of +x. */
static void a_quadrant_chooses_the_side(void **state)
{
    (void)state;
    Case c = load(ARM4);
    double r = 0.02, a = hypot(0.03, 0.3), b = hypot(0.03, 0.2), near = atan2(0.3, 0.03) + atan2(0.2, 0.03);
    double around = 2 * 3.14159265358979323846 - near - acos(r / a) - acos(r / b);
    double expected = sqrt(a * a - r * r) + sqrt(b * b - r * r) + r * around;
    assert_near(length_at(&c, "extensor", "flexion", 0), expected, 1e-12);
    release(&c);
}

static bool misses(const snSpec *spec, const char *element, const char *words)
{
    const snError *note;
    int32_t count = sn_spec_missing(spec, &note);
    for (int32_t i = 0; i < count; ++i)
        if (strstr(note[i].element, element) && strstr(note[i].message, words) && note[i].line > 0) return true;
    return false;
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    Case c = load(ARM4);
    assert_int_equal(sn_spec_missing(c.spec, NULL), 8);
    assert_true(misses(c.spec, "ConditionalPathPoint \"d\"", "from 114.6 to 137.5 degrees: here it is left out"));
    assert_true(misses(c.spec, "PathWrap \"v\"", "WrapEllipsoid \"egg\" is left out"));
    assert_true(misses(c.spec, "CoordinateActuator \"motor\"", "left out"));
    assert_true(misses(c.spec, "Coordinate \"glide\"", "follows another"));
    assert_true(misses(c.spec, "Model \"arm\"", "nowhere.vtp"));
    snProblems problems = {0};
    assert_int_equal(sn_check(c.spec, &problems), SN_OK);
    assert_true(problems.count >= 7);
    sn_problems_free(&problems);
    release(&c);
}

static void a_converted_model_is_the_same(void **state)
{
    (void)state;
    snError error = {0};
    const snError *note;
    Case c = load(ARM4);
    int32_t count = sn_spec_missing(c.spec, &note);
    assert_ok(sn_save_model_folder(c.spec, "osim_folder", "arm", count, note, &error), error);
    Case back = load("osim_folder/arm.muscle.xml");
    static const char *const muscles[] = {"flexor", "extensor", "slider"};
    for (int i = 0; i < 3; ++i)
        for (double q = 0; q < 2.4; q += 0.4)
            assert_near(length_at(&back, muscles[i], "flexion", q), length_at(&c, muscles[i], "flexion", q), 0);
    assert_int_equal(sn_spec_missing(back.spec, NULL), 0);
    assert_int_equal(access("osim_folder/arm.missing.txt", R_OK), 0);
    release(&back);
    release(&c);
    unlink("osim_folder/arm.muscle.xml"), unlink("osim_folder/arm.scene.xml"), unlink("osim_folder/arm.missing.txt");
    rmdir("osim_folder");
}

/* ---- bad input ---------------------------------------------------------------------------- */

static char *text_of_file(const char *path)
{
    static char text[40000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

/* The file with the first `from` as `to`; the error must name the line and contain the words. */
static void refuses(const char *from, const char *to, const char *words)
{
    char *text = text_of_file(ARM4), changed[41000];
    char *at = strstr(text, from);
    assert_non_null(at);
    int line = 1;
    for (const char *s = text; s < at; ++s) line += *s == '\n';
    snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    snSpec *spec = sn_spec_create();
    snError error = {0};
    assert_int_equal(sn_osim_read(spec, "bad.osim", changed, strlen(changed), &error), SN_BAD_FILE);
    if (!strstr(error.message, words)) print_error("found: %s\n", error.message);
    assert_non_null(strstr(error.message, words));
    assert_true(error.line > 0 && error.line <= line && line - error.line < 20);
    assert_string_equal(error.file, "bad.osim");
    sn_spec_destroy(spec);
}

static void bad_files_are_refused_with_line_and_name(void **state)
{
    (void)state;
    refuses("<independent_coordinate_names>flexion", "<independent_coordinate_names>flexi", "follows \"flexi\"");
    refuses("<dependent_coordinate_name>glide", "<dependent_coordinate_name>glid", "moves \"glid\"");
    refuses("<independent_coordinate_names>flexion", "<independent_coordinate_names>glide", "in a circle");
    refuses("/bodyset/upper</socket_parent_frame><location>0.03", "/bodyset/uper</socket_parent_frame><location>0.03",
            "no body or frame \"/bodyset/uper\"");
    refuses("<location>0.03 0 0<", "<location>0.03 0 O<", "\"O\", which is not a finite number");
    refuses("<location>0.03 0 0<", "<location>0.03 0<", "has 2 numbers; expected 3");
    refuses("<wrap_object>pulley", "<wrap_object>puley", "no wrap object \"puley\"");
    refuses("<radius>0.02", "<radius>0", "radius of the wrap is 0 m");
    refuses("<optimal_fiber_length>0.2", "<optimal_fiber_length>-1", "optimal_fiber_length is -1 m");
    refuses("<coordinates>glide</coordinates>", "<coordinates>slide</coordinates>", "no coordinate \"slide\"");
    refuses("<y>0.01 0.02 0.05 0.04 0.06<", "<y>0.01 0.02<", "5 values of x and 2 of y");
    refuses("/jointset/elbow/flexion</socket_x", "/jointset/elbow/bend</socket_x",
            "moves with \"/jointset/elbow/bend\"");
    refuses("<socket_parent>/bodyset/upper", "<socket_parent>/bodyset/fore arm", "on the same body");
    refuses("<range>-1 3", "<range>-1 x", "\"x\"");
}

static void other_documents_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const text[][2] = {
        {"<OpenSimDocument Version=\"40000\"><ForceSet/></OpenSimDocument>", "has no Model, but a ForceSet"},
        {"<OpenSimDocument Version=\"40000\"/>", "has no Model"},
        {"<OpenSimDocument><Model/></OpenSimDocument>", "has no Version"},
        {"<Muscle/>", "the root element is Muscle"},
    };
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) {
        snSpec *spec = sn_spec_create();
        snError error = {0};
        assert_int_equal(sn_osim_read(spec, "x.osim", text[i][0], strlen(text[i][0]), &error), SN_BAD_FILE);
        assert_non_null(strstr(error.message, text[i][1]));
        sn_spec_destroy(spec);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char *text = text_of_file(ARM4);
    size_t size = strlen(text);
    snError error;
    for (int64_t n = 0;; n += n < 200 ? 1 : 37) {
        int64_t live = sn_alloc_live();
        sn_alloc_fail_after(n);
        snSpec *spec = sn_spec_create();
        snStatus status = spec ? sn_osim_read(spec, "x.osim", text, size, &error) : SN_NO_MEMORY;
        sn_spec_destroy(spec);
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
    }
}

/* ---- meshes ------------------------------------------------------------------------------- */

/* Four corners of 0 and 1 in base64: UInt32 count of bytes, then Float32. */
static void vtk_meshes_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData>"
        "<Piece NumberOfPoints=\"4\" NumberOfStrips=\"0\" NumberOfPolys=\"2\">"
        "<Points><DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">"
        "0 0 0 1 0 0 1 1 0 0 1 0</DataArray></Points>"
        "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3 0 1 2</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4 "
        "7</DataArray></Polys></Piece></PolyData></VTKFile>";
    static const char packed[] =
        "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\"><PolyData><Piece>"
        "<Points><DataArray type=\"Float32\" format=\"binary\">"
        "JAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAAAAAAIA/AAAAAA==</DataArray></Points>"
        "<Polys><DataArray type=\"Int32\" Name=\"connectivity\" format=\"binary\">DAAAAAAAAAABAAAAAgAAAA==</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\" "
        "format=\"ascii\">3</DataArray></Polys></Piece></PolyData></VTKFile>";
    FILE *file = fopen("osim_mesh.vtp", "wb");
    fwrite(text, 1, sizeof text - 1, file);
    fclose(file);
    snMesh mesh = {0};
    snError error = {0};
    assert_ok(sn_load_mesh("osim_mesh.vtp", &mesh, &error), error);
    assert_int_equal(mesh.nvertex, 4);
    assert_int_equal(mesh.ntriangle, 3);
    assert_near(mesh.vertex[7], 1, 0);
    sn_mesh_free(&mesh);
    file = fopen("osim_mesh.vtp", "wb");
    fwrite(packed, 1, sizeof packed - 1, file);
    fclose(file);
    assert_ok(sn_load_mesh("osim_mesh.vtp", &mesh, &error), error);
    assert_int_equal(mesh.nvertex, 3);
    assert_int_equal(mesh.ntriangle, 1);
    assert_near(mesh.vertex[3], 1, 0);
    assert_near(mesh.vertex[7], 1, 0);
    sn_mesh_free(&mesh);
    unlink("osim_mesh.vtp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pin_joint_has_the_length_of_the_drawing),
        cmocka_unit_test(fibres_are_what_the_tendon_leaves),
        cmocka_unit_test(coupled_and_spline_joints_are_where_the_file_says),
        cmocka_unit_test(a_moving_point_moves),
        cmocka_unit_test(a_quadrant_chooses_the_side),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(a_converted_model_is_the_same),
        cmocka_unit_test(bad_files_are_refused_with_line_and_name),
        cmocka_unit_test(other_documents_are_refused_by_name),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(vtk_meshes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
