/* Wavefront OBJ: v (with optional colours) and f; texture coordinates, normals, groups and materials are passed over.
 * Faces may come before their vertices, so their indices are checked at the end, with the line they came from. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/mesh_read.h"
#include "io/scan.h"

typedef struct objReader {
    snScan scan;
    snMeshBuild build;
    snInts corner;              /* of all faces, zero-based */
    snInts face_end, face_line; /* into corner; line of the face */
    int32_t ncolored;
} objReader;

static snStatus read_vertex(objReader *r)
{
    double value[8];
    int count = 0;
    snWord word;
    snScan ahead = r->scan;
    while (count < 8 && sn_scan_word(&ahead, &word)) ++count;
    if (count == 8) return sn_scan_fail(&ahead, "a vertex has more than 7 numbers");
    for (int i = 0; i < (count > 3 ? count : 3); ++i) {
        snStatus status = sn_scan_number(&r->scan, i < 3 ? "a coordinate" : "a weight or colour", &value[i]);
        if (status != SN_OK) return status;
    }
    if (r->build.vertex.count / 3 >= SN_MESH_MAX_ITEMS)
        return sn_scan_fail(&r->scan, "more than %d vertices", SN_MESH_MAX_ITEMS);
    bool colored = count >= 6;
    if (!sn_array_reserve(&r->build.vertex, 3) || (colored && !sn_array_reserve(&r->build.color, 3)))
        return SN_NO_MEMORY;
    for (int k = 0; k < 3; ++k) r->build.vertex.at[r->build.vertex.count++] = value[k];
    for (int k = 0; colored && k < 3; ++k) r->build.color.at[r->build.color.count++] = value[count - 3 + k];
    return SN_OK;
}

/* The vertex index of "7", "7/1", "7//3" or "-1/..". */
static snStatus read_corner(objReader *r, snWord word)
{
    char text[40];
    int64_t index = 0, nvertex = r->build.vertex.count / 3;
    snWord head = {word.at, 0};
    while (head.size < word.size && word.at[head.size] != '/') ++head.size;
    if (!sn_word_integer(head, &index) || index == 0)
        return sn_scan_fail(&r->scan, "\"%s\" is not a vertex index", sn_word_text(word, text, sizeof text));
    if (index < 0) index += nvertex + 1;
    if (index < 1 || index > SN_MESH_MAX_ITEMS)
        return sn_scan_fail(&r->scan, "vertex index %s is out of range", sn_word_text(head, text, sizeof text));
    return sn_array_push(&r->corner, (int32_t)(index - 1)) ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_face(objReader *r)
{
    int32_t first = r->corner.count;
    snWord word;
    while (sn_scan_word(&r->scan, &word)) {
        if (r->corner.count - first >= SN_MESH_MAX_SIDES)
            return sn_scan_fail(&r->scan, "a face has more than %d corners", SN_MESH_MAX_SIDES);
        snStatus status = read_corner(r, word);
        if (status != SN_OK) return status;
    }
    int32_t count = r->corner.count - first;
    if (count < 3) return sn_scan_fail(&r->scan, "a face has %d corners, expected at least 3", count);
    bool pushed = sn_array_push(&r->face_end, r->corner.count) && sn_array_push(&r->face_line, r->scan.line);
    return pushed ? SN_OK : SN_NO_MEMORY;
}

static snStatus read_lines(objReader *r)
{
    snStatus status = SN_OK;
    snWord word;
    while (status == SN_OK && sn_scan_line(&r->scan)) {
        if (!sn_scan_word(&r->scan, &word)) continue;
        if (sn_word_is(word, "v"))
            status = read_vertex(r);
        else if (sn_word_is(word, "f"))
            status = read_face(r);
    }
    return status;
}

static snStatus check_face(objReader *r, int32_t face, const int32_t *corner, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        if (corner[k] < r->build.vertex.count / 3) continue;
        snStatus status =
            sn_fail(r->scan.error, SN_BAD_FILE, "vertex index %d is out of range, the file has %d vertices",
                    corner[k] + 1, r->build.vertex.count / 3);
        sn_error_place(r->scan.error, r->scan.file, r->face_line.at[face], 1);
        return status;
    }
    return SN_OK;
}

static snStatus make_triangles(objReader *r)
{
    if (r->build.vertex.count == 0) return sn_scan_fail(&r->scan, "the file has no vertices");
    if (r->face_end.count == 0) return sn_scan_fail(&r->scan, "the file has no faces");
    int32_t start = 0;
    for (int32_t f = 0; f < r->face_end.count; ++f) {
        int32_t end = r->face_end.at[f];
        snStatus status = check_face(r, f, r->corner.at + start, end - start);
        if (status != SN_OK) return status;
        if (!sn_mesh_add_polygon(&r->build, r->corner.at + start, end - start)) return SN_NO_MEMORY;
        start = end;
    }
    /* colours only if every vertex has one */
    if (r->build.color.count != r->build.vertex.count) sn_array_free(&r->build.color);
    return SN_OK;
}

snStatus sn_parse_obj(const char *file, const char *data, size_t size, snMesh *mesh, snError *error)
{
    objReader r = {.scan = sn_scan_begin(file, data, size, error)};
    snStatus status = read_lines(&r);
    if (status == SN_OK) status = make_triangles(&r);
    if (status == SN_NO_MEMORY) sn_fail_no_memory(error);
    if (status == SN_OK) sn_mesh_finish(&r.build, mesh);
    sn_mesh_abandon(&r.build);
    sn_array_free(&r.corner);
    sn_array_free(&r.face_end);
    sn_array_free(&r.face_line);
    return status;
}
