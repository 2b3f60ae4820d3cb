/* VTK's PolyData files (.vtp), the usual meshes of OpenSim models: points and polygons as text, or in base64, plain or
 * in blocks of zlib. Triangle strips and "appended" data are refused by name. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/mesh_read.h"
#include "io/xml_tree.h"

#include <string.h>
#include <zlib.h>

typedef struct vtpReader {
    const char *file;
    snArena arena;
    const snXmlNode *root;
    snMeshBuild build;
    snError *error;
} vtpReader;

typedef struct vtpBytes {
    unsigned char *at;
    size_t size;
} vtpBytes;

static snStatus refuse(vtpReader *r, const snXmlNode *at, const char *remedy, const char *what)
{
    sn_fail(r->error, SN_BAD_FILE, "%s", what);
    sn_error_place(r->error, r->file, at->line, at->column);
    sn_error_element(r->error, at->tag, NULL);
    if (remedy) sn_error_remedy(r->error, "%s", remedy);
    return SN_BAD_FILE;
}

static const char *attribute(const snXmlNode *node, const char *name)
{
    const char *value = sn_xml_attribute(node->attribute, name);
    return value ? value : "";
}

/* ---- numbers ------------------------------------------------------------------------------ */

static int digit_of(int c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes up to the first padding; *text goes on behind it. */
static bool decode(vtpReader *r, const char **text, vtpBytes *out)
{
    unsigned held = 0;
    int bits = 0;
    out->size = 0;
    if (!(out->at = sn_arena_alloc(&r->arena, strlen(*text) / 4 * 3 + 4, 1))) return false;
    for (int digit; (digit = digit_of((unsigned char)**text)) >= 0; ++*text) {
        held = (held << 6 | (unsigned)digit) & 0xFFFFFF;
        if ((bits += 6) < 8) continue;
        bits -= 8;
        out->at[out->size++] = (unsigned char)(held >> bits);
    }
    while (**text == '=') ++*text;
    return true;
}

static uint64_t word(const unsigned char *at, size_t width)
{
    uint64_t value = 0;
    for (size_t k = width; k-- > 0;) value = value << 8 | at[k];
    return value;
}

/* Blocks of zlib, whose sizes stand in a head of its own. */
static snStatus inflate_blocks(vtpReader *r, const snXmlNode *node, size_t width, const char *text, vtpBytes *out)
{
    vtpBytes head, packed;
    if (!decode(r, &text, &head) || !decode(r, &text, &packed)) return sn_fail_no_memory(r->error);
    if (head.size < 3 * width) return refuse(r, node, NULL, "the head of the compressed data is cut off");
    uint64_t blocks = word(head.at, width), size = word(head.at + width, width),
             last = word(head.at + 2 * width, width);
    if (blocks > head.size / width - 3 || size > (uint64_t)SN_MESH_MAX_ITEMS || last > size ||
        blocks * size > 1000 * (uint64_t)packed.size + 1000)
        return refuse(r, node, NULL, "the head of the compressed data does not fit the data");
    if (!(out->at = sn_arena_alloc(&r->arena, (size_t)(blocks * size) + 1, 1))) return sn_fail_no_memory(r->error);
    out->size = 0;
    for (uint64_t i = 0, from = 0; i < blocks; ++i) {
        uint64_t n = word(head.at + (3 + i) * width, width);
        uLongf room = (uLongf)(i + 1 == blocks && last ? last : size);
        if (n > packed.size - from || uncompress(out->at + out->size, &room, packed.at + from, (uLong)n) != Z_OK)
            return refuse(r, node, NULL, "the compressed data is damaged");
        out->size += room;
        from += n;
    }
    return SN_OK;
}

static snStatus read_bytes(vtpReader *r, const snXmlNode *node, vtpBytes *out)
{
    size_t width = strcmp(attribute(r->root, "header_type"), "UInt64") == 0 ? 8 : 4;
    const char *text = node->text;
    if (strcmp(attribute(r->root, "byte_order"), "BigEndian") == 0)
        return refuse(r, node, "save it with little-endian numbers or as text", "binary data in big-endian order");
    if (*attribute(r->root, "compressor")) return inflate_blocks(r, node, width, text, out);
    if (!decode(r, &text, out)) return sn_fail_no_memory(r->error);
    if (out->size < width || word(out->at, width) > out->size - width)
        return refuse(r, node, NULL, "the data is cut off");
    out->size = (size_t)word(out->at, width);
    out->at += width;
    return SN_OK;
}

static double number_at(const unsigned char *at, const char *type, size_t width)
{
    float f;
    double d;
    if (strcmp(type, "Float64") == 0) return memcpy(&d, at, sizeof d), d;
    if (strcmp(type, "Float32") == 0) return memcpy(&f, at, sizeof f), (double)f;
    return (double)(int64_t)word(at, width);
}

static snStatus read_binary(vtpReader *r, const snXmlNode *node, snDoubles *out)
{
    const char *type = attribute(node, "type");
    size_t width = strstr(type, "64") ? 8 : strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
    vtpBytes bytes = {0};
    snStatus status = read_bytes(r, node, &bytes);
    if (status) return status;
    if (!sn_array_reserve(out, (int32_t)(bytes.size / width))) return sn_fail_no_memory(r->error);
    for (size_t i = 0; i + width <= bytes.size; i += width)
        out->at[out->count++] = number_at(bytes.at + i, type, width);
    return SN_OK;
}

static snStatus read_numbers(vtpReader *r, const snXmlNode *node, snDoubles *out)
{
    const char *format = attribute(node, "format"), *s = node->text;
    if (strcmp(format, "binary") == 0) return read_binary(r, node, out);
    if (strcmp(format, "appended") == 0)
        return refuse(r, node, "save it as text or with inline data", "appended data is not read");
    for (;;) {
        double value;
        s += strspn(s, " \t\r\n");
        size_t n = strcspn(s, " \t\r\n");
        if (!n) return SN_OK;
        if (!sn_text_number(s, n, &value)) return refuse(r, node, NULL, "not a finite number");
        if (out->count >= SN_MESH_MAX_ITEMS || !sn_array_push(out, value)) return sn_fail_no_memory(r->error);
        s += n;
    }
}

/* ---- mesh --------------------------------------------------------------------------------- */

static const snXmlNode *array_called(const snXmlNode *in, const char *name)
{
    for (const snXmlNode *node = in ? in->child : NULL; node; node = node->next)
        if (strcmp(node->tag, "DataArray") == 0 && (!name || strcmp(attribute(node, "Name"), name) == 0)) return node;
    return NULL;
}

/* Polygons of one piece, whose vertices begin at `base`. */
static snStatus add_polygons(vtpReader *r, const snXmlNode *polys, const snDoubles *connect, const snDoubles *offset,
                             int32_t base)
{
    int32_t corner[SN_MESH_MAX_SIDES], from = 0, count = r->build.vertex.count / 3 - base;
    for (int32_t i = 0; i < offset->count; ++i) {
        double end = offset->at[i];
        if (!(end >= from && end <= connect->count) || end - from > SN_MESH_MAX_SIDES)
            return refuse(r, polys, NULL, "the offsets of the polygons do not fit their corners");
        int32_t n = 0;
        for (; from < (int32_t)end; ++from) {
            double v = connect->at[from];
            if (!(v >= 0 && v < count)) return refuse(r, polys, NULL, "a polygon has a corner that is not a point");
            corner[n++] = base + (int32_t)v;
        }
        if (n >= 3 && !sn_mesh_add_polygon(&r->build, corner, n)) return sn_fail_no_memory(r->error);
    }
    return SN_OK;
}

static snStatus add_piece(vtpReader *r, const snXmlNode *piece)
{
    const snXmlNode *points = array_called(sn_xml_child(piece, "Points"), NULL), *polys = sn_xml_child(piece, "Polys");
    const snXmlNode *connect = array_called(polys, "connectivity"), *offset = array_called(polys, "offsets");
    const char *strips = attribute(piece, "NumberOfStrips");
    snDoubles corners = {0}, ends = {0};
    int32_t base = r->build.vertex.count / 3;
    if (!points || !connect || !offset) return refuse(r, piece, NULL, "a Piece without Points or Polys");
    if (*strips && strcmp(strips, "0") != 0)
        return refuse(r, piece, "save it with triangles", "triangle strips are not read");
    snStatus status = read_numbers(r, points, &r->build.vertex);
    if (!status && r->build.vertex.count % 3) status = refuse(r, points, NULL, "points of other than three numbers");
    if (!status) status = read_numbers(r, connect, &corners);
    if (!status) status = read_numbers(r, offset, &ends);
    if (!status) status = add_polygons(r, polys, &corners, &ends, base);
    sn_array_free(&corners);
    sn_array_free(&ends);
    return status;
}

snStatus sn_parse_vtp(const char *file, const char *data, size_t size, snMesh *mesh, snError *error)
{
    snError own;
    vtpReader r = {.file = file, .error = error ? error : &own};
    snStatus status = sn_xml_tree(file, data, size, &r.arena, &r.root, r.error);
    const snXmlNode *whole = status ? NULL : sn_xml_child(r.root, "PolyData");
    if (!status && !whole) status = refuse(&r, r.root, "save it as PolyData", "not a VTKFile of type PolyData");
    for (const snXmlNode *piece = whole ? whole->child : NULL; piece && !status; piece = piece->next)
        if (strcmp(piece->tag, "Piece") == 0) status = add_piece(&r, piece);
    if (!status)
        sn_mesh_finish(&r.build, mesh);
    else
        sn_mesh_abandon(&r.build);
    sn_arena_free(&r.arena);
    return status;
}
