/* Every malformed file of the corpus and the message it gets. The list is tests/io/malformed.tsv: file, message. With
 * the argument --write the test makes the list anew, to be read by a person before it is kept. */
#include "io_case.h"

#include "io/bvh.h"

#include <dirent.h>

#define CORPUS SINEW_SOURCE_DIR "/tests/fuzz/corpus/"
#define LIST SINEW_SOURCE_DIR "/tests/io/malformed.tsv"

static const char *const kinds[] = {"track", "obj", "ply", "stl", "table", "poses", "bvh", "bvhmap"};

static snStatus load(const char *kind, const char *path, snError *error)
{
    snTrack *track = NULL;
    snMesh mesh = {0};
    snTable table = {0};
    snPoses *poses = NULL;
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
        status = sn_load_bvh_poses(CORPUS "bvh/good.bvh", path, &poses, error);
    else
        status = sn_load_mesh(path, &mesh, error);
    sn_track_destroy(track);
    sn_poses_destroy(poses);
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
