/* The skin of the studio's data. The page blends the bones itself; what a recorded skin has beyond that is stored for
 * the vertices where it shows, every few frames. */
#include "base/alloc.h"
#include "base/error.h"
#include "page/html_pack.h"

#include <string.h>

/* Offsets below this are not worth a number: a pixel of a close look, m. */
static const double VISIBLE = 0.05e-3;
/* Steps of the offsets, m. */
static const double FINEST = 1e-5;
/* Numbers of all offsets that a file should stay under, when the stride is left to us: 8 MB of 16 bits. */
static const double BUDGET = 4e6;

static snStatus check_skin(const snPack *p)
{
    const snStudioSkin *s = p->def->skin;
    if (s->nvertex < 3 || s->ntriangle < 1 || !s->vertex || !s->triangle || !s->bone || !s->weight)
        return sn_fail(p->error, SN_BAD_INPUT, "the skin is empty");
    for (int64_t i = 0; i < 3 * (int64_t)s->ntriangle; ++i)
        if (s->triangle[i] < 0 || s->triangle[i] >= s->nvertex)
            return sn_fail(p->error, SN_BAD_INPUT, "triangle %d of the skin refers to vertex %d of %d", (int)(i / 3),
                           s->triangle[i], s->nvertex);
    int32_t nbody = sn_spec_count(p->def->spec, SN_KIND_BODY);
    for (int64_t i = 0; i < 4 * (int64_t)s->nvertex; ++i)
        if (s->bone[i] >= nbody)
            return sn_fail(p->error, SN_BAD_INPUT, "vertex %d of the skin refers to body %d of %d", (int)(i / 4),
                           s->bone[i], nbody);
    return SN_OK;
}

/* Bodies of the model (not of the spec) and weights, unused ones as body 0 with weight 0. */
static void resolve_bones(const snPack *p, int32_t *bone, double *weight)
{
    const snStudioSkin *s = p->def->skin;
    for (int64_t i = 0; i < 4 * (int64_t)s->nvertex; ++i) {
        int32_t body = -1;
        if (s->bone[i] >= 0) body = sn_find(p->model, SN_ITEM_BODY, sn_spec_body(p->def->spec, s->bone[i] + 1)->name);
        bone[i] = body < 0 ? 0 : body;
        weight[i] = body < 0 ? 0 : s->weight[i];
    }
}

snStatus sn_pack_skin(snPack *p)
{
    const snStudioSkin *s = p->def->skin;
    snStatus status = check_skin(p);
    if (status) return status;
    if (p->model->nbody > 255)
        return sn_fail(p->error, SN_BAD_INPUT, "a skin over more than 255 bodies cannot be shown");
    int32_t *bone = SN_NEW_ARRAY(int32_t, 4 * (int64_t)s->nvertex);
    double *weight = SN_NEW_ARRAY(double, 4 * (int64_t)s->nvertex);
    if (bone && weight) {
        resolve_bones(p, bone, weight);
        sn_pack_member(p, "skin");
        sn_json_text(&p->head, "{");
        sn_pack_mesh(p, "skin", s->color, s->nvertex, s->vertex, s->ntriangle, s->triangle);
        sn_pack_member(p, "bones");
        sn_run_u8(&p->head, &p->data, bone, 4 * (int64_t)s->nvertex);
        sn_pack_member(p, "weights");
        sn_run_i16(&p->head, &p->data, weight, 4 * (int64_t)s->nvertex, 1);
        sn_json_text(&p->head, "}");
    } else
        status = sn_fail_no_memory(p->error);
    sn_free(bone);
    sn_free(weight);
    return status;
}

/* ---- offsets ------------------------------------------------------------------------------ */

typedef struct Offsets {
    int32_t nframe, stride, nvertex;
    int32_t *bone;
    double *weight;
    double *vertex;  /* of one frame */
    float *offset;   /* nframe x nvertex x 3: what is beyond the blend */
    int32_t *listed; /* vertices that show */
    int32_t nlisted;
    rigid *motion; /* of each body from the pose as drawn */
} Offsets;

static int32_t last_frame_of(const snPack *p, int32_t k, int32_t stride)
{
    int32_t last = sn_track_frames(p->def->replay) - 1, f = k * stride;
    return f < last ? f : last;
}

static bool offsets_alloc(const snPack *p, Offsets *o)
{
    const snStudioSkin *s = p->def->skin;
    int32_t frames = sn_track_frames(p->def->replay);
    o->nvertex = s->nvertex;
    o->stride = s->stride;
    /* Half of the vertices show, as a rule. */
    if (o->stride < 1) o->stride = 1 + (int32_t)(1.5 * s->nvertex * (double)frames / BUDGET);
    o->nframe = (frames - 2 + o->stride) / o->stride + 1;
    o->bone = SN_NEW_ARRAY(int32_t, 4 * (int64_t)s->nvertex);
    o->weight = SN_NEW_ARRAY(double, 4 * (int64_t)s->nvertex);
    o->vertex = SN_NEW_ARRAY(double, 3 * (int64_t)s->nvertex);
    o->offset = SN_NEW_ARRAY(float, 3 * (int64_t)s->nvertex * o->nframe);
    o->listed = SN_NEW_ARRAY(int32_t, s->nvertex);
    o->motion = SN_NEW_ARRAY(rigid, p->model->nbody);
    return o->bone && o->weight && o->vertex && o->offset && o->listed && o->motion;
}

static void offsets_free(Offsets *o)
{
    sn_free(o->bone);
    sn_free(o->weight);
    sn_free(o->vertex);
    sn_free(o->offset);
    sn_free(o->listed);
    sn_free(o->motion);
}

static v3 blend(const snPack *p, const Offsets *o, int32_t v)
{
    v3 x = v3_load(p->def->skin->vertex + 3 * (int64_t)v), sum = {0, 0, 0};
    for (int64_t k = 4 * (int64_t)v; k < 4 * (int64_t)v + 4; ++k)
        if (o->weight[k] != 0) sum = v3_mad(sum, o->weight[k], rigid_apply(o->motion[o->bone[k]], x));
    return sum;
}

static snStatus measure_frame(const snPack *p, Offsets *o, int32_t k)
{
    int32_t f = last_frame_of(p, k, o->stride);
    for (int32_t b = 0; b < p->model->nbody; ++b) {
        int32_t at = sn_track_find_body(p->def->replay, p->model->body_name[b]);
        const double *pose = at >= 0 ? sn_track_pose(p->def->replay, f) + 7 * at : NULL;
        rigid rest = sn_pack_rest(p, b), now = pose ? (rigid){q_load(pose + 3), v3_load(pose)} : rest;
        o->motion[b] = rigid_mul(now, rigid_inverse(rest));
    }
    snStatus status = p->def->skin->frame(p->def->skin->user, f, o->vertex);
    if (status) return sn_fail(p->error, status, "the skin of frame %d could not be made", f);
    for (int32_t v = 0; v < o->nvertex; ++v) {
        v3 d = v3_sub(v3_load(o->vertex + 3 * v), blend(p, o, v));
        float *to = o->offset + 3 * ((int64_t)k * o->nvertex + v);
        to[0] = (float)d.x, to[1] = (float)d.y, to[2] = (float)d.z;
    }
    return SN_OK;
}

static void list_vertices(Offsets *o)
{
    for (int32_t v = 0; v < o->nvertex; ++v) {
        bool shows = false;
        for (int32_t k = 0; k < o->nframe && !shows; ++k) {
            const float *d = o->offset + 3 * ((int64_t)k * o->nvertex + v);
            shows = v3_len(v3_of(d[0], d[1], d[2])) > VISIBLE;
        }
        if (shows) o->listed[o->nlisted++] = v;
    }
}

static snStatus put_offsets(snPack *p, const Offsets *o)
{
    int64_t n = 3 * (int64_t)o->nlisted * o->nframe;
    double *value = SN_NEW_ARRAY(double, n), *to = value;
    if (!value) return sn_fail_no_memory(p->error);
    for (int32_t k = 0; k < o->nframe; ++k)
        for (int32_t i = 0; i < o->nlisted; ++i)
            for (int c = 0; c < 3; ++c) *to++ = (double)o->offset[3 * ((int64_t)k * o->nvertex + o->listed[i]) + c];
    sn_pack_member(p, "skinOffsets");
    sn_json_text(&p->head, "{\"stride\":");
    sn_json_int(&p->head, o->stride);
    sn_pack_member(p, "frames");
    sn_json_int(&p->head, o->nframe);
    sn_pack_member(p, "nvertex");
    sn_json_int(&p->head, o->nlisted);
    sn_pack_member(p, "vertices");
    sn_run_index(&p->head, &p->data, o->listed, o->nlisted);
    sn_pack_member(p, "values");
    sn_run_frames(&p->head, &p->data, value, n, 1, 3 * (int64_t)o->nlisted, FINEST);
    sn_json_text(&p->head, "}");
    sn_free(value);
    return SN_OK;
}

snStatus sn_pack_skin_offsets(snPack *p)
{
    Offsets o = {0};
    snStatus status = offsets_alloc(p, &o) ? SN_OK : sn_fail_no_memory(p->error);
    if (!status) resolve_bones(p, o.bone, o.weight);
    for (int32_t k = 0; !status && k < o.nframe; ++k) status = measure_frame(p, &o, k);
    if (!status) list_vertices(&o);
    if (!status && o.nlisted) status = put_offsets(p, &o);
    offsets_free(&o);
    return status;
}
