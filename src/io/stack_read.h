/* What the readers of slice images share. Each sn_parse_* reads a file held in memory; `file` is its name for messages.
 * Nothing is allocated before the file is known to be long enough for it. */
#ifndef SN_IO_STACK_READ_H
#define SN_IO_STACK_READ_H

#include "image/own/image.h"

typedef struct snPicture {
    int32_t columns, rows;
    float *value; /* columns fastest; freed with sn_free */
} snPicture;      /* zeroed memory is none */

snStatus sn_parse_png(const char *file, const char *data, size_t size, snPicture *picture, snError *error);
snStatus sn_parse_pnm(const char *file, const char *data, size_t size, snPicture *picture, snError *error);
/* Compressed as a whole or not. */
snStatus sn_parse_nifti(const char *file, const char *data, size_t size, snStack *stack, snError *error);
snStatus sn_parse_nrrd(const char *file, const char *data, size_t size, snStack *stack, snError *error);
/* Lines "spacing X Y Z", "origin X Y Z", "axes ..." (nine numbers); mm. found: whether there was a spacing. */
snStatus sn_parse_stack_text(const char *file, const char *data, size_t size, snStackPlace *place, bool *found,
                             snError *error);
snStatus sn_parse_contours(const char *file, const char *data, size_t size, snContours *contours, snError *error);

/* depth: 8 or 16 bits, the high byte first; channels: 1 or 3. */
snStatus sn_write_png(const char *path, int32_t columns, int32_t rows, int depth, int channels,
                      const unsigned char *bytes, snError *error);

typedef enum snVoxel {
    SN_VOXEL_NONE,
    SN_VOXEL_U8,
    SN_VOXEL_I8,
    SN_VOXEL_U16,
    SN_VOXEL_I16,
    SN_VOXEL_U32,
    SN_VOXEL_I32,
    SN_VOXEL_F32,
    SN_VOXEL_F64
} snVoxel;
size_t sn_voxel_size(snVoxel type); /* bytes */
double sn_voxel_get(const unsigned char *bytes, snVoxel type, bool big);
/* Makes the stack and fills it with slope * value + shift. The bytes must be enough. SN_BAD_FILE: a value that is not
 * finite. */
snStatus sn_voxels_to_stack(const char *file, const snStackPlace *place, const unsigned char *bytes, snVoxel type,
                            bool big, double slope, double shift, snStack *stack, snError *error);
/* SN_BAD_FILE with the name of the file. */
snStatus sn_stack_fail(const char *file, snError *error, const char *remedy, const char *format, ...) SN_PRINTF(4, 5);

bool sn_is_gzip(const char *data, size_t size);
/* The first `wanted` bytes of gzip data, to be freed with sn_free. SN_BAD_FILE: damaged, or too short for it. */
snStatus sn_expand(const char *file, const char *data, size_t size, size_t wanted, unsigned char **bytes,
                   snError *error);

#endif
