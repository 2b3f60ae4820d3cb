/* The strands of a GLB: one named mesh each, belly and tendon as two materials, with what the muscle does over time in
 * its extras. */
#include "base/alloc.h"
#include "base/error.h"
#include "motion/track.h"
#include "page/glb.h"

#include <stdio.h>

/* The scalar that drives strand s, or the first of several kinds that the track has for it; -1: none. */
static int32_t find_scalar(const glbWriter *w, const char *const *kind, int nkind, int32_t s)
{
    char name[300];
    int32_t found = -1;
    for (int k = 0; k < nkind && found < 0; ++k) {
        snprintf(name, sizeof name, "%s/%.250s", kind[k], w->channels->strand_name[s]);
        found = sn_track_find_scalar(w->def->track, name);
    }
    return found;
}

static int32_t activation_of(const glbWriter *w, int32_t s)
{
    static const char *const kind[] = {"activation"};
    if (!w->def->strand_scalar) return find_scalar(w, kind, 1, s);
    return w->def->strand_scalar[s] < w->channels->nscalar ? w->def->strand_scalar[s] : -1;
}

/* A scalar at the times of the keys, to four digits. */
static void put_values(const glbWriter *w, int32_t channel, const char *name, double *scalar, snBytes *text)
{
    if (channel < 0) return;
    sn_json_text(text, ",\"");
    sn_json_text(text, name);
    sn_json_text(text, "\":[");
    for (int32_t i = 0; i < w->nkey; ++i) {
        char number[32];
        sn_track_scalars_at(w->def->track, w->start + w->key_time[i], scalar);
        snprintf(number, sizeof number, i ? ",%.4g" : "%.4g", scalar[channel]);
        sn_json_text(text, number);
    }
    sn_json_text(text, "]");
}

static void put_extras(const glbWriter *w, int32_t s, double *scalar, snBytes *text)
{
    static const char *const force[] = {"tension", "force_insertion", "force", "force_origin"};
    sn_json_text(text, "{\"rate\":");
    sn_json_number(text, w->def->rate);
    put_values(w, activation_of(w, s), "activation", scalar, text);
    put_values(w, find_scalar(w, force, 4, s), "force", scalar, text);
    sn_json_text(text, "}");
    sn_bytes_add(text, "", 1);
}

static bool add_texture(glbWriter *w, const snTube *tube, int32_t *accessor)
{
    double *uv = SN_NEW_ARRAY(double, 2 * (int64_t)tube->nvertex);
    if (!uv) return false;
    sn_tube_texture(tube, uv);
    *accessor = sn_gltf_texture(&w->gltf, uv, (size_t)tube->nvertex);
    sn_free(uv);
    return true;
}

static snStatus finish_strand(glbWriter *w, int32_t s, const snTube *tube, snMorph *m, double *scalar)
{
    snBytes extras = {0};
    snShapes shapes = sn_morph_write(m, w);
    put_extras(w, s, scalar, &extras);
    snGltfMesh mesh = {.name = w->channels->strand_name[s],
                       .position = m->first[0],
                       .normal = m->first[1],
                       .joints = -1,
                       .weights = -1,
                       .shapes = &shapes};
    bool fine = add_texture(w, tube, &mesh.uv) && !extras.failed;
    if (tube->ntendon > 0)
        mesh.part[mesh.npart++] =
            (snGltfPart){MATERIAL_TENDON, sn_gltf_indices(&w->gltf, tube->triangle, 3 * (size_t)tube->ntendon)};
    if (tube->ntendon < tube->ntriangle)
        mesh.part[mesh.npart++] =
            (snGltfPart){MATERIAL_MUSCLE, sn_gltf_indices(&w->gltf, tube->triangle + 3 * (size_t)tube->ntendon,
                                                          3 * (size_t)(tube->ntriangle - tube->ntendon))};
    int32_t node =
        sn_gltf_node(&w->gltf, mesh.name, sn_gltf_mesh(&w->gltf, &mesh), -1, NULL, extras.failed ? NULL : extras.at);
    sn_gltf_animate_shapes(&w->gltf, node, &shapes);
    sn_bytes_free(&extras);
    return fine ? SN_OK : SN_NO_MEMORY;
}

static snTubeDef tube_def(const glbWriter *w, int32_t s)
{
    const double *belly = w->def->strand_belly ? w->def->strand_belly + 3 * (size_t)s : NULL;
    snTubeDef def = {.npoint = w->channels->strand_npoint[s],
                     .sides = w->def->tube_sides,
                     .straight = w->def->straight_strands,
                     .tendon = w->def->strand_radius ? w->def->strand_radius[s] : 1e-3};
    if (belly) def.belly = belly[0], def.belly_start = belly[1], def.belly_end = belly[2];
    if (w->belly && w->belly[s].nvertex > 0) def.belly = def.tendon; /* it has a mesh of its own */
    return def;
}

/* point: of all strands; first: the first of this one. */
static snStatus add_strand(glbWriter *w, int32_t s, int32_t first, double *point, double *scalar)
{
    snTubeDef def = tube_def(w, s);
    snTube tube;
    snMorph m = {0};
    snStatus status = sn_tube_create(&tube, &def);
    if (status == SN_BAD_INPUT)
        sn_fail(w->error, status, "strand %.80s has fewer than 2 or more than 1024 control points",
                w->channels->strand_name[s]);
    if (status == SN_OK && !sn_morph_create(&m, (size_t)tube.nvertex, w->nshape)) status = SN_NO_MEMORY;
    m.least[0] = 2e-5, m.least[1] = 0.05; /* what nobody sees of a tube of some millimetres */
    for (int32_t i = 0; status == SN_OK && i < w->nshape; ++i) {
        sn_track_points_at(w->def->track, w->start + w->shape_time[i], point);
        sn_tube_shape(&tube, point + 3 * (size_t)first, m.shape[0], m.shape[1]);
        sn_morph_add(&m, i);
    }
    if (status == SN_OK) status = finish_strand(w, s, &tube, &m, scalar);
    sn_morph_free(&m);
    sn_tube_free(&tube);
    return status;
}

/* The belly of a strand as a mesh of its own, called like it. */
static snStatus add_belly(glbWriter *w, int32_t s, int32_t first, double *point)
{
    const snBellyBind *b = w->belly + s;
    snMorph m = {0};
    int32_t texture = -1;
    if (!sn_morph_create(&m, (size_t)b->nvertex, w->nshape)) return SN_NO_MEMORY;
    m.least[0] = 4e-4,
    m.least[1] = 3; /* what shows of a belly of centimetres; its normals stay those of the first shape */
    m.tolerance[1] = 3;
    for (int32_t i = 0; i < w->nshape; ++i) {
        sn_track_points_at(w->def->track, w->start + w->shape_time[i], point);
        sn_belly_bind_shape(b, point + 3 * (size_t)first, m.shape[0], m.shape[1]);
        if (i == 0) texture = sn_gltf_mesh_texture(&w->gltf, m.shape[0], (size_t)b->nvertex);
        sn_morph_add(&m, i);
    }
    char name[300];
    snprintf(name, sizeof name, "%.250s belly", w->channels->strand_name[s]);
    snShapes shapes = sn_morph_write(&m, w);
    snGltfMesh mesh = {.name = name,
                       .position = m.first[0],
                       .normal = m.first[1],
                       .uv = texture,
                       .joints = -1,
                       .weights = -1,
                       .shapes = &shapes};
    mesh.part[mesh.npart++] =
        (snGltfPart){MATERIAL_MUSCLE, sn_gltf_indices(&w->gltf, b->triangle, 3 * (size_t)b->ntriangle)};
    int32_t node = sn_gltf_node(&w->gltf, name, sn_gltf_mesh(&w->gltf, &mesh), -1, NULL, NULL);
    sn_gltf_animate_shapes(&w->gltf, node, &shapes);
    sn_morph_free(&m);
    return SN_OK;
}

snStatus sn_glb_add_strands(glbWriter *w)
{
    double *point = SN_NEW_ARRAY(double, 3 * (int64_t)sn_track_points(w->def->track));
    double *scalar = SN_NEW_ARRAY(double, w->channels->nscalar);
    snStatus status = point && scalar ? SN_OK : SN_NO_MEMORY;
    for (int32_t s = 0, first = 0; status == SN_OK && s < w->channels->nstrand; ++s) {
        status = add_strand(w, s, first, point, scalar);
        if (status == SN_OK && w->belly && w->belly[s].nvertex > 0) status = add_belly(w, s, first, point);
        first += w->channels->strand_npoint[s];
    }
    sn_free(point);
    sn_free(scalar);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(w->error) : status;
}
