/* Numbers of any kind as grey values, and data that gzip has compressed. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/little.h"
#include "io/stack_read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <zlib.h>

snStatus sn_stack_fail(const char *file, snError *error, const char *remedy, const char *format, ...)
{
    char message[400];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    sn_fail(error, SN_BAD_FILE, "%s", message);
    sn_error_place(error, file, 0, 0);
    if (remedy) sn_error_remedy(error, "%s", remedy);
    return SN_BAD_FILE;
}

size_t sn_voxel_size(snVoxel type)
{
    static const size_t size[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return size[type];
}

double sn_voxel_get(const unsigned char *bytes, snVoxel type, bool big)
{
    unsigned char turned[8];
    int size = (int)sn_voxel_size(type);
    for (int i = 0; i < size; ++i) turned[i] = bytes[big ? size - 1 - i : i];
    uint64_t bits = sn_little_get(turned, size);
    double value;
    switch (type) {
    case SN_VOXEL_I8:
        return (int8_t)bits;
    case SN_VOXEL_I16:
        return (int16_t)bits;
    case SN_VOXEL_I32:
        return (int32_t)bits;
    case SN_VOXEL_F32:
        return sn_float_of((uint32_t)bits);
    case SN_VOXEL_F64:
        memcpy(&value, &bits, sizeof value);
        return value;
    default:
        return (double)bits;
    }
}

snStatus sn_voxels_to_stack(const char *file, const snStackPlace *place, const unsigned char *bytes, snVoxel type,
                            bool big, double slope, double shift, snStack *stack, snError *error)
{
    snStack made = {0};
    snStatus status = sn_stack_create(place, &made, error);
    if (status != SN_OK) {
        sn_error_place(error, file, 0, 0);
        return status;
    }
    size_t width = sn_voxel_size(type), i = 0;
    for (int32_t k = 0; k < place->n[2]; ++k)
        for (int32_t y = 0; y < place->n[1]; ++y)
            for (int32_t x = 0; x < place->n[0]; ++x, ++i) {
                double value = slope * sn_voxel_get(bytes + i * width, type, big) + shift;
                if (!(fabs(value) < 1e30)) {
                    sn_stack_free(&made);
                    return sn_stack_fail(file, error, "replace such values, for instance by 0",
                                         "the pixel %d,%d of slice %d is not a finite number", (int)x, (int)y, (int)k);
                }
                made.value[i] = (float)value;
            }
    *stack = made;
    return SN_OK;
}

bool sn_is_gzip(const char *data, size_t size)
{
    return size > 2 && (unsigned char)data[0] == 0x1f && (unsigned char)data[1] == 0x8b;
}

static void *give(void *user, uInt count, uInt size)
{
    (void)user;
    return sn_alloc(count, size);
}
static void take(void *user, void *block)
{
    (void)user;
    sn_free(block);
}

/* zlib counts in unsigned int: data is given in pieces. */
static size_t inflate_all(z_stream *z, const char *data, size_t size, unsigned char *out, size_t wanted)
{
    const size_t piece = (size_t)1 << 30;
    size_t in = 0, done = 0;
    int result = Z_OK;
    while (done < wanted && result == Z_OK) {
        uInt input = (uInt)(size - in < piece ? size - in : piece),
             room = (uInt)(wanted - done < piece ? wanted - done : piece);
        z->next_in = (z_const Bytef *)(uintptr_t)(data + in), z->avail_in = input;
        z->next_out = out + done, z->avail_out = room;
        result = inflate(z, Z_NO_FLUSH);
        in += input - z->avail_in, done += room - z->avail_out;
    }
    return done;
}

snStatus sn_expand(const char *file, const char *data, size_t size, size_t wanted, unsigned char **bytes,
                   snError *error)
{
    /* deflate makes at most 1032 bytes of one */
    if (wanted / 1040 > size)
        return sn_stack_fail(file, error, "copy or download it again",
                             "%zu compressed bytes cannot hold the %zu that are announced", size, wanted);
    unsigned char *out = SN_NEW_ARRAY(unsigned char, wanted);
    z_stream z = {.zalloc = give, .zfree = take};
    int ready = out ? inflateInit2(&z, 15 + 32) : Z_MEM_ERROR;
    if (ready != Z_OK) {
        sn_free(out);
        return sn_fail_no_memory(error);
    }
    size_t done = inflate_all(&z, data, size, out, wanted);
    (void)inflateEnd(&z);
    if (done < wanted) {
        sn_free(out);
        return sn_stack_fail(file, error, "the file may be truncated; copy or download it again",
                             "the compressed data ends after %zu of %zu bytes", done, wanted);
    }
    *bytes = out;
    return SN_OK;
}
