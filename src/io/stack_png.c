/* PNG by libpng, whose memory comes from us and whose errors come back as ours. Colours become grey; 8 bits give 0 to
 * 255, 16 bits 0 to 65535. */
#include "base/alloc.h"
#include "base/error.h"
#include "image/stack.h"
#include "io/file.h"
#include "io/stack_read.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

typedef struct {
    const char *file;
    const unsigned char *at, *end;
    size_t size;
    char message[160];
    bool no_memory;
    jmp_buf back;
    unsigned char *bytes;
    png_bytep *row;
    int channels, depth;
    snWriter *writer;
} Png;

/* Chunks are never longer than their file, rows and what unpacks them take less than a megabyte: libpng would take up
 * to 2 GB because a file of 40 bytes says so, and its own limit is a warning only. */
static png_voidp give(png_structp png, png_alloc_size_t size)
{
    Png *p = png_get_mem_ptr(png);
    if (size > p->size + (1 << 20)) return NULL;
    void *block = sn_alloc(size, 1);
    if (!block) p->no_memory = true;
    return block;
}
static void take(png_structp png, png_voidp block)
{
    (void)png;
    sn_free(block);
}

static void on_error(png_structp png, png_const_charp text)
{
    Png *p = png_get_error_ptr(png);
    (void)strncpy(p->message, text, sizeof p->message - 1);
    longjmp(p->back, 1);
}
static void on_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text; /* such as a wrong colour profile: of no matter here */
}

static void on_read(png_structp png, png_bytep to, size_t size)
{
    Png *p = png_get_io_ptr(png);
    if ((size_t)(p->end - p->at) < size) png_error(png, "the file ends too early");
    memcpy(to, p->at, size);
    p->at += size;
}

/* Everything to one or three channels of 8 or 16 bits. */
static void read_image(Png *p, png_structp png, png_infop info, snPicture *picture)
{
    png_set_user_limits(png, SN_STACK_SIDE, SN_STACK_SIDE);
    png_set_read_fn(png, p, on_read);
    png_read_info(png, info);
    png_uint_32 columns = png_get_image_width(png, info), rows = png_get_image_height(png, info);
    if ((size_t)columns * rows / 1040 > 8 * p->size) png_error(png, "the file is too short for its size in pixels");
    png_set_expand(png);
    png_set_strip_alpha(png);
    (void)png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t width = png_get_rowbytes(png, info);
    p->bytes = SN_NEW_ARRAY(unsigned char, width *rows), p->row = SN_NEW_ARRAY(png_bytep, rows);
    picture->value = SN_NEW_ARRAY(float, (size_t)columns *rows);
    if (!p->bytes || !p->row || !picture->value) {
        p->no_memory = true;
        png_error(png, "out of memory");
    }
    for (png_uint_32 y = 0; y < rows; ++y) p->row[y] = p->bytes + y * width;
    png_read_image(png, p->row);
    picture->columns = (int32_t)columns, picture->rows = (int32_t)rows;
    p->channels = png_get_channels(png, info), p->depth = png_get_bit_depth(png, info);
}

static void to_grey(const Png *p, const snPicture *picture)
{
    static const double share[3] = {0.299, 0.587, 0.114};
    int channels = p->channels;
    size_t wide = p->depth == 16 ? 2 : 1, i = 0;
    for (int32_t y = 0; y < picture->rows; ++y) {
        const unsigned char *at = p->row[y];
        for (int32_t x = 0; x < picture->columns; ++x, ++i) {
            double sum = 0;
            for (int c = 0; c < channels; ++c, at += wide)
                sum += (channels == 3 ? share[c] : 1) * (wide == 2 ? at[0] * 256 + at[1] : at[0]);
            picture->value[i] = (float)sum;
        }
    }
}

/* What errors jump out of has no variables of its own that could be lost. False: there was one. */
static bool try_read(Png *p, png_structp png, png_infop info, snPicture *picture)
{
    if (setjmp(p->back) != 0) return false;
    read_image(p, png, info, picture);
    return true;
}

static snStatus png_fail(Png *p, snError *error)
{
    return p->no_memory ? sn_fail_no_memory(error)
                        : sn_stack_fail(p->file, error, "save it again as PNG", "not a valid PNG: %s", p->message);
}

snStatus sn_parse_png(const char *file, const char *data, size_t size, snPicture *picture, snError *error)
{
    Png p = {.file = file, .at = (const unsigned char *)data, .end = (const unsigned char *)data + size, .size = size};
    snPicture made = {0};
    if (size < 8 || png_sig_cmp(p.at, 0, 8) != 0) return sn_stack_fail(file, error, "save it as PNG", "not a PNG file");
    png_structp png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &p, on_error, on_warning, &p, give, take);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        return sn_fail_no_memory(error);
    }
    snStatus status = try_read(&p, png, info, &made) ? SN_OK : png_fail(&p, error);
    if (status == SN_OK) {
        to_grey(&p, &made);
        *picture = made;
    } else {
        sn_free(made.value);
    }
    png_destroy_read_struct(&png, &info, NULL);
    sn_free(p.bytes), sn_free(p.row);
    return status;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void on_write(png_structp png, png_bytep from, size_t size)
{
    Png *p = png_get_io_ptr(png);
    sn_writer_bytes(p->writer, from, size);
}
static void on_flush(png_structp png)
{
    (void)png;
}

typedef struct {
    int32_t columns, rows;
    int depth, channels;
    const unsigned char *bytes;
} Image;

static void write_image(Png *p, png_structp png, png_infop info, const Image *image)
{
    size_t width = (size_t)image->columns * (size_t)image->channels * (size_t)(image->depth / 8);
    png_set_write_fn(png, p, on_write, on_flush);
    png_set_IHDR(png, info, (png_uint_32)image->columns, (png_uint_32)image->rows, image->depth,
                 image->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int32_t y = 0; y < image->rows; ++y) png_write_row(png, image->bytes + (size_t)y * width);
    png_write_end(png, info);
}

static bool try_write(Png *p, png_structp png, png_infop info, const Image *image)
{
    if (setjmp(p->back) != 0) return false;
    write_image(p, png, info, image);
    return true;
}

snStatus sn_write_png(const char *path, int32_t columns, int32_t rows, int depth, int channels,
                      const unsigned char *bytes, snError *error)
{
    snWriter writer;
    snStatus status = sn_writer_open(&writer, path, error);
    if (status != SN_OK) return status;
    Png p = {.file = path, .writer = &writer};
    const Image image = {columns, rows, depth, channels, bytes};
    png_structp png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &p, on_error, on_warning, &p, give, take);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info)
        status = sn_fail_no_memory(error);
    else if (!try_write(&p, png, info, &image))
        status = png_fail(&p, error);
    png_destroy_write_struct(&png, &info);
    writer.quick = true;
    if (status == SN_OK) return sn_writer_commit(&writer, error);
    sn_writer_abort(&writer);
    return status;
}
