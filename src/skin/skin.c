/* The skin object: what is made once and the stages of a frame. */
#include "skin/skin.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "geom/mesh.h"
#include "skin/arcs.h"
#include "skin/belly.h"
#include "skin/blend.h"
#include "skin/bulge.h"
#include "skin/contact.h"
#include "skin/even.h"
#include "skin/own/skin.h"
#include "skin/sound.h"
#include "skin/taut.h"
#include "skin/touch.h"
#include "skin/twist.h"
#include "skin/weights.h"

#include <string.h>

struct snSkin {
    snTriMesh rest; /* as modelled */
    int32_t nbody;
    double *rest_pose, *motion; /* 7 per body; 12 or 8 per body */
    int32_t *body;              /* SN_SKIN_BONES per vertex */
    double *weight;
    int32_t ntwist;
    snSkinTwist *twist;
    int32_t *bound_body; /* as body and weight, over the bodies with those in between of the twists */
    double *bound_weight;
    snArcs arcs;
    snBulge bulge;
    snEven even;
    snBelly belly;
    snContact contact;
    snTaut taut;
    snTouch touch;
    double *base, *normal, *offset; /* of the last frame: skinned vertices, their normals, what strands add */
    double *loose;                  /* per vertex: how loose the skin lies */
    snSkinBlend blend;
    double prominence, belly_factor;
    bool brute_force;
    snSkinInfo info;
    snMemo memo; /* of making it */
};

snSkinDef sn_default_skin_def(void)
{
    /* b: half the width of an extensor tendon and its sheath; c: dermis and subcutis of the back of the hand (1.3 and
     * 1.5 mm) and the radius of the tendon, so that a tendon in its place just shows. */
    return (snSkinDef){
        .height = 1, .lateral = 0.003, .depth = 0.004, .prominence = 1, .belly = 1, .contact = true, .touch = true};
}

/* ---- set-up ------------------------------------------------------------------------------------ */

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = sn_alloc(count, size);
    if (to) memcpy(to, from, count * size);
    return to;
}

static snStatus check_twists(const snSkinDef *def, snError *error)
{
    for (int32_t i = 0; i < def->ntwist; ++i) {
        const snSkinTwist *t = def->twist + i;
        bool bodies = t->parent >= 0 && t->parent < def->nbody && t->child >= 0 && t->child < def->nbody;
        if (!bodies || t->parent == t->child || !(v3_dist(v3_load(t->from), v3_load(t->to)) > 0))
            return sn_fail(error, SN_BAD_INPUT, "twist %d: from body %d to %d; expected two of %d bodies and a way",
                           (int)i, (int)t->parent, (int)t->child, (int)def->nbody);
    }
    return SN_OK;
}

static snStatus copy_mesh(snSkin *skin, const snSkinDef *def, snError *error)
{
    /* The caller's arrays are only read; the check takes the mesh as it is. */
    snTriMesh given = {def->nvertex, def->ntriangle, (double *)(uintptr_t)def->vertex,
                       (int32_t *)(uintptr_t)def->triangle};
    snStatus status = SN_OK;
    if (!sn_sound_known(&skin->memo, &given)) {
        status = sn_trimesh_require(&given, !def->base_given, "skin", error);
        sn_sound_keep(&skin->memo, &given, status == SN_OK);
    }
    if (status == SN_OK) status = check_twists(def, error);
    if (status != SN_OK) return status;
    size_t n = (size_t)def->nvertex;
    skin->rest = (snTriMesh){def->nvertex, def->ntriangle, copy(def->vertex, 3 * n, sizeof(double)),
                             copy(def->triangle, 3 * (size_t)def->ntriangle, sizeof(int32_t))};
    skin->nbody = def->nbody;
    skin->rest_pose = copy(def->rest, 7 * (size_t)def->nbody, sizeof(double));
    skin->ntwist = def->ntwist, skin->twist = SN_NEW_ARRAY(snSkinTwist, def->ntwist + 1);
    for (int32_t i = 0; skin->twist && i < def->ntwist; ++i) skin->twist[i] = def->twist[i];
    skin->motion = SN_NEW_ARRAY(double, 12 * sn_twist_bodies(def->nbody, def->ntwist));
    skin->bound_body = SN_NEW_ARRAY(int32_t, SN_SKIN_BONES * n);
    skin->bound_weight = SN_NEW_ARRAY(double, SN_SKIN_BONES *n);
    skin->body = SN_NEW_ARRAY(int32_t, SN_SKIN_BONES * n), skin->weight = SN_NEW_ARRAY(double, SN_SKIN_BONES *n);
    skin->base = copy(def->vertex, 3 * n, sizeof(double));
    skin->normal = SN_NEW_ARRAY(double, 3 * n), skin->offset = SN_NEW_ARRAY(double, n);
    skin->loose = SN_NEW_ARRAY(double, n);
    bool fine = skin->rest.vertex && skin->rest.triangle && skin->rest_pose && skin->motion && skin->twist &&
                skin->bound_body && skin->bound_weight && skin->body && skin->weight && skin->base && skin->normal &&
                skin->offset && skin->loose;
    return fine ? SN_OK : sn_fail_no_memory(error);
}

static snStatus take_weights(snSkin *skin, const snSkinDef *def, snError *error)
{
    for (int32_t v = 0; v < def->nvertex; ++v) {
        double sum = 0;
        for (int k = 0; k < SN_SKIN_BONES; ++k) {
            int32_t i = SN_SKIN_BONES * v + k, b = def->weight_body[i];
            double w = def->weight[i];
            if (!(w >= 0 && w <= 1.0001) || (w > 0 && (b < 0 || b >= def->nbody)))
                return sn_fail(error, SN_BAD_INPUT, "vertex %d has weight %g of body %d; expected 0 to 1 of %d bodies",
                               (int)v, w, (int)b, (int)def->nbody);
            sum += w;
            int at = k; /* largest first */
            for (; at > 0 && skin->weight[SN_SKIN_BONES * v + at - 1] < w; --at) {
                skin->weight[SN_SKIN_BONES * v + at] = skin->weight[SN_SKIN_BONES * v + at - 1];
                skin->body[SN_SKIN_BONES * v + at] = skin->body[SN_SKIN_BONES * v + at - 1];
            }
            skin->weight[SN_SKIN_BONES * v + at] = w, skin->body[SN_SKIN_BONES * v + at] = w > 0 ? b : 0;
        }
        if (!(fabs(sum - 1) < 1e-3))
            return sn_fail(error, SN_BAD_INPUT, "the weights of vertex %d sum to %g, expected 1", (int)v, sum);
        for (int k = 0; k < SN_SKIN_BONES; ++k) skin->weight[SN_SKIN_BONES * v + k] /= sum;
    }
    return SN_OK;
}

static snStatus compute_weights(snSkin *skin, const snSkinDef *def, snError *error)
{
    int32_t *source = SN_NEW_ARRAY(int32_t, def->nvertex);
    double *distance = SN_NEW_ARRAY(double, def->nvertex);
    snStatus status = source && distance ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK)
        status = sn_weights_sources(&skin->rest, def->nbody, def->nbone, def->bone, source, distance, error);
    if (status == SN_OK)
        status = sn_weights_heat(&skin->rest, def->nbody, def->parent, def->ntwist, def->twist, source, distance,
                                 skin->body, skin->weight, error);
    sn_free(source), sn_free(distance);
    return status;
}

static snStatus make_weights(snSkin *skin, const snSkinDef *def, snError *error)
{
    for (int32_t v = 0; def->base_given && v < def->nvertex; ++v) skin->weight[SN_SKIN_BONES * v] = 1; /* of body 0 */
    if (def->base_given) return SN_OK;
    if (def->weight) return take_weights(skin, def, error);
    size_t n = SN_SKIN_BONES * (size_t)def->nvertex;
    if (sn_memo_take(&skin->memo, skin->body, n * sizeof *skin->body) &&
        sn_memo_take(&skin->memo, skin->weight, n * sizeof *skin->weight))
        return SN_OK;
    snStatus status = compute_weights(skin, def, error);
    sn_memo_keep(&skin->memo, skin->body, n * sizeof *skin->body);
    sn_memo_keep(&skin->memo, skin->weight, n * sizeof *skin->weight);
    return status;
}

static void bind_twists(snSkin *skin)
{
    size_t n = SN_SKIN_BONES * (size_t)skin->rest.nvertex;
    memcpy(skin->bound_body, skin->body, n * sizeof *skin->body);
    memcpy(skin->bound_weight, skin->weight, n * sizeof *skin->weight);
    for (size_t i = 0; i < n; i += SN_SKIN_BONES)
        sn_twist_bind(skin->nbody, skin->ntwist, skin->twist, skin->bound_body + i, skin->bound_weight + i);
}

static snStatus make_strands(snSkin *skin, const snSkinDef *def, snError *error)
{
    /* Arcs of 18 mm: short enough that chords bound them closely, few enough to be refitted at no cost. */
    snStatus status = sn_arcs_create(def->nstrand, def->strand, 0.018, &skin->arcs, error);
    if (status != SN_OK) return status;
    snBulgeShape *shape = SN_NEW_ARRAY(snBulgeShape, def->nstrand);
    if (!shape) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < def->nstrand; ++i) {
        const snSkinStrand *s = def->strand + i;
        shape[i] =
            (snBulgeShape){isnan(s->height) ? def->height : s->height, isnan(s->lateral) ? def->lateral : s->lateral,
                           isnan(s->depth) ? def->depth : s->depth};
        if (!(shape[i].lateral > 0) || !isfinite(shape[i].height) || !isfinite(shape[i].depth))
            status =
                sn_fail(error, SN_BAD_INPUT, "strand %d: bulge with a = %g, b = %g m, c = %g m; expected b above 0",
                        (int)i, shape[i].height, shape[i].lateral, shape[i].depth);
    }
    if (status == SN_OK)
        status = sn_bulge_create(&skin->rest, skin->normal, &skin->arcs, shape, def->influence, &skin->memo,
                                 &skin->bulge, error);
    if (status == SN_OK)
        status = sn_belly_create(&skin->rest, skin->normal, &skin->arcs, def->strand, def->influence, &skin->memo,
                                 &skin->belly, error);
    sn_free(shape);
    return status;
}

snStatus sn_skin_create(const snSkinDef *def, snSkin **skin, snError *error)
{
    if (def->nbody < 1) return sn_fail(error, SN_BAD_INPUT, "a skin needs a body");
    snSkin *made = SN_NEW(snSkin);
    if (!made) return sn_fail_no_memory(error);
    made->memo = (snMemo){.from = def->bound, .size = def->bound_size};
    made->blend = def->blend, made->prominence = def->prominence, made->belly_factor = def->belly;
    snStatus status = copy_mesh(made, def, error);
    if (status == SN_OK) {
        sn_trimesh_normals(&made->rest, made->normal);
        status = make_weights(made, def, error);
        bind_twists(made);
    }
    if (status == SN_OK) status = make_strands(made, def, error);
    if (status == SN_OK)
        status = sn_taut_create(&made->rest, &made->arcs, made->bulge.reached, &made->memo, &made->taut, error);
    if (status == SN_OK) status = sn_even_create(&made->rest, &made->even, error);
    if (status == SN_OK && def->contact)
        status = sn_contact_create(&made->rest, def->nbone, def->bone, &made->memo, &made->contact, error);
    if (status == SN_OK && def->touch && def->parent && !def->base_given)
        status = sn_touch_create(&made->rest, def->nbody, def->parent, made->body, &made->even, &made->memo,
                                 &made->touch, error);
    made->memo.from = NULL; /* the caller's bytes are not read again */
    if (status == SN_OK)
        *skin = made;
    else
        sn_skin_destroy(made);
    return status;
}

const void *sn_skin_bound(const snSkin *skin, size_t *size)
{
    if (!skin || !size) return NULL;
    bool whole = skin && skin->memo.at == 0 && skin->memo.kept.count > 0;
    *size = whole ? (size_t)skin->memo.kept.count : 0;
    return whole ? skin->memo.kept.at : NULL;
}

void sn_skin_destroy(snSkin *skin)
{
    if (!skin) return;
    sn_memo_free(&skin->memo);
    sn_trimesh_free(&skin->rest);
    sn_free(skin->rest_pose), sn_free(skin->motion), sn_free(skin->body), sn_free(skin->weight);
    sn_free(skin->twist), sn_free(skin->bound_body), sn_free(skin->bound_weight);
    sn_free(skin->base), sn_free(skin->normal), sn_free(skin->offset), sn_free(skin->loose);
    sn_arcs_free(&skin->arcs);
    sn_bulge_free(&skin->bulge);
    sn_even_free(&skin->even);
    sn_belly_free(&skin->belly);
    sn_contact_free(&skin->contact);
    sn_taut_free(&skin->taut);
    sn_touch_free(&skin->touch);
    sn_free(skin);
}

/* ---- a frame ----------------------------------------------------------------------------------- */

static void blend_bones(snSkin *skin, const double *pose)
{
    int32_t n = skin->rest.nvertex;
    if (skin->blend == SN_SKIN_LINEAR) {
        sn_blend_matrices(skin->nbody, skin->rest_pose, pose, skin->motion);
        sn_twist_matrices(skin->nbody, skin->ntwist, skin->twist, skin->rest_pose, pose, skin->motion);
        sn_blend_linear(n, skin->rest.vertex, skin->bound_body, skin->bound_weight, skin->motion, skin->base);
    } else {
        sn_blend_dual(skin->nbody, skin->rest_pose, pose, skin->motion);
        sn_blend_dual_quaternion(n, skin->rest.vertex, skin->body, skin->weight, skin->motion, skin->base);
    }
}

/* A place on the skin that single precision counts from. */
static v3 origin_of(const snSkin *skin)
{
    int32_t v = 0;
    while (v + 1 < skin->rest.nvertex && !isfinite(v3_len2(v3_load(skin->base + 3 * v)))) ++v;
    return v3_load(skin->base + 3 * v);
}

static void add_strands(snSkin *skin, const snTriMesh *base, const double *point)
{
    memset(skin->offset, 0, sizeof(double) * (size_t)skin->rest.nvertex);
    if (!point || !(skin->prominence != 0)) return;
    sn_arcs_update(&skin->arcs, point, origin_of(skin));
    sn_taut_measure(&skin->taut, base, skin->loose);
    double start = sn_clock_thread();
    (skin->brute_force ? sn_bulge_heights_brute_force : sn_bulge_heights)(&skin->bulge, &skin->arcs, skin->base,
                                                                          skin->normal, skin->loose, skin->offset);
    skin->info.search_cpu_seconds = sn_clock_thread() - start;
    sn_even_out(&skin->even, skin->bulge.owner, skin->offset);
    for (int32_t v = 0; v < skin->rest.nvertex; ++v) skin->offset[v] *= skin->prominence * skin->bulge.influence[v];
    sn_belly_add(&skin->belly, &skin->arcs, skin->prominence * skin->belly_factor, skin->offset);
}

static void lift(snSkin *skin, double *vertex)
{
    skin->info.max_bulge = 0, skin->info.bulged = 0;
    for (int32_t v = 0; v < skin->rest.nvertex; ++v) {
        double offset = skin->offset[v];
        for (int c = 0; c < 3; ++c) vertex[3 * v + c] = skin->base[3 * v + c] + offset * skin->normal[3 * v + c];
        if (offset > skin->info.max_bulge) skin->info.max_bulge = offset;
        skin->info.bulged += fabs(offset) > 1e-6;
    }
}

void sn_skin_deform(snSkin *skin, const double *pose, const double *point, double *vertex, double *normal)
{
    double t0 = sn_clock();
    snTriMesh base = skin->rest, result = skin->rest;
    base.vertex = skin->base, result.vertex = vertex;
    blend_bones(skin, pose);
    double t1 = sn_clock();
    sn_contact_push(&skin->contact, skin->rest_pose, pose, skin->base);
    double t2 = sn_clock();
    sn_trimesh_normals(&base, skin->normal);
    double t3 = sn_clock(), cpu3 = sn_clock_thread();
    add_strands(skin, &base, point);
    double t4 = sn_clock(), cpu4 = sn_clock_thread();
    sn_contact_limit(&skin->contact, skin->base, skin->normal, skin->offset);
    double t5 = sn_clock(), cpu5 = sn_clock_thread();
    lift(skin, vertex);
    double t6 = sn_clock(), cpu6 = sn_clock_thread();
    sn_touch_part(&skin->touch, &skin->even, vertex);
    if (skin->touch.touching > 0) sn_contact_push(&skin->contact, skin->rest_pose, pose, vertex); /* bones come first */
    double touched = sn_clock();
    skin->info.touch_seconds = sn_clock_thread() - cpu6;
    skin->info.touching = skin->touch.touching, skin->info.touch_depth = skin->touch.deepest;
    if (normal) sn_trimesh_normals(&result, normal);
    double t7 = sn_clock();
    skin->info.blend_seconds = t1 - t0, skin->info.contact_seconds = t2 - t1 + (t5 - t4);
    skin->info.bulge_seconds = t4 - t3 + (t6 - t5), skin->info.normal_seconds = t3 - t2 + (t7 - touched);
    skin->info.bulge_cpu_seconds = cpu4 - cpu3 + (cpu6 - cpu5);
}

void sn_skin_deform_base(snSkin *skin, const double *given, const double *point, double *vertex, double *normal)
{
    if (!skin) return;
    double t0 = sn_clock();
    snTriMesh base = skin->rest, result = skin->rest;
    base.vertex = skin->base, result.vertex = vertex;
    memcpy(skin->base, given, 3 * sizeof(double) * (size_t)skin->rest.nvertex);
    sn_trimesh_normals(&base, skin->normal);
    double t1 = sn_clock(), cpu1 = sn_clock_thread();
    add_strands(skin, &base, point);
    lift(skin, vertex);
    double t2 = sn_clock();
    skin->info.bulge_cpu_seconds = sn_clock_thread() - cpu1;
    if (normal) sn_trimesh_normals(&result, normal);
    skin->info.blend_seconds = 0, skin->info.bulge_seconds = t2 - t1;
    skin->info.normal_seconds = t1 - t0 + (sn_clock() - t2);
}

/* ---- looking ----------------------------------------------------------------------------------- */

snSkinInfo sn_skin_info(const snSkin *skin)
{
    if (!skin) return (snSkinInfo){0};
    snSkinInfo info = skin->info;
    double six_base = 0, six = 0; /* six times the volumes, about a vertex so that little cancels */
    v3 origin = v3_load(skin->base);
    for (int32_t t = 0; t < skin->rest.ntriangle; ++t) {
        v3 p[3], q[3];
        for (int c = 0; c < 3; ++c) {
            int32_t v = skin->rest.triangle[3 * t + c];
            p[c] = v3_sub(v3_load(skin->base + 3 * v), origin);
            q[c] = v3_mad(p[c], skin->offset[v], v3_load(skin->normal + 3 * v));
        }
        six_base += v3_dot(p[0], v3_cross(p[1], p[2])), six += v3_dot(q[0], v3_cross(q[1], q[2]));
    }
    info.base_volume = six_base / 6, info.volume = six / 6;
    info.curve_evaluations = skin->bulge.evaluations;
    return info;
}

snDeformSurface sn_skin_surface(const snSkin *skin)
{
    return (snDeformSurface){.name = "skin",
                             .nvertex = skin->rest.nvertex,
                             .ntriangle = skin->rest.ntriangle,
                             .vertex = skin->rest.vertex,
                             .triangle = skin->rest.triangle,
                             .color = {0.87, 0.68, 0.58},
                             .body = skin->body,
                             .weight = skin->weight};
}
const double *sn_skin_base(const snSkin *skin)
{
    return skin->base;
}
const double *sn_skin_offset(const snSkin *skin)
{
    return skin->offset;
}
const int32_t *sn_skin_weight_bodies(const snSkin *skin)
{
    if (!skin) return NULL;
    return skin->body;
}
const double *sn_skin_weights(const snSkin *skin)
{
    if (!skin) return NULL;
    return skin->weight;
}
const double *sn_skin_influence(const snSkin *skin)
{
    return skin->bulge.influence;
}
void sn_skin_set_prominence(snSkin *skin, double prominence)
{
    skin->prominence = prominence;
}
void sn_skin_set_belly(snSkin *skin, double belly)
{
    skin->belly_factor = belly;
}
void sn_skin_set_blend(snSkin *skin, snSkinBlend blend)
{
    skin->blend = blend;
}
void sn_skin_set_brute_force(snSkin *skin, bool on)
{
    if (!skin) return;
    skin->brute_force = on;
}
