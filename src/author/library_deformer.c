/* A library as a deformer: joint coordinates and activation of a frame to weights, weights to surfaces. */
#include "author/library_player.h"

#include "base/alloc.h"
#include "base/error.h"
#include "model/model.h"
#include "model/node_surface.h"
#include "sinew/sim.h"

#include <string.h>

void sn_library_player_release(snLibraryPlayer *p)
{
    int32_t count = p->library->nmuscle;
    for (int32_t i = 0; p->part && i < count; ++i) {
        snLibraryPart *t = p->part + i;
        sn_trimesh_free(&t->mesh);
        sn_free(t->rest), sn_free(t->muscle), sn_free(t->viewer_body), sn_free(t->viewer_weight);
    }
    sn_free(p->part), sn_free(p->surface);
    if (p->model) sn_model_destroy(p->model);
    sn_free(p);
}

void sn_library_player_destroy(snLibraryPlayer *p)
{
    if (!p) return;
    snLibrary *library = p->library;
    sn_library_player_release(p);
    sn_library_destroy(library);
}

static void destroy(void *self)
{
    sn_library_player_destroy(self);
}

/* The joint coordinate of an axis from the poses of the bodies' nodes. */
static double coordinate_at(const snModel *m, int32_t joint, int32_t dof, const double *pose)
{
    double value[SN_JOINT_MAX_DOF], row[12 * SN_JOINT_MAX_DOF];
    rigid body[2] = {rigid_identity(), rigid_identity()};
    const int32_t at[2] = {m->joint_a[joint], m->joint_b[joint]};
    for (int e = 0; e < 2; ++e)
        if (at[e] >= 0) body[e] = rigid_mul(sn_pose_at(pose, at[e]), rigid_inverse(m->body_node[at[e]]));
    sn_joint_coordinates(&m->joint[joint], body[0], body[1], value, row);
    return value[dof];
}

void sn_library_play(const snLibraryPlayer *p, int32_t i, const snFrame *frame, double *vertex, double *bones)
{
    const snLibraryMuscle *m = p->library->muscle + i;
    const snLibraryPart *t = p->part + i;
    double at[SN_LIBRARY_AXES] = {0}, activation = 0;
    rigid motion[SN_LIBRARY_BODIES];
    for (int32_t k = 0; frame->activation && k < t->nmuscle; ++k)
        activation += frame->activation[t->muscle[k]] / t->nmuscle;
    for (int32_t a = 0; a < m->naxis; ++a)
        at[a] = t->joint[a] >= 0 ? coordinate_at(p->model, t->joint[a], t->dof[a], frame->pose) : activation;
    for (int32_t b = 0; b < m->nbody; ++b) motion[b] = rigid_mul(sn_pose_at(frame->pose, t->body[b]), t->back[b]);
    snLibraryMix mix = sn_library_mix(m, at), none = {0};
    sn_library_blend(m, &mix, t->rest, motion, vertex);
    if (bones) sn_library_blend(m, &none, t->rest, motion, bones);
}

static snStatus deform(void *self, const snFrame *frame, double *point, snDeformInfo *info, snError *error)
{
    snLibraryPlayer *p = self;
    (void)info, (void)error;
    for (int32_t i = 0; i < p->library->nmuscle; ++i) {
        sn_library_play(p, i, frame, point, NULL);
        point += 3 * (size_t)p->library->muscle[i].nvertex;
    }
    return SN_OK;
}

static snStatus find_names(const snLibraryPlayer *p, const snLibraryMuscle *m, const double *poses, snLibraryPart *t,
                           snError *error)
{
    for (int32_t b = 0; b < m->nbody; ++b) {
        t->body[b] = sn_find(p->model, SN_ITEM_BODY, m->body[b]);
        if (t->body[b] < 0) return sn_fail(error, SN_BAD_INPUT, "the model has no body \"%s\"", m->body[b]);
        t->back[b] = rigid_inverse(sn_pose_at(poses, t->body[b]));
    }
    for (int32_t a = 0; a < m->naxis; ++a) {
        t->joint[a] = -1;
        if (strcmp(m->axis[a].name, "activation") == 0) continue;
        int32_t coordinate = sn_find(p->model, SN_ITEM_COORDINATE, m->axis[a].name);
        if (coordinate < 0)
            return sn_fail(error, SN_BAD_INPUT, "the model has no joint coordinate \"%s\"", m->axis[a].name);
        for (int32_t j = 0; j < p->model->njoint; ++j)
            if (coordinate >= p->model->joint_coordadr[j] && coordinate < p->model->joint_coordadr[j + 1])
                t->joint[a] = j, t->dof[a] = coordinate - p->model->joint_coordadr[j];
    }
    t->muscle = SN_NEW_ARRAY(int32_t, sn_count(p->model, SN_ITEM_MUSCLE) + 1);
    if (!t->muscle) return sn_fail_no_memory(error);
    size_t length = strlen(m->name);
    int32_t exact = sn_find(p->model, SN_ITEM_MUSCLE, m->name);
    if (exact >= 0) t->muscle[t->nmuscle++] = exact;
    for (int32_t k = 0; exact < 0 && k < sn_count(p->model, SN_ITEM_MUSCLE); ++k) {
        const char *name = sn_name(p->model, SN_ITEM_MUSCLE, k);
        if (strncmp(name, m->name, length) == 0 && name[length] == '_') t->muscle[t->nmuscle++] = k;
    }
    return SN_OK;
}

static snStatus read_mesh(const snSpec *spec, const snLibraryPlayer *p, const snLibraryMuscle *m, snLibraryPart *t,
                          snError *error)
{
    snId id = m->mesh[0] ? sn_spec_find(spec, SN_KIND_NODE, m->mesh) : 0, ignored;
    if (m->mesh[0] && (!id || sn_spec_node(spec, id)->kind != SN_NODE_MESH))
        return sn_fail(error, SN_BAD_INPUT, "the scene has no mesh \"%s\"", m->mesh);
    if (id) {
        if (!sn_node_mesh(spec, id, rigid_identity(), &t->mesh)) return sn_fail_no_memory(error);
    } else {
        snFibres fibres;
        char *strands = sn_muscle_strands(spec, m->name, NULL, &ignored);
        if (!strands) return sn_fail(error, SN_BAD_INPUT, "the model has no muscle group \"%s\"", m->name);
        snStatus status = sn_fibres_read(spec, p->model, strands, &fibres, error);
        if (status == SN_OK) status = sn_fibres_mesh(&fibres, &t->mesh, error);
        sn_fibres_free(&fibres);
        sn_free(strands);
        if (status != SN_OK) return status;
    }
    if (t->mesh.nvertex == m->nvertex && sn_library_hash(&t->mesh) == m->hash) return SN_OK;
    sn_fail(error, SN_BAD_INPUT, "the library was made for another shape of the muscle \"%s\"", m->name);
    sn_error_remedy(error, "make the library again: sinew library MODEL --muscle %s", m->name);
    return SN_BAD_INPUT;
}

static snStatus open_part(const snSpec *spec, snLibraryPlayer *p, int32_t i, const double *poses, snError *error)
{
    const snLibraryMuscle *m = p->library->muscle + i;
    snLibraryPart *t = p->part + i;
    size_t n = (size_t)m->nvertex;
    snStatus status = read_mesh(spec, p, m, t, error);
    if (status == SN_OK) status = find_names(p, m, poses, t, error);
    if (status != SN_OK) return status;
    t->rest = SN_NEW_ARRAY(float, 3 * n);
    t->viewer_body = SN_NEW_ARRAY(int32_t, 4 * n), t->viewer_weight = SN_NEW_ARRAY(double, 4 * n);
    if (!t->rest || !t->viewer_body || !t->viewer_weight) return sn_fail_no_memory(error);
    for (size_t v = 0; v < n; ++v) {
        double sum = 0;
        for (size_t e = 0; e < 3; ++e) t->rest[e * n + v] = (float)t->mesh.vertex[3 * v + e];
        for (size_t b = 0; b < 4; ++b) {
            bool used = (int32_t)b < m->nbody;
            t->viewer_body[4 * v + b] = used ? t->body[b] : t->body[0];
            sum += t->viewer_weight[4 * v + b] = used ? fmax((double)m->weight[b * n + v], 0) : 0;
        }
        for (size_t b = 0; b < 4 && sum > 0; ++b) t->viewer_weight[4 * v + b] /= sum;
    }
    snId id = m->mesh[0] ? sn_spec_find(spec, SN_KIND_NODE, m->mesh) : 0;
    p->surface[i] = (snDeformSurface){m->name,          m->nvertex,        t->mesh.ntriangle, t->mesh.vertex,
                                      t->mesh.triangle, {0.7, 0.28, 0.24}, t->viewer_body,    t->viewer_weight};
    if (id) memcpy(p->surface[i].color, sn_spec_node(spec, id)->color, sizeof p->surface[i].color);
    return SN_OK;
}

snStatus sn_library_player_create(const snSpec *spec, snLibrary *library, snLibraryPlayer **out, snError *error)
{
    snLibraryPlayer *p = SN_NEW(snLibraryPlayer);
    double *zero = NULL, *poses = NULL;
    size_t n = (size_t)library->nmuscle;
    *out = NULL;
    if (!p) return sn_fail_no_memory(error);
    snStatus status = sn_compile(spec, &p->model, error);
    p->library = library;
    p->part = SN_NEW_ARRAY(snLibraryPart, n), p->surface = SN_NEW_ARRAY(snDeformSurface, n);
    if (status == SN_OK) {
        zero = SN_NEW_ARRAY(double, p->model->ncoord + 1), poses = SN_NEW_ARRAY(double, 7 * p->model->nbody);
        status =
            p->part && p->surface && zero && poses ? sn_body_poses(p->model, zero, poses) : sn_fail_no_memory(error);
    }
    for (int32_t i = 0; i < library->nmuscle && status == SN_OK; ++i) status = open_part(spec, p, i, poses, error);
    sn_free(zero), sn_free(poses);
    if (status == SN_OK)
        *out = p;
    else
        sn_library_player_release(p);
    return status;
}

snStatus sn_library_deformer(const snSpec *spec, snLibrary *library, snDeformer **deformer, snError *error)
{
    if (!library) return sn_fail_argument(error, "sn_library_deformer without library");
    snLibraryPlayer *p;
    *deformer = NULL;
    snStatus status = sn_library_player_create(spec, library, &p, error);
    if (status != SN_OK) return status;
    snDeformerDef def = sn_default_deformer_def();
    def.nsurface = library->nmuscle, def.surface = p->surface, def.self = p;
    def.deform = deform, def.destroy = destroy;
    status = sn_deformer_create(&def, deformer, error);
    if (status != SN_OK) sn_library_player_release(p);
    return status;
}
