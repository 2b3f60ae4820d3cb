/* A track, its bones and its skin as one GLB file.
 *
 * Bones are nodes with translation and rotation keys. Strands and what the bones do not explain of the skin are morph
 * targets: shape i is at weight one at its time and at zero at the times of the others, so that a viewer draws the
 * straight line between neighbouring shapes. Of a skinned mesh the targets are in the pose of rest: a deformed vertex
 * is carried back by the inverse of the matrix that skinning will apply to it. */
#include "page/glb.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/little.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 100000, MAX_JOINTS = 60000 };

/* ---- checks and times ----------------------------------------------------------------------- */

static snStatus check_mesh(const snMesh *m, const char *what, const char *name, snError *error)
{
    for (size_t i = 0; i < 3 * (size_t)m->nvertex; ++i)
        if (!(fabs(m->vertex[i]) <= 3e38))
            return sn_fail(error, SN_BAD_INPUT, "%s %.80s: vertex %zu is not finite", what, name, i / 3 + 1);
    for (size_t i = 0; i < 3 * (size_t)m->ntriangle; ++i)
        if (m->triangle[i] < 0 || m->triangle[i] >= m->nvertex)
            return sn_fail(error, SN_BAD_INPUT, "%s %.80s: triangle %zu has a corner out of range", what, name,
                           i / 3 + 1);
    return SN_OK;
}

static snStatus check_weights(const glbWriter *w)
{
    const snGlbDef *d = w->def;
    for (size_t i = 0; i < (size_t)d->skin->nvertex; ++i) {
        double sum = 0;
        for (size_t k = 4 * i; k < 4 * i + 4; ++k) {
            sum += d->skin_weight[k];
            if (!(d->skin_weight[k] >= 0))
                return sn_fail(w->error, SN_BAD_INPUT, "skin vertex %zu has the weight %g", i + 1, d->skin_weight[k]);
            if (d->skin_bone[k] < 0 || d->skin_bone[k] >= w->channels->nbody)
                return sn_fail(w->error, SN_BAD_INPUT, "skin vertex %zu is bound to bone %d, which does not exist",
                               i + 1, d->skin_bone[k]);
        }
        if (!(fabs(sum - 1) < 0.01))
            return sn_fail(w->error, SN_BAD_INPUT, "the weights of skin vertex %zu sum to %g, expected 1", i + 1, sum);
    }
    return SN_OK;
}

static snStatus check_def(const glbWriter *w)
{
    const snGlbDef *d = w->def;
    if (sn_track_frames(d->track) == 0) return sn_fail(w->error, SN_BAD_INPUT, "the motion has no frames");
    if (!(d->rate > 0 && d->rate <= 1e4)) return sn_fail(w->error, SN_BAD_INPUT, "%g keys a second", d->rate);
    if (d->tube_sides < 3 || d->tube_sides > 64) return sn_fail(w->error, SN_BAD_INPUT, "a tube has 3 to 64 sides");
    if (w->channels->nbody > MAX_JOINTS) return sn_fail(w->error, SN_BAD_INPUT, "more than %d bodies", MAX_JOINTS);
    snStatus status = SN_OK;
    for (int32_t i = 0; d->body_mesh && status == SN_OK && i < w->channels->nbody; ++i)
        status = check_mesh(&d->body_mesh[i], "bone", w->channels->body_name[i], w->error);
    if (status != SN_OK || !d->skin) return status;
    if (!d->skin_bone && !d->skin_at)
        return sn_fail(w->error, SN_BAD_INPUT, "the skin has neither bone weights nor shapes");
    status = check_mesh(d->skin, "skin", "", w->error);
    return status == SN_OK && d->skin_bone ? check_weights(w) : status;
}

static snStatus set_times(glbWriter *w)
{
    const snTrack *track = w->def->track;
    w->start = w->def->start, w->end = w->def->end;
    if (w->start == w->end)
        w->start = sn_track_time(track, 0), w->end = sn_track_time(track, sn_track_frames(track) - 1);
    double keys = floor((w->end - w->start) * w->def->rate + 0.5) + 1;
    if (!(w->end >= w->start && keys <= MAX_KEYS))
        return sn_fail(w->error, SN_BAD_INPUT, "no animation can be made from %g to %g s", w->start, w->end);
    w->nkey = (int32_t)keys;
    w->nshape = w->nkey <= w->def->max_shapes + 1 ? w->nkey : w->def->max_shapes + 1;
    if (w->nshape < 1) w->nshape = 1;
    w->key_time = SN_NEW_ARRAY(double, w->nkey);
    w->shape_time = SN_NEW_ARRAY(double, w->nshape);
    w->body_node = SN_NEW_ARRAY(int32_t, w->channels->nbody);
    w->pose = SN_NEW_ARRAY(double, 7 * w->nkey);
    if (!w->key_time || !w->shape_time || !w->body_node || !w->pose) return sn_fail_no_memory(w->error);
    for (int32_t i = 1; i < w->nkey; ++i) w->key_time[i] = (w->end - w->start) * i / (w->nkey - 1);
    for (int32_t i = 1; i < w->nshape; ++i) w->shape_time[i] = (w->end - w->start) * i / (w->nshape - 1);
    w->key_accessor = w->nkey > 1 ? sn_gltf_vectors(&w->gltf, w->key_time, (size_t)w->nkey, 1, 0) : -1;
    return SN_OK;
}

/* ---- bones ---------------------------------------------------------------------------------- */

static int32_t add_plain_mesh(glbWriter *w, const char *name, const snMesh *m, int32_t material)
{
    double *normal = SN_NEW_ARRAY(double, 3 * (int64_t)m->nvertex);
    if (!normal) {
        w->gltf.failed = true;
        return -1;
    }
    sn_vertex_normals(m->nvertex, m->ntriangle, m->vertex, m->triangle, normal);
    snGltfMesh mesh = {.name = name, .npart = 1, .joints = -1, .weights = -1};
    mesh.part[0] = (snGltfPart){material, sn_gltf_indices(&w->gltf, m->triangle, 3 * (size_t)m->ntriangle)};
    mesh.position = sn_gltf_vectors(&w->gltf, m->vertex, (size_t)m->nvertex, 3, 34962);
    mesh.normal = sn_gltf_vectors(&w->gltf, normal, (size_t)m->nvertex, 3, 34962);
    mesh.uv = sn_gltf_mesh_texture(&w->gltf, m->vertex, (size_t)m->nvertex);
    sn_free(normal);
    return sn_gltf_mesh(&w->gltf, &mesh);
}

/* Neighbouring keys on the same side of the sphere of quaternions, so that a viewer takes the short way. */
static void sample_pose(glbWriter *w, int32_t body)
{
    for (int32_t i = 0; i < w->nkey; ++i) {
        double *pose = w->pose + 7 * (size_t)i;
        sn_track_pose_at(w->def->track, body, w->start + w->key_time[i], pose, NULL);
        if (i && q_dot(q_load(pose + 3), q_load(pose - 4)) < 0)
            for (int k = 3; k < 7; ++k) pose[k] = -pose[k];
    }
}

static void animate_body(glbWriter *w, int32_t node)
{
    double *value = SN_NEW_ARRAY(double, 4 * (int64_t)w->nkey);
    if (!value) w->gltf.failed = true;
    if (!value || w->nkey < 2) {
        sn_free(value);
        return;
    }
    for (int32_t i = 0; i < w->nkey; ++i) memcpy(value + 3 * i, w->pose + 7 * i, 3 * sizeof *value);
    sn_gltf_animate(&w->gltf, node, "translation", w->key_accessor,
                    sn_gltf_vectors(&w->gltf, value, (size_t)w->nkey, 3, 0));
    for (int32_t i = 0; i < w->nkey; ++i) {
        const double *q = w->pose + 7 * i + 3;
        value[4 * i] = q[1], value[4 * i + 1] = q[2], value[4 * i + 2] = q[3], value[4 * i + 3] = q[0];
    }
    sn_gltf_animate(&w->gltf, node, "rotation", w->key_accessor,
                    sn_gltf_vectors(&w->gltf, value, (size_t)w->nkey, 4, 0));
    sn_free(value);
}

static void add_bodies(glbWriter *w)
{
    for (int32_t i = 0; i < w->channels->nbody; ++i) {
        const snMesh *m = w->def->body_mesh ? &w->def->body_mesh[i] : NULL;
        const char *name = w->channels->body_name[i];
        int32_t mesh = m && m->ntriangle ? add_plain_mesh(w, name, m, MATERIAL_BONE) : -1;
        sample_pose(w, i);
        w->body_node[i] = sn_gltf_node(&w->gltf, name, mesh, -1, w->pose, NULL);
        animate_body(w, w->body_node[i]);
    }
}

/* ---- the file ------------------------------------------------------------------------------- */

static void put_part(snBytes *json, const char *key, const snBytes *list)
{
    if (!list->size) return;
    sn_json_text(json, key);
    sn_bytes_add(json, list->at, list->size);
    sn_json_text(json, "]");
}

static void put_material(snBytes *json, int tissue, double opacity, const char *roughness)
{
    double c[3];
    sn_tissue_linear(tissue, c);
    sn_json_text(json, "{\"name\":\"");
    sn_json_text(json, sn_tissue_name[tissue]);
    sn_json_text(json, "\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[");
    for (int k = 0; k < 3; ++k) sn_json_number(json, c[k]), sn_json_text(json, ",");
    sn_json_number(json, opacity);
    sn_json_text(json, "],\"metallicFactor\":0,\"roughnessFactor\":");
    sn_json_text(json, roughness);
    sn_json_text(json, opacity < 1 ? "},\"alphaMode\":\"BLEND\"}" : "}}");
}

/* In the order of the enum in glb.h. */
static void put_materials(snBytes *json, double opacity)
{
    sn_json_text(json, ",\"materials\":[");
    put_material(json, SN_TISSUE_BONE, 1, "0.7");
    sn_json_text(json, ",");
    put_material(json, SN_TISSUE_TENDON, 1, "0.45");
    sn_json_text(json, ",");
    put_material(json, SN_TISSUE_MUSCLE, 1, "0.55");
    sn_json_text(json, ",");
    put_material(json, SN_TISSUE_SKIN, fmin(1, fmax(0, opacity)), "0.6");
    sn_json_text(json, "]");
}

static void put_json(const glbWriter *w, snBytes *json)
{
    const snGltf *g = &w->gltf;
    sn_json_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sinew\"},");
    if (g->quantized)
        sn_json_text(json, "\"extensionsUsed\":[\"KHR_mesh_quantization\"],"
                           "\"extensionsRequired\":[\"KHR_mesh_quantization\"],");
    sn_json_text(json, "\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int32_t i = 0; i < g->nnode; ++i) {
        if (i) sn_json_text(json, ",");
        sn_json_int(json, i);
    }
    sn_json_text(json, "]}]");
    put_part(json, ",\"nodes\":[", &g->nodes);
    put_part(json, ",\"meshes\":[", &g->meshes);
    put_part(json, ",\"skins\":[", &g->skins);
    if (g->nmesh) put_materials(json, w->def->skin_opacity);
    if (g->channels.size) {
        put_part(json, ",\"animations\":[{\"name\":\"motion\",\"channels\":[", &g->channels);
        put_part(json, ",\"samplers\":[", &g->samplers);
        sn_json_text(json, "}]");
    }
    put_part(json, ",\"accessors\":[", &g->accessors);
    put_part(json, ",\"bufferViews\":[", &g->views);
    if (g->bin.size) {
        sn_json_text(json, ",\"buffers\":[{\"byteLength\":");
        sn_json_int(json, (int64_t)g->bin.size);
        sn_json_text(json, "}]");
    }
    sn_json_text(json, "}");
    sn_bytes_add(json, "   ", (4 - json->size % 4) % 4);
}

static void put_u32(snWriter *out, uint32_t bits)
{
    unsigned char b[4];
    sn_little_put(b, bits, 4);
    sn_writer_bytes(out, b, 4);
}

static void put_chunk(snWriter *out, const snBytes *chunk, const char *type)
{
    if (!chunk->size) return;
    put_u32(out, (uint32_t)chunk->size);
    sn_writer_bytes(out, type, 4);
    sn_writer_bytes(out, chunk->at, chunk->size);
}

static snStatus write_file(const glbWriter *w, const char *path)
{
    snBytes json = {0};
    snWriter out;
    put_json(w, &json);
    uint64_t size = 12 + 8 + json.size + (w->gltf.bin.size ? 8 + w->gltf.bin.size : 0);
    snStatus status = json.failed || sn_gltf_failed(&w->gltf) ? sn_fail_no_memory(w->error) : SN_OK;
    if (status == SN_OK && size > UINT32_MAX)
        status = sn_fail(w->error, SN_BAD_INPUT, "the animation is larger than 4 GB: take fewer shapes");
    if (status == SN_OK) status = sn_writer_open(&out, path, w->error);
    if (status == SN_OK) {
        sn_writer_bytes(&out, "glTF", 4);
        put_u32(&out, 2);
        put_u32(&out, (uint32_t)size);
        put_chunk(&out, &json, "JSON");
        put_chunk(&out, &w->gltf.bin, "BIN\0");
        status = sn_writer_commit(&out, w->error);
    }
    sn_bytes_free(&json);
    return status;
}

snStatus sn_save_glb(const snGlbDef *def, const snBellyBind *belly, const char *path, snError *error)
{
    glbWriter w = {.def = def, .channels = sn_track_def(def->track), .belly = belly, .error = error};
    snStatus status = check_def(&w);
    if (status == SN_OK) status = set_times(&w);
    if (status == SN_OK) {
        add_bodies(&w);
        status = sn_glb_add_strands(&w);
    }
    if (status == SN_OK) status = sn_glb_add_skin(&w);
    if (status == SN_OK) status = write_file(&w, path);
    sn_gltf_free(&w.gltf);
    sn_free(w.key_time), sn_free(w.shape_time), sn_free(w.body_node), sn_free(w.pose);
    return status;
}
