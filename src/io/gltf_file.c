/* The container of a glTF file, its buffers and its accessors. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/gltf_read.h"
#include "io/little.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_NUMBERS = 1000000 }; /* elements of an accessor: nine hours of keys at 30 a second */

snStatus sn_gltf_fail(const snGltf *g, const char *list, int32_t index, const char *format, ...)
{
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sn_fail(g->error, SN_BAD_FILE, "%s[%d]: %s", list, index, text);
    sn_error_place(g->error, g->file, 0, 0);
    return SN_BAD_FILE;
}

static snStatus fail_whole(const snGltf *g, const char *message)
{
    sn_fail(g->error, SN_BAD_FILE, "%s", message);
    sn_error_place(g->error, g->file, 0, 0);
    return SN_BAD_FILE;
}

const snJsonValue *sn_gltf_list(const snGltf *g, const char *list)
{
    const snJsonValue *value = sn_json_member(&g->root, list);
    return value && value->kind == SN_JSON_ARRAY ? value : NULL;
}

/* ---- container ------------------------------------------------------------------------------ */

static const uint32_t CHUNK_JSON = 0x4E4F534A, CHUNK_BIN = 0x004E4942;

/* Header of 12 bytes, then chunks: size, kind, bytes. The first is the JSON. */
static snStatus open_glb(snGltf *g, const char *data, size_t size, const char **json, size_t *json_size)
{
    size_t at = 12;
    if (size < 20) return fail_whole(g, "the file ends within the header of a .glb");
    uint64_t version = sn_little_get(data + 4, 4), length = sn_little_get(data + 8, 4);
    if (version != 2) return fail_whole(g, "not glTF version 2");
    if (length > size) return fail_whole(g, "the file is shorter than its header says");
    *json = NULL;
    while (at + 8 <= length) {
        uint64_t bytes = sn_little_get(data + at, 4), kind = sn_little_get(data + at + 4, 4);
        at += 8;
        if (bytes > length - at) return fail_whole(g, "a chunk reaches beyond the end of the file");
        if (!*json && kind != CHUNK_JSON) return fail_whole(g, "the first chunk is not JSON");
        if (!*json)
            *json = data + at, *json_size = bytes;
        else if (kind == CHUNK_BIN && !g->chunk)
            g->chunk = data + at, g->chunk_size = bytes;
        at += bytes;
    }
    return *json ? SN_OK : fail_whole(g, "the file has no chunk of JSON");
}

snStatus sn_gltf_open(const char *file, const char *data, size_t size, bool alone, snGltf *g, snError *error)
{
    *g = (snGltf){.file = file, .alone = alone, .error = error};
    const char *json = data;
    size_t json_size = size;
    snStatus status = SN_OK;
    if (size >= 4 && memcmp(data, "glTF", 4) == 0) status = open_glb(g, data, size, &json, &json_size);
    if (status == SN_OK && json_size >= 3 && memcmp(json, "\xEF\xBB\xBF", 3) == 0) json += 3, json_size -= 3;
    if (status == SN_OK) status = sn_json_parse(file, json, json_size, &g->arena, &g->root, error);
    if (status == SN_OK && strncmp(sn_json_member_text(sn_json_member(&g->root, "asset"), "version", ""), "2.", 2) != 0)
        status = fail_whole(g, "asset.version is missing or not 2.x");
    const snJsonValue *buffers = status == SN_OK ? sn_gltf_list(g, "buffers") : NULL;
    if (buffers && buffers->count > SN_GLTF_BUFFERS) status = fail_whole(g, "more than 1000 buffers");
    if (status == SN_OK && buffers) {
        g->nbuffer = buffers->count;
        g->buffer = SN_NEW_ARRAY(snGltfBuffer, g->nbuffer);
        if (!g->buffer) status = sn_fail_no_memory(error);
    }
    if (status != SN_OK) sn_gltf_close(g);
    return status;
}

void sn_gltf_close(snGltf *g)
{
    for (int32_t i = 0; g->buffer && i < g->nbuffer; ++i) sn_free(g->buffer[i].own);
    sn_free(g->buffer);
    sn_arena_free(&g->arena);
    *g = (snGltf){0};
}

/* ---- buffers -------------------------------------------------------------------------------- */

static int base64_digit(int c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static snStatus read_base64(snGltf *g, int32_t index, const char *text)
{
    snGltfBuffer *b = &g->buffer[index];
    size_t n = strlen(text);
    uint32_t bits = 0;
    int count = 0;
    while (n > 0 && text[n - 1] == '=') --n;
    b->own = SN_NEW_ARRAY(char, n / 4 * 3 + 3);
    if (!b->own) return sn_fail_no_memory(g->error);
    for (size_t i = 0; i < n; ++i) {
        int digit = base64_digit((unsigned char)text[i]);
        if (digit < 0) return sn_gltf_fail(g, "buffers", index, "character %zu of the data URI is not base64", i + 1);
        bits = (bits << 6) | (uint32_t)digit;
        if ((count += 6) >= 8) b->own[b->size++] = (char)(bits >> (count -= 8));
    }
    b->bytes = b->own;
    return SN_OK;
}

/* %20 and the like. */
static void decode_percent(const char *from, char *to)
{
    unsigned value;
    for (; *from; ++from) {
        bool code = from[0] == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]);
        if (code && sscanf(from + 1, "%2x", &value) == 1 && value) {
            *to++ = (char)value;
            from += 2;
        } else
            *to++ = *from;
    }
    *to = '\0';
}

static snStatus read_beside(snGltf *g, int32_t index, const char *uri)
{
    snGltfBuffer *b = &g->buffer[index];
    if (strstr(uri, "://"))
        return sn_gltf_fail(g, "buffers", index, "\"%.80s\" is on the network; only files are read", uri);
    if (g->alone) return sn_gltf_fail(g, "buffers", index, "\"%.80s\" is a file of its own", uri);
    char *name = sn_arena_alloc(&g->arena, strlen(uri) + 1, 1);
    if (!name) return sn_fail_no_memory(g->error);
    decode_percent(uri, name);
    char *path = sn_path_beside(g->file, name);
    if (!path) return sn_fail_no_memory(g->error);
    snStatus status = sn_file_read_reference(path, SN_FILE_LIMIT, &b->own, &b->size, g->error);
    sn_free(path);
    b->bytes = b->own;
    return status;
}

static snStatus get_buffer(snGltf *g, int32_t index, const snGltfBuffer **buffer)
{
    const snJsonValue *json = sn_json_item(sn_gltf_list(g, "buffers"), index);
    const char *uri = sn_json_member_text(json, "uri", NULL), *comma = uri ? strchr(uri, ',') : NULL;
    snGltfBuffer *b = &g->buffer[index];
    snStatus status = SN_OK;
    *buffer = b;
    if (b->bytes) return SN_OK;
    if (!uri && index == 0 && g->chunk)
        b->bytes = g->chunk, b->size = g->chunk_size;
    else if (!uri)
        return sn_gltf_fail(g, "buffers", index, "no uri, and the file has no binary part");
    else if (strncmp(uri, "data:", 5) == 0)
        status = comma && comma - uri >= 7 && memcmp(comma - 7, ";base64", 7) == 0
                     ? read_base64(g, index, comma + 1)
                     : sn_gltf_fail(g, "buffers", index, "the data URI is not base64");
    else
        status = read_beside(g, index, uri);
    if (status != SN_OK) return status;
    double length = sn_json_member_number(json, "byteLength", -1);
    if (!(length >= 1 && length <= (double)b->size))
        return sn_gltf_fail(g, "buffers", index, "byteLength is %g, the data has %zu bytes", length, b->size);
    return SN_OK;
}

/* ---- accessors ------------------------------------------------------------------------------ */

typedef struct Layout {
    int type, size; /* componentType of glTF, and its bytes */
    bool normalized;
} Layout;

static double component(const char *at, const Layout *l)
{
    uint64_t bits = sn_little_get(at, l->size);
    double value, most;
    switch (l->type) {
    case 5120:
        value = (int8_t)bits, most = INT8_MAX;
        break;
    case 5121:
        value = (uint8_t)bits, most = UINT8_MAX;
        break;
    case 5122:
        value = (int16_t)bits, most = INT16_MAX;
        break;
    case 5123:
        value = (uint16_t)bits, most = UINT16_MAX;
        break;
    case 5125:
        value = (uint32_t)bits, most = UINT32_MAX;
        break;
    default:
        return sn_little_get_float(at);
    }
    if (!l->normalized) return value;
    return fmax(value / most, -1);
}

static bool layout_of(int type, bool normalized, Layout *l)
{
    int size = type == 5120 || type == 5121   ? 1
               : type == 5122 || type == 5123 ? 2
               : type == 5125 || type == 5126 ? 4
                                              : 0;
    *l = (Layout){type, size, normalized};
    return size > 0;
}

/* The bytes of a view from `offset` on, checked for `count` elements of `bytes` bytes. */
static snStatus view(snGltf *g, int32_t accessor, int32_t index, double offset, int64_t count, int bytes,
                     const char **at, size_t *stride)
{
    const snJsonValue *json = sn_json_item(sn_gltf_list(g, "bufferViews"), index);
    if (!json) return sn_gltf_fail(g, "accessors", accessor, "there is no bufferViews[%d]", index);
    if (sn_json_member(sn_json_member(json, "extensions"), "EXT_meshopt_compression"))
        return sn_gltf_fail(g, "bufferViews", index,
                            "compressed by EXT_meshopt_compression: export without compression");
    int32_t which = sn_json_member_index(json, "buffer");
    if (which < 0 || which >= g->nbuffer)
        return sn_gltf_fail(g, "bufferViews", index, "there is no buffers[%d]", which);
    double start = sn_json_member_number(json, "byteOffset", 0), length = sn_json_member_number(json, "byteLength", -1);
    double step = sn_json_member_number(json, "byteStride", bytes);
    const snGltfBuffer *buffer;
    snStatus status = get_buffer(g, which, &buffer);
    if (status != SN_OK) return status;
    if (!(start >= 0 && length >= 0 && start + length <= (double)buffer->size) || start != floor(start))
        return sn_gltf_fail(g, "bufferViews", index, "bytes %.0f to %.0f lie beyond the buffer of %zu bytes", start,
                            start + length, buffer->size);
    if (!(step >= bytes && step <= 255) || step != floor(step))
        return sn_gltf_fail(g, "bufferViews", index, "byteStride %g, expected %d to 255", step, bytes);
    if (!(offset >= 0) || offset != floor(offset) || offset + step * (double)(count - 1) + bytes > length)
        return sn_gltf_fail(g, "accessors", accessor,
                            "%lld elements from byte %.0f on lie beyond bufferViews[%d] of %.0f bytes",
                            (long long)count, offset, index, length);
    *at = buffer->bytes + (size_t)start + (size_t)offset;
    *stride = (size_t)step;
    return SN_OK;
}

/* Elements that differ from the rest are listed apart. */
static snStatus put_sparse(snGltf *g, int32_t accessor, const snJsonValue *sparse, const Layout *l, int width,
                           int32_t all, double *number)
{
    const snJsonValue *indices = sn_json_member(sparse, "indices"), *values = sn_json_member(sparse, "values");
    int32_t count = sn_json_member_index(sparse, "count");
    Layout il;
    const char *at, *from;
    size_t stride, step;
    if (count < 1 || count > all) return sn_gltf_fail(g, "accessors", accessor, "sparse.count is not 1 to %d", all);
    if (!layout_of(sn_json_member_index(indices, "componentType"), false, &il) || il.type == 5126)
        return sn_gltf_fail(g, "accessors", accessor, "sparse.indices.componentType is not 5121, 5123 or 5125");
    snStatus status = view(g, accessor, sn_json_member_index(indices, "bufferView"),
                           sn_json_member_number(indices, "byteOffset", 0), count, il.size, &at, &stride);
    if (status == SN_OK)
        status = view(g, accessor, sn_json_member_index(values, "bufferView"),
                      sn_json_member_number(values, "byteOffset", 0), count, l->size * width, &from, &step);
    for (int32_t i = 0; status == SN_OK && i < count; ++i) {
        uint64_t index = sn_little_get(at + (size_t)i * stride, il.size);
        if (index >= (uint64_t)all)
            return sn_gltf_fail(g, "accessors", accessor, "sparse index %llu of %d elements", (unsigned long long)index,
                                all);
        for (int k = 0; k < width; ++k)
            number[index * (uint64_t)width + (uint64_t)k] =
                component(from + (size_t)i * step + (size_t)(k * l->size), l);
    }
    return status;
}

static snStatus fill(snGltf *g, int32_t accessor, const snJsonValue *json, const Layout *l, int width, int32_t count,
                     double *number)
{
    int32_t index = sn_json_member_index(json, "bufferView");
    const snJsonValue *sparse = sn_json_member(json, "sparse");
    const char *at;
    size_t stride;
    snStatus status = SN_OK;
    if (index >= 0) { /* without one all are zero */
        status = view(g, accessor, index, sn_json_member_number(json, "byteOffset", 0), count, l->size * width, &at,
                      &stride);
        for (int32_t i = 0; status == SN_OK && i < count; ++i)
            for (int k = 0; k < width; ++k)
                number[(size_t)i * (size_t)width + (size_t)k] =
                    component(at + (size_t)i * stride + (size_t)(k * l->size), l);
    }
    if (status == SN_OK && sparse) status = put_sparse(g, accessor, sparse, l, width, count, number);
    for (int64_t i = 0; status == SN_OK && i < (int64_t)count * width; ++i)
        if (!isfinite(number[i]))
            status = sn_gltf_fail(g, "accessors", accessor, "element %lld is not finite", (long long)(i / width));
    return status;
}

snStatus sn_gltf_numbers(snGltf *g, int32_t accessor, int width, double **number, int32_t *count)
{
    const snJsonValue *json = sn_json_item(sn_gltf_list(g, "accessors"), accessor);
    const char *wanted = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : width == 4 ? "VEC4" : "MAT4";
    const char *type = sn_json_member_text(json, "type", "nothing");
    Layout layout;
    *number = NULL;
    if (!json) return sn_gltf_fail(g, "accessors", accessor, "there is no such accessor");
    if (strcmp(type, wanted) != 0)
        return sn_gltf_fail(g, "accessors", accessor, "type is %.20s, expected %s", type, wanted);
    *count = sn_json_member_index(json, "count");
    if (*count < 1 || *count > MAX_NUMBERS)
        return sn_gltf_fail(g, "accessors", accessor, "count is not 1 to %d", MAX_NUMBERS);
    int kind = sn_json_member_index(json, "componentType");
    if (!layout_of(kind, sn_json_member_number(json, "normalized", 0) != 0, &layout) || (width == 16 && kind != 5126))
        return sn_gltf_fail(g, "accessors", accessor, "componentType %d cannot be used here", kind);
    double *all = SN_NEW_ARRAY(double, (int64_t)*count *width);
    if (!all) return sn_fail_no_memory(g->error);
    snStatus status = fill(g, accessor, json, &layout, width, *count, all);
    if (status == SN_OK)
        *number = all;
    else
        sn_free(all);
    return status;
}
