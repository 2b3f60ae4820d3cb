/* The skin of the shipped hand over simulated motions, and what it is measured by: bones, sides, volume, ridges.
 * Shared by the quick test and the one over all motions. */
#ifndef SN_TESTS_HAND_SKIN_CASE_H
#define SN_TESTS_HAND_SKIN_CASE_H

#include "check.h"

#include "base/alloc.h"
#include "geom/bvh.h"
#include "math/spline.h"
#include "math/vec.h"
#include "model/model.h"
#include "model/nodes.h"
#include "sinew/author.h"
#include "sinew/io.h"
#include "sinew/record.h"
#include "skin/skin.h"

#include <string.h>

enum { MAX_BONES = 64, SAMPLES = 400 };

typedef struct {
    snTriMesh mesh; /* at rest, in the world */
    snBvh *tree;
    snMeshSide side;
    int32_t body;
    v3 low, high;
} Bone;

typedef struct {
    snSpec *spec;
    snModel *model;
    snSkin *skin;
    snTriMesh mesh; /* as modelled */
    int32_t nbody, nstrand, nbone;
    Bone bone[MAX_BONES];
    double *rest;            /* 7 per body */
    double *vertex, *normal; /* of the last frame: result, and normals of the skinned base */
    const double *pose, *point;
    double *sample; /* nstrand x SAMPLES x 3: the strands of the last frame */
    double *own;    /* pose and points of a moment that is held */
} HandSkin;

static void load_bone(HandSkin *h, snId id)
{
    const snNodeDef *node = sn_spec_node(h->spec, id);
    snId body = node->kind == SN_NODE_MESH && node->ntriangle > 0 ? sn_node_body(h->spec, id) : 0;
    if (!body) return;
    assert_true(h->nbone < MAX_BONES);
    Bone *b = h->bone + h->nbone++;
    affine world = sn_node_world(h->spec, id);
    assert_true(sn_trimesh_alloc(&b->mesh, node->nvertex, node->ntriangle));
    memcpy(b->mesh.triangle, node->triangle, sizeof(int32_t) * 3 * (size_t)node->ntriangle);
    b->low = v3_of(INFINITY, INFINITY, INFINITY), b->high = v3_neg(b->low);
    for (int32_t v = 0; v < node->nvertex; ++v) {
        v3 p = affine_apply(&world, v3_load(node->vertex + 3 * v));
        v3_store(b->mesh.vertex + 3 * v, p);
        b->low = v3_of(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
        b->high = v3_of(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
    }
    b->body = sn_find(h->model, SN_ITEM_BODY, sn_spec_body(h->spec, body)->name);
    assert_true(b->body >= 0);
    b->tree = sn_bvh_create(&b->mesh);
    assert_true(b->tree && sn_mesh_side_create(&b->mesh, &b->side));
}

static void read_rest(HandSkin *h)
{
    snSimDef def = sn_default_sim_def();
    snState *state = NULL;
    snView position, rotation;
    def.skip_settle = true, def.threads = 1; /* the pose as drawn */
    assert_int_equal(sn_state_create(h->model, &def, &state, NULL), SN_OK);
    assert_int_equal(sn_field(h->model, state, "body.position", &position), SN_OK);
    assert_int_equal(sn_field(h->model, state, "body.rotation", &rotation), SN_OK);
    for (int32_t b = 0; b < h->nbody; ++b) {
        memcpy(h->rest + 7 * b, position.data + 3 * b, 3 * sizeof(double));
        memcpy(h->rest + 7 * b + 3, rotation.data + 4 * b, 4 * sizeof(double));
    }
    sn_state_destroy(state);
}

static void open_hand(HandSkin *h, double belly)
{
    snError error = {0};
    char path[4096];
    memset(h, 0, sizeof *h);
    snModelSkinDef def = sn_default_model_skin_def();
    def.belly = belly;
    if (sn_find_model("hand", path, sizeof path, &error) != SN_OK || sn_load_model(path, &h->spec, &error) != SN_OK ||
        sn_compile(h->spec, &h->model, &error) != SN_OK ||
        sn_create_model_skin(h->spec, &def, &h->skin, &error) != SN_OK)
        print_error("%s\n", error.message);
    assert_non_null(h->skin);
    const snNodeDef *node = sn_spec_node(h->spec, sn_spec_find(h->spec, SN_KIND_NODE, sn_spec_model(h->spec)->skin));
    assert_true(sn_trimesh_alloc(&h->mesh, node->nvertex, node->ntriangle));
    memcpy(h->mesh.vertex, node->vertex, sizeof(double) * 3 * (size_t)node->nvertex);
    memcpy(h->mesh.triangle, node->triangle, sizeof(int32_t) * 3 * (size_t)node->ntriangle);
    h->nbody = sn_count(h->model, SN_ITEM_BODY), h->nstrand = sn_count(h->model, SN_ITEM_STRAND);
    h->rest = SN_NEW_ARRAY(double, 7 * h->nbody), h->vertex = SN_NEW_ARRAY(double, 3 * node->nvertex);
    h->normal = SN_NEW_ARRAY(double, 3 * node->nvertex), h->sample = SN_NEW_ARRAY(double, 3 * SAMPLES * h->nstrand);
    read_rest(h);
    for (snId id = 1; id <= sn_spec_count(h->spec, SN_KIND_NODE); ++id) load_bone(h, id);
}

static void close_hand(HandSkin *h)
{
    for (int i = 0; i < h->nbone; ++i) {
        sn_bvh_destroy(h->bone[i].tree);
        sn_mesh_side_free(&h->bone[i].side);
        sn_trimesh_free(&h->bone[i].mesh);
    }
    sn_trimesh_free(&h->mesh);
    sn_free(h->rest), sn_free(h->vertex), sn_free(h->normal), sn_free(h->sample), sn_free(h->own);
    sn_skin_destroy(h->skin);
    sn_model_destroy(h->model);
    sn_spec_destroy(h->spec);
}

/* The replay of a shipped motion from start to end seconds, as sinew track makes it. */
static snTrack *follow_motion(const HandSkin *h, const char *name, double start, double end, double rate)
{
    snMotionDef def = sn_default_motion_def();
    snFollowDef follow = sn_default_follow_def();
    snFollowReport report;
    snTrack *motion = NULL, *replay = NULL;
    snError error = {0};
    def.model = "hand";
    snStatus status = sn_load_motion(h->model, name, &def, &motion, &error);
    if (status != SN_OK) print_error("%s: %s\n", name, error.message);
    assert_int_equal(status, SN_OK);
    follow.start = start, follow.end = end, follow.frame_rate = rate;
    assert_int_equal(sn_follow(h->model, motion, &follow, &replay, &report, &error), SN_OK);
    sn_follow_report_free(&report);
    sn_track_destroy(motion);
    return replay;
}

/* ---- a frame ------------------------------------------------------------------------------------ */

/* Strands as many points, from the knots of the scene. */
static void sample_strands(HandSkin *h)
{
    int32_t first = 0;
    for (int32_t s = 0; s < h->nstrand; ++s) {
        snId id = sn_spec_find(h->spec, SN_KIND_STRAND, sn_name(h->model, SN_ITEM_STRAND, s));
        const snNodeDef *node = sn_spec_node(h->spec, sn_strand_node(h->spec, id));
        int32_t n = node->npoint, span = 0;
        double own[512];
        const double *knot = node->nknot == n + 4 ? node->knot : own;
        assert_true(n == sn_strand_point_count(h->model, s) && n + 4 <= 512);
        if (knot == own) spline_clamped_knots(own, n);
        for (int i = 0; i < SAMPLES; ++i) {
            double b[4], t = knot[3] + (knot[n] - knot[3]) * i / (SAMPLES - 1);
            span = spline_basis(knot, n, t, span, b, NULL, NULL);
            v3 p = {0};
            for (int k = 0; k < 4; ++k) p = v3_mad(p, b[k], v3_load(h->point + 3 * (first + span + k)));
            v3_store(h->sample + 3 * (s * SAMPLES + i), p);
        }
        first += n;
    }
}

static void pose_hand(HandSkin *h, const double *pose, const double *point)
{
    snTriMesh base = h->mesh;
    h->pose = pose, h->point = point;
    sn_skin_deform(h->skin, pose, point, h->vertex, NULL);
    base.vertex = (double *)(uintptr_t)sn_skin_base(h->skin);
    sn_trimesh_normals(&base, h->normal);
}

/* From the world as it is to the world at rest, as a body sees it. */
static rigid to_rest(const HandSkin *h, int32_t body)
{
    rigid rest = {q_load(h->rest + 7 * body + 3), v3_load(h->rest + 7 * body)};
    rigid now = {q_load(h->pose + 7 * body + 3), v3_load(h->pose + 7 * body)};
    return rigid_mul(rest, rigid_inverse(now));
}

static bool in_box(v3 p, v3 low, v3 high, double margin)
{
    return p.x > low.x - margin && p.y > low.y - margin && p.z > low.z - margin && p.x < high.x + margin &&
           p.y < high.y + margin && p.z < high.z + margin;
}

/* ---- bones -------------------------------------------------------------------------------------- */

typedef struct {
    int32_t count, vertex, bone;
    double deepest; /* m */
} Inside;

/* Vertices (3 each, world) that lie inside a bone. */
static Inside inside_bones(const HandSkin *h, const double *vertex)
{
    Inside in = {.vertex = -1, .bone = -1};
    for (int b = 0; b < h->nbone; ++b) {
        const Bone *bone = h->bone + b;
        rigid back = to_rest(h, bone->body);
        for (int32_t v = 0; v < h->mesh.nvertex; ++v) {
            v3 p = rigid_apply(back, v3_load(vertex + 3 * v));
            if (!in_box(p, bone->low, bone->high, 0)) continue;
            double d = sn_bvh_signed_distance(bone->tree, &bone->side, p, 0.05, NULL);
            if (d >= 0) continue;
            ++in.count;
            if (-d > in.deepest) in.deepest = -d, in.vertex = v, in.bone = b;
        }
    }
    return in;
}

/* ---- strands under the skin ---------------------------------------------------------------------- */

/* The nearest place of a strand, on the lines between its samples. */
static double nearest_place(const HandSkin *h, int32_t strand, v3 p, v3 *at)
{
    double least = INFINITY;
    const double *s = h->sample + 3 * strand * SAMPLES;
    for (int i = 0; i + 1 < SAMPLES; ++i) {
        v3 from = v3_load(s + 3 * i), way = v3_sub(v3_load(s + 3 * i + 3), from);
        double t = v3_dot(v3_sub(p, from), way) / fmax(v3_len2(way), 1e-20);
        v3 q = v3_mad(from, fmax(0, fmin(1, t)), way);
        double d = v3_len2(v3_sub(q, p));
        if (d < least) least = d, *at = q;
    }
    return sqrt(least);
}

/* Equation 19 with the model's figures, for the nearest place of a strand; wider, because bulges that meet are evened
 * out over an edge or two. */
static double lift_of(const HandSkin *h, v3 p, v3 n, v3 at)
{
    const snModelDef *m = sn_spec_model(h->spec);
    v3 d = v3_sub(at, p);
    double along = v3_dot(d, n), lift = along + m->skin_c, b = 1.6 * m->skin_b;
    if (lift > 0.003) lift = 0.003 + 0.003 * tanh((lift - 0.003) / 0.003);
    return lift > 0 ? lift * m->skin_a * exp(-v3_len2(v3_mad(d, -along, n)) / (2 * b * b)) : 0;
}

static bool is_phalanx(const HandSkin *h, int32_t body)
{
    const char *name = sn_name(h->model, SN_ITEM_BODY, body);
    return name[1] == 'p' && strchr("pmd", name[0]);
}

/* The side of its finger that a place is on: the way from the bone's long axis (the node's y) to it, of length one. */
static v3 side_of(const HandSkin *h, int32_t body, v3 at)
{
    quat q = q_load(h->pose + 7 * body + 3);
    v3 axis = q_rotate(q, v3_of(0, 1, 0)), way = v3_sub(at, v3_load(h->pose + 7 * body));
    return v3_unit(v3_mad(way, -v3_dot(way, axis), axis));
}

/* Vertices of fingers that are raised by more than 0.2 mm while no strand that could have raised them runs on the side
 * that they face. Skin in the creases of a bent finger, which does not face away from its own bone, is on no side.
 * Bellies must be off. */
static int32_t far_side_bulges(const HandSkin *h)
{
    const double *base = sn_skin_base(h->skin), *offset = sn_skin_offset(h->skin);
    int32_t count = 0;
    for (int32_t v = 0; v < h->mesh.nvertex; ++v) {
        int32_t body = sn_skin_weight_bodies(h->skin)[4 * v];
        if (offset[v] < 2e-4 || !is_phalanx(h, body)) continue;
        v3 p = v3_load(base + 3 * v), n = v3_load(h->normal + 3 * v), at = p;
        bool faces = v3_dot(n, side_of(h, body, p)) < 0.3;
        for (int32_t s = 0; !faces && s < h->nstrand; ++s)
            faces = nearest_place(h, s, p, &at) < 0.02 && lift_of(h, p, n, at) > 0.5 * offset[v] - 1e-4 &&
                    v3_dot(n, side_of(h, body, at)) > 0;
        if (!faces)
            print_message("far side: vertex %d of %s, raised by %.2f mm\n", (int)v,
                          sn_name(h->model, SN_ITEM_BODY, body), 1e3 * offset[v]);
        count += !faces;
    }
    return count;
}

typedef struct {
    int32_t count, strand; /* samples that lie more than SHOWS outside; the one that is furthest */
    double furthest;       /* m */
} Outside;

/* A strand whose middle lies further outside the skin than this shows through it, m. */
static const double SHOWS = 3e-4;

/* Samples of strands outside the bulged skin: it does not go around them, not even where a finger is in the palm. */
static Outside strands_outside(const HandSkin *h)
{
    snTriMesh skin = h->mesh;
    snMeshSide side = {0};
    Outside out = {.strand = -1};
    skin.vertex = h->vertex;
    snBvh *tree = sn_bvh_create(&skin);
    assert_true(tree && sn_mesh_side_create(&skin, &side));
    for (int32_t i = 0; i < h->nstrand * SAMPLES; ++i) {
        v3 p = v3_load(h->sample + 3 * i);
        double d = sn_bvh_signed_distance(tree, &side, p, 0.03, NULL);
        if (d <= fmin(SHOWS, out.furthest) || sn_bvh_winding(tree, p) > 0) continue;
        out.count += d > SHOWS;
        if (d > out.furthest) out.furthest = d, out.strand = i / SAMPLES;
    }
    sn_bvh_destroy(tree);
    sn_mesh_side_free(&side);
    return out;
}

/* ---- a motion ------------------------------------------------------------------------------------ */

typedef struct {
    int32_t frames, in_bone, far_side, raised, shown, strand;
    double low, high; /* volume over that of the skinned base */
    double deepest, bulge, shows;
} Figures;

/* Every `step`-th frame of a replay. */
static Figures measure_replay(HandSkin *h, const snTrack *replay, int32_t step)
{
    Figures f = {.low = INFINITY};
    for (int32_t i = 0; i < sn_track_frames(replay); i += step) {
        pose_hand(h, sn_track_pose(replay, i), sn_track_point(replay, i));
        snSkinInfo info = sn_skin_info(h->skin);
        Inside in = inside_bones(h, h->vertex);
        f.low = fmin(f.low, info.volume / info.base_volume), f.high = fmax(f.high, info.volume / info.base_volume);
        f.in_bone += in.count, f.deepest = fmax(f.deepest, in.deepest), f.bulge = fmax(f.bulge, info.max_bulge);
        f.raised += info.bulged, ++f.frames;
        sample_strands(h);
        Outside out = strands_outside(h);
        f.shown += out.count;
        if (out.furthest > f.shows) f.shows = out.furthest, f.strand = out.strand;
        sn_skin_set_belly(h->skin, 0);
        pose_hand(h, h->pose, h->point);
        f.far_side += far_side_bulges(h);
        sn_skin_set_belly(h->skin, 1);
    }
    return f;
}

static inline void check_motion(HandSkin *h, const char *name, double start, double end, int32_t step)
{
    snTrack *replay = follow_motion(h, name, start, end, 50);
    Figures f = measure_replay(h, replay, step);
    print_message("%-17s %2d frames: volume %.4f to %.4f, highest bulge %.2f mm, in a bone %d (%.2f mm), far side %d\n"
                  "                  strands outside the skin %d (%.2f mm%s%s)\n",
                  name, f.frames, f.low, f.high, 1e3 * f.bulge, f.in_bone, 1e3 * f.deepest, f.far_side, f.shown,
                  1e3 * f.shows, f.shows > 0 ? ", " : "",
                  f.shows > 0 ? sn_name(h->model, SN_ITEM_STRAND, f.strand) : "");
    assert_int_equal(f.in_bone, 0);
    assert_int_equal(f.far_side, 0);
    assert_at_most(f.shows, 5e-4);
    assert_near(f.low, 1, 0.03);
    assert_near(f.high, 1, 0.03);
    assert_true(f.frames > 1 && f.raised > 100 * f.frames);
    sn_track_destroy(replay);
}

/* ---- ridges --------------------------------------------------------------------------------------- */

/* The highest bulge within `around` of a place, m. */
static double bulge_near(const HandSkin *h, v3 q, double around)
{
    const double *base = sn_skin_base(h->skin), *offset = sn_skin_offset(h->skin);
    double most = 0;
    for (int32_t v = 0; v < h->mesh.nvertex; ++v)
        if (offset[v] > most && v3_dist(v3_load(base + 3 * v), q) < around) most = offset[v];
    return most;
}

/* The place of the skin nearest to q, and its bulge. */
static double bulge_at(const HandSkin *h, v3 q)
{
    const double *base = sn_skin_base(h->skin);
    double least = INFINITY;
    int32_t at = 0;
    for (int32_t v = 0; v < h->mesh.nvertex; ++v) {
        double d = v3_dist(v3_load(base + 3 * v), q);
        if (d < least) least = d, at = v;
    }
    return sn_skin_offset(h->skin)[at];
}

/* Mean height of the ridge over a strand, over the stretch that lies between y = low and y = high of the palm at rest
 * (m; the wrist is at 0, the knuckles at about -0.09). */
static inline double ridge_height(const HandSkin *h, const char *name, double low, double high)
{
    int32_t s = sn_find(h->model, SN_ITEM_STRAND, name), n = 0;
    rigid back = to_rest(h, sn_find(h->model, SN_ITEM_BODY, "hand"));
    double sum = 0;
    assert_true(s >= 0);
    for (int i = 0; i < SAMPLES; i += 2) {
        v3 q = v3_load(h->sample + 3 * (s * SAMPLES + i));
        double y = rigid_apply(back, q).y;
        if (y > low && y < high) sum += bulge_near(h, q, 0.006), ++n;
    }
    return n ? sum / n : 0;
}

/* Mean bulge of the skin half way between two strands, where they are 8 to 25 mm apart and in the same stretch. */
static inline double valley_height(const HandSkin *h, const char *a, const char *b, double low, double high)
{
    int32_t s = sn_find(h->model, SN_ITEM_STRAND, a), t = sn_find(h->model, SN_ITEM_STRAND, b), n = 0;
    rigid back = to_rest(h, sn_find(h->model, SN_ITEM_BODY, "hand"));
    double sum = 0;
    for (int i = 0; i < SAMPLES; i += 2) {
        v3 q = v3_load(h->sample + 3 * (s * SAMPLES + i)), other = q;
        double y = rigid_apply(back, q).y, apart = nearest_place(h, t, q, &other);
        if (y > low && y < high && apart > 0.008 && apart < 0.025) sum += bulge_at(h, v3_lerp(q, other, 0.5)), ++n;
    }
    assert_true(n > 5);
    return sum / n;
}

/* The hand at a time of a shipped motion, bellies off, so that only tendons raise the skin. */
static inline void hold_moment(HandSkin *h, const char *motion, double time)
{
    snTrack *replay = follow_motion(h, motion, time - 0.2, time, 50);
    int32_t last = sn_track_frames(replay) - 1;
    sn_free(h->own);
    h->own = SN_NEW_ARRAY(double, 7 * h->nbody + 3 * sn_track_points(replay));
    memcpy(h->own, sn_track_pose(replay, last), sizeof(double) * 7 * (size_t)h->nbody);
    memcpy(h->own + 7 * h->nbody, sn_track_point(replay, last), sizeof(double) * 3 * (size_t)sn_track_points(replay));
    sn_track_destroy(replay);
    pose_hand(h, h->own, h->own + 7 * h->nbody);
    sample_strands(h);
}

#endif
