/* Stacks by the ending of their name, folders of slices, and the writers. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/file.h"
#include "io/little.h"
#include "io/scan.h"
#include "io/stack_read.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };
static const size_t LARGEST = (size_t)1 << 32;

/* ---- folders ---------------------------------------------------------------------------------- */

typedef struct {
    char **name;
    int32_t count;
} Names;

static void free_names(Names *names)
{
    for (int32_t i = 0; i < names->count; ++i) sn_free(names->name[i]);
    sn_free(names->name);
    *names = (Names){0};
}

/* slice_9 before slice_10. */
static int natural_order(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    while (*x && *y) {
        if (isdigit((unsigned char)*x) && isdigit((unsigned char)*y)) {
            size_t m = strspn(x, "0"), n = strspn(y, "0");
            x += m, y += n;
            m = strspn(x, "0123456789"), n = strspn(y, "0123456789");
            int order = m != n ? (m < n ? -1 : 1) : strncmp(x, y, m);
            if (order) return order;
            x += m, y += n;
        } else if (*x != *y) {
            break;
        } else {
            ++x, ++y;
        }
    }
    int order = (unsigned char)*x - (unsigned char)*y;
    return order ? order : strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_picture(const char *name)
{
    return name[0] != '.' && (sn_path_ends(name, ".png") || sn_path_ends(name, ".pgm") || sn_path_ends(name, ".ppm"));
}

static snStatus list_pictures(const char *path, Names *names, snError *error)
{
    DIR *folder = opendir(path);
    if (!folder) {
        sn_fail(error, SN_NO_FILE, "cannot read the folder: %s", strerror(errno));
        sn_error_place(error, path, 0, 0);
        return SN_NO_FILE;
    }
    snStatus status = SN_OK;
    for (struct dirent *entry; status == SN_OK && (entry = readdir(folder));) {
        if (!is_picture(entry->d_name)) continue;
        char **more = sn_realloc(names->name, (size_t)names->count, (size_t)names->count + 1, sizeof *more);
        if (more) names->name = more;
        char *name = more ? sn_strdup(entry->d_name) : NULL;
        if (!name)
            status = sn_fail_no_memory(error);
        else if (names->count == SN_STACK_SLICES)
            status = sn_stack_fail(path, error, NULL, "more than %d slices", SN_STACK_SLICES);
        else
            names->name[names->count++] = name;
        if (status != SN_OK) sn_free(name);
    }
    (void)closedir(folder);
    if (names->count > 1) qsort(names->name, (size_t)names->count, sizeof *names->name, natural_order);
    return status;
}

static snStatus load_picture(const char *path, snPicture *picture, snError *error)
{
    char *data;
    size_t size;
    snStatus status = sn_file_read_reference(path, LARGEST, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_path_ends(path, ".png") ? sn_parse_png(path, data, size, picture, error)
                                        : sn_parse_pnm(path, data, size, picture, error);
    sn_free(data);
    return status;
}

snStatus sn_parse_stack_text(const char *file, const char *data, size_t size, snStackPlace *place, bool *found,
                             snError *error)
{
    snScan scan = sn_scan_begin(file, data, size, error);
    snWord word;
    while (sn_scan_line(&scan)) {
        if (!sn_scan_word(&scan, &word) || word.at[0] == '#') continue;
        bool spacing = sn_word_is(word, "spacing"), axes = sn_word_is(word, "axes");
        if (!spacing && !axes && !sn_word_is(word, "origin"))
            return sn_scan_fail(&scan, "expected spacing, origin or axes");
        double *to = spacing ? place->spacing : axes ? place->axis : place->origin;
        for (int i = 0; i < (axes ? 9 : 3); ++i) {
            snStatus status = sn_scan_number(&scan, axes ? "axis" : "length in mm", to + i);
            if (status != SN_OK) return status;
            if (!axes) to[i] *= 1e-3;
        }
        *found = *found || spacing;
        if (sn_scan_word(&scan, &word)) return sn_scan_fail(&scan, "more numbers than expected");
    }
    return SN_OK;
}

/* What stack.txt says, where there is one. */
static snStatus read_stack_text(const char *folder, snStackPlace *place, bool *found, snError *error)
{
    char path[PATH_SIZE], *data;
    size_t size;
    if (snprintf(path, sizeof path, "%s/stack.txt", folder) >= PATH_SIZE || !sn_file_exists(path)) return SN_OK;
    snStatus status = sn_file_read_text(path, true, &data, &size, error);
    if (status != SN_OK) return status;
    status = sn_parse_stack_text(path, data, size, place, found, error);
    sn_free(data);
    return status;
}

/* Slice k into the stack, which the first one makes. */
static snStatus add_picture(const char *path, int32_t k, snStackPlace *place, snStack *stack, snError *error)
{
    snPicture picture = {0};
    snStatus status = load_picture(path, &picture, error);
    if (status == SN_OK && !stack->value) {
        place->n[0] = picture.columns, place->n[1] = picture.rows;
        status = sn_stack_create(place, stack, error);
        if (status != SN_OK) sn_error_place(error, path, 0, 0);
    }
    if (status == SN_OK && (picture.columns != place->n[0] || picture.rows != place->n[1]))
        status = sn_stack_fail(path, error, "all slices of a stack must have the same size",
                               "this slice has %d x %d pixels, the first one %d x %d", (int)picture.columns,
                               (int)picture.rows, (int)place->n[0], (int)place->n[1]);
    if (status == SN_OK) memcpy(sn_stack_slice(stack, k), picture.value, sn_stack_slice_pixels(place) * sizeof(float));
    sn_free(picture.value);
    return status;
}

static snStatus load_folder(const char *path, const double *spacing, snStack *stack, snError *error)
{
    Names names = {0};
    snStack made = {0};
    snStackPlace place = sn_default_stack_place();
    bool found = spacing != NULL;
    snStatus status = read_stack_text(path, &place, &found, error);
    if (status == SN_OK) status = list_pictures(path, &names, error);
    if (status == SN_OK && names.count == 0)
        status = sn_stack_fail(path, error, "put the slices there, or name another folder",
                               "the folder has no .png, .pgm or .ppm files");
    if (status == SN_OK && !found)
        status = sn_stack_fail(path, error,
                               "give --spacing X,Y,Z, or put a line \"spacing 0.5 0.5 5\" (mm) into its file stack.txt",
                               "the spacing of the slices is not known");
    if (spacing) memcpy(place.spacing, spacing, sizeof place.spacing);
    place.n[2] = names.count;
    for (int32_t k = 0; status == SN_OK && k < names.count; ++k) {
        char file[PATH_SIZE];
        if (snprintf(file, sizeof file, "%s/%s", path, names.name[k]) >= PATH_SIZE)
            status = sn_stack_fail(path, error, NULL, "the name is too long");
        else
            status = add_picture(file, k, &place, &made, error);
    }
    free_names(&names);
    if (status == SN_OK)
        *stack = made;
    else
        sn_stack_free(&made);
    return status;
}

/* ---- loading ---------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

snStatus sn_load_stack(const char *path, const double *spacing, snStack *stack, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_load_stack without path");
    if (is_folder(path)) return load_folder(path, spacing, stack, error);
    bool nrrd = sn_path_ends(path, ".nrrd");
    if (!nrrd && !sn_path_ends(path, ".nii") && !sn_path_ends(path, ".nii.gz")) {
        if (!sn_file_exists(path)) {
            sn_fail(error, SN_NO_FILE, "no such file or folder");
            sn_error_place(error, path, 0, 0);
            return SN_NO_FILE;
        }
        return sn_stack_fail(path, error,
                             sn_path_ends(path, ".dcm") ? "convert DICOM with dcm2niix"
                                                        : "name a folder of .png or .pgm slices",
                             "a stack is a .nii, .nii.gz or .nrrd file, or a folder of slices");
    }
    char *data;
    size_t size;
    snStack made = {0};
    snStatus status = sn_file_read(path, LARGEST, &data, &size, error);
    if (status != SN_OK) return status;
    status = nrrd ? sn_parse_nrrd(path, data, size, &made, error) : sn_parse_nifti(path, data, size, &made, error);
    sn_free(data);
    if (status == SN_OK && spacing) {
        memcpy(made.place.spacing, spacing, sizeof made.place.spacing);
        status = sn_stack_place_check(&made.place, error);
    }
    if (status == SN_OK)
        *stack = made;
    else
        sn_stack_free(&made);
    return status;
}
