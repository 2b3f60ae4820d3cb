/* Shipped models by name: NAME/NAME.muscle.xml in the first of several folders that has it. */
#include "base/error.h"
#include "base/where.h"
#include "io/file.h"
#include "sinew/io.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096, MAX_FOLDERS = 8 };

typedef struct Folders {
    char path[MAX_FOLDERS][PATH_SIZE];
    int count;
} Folders;

static void add_folder(Folders *f, const char *path, size_t length)
{
    if (f->count == MAX_FOLDERS || length == 0 || length >= PATH_SIZE) return;
    memcpy(f->path[f->count], path, length);
    f->path[f->count++][length] = '\0';
}

static void add_list(Folders *f, const char *list)
{
    while (list && *list) {
        size_t n = strcspn(list, ":");
        add_folder(f, list, n);
        list += n + (list[n] == ':');
    }
}

/* The folders that the build tree names, when the program or the library runs from one. */
static void add_tree(Folders *f)
{
    char path[PATH_SIZE + 20], list[PATH_SIZE] = "";
    if (!sn_build_tree(path, PATH_SIZE)) return;
    strcat(path, "/sinew-tree");
    FILE *file = fopen(path, "r");
    if (!file) return;
    if (fgets(list, sizeof list, file)) {
        list[strcspn(list, "\n")] = '\0';
        add_list(f, list);
    }
    (void)fclose(file);
}

/* The share folder that belongs to the running program, PREFIX/bin/sinew, or to the library when another program has
 * loaded it, PREFIX/lib/libsinew.so or PREFIX/lib/MACHINE/libsinew.so: PREFIX/share/sinew/models. */
static void add_installed(Folders *f)
{
    static const char *const share[] = {"../share/sinew/models", "../../share/sinew/models"};
    char path[PATH_SIZE];
    if (sn_beside(SN_WHERE_PROGRAM, share[0], path, sizeof path)) add_folder(f, path, strlen(path));
    for (int i = 0; i < 2; ++i)
        if (sn_beside(SN_WHERE_LIBRARY, share[i], path, sizeof path)) add_folder(f, path, strlen(path));
}

static void find_folders(Folders *f)
{
    f->count = 0;
    add_list(f, getenv("SINEW_MODELS"));
    add_tree(f);
    add_installed(f);
}

static bool model_in(const char *folder, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s/%s.muscle.xml", folder, name, name);
    return n > 0 && (size_t)n < size && sn_file_exists(path);
}

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += n)
        if (at > list && at[-1] == ' ' && (at[n] == ' ' || !at[n])) return true;
    return false;
}

/* Appends the models of a folder that the list does not have yet, in the order of their names. */
static void list_models(const char *folder, char *list, size_t size)
{
    struct dirent **entry = NULL;
    int count = scandir(folder, &entry, NULL, alphasort);
    char path[PATH_SIZE + 600];
    for (int i = 0; i < count; ++i) {
        const char *name = entry[i]->d_name;
        size_t n = strlen(list);
        if (name[0] != '.' && model_in(folder, name, path, sizeof path) && !has_word(list, name) &&
            n + strlen(name) + 1 < size)
            snprintf(list + n, size - n, " %s", name);
        free(entry[i]);
    }
    free(entry);
}

void sn_list_models(char *list, size_t size)
{
    Folders folders;
    find_folders(&folders);
    if (size) list[0] = '\0';
    for (int i = 0; i < folders.count && size; ++i) list_models(folders.path[i], list, size);
}

static snStatus fail_unknown(const Folders *f, const char *name, snError *error)
{
    char list[200] = "";
    for (int i = 0; i < f->count; ++i) list_models(f->path[i], list, sizeof list);
    sn_fail(error, SN_NO_FILE, "\"%.200s\" is neither a file nor the name of a model", name);
    if (*list)
        sn_error_remedy(error, "the models are:%s", list);
    else
        sn_error_remedy(error, "no models are installed; set SINEW_MODELS to their folder");
    return SN_NO_FILE;
}

static snStatus give(const char *found, char *path, size_t size, snError *error)
{
    if (strlen(found) >= size) return sn_fail(error, SN_FAILED, "the path of the model is too long");
    strcpy(path, found);
    return SN_OK;
}

/* A folder that holds a model of its own name. */
static bool model_of_folder(const char *name, char *found, size_t size)
{
    int n = (int)strlen(name);
    while (n > 1 && name[n - 1] == '/') --n;
    int first = n;
    while (first > 0 && name[first - 1] != '/') --first;
    int length = snprintf(found, size, "%.*s/%.*s.muscle.xml", n, name, n - first, name + first);
    return length > 0 && (size_t)length < size && sn_file_exists(found);
}

snStatus sn_find_model(const char *name, char *path, size_t size, snError *error)
{
    if (!name) return sn_fail_argument(error, "sn_find_model without name_or_path");
    char found[PATH_SIZE + 600];
    if (sn_file_exists(name)) return give(name, path, size, error);
    Folders folders;
    find_folders(&folders);
    for (int i = 0; !strchr(name, '/') && *name && i < folders.count; ++i)
        if (model_in(folders.path[i], name, found, sizeof found)) return give(found, path, size, error);
    if (model_of_folder(name, found, sizeof found)) return give(found, path, size, error);
    return fail_unknown(&folders, name, error);
}
