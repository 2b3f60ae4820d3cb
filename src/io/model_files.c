/* Models as files: the muscle file, its scene, and what the two refer to. */
#include "io/model_files.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/model_formats.h"
#include "io/own/files.h"
#include "math/law.h"

#include <string.h>

/* ---- references --------------------------------------------------------------------------- */

/* An error in a referenced file keeps its own place; a file that is not there is reported where it is asked for. */
static snStatus blame(snStatus status, snOrigin origin, const char *tag, const char *name, snError *error)
{
    if (status != SN_NO_FILE || !error) return status;
    char file[sizeof error->file];
    memcpy(file, error->file, sizeof file);
    char message[sizeof error->message];
    snprintf(message, sizeof message, "%.200s (%.200s)", error->message, file);
    sn_fail(error, SN_NO_FILE, "%s", message);
    sn_error_place(error, origin.file, origin.line, origin.column);
    sn_error_element(error, tag, name);
    sn_error_remedy(error, "file names are relative to the file they stand in");
    return status;
}

static snStatus fill_curve(snSpec *spec, snId id, const snNumbers *stretch, const snNumbers *force, snError *error)
{
    const snElement *e = sn_element(SN_KIND_FORCE_LENGTH);
    if (sn_spec_set_array(spec, SN_KIND_FORCE_LENGTH, id, sn_attr_find(e, "Stretch"), stretch->count,
                          stretch->number) ||
        sn_spec_set_array(spec, SN_KIND_FORCE_LENGTH, id, sn_attr_find(e, "Force"), force->count, force->number))
        return sn_fail_no_memory(error);
    return SN_OK;
}

static snStatus read_curve(snSpec *spec, snId id, snError *error)
{
    const snForceLengthDef *def = sn_spec_force_length(spec, id);
    snOrigin origin = sn_spec_origin(spec, SN_KIND_FORCE_LENGTH, id);
    if (!*def->file) return SN_OK;
    snNumbers stretch = {0}, force = {0};
    char *path = sn_path_beside(origin.file, def->file);
    snStatus status = path ? sn_force_length_read(path, &stretch, &force, error) : sn_fail_no_memory(error);
    if (status)
        status = blame(status, origin, "ForceLength", def->name, error);
    else
        status = fill_curve(spec, id, &stretch, &force, error);
    sn_numbers_free(&stretch);
    sn_numbers_free(&force);
    sn_free(path);
    return status;
}

/* A law that is neither built in nor an element, but looks like a file. */
static bool is_law_file(const snSpec *spec, const char *law)
{
    snLawKind kind;
    if (!*law || sn_law_by_name(law, &kind) || sn_spec_find(spec, SN_KIND_FORCE_LENGTH, law)) return false;
    return strpbrk(law, "./") != NULL;
}

static snStatus add_law_file(snSpec *spec, snId strand, const char *law, snError *error)
{
    if (!is_law_file(spec, law)) return SN_OK;
    snForceLengthDef def = sn_default_force_length_def();
    def.name = def.file = law;
    snOrigin origin = sn_spec_origin(spec, SN_KIND_STRAND, strand);
    return sn_spec_add(spec, SN_KIND_FORCE_LENGTH, &def, origin, NULL) ? sn_fail_no_memory(error) : SN_OK;
}

static snStatus fill_mesh(snSpec *spec, snId id, const snMesh *mesh, snError *error)
{
    const snElement *e = sn_element(SN_KIND_NODE);
    if (sn_spec_set_array(spec, SN_KIND_NODE, id, sn_attr_find(e, "Vertices"), mesh->nvertex, mesh->vertex) ||
        sn_spec_set_array(spec, SN_KIND_NODE, id, sn_attr_find(e, "Triangles"), mesh->ntriangle, mesh->triangle))
        return sn_fail_no_memory(error);
    return SN_OK;
}

static snStatus read_mesh(snSpec *spec, snId id, snError *error)
{
    const snNodeDef *def = sn_spec_node(spec, id);
    snOrigin origin = sn_spec_origin(spec, SN_KIND_NODE, id);
    if (def->kind != SN_NODE_MESH || !*def->file || def->nvertex) return SN_OK;
    snMesh mesh = {0};
    char *path = sn_path_beside(origin.file, def->file);
    snStatus status = path ? sn_load_mesh(path, &mesh, error) : sn_fail_no_memory(error);
    if (status)
        status = blame(status, origin, "Mesh", def->name, error);
    else
        status = fill_mesh(spec, id, &mesh, error);
    sn_mesh_free(&mesh);
    sn_free(path);
    return status;
}

/* Meshes and force-length curves: what the spec refers to by file, relative to the file that the reference stands in.
 * A strand whose law is a file gets a ForceLength of that name. */
static snStatus read_references(snSpec *spec, snError *error)
{
    snStatus status = SN_OK;
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_STRAND) && !status; ++id) {
        status = add_law_file(spec, id, sn_spec_strand(spec, id)->passive_fl, error);
        if (!status) status = add_law_file(spec, id, sn_spec_strand(spec, id)->active_fl, error);
    }
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_FORCE_LENGTH) && !status; ++id)
        status = read_curve(spec, id, error);
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE) && !status; ++id) status = read_mesh(spec, id, error);
    return status;
}

/* ---- load and save ------------------------------------------------------------------------ */

/* Where the scene of a muscle file is: as the file says, or beside it under the same stem. NULL: no memory. */
static char *scene_path(const char *muscle_path, const char *scene)
{
    static const char *const endings[] = {".muscle.xml", ".xml", ""};
    if (*scene) return sn_path_beside(muscle_path, scene);
    size_t n = strlen(muscle_path), i = 0;
    while (!sn_path_ends(muscle_path, endings[i])) ++i;
    n -= strlen(endings[i]);
    char *path = sn_alloc(n + sizeof ".scene.xml", 1);
    if (!path) return NULL;
    memcpy(path, muscle_path, n);
    memcpy(path + n, ".scene.xml", sizeof ".scene.xml");
    return path;
}

static snStatus read_scene_of(snSpec *spec, const char *muscle_path, snError *error)
{
    const char *scene = sn_spec_model(spec)->scene;
    char *path = scene_path(muscle_path, scene);
    if (!path) return sn_fail_no_memory(error);
    snStatus status = SN_OK;
    if (*scene || sn_file_exists(path)) {
        status = sn_model_read_file(spec, SN_DOCUMENT_SCENE, path, error);
        if (status) status = blame(status, sn_spec_origin(spec, SN_ELEMENT_MODEL, 0), "Muscle", NULL, error);
    }
    sn_free(path);
    return status;
}

/* A file of our own or of another program, without what it refers to by file. */
static snStatus read_documents(snSpec *spec, const char *path, snError *error)
{
    const snModelFormat *format = sn_model_format(path);
    if (format) return format->read(spec, path, error);
    if (sn_path_ends(path, ".scene.xml")) return sn_model_read_file(spec, SN_DOCUMENT_SCENE, path, error);
    snStatus status = sn_model_read_file(spec, SN_DOCUMENT_MUSCLE, path, error);
    return status ? status : read_scene_of(spec, path, error);
}

static snStatus load(const char *path, bool forgiving, snSpec **result, snError *error)
{
    if (!path) return sn_fail_argument(error, "sn_load_model without path");
    snSpec *spec = sn_spec_create();
    if (!spec) return sn_fail_no_memory(error);
    if (forgiving) sn_spec_forgive(spec);
    snStatus status = read_documents(spec, path, error);
    if (!status) status = read_references(spec, error);
    if (status)
        sn_spec_destroy(spec);
    else
        *result = spec;
    return status;
}

snStatus sn_load_model(const char *path, snSpec **result, snError *error)
{
    return load(path, false, result, error);
}

snStatus sn_load_model_to_check(const char *path, snSpec **result, snError *error)
{
    return load(path, true, result, error);
}

snStatus sn_load_muscle_alone(const char *path, snSpec **result, snError *error)
{
    if (!path || !result) return sn_fail_argument(error, "sn_load_muscle_alone without path or result");
    snSpec *spec = sn_spec_create();
    if (!spec) return sn_fail_no_memory(error);
    bool scene = sn_path_ends(path, ".scene.xml"); /* a model without muscles */
    const snModelFormat *format = sn_model_format(path);
    snStatus status = SN_OK;
    if (format)
        status = format->read(spec, path, error);
    else if (!scene)
        status = sn_model_read_file(spec, SN_DOCUMENT_MUSCLE, path, error);
    if (status)
        sn_spec_destroy(spec);
    else
        *result = spec;
    return status;
}

/* Both documents are written completely before either takes its name. */
static snStatus save_both(const snSpec *spec, const char *muscle, const char *scene, snError *error)
{
    snWriter first, second;
    snStatus status = sn_model_write(spec, SN_DOCUMENT_SCENE, scene, &first, error);
    if (status) return status;
    status = sn_model_write(spec, SN_DOCUMENT_MUSCLE, muscle, &second, error);
    if (status) {
        sn_writer_abort(&first);
        return status;
    }
    sn_writer_flush(&first);
    sn_writer_flush(&second);
    if (second.status) {
        sn_writer_abort(&first);
        return sn_writer_commit(&second, error);
    }
    status = sn_writer_commit(&first, error);
    if (!status) return sn_writer_commit(&second, error);
    sn_writer_abort(&second);
    return status;
}

snStatus sn_save_model(const snSpec *spec, const char *muscle_path, snError *error)
{
    if (!spec || !muscle_path) return sn_fail_argument(error, "sn_save_model without spec or muscle_path");
    char *scene = scene_path(muscle_path, sn_spec_model(spec)->scene);
    if (!scene) return sn_fail_no_memory(error);
    snStatus status;
    if (strcmp(scene, muscle_path) == 0) {
        status = sn_fail(error, SN_BAD_INPUT, "scene and muscle file have the same name");
        sn_error_place(error, muscle_path, 0, 0);
    } else
        status = save_both(spec, muscle_path, scene, error);
    sn_free(scene);
    return status;
}

snStatus sn_save_scene(const snSpec *spec, const char *path, snError *error)
{
    if (!spec || !path) return sn_fail_argument(error, "sn_save_scene without spec or path");
    snWriter out;
    snStatus status = sn_model_write(spec, SN_DOCUMENT_SCENE, path, &out, error);
    return status ? status : sn_writer_commit(&out, error);
}
