/* Every malformed file of the corpus and the message it gets. The list is tests/io/malformed.tsv: file, message. With
 * the argument --write the test makes the list anew, to be read by a person before it is kept. */
#include "io_case.h"

#include "io/bvh.h"
#include "io/model_files.h"
#include "io/pose.h"

#include <dirent.h>

#define CORPUS SINEW_SOURCE_DIR "/tests/fuzz/corpus/"
#define LIST SINEW_SOURCE_DIR "/tests/io/malformed.tsv"

static const char *const kinds[] = {"track", "obj",    "ply",   "stl",    "table",        "poses",
                                    "bvh",   "bvhmap", "scene", "muscle", "force_length", "case"};

/* A model is loaded and checked; the first error of the check counts. */
static snStatus load_model(const char *path, snError *error)
{
    snSpec *spec = NULL;
    snProblems problems;
    snStatus status = sn_load_model(path, &spec, error);
    if (status != SN_OK) return status;
    status = sn_check(spec, &problems);
    for (int32_t i = problems.count - 1; i >= 0; --i)
        if (problems.problem[i].status != SN_OK) *error = problems.problem[i];
    sn_problems_free(&problems);
    sn_spec_destroy(spec);
    return status;
}

static snStatus load_force_length(const char *path, snError *error)
{
    snNumbers stretch = {0}, force = {0};
    snStatus status = sn_force_length_read(path, &stretch, &force, error);
    sn_numbers_free(&stretch);
    sn_numbers_free(&force);
    return status;
}

static snStatus load(const char *kind, const char *path, snError *error)
{
    snTrack *track = NULL;
    snMesh mesh = {0};
    snTable table = {0};
    snPoses *poses = NULL;
    snCase *patient = NULL;
    snStatus status;
    if (!strcmp(kind, "track"))
        status = sn_load_track(path, &track, error);
    else if (!strcmp(kind, "table"))
        status = sn_load_table(path, &table, error);
    else if (!strcmp(kind, "poses"))
        status = sn_load_poses(path, &poses, error);
    else if (!strcmp(kind, "bvh"))
        status = sn_load_bvh(path, 1, &track, error);
    else if (!strcmp(kind, "bvhmap"))
        status = sn_load_bvh_poses(CORPUS "bvh/good.bvh", path, NULL, &poses, NULL, error);
    else if (!strcmp(kind, "scene") || !strcmp(kind, "muscle"))
        status = load_model(path, error);
    else if (!strcmp(kind, "case"))
        status = sn_load_case(path, &patient, error);
    else if (!strcmp(kind, "force_length"))
        status = load_force_length(path, error);
    else
        status = sn_load_mesh(path, &mesh, error);
    sn_track_destroy(track);
    sn_poses_destroy(poses);
    sn_case_destroy(patient);
    sn_mesh_free(&mesh);
    sn_table_free(&table);
    return status;
}

/* The message without the path of this machine. */
static void message(const char *kind, const char *name, char *text, size_t size)
{
    char path[700];
    snError error;
    snprintf(path, sizeof path, "%s%s/%s", CORPUS, kind, name);
    snStatus status = load(kind, path, &error);
    if (status == SN_OK) {
        snprintf(text, size, "no error");
        return;
    }
    assert_true(status == SN_BAD_FILE || status == SN_BAD_INPUT);
    assert_string_equal(error.file, path);
    snprintf(error.file, sizeof error.file, "%.60s", name);
    sn_error_format(&error, text, size);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

typedef void (*visitFn)(void *context, const char *kind, const char *name);

static int visit_corpus(visitFn visit, void *context)
{
    int count = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k) {
        char folder[600];
        struct dirent **entry;
        snprintf(folder, sizeof folder, "%s%s", CORPUS, kinds[k]);
        int n = scandir(folder, &entry, NULL, by_name);
        assert_true(n > 2);
        for (int i = 0; i < n; ++i) {
            if (entry[i]->d_name[0] != '.') ++count, visit(context, kinds[k], entry[i]->d_name);
            free(entry[i]);
        }
        free(entry);
    }
    return count;
}

static void write_line(void *context, const char *kind, const char *name)
{
    char text[1400];
    message(kind, name, text, sizeof text);
    fprintf(context, "%s/%s\t%s\n", kind, name, text);
}

static void check_line(void *context, const char *kind, const char *name)
{
    char text[1400], line[1600], expected[1600];
    message(kind, name, text, sizeof text);
    snprintf(line, sizeof line, "%s/%s\t%s\n", kind, name, text);
    assert_non_null(fgets(expected, sizeof expected, context));
    assert_string_equal(line, expected);
    assert_int_equal(!strncmp(name, "good", 4), !strcmp(text, "no error"));
}

static void every_malformed_file_gets_its_message(void **state)
{
    (void)state;
    char rest[4];
    FILE *list = fopen(LIST, "r");
    assert_non_null(list);
    int64_t before = sn_alloc_live();
    int count = visit_corpus(check_line, list);
    assert_null(fgets(rest, sizeof rest, list));
    assert_int_equal(sn_alloc_live(), before);
    print_message("%d files\n", count);
    fclose(list);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_malformed_file_gets_its_message)};
    if (argc > 1 && !strcmp(argv[1], "--write")) {
        FILE *list = fopen(LIST, "w");
        if (!list) return 1;
        visit_corpus(write_line, list);
        return fclose(list);
    }
    return cmocka_run_group_tests_name("io.malformed", tests, NULL, NULL);
}
