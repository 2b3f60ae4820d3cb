/* sinew/meshfree.h: making libraries and asking what is in them. */
#include "author/library.h"

#include "author/own/library.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/def.h"
#include "base/error.h"
#include "sinew/sim.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r\n"
enum { ATTEMPTS = 3 };

void sn_library_destroy(snLibrary *library)
{
    if (!library) return;
    sn_library_clear(library);
    sn_free(library);
}

static snStatus add_muscle(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *name,
                           const double *poses, snBoneDistances *distances, snPool *pool, snLibrary *library,
                           snError *error)
{
    snSoftMuscle muscle;
    snLibraryMuscle *out = library->muscle + library->nmuscle;
    snStatus status = sn_soft_muscle_create(spec, model, def, name, poses, distances, &muscle, error);
    if (status != SN_OK) return status;
    (void)snprintf(out->name, sizeof out->name, "%s", name);
    (void)snprintf(out->mesh, sizeof out->mesh, "%s", muscle.mesh_name);
    status = sn_library_flood(model, &muscle, def, pool, library, out, error);
    if (status == SN_OK)
        ++library->nmuscle;
    else
        sn_library_muscle_free(out);
    sn_soft_muscle_free(&muscle);
    return status;
}

/* Remembers a muscle that could not be made. */
static snStatus leave_out(snLibrary *library, const char *name, const snError *why, snError *error)
{
    size_t old = library->left_out ? strlen(library->left_out) : 0, size = old + strlen(name) + sizeof why->message + 4;
    char *text = SN_NEW_ARRAY(char, size);
    if (!text) return sn_fail_no_memory(error);
    (void)snprintf(text, size, "%s%s: %s\n", old ? library->left_out : "", name, why->message);
    sn_free(library->left_out);
    library->left_out = text;
    return SN_OK;
}

/* One of many muscles. Where it is too thin for the points, it gets more; what cannot be made is left out. */
static snStatus try_muscle(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *name,
                           const double *poses, snBoneDistances *distances, snPool *pool, snLibrary *library,
                           snError *error)
{
    snLibraryDef own = *def;
    snError why = {0};
    snStatus status = SN_OK;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt, own.points += own.points / 2) {
        status = add_muscle(spec, model, &own, name, poses, distances, pool, library, &why);
        if (status != SN_BAD_INPUT) break;
    }
    if (status == SN_BAD_INPUT || status == SN_FAILED) return leave_out(library, name, &why, error);
    if (status != SN_OK && error) *error = why;
    return status;
}

/* Whether a mesh node is the muscle of several groups, as deltoid is of deltoid_clavicular and others. name: of the
 * muscle. */
static bool stands_for_groups(const snSpec *spec, const snNodeDef *node, char name[SN_LIBRARY_NAME])
{
    static const char end[] = "_muscle";
    snId mesh;
    if (node->kind != SN_NODE_MESH || strlen(node->name) >= SN_LIBRARY_NAME) return false;
    (void)snprintf(name, SN_LIBRARY_NAME, "%s", node->name);
    size_t n = strlen(name), tail = sizeof end - 1;
    if (n > tail && strcmp(name + n - tail, end) == 0) name[n - tail] = 0;
    if (sn_spec_find(spec, SN_KIND_GROUP, name)) return false;
    char *strands = sn_muscle_strands(spec, name, NULL, &mesh);
    sn_free(strands);
    return strands != NULL;
}

/* When no muscle is named: groups with a mesh of their own, and meshes after which groups are named; or every group. */
static snStatus add_all(const snSpec *spec, const snModel *model, const snLibraryDef *def, const double *poses,
                        snBoneDistances *distances, snPool *pool, snLibrary *library, snError *error)
{
    snStatus status = SN_OK;
    char name[SN_LIBRARY_NAME];
    for (snId g = 1; g <= sn_spec_count(spec, SN_KIND_GROUP) && status == SN_OK; ++g) {
        snId mesh;
        const char *group = sn_spec_group(spec, g)->name;
        sn_free(sn_muscle_strands(spec, group, NULL, &mesh));
        if (mesh || def->every) status = try_muscle(spec, model, def, group, poses, distances, pool, library, error);
    }
    for (snId id = 1; id <= sn_spec_count(spec, SN_KIND_NODE) && status == SN_OK && !def->every; ++id)
        if (stands_for_groups(spec, sn_spec_node(spec, id), name))
            status = try_muscle(spec, model, def, name, poses, distances, pool, library, error);
    if (status == SN_OK && library->nmuscle == 0 && !library->left_out) {
        status = sn_fail(error, SN_BAD_INPUT, "no muscle group of the model has a mesh of its own");
        sn_error_remedy(error, "name a muscle: a mesh is then made around its strands");
    }
    return status;
}

/* Names separated by blanks. One of them alone must succeed. */
static snStatus add_named(const snSpec *spec, const snModel *model, const snLibraryDef *def, const double *poses,
                          snBoneDistances *distances, snPool *pool, snLibrary *library, snError *error)
{
    snStatus status = SN_OK;
    char name[SN_LIBRARY_NAME];
    const char *at = def->muscle + strspn(def->muscle, BLANKS);
    bool one = !at[strcspn(at, BLANKS)];
    for (; *at && status == SN_OK; at += strspn(at, BLANKS)) {
        int n = (int)strcspn(at, BLANKS);
        if (n >= SN_LIBRARY_NAME) return sn_fail(error, SN_BAD_INPUT, "the model has no muscle group \"%.*s\"", 60, at);
        (void)snprintf(name, sizeof name, "%.*s", n, at);
        status = one ? add_muscle(spec, model, def, name, poses, distances, pool, library, error)
                     : try_muscle(spec, model, def, name, poses, distances, pool, library, error);
        at += n;
    }
    return status;
}

static int32_t most_muscles(const snSpec *spec, const char *names)
{
    int32_t n = sn_spec_count(spec, SN_KIND_GROUP) + sn_spec_count(spec, SN_KIND_NODE) + 1;
    for (const char *at = names; at && *(at += strspn(at, BLANKS)); at += strcspn(at, BLANKS)) ++n;
    return n;
}

snStatus sn_create_library(const snSpec *spec, const snLibraryDef *def, snLibrary **out, snError *error)
{
    if (!def || !out) return sn_fail_argument(error, "sn_create_library without def or library");
    if (SN_CHECK_DEF(def, snLibraryDef, error)) return SN_BAD_ARGUMENT;
    snModel *model = NULL;
    snBoneDistances distances = {0};
    double began = sn_clock();
    *out = NULL;
    if (def->naxis > SN_LIBRARY_AXES - 1)
        return sn_fail(error, SN_BAD_INPUT, "%d axes besides the activation, expected at most 2", def->naxis);
    snStatus status = sn_compile(spec, &model, error);
    if (status != SN_OK) return status;
    snLibrary *library = SN_NEW(snLibrary);
    snPool *pool = sn_pool_create(def->threads > 0 ? def->threads : sn_hardware_threads());
    double *zero = SN_NEW_ARRAY(double, sn_count(model, SN_ITEM_COORDINATE) + 1);
    double *poses = SN_NEW_ARRAY(double, 7 * sn_count(model, SN_ITEM_BODY));
    if (library) library->muscle = SN_NEW_ARRAY(snLibraryMuscle, most_muscles(spec, def->muscle));
    if (!library || !library->muscle || !pool || !zero || !poses || !sn_bone_distances_create(spec, model, &distances))
        status = sn_fail_no_memory(error);
    if (status == SN_OK) status = sn_body_poses(model, zero, poses);
    if (status == SN_OK)
        status = def->muscle ? add_named(spec, model, def, poses, &distances, pool, library, error)
                             : add_all(spec, model, def, poses, &distances, pool, library, error);
    if (status == SN_OK && library->nmuscle == 0)
        status = sn_fail(error, SN_BAD_INPUT, "none of the muscles could be made: %.300s", library->left_out);
    sn_bone_distances_free(&distances);
    sn_pool_destroy(pool);
    sn_free(zero), sn_free(poses);
    sn_model_destroy(model);
    if (status == SN_OK) {
        library->seconds = sn_clock() - began;
        *out = library;
    } else
        sn_library_destroy(library);
    return status;
}

int32_t sn_library_count(const snLibrary *library)
{
    if (!library) return 0;
    return library->nmuscle;
}

const char *sn_library_left_out(const snLibrary *library)
{
    return library && library->left_out ? library->left_out : "";
}

snLibraryTimes sn_library_times(const snLibrary *library)
{
    if (!library) return (snLibraryTimes){0};
    return (snLibraryTimes){library->solves, library->solve_mean, library->solve_worst, library->seconds,
                            library->flood_seconds};
}

snStatus sn_library_info(const snLibrary *library, int32_t muscle, snLibraryInfo *info)
{
    if (!library || !info) return SN_BAD_ARGUMENT;
    if (muscle < 0 || muscle >= library->nmuscle) return SN_BAD_INPUT;
    const snLibraryMuscle *m = library->muscle + muscle;
    *info = (snLibraryInfo){.name = m->name,
                            .mesh = m->mesh,
                            .note = m->note,
                            .vertices = m->nvertex,
                            .samples = m->nsample,
                            .axes = m->naxis};
    info->midpoint_rms = (double)m->midpoint_rms, info->midpoint_max = (double)m->midpoint_max;
    info->least_volume = 1;
    for (int32_t a = 0; a < m->naxis; ++a) {
        info->axis[a] = m->axis[a].name, info->angle[a] = m->axis[a].angle, info->axis_samples[a] = m->axis[a].n;
        info->low[a] = m->axis[a].value[0], info->high[a] = m->axis[a].value[m->axis[a].n - 1];
    }
    for (int32_t s = 0; s < m->nsample; ++s) {
        info->jump = fmax(info->jump, (double)m->sample[s].jump);
        info->step = fmax(info->step, (double)m->sample[s].step);
        info->left_out = fmax(info->left_out, (double)m->sample[s].left_out);
        info->residual = fmax(info->residual, (double)m->sample[s].residual);
        info->least_volume = fmin(info->least_volume, (double)m->sample[s].volume);
    }
    return SN_OK;
}
