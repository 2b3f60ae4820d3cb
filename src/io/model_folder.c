/* A model as a folder of its own: muscle file, scene, meshes, and what of another program's file is missing in it. */
#include "base/alloc.h"
#include "base/error.h"
#include "io/model_files.h"
#include "io/own/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static snStatus make_folder(const char *path, snError *error)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return SN_OK;
    sn_fail(error, SN_WRITE_FAILED, "the folder cannot be made: %s", strerror(errno));
    sn_error_place(error, path, 0, 0);
    return SN_WRITE_FAILED;
}

/* FOLDER/NAME with an ending; NULL: no memory. */
static char *path_in(const char *folder, const char *name, const char *ending)
{
    size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = sn_alloc(size, 1);
    if (path) (void)snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* meshes: the folder within the folder. */
static snStatus save_mesh(snSpec *spec, snId id, const char *folder, const char *meshes, snError *error)
{
    snNodeDef *node = sn_spec_edit(spec, SN_KIND_NODE, id);
    snMesh mesh = {.nvertex = node->nvertex, .ntriangle = node->ntriangle};
    mesh.vertex = (double *)(uintptr_t)node->vertex; /* only read */
    mesh.triangle = (int32_t *)(uintptr_t)node->triangle;
    char *name = path_in(meshes, node->name, ".ply"), *path = NULL;
    for (char *s = name ? name + strlen(meshes) + 1 : NULL; s && *s; ++s)
        if (*s == '/') *s = '_';
    const char *file = name ? sn_spec_text(spec, name) : NULL;
    path = file ? path_in(folder, file, "") : NULL;
    snStatus status = path ? sn_save_mesh(&mesh, path, error) : sn_fail_no_memory(error);
    if (!status) node->file = file;
    sn_free(name);
    sn_free(path);
    return status;
}

static snStatus save_meshes(snSpec *spec, const char *folder, const char *name, snError *error)
{
    char meshes[300];
    bool made = false;
    snStatus status = SN_OK;
    (void)snprintf(meshes, sizeof meshes, "%.250s_meshes", name);
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE) && !status; ++id) {
        const snNodeDef *node = sn_spec_node(spec, id);
        if (node->kind != SN_NODE_MESH || !*node->file || !node->nvertex) continue;
        if (!made) {
            char *path = path_in(folder, meshes, "");
            status = path ? make_folder(path, error) : sn_fail_no_memory(error);
            sn_free(path);
            made = true;
        }
        if (!status) status = save_mesh(spec, id, folder, meshes, error);
    }
    return status;
}

static snStatus save_missing(const char *path, int32_t count, const snError *note, snError *error)
{
    snWriter out;
    snStatus status = sn_writer_open(&out, path, error);
    if (status) return status;
    for (int32_t i = 0; i < count; ++i) {
        char text[1400];
        (void)sn_error_format(&note[i], text, sizeof text);
        sn_writer_text(&out, text);
        sn_writer_text(&out, "\n");
    }
    return sn_writer_commit(&out, error);
}

snStatus sn_save_model_folder(snSpec *spec, const char *folder, const char *name, int32_t nmissing,
                              const snError *missing, snError *error)
{
    snModelDef def = *sn_spec_model(spec);
    def.scene = "";
    char *muscle = path_in(folder, name, ".muscle.xml"), *list = path_in(folder, name, ".missing.txt");
    snStatus status = muscle && list ? make_folder(folder, error) : sn_fail_no_memory(error);
    if (!status) status = save_meshes(spec, folder, name, error);
    if (!status && sn_set_model(spec, &def)) status = sn_fail_no_memory(error);
    if (!status) status = sn_save_model(spec, muscle, error);
    if (!status && nmissing) status = save_missing(list, nmissing, missing, error);
    sn_free(muscle);
    sn_free(list);
    return status;
}
