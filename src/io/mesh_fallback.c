/* Stands in where no mesh reader is linked: meshes must then be inline. */
#include "base/error.h"
#include "sinew/io.h"

__attribute__((weak)) snStatus sn_load_mesh(const char *path, snMesh *mesh, snError *error)
{
    (void)mesh;
    sn_fail(error, SN_BAD_FILE, "this build reads no mesh files");
    sn_error_place(error, path, 0, 0);
    return SN_BAD_FILE;
}

__attribute__((weak)) void sn_mesh_free(snMesh *mesh)
{
    *mesh = (snMesh){0};
}
