/* The skin of a GLB: skinned to the bones, morphed, or both. */
#include "base/alloc.h"
#include "base/error.h"
#include "page/glb.h"

#include <string.h>

static rigid rest_of(const glbWriter *w, int32_t body)
{
    double pose[7];
    if (w->def->rest_pose)
        memcpy(pose, w->def->rest_pose + 7 * (size_t)body, sizeof pose);
    else
        sn_track_pose_at(w->def->track, body, sn_track_time(w->def->track, 0), pose, NULL);
    return (rigid){q_unit(q_load(pose + 3)), v3_load(pose)};
}

/* The matrices that carry the bones from rest to where they are at a time. */
static void bone_moves(const glbWriter *w, double time, rigid *move)
{
    for (int32_t i = 0; i < w->channels->nbody; ++i) {
        double pose[7];
        sn_track_pose_at(w->def->track, i, time, pose, NULL);
        move[i] = rigid_mul((rigid){q_load(pose + 3), v3_load(pose)}, rigid_inverse(rest_of(w, i)));
    }
}

/* Where skinning must start from to end at p: the solution x of sum w (R x + t) = p. */
static v3 carry_back(const glbWriter *w, const rigid *move, size_t vertex, v3 p)
{
    m3 sum = {{0}};
    double total = 0;
    const double *weight = w->def->skin_weight + 4 * vertex;
    for (int k = 0; k < 4; ++k) total += weight[k];
    for (int k = 0; k < 4; ++k) {
        if (weight[k] == 0) continue;
        const rigid *e = &move[w->def->skin_bone[4 * vertex + (size_t)k]];
        m3 r = m3_from_q(e->q);
        for (int i = 0; i < 9; ++i) sum.m[i] += weight[k] / total * r.m[i];
        p = v3_mad(p, -weight[k] / total, e->p);
    }
    v3 a = v3_of(sum.m[0], sum.m[3], sum.m[6]), b = v3_of(sum.m[1], sum.m[4], sum.m[7]),
       c = v3_of(sum.m[2], sum.m[5], sum.m[8]);
    double det = m3_det(&sum);
    return v3_scale(v3_of(v3_dot(p, v3_cross(b, c)), v3_dot(a, v3_cross(p, c)), v3_dot(a, v3_cross(b, p))), 1 / det);
}

static snStatus skin_shape(glbWriter *w, double time, rigid *move, double *vertex)
{
    const snMesh *skin = w->def->skin;
    if (!w->def->skin_at) {
        memcpy(vertex, skin->vertex, 3 * (size_t)skin->nvertex * sizeof *vertex);
        return SN_OK;
    }
    snStatus status = w->def->skin_at(w->def->skin_user, time, vertex);
    if (status != SN_OK) return sn_fail(w->error, status, "the skin at time %g could not be made", time);
    if (w->def->skin_bone) bone_moves(w, time, move);
    for (size_t i = 0; i < (size_t)skin->nvertex; ++i) {
        v3 p = v3_load(vertex + 3 * i);
        if (w->def->skin_bone) p = carry_back(w, move, i, p);
        if (!(v3_len(p) <= 3e38))
            return sn_fail(w->error, SN_BAD_INPUT, "skin vertex %zu at time %g is not finite", i + 1, time);
        v3_store(vertex + 3 * i, p);
    }
    return SN_OK;
}

/* The rest shape comes first for a skinned mesh, so that differences from it are small and few. */
static snStatus skin_shapes(glbWriter *w, snMorph *m, rigid *move, int32_t nshape)
{
    const snMesh *skin = w->def->skin;
    snStatus status = SN_OK;
    for (int32_t i = 0; i < nshape && status == SN_OK; ++i) {
        status = skin_shape(w, w->start + w->shape_time[i], move, m->shape[0]);
        if (status != SN_OK) break;
        sn_vertex_normals(skin->nvertex, skin->ntriangle, m->shape[0], skin->triangle, m->shape[1]);
        sn_morph_add(m, i);
    }
    return status;
}

static bool add_weights(glbWriter *w, snGltfMesh *mesh)
{
    size_t n = (size_t)w->def->skin->nvertex;
    int32_t *joint = SN_NEW_ARRAY(int32_t, 4 * n);
    double *weight = SN_NEW_ARRAY(double, 4 * n);
    for (size_t i = 0; joint && weight && i < n; ++i) {
        double total = 0;
        for (size_t k = 4 * i; k < 4 * i + 4; ++k) total += w->def->skin_weight[k];
        for (size_t k = 4 * i; k < 4 * i + 4; ++k) {
            weight[k] = w->def->skin_weight[k] / total;
            joint[k] = weight[k] > 0 ? w->def->skin_bone[k] : 0;
        }
    }
    bool fine = joint && weight;
    if (fine) {
        mesh->joints = sn_gltf_joints(&w->gltf, joint, n);
        mesh->weights = sn_gltf_vectors(&w->gltf, weight, n, 4, 34962);
    }
    sn_free(joint);
    sn_free(weight);
    return fine;
}

/* The joints and the matrices that bring the world into each bone at rest, column by column. */
static bool add_skin_joints(glbWriter *w)
{
    int32_t n = w->channels->nbody;
    double *matrix = SN_NEW_ARRAY(double, 16 * n);
    if (!matrix) return false;
    for (int32_t i = 0; i < n; ++i) {
        rigid e = rigid_inverse(rest_of(w, i));
        m3 r = m3_from_q(e.q);
        double *m = matrix + 16 * i;
        for (int c = 0; c < 3; ++c)
            for (int row = 0; row < 3; ++row) m[4 * c + row] = r.m[3 * row + c];
        v3_store(m + 12, e.p);
        m[15] = 1;
    }
    snBytes *t = &w->gltf.skins;
    sn_json_text(t, "{\"inverseBindMatrices\":");
    sn_json_int(t, sn_gltf_vectors(&w->gltf, matrix, (size_t)n, 16, 0));
    sn_json_text(t, ",\"joints\":[");
    for (int32_t i = 0; i < n; ++i) {
        if (i) sn_json_text(t, ",");
        sn_json_int(t, w->body_node[i]);
    }
    sn_json_text(t, "]}");
    sn_free(matrix);
    return true;
}

static snStatus finish_skin(glbWriter *w, snMorph *m)
{
    snShapes shapes = sn_morph_write(m, w);
    bool skinned = w->def->skin_bone;
    snGltfMesh mesh = {.name = "skin",
                       .npart = 1,
                       .uv = sn_gltf_mesh_texture(&w->gltf, w->def->skin->vertex, (size_t)w->def->skin->nvertex),
                       .position = m->first[0],
                       .normal = m->first[1],
                       .joints = -1,
                       .weights = -1,
                       .shapes = &shapes};
    mesh.part[0] = (snGltfPart){MATERIAL_SKIN,
                                sn_gltf_indices(&w->gltf, w->def->skin->triangle, 3 * (size_t)w->def->skin->ntriangle)};
    if (skinned && (!add_weights(w, &mesh) || !add_skin_joints(w))) return SN_NO_MEMORY;
    int32_t node = sn_gltf_node(&w->gltf, "skin", sn_gltf_mesh(&w->gltf, &mesh), skinned ? 0 : -1, NULL, NULL);
    sn_gltf_animate_shapes(&w->gltf, node, &shapes);
    return SN_OK;
}

snStatus sn_glb_add_skin(glbWriter *w)
{
    if (!w->def->skin || !w->def->skin->ntriangle) return SN_OK;
    int32_t nshape = w->def->skin_at ? w->nshape : 1;
    snMorph m;
    rigid *move = SN_NEW_ARRAY(rigid, w->channels->nbody);
    bool fine = sn_morph_create(&m, (size_t)w->def->skin->nvertex, nshape) && move;
    m.least[0] = 3e-5, m.least[1] = 0.04, m.creased = true;
    snStatus status = fine ? skin_shapes(w, &m, move, nshape) : SN_NO_MEMORY;
    if (status == SN_OK) status = finish_skin(w, &m);
    sn_morph_free(&m);
    sn_free(move);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(w->error) : status;
}
