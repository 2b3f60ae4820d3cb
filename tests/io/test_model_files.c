/* Scene and muscle files: what is written reads back bit for bit, whatever the model. */
#include "base/alloc.h"
#include "check.h"
#include "io/model_files.h"
#include "io/own/files.h"
#include "io/own/kept.h"
#include "random_spec.h"
#include "sinew/sinew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/sinew-model-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int clean_up(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[4][128];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static char *bytes_of(const char *path)
{
    char *bytes;
    size_t size;
    assert_int_equal(sn_file_read(path, SN_FILE_LIMIT, &bytes, &size, NULL), SN_OK);
    return bytes;
}

static void expect_same_bytes(const char *a, const char *b)
{
    char *x = bytes_of(a), *y = bytes_of(b);
    assert_string_equal(x, y);
    sn_free(x);
    sn_free(y);
}

static snSpec *load(const char *path)
{
    snSpec *spec = NULL;
    snError error = {0};
    char message[1400];
    if (sn_load_model(path, &spec, &error)) {
        print_error("%s\n", sn_error_format(&error, message, sizeof message));
        fail();
    }
    return spec;
}

static void save(const snSpec *spec, const char *path)
{
    snError error = {0};
    char message[1400];
    if (sn_save_model(spec, path, &error)) {
        print_error("%s\n", sn_error_format(&error, message, sizeof message));
        fail();
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    int64_t live = sn_alloc_live();
    for (uint64_t i = 1; i <= 200; ++i) {
        snSpec *spec = random_spec(i);
        save(spec, path_of("a.muscle.xml"));
        snSpec *back = load(path_of("a.muscle.xml"));
        expect_same(spec, back);
        save(back, path_of("b.muscle.xml"));
        expect_same_bytes(path_of("a.muscle.xml"), path_of("b.muscle.xml"));
        expect_same_bytes(path_of("a.scene.xml"), path_of("b.scene.xml"));
        sn_spec_destroy(spec);
        sn_spec_destroy(back);
    }
    assert_int_equal(sn_alloc_live(), live);
}

static void put(const char *name, const char *content)
{
    snWriter w;
    assert_int_equal(sn_writer_open(&w, path_of(name), NULL), SN_OK);
    sn_writer_text(&w, content);
    assert_int_equal(sn_writer_commit(&w, NULL), SN_OK);
}

static void test_defaults_are_left_out(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    snBodyDef body = sn_default_body_def();
    body.name = "bone";
    body.density = 1900;
    assert_int_equal(sn_add_body(spec, &body, NULL), SN_OK);
    save(spec, path_of("d.muscle.xml"));
    char *muscle = bytes_of(path_of("d.muscle.xml")), *scene = bytes_of(path_of("d.scene.xml"));
    assert_string_equal(muscle, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Muscle version=\"1\">\n"
                                "  <RigidBody name=\"bone\" density=\"1900\"/>\n</Muscle>\n");
    assert_string_equal(scene, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ModelerScene version=\"1\">\n"
                               "  <Group name=\"bone\"/>\n</ModelerScene>\n");
    sn_free(muscle);
    sn_free(scene);
    sn_spec_destroy(spec);
}

static void test_places_are_kept(void **state)
{
    (void)state;
    put("p.scene.xml",
        "<ModelerScene version=\"1\">\n  <Group name=\"bone\">\n    <Locator name=\"tip\"/>\n  </Group>\n"
        "</ModelerScene>\n");
    put("p.muscle.xml", "<Muscle version=\"1\">\n\n  <RigidBody name=\"bone\"/>\n</Muscle>\n");
    snSpec *spec = load(path_of("p.muscle.xml"));
    snOrigin body = sn_spec_origin(spec, SN_KIND_BODY, 1), tip = sn_spec_origin(spec, SN_KIND_NODE, 2);
    assert_true(body.line == 3 && body.column == 3 && tip.line == 3 && tip.column == 5);
    assert_string_equal(body.file, path_of("p.muscle.xml"));
    assert_string_equal(tip.file, path_of("p.scene.xml"));
    assert_int_equal(sn_spec_node(spec, 2)->parent, 1);
    sn_spec_destroy(spec);
    spec = load(path_of("p.scene.xml")); /* a scene alone */
    assert_int_equal(sn_spec_count(spec, SN_KIND_NODE), 2);
    sn_spec_destroy(spec);
}

static void test_force_length_files(void **state)
{
    (void)state;
    put("law.csv", "stretch,force\n# comment\n0.5, 0\n1.0, 1\n\n1.5; 0\r\n");
    put("law.xml", "<ForceLength version=\"1\"><Stretch>0.5 1</Stretch><Force>0 1</Force></ForceLength>");
    put("f.muscle.xml", "<Muscle version=\"1\"><Strand name=\"s\" active_fl=\"law.csv\" passive_fl=\"curve\"/>"
                        "<ForceLength name=\"curve\" file=\"law.xml\"/></Muscle>");
    snSpec *spec = load(path_of("f.muscle.xml"));
    snId id = sn_spec_find(spec, SN_KIND_FORCE_LENGTH, "law.csv");
    const snForceLengthDef *law = sn_spec_force_length(spec, id);
    assert_true(law->npoint == 3 && law->stretch[2] == 1.5 && law->force[1] == 1);
    assert_int_equal(sn_spec_force_length(spec, 1)->npoint, 2);
    save(spec, path_of("g.muscle.xml"));
    snSpec *back = load(path_of("g.muscle.xml"));
    expect_same(spec, back);
    sn_spec_destroy(back);
    /* far from its files the model carries the points itself */
    assert_int_equal(mkdir(path_of("far"), 0777), 0);
    save(spec, path_of("far/g.muscle.xml"));
    back = load(path_of("far/g.muscle.xml"));
    assert_int_equal(sn_spec_force_length(back, id)->npoint, 3);
    assert_string_equal(sn_spec_force_length(back, id)->file, "");
    sn_spec_destroy(back);
    sn_spec_destroy(spec);
}

static void test_missing_files(void **state)
{
    (void)state;
    snSpec *spec = NULL;
    snError error;
    assert_int_equal(sn_load_model(path_of("nowhere.muscle.xml"), &spec, &error), SN_NO_FILE);
    put("m.muscle.xml", "<Muscle version=\"1\" scene=\"gone.scene.xml\"/>");
    assert_int_equal(sn_load_model(path_of("m.muscle.xml"), &spec, &error), SN_NO_FILE);
    assert_non_null(strstr(error.message, "gone.scene.xml"));
    put("m.muscle.xml", "<Muscle version=\"1\">\n<Strand name=\"s\" active_fl=\"gone.csv\"/></Muscle>");
    assert_int_equal(sn_load_model(path_of("m.muscle.xml"), &spec, &error), SN_NO_FILE);
    assert_non_null(strstr(error.message, "gone.csv"));
    assert_int_equal(error.line, 2);
    assert_null(spec);
}

static void test_values_that_no_file_can_hold(void **state)
{
    (void)state;
    snSpec *spec = sn_spec_create();
    snBodyDef body = sn_default_body_def();
    body.name = "bone";
    body.mass = NAN;
    sn_add_body(spec, &body, NULL);
    snError error;
    assert_int_equal(sn_save_model(spec, path_of("nan.muscle.xml"), &error), SN_BAD_INPUT);
    assert_non_null(strstr(error.message, "mass"));
    assert_false(sn_file_exists(path_of("nan.muscle.xml")) || sn_file_exists(path_of("nan.scene.xml")));
    sn_spec_destroy(spec);
    spec = sn_spec_create();
    body.mass = 0;
    body.name = "\xff";
    sn_add_body(spec, &body, NULL);
    assert_int_equal(sn_save_model(spec, path_of("nan.muscle.xml"), &error), SN_BAD_INPUT);
    assert_false(sn_file_exists(path_of("nan.scene.xml")));
    sn_spec_destroy(spec);
}

static void test_models_are_found_by_name(void **state)
{
    (void)state;
    char path[256];
    snError error;
    assert_int_equal(mkdir(path_of("wing"), 0777), 0);
    put("wing/wing.muscle.xml", "<Muscle version=\"1\"/>");
    setenv("SINEW_MODELS", folder, 1);
    assert_int_equal(sn_find_model("wing", path, sizeof path, &error), SN_OK);
    assert_string_equal(path, path_of("wing/wing.muscle.xml"));
    assert_int_equal(sn_find_model(path_of("wing/"), path, sizeof path, &error), SN_OK);
    assert_int_equal(sn_find_model(path_of("wing/wing.muscle.xml"), path, sizeof path, &error), SN_OK);
    assert_int_equal(sn_find_model("fin", path, sizeof path, &error), SN_NO_FILE);
    assert_non_null(strstr(error.remedy, "wing"));
    assert_int_equal(sn_find_model("wing", path, 5, &error), SN_FAILED);
    unsetenv("SINEW_MODELS");
}

/* A model is listed although another, found before it, has a name that begins with the same word. */
static void test_models_are_listed_by_whole_names(void **state)
{
    (void)state;
    char list[1000], folders[1000];
    assert_int_equal(mkdir(path_of("first"), 0777), 0);
    assert_int_equal(mkdir(path_of("first/leg-left"), 0777), 0);
    assert_int_equal(mkdir(path_of("second"), 0777), 0);
    assert_int_equal(mkdir(path_of("second/leg"), 0777), 0);
    put("first/leg-left/leg-left.muscle.xml", "<Muscle version=\"1\"/>");
    put("second/leg/leg.muscle.xml", "<Muscle version=\"1\"/>");
    snprintf(folders, sizeof folders, "%s/first:%s/second", folder, folder);
    setenv("SINEW_MODELS", folders, 1);
    sn_list_models(list, sizeof list);
    assert_int_equal(strncmp(list, " leg-left leg", 13), 0);
    assert_true(list[13] == ' ' || !list[13]);
    unsetenv("SINEW_MODELS");
}

/* Whatever stands in a spec, the checker gives a list and no crash. */
static void test_any_spec_can_be_checked(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 100; ++i) {
        snSpec *spec = random_spec(1000 + i);
        snProblems problems;
        assert_int_equal(sn_check(spec, &problems), SN_BAD_INPUT);
        assert_true(problems.nerror > 0 && problems.count >= 1);
        sn_problems_free(&problems);
        sn_spec_destroy(spec);
    }
}

static void put_arm(void)
{
    put("shaft.obj", "v 0 0 0\nv 0.05 0 0\nv 0 0.05 0\nv 0 0 0.05\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
    put("bell.csv", "0.5 0\n1 1\n1.5 0\n");
    put("arm.scene.xml",
        "<ModelerScene version=\"1\"><Group name=\"humerus\"><Shape name=\"wrap\" shape=\"cylinder\" size=\"0.015 1 "
        "1\"/>"
        "</Group><Group name=\"ulna\"><Mesh name=\"shaft\" file=\"shaft.obj\"/></Group><Locator name=\"elbow\"/>"
        "<Curve name=\"biceps\"><Points>0.01 0.3 0 0.03 0.2 0 0.03 0.1 0 0.03 0.05 0 0.02 0 0 0.02 -0.05 "
        "0</Points></Curve>"
        "</ModelerScene>");
    put("arm.muscle.xml",
        "<Muscle version=\"1\"><RigidBody name=\"humerus\" pinned=\"true\"/><RigidBody name=\"ulna\" "
        "mass_from=\"mesh\"/>"
        "<Joint name=\"elbow\" type=\"hinge\" body_a=\"humerus\" body_b=\"ulna\"/>"
        "<Strand name=\"biceps\" radius=\"0.004\" active_fl=\"bell.csv\"/><MuscleGroup name=\"flexors\" "
        "strands=\"biceps\"/>"
        "<Constraint name=\"origin\" strand=\"biceps\" attachment=\"humerus\"/>"
        "<Constraint name=\"over\" type=\"surface\" strand=\"biceps\" position=\"0.8\" attachment=\"wrap\" "
        "equality=\"inequal\"/>"
        "<Constraint name=\"insertion\" strand=\"biceps\" position=\"1\" attachment=\"ulna\"/></Muscle>");
}

static void test_mesh_files(void **state)
{
    (void)state;
    put_arm();
    snSpec *spec = load(path_of("arm.muscle.xml"));
    const snNodeDef *shaft = sn_spec_node(spec, sn_spec_find(spec, SN_KIND_NODE, "shaft"));
    assert_true(shaft->nvertex == 4 && shaft->ntriangle == 4);
    save(spec, path_of("arm2.muscle.xml"));
    snSpec *back = load(path_of("arm2.muscle.xml"));
    expect_same(spec, back); /* by file again */
    sn_spec_destroy(back);
    sn_spec_destroy(spec);
    unlink(path_of("shaft.obj"));
    snError error;
    assert_int_equal(sn_load_model(path_of("arm.muscle.xml"), &spec, &error), SN_NO_FILE);
    assert_non_null(strstr(error.message, "shaft.obj"));
    assert_string_equal(error.element, "Mesh \"shaft\"");
}

/* The muscle file without its scene and meshes: they need not even be there. */
static void test_muscles_alone(void **state)
{
    (void)state;
    put_arm();
    unlink(path_of("shaft.obj")), unlink(path_of("arm.scene.xml"));
    snSpec *spec = NULL;
    assert_int_equal(sn_load_muscle_alone(path_of("arm.muscle.xml"), &spec, NULL), SN_OK);
    assert_int_equal(sn_spec_model(spec)->type, SN_MODEL_STRANDS);
    assert_int_equal(sn_spec_count(spec, SN_KIND_STRAND), 1);
    assert_int_equal(sn_spec_count(spec, SN_KIND_NODE), 0);
    sn_spec_destroy(spec);
    snError error;
    assert_int_equal(sn_load_muscle_alone(path_of("nothing.muscle.xml"), &spec, &error), SN_NO_FILE);
}

/* One bit of a mesh counts, wherever it lies. */
static void test_hash_covers_meshes(void **state)
{
    (void)state;
    uint64_t hash[3];
    put_arm();
    for (int i = 0; i < 3; ++i) {
        snSpec *spec = load(path_of("arm.muscle.xml"));
        snNodeDef *shaft = sn_spec_edit(spec, SN_KIND_NODE, sn_spec_find(spec, SN_KIND_NODE, "shaft"));
        double *last = (double *)(uintptr_t)shaft->vertex + 11;
        if (i == 2) *last = nextafter(*last, 1);
        hash[i] = sn_hash_model(spec, NULL);
        sn_spec_destroy(spec);
    }
    assert_true(hash[0] != 0 && hash[0] == hash[1] && hash[1] != hash[2]);
}

/* One run through everything; the status of what failed first. */
static snStatus use_all(const char *path, const char *target, snError *error)
{
    snSpec *spec = NULL;
    snModel *model = NULL;
    snProblems problems = {0};
    snStatus status = sn_load_model(path, &spec, error);
    if (!status) status = sn_check(spec, &problems);
    sn_problems_free(&problems);
    if (!status) status = sn_compile(spec, &model, error);
    if (!status) status = sn_save_model(spec, target, error);
    sn_model_destroy(model);
    sn_spec_destroy(spec);
    return status;
}

/* Every allocation of load, check, compile and save made to fail in turn. */
static void test_no_memory(void **state)
{
    (void)state;
    put_arm();
    char muscle[128], target[128];
    strcpy(muscle, path_of("arm.muscle.xml"));
    strcpy(target, path_of("out.muscle.xml"));
    int64_t live = sn_alloc_live(), n = 0;
    for (;; ++n) {
        snError error = {0};
        sn_alloc_fail_after(n);
        snStatus status = use_all(muscle, target, &error);
        sn_alloc_fail_after(-1);
        assert_int_equal(sn_alloc_live(), live);
        if (status == SN_OK) break;
        assert_int_equal(status, SN_NO_MEMORY);
        assert_false(sn_file_exists(target));
    }
    print_message("%d allocations, each failed once\n", (int)n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_defaults_are_left_out),
        cmocka_unit_test(test_places_are_kept),
        cmocka_unit_test(test_force_length_files),
        cmocka_unit_test(test_missing_files),
        cmocka_unit_test(test_values_that_no_file_can_hold),
        cmocka_unit_test(test_models_are_found_by_name),
        cmocka_unit_test(test_models_are_listed_by_whole_names),
        cmocka_unit_test(test_any_spec_can_be_checked),
        cmocka_unit_test(test_mesh_files),
        cmocka_unit_test(test_muscles_alone),
        cmocka_unit_test(test_hash_covers_meshes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, set_up, clean_up);
}
