/* STL, text or binary. Corners at bitwise equal positions become one vertex, so that the mesh is connected again. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "io/little.h"
#include "io/mesh_read.h"
#include "io/scan.h"

#include <math.h>
#include <string.h>

enum { HEADER = 84, RECORD = 50 };

typedef struct stlReader {
    snScan scan;
    snMeshBuild build;
    int32_t *slot; /* vertex + 1, 0: free; open addressing, capacity a power of two */
    int32_t capacity;
} stlReader;

static size_t slot_for(const stlReader *r, const double p[3])
{
    size_t mask = (size_t)r->capacity - 1, i = (size_t)sn_hash_bytes(0, p, 3 * sizeof *p) & mask;
    while (r->slot[i] && memcmp(r->build.vertex.at + 3 * (size_t)(r->slot[i] - 1), p, 3 * sizeof *p) != 0)
        i = (i + 1) & mask;
    return i;
}

static bool grow_slots(stlReader *r)
{
    int32_t capacity = r->capacity ? 2 * r->capacity : 1024, nvertex = r->build.vertex.count / 3;
    int32_t *slot = SN_NEW_ARRAY(int32_t, capacity);
    if (!slot) return false;
    sn_free(r->slot);
    r->slot = slot;
    r->capacity = capacity;
    for (int32_t v = 0; v < nvertex; ++v) r->slot[slot_for(r, r->build.vertex.at + 3 * (size_t)v)] = v + 1;
    return true;
}

static bool add_corner(stlReader *r, const double point[3], int32_t *vertex)
{
    double p[3] = {point[0] + 0.0, point[1] + 0.0, point[2] + 0.0}; /* turns -0 into 0 */
    if (2 * (r->build.vertex.count / 3 + 1) > r->capacity && !grow_slots(r)) return false;
    size_t slot = slot_for(r, p);
    if (!r->slot[slot]) {
        if (!sn_array_reserve(&r->build.vertex, 3)) return false;
        memcpy(r->build.vertex.at + r->build.vertex.count, p, sizeof p);
        r->build.vertex.count += 3;
        r->slot[slot] = r->build.vertex.count / 3;
    }
    *vertex = r->slot[slot] - 1;
    return true;
}

static snStatus add_triangle(stlReader *r, const double point[9])
{
    int32_t corner[3];
    for (int k = 0; k < 3; ++k)
        if (!add_corner(r, point + 3 * k, &corner[k])) return SN_NO_MEMORY;
    /* a triangle of no area comes from exporters' rounding: it carries nothing */
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) return SN_OK;
    return sn_mesh_add_polygon(&r->build, corner, 3) ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_binary(stlReader *r, const char *data, size_t size)
{
    uint32_t count = (uint32_t)sn_little_get(data + 80, 4);
    if ((size - HEADER) / RECORD < count)
        return sn_scan_fail(&r->scan, "a binary STL file of %u triangles has at least %llu bytes, this one has %llu",
                            count, HEADER + (unsigned long long)count * RECORD, (unsigned long long)size);
    for (uint32_t i = 0; i < count; ++i) {
        const char *record = data + HEADER + (size_t)i * RECORD + 12;
        double point[9];
        for (int k = 0; k < 9; ++k) {
            float f = sn_little_get_float(record + 4 * k);
            if (!isfinite(f)) return sn_scan_fail(&r->scan, "triangle %u has a coordinate that is not finite", i + 1);
            point[k] = (double)f;
        }
        if (add_triangle(r, point) != SN_OK) return SN_NO_MEMORY;
    }
    return SN_OK;
}

static snStatus read_facet(stlReader *r)
{
    double point[9];
    char text[40];
    snWord word;
    for (int corner = 0; corner < 3;) {
        if (!sn_scan_any_word(&r->scan, &word)) return sn_scan_fail(&r->scan, "the file ends inside a facet");
        if (sn_word_is_any_case(word, "vertex")) {
            for (int k = 0; k < 3; ++k) {
                snStatus status = sn_scan_number(&r->scan, "a coordinate", &point[3 * corner + k]);
                if (status != SN_OK) return status;
            }
            ++corner;
        } else if (sn_word_is_any_case(word, "endfacet") || sn_word_is_any_case(word, "facet"))
            return sn_scan_fail(&r->scan, "found \"%s\" after %d of 3 vertices", sn_word_text(word, text, sizeof text),
                                corner);
    }
    return add_triangle(r, point);
}

static snStatus read_text(stlReader *r)
{
    snWord word;
    char text[40];
    sn_scan_line(&r->scan); /* solid and its name */
    while (sn_scan_any_word(&r->scan, &word)) {
        snStatus status = SN_OK;
        if (sn_word_is_any_case(word, "facet"))
            status = read_facet(r);
        else if (sn_word_is_any_case(word, "solid") || sn_word_is_any_case(word, "endsolid"))
            r->scan.line_at = r->scan.line_end;
        else if (!sn_word_is_any_case(word, "endloop") && !sn_word_is_any_case(word, "endfacet"))
            status = sn_scan_fail(&r->scan, "found \"%s\" where a facet was expected",
                                  sn_word_text(word, text, sizeof text));
        if (status != SN_OK) return status;
    }
    return SN_OK;
}

/* Binary files may begin with anything: their size gives them away. */
static bool is_binary(const char *data, size_t size)
{
    return size >= HEADER && size == HEADER + (uint64_t)(uint32_t)sn_little_get(data + 80, 4) * RECORD;
}

static bool is_text(const char *data, size_t size)
{
    if (is_binary(data, size)) return false;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) data += 3, size -= 3; /* byte order mark */
    return size >= 5 && memcmp(data, "solid", 5) == 0;
}

snStatus sn_parse_stl(const char *file, const char *data, size_t size, snMesh *mesh, snError *error)
{
    stlReader r = {.scan = sn_scan_begin(file, data, size, error)};
    snStatus status;
    if (is_text(data, size))
        status = read_text(&r);
    else if (!is_binary(data, size) && size >= 2 &&
             (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
        status = sn_scan_fail(&r.scan, "the text is UTF-16; save the file as UTF-8");
    else if (size >= HEADER)
        status = read_binary(&r, data, size);
    else
        status = sn_scan_fail(&r.scan, "not an STL file: neither \"solid\" nor a binary header of 84 bytes");
    if (status == SN_OK && r.build.triangle.count == 0) status = sn_scan_fail(&r.scan, "the file has no triangles");
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status == SN_OK) sn_mesh_finish(&r.build, mesh);
    sn_mesh_abandon(&r.build);
    sn_free(r.slot);
    return status;
}
