/* Any deformer over a replay, frame by frame, and what exporters and the page want to know about it. */
#include "deformed.h"

#include "cache.h"

#include <stdlib.h>
#include <string.h>

bool cli_has_skin(const snSpec *spec)
{
    const char *name = sn_spec_model(spec)->skin;
    return name && *name;
}

/* ---- opening ------------------------------------------------------------------------------------ */

static bool join_surfaces(snDeformed *d)
{
    for (int32_t s = 0; s < sn_deformer_surfaces(d->deformer); ++s)
        d->ntriangle += sn_deformer_surface(d->deformer, s)->ntriangle;
    d->nvertex = sn_deformer_points(d->deformer);
    d->vertex = calloc(3 * (size_t)d->nvertex, sizeof *d->vertex);
    d->triangle = calloc(3 * (size_t)d->ntriangle + 1, sizeof *d->triangle);
    if (!d->vertex || !d->triangle) return false;
    int32_t *to = d->triangle, first = 0;
    for (int32_t s = 0; s < sn_deformer_surfaces(d->deformer); ++s) {
        const snDeformSurface *surface = sn_deformer_surface(d->deformer, s);
        for (int32_t i = 0; i < 3 * surface->ntriangle; ++i) *to++ = first + surface->triangle[i];
        first += surface->nvertex;
    }
    return true;
}

snStatus cli_deform_open(snCli *cli, const snSpec *spec, const snTrack *replay, snDeformer *deformer, snDeformed *d)
{
    snError error = {0};
    d->replay = replay, d->deformer = deformer;
    snStatus status = sn_compile(spec, &d->model, &error);
    if (status == SN_OK) status = sn_playback_create(d->model, replay, &d->playback, &error);
    if (status == SN_OK && !join_surfaces(d)) status = SN_NO_MEMORY;
    if (status == SN_OK) status = sn_deform(deformer, sn_playback_rest(d->playback), d->vertex, &error);
    return cli_fail_file(cli, status, &error, sn_deformer_surface(deformer, 0)->name);
}

static const snNodeDef *find_mesh(const snSpec *spec, const char *name)
{
    if (!name || !*name) name = sn_spec_model(spec)->skin;
    snId id = name && *name ? sn_spec_find(spec, SN_KIND_NODE, name) : 0;
    return id ? sn_spec_node(spec, id) : NULL;
}

static snStatus check_strands(snCli *cli, const snSpec *spec, const snTrack *replay)
{
    if (!replay || sn_track_def(replay)->nstrand > 0 || sn_spec_count(spec, SN_KIND_STRAND) == 0) return SN_OK;
    return cli_fail(cli, SN_BAD_INPUT, "the replay has no strands, which the skin of this model needs: track it first");
}

/* Puts the muscles of a library under the skin; where that fails the skin is gone. */
static snStatus lift_skin(const snSpec *spec, const char *path, snDeformed *d, snDeformer **deformer, snError *error)
{
    snLibrary *library = NULL;
    snDeformer *skin = *deformer;
    snStatus status = sn_load_library(path, &library, error);
    if (status != SN_OK)
        sn_deformer_destroy(skin);
    else
        status = sn_library_skin_deformer(spec, skin, library, deformer, error);
    if (status != SN_OK) d->skin = NULL;
    return status;
}

snStatus cli_skin_open(snCli *cli, const snSpec *spec, const snTrack *replay, const snModelSkinDef *def,
                       const char *library, snDeformed *d)
{
    snError error = {0};
    const snNodeDef *node = find_mesh(spec, def->mesh);
    snDeformer *deformer = NULL;
    if (!node && !cli_has_skin(spec) && !def->mesh)
        return cli_fail(cli, SN_BAD_INPUT, "the model names no skin: give --mesh NODE");
    snStatus status = check_strands(cli, spec, replay);
    if (status != SN_OK) return status;
    status = cli_create_skin(cli, spec, def, &d->skin, &error);
    if (status == SN_OK) status = sn_skin_deformer(d->skin, node->name, node->color, &deformer, &error);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, "skin");
    if (library) {
        status = lift_skin(spec, library, d, &deformer, &error);
        if (status != SN_OK) return cli_fail_file(cli, status, &error, library);
    }
    return cli_deform_open(cli, spec, replay, deformer, d);
}

snStatus cli_library_open(snCli *cli, const snSpec *spec, const snTrack *replay, const char *path, snDeformed *d)
{
    snError error = {0};
    snLibrary *library = NULL;
    snDeformer *deformer = NULL;
    snStatus status = sn_load_library(path, &library, &error);
    if (status == SN_OK) {
        status = sn_library_deformer(spec, library, &deformer, &error);
        if (status != SN_OK) sn_library_destroy(library);
    }
    if (status != SN_OK) return cli_fail_file(cli, status, &error, path);
    return cli_deform_open(cli, spec, replay, deformer, d);
}

void cli_flesh_quality(const snCli *cli, const char *name, snFleshDef *def)
{
    const char *quality = cli_option_text(cli, name, "final");
    if (strcmp(quality, "preview") == 0) def->tetrahedra = 50000, def->tolerance = 5e-5;
    if (strcmp(quality, "draft") == 0) def->tetrahedra = 25000, def->tolerance = 2e-4;
}

snStatus cli_flesh_open(snCli *cli, const snSpec *spec, const snTrack *replay, const snFleshDef *def, snFlesh **flesh,
                        snDeformed *d)
{
    snDeformer *deformer = NULL;
    snError error = {0};
    snStatus status = sn_create_model_flesh(spec, def, cli_progress_callback(cli), flesh, &error);
    if (status == SN_OK) {
        status = sn_flesh_deformer(*flesh, &deformer, &error);
        if (status != SN_OK) sn_flesh_destroy(*flesh), *flesh = NULL;
    }
    cli_progress_end(cli);
    if (status != SN_OK) return cli_fail_file(cli, status, &error, "flesh");
    d->slow = cli;
    return cli_deform_open(cli, spec, replay, deformer, d);
}

void cli_deform_close(snDeformed *d)
{
    if (d->deformer)
        sn_deformer_destroy(d->deformer); /* the skin with it */
    else
        sn_skin_destroy(d->skin);
    sn_playback_destroy(d->playback);
    if (d->model) sn_model_destroy(d->model);
    free(d->triangle);
    free(d->vertex);
    free(d->bone);
    free(d->weight);
    free(d->page_bone);
    *d = (snDeformed){0};
}

/* ---- frames ------------------------------------------------------------------------------------- */

snStatus cli_deform_at(void *deformed, double time, double *vertex)
{
    snDeformed *d = deformed;
    return sn_deform(d->deformer, sn_playback_at(d->playback, time), vertex, &d->error);
}

snStatus cli_deform_frame(void *deformed, int32_t frame, double *vertex)
{
    snDeformed *d = deformed;
    snStatus status = sn_deform(d->deformer, sn_playback_frame(d->playback, frame), vertex, &d->error);
    bool stop = d->slow && cli_progress(d->slow, "frames", frame + 1, sn_track_frames(d->replay));
    return stop && status == SN_OK ? SN_CANCELLED : status;
}

void cli_skin_over(snDeformed *d, double time, const float *base, double *vertex)
{
    const snFrame *frame = sn_playback_at(d->playback, time);
    for (int32_t i = 0; i < 3 * d->nvertex; ++i) d->vertex[i] = base[i];
    sn_skin_deform_base(d->skin, d->vertex, frame->point, vertex, NULL);
}

/* ---- bones -------------------------------------------------------------------------------------- */

snStatus cli_deform_bind(snCli *cli, snDeformed *d)
{
    size_t n = 4 * (size_t)d->nvertex;
    snError error = {0};
    if (d->bone) return SN_OK;
    d->bone = calloc(n, sizeof *d->bone), d->weight = calloc(n, sizeof *d->weight);
    if (!d->bone || !d->weight) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    snStatus status = sn_playback_bind(d->playback, d->deformer, d->bone, d->weight, &error);
    return cli_fail_file(cli, status, &error, sn_deformer_surface(d->deformer, 0)->name);
}

int32_t *cli_deform_replay_bones(const snDeformed *d)
{
    int32_t *bone = calloc(4 * (size_t)d->nvertex, sizeof *bone);
    for (int32_t i = 0; bone && i < 4 * d->nvertex; ++i)
        bone[i] = d->bone[i] >= 0 ? sn_playback_body(d->playback, d->bone[i]) : 0;
    return bone;
}

double *cli_deform_replay_rest(const snDeformed *d)
{
    const double *from = sn_playback_rest(d->playback)->pose;
    double *rest = calloc(7 * ((size_t)sn_track_def(d->replay)->nbody + 1), sizeof *rest);
    for (int32_t b = 0; rest && b < sn_track_def(d->replay)->nbody; ++b) rest[7 * b + 3] = 1;
    for (int32_t b = 0; rest && b < sn_count(d->model, SN_ITEM_BODY); ++b) {
        int32_t at = sn_playback_body(d->playback, b);
        if (at >= 0) memcpy(rest + 7 * at, from + 7 * b, 7 * sizeof *rest);
    }
    return rest;
}

static int32_t *spec_bones(const snDeformed *d, const snSpec *spec)
{
    int32_t nbody = sn_count(d->model, SN_ITEM_BODY);
    int32_t *bone = calloc(4 * (size_t)d->nvertex, sizeof *bone), *id = calloc((size_t)nbody + 1, sizeof *id);
    for (int32_t b = 0; id && b < nbody; ++b)
        id[b] = sn_spec_find(spec, SN_KIND_BODY, sn_name(d->model, SN_ITEM_BODY, b));
    for (int32_t i = 0; bone && id && i < 4 * d->nvertex; ++i) bone[i] = d->bone[i] >= 0 ? id[d->bone[i]] - 1 : -1;
    if (!id) {
        free(bone);
        bone = NULL;
    }
    free(id);
    return bone;
}

snStatus cli_deform_for_page(snCli *cli, snDeformed *d, const snSpec *spec, snStudioSkin *skin)
{
    snStatus status = cli_deform_bind(cli, d);
    if (status != SN_OK) return status;
    d->page_bone = spec_bones(d, spec);
    if (!d->page_bone) return cli_fail(cli, SN_NO_MEMORY, "out of memory");
    *skin =
        (snStudioSkin){.nvertex = d->nvertex, .ntriangle = d->ntriangle, .vertex = d->vertex, .triangle = d->triangle};
    skin->bone = d->page_bone, skin->weight = d->weight;
    memcpy(skin->color, sn_deformer_surface(d->deformer, 0)->color, sizeof skin->color);
    if (d->replay) skin->frame = cli_deform_frame, skin->user = d;
    return SN_OK;
}
