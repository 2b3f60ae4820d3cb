/* A track, its bones and its skin as one GLB file.
 *
 * Bones are nodes with translation and rotation keys. Strands and what the bones do not explain of the skin are morph
 * targets: shape i is at weight one at its time and at zero at the times of the others, so that a viewer draws the
 * straight line between neighbouring shapes. Of a skinned mesh the targets are in the pose of rest: a deformed vertex
 * is carried back by the inverse of the matrix that skinning will apply to it. */
#include "page/gltf.h"

#include "base/alloc.h"
#include "base/error.h"
#include "io/file.h"
#include "io/little.h"
#include "math/ticks.h"

#include <stdio.h>
#include <string.h>

enum { MAX_KEYS = 100000, MAX_JOINTS = 60000 };
enum { MATERIAL_BONE, MATERIAL_STRAND, MATERIAL_SKIN };

typedef struct glbWriter {
    const snGlbDef *def;
    const snTrackDef *channels;
    snGltf gltf;
    double start, end;
    int32_t nkey, nshape;          /* times of bones and of shapes */
    double *key_time, *shape_time; /* from zero */
    int32_t key_accessor;
    int32_t *body_node;
    double *pose;          /* nkey x 7 */
    double activation_top; /* that the last colour stands for */
    snError *error;
} glbWriter;

snGlbDef sn_default_glb_def(void)
{
    return (snGlbDef){.tube_sides = 6, .skin_opacity = 1, .rate = 30, .max_shapes = 60};
}

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
                return sn_fail(w->error, SN_BAD_INPUT, "skin vertex %zu is bound to bone %d, which is not there", i + 1,
                               d->skin_bone[k]);
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
        return sn_fail(w->error, SN_BAD_INPUT, "the times %g to %g make no animation", w->start, w->end);
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
    snGltfMesh mesh = {.name = name, .material = material, .color = -1, .joints = -1, .weights = -1};
    mesh.index = sn_gltf_indices(&w->gltf, m->triangle, 3 * (size_t)m->ntriangle);
    mesh.position = sn_gltf_vectors(&w->gltf, m->vertex, (size_t)m->nvertex, 3, 34962);
    mesh.normal = sn_gltf_vectors(&w->gltf, normal, (size_t)m->nvertex, 3, 34962);
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
        w->body_node[i] = sn_gltf_node(&w->gltf, name, mesh, -1, w->pose);
        animate_body(w, w->body_node[i]);
    }
}

/* ---- morphing meshes ------------------------------------------------------------------------ */

/* A mesh whose shapes come one after the other: the first as it is, the others as differences from it. */
typedef struct morph {
    size_t nvertex;
    double *base[3], *shape[3]; /* position, normal, colour; colour may be NULL */
    int32_t *target[3];         /* accessors */
    int32_t first[3];
} morph;

static bool morph_create(morph *m, size_t nvertex, int32_t nshape, bool color)
{
    *m = (morph){.nvertex = nvertex, .first = {-1, -1, -1}};
    bool fine = true;
    for (int k = 0; k < (color ? 3 : 2); ++k) {
        m->base[k] = SN_NEW_ARRAY(double, 3 * nvertex);
        m->shape[k] = SN_NEW_ARRAY(double, 3 * nvertex);
        m->target[k] = SN_NEW_ARRAY(int32_t, nshape);
        fine = fine && m->base[k] && m->shape[k] && m->target[k];
    }
    return fine;
}

static void morph_free(morph *m)
{
    for (int k = 0; k < 3; ++k) {
        sn_free(m->base[k]);
        sn_free(m->shape[k]);
        sn_free(m->target[k]);
    }
}

/* What m->shape holds becomes shape i. */
static void morph_add(snGltf *g, morph *m, int32_t i)
{
    static const double least[] = {5e-6, 5e-3, 5e-3}; /* m, and parts of one: what nobody sees */
    for (int k = 0; k < 3 && m->base[k]; ++k) {
        if (i == 0) {
            memcpy(m->base[k], m->shape[k], 3 * m->nvertex * sizeof(double));
            m->first[k] = sn_gltf_vectors(g, m->base[k], m->nvertex, 3, 34962);
            continue;
        }
        for (size_t j = 0; j < 3 * m->nvertex; ++j) m->shape[k][j] -= m->base[k][j];
        m->target[k][i - 1] = sn_gltf_sparse(g, m->shape[k], m->nvertex, 3, least[k]);
    }
}

static snShapes morph_shapes(const morph *m, const glbWriter *w, int32_t nshape)
{
    return (snShapes){.count = nshape - 1,
                      .time = w->shape_time,
                      .position = m->target[0],
                      .normal = m->target[1],
                      .color = m->target[2]};
}

/* ---- strands -------------------------------------------------------------------------------- */

/* From a pale tendon to a red muscle at work; linear light, as glTF wants. Red is the end of a scale that fits the
 * motion, as in plots: in ordinary motions muscles work at a few per cent. */
static void color_strands(const glbWriter *w, const snTubes *tubes, double time, double *scalar,
                          const int32_t *activation, double *color)
{
    static const double rest[3] = {0.74, 0.66, 0.55}, active[3] = {0.72, 0.03, 0.02};
    if (w->channels->nscalar) sn_track_scalars_at(w->def->track, time, scalar);
    for (int32_t s = 0; s < tubes->nstrand; ++s) {
        double a = activation[s] >= 0 ? fmin(1, fmax(0, scalar[activation[s]] / w->activation_top)) : 0;
        int32_t end = s + 1 < tubes->nstrand ? tubes->first[s + 1] : tubes->nvertex;
        for (int32_t v = tubes->first[s]; v < end; ++v)
            for (int k = 0; k < 3; ++k) color[3 * (size_t)v + (size_t)k] = rest[k] + a * (active[k] - rest[k]);
    }
}

static void list_strands(const glbWriter *w, const snTubes *tubes, snBytes *text)
{
    sn_json_text(text, "{\"strands\":[");
    for (int32_t s = 0; s < tubes->nstrand; ++s) {
        sn_json_text(text, s ? ",{\"name\":" : "{\"name\":");
        sn_json_string(text, w->channels->strand_name[s]);
        sn_json_text(text, ",\"first\":");
        sn_json_int(text, tubes->first[s]);
        sn_json_text(text, "}");
    }
    sn_json_text(text, "],\"activationTop\":");
    sn_json_number(text, w->activation_top);
    sn_json_text(text, "}");
    sn_bytes_add(text, "", 1);
}

static void find_activations(const glbWriter *w, int32_t *activation)
{
    for (int32_t s = 0; s < w->channels->nstrand; ++s) {
        char name[300];
        if (w->def->strand_scalar) {
            activation[s] = w->def->strand_scalar[s] < w->channels->nscalar ? w->def->strand_scalar[s] : -1;
            continue;
        }
        snprintf(name, sizeof name, "activation/%.250s", w->channels->strand_name[s]);
        activation[s] = sn_track_find_scalar(w->def->track, name);
    }
}

/* A round value above the largest activation; 1 where there is none. */
static double find_top(const glbWriter *w, const int32_t *activation)
{
    double largest = 0;
    for (int32_t f = 0; f < sn_track_frames(w->def->track); ++f)
        for (int32_t s = 0; s < w->channels->nstrand; ++s)
            if (activation[s] >= 0) largest = fmax(largest, sn_track_scalar(w->def->track, f)[activation[s]]);
    return largest > 0 ? fmin(sn_axis_ticks(0, fmax(largest, 0.01), SN_SCALE_TICKS, true).high, 1) : 1;
}

static void strand_shapes(glbWriter *w, snTubes *tubes, morph *m, double *point, double *scalar,
                          const int32_t *activation)
{
    for (int32_t i = 0; i < w->nshape; ++i) {
        double time = w->start + w->shape_time[i];
        sn_track_points_at(w->def->track, time, point);
        sn_tubes_shape(tubes, point, m->shape[0], m->shape[1]);
        color_strands(w, tubes, time, scalar, activation, m->shape[2]);
        morph_add(&w->gltf, m, i);
    }
}

static void finish_strands(glbWriter *w, const snTubes *tubes, const morph *m)
{
    snBytes extras = {0};
    snShapes shapes = morph_shapes(m, w, w->nshape);
    list_strands(w, tubes, &extras);
    w->gltf.failed |= extras.failed;
    snGltfMesh mesh = {.name = "strands",
                       .material = MATERIAL_STRAND,
                       .position = m->first[0],
                       .normal = m->first[1],
                       .color = m->first[2],
                       .joints = -1,
                       .weights = -1,
                       .shapes = &shapes,
                       .extras = extras.failed ? NULL : extras.at};
    mesh.index = sn_gltf_indices(&w->gltf, tubes->triangle, 3 * (size_t)tubes->ntriangle);
    int32_t node = sn_gltf_node(&w->gltf, "strands", sn_gltf_mesh(&w->gltf, &mesh), -1, NULL);
    sn_gltf_animate_shapes(&w->gltf, node, &shapes);
    sn_bytes_free(&extras);
}

static snStatus add_strands(glbWriter *w)
{
    int32_t n = w->channels->nstrand;
    if (n == 0) return SN_OK;
    double *radius = SN_NEW_ARRAY(double, n),
           *point = SN_NEW_ARRAY(double, 3 * (int64_t)sn_track_points(w->def->track));
    double *scalar = SN_NEW_ARRAY(double, w->channels->nscalar);
    int32_t *activation = SN_NEW_ARRAY(int32_t, n);
    snTubes tubes = {0};
    morph m = {0};
    snStatus status = radius && point && scalar && activation ? SN_OK : SN_NO_MEMORY;
    for (int32_t s = 0; status == SN_OK && s < n; ++s)
        radius[s] = w->def->strand_radius ? w->def->strand_radius[s] : 1e-3;
    if (status == SN_OK) status = sn_tubes_create(&tubes, n, w->channels->strand_npoint, radius, w->def->tube_sides);
    if (status == SN_BAD_INPUT) sn_fail(w->error, status, "a strand has fewer than 2 or more than 1024 control points");
    if (status == SN_OK && !morph_create(&m, (size_t)tubes.nvertex, w->nshape, true)) status = SN_NO_MEMORY;
    if (status == SN_OK) {
        find_activations(w, activation);
        w->activation_top = find_top(w, activation);
        strand_shapes(w, &tubes, &m, point, scalar, activation);
        finish_strands(w, &tubes, &m);
    }
    morph_free(&m);
    sn_tubes_free(&tubes);
    sn_free(radius), sn_free(point), sn_free(scalar), sn_free(activation);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(w->error) : status;
}

/* ---- skin ----------------------------------------------------------------------------------- */

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
static snStatus skin_shapes(glbWriter *w, morph *m, rigid *move, int32_t nshape)
{
    const snMesh *skin = w->def->skin;
    snStatus status = SN_OK;
    for (int32_t i = 0; i < nshape && status == SN_OK; ++i) {
        status = skin_shape(w, w->start + w->shape_time[i], move, m->shape[0]);
        if (status != SN_OK) break;
        sn_vertex_normals(skin->nvertex, skin->ntriangle, m->shape[0], skin->triangle, m->shape[1]);
        morph_add(&w->gltf, m, i);
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

static snStatus finish_skin(glbWriter *w, const morph *m, int32_t nshape)
{
    snShapes shapes = morph_shapes(m, w, nshape);
    bool skinned = w->def->skin_bone;
    snGltfMesh mesh = {.name = "skin",
                       .material = MATERIAL_SKIN,
                       .position = m->first[0],
                       .normal = m->first[1],
                       .color = -1,
                       .joints = -1,
                       .weights = -1,
                       .shapes = &shapes};
    mesh.index = sn_gltf_indices(&w->gltf, w->def->skin->triangle, 3 * (size_t)w->def->skin->ntriangle);
    if (skinned && (!add_weights(w, &mesh) || !add_skin_joints(w))) return SN_NO_MEMORY;
    int32_t node = sn_gltf_node(&w->gltf, "skin", sn_gltf_mesh(&w->gltf, &mesh), skinned ? 0 : -1, NULL);
    sn_gltf_animate_shapes(&w->gltf, node, &shapes);
    return SN_OK;
}

static snStatus add_skin(glbWriter *w)
{
    if (!w->def->skin || !w->def->skin->ntriangle) return SN_OK;
    int32_t nshape = w->def->skin_at ? w->nshape : 1;
    morph m;
    rigid *move = SN_NEW_ARRAY(rigid, w->channels->nbody);
    bool fine = morph_create(&m, (size_t)w->def->skin->nvertex, nshape, false) && move;
    snStatus status = fine ? skin_shapes(w, &m, move, nshape) : SN_NO_MEMORY;
    if (status == SN_OK) status = finish_skin(w, &m, nshape);
    morph_free(&m);
    sn_free(move);
    return status == SN_NO_MEMORY ? sn_fail_no_memory(w->error) : status;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void put_part(snBytes *json, const char *key, const snBytes *list)
{
    if (!list->size) return;
    sn_json_text(json, key);
    sn_bytes_add(json, list->at, list->size);
    sn_json_text(json, "]");
}

static void put_materials(snBytes *json, double opacity, bool skin)
{
    sn_json_text(json, ",\"materials\":["
                       "{\"name\":\"bone\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.80,0.74,0.62,1],"
                       "\"metallicFactor\":0,\"roughnessFactor\":0.7}},"
                       "{\"name\":\"strand\",\"pbrMetallicRoughness\":{\"metallicFactor\":0,\"roughnessFactor\":0.5}}");
    if (skin) {
        sn_json_text(json, ",{\"name\":\"skin\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.72,0.46,0.36,");
        sn_json_number(json, fmin(1, fmax(0, opacity)));
        sn_json_text(json, "],\"metallicFactor\":0,\"roughnessFactor\":0.6}");
        sn_json_text(json, opacity < 1 ? ",\"alphaMode\":\"BLEND\"}" : "}");
    }
    sn_json_text(json, "]");
}

static void put_json(const glbWriter *w, snBytes *json)
{
    const snGltf *g = &w->gltf;
    sn_json_text(json, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"sinew\"},\"scene\":0,\"scenes\":[{\"nodes\":[");
    for (int32_t i = 0; i < g->nnode; ++i) {
        if (i) sn_json_text(json, ",");
        sn_json_int(json, i);
    }
    sn_json_text(json, "]}]");
    put_part(json, ",\"nodes\":[", &g->nodes);
    put_part(json, ",\"meshes\":[", &g->meshes);
    put_part(json, ",\"skins\":[", &g->skins);
    if (g->nmesh) put_materials(json, w->def->skin_opacity, w->def->skin != NULL);
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

snStatus sn_save_glb(const snGlbDef *def, const char *path, snError *error)
{
    glbWriter w = {.def = def, .channels = sn_track_def(def->track), .error = error};
    snStatus status = check_def(&w);
    if (status == SN_OK) status = set_times(&w);
    if (status == SN_OK) {
        add_bodies(&w);
        status = add_strands(&w);
    }
    if (status == SN_OK) status = add_skin(&w);
    if (status == SN_OK) status = write_file(&w, path);
    sn_gltf_free(&w.gltf);
    sn_free(w.key_time), sn_free(w.shape_time), sn_free(w.body_node), sn_free(w.pose);
    return status;
}
