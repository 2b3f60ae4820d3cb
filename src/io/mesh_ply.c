/* PLY: a header that lists elements and their properties, then the data as text or binary of either byte order. Of the
 * vertices x, y, z, red, green, blue are kept, of the faces vertex_indices (or vertex_index); all else is passed over.
 */
#include "base/alloc.h"
#include "base/error.h"
#include "io/little.h"
#include "io/mesh_read.h"
#include "io/scan.h"

#include <math.h>
#include <string.h>

enum { MAX_PROPERTIES = 64, MAX_ELEMENTS = 32 };
typedef enum plyType {
    PLY_INT8,
    PLY_UINT8,
    PLY_INT16,
    PLY_UINT16,
    PLY_INT32,
    PLY_UINT32,
    PLY_FLOAT,
    PLY_DOUBLE,
    PLY_NONE
} plyType;
typedef enum plyRole { ROLE_SKIP, ROLE_X, ROLE_Y, ROLE_Z, ROLE_RED, ROLE_GREEN, ROLE_BLUE, ROLE_CORNERS } plyRole;
typedef enum plyFormat { FORMAT_NONE, FORMAT_ASCII, FORMAT_LITTLE, FORMAT_BIG } plyFormat;

static const struct {
    const char *name, *other;
    int size;
    double scale; /* of a colour */
} type_table[] = {{"char", "int8", 1, 1.0 / 127},
                  {"uchar", "uint8", 1, 1.0 / 255},
                  {"short", "int16", 2, 1.0 / 32767},
                  {"ushort", "uint16", 2, 1.0 / 65535},
                  {"int", "int32", 4, 1.0 / 2147483647},
                  {"uint", "uint32", 4, 1.0 / 4294967295},
                  {"float", "float32", 4, 1},
                  {"double", "float64", 8, 1}};
static const char *const role_name[] = {"", "x", "y", "z", "red", "green", "blue"};

typedef struct plyProperty {
    plyType count_type, type; /* count_type is PLY_NONE unless it is a list */
    plyRole role;
} plyProperty;

typedef struct plyElement {
    int64_t count;
    bool is_vertex, is_face;
    int32_t first, nproperty;
} plyElement;

typedef struct plyReader {
    snScan scan;
    const char *start;
    plyFormat format;
    plyElement element[MAX_ELEMENTS];
    plyProperty property[MAX_PROPERTIES];
    int32_t nelement, nproperty;
    bool has_color, has_position, done_vertices;
    snMeshBuild build;
    snInts corner;
} plyReader;

static plyType find_type(snWord word)
{
    for (int i = 0; i < PLY_NONE; ++i)
        if (sn_word_is(word, type_table[i].name) || sn_word_is(word, type_table[i].other)) return (plyType)i;
    return PLY_NONE;
}

static plyRole find_role(const plyElement *element, snWord name, bool list)
{
    if (element->is_face && list && (sn_word_is(name, "vertex_indices") || sn_word_is(name, "vertex_index")))
        return ROLE_CORNERS;
    for (int i = ROLE_X; element->is_vertex && !list && i <= ROLE_BLUE; ++i)
        if (sn_word_is(name, role_name[i])) return (plyRole)i;
    return ROLE_SKIP;
}

/* ---- header --------------------------------------------------------------------------------- */

static snStatus read_format(plyReader *r)
{
    static const char *const names[] = {"", "ascii", "binary_little_endian", "binary_big_endian"};
    snWord word = {"", 0};
    char text[40];
    sn_scan_word(&r->scan, &word);
    for (int i = FORMAT_ASCII; i <= FORMAT_BIG; ++i)
        if (sn_word_is(word, names[i])) r->format = (plyFormat)i;
    if (r->format == FORMAT_NONE)
        return sn_scan_fail(&r->scan,
                            "unknown format \"%s\", expected ascii, binary_little_endian or binary_big_endian",
                            sn_word_text(word, text, sizeof text));
    return SN_OK;
}

static snStatus read_element(plyReader *r)
{
    snWord name, count;
    int64_t n;
    if (r->nelement == MAX_ELEMENTS) return sn_scan_fail(&r->scan, "more than %d elements", MAX_ELEMENTS);
    if (!sn_scan_word(&r->scan, &name) || !sn_scan_word(&r->scan, &count) || !sn_word_integer(count, &n) || n < 0)
        return sn_scan_fail(&r->scan, "expected a name and a count after \"element\"");
    if (n > SN_MESH_MAX_ITEMS)
        return sn_scan_fail(&r->scan, "the count of %lld is above the limit of %d", (long long)n, SN_MESH_MAX_ITEMS);
    r->element[r->nelement++] = (plyElement){.count = n,
                                             .is_vertex = sn_word_is(name, "vertex"),
                                             .is_face = sn_word_is(name, "face"),
                                             .first = r->nproperty};
    return SN_OK;
}

static snStatus read_property(plyReader *r)
{
    snWord word, name;
    char text[40];
    plyProperty p = {.count_type = PLY_NONE};
    if (r->nelement == 0) return sn_scan_fail(&r->scan, "a property before the first element");
    if (r->nproperty == MAX_PROPERTIES) return sn_scan_fail(&r->scan, "more than %d properties", MAX_PROPERTIES);
    plyElement *e = &r->element[r->nelement - 1];
    if (!sn_scan_word(&r->scan, &word)) return sn_scan_fail(&r->scan, "a property without a type");
    bool list = sn_word_is(word, "list");
    if (list) {
        if (!sn_scan_word(&r->scan, &word) || (p.count_type = find_type(word)) > PLY_UINT32)
            return sn_scan_fail(&r->scan, "the count of a list must be of an integer type");
        if (!sn_scan_word(&r->scan, &word)) return sn_scan_fail(&r->scan, "a list without a type");
    }
    p.type = find_type(word);
    if (p.type == PLY_NONE) return sn_scan_fail(&r->scan, "unknown type \"%s\"", sn_word_text(word, text, sizeof text));
    if (!sn_scan_word(&r->scan, &name)) return sn_scan_fail(&r->scan, "a property without a name");
    p.role = find_role(e, name, list);
    for (int32_t i = e->first; p.role && i < r->nproperty; ++i)
        if (r->property[i].role == p.role) return sn_scan_fail(&r->scan, "the property appears twice");
    r->property[r->nproperty++] = p;
    ++e->nproperty;
    return SN_OK;
}

/* Which roles the properties of the vertices, or of the faces, have: a bit for each. */
static unsigned roles_of(const plyReader *r, bool face)
{
    unsigned roles = 0;
    for (int32_t i = 0; i < r->nelement; ++i)
        for (int32_t k = 0; (face ? r->element[i].is_face : r->element[i].is_vertex) && k < r->element[i].nproperty;
             ++k)
            roles |= 1u << r->property[r->element[i].first + k].role;
    return roles;
}

static snStatus check_header(plyReader *r)
{
    unsigned position = 1u << ROLE_X | 1u << ROLE_Y | 1u << ROLE_Z,
             color = 1u << ROLE_RED | 1u << ROLE_GREEN | 1u << ROLE_BLUE;
    unsigned vertex = roles_of(r, false);
    if (r->format == FORMAT_NONE) return sn_scan_fail(&r->scan, "the header has no format line");
    if ((vertex & position) != position)
        return sn_scan_fail(&r->scan, "the header has no vertex element with x, y and z");
    if (!(roles_of(r, true) & 1u << ROLE_CORNERS))
        return sn_scan_fail(&r->scan, "the header has no face element with vertex_indices");
    r->has_color = (vertex & color) == color;
    return SN_OK;
}

static snStatus read_header(plyReader *r)
{
    snWord word;
    char text[40];
    if (!sn_scan_line(&r->scan) || !sn_scan_word(&r->scan, &word) || !sn_word_is(word, "ply"))
        return sn_scan_fail(&r->scan, "not a PLY file: the first line is not \"ply\"");
    while (sn_scan_line(&r->scan)) {
        snStatus status = SN_OK;
        if (!sn_scan_word(&r->scan, &word) || sn_word_is(word, "comment") || sn_word_is(word, "obj_info")) continue;
        if (sn_word_is(word, "end_header")) return check_header(r);
        if (sn_word_is(word, "format"))
            status = read_format(r);
        else if (sn_word_is(word, "element"))
            status = read_element(r);
        else if (sn_word_is(word, "property"))
            status = read_property(r);
        else
            status = sn_scan_fail(&r->scan, "unknown header line \"%s\"", sn_word_text(word, text, sizeof text));
        if (status != SN_OK) return status;
    }
    return sn_scan_fail(&r->scan, "the file ends inside its header");
}

/* ---- data ----------------------------------------------------------------------------------- */

static snStatus data_fail(plyReader *r, const char *what)
{
    if (r->format == FORMAT_ASCII) return sn_scan_fail(&r->scan, "%s", what);
    snStatus status = sn_fail(r->scan.error, SN_BAD_FILE, "%s, at byte %lld", what, (long long)(r->scan.at - r->start));
    sn_error_place(r->scan.error, r->scan.file, 0, 0);
    return status;
}

/* Every type of PLY fits a double without loss; the casts give signed ones their sign back. */
static double from_bytes(const unsigned char *b, plyType type)
{
    uint64_t bits = sn_little_get(b, type_table[type].size);
    double d;
    switch (type) {
    case PLY_INT8:
        return (int8_t)bits;
    case PLY_INT16:
        return (int16_t)bits;
    case PLY_INT32:
        return (int32_t)bits;
    case PLY_FLOAT:
        return (double)sn_float_of((uint32_t)bits);
    case PLY_DOUBLE:
        memcpy(&d, &bits, sizeof d);
        return d;
    default:
        return (double)bits;
    }
}

static snStatus read_value(plyReader *r, plyType type, double *value)
{
    if (r->format == FORMAT_ASCII) {
        snWord word;
        if (!sn_scan_any_word(&r->scan, &word)) return data_fail(r, "the file ends before its data");
        return sn_word_number(word, value) ? SN_OK : data_fail(r, "not a number");
    }
    int size = type_table[type].size;
    unsigned char b[8];
    if (r->scan.end - r->scan.at < size) return data_fail(r, "the file ends before its data");
    for (int i = 0; i < size; ++i) b[r->format == FORMAT_BIG ? size - 1 - i : i] = (unsigned char)r->scan.at[i];
    r->scan.at += size;
    *value = from_bytes(b, type);
    return SN_OK;
}

static snStatus read_list(plyReader *r, const plyProperty *p)
{
    double count, value;
    snStatus status = read_value(r, p->count_type, &count);
    if (status != SN_OK) return status;
    if (!(count >= 0 && count <= SN_MESH_MAX_SIDES) || count != floor(count))
        return data_fail(r, "the count of a list is not between 0 and 10000");
    bool corners = p->role == ROLE_CORNERS;
    if (corners && count < 3) return data_fail(r, "a face has fewer than 3 corners");
    if (corners) r->corner.count = 0;
    for (int32_t i = 0; i < (int32_t)count; ++i) {
        if ((status = read_value(r, p->type, &value)) != SN_OK) return status;
        if (!corners) continue;
        if (!(value >= 0 && value < r->build.vertex.count / 3) || value != floor(value))
            return data_fail(r, "a vertex index is out of range");
        if (!sn_array_push(&r->corner, (int32_t)value)) return SN_NO_MEMORY;
    }
    return corners && !sn_mesh_add_polygon(&r->build, r->corner.at, r->corner.count) ? SN_NO_MEMORY : SN_OK;
}

static snStatus read_item(plyReader *r, const plyElement *e)
{
    double kept[8] = {0};
    for (int32_t i = 0; i < e->nproperty; ++i) {
        const plyProperty *p = &r->property[e->first + i];
        double value = 0;
        snStatus status = p->count_type != PLY_NONE ? read_list(r, p) : read_value(r, p->type, &value);
        if (status != SN_OK) return status;
        if (p->role == ROLE_SKIP || p->role == ROLE_CORNERS) continue;
        if (!isfinite(value)) return data_fail(r, "a coordinate or colour of a vertex is not finite");
        kept[p->role] = p->role >= ROLE_RED ? value * type_table[p->type].scale : value;
    }
    if (!e->is_vertex) return SN_OK;
    for (int k = ROLE_X; k <= (r->has_color ? ROLE_BLUE : ROLE_Z); ++k) {
        bool pushed = k <= ROLE_Z ? sn_array_push(&r->build.vertex, kept[k]) : sn_array_push(&r->build.color, kept[k]);
        if (!pushed) return SN_NO_MEMORY;
    }
    return SN_OK;
}

static snStatus read_data(plyReader *r)
{
    for (int32_t i = 0; i < r->nelement; ++i) {
        const plyElement *e = &r->element[i];
        if (e->is_vertex && r->done_vertices) return data_fail(r, "there are two vertex elements");
        if (e->is_face && !r->done_vertices) return data_fail(r, "the faces come before the vertices");
        /* every item has at least one byte per property: a huge count in a small file ends here */
        if (e->nproperty && e->count > r->scan.end - r->scan.at)
            return data_fail(r, "the file is too short for the counts of its header");
        for (int64_t k = 0; k < e->count && e->nproperty; ++k) {
            snStatus status = read_item(r, e);
            if (status != SN_OK) return status;
        }
        r->done_vertices |= e->is_vertex;
    }
    if (r->build.vertex.count == 0) return data_fail(r, "the file has no vertices");
    if (r->build.triangle.count == 0) return data_fail(r, "the file has no faces");
    return SN_OK;
}

snStatus sn_parse_ply(const char *file, const char *data, size_t size, snMesh *mesh, snError *error)
{
    plyReader r = {.scan = sn_scan_begin(file, data, size, error), .start = data};
    snStatus status = read_header(&r);
    if (status == SN_OK) status = read_data(&r);
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status == SN_OK) sn_mesh_finish(&r.build, mesh);
    sn_mesh_abandon(&r.build);
    sn_array_free(&r.corner);
    return status;
}
