/* NIfTI-1, in one file (.nii, .nii.gz): a header of 348 bytes in the byte order of the machine that wrote it, then
 * voxels. World axes are right, front and up. The sform is taken where there is one, else the qform, else the voxel
 * sizes alone. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/stack_read.h"
#include "math/vec.h"

#include <string.h>

enum { HEADER = 352 };

typedef struct {
    const unsigned char *bytes;
    bool big;
} Header;

static int int16_at(const Header *h, size_t at)
{
    return (int)sn_voxel_get(h->bytes + at, SN_VOXEL_I16, h->big);
}
static double float_at(const Header *h, size_t at)
{
    return sn_voxel_get(h->bytes + at, SN_VOXEL_F32, h->big);
}

static snVoxel voxel_type(int datatype)
{
    switch (datatype) {
    case 2:
        return SN_VOXEL_U8;
    case 4:
        return SN_VOXEL_I16;
    case 8:
        return SN_VOXEL_I32;
    case 16:
        return SN_VOXEL_F32;
    case 64:
        return SN_VOXEL_F64;
    case 256:
        return SN_VOXEL_I8;
    case 512:
        return SN_VOXEL_U16;
    case 768:
        return SN_VOXEL_U32;
    default:
        return SN_VOXEL_NONE;
    }
}

static snStatus read_size(const char *file, const Header *h, snStackPlace *place, snError *error)
{
    int dimensions = int16_at(h, 40);
    if (dimensions < 2 || dimensions > 7)
        return sn_stack_fail(file, error, NULL, "the header says %d dimensions; expected 3", dimensions);
    for (int i = 1; i <= dimensions; ++i) {
        int n = int16_at(h, 40 + 2 * (size_t)i);
        if (i <= 3)
            place->n[i - 1] = n;
        else if (n > 1)
            return sn_stack_fail(file, error, "extract one of them", "the file holds %d volumes; expected one", n);
    }
    if (dimensions == 2) place->n[2] = 1;
    return SN_OK;
}

/* A matrix of columns in the file's unit to spacing and axes. */
static void set_axes(snStackPlace *place, const double column[9], const double offset[3], double unit)
{
    for (int a = 0; a < 3; ++a) {
        v3 c = v3_load(column + 3 * a);
        place->spacing[a] = unit * v3_len(c);
        v3_store(place->axis + 3 * a, v3_unit(c));
        place->origin[a] = unit * offset[a];
    }
}

static void read_place(const Header *h, snStackPlace *place)
{
    int units = h->bytes[123] & 7;
    double unit = units == 1 ? 1 : units == 3 ? 1e-6 : 1e-3, column[9] = {0}, offset[3] = {0};
    for (int a = 0; a < 3; ++a) column[4 * a] = fabs(float_at(h, 80 + 4 * (size_t)a));
    if (int16_at(h, 254) > 0) {
        for (size_t r = 0; r < 3; ++r) {
            for (size_t a = 0; a < 3; ++a) column[3 * a + r] = float_at(h, 280 + 16 * r + 4 * a);
            offset[r] = float_at(h, 280 + 16 * r + 12);
        }
    } else if (int16_at(h, 252) > 0) {
        double b = float_at(h, 256), c = float_at(h, 260), d = float_at(h, 264);
        m3 turn = m3_from_q((quat){sqrt(fmax(0, 1 - b * b - c * c - d * d)), b, c, d});
        for (int a = 0; a < 3; ++a) {
            double size = column[4 * a] * (a == 2 && float_at(h, 76) < 0 ? -1 : 1);
            offset[a] = float_at(h, 268 + 4 * (size_t)a);
            column[4 * a] = 0;
            for (int r = 0; r < 3; ++r) column[3 * a + r] = size * turn.m[3 * r + a];
        }
    }
    set_axes(place, column, offset, unit);
}

static snStatus read_header(const char *file, Header *h, snStackPlace *place, snVoxel *type, size_t *start,
                            snError *error)
{
    h->big = sn_voxel_get(h->bytes, SN_VOXEL_U32, true) == 348;
    if (!h->big && sn_voxel_get(h->bytes, SN_VOXEL_U32, false) != 348)
        return sn_stack_fail(file, error, "convert it with a tool that writes NIfTI-1", "not a NIfTI-1 file");
    if (memcmp(h->bytes + 344, "ni1", 4) == 0)
        return sn_stack_fail(file, error, "save it as one .nii file", "the voxels are in another file");
    if (memcmp(h->bytes + 344, "n+1", 4) != 0)
        return sn_stack_fail(file, error, "convert it with a tool that writes NIfTI-1",
                             "not a NIfTI-1 file: no n+1 at byte 344");
    int datatype = int16_at(h, 70);
    *type = voxel_type(datatype);
    if (*type == SN_VOXEL_NONE)
        return sn_stack_fail(file, error, "convert it to whole or floating numbers", "voxels of type %d cannot be read",
                             datatype);
    double offset = float_at(h, 108);
    if (!(offset >= HEADER && offset < 1e8))
        return sn_stack_fail(file, error, NULL, "the header puts the first voxel at byte %g", offset);
    *start = (size_t)offset;
    snStatus status = read_size(file, h, place, error);
    if (status == SN_OK) read_place(h, place);
    return status;
}

static snStatus read_voxels(const char *file, const char *data, size_t size, const Header *h, const snStackPlace *place,
                            snVoxel type, size_t start, snStack *stack, snError *error)
{
    size_t count = (size_t)place->n[0] * (size_t)place->n[1] * (size_t)place->n[2];
    size_t wanted = start + count * sn_voxel_size(type);
    double slope = float_at(h, 112), shift = float_at(h, 116);
    if (!(slope != 0)) slope = 1, shift = 0; /* 0 means not scaled */
    unsigned char *bytes = NULL;
    snStatus status = SN_OK;
    if (sn_is_gzip(data, size))
        status = sn_expand(file, data, size, wanted, &bytes, error);
    else if (size < wanted)
        status = sn_stack_fail(file, error, "the file may be truncated; copy or download it again",
                               "the file ends after %zu of %zu bytes", size, wanted);
    if (status != SN_OK) return status;
    const unsigned char *voxel = (bytes ? bytes : (const unsigned char *)data) + start;
    status = sn_voxels_to_stack(file, place, voxel, type, h->big, slope, shift, stack, error);
    sn_free(bytes);
    return status;
}

snStatus sn_parse_nifti(const char *file, const char *data, size_t size, snStack *stack, snError *error)
{
    unsigned char *head = NULL;
    snStackPlace place = sn_default_stack_place();
    snVoxel type = SN_VOXEL_NONE;
    size_t start = 0;
    if (sn_is_gzip(data, size)) {
        snStatus status = sn_expand(file, data, size, HEADER, &head, error);
        if (status != SN_OK) return status;
    } else if (size < HEADER) {
        return sn_stack_fail(file, error, NULL, "%zu bytes are too few for a NIfTI file", size);
    }
    Header h = {.bytes = head ? head : (const unsigned char *)data};
    snStatus status = read_header(file, &h, &place, &type, &start, error);
    if (status == SN_OK) {
        snStackPlace check = place;
        status = sn_stack_place_check(&check, error);
        if (status != SN_OK) sn_error_place(error, file, 0, 0);
    }
    if (status == SN_OK) status = read_voxels(file, data, size, &h, &place, type, start, stack, error);
    sn_free(head);
    return status;
}
