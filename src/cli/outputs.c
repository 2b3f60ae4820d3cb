/* What a command is about to write must not be what it reads: neither an argument, nor the file of an option, nor a
 * part of the model. All names are compared by the files that they lead to. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that name a file to write. */
static bool is_output(const snOption *option)
{
    static const char *const name[] = {"o",      "report", "surface",   "csv",          "picture",
                                       "points", "save",   "save-case", "save-weights", "slurm"};
    if (option->kind != SN_OPTION_TEXT) return false;
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i)
        if (strcmp(option->name, name[i]) == 0) return true;
    return false;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static snStatus refuse(snCli *cli, const char *output, const char *input)
{
    return cli_fail(cli, SN_USAGE, "%s would overwrite its own input %s: give the output another name", output, input);
}

static snStatus check_inputs(snCli *cli, const char *path)
{
    for (int i = 0; i < cli->nargument; ++i)
        if (cli->argument[i] != path && same_file(path, cli->argument[i])) return refuse(cli, path, cli->argument[i]);
    for (int i = 0; i < cli->nset; ++i) {
        const char *other = cli->set_value[i];
        if (other && other != path && !is_output(cli->set[i]) && same_file(path, other))
            return refuse(cli, path, other);
    }
    return SN_OK;
}

/* OUT/ would become the hidden file OUT/.replay.xml. Options for a folder say so by name or in their help. */
static snStatus check_slash(snCli *cli, const snOption *option, const char *path)
{
    size_t n = strlen(path);
    bool folder = strcmp(option->value, "FOLDER") == 0 || strncmp(option->help, "folder", 6) == 0 ||
                  strncmp(option->help, "a folder", 8) == 0;
    if (n > 0 && (path[n - 1] != '/' || folder)) return SN_OK;
    return cli_fail(cli, SN_USAGE, "-%s%s %s: %s; give the name of a file, such as %srun", option->name[1] ? "-" : "",
                    option->name, n ? path : "\"\"", n ? "this is a folder" : "the name is empty", path);
}

snStatus cli_check_outputs(snCli *cli)
{
    snStatus status = SN_OK;
    for (int i = 0; i < cli->nset && status == SN_OK; ++i) {
        const char *path = cli->set_value[i];
        if (!path || !is_output(cli->set[i])) continue;
        status = check_slash(cli, cli->set[i], path);
        if (status == SN_OK) status = check_inputs(cli, path);
        for (int k = 0; k < i && status == SN_OK; ++k) {
            const char *other = cli->set_value[k];
            if (cli->set[k] == cli->set[i] || !other || !is_output(cli->set[k])) continue;
            if (strcmp(path, other) == 0 || same_file(path, other))
                status = cli_fail(cli, SN_USAGE, "-%s%s and -%s%s are the same file %s: give one of them another name",
                                  cli->set[k]->name[1] ? "-" : "", cli->set[k]->name, cli->set[i]->name[1] ? "-" : "",
                                  cli->set[i]->name, path);
        }
    }
    return status;
}

/* Whether any output is the file `name`, which the model names relative to the folder of `from`. */
static snStatus check_part(snCli *cli, const char *from, const char *name)
{
    char part[8192];
    const char *slash = strrchr(from, '/');
    if (!name || !*name) return SN_OK;
    int folder = slash && name[0] != '/' ? (int)(slash - from) + 1 : 0;
    if (snprintf(part, sizeof part, "%.*s%s", folder, from, name) >= (int)sizeof part) return SN_OK;
    for (int i = 0; i < cli->nset; ++i)
        if (is_output(cli->set[i]) && cli->set_value[i] && same_file(cli->set_value[i], part))
            return refuse(cli, cli->set_value[i], part);
    return SN_OK;
}

snStatus cli_check_parts(snCli *cli, const char *path, const snSpec *spec)
{
    char scene[8192];
    const char *name = sn_spec_model(spec)->scene, *slash = strrchr(path, '/');
    int folder = slash && name && name[0] != '/' ? (int)(slash - path) + 1 : 0;
    (void)snprintf(scene, sizeof scene, "%.*s%s", folder, path, name ? name : "");
    snStatus status = check_part(cli, path, name);
    for (int32_t i = 1; i <= sn_spec_count(spec, SN_KIND_NODE) && status == SN_OK; ++i)
        status = check_part(cli, scene, sn_spec_node(spec, (snId)i)->file);
    return status;
}

snStatus cli_check_output(snCli *cli, const char *path)
{
    snStatus status = check_inputs(cli, path);
    if (status != SN_OK) return status;
    char folder[4096];
    (void)snprintf(folder, sizeof folder, "%s", path);
    for (size_t n = strlen(folder); n > 1 && folder[n - 1] == '/';) folder[--n] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        (void)snprintf(folder, sizeof folder, ".");
    else if (slash == folder)
        folder[1] = '\0';
    else
        *slash = '\0';
    if (!is_folder(folder))
        return cli_fail(cli, SN_WRITE_FAILED, "%s cannot be written: there is no folder %s", path, folder);
    if (access(folder, W_OK) != 0)
        return cli_fail(cli, SN_WRITE_FAILED, "%s cannot be written: %s: %s", path, folder, strerror(errno));
    if (is_folder(path)) return cli_fail(cli, SN_WRITE_FAILED, "%s cannot be written: it is a folder", path);
    return SN_OK;
}
