/* Stacks as NIfTI-1, NRRD, or a folder of 16-bit slices. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/file.h"
#include "io/little.h"
#include "io/stack_read.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { HEADER = 352, PATH_SIZE = 4096 };

static void put_float(unsigned char *head, size_t at, double value)
{
    sn_little_put_float(head + at, value);
}

static void write_nifti(snWriter *out, const snStackPlace *p)
{
    unsigned char head[HEADER] = {0};
    sn_little_put(head, 348, 4);
    sn_little_put(head + 40, 3, 2);
    for (size_t i = 1; i < 8; ++i) sn_little_put(head + 40 + 2 * i, i <= 3 ? (uint64_t)p->n[i - 1] : 1, 2);
    sn_little_put(head + 70, 16, 2);
    sn_little_put(head + 72, 32, 2);
    put_float(head, 76, 1);
    for (size_t a = 0; a < 3; ++a) put_float(head, 80 + 4 * a, 1e3 * p->spacing[a]);
    put_float(head, 108, HEADER);
    put_float(head, 112, 1);
    head[123] = 2; /* mm */
    sn_little_put(head + 254, 1, 2);
    for (size_t r = 0; r < 3; ++r) {
        for (size_t a = 0; a < 3; ++a) put_float(head, 280 + 16 * r + 4 * a, 1e3 * p->spacing[a] * p->axis[3 * a + r]);
        put_float(head, 280 + 16 * r + 12, 1e3 * p->origin[r]);
    }
    memcpy(head + 344, "n+1", 4);
    sn_writer_bytes(out, head, sizeof head);
}

static void write_vector(snWriter *out, const double v[3], double scale)
{
    for (int c = 0; c < 3; ++c) {
        sn_writer_text(out, c ? "," : " (");
        sn_writer_number(out, scale * v[c]);
    }
    sn_writer_text(out, ")");
}

static void write_nrrd(snWriter *out, const snStackPlace *p)
{
    sn_writer_printf(
        out, "NRRD0004\ntype: float\ndimension: 3\nspace: right-anterior-superior\nsizes: %d %d %d\nspace directions:",
        (int)p->n[0], (int)p->n[1], (int)p->n[2]);
    for (int a = 0; a < 3; ++a) write_vector(out, p->axis + 3 * a, 1e3 * p->spacing[a]);
    sn_writer_text(out, "\nspace origin:");
    write_vector(out, p->origin, 1e3);
    sn_writer_text(out, "\nendian: little\nencoding: raw\n\n");
}

static void write_floats(snWriter *out, const snStack *stack)
{
    enum { PIECE = 1024 };
    unsigned char bytes[4 * PIECE];
    size_t count = sn_stack_slice_pixels(&stack->place) * (size_t)stack->place.n[2];
    for (size_t i = 0; i < count; i += PIECE) {
        size_t n = count - i < PIECE ? count - i : PIECE;
        for (size_t j = 0; j < n; ++j) sn_little_put_float(bytes + 4 * j, stack->value[i + j]);
        sn_writer_bytes(out, bytes, 4 * n);
    }
}

/* ---- folders ---------------------------------------------------------------------------------- */

/* Slices of another stack would be read as part of this one. */
static snStatus check_folder(const char *path, const char *format, int32_t count, snError *error)
{
    DIR *folder = opendir(path);
    if (!folder) return SN_OK;
    snStatus status = SN_OK;
    for (struct dirent *entry; status == SN_OK && (entry = readdir(folder));) {
        const char *name = entry->d_name;
        if (!sn_path_ends(name, ".png") && !sn_path_ends(name, ".pgm") && !sn_path_ends(name, ".ppm")) continue;
        int number = -1, used = 0;
        bool ours = sscanf(name, "slice_%d.%n", &number, &used) == 1 && used > 0 && strcmp(name + used, format) == 0;
        if (ours && number < count) continue;
        sn_fail(error, SN_BAD_INPUT, "the folder has slices of another stack, such as %.100s", name);
        sn_error_place(error, path, 0, 0);
        sn_error_remedy(error, "choose another folder, or remove them");
        status = SN_BAD_INPUT;
    }
    (void)closedir(folder);
    return status;
}

static snStatus write_pgm(const char *path, int32_t columns, int32_t rows, const unsigned char *bytes, snError *error)
{
    snWriter out;
    snStatus status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    out.quick = true;
    sn_writer_printf(&out, "P5\n%d %d\n65535\n", (int)columns, (int)rows);
    sn_writer_bytes(&out, bytes, 2 * (size_t)columns * (size_t)rows);
    return sn_writer_commit(&out, error);
}

static snStatus write_stack_text(const char *path, const snStackPlace *p, snError *error)
{
    snWriter out;
    snStatus status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    const struct {
        const char *name;
        const double *value;
        int count;
        double scale;
    } line[] = {{"spacing", p->spacing, 3, 1e3}, {"origin", p->origin, 3, 1e3}, {"axes", p->axis, 9, 1}};
    sn_writer_text(&out, "# mm; columns, rows, slices\n");
    for (size_t i = 0; i < 3; ++i) {
        sn_writer_text(&out, line[i].name);
        for (int c = 0; c < line[i].count; ++c) {
            sn_writer_text(&out, " ");
            sn_writer_number(&out, line[i].scale * line[i].value[c]);
        }
        sn_writer_text(&out, "\n");
    }
    return sn_writer_commit(&out, error);
}

static snStatus save_slice(const snStack *stack, int32_t k, const char *folder, const char *format, unsigned char *room,
                           snError *error)
{
    char path[PATH_SIZE];
    const snStackPlace *p = &stack->place;
    const float *value = sn_stack_slice(stack, k);
    for (size_t i = 0; i < sn_stack_slice_pixels(p); ++i) {
        unsigned whole = (unsigned)fmax(0, fmin(65535, round((double)value[i])));
        room[2 * i] = (unsigned char)(whole >> 8), room[2 * i + 1] = (unsigned char)(whole & 0xff);
    }
    (void)snprintf(path, sizeof path, "%s/slice_%03d.%s", folder, (int)k, format);
    return strcmp(format, "pgm") == 0 ? write_pgm(path, p->n[0], p->n[1], room, error)
                                      : sn_write_png(path, p->n[0], p->n[1], 16, 1, room, error);
}

static snStatus save_folder(const snStack *stack, const char *folder, const char *format, snError *error)
{
    char path[PATH_SIZE];
    const snStackPlace *p = &stack->place;
    if (strlen(folder) + 32 > PATH_SIZE) return sn_fail(error, SN_BAD_INPUT, "the name of the folder is too long");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        sn_fail(error, SN_WRITE_FAILED, "cannot create the folder: %s", strerror(errno));
        sn_error_place(error, folder, 0, 0);
        return SN_WRITE_FAILED;
    }
    snStatus status = check_folder(folder, format, p->n[2], error);
    unsigned char *room = SN_NEW_ARRAY(unsigned char, 2 * sn_stack_slice_pixels(p));
    if (!room) return sn_fail_no_memory(error);
    for (int32_t k = 0; status == SN_OK && k < p->n[2]; ++k) status = save_slice(stack, k, folder, format, room, error);
    sn_free(room);
    (void)snprintf(path, sizeof path, "%s/stack.txt", folder);
    return status == SN_OK ? write_stack_text(path, p, error) : status;
}

snStatus sn_save_stack(const snStack *stack, const char *path, const char *format, snError *error)
{
    if (!stack || !path) return sn_fail_argument(error, "sn_save_stack without stack or path");
    bool nrrd = sn_path_ends(path, ".nrrd"), nifti = sn_path_ends(path, ".nii") || sn_path_ends(path, ".nii.gz");
    if (!nrrd && !nifti) return save_folder(stack, path, format && strcmp(format, "pgm") == 0 ? "pgm" : "png", error);
    snWriter out;
    snStatus status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    if (nrrd)
        write_nrrd(&out, &stack->place);
    else
        write_nifti(&out, &stack->place);
    write_floats(&out, stack);
    return sn_writer_commit(&out, error);
}
