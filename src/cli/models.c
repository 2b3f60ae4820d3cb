/* Models by path or name, from the build tree and from an installed one alike. */
#include "cli.h"

#include "scenes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The folder of the running program: as the system knows it, else as it was called. */
static void own_folder(const char *program, char *folder, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", folder, size - 1);
    if (length > 0)
        folder[length] = '\0';
    else
        (void)snprintf(folder, size, "%s", program);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        (void)snprintf(folder, size, ".");
}

void cli_locate_models(const char *program)
{
    /* Installed; written by the build; tables and motions of the source tree. */
    static const char *const places[] = {"../share/sinew/models", "models", "../models"};
    char folder[3000], list[10000] = "";
    if (getenv("SINEW_MODELS")) return;
    own_folder(program, folder, sizeof folder);
    char path[3100];
    (void)snprintf(path, sizeof path, "%s/sinew-tree", folder); /* only a build tree has it */
    size_t count = access(path, R_OK) == 0 ? sizeof places / sizeof places[0] : 1;
    for (size_t i = 0; i < count; ++i) {
        (void)snprintf(path, sizeof path, "%s%s/%s", list[0] ? ":" : "", folder, places[i]);
        if (is_folder(path[0] == ':' ? path + 1 : path)) strncat(list, path, sizeof list - strlen(list) - 1);
    }
    if (list[0]) (void)setenv("SINEW_MODELS", list, 0);
}

bool cli_ends_with(const char *text, const char *ending)
{
    size_t a = strlen(text), b = strlen(ending);
    return a >= b && strcmp(text + a - b, ending) == 0;
}

snStatus cli_save_text(snCli *cli, const char *path, const char *text)
{
    return cli_save_bytes(cli, path, text, strlen(text));
}

void *cli_read_bytes(const char *path, size_t *size)
{
    struct stat info;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    bool fine =
        fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 && info.st_size < (1 << 30);
    char *bytes = fine ? malloc((size_t)info.st_size) : NULL;
    if (bytes && fread(bytes, 1, (size_t)info.st_size, file) != (size_t)info.st_size) {
        free(bytes);
        bytes = NULL;
    }
    *size = bytes ? (size_t)info.st_size : 0;
    (void)fclose(file);
    return bytes;
}

/* Skips what did not fit of a line. */
static void skip_line(FILE *file, const char *begun)
{
    if (strchr(begun, '\n')) return;
    for (int c = fgetc(file); c != '\n' && c != EOF;) c = fgetc(file);
}

int32_t cli_read_names(const char *path, int32_t most, char (*name)[CLI_NAME])
{
    char line[CLI_NAME];
    FILE *file = fopen(path, "r");
    int32_t count = 0;
    while (file && fgets(line, sizeof line, file)) {
        skip_line(file, line);
        size_t length = strcspn(line, "\r\n#");
        while (length > 0 && strchr(" \t", line[length - 1])) --length;
        line[length] = '\0';
        if (length > 0 && count < most) memcpy(name[count], line, sizeof line);
        count += length > 0;
    }
    if (file) (void)fclose(file);
    return count;
}

snStatus cli_save_bytes(snCli *cli, const char *path, const void *bytes, size_t size)
{
    snError error = {0};
    return cli_fail_file(cli, sn_save_bytes(path, bytes, size, &error), &error, path);
}

static bool is_scene(const char *name)
{
    for (int i = 0; sn_scene_info(i); ++i)
        if (strcmp(sn_scene_info(i)->name, name) == 0) return true;
    return false;
}

static snStatus load_model(snCli *cli, const char *name, bool to_check, snSpec **spec)
{
    char path[4096];
    snError error = {0};
    if (is_scene(name)) {
        *spec = sn_scene(name);
        return *spec ? SN_OK : cli_fail(cli, SN_NO_MEMORY, "out of memory");
    }
    snStatus status = sn_find_model(name, path, sizeof path, &error);
    if (status == SN_OK) status = (to_check ? sn_load_model_to_check : sn_load_model)(path, spec, &error);
    if (status == SN_OK) return cli_check_parts(cli, path, *spec);
    error.status = status;
    (void)cli_fail_error(cli, &error);
    if (status == SN_NO_FILE && !strchr(name, '/') && !strchr(name, '.'))
        cli_warn(cli, "sinew help lists the scenes that need no file");
    return status;
}

/* The model as it is, or that of --draw. */
static snStatus load_varied(snCli *cli, const char *name, bool to_check, snSpec **spec)
{
    snStatus status = load_model(cli, name, to_check, spec);
    if (status == SN_OK && cli_option_nth(cli, "draw", 0)) status = cli_vary(cli, *spec);
    if (status == SN_OK || !*spec) return status;
    sn_spec_destroy(*spec);
    *spec = NULL;
    return status;
}

/* One line where a file of another program says what a model cannot: sinew check has them all. */
static void say_missing(snCli *cli, const char *name, const snSpec *spec)
{
    int32_t count = sn_spec_missing(spec, NULL);
    if (count)
        cli_warn(cli, "%s: %d thing%s left out or replaced; `sinew check %s` lists them", name, (int)count,
                 count == 1 ? " is" : "s are", name);
}

snStatus cli_load_model(snCli *cli, const char *name, snSpec **spec)
{
    snStatus status = load_varied(cli, name, false, spec);
    if (status == SN_OK) say_missing(cli, name, *spec);
    return status;
}

snStatus cli_load_model_to_check(snCli *cli, const char *name, snSpec **spec)
{
    return load_varied(cli, name, true, spec);
}

static snStatus say_problems(snCli *cli, const snSpec *spec)
{
    snProblems problems = {0};
    snStatus status = sn_check(spec, &problems);
    for (int32_t i = 0; i < problems.count; ++i)
        if (problems.problem[i].status != SN_OK) (void)cli_fail_error(cli, &problems.problem[i]);
    sn_problems_free(&problems);
    return status;
}

snStatus cli_compile_model(snCli *cli, const char *name, snSpec **spec, snModel **model)
{
    snSpec *loaded = NULL;
    snError error = {0};
    snStatus status = cli_load_model_to_check(cli, name, &loaded);
    if (status == SN_OK) status = say_problems(cli, loaded);
    if (status == SN_OK) say_missing(cli, name, loaded);
    if (status == SN_OK) {
        status = sn_compile(loaded, model, &error);
        error.status = status;
        if (status != SN_OK) (void)cli_fail_error(cli, &error);
    }
    if (status == SN_OK && spec)
        *spec = loaded;
    else if (loaded)
        sn_spec_destroy(loaded);
    return status;
}
