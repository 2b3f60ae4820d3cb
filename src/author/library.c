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
    snStatus status = sn_soft_muscle_create(spec, model, def, name, poses, distances, pool, &muscle, error);
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

static bool has_muscle(const snLibrary *library, const char *name)
{
    for (int32_t i = 0; i < library->nmuscle; ++i)
        if (strcmp(library->muscle[i].name, name) == 0) return true;
    return false;
}

static bool copy_muscle(const snLibraryMuscle *from, snLibraryMuscle *to)
{
    size_t vertices = (size_t)from->nvertex, weights = vertices * (size_t)from->nbody,
           deltas = 3 * vertices * (size_t)from->nsample;
    *to = *from;
    to->weight = SN_NEW_ARRAY(float, weights), to->delta = SN_NEW_ARRAY(int16_t, deltas);
    to->sample = SN_NEW_ARRAY(snLibrarySample, from->nsample);
    if (!to->weight || !to->delta || !to->sample) return sn_library_muscle_free(to), false;
    memcpy(to->weight, from->weight, weights * sizeof *to->weight);
    memcpy(to->delta, from->delta, deltas * sizeof *to->delta);
    memcpy(to->sample, from->sample, (size_t)from->nsample * sizeof *to->sample);
    return true;
}

/* The muscles of def->known whose mesh is still the same. */
static snStatus take_over(const snSpec *spec, const snModel *model, const snLibraryDef *def, snLibrary *library,
                          snError *error)
{
    for (int32_t i = 0; def->known && i < def->known->nmuscle; ++i) {
        const snLibraryMuscle *known = def->known->muscle + i;
        snSoftMuscle muscle;
        snLibraryDef own = *def;
        snError ignored;
        own.mesh = known->mesh[0] ? known->mesh : NULL;
        snStatus status = sn_soft_muscle_outline(spec, model, &own, known->name, &muscle, &ignored);
        if (status == SN_NO_MEMORY) return sn_fail_no_memory(error);
        if (status != SN_OK) continue;
        bool same = sn_library_hash(&muscle.mesh) == known->hash;
        sn_soft_muscle_free(&muscle);
        if (!same) continue;
        if (!copy_muscle(known, library->muscle + library->nmuscle)) return sn_fail_no_memory(error);
        ++library->nmuscle;
    }
    return SN_OK;
}

/* Progress of one muscle as a part of that of all. It never goes back: what is left to do may turn out to be more. */
typedef struct part {
    snProgress all;
    const char *name;
    int32_t index, count;
    double share;
} part;

static int part_progress(void *user, const char *stage, double done, double total)
{
    part *p = user;
    char text[SN_LIBRARY_NAME + 16];
    p->share = fmax(p->share, fmin(done / total, 1));
    (void)snprintf(text, sizeof text, "%s: %s", p->name, stage);
    return p->all.call(p->all.user, text, p->index + p->share, p->count);
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
                           int32_t index, int32_t count, const double *poses, snBoneDistances *distances, snPool *pool,
                           snLibrary *library, snError *error)
{
    snLibraryDef own = *def;
    snError why = {0};
    snStatus status = SN_OK;
    part p = {def->progress, name, index, count, 0};
    if (has_muscle(library, name)) return SN_OK;
    if (def->progress.call) own.progress = (snProgress){part_progress, &p};
    /* before the points are laid, which takes a while */
    if (own.progress.call && own.progress.call(&p, "points", 0, 1)) return SN_CANCELLED;
    for (int attempt = 0; attempt < ATTEMPTS; ++attempt, own.points += own.points / 2) {
        status = add_muscle(spec, model, &own, name, poses, distances, pool, library, &why);
        if (status != SN_BAD_INPUT) break;
    }
    if (status == SN_BAD_INPUT || status == SN_FAILED) return leave_out(library, name, &why, error);
    if (status != SN_OK && error) *error = why;
    return status == SN_OK && def->finished ? def->finished(def->user, library) : status;
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

/* Names of muscles, separated by blanks, to be freed; NULL: out of memory. Groups with a mesh of their own and meshes
 * after which groups are named; or every group. */
static char *all_names(const snSpec *spec, bool every)
{
    char name[SN_LIBRARY_NAME];
    int32_t groups = sn_spec_count(spec, SN_KIND_GROUP), nodes = sn_spec_count(spec, SN_KIND_NODE);
    char *list = SN_NEW_ARRAY(char, (size_t)(groups + nodes) * (SN_LIBRARY_NAME + 1) + 1), *end = list;
    for (snId g = 1; g <= groups && list; ++g) {
        snId mesh;
        const char *group = sn_spec_group(spec, g)->name;
        sn_free(sn_muscle_strands(spec, group, NULL, &mesh));
        if ((mesh || every) && strlen(group) < SN_LIBRARY_NAME) end += snprintf(end, SN_LIBRARY_NAME + 2, "%s ", group);
    }
    for (snId id = 1; id <= nodes && list && !every; ++id)
        if (stands_for_groups(spec, sn_spec_node(spec, id), name))
            end += snprintf(end, SN_LIBRARY_NAME + 2, "%s ", name);
    return list;
}

static int32_t count_names(const char *names)
{
    int32_t n = 0;
    for (const char *at = names; *(at += strspn(at, BLANKS)); at += strcspn(at, BLANKS)) ++n;
    return n;
}

/* Names separated by blanks. One that was asked for alone must succeed. */
static snStatus add_names(const snSpec *spec, const snModel *model, const snLibraryDef *def, const char *names,
                          const double *poses, snBoneDistances *distances, snPool *pool, snLibrary *library,
                          snError *error)
{
    snStatus status = SN_OK;
    char name[SN_LIBRARY_NAME];
    int32_t count = count_names(names), index = 0;
    const char *at = names + strspn(names, BLANKS);
    bool one = def->muscle && count == 1;
    if (count == 0) {
        sn_fail(error, SN_BAD_INPUT, "no muscle group of the model has a mesh of its own");
        sn_error_remedy(error, "name a muscle: a mesh is then made around its strands");
        return SN_BAD_INPUT;
    }
    for (; *at && status == SN_OK; at += strspn(at, BLANKS), ++index) {
        int n = (int)strcspn(at, BLANKS);
        if (n >= SN_LIBRARY_NAME) return sn_fail(error, SN_BAD_INPUT, "the model has no muscle group \"%.*s\"", 60, at);
        (void)snprintf(name, sizeof name, "%.*s", n, at);
        if (!one)
            status = try_muscle(spec, model, def, name, index, count, poses, distances, pool, library, error);
        else if (!has_muscle(library, name))
            status = add_muscle(spec, model, def, name, poses, distances, pool, library, error);
        at += n;
    }
    return status;
}

snStatus sn_create_library(const snSpec *spec, const snLibraryDef *def, snLibrary **out, snError *error)
{
    if (!def || !out) return sn_fail_argument(error, "sn_create_library without def or library");
    snLibraryDef taken = sn_default_library_def();
    if (SN_TAKE_DEF(def, snLibraryDef, taken, error)) return SN_BAD_ARGUMENT;
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
    char *found = def->muscle ? NULL : all_names(spec, def->every);
    const char *names = def->muscle ? def->muscle : found;
    if (library && names)
        library->muscle =
            SN_NEW_ARRAY(snLibraryMuscle, count_names(names) + (def->known ? def->known->nmuscle : 0) + 1);
    if (!library || !library->muscle || !pool || !zero || !poses || !sn_bone_distances_create(spec, model, &distances))
        status = sn_fail_no_memory(error);
    if (status == SN_OK) status = take_over(spec, model, def, library, error);
    if (status == SN_OK) status = sn_body_poses(model, zero, poses);
    if (status == SN_OK) status = add_names(spec, model, def, names, poses, &distances, pool, library, error);
    if (status == SN_OK && library->nmuscle == 0)
        status = sn_fail(error, SN_BAD_INPUT, "none of the muscles could be made: %.300s", library->left_out);
    sn_bone_distances_free(&distances);
    sn_pool_destroy(pool);
    sn_free(zero), sn_free(poses), sn_free(found);
    sn_model_destroy(model);
    if (status == SN_OK || (status == SN_CANCELLED && library->nmuscle > 0)) {
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
    info->least_volume = info->least_ratio = 1;
    info->contact_depth = m->contact_depth;
    for (int32_t a = 0; a < m->naxis; ++a) {
        info->axis[a] = m->axis[a].name, info->angle[a] = m->axis[a].angle, info->axis_samples[a] = m->axis[a].n;
        info->low[a] = m->axis[a].value[0], info->high[a] = m->axis[a].value[m->axis[a].n - 1];
    }
    for (int32_t s = 0; s < m->nsample; ++s) {
        info->jump = fmax(info->jump, (double)m->sample[s].jump);
        info->step = fmax(info->step, (double)m->sample[s].step);
        info->left_out = fmax(info->left_out, (double)m->sample[s].left_out);
        info->residual = fmax(info->residual, (double)m->sample[s].residual);
        info->least_ratio = fmin(info->least_ratio, (double)m->sample[s].least);
        info->least_volume = fmin(info->least_volume, (double)m->sample[s].volume);
    }
    return SN_OK;
}
