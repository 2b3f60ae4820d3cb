/* A GLB of a model: meshes of the bones, radii and muscles of the strands looked up in its spec. */
#include "base/alloc.h"
#include "base/array.h"
#include "base/def.h"
#include "base/error.h"
#include "math/spline.h"
#include "model/nodes.h"
#include "page/belly_bind.h"
#include "page/gltf.h"
#include "page/tissue.h"
#include "sinew/io.h"

#include <stdio.h>
#include <string.h>

/* Hundreds of strands: fewer shapes in between keep the file to some ten megabytes. */
enum { MANY = 300, SHAPES_OF_MANY = 16 };

typedef struct modelParts {
    snMesh *mesh;    /* per body of the track */
    double *radius;  /* per strand */
    double *belly;   /* 3 per strand */
    int32_t *scalar; /* per strand */
} modelParts;

static bool is_bone(const snSpec *spec, snId node, snId body)
{
    const snNodeDef *def = sn_spec_node(spec, node);
    const char *skin = sn_spec_model(spec)->skin;
    if (def->kind != SN_NODE_MESH || !def->visible || def->ntriangle < 1 || !def->vertex || !def->triangle)
        return false;
    return !(skin && *skin && !strcmp(skin, def->name)) && sn_node_body(spec, node) == body;
}

static snStatus append_node(const snSpec *spec, snId node, rigid frame, snMesh *mesh)
{
    const snNodeDef *def = sn_spec_node(spec, node);
    size_t nv = (size_t)mesh->nvertex, nt = (size_t)mesh->ntriangle, dv = (size_t)def->nvertex,
           dt = (size_t)def->ntriangle;
    if (dv > INT32_MAX / 3 - nv || dt > INT32_MAX / 3 - nt) return SN_NO_MEMORY;
    double *vertex = sn_realloc(mesh->vertex, 3 * nv, 3 * (nv + dv), sizeof *vertex);
    if (!vertex) return SN_NO_MEMORY;
    mesh->vertex = vertex;
    int32_t *triangle = sn_realloc(mesh->triangle, 3 * nt, 3 * (nt + dt), sizeof *triangle);
    if (!triangle) return SN_NO_MEMORY;
    mesh->triangle = triangle;
    affine world = sn_node_world(spec, node);
    bool mirrored = m3_det(&world.a) < 0;
    for (size_t i = 0; i < dv; ++i)
        v3_store(vertex + 3 * (nv + i), rigid_unapply(frame, affine_apply(&world, v3_load(def->vertex + 3 * i))));
    for (size_t i = 0; i < dt; ++i)
        for (size_t k = 0; k < 3; ++k)
            triangle[3 * (nt + i) + k] = (int32_t)nv + def->triangle[3 * i + (mirrored ? 2 - k : k)];
    mesh->nvertex += def->nvertex;
    mesh->ntriangle += def->ntriangle;
    return SN_OK;
}

snStatus sn_body_mesh(const snSpec *spec, const char *body, snMesh *mesh, snError *error)
{
    if (!spec) return sn_fail_argument(error, "sn_body_mesh without spec");
    snMesh whole = {0};
    snId id = sn_spec_find(spec, SN_KIND_BODY, body), group = id ? sn_body_node(spec, id) : 0;
    if (!id) return sn_fail(error, SN_BAD_INPUT, "the model has no body \"%.100s\"", body);
    rigid frame = group ? sn_node_frame(spec, group) : rigid_identity();
    for (snId node = 1; node <= sn_spec_count(spec, SN_KIND_NODE); ++node) {
        if (!is_bone(spec, node, id)) continue;
        if (append_node(spec, node, frame, &whole) == SN_OK) continue;
        sn_mesh_free(&whole);
        return sn_fail_no_memory(error);
    }
    *mesh = whole;
    return SN_OK;
}

/* ---- strands -------------------------------------------------------------------------------- */

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = list; at && *at;) {
        size_t blank = strspn(at, " \t\r\n"), length = strcspn(at + blank, " \t\r\n");
        if (length == n && !strncmp(at + blank, word, n)) return true;
        at += blank + length;
    }
    return false;
}

static int32_t find_activation(const snTrack *track, const char *muscle)
{
    char name[300];
    snprintf(name, sizeof name, "activation/%.250s", muscle);
    return sn_track_find_scalar(track, name);
}

/* The activation of a strand is its own, that of its unit, or that of the muscle group that it belongs to. */
static int32_t strand_activation(const snSpec *spec, const snTrack *track, const char *strand)
{
    int32_t found = find_activation(track, strand);
    for (snId id = 1; found < 0 && id <= sn_spec_count(spec, SN_KIND_GROUP); ++id) {
        const snGroupDef *group = sn_spec_group(spec, id);
        if (has_word(group->strands, strand)) found = find_activation(track, group->name);
    }
    snId line = found < 0 ? sn_spec_find(spec, SN_KIND_LINE_MUSCLE, strand) : 0;
    if (line) found = find_activation(track, sn_spec_line_muscle(spec, line)->unit);
    return found;
}

/* A line muscle: belly over the middle of it, as thick as its cross-section or force asks for. */
static void find_line(const snSpec *spec, int32_t s, const char *name, modelParts *parts)
{
    snId id = sn_spec_find(spec, SN_KIND_LINE_MUSCLE, name);
    if (!id) return;
    const snLineMuscleDef *d = sn_spec_line_muscle(spec, id);
    snStrandDef like = {.max_force = d->pcsa > 0 ? 0.3e6 * d->pcsa : d->max_force, .radius = d->radius};
    double *belly = parts->belly + 3 * (size_t)s;
    parts->radius[s] = d->radius > 0 ? d->radius : 1e-3;
    belly[0] = sn_drawn_belly(&like), belly[1] = 0.1, belly[2] = 0.9;
}

static void find_strands(const snSpec *spec, const snTrack *track, modelParts *parts)
{
    const snTrackDef *def = sn_track_def(track);
    for (int32_t s = 0; s < def->nstrand; ++s) {
        snId id = sn_spec_find(spec, SN_KIND_STRAND, def->strand_name[s]);
        double radius = id ? sn_spec_strand(spec, id)->radius : 0;
        parts->radius[s] = radius > 0 ? radius : 1e-3;
        if (id) {
            const snStrandDef *strand = sn_spec_strand(spec, id);
            double *belly = parts->belly + 3 * (size_t)s;
            belly[0] = sn_drawn_belly(strand), belly[1] = strand->belly_start, belly[2] = strand->belly_end;
        } else {
            find_line(spec, s, def->strand_name[s], parts);
        }
        parts->scalar[s] = strand_activation(spec, track, def->strand_name[s]);
    }
}

/* The mesh of a strand's belly, bound to the curve as drawn; none where it has none that fits the track. */
static snStatus bind_belly(const snSpec *spec, const snTrackDef *track, int32_t s, snBellyBind *bind)
{
    snId id = sn_spec_find(spec, SN_KIND_STRAND, track->strand_name[s]);
    const char *name = id ? sn_spec_strand(spec, id)->belly_mesh : NULL;
    snId node = name && *name ? sn_spec_find(spec, SN_KIND_NODE, name) : 0,
         curve_id = id ? sn_strand_node(spec, id) : 0;
    const snNodeDef *curve = curve_id ? sn_spec_node(spec, curve_id) : NULL;
    if (!node || !curve || curve->npoint != track->strand_npoint[s] || curve->npoint < 4) return SN_OK;
    snMesh mesh = {0};
    double *point = SN_NEW_ARRAY(double, 3 * (int64_t)curve->npoint), *knot = SN_NEW_ARRAY(double, curve->npoint + 4);
    affine world = sn_node_world(spec, curve_id);
    snStatus status = point && knot ? append_node(spec, node, rigid_identity(), &mesh) : SN_NO_MEMORY;
    if (status == SN_OK) {
        for (int32_t i = 0; i < curve->npoint; ++i)
            v3_store(point + 3 * i, affine_apply(&world, v3_load(curve->point + 3 * i)));
        if (curve->nknot == curve->npoint + 4)
            memcpy(knot, curve->knot, sizeof *knot * (size_t)curve->nknot);
        else
            spline_clamped_knots(knot, curve->npoint);
        status = sn_belly_bind_create(&mesh, curve->npoint, point, knot, bind);
    }
    sn_mesh_free(&mesh);
    sn_free(point), sn_free(knot);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static snStatus find_parts(const snSpec *spec, const snTrack *track, modelParts *parts, snError *error)
{
    const snTrackDef *def = sn_track_def(track);
    parts->mesh = SN_NEW_ARRAY(snMesh, def->nbody);
    parts->radius = SN_NEW_ARRAY(double, def->nstrand);
    parts->belly = SN_NEW_ARRAY(double, 3 * (int64_t)def->nstrand);
    parts->scalar = SN_NEW_ARRAY(int32_t, def->nstrand);
    if (!parts->mesh || !parts->radius || !parts->belly || !parts->scalar) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < def->nbody; ++i) {
        snStatus status = sn_body_mesh(spec, def->body_name[i], &parts->mesh[i], error);
        if (status != SN_OK) return status;
    }
    find_strands(spec, track, parts);
    return SN_OK;
}

snStatus sn_save_model_glb(const snSpec *spec, const snGlbDef *def, const char *path, snError *error)
{
    if (!spec || !def || !def->track || !path)
        return sn_fail_argument(error, "sn_save_model_glb without spec, def, track or path");
    snGlbDef taken = sn_default_glb_def();
    if (SN_TAKE_DEF(def, snGlbDef, taken, error)) return SN_BAD_ARGUMENT;
    modelParts parts = {0};
    snGlbDef whole = *def;
    snStatus status = find_parts(spec, def->track, &parts, error);
    if (!whole.body_mesh) whole.body_mesh = parts.mesh;
    if (!whole.strand_radius) whole.strand_radius = parts.radius;
    if (!whole.strand_belly) whole.strand_belly = parts.belly;
    whole.straight_strands = whole.straight_strands || sn_spec_model(spec)->type == SN_MODEL_TREE;
    if (sn_track_def(def->track)->nstrand > MANY && whole.max_shapes > SHAPES_OF_MANY)
        whole.max_shapes = SHAPES_OF_MANY;
    if (!whole.strand_scalar) whole.strand_scalar = parts.scalar;
    int32_t nstrand = sn_track_def(def->track)->nstrand;
    snBellyBind *belly = SN_NEW_ARRAY(snBellyBind, nstrand + 1);
    if (status == SN_OK && !belly) status = sn_fail_no_memory(error);
    for (int32_t s = 0; s < nstrand && status == SN_OK; ++s)
        if (bind_belly(spec, sn_track_def(def->track), s, belly + s) == SN_NO_MEMORY) status = sn_fail_no_memory(error);
    if (status == SN_OK) status = sn_save_glb(&whole, belly, path, error);
    for (int32_t s = 0; belly && s < nstrand; ++s) sn_belly_bind_free(belly + s);
    sn_free(belly);
    for (int32_t i = 0; parts.mesh && i < sn_track_def(def->track)->nbody; ++i) sn_mesh_free(&parts.mesh[i]);
    sn_free(parts.mesh);
    sn_free(parts.radius);
    sn_free(parts.belly);
    sn_free(parts.scalar);
    return status;
}
