/* Meshes by the ending of their name, and the writers. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/little_write.h"
#include "io/mesh_read.h"
#include "math/vec.h"

#include <string.h>

static snStatus unknown_ending(const char *path, const char *endings, snError *error)
{
    sn_fail(error, SN_BAD_INPUT, "the name does not end in %s", endings);
    sn_error_place(error, path, 0, 0);
    return SN_BAD_INPUT;
}

snStatus sn_load_mesh(const char *path, snMesh *mesh, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_load_mesh without path");
    char *data;
    size_t size;
    bool obj = sn_path_ends(path, ".obj"), ply = sn_path_ends(path, ".ply"), vtp = sn_path_ends(path, ".vtp");
    if (!obj && !ply && !vtp && !sn_path_ends(path, ".stl"))
        return unknown_ending(path, ".obj, .ply, .stl or .vtp", error);
    snStatus status = obj || ply ? sn_file_read_text(path, true, &data, &size, error)
                                 : sn_file_read_reference(path, SN_FILE_LIMIT, &data, &size, error);
    if (status != SN_OK) return status;
    status = obj   ? sn_parse_obj(path, data, size, mesh, error)
             : ply ? sn_parse_ply(path, data, size, mesh, error)
             : vtp ? sn_parse_vtp(path, data, size, mesh, error)
                   : sn_parse_stl(path, data, size, mesh, error);
    sn_free(data);
    return status;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void write_obj(snWriter *out, const snMesh *mesh)
{
    for (int32_t i = 0; i < mesh->nvertex; ++i) {
        sn_writer_text(out, "v");
        for (int k = 0; k < (mesh->color ? 6 : 3); ++k) {
            sn_writer_text(out, " ");
            sn_writer_number(out, k < 3 ? mesh->vertex[3 * (size_t)i + (size_t)k]
                                        : mesh->color[3 * (size_t)i + (size_t)k - 3]);
        }
        sn_writer_text(out, "\n");
    }
    for (int32_t i = 0; i < mesh->ntriangle; ++i) {
        const int32_t *t = mesh->triangle + 3 * (size_t)i;
        sn_writer_printf(out, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
}

static void write_ply(snWriter *out, const snMesh *mesh)
{
    sn_writer_printf(out, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", mesh->nvertex);
    sn_writer_text(out, "property double x\nproperty double y\nproperty double z\n");
    if (mesh->color) sn_writer_text(out, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    sn_writer_printf(out, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", mesh->ntriangle);
    for (size_t i = 0; i < (size_t)mesh->nvertex; ++i) {
        for (size_t k = 0; k < 3; ++k) sn_writer_double(out, mesh->vertex[3 * i + k]);
        for (size_t k = 0; mesh->color && k < 3; ++k)
            sn_writer_little(out, (uint64_t)(255 * fmin(1, fmax(0, mesh->color[3 * i + k])) + 0.5), 1);
    }
    for (size_t i = 0; i < (size_t)mesh->ntriangle; ++i) {
        sn_writer_little(out, 3, 1);
        for (size_t k = 0; k < 3; ++k) sn_writer_little(out, (uint32_t)mesh->triangle[3 * i + k], 4);
    }
}

static void write_stl(snWriter *out, const snMesh *mesh)
{
    char header[80] = "binary STL, metres";
    sn_writer_bytes(out, header, sizeof header);
    sn_writer_little(out, (uint32_t)mesh->ntriangle, 4);
    for (size_t i = 0; i < (size_t)mesh->ntriangle; ++i) {
        v3 p[3];
        for (size_t k = 0; k < 3; ++k) p[k] = v3_load(mesh->vertex + 3 * (size_t)mesh->triangle[3 * i + k]);
        v3 n = v3_unit(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])));
        sn_writer_float(out, n.x), sn_writer_float(out, n.y), sn_writer_float(out, n.z);
        for (int k = 0; k < 3; ++k)
            sn_writer_float(out, p[k].x), sn_writer_float(out, p[k].y), sn_writer_float(out, p[k].z);
        sn_writer_little(out, 0, 2);
    }
}

static snStatus check_mesh(const snMesh *mesh, snError *error)
{
    for (size_t i = 0; i < 3 * (size_t)mesh->nvertex; ++i)
        if (!isfinite(mesh->vertex[i])) return sn_fail(error, SN_BAD_INPUT, "vertex %zu is not finite", i / 3 + 1);
    for (size_t i = 0; i < 3 * (size_t)mesh->ntriangle; ++i)
        if (mesh->triangle[i] < 0 || mesh->triangle[i] >= mesh->nvertex)
            return sn_fail(error, SN_BAD_INPUT, "triangle %zu has a corner out of range", i / 3 + 1);
    return SN_OK;
}

snStatus sn_save_mesh(const snMesh *mesh, const char *path, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_save_mesh without path");
    bool obj = sn_path_ends(path, ".obj"), ply = sn_path_ends(path, ".ply");
    if (!obj && !ply && !sn_path_ends(path, ".stl")) return unknown_ending(path, ".obj, .ply or .stl", error);
    snStatus status = check_mesh(mesh, error);
    snWriter out;
    if (status == SN_OK) status = sn_writer_open(&out, path, error);
    if (status != SN_OK) return status;
    if (obj)
        write_obj(&out, mesh);
    else if (ply)
        write_ply(&out, mesh);
    else
        write_stl(&out, mesh);
    return sn_writer_commit(&out, error);
}
