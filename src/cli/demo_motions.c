/* Which motions a model shows: said in its folder, so that a new model needs no line elsewhere. */
#include "demo_motions.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, USUAL = 2, NAME = CLI_NAME };

/* Folder of the model's file, without the slash. */
static snStatus folder_of(snCli *cli, const char *model, char *folder, size_t size)
{
    snError error = {0};
    snStatus status = sn_find_model(model, folder, size, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, model);
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        (void)snprintf(folder, size, ".");
    return SN_OK;
}

/* A line of the list is the name of a motion, and "flesh" after it where a page in flesh is wanted. */
static int read_list(snCli *cli, const char *path, snDemo *demo)
{
    int count = cli_read_names(path, DEMO_MOTIONS, demo->chosen);
    if (count > DEMO_MOTIONS) {
        cli_warn(cli, "%s names %d motions; the first %d are shown", path, count, DEMO_MOTIONS);
        count = DEMO_MOTIONS;
    }
    for (int i = 0; i < count; ++i) {
        char *end = demo->chosen[i] + strcspn(demo->chosen[i], " \t");
        demo->chosen_flesh[i] = strcmp(end + strspn(end, " \t"), "flesh") == 0;
        *end = '\0';
    }
    return count;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The first ones in the alphabet; a motion is called like its file up to the first dot. */
static int first_motions(const char *folder, snDemo *demo)
{
    static char name[MOST][NAME];
    size_t count = 0;
    int chosen = 0;
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    for (struct dirent *entry; count < MOST && (entry = readdir(directory)) != NULL;) {
        size_t length = strcspn(entry->d_name, ".");
        if (length == 0 || length >= NAME || !entry->d_name[length]) continue;
        (void)snprintf(name[count++], NAME, "%.*s", (int)length, entry->d_name);
    }
    (void)closedir(directory);
    qsort(name, count, NAME, by_name);
    for (size_t i = 0; i < count && chosen < USUAL; ++i)
        if (i == 0 || strcmp(name[i], name[i - 1]) != 0) memcpy(demo->chosen[chosen++], name[i], NAME);
    return chosen;
}

snStatus cli_demo_motions(snCli *cli, snDemo *demo, int *count)
{
    char folder[4096], path[4200];
    snStatus status = folder_of(cli, demo->model, folder, sizeof folder);
    if (status != SN_OK) return status;
    (void)snprintf(path, sizeof path, "%s/demo.txt", folder);
    *count = read_list(cli, path, demo);
    (void)snprintf(path, sizeof path, "%s/motions", folder);
    if (*count == 0) *count = first_motions(path, demo);
    if (*count > 0) return SN_OK;
    return cli_fail(cli, SN_BAD_INPUT, "the model '%s' has no motions to show: put some into %s", demo->model, path);
}
