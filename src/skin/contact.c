/* Invariants: vertices are in one cluster each; `clear` is a lower bound of the distance to every bone; a vertex that
 * keeps its margin at rest is not moved at rest. Lower bounds are in single precision; what decides is in double. */
#include "skin/contact.h"

#include "base/alloc.h"
#include "base/error.h"
#include "skin/clusters.h"
#include "skin/sound.h"

#include <string.h>

enum { CLUSTER = 32, ROUNDS = 4, MARCH = 8 };

/* Skin that lies on a bone keeps this distance, m: less than any soft tissue is thin. */
static const double MARGIN = 5e-4;
/* Bones further from a vertex are not looked at, m: beyond the highest bulge. */
static const double RANGE = 7e-3;
/* A look reaches further, m: half the thickness of a bone, so that depth in it is seen too. */
static const double LOOK = 0.02;

/* ---- set-up ------------------------------------------------------------------------------------ */

static void place_bone(snContactBone *b, rigid back)
{
    b->back = back, b->turn = m3_from_q(back.q), b->now = rigid_unapply(back, b->middle);
}

static snStatus check_bone(const snTriMesh *mesh, snMemo *memo, bool *sound)
{
    snMeshPlace place;
    *sound = sn_sound_known(memo, mesh);
    if (*sound) return SN_OK;
    snStatus status = sn_trimesh_check(mesh, true, &place);
    *sound = status == SN_OK && place.defect == SN_MESH_SOUND;
    sn_sound_keep(memo, mesh, *sound);
    return status;
}

static snStatus add_bone(snContact *c, const snSkinBone *from, snMemo *memo, snError *error)
{
    snTriMesh given = {from->nvertex, from->ntriangle, (double *)(uintptr_t)from->vertex,
                       (int32_t *)(uintptr_t)from->triangle};
    bool sound;
    if (from->ntriangle < 4) return SN_OK;
    if (check_bone(&given, memo, &sound) != SN_OK) return sn_fail_no_memory(error);
    if (!sound) return SN_OK;
    snContactBone *to = c->bone + c->nbone++;
    to->body = from->body;
    if (!sn_trimesh_alloc(&to->mesh, given.nvertex, given.ntriangle)) return sn_fail_no_memory(error);
    memcpy(to->mesh.vertex, given.vertex, sizeof(double) * 3 * (size_t)given.nvertex);
    memcpy(to->mesh.triangle, given.triangle, sizeof(int32_t) * 3 * (size_t)given.ntriangle);
    v3 low = sn_trimesh_point(&given, 0), high = low;
    for (int32_t v = 1; v < given.nvertex; ++v) {
        v3 p = sn_trimesh_point(&given, v);
        low = v3_of(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3_of(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    to->middle = v3_lerp(low, high, 0.5), to->half = v3_scale(v3_sub(high, low), 0.5), to->radius = v3_len(to->half);
    place_bone(to, rigid_identity());
    to->tree = sn_bvh_create(&to->mesh);
    return to->tree && sn_mesh_side_create(&to->mesh, &to->side) ? SN_OK : sn_fail_no_memory(error);
}

static bool make_clusters(const snTriMesh *skin, snContact *c)
{
    snFans fans = {0};
    int32_t *of = SN_NEW_ARRAY(int32_t, skin->nvertex), n = 0;
    bool fine = of && sn_fans_create(skin, &fans);
    for (int32_t v = 0; fine && v < skin->nvertex; ++v) {
        if (of[v]) continue;
        int32_t count = sn_cluster_grow(skin, &fans, of, 0, 1, v, CLUSTER, INFINITY, c->member + n);
        for (c->count[c->ncluster] = count; count % SN_LANES; ++count) c->member[n + count] = c->member[n + count - 1];
        n += count;
        c->start[++c->ncluster] = n;
    }
    c->nrow = n / SN_LANES;
    sn_fans_free(&fans);
    sn_free(of);
    return fine;
}

static bool allocate(const snTriMesh *skin, int32_t nbone, snContact *c)
{
    size_t n = (size_t)skin->nvertex;
    c->bone = SN_NEW_ARRAY(snContactBone, nbone), c->near = SN_NEW_ARRAY(int32_t, nbone);
    c->seen_bone = SN_NEW_ARRAY(snSeenBone, nbone);
    c->start = SN_NEW_ARRAY(int32_t, n + 1), c->count = SN_NEW_ARRAY(int32_t, n);
    c->member = SN_NEW_ARRAY(int32_t, SN_LANES * n); /* if no vertex had a neighbour */
    return c->bone && c->near && c->seen_bone && c->start && c->count && c->member;
}

static void forget_looks(snContact *c)
{
    for (size_t i = 0; i < SN_CONTACT_LOOKS * (size_t)c->nrow; ++i)
        for (int k = 0; k < SN_LANES; ++k) c->seen[i].bone[k] = -1;
}

static bool allocate_rows(snContact *c)
{
    size_t n = SN_LANES * (size_t)c->nrow, looks = SN_CONTACT_LOOKS * (size_t)c->nrow;
    c->seen = SN_NEW_ARRAY(snSeen, looks), c->triangle = SN_NEW_ARRAY(int32_t, SN_LANES * looks);
    c->margin = SN_NEW_ARRAY(float, n), c->clear = SN_NEW_ARRAY(float, n);
    if (!c->seen || !c->triangle || !c->margin || !c->clear) return false;
    forget_looks(c);
    return true;
}

void sn_contact_free(snContact *c)
{
    for (int32_t b = 0; b < c->nbone; ++b) {
        sn_bvh_destroy(c->bone[b].tree);
        sn_mesh_side_free(&c->bone[b].side);
        sn_trimesh_free(&c->bone[b].mesh);
    }
    sn_free(c->bone), sn_free(c->near), sn_free(c->seen_bone), sn_free(c->start), sn_free(c->count), sn_free(c->member),
        sn_free(c->seen);
    sn_free(c->triangle), sn_free(c->margin), sn_free(c->clear);
    *c = (snContact){0};
}

/* ---- looking ----------------------------------------------------------------------------------- */

/* A place of the world as it is now, from the middle of the bone's box at rest. */
static v3 seen_from(const snContactBone *b, v3 p)
{
    return v3_sub(v3_add(m3_mulv(&b->turn, p), b->back.p), b->middle);
}

static double beyond(double half, double x)
{
    double far = fabs(x) - half;
    return far > 0 ? far : 0;
}
static double box_distance2(const snContactBone *b, v3 local)
{
    double x = beyond(b->half.x, local.x), y = beyond(b->half.y, local.y), z = beyond(b->half.z, local.z);
    return x * x + y * y + z * z;
}

/* What single precision can do to a distance near the bone, m. */
static double rounding(const snContactBone *b)
{
    return 1e-6 + 1e-6 * b->radius;
}

static snSeen *seen_at(const snContact *c, int32_t place, int32_t bone)
{
    return c->seen + SN_CONTACT_LOOKS * (place / SN_LANES) + bone % SN_CONTACT_LOOKS;
}

/* Distance of a point, at most LOOK, remembered for the vertex. The triangle that was nearest last time bounds the
 * search. */
static double look(snContact *c, int32_t place, int32_t bone, v3 local, snMeshHit *hit)
{
    const snContactBone *b = c->bone + bone;
    snSeen *seen = seen_at(c, place, bone);
    int32_t k = place % SN_LANES, *triangle = c->triangle + SN_LANES * (seen - c->seen) + k;
    double limit = LOOK, weight[3];
    v3 p = v3_add(local, b->middle);
    if (seen->bone[k] == bone && *triangle >= 0) {
        v3 q =
            sn_triangle_closest(p, sn_trimesh_corner(&b->mesh, *triangle, 0), sn_trimesh_corner(&b->mesh, *triangle, 1),
                                sn_trimesh_corner(&b->mesh, *triangle, 2), weight);
        limit = fmin(limit, v3_dist(p, q) * (1 + 1e-9) + 1e-12);
    }
    double d = sn_bvh_signed_distance(b->tree, &b->side, p, limit, hit);
    seen->x[k] = (float)local.x, seen->y[k] = (float)local.y, seen->z[k] = (float)local.z;
    seen->distance[k] = (float)d, seen->bone[k] = bone, *triangle = hit->triangle;
    ++c->looks;
    return d;
}

/* A lower bound of the distance: that to the bone's box, or what is left of what was seen last. */
static double known(const snContact *c, int32_t place, int32_t bone, v3 local, double box2)
{
    const snSeen *seen = seen_at(c, place, bone);
    int32_t k = place % SN_LANES;
    double box = sqrt(box2), left = 0;
    if (seen->bone[k] == bone) {
        v3 at = v3_of((double)seen->x[k], (double)seen->y[k], (double)seen->z[k]);
        left = (double)seen->distance[k] - v3_dist(local, at) - rounding(c->bone + bone);
    }
    return box > left ? box : left;
}

static int32_t bones_near(snContact *c, int32_t cluster, const double *vertex)
{
    const int32_t *list = c->member + c->start[cluster];
    int32_t n = c->count[cluster], count = 0;
    v3 low = v3_load(vertex + 3 * list[0]), high = low;
    for (int32_t i = 1; i < n; ++i) {
        v3 p = v3_load(vertex + 3 * list[i]);
        low = v3_of(p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z);
        high = v3_of(p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z);
    }
    v3 middle = v3_lerp(low, high, 0.5);
    double reach = 0.5 * v3_dist(low, high) + RANGE;
    for (int32_t b = 0; b < c->nbone; ++b) {
        double far = reach + c->bone[b].radius;
        if (v3_len2(v3_sub(middle, c->bone[b].now)) > far * far) continue;
        if (box_distance2(c->bone + b, seen_from(c->bone + b, middle)) < reach * reach) c->near[count++] = b;
    }
    return count;
}

/* ---- pushing ----------------------------------------------------------------------------------- */

/* Where a point in a bone, or too near to it, goes: the closest point of the surface and the margin on top. */
static v3 surfaced(const snContactBone *b, v3 p, double distance, double margin, const snMeshHit *hit)
{
    v3 way = v3_sub(p, hit->point), out;
    if (fabs(distance) > 1e-7)
        out = v3_scale(way, 1 / distance);
    else
        out = v3_load(b->side.face + 3 * hit->triangle);
    return v3_mad(hit->point, margin, out);
}

/* One vertex against the bones near its cluster; leaving one bone it may meet another, so a few rounds. */
static void push_vertex(snContact *c, int32_t place, int32_t nnear, double *vertex)
{
    v3 p = v3_load(vertex);
    double margin = (double)c->margin[place], clear = RANGE;
    for (int round = 0; round < ROUNDS; ++round) {
        bool moved = false;
        clear = RANGE;
        for (int32_t i = 0; i < nnear; ++i) {
            const snContactBone *b = c->bone + c->near[i];
            v3 local = seen_from(b, p);
            double box2 = box_distance2(b, local);
            if (box2 > RANGE * RANGE) continue;
            double d = known(c, place, c->near[i], local, box2);
            snMeshHit hit;
            if (d <= margin) d = look(c, place, c->near[i], local, &hit);
            if (d < margin - 1e-9) {
                p = rigid_unapply(b->back, surfaced(b, v3_add(local, b->middle), d, margin, &hit));
                moved = true, d = margin;
            }
            clear = d < clear ? d : clear;
        }
        if (!moved) break;
    }
    c->clear[place] = (float)(clear - 1e-9);
    v3_store(vertex, p);
}

/* A bone as seen from a place. */
static snSeenBone seen_bone(const snContactBone *b, v3 origin)
{
    v3 shift = seen_from(b, origin);
    snSeenBone to = {.shift = {(float)shift.x, (float)shift.y, (float)shift.z},
                     .half = {(float)b->half.x, (float)b->half.y, (float)b->half.z},
                     .rounding = (float)rounding(b)};
    for (int i = 0; i < 9; ++i) to.turn[i] = (float)b->turn.m[i];
    return to;
}

/* Bounds for a row of a cluster; vertices that may have come too near are looked at one by one. */
static void push_row(snContact *c, int32_t row, int32_t nnear, const snSeenBone *bone, v3 origin, double *vertex)
{
    const int32_t *list = c->member + SN_LANES * row;
    float *clear = c->clear + SN_LANES * row;
    const float *margin = c->margin + SN_LANES * row;
    uint32_t open = 0;
    snPoints point;
    for (int i = 0; i < SN_LANES; ++i) {
        const double *p = vertex + 3 * list[i];
        point.x[i] = (float)(p[0] - origin.x), point.y[i] = (float)(p[1] - origin.y);
        point.z[i] = (float)(p[2] - origin.z), clear[i] = (float)RANGE;
    }
    for (int32_t i = 0; i < nnear; ++i)
        open |= c->chords->clear(&point, bone + i, c->near[i], seen_at(c, SN_LANES * row, c->near[i]), (float)RANGE,
                                 margin, clear);
    for (; open; open &= open - 1) {
        int32_t i = (int32_t)__builtin_ctz(open);
        bool again = i > 0 && list[i] == list[i - 1]; /* what fills up the row */
        if (margin[i] >= 0 && !again) push_vertex(c, SN_LANES * row + i, nnear, vertex + 3 * list[i]);
    }
}

void sn_contact_push(snContact *c, const double *rest, const double *pose, double *vertex)
{
    for (int32_t b = 0; b < c->nbone; ++b) {
        const double *r = rest + 7 * c->bone[b].body, *q = pose + 7 * c->bone[b].body;
        rigid was = {q_unit(q_load(r + 3)), v3_load(r)}, is = {q_unit(q_load(q + 3)), v3_load(q)};
        place_bone(c->bone + b, rigid_mul(was, rigid_inverse(is)));
    }
    for (int32_t k = 0; k < c->ncluster; ++k) {
        int32_t nnear = bones_near(c, k, vertex);
        v3 origin = v3_load(vertex + 3 * c->member[c->start[k]]);
        for (int32_t i = 0; i < nnear; ++i) c->seen_bone[i] = seen_bone(c->bone + c->near[i], origin);
        for (int32_t row = c->start[k] / SN_LANES; row < c->start[k + 1] / SN_LANES; ++row)
            push_row(c, row, nnear, c->seen_bone, origin, vertex);
    }
}

/* ---- limiting ---------------------------------------------------------------------------------- */

/* The distance to the nearest bone, at most RANGE. Exact: a frame may not depend on what was seen in others. */
static double clear_at(snContact *c, int32_t place, v3 p)
{
    double least = RANGE;
    for (int32_t b = 0; b < c->nbone; ++b) {
        double far = least + c->bone[b].radius;
        if (v3_len2(v3_sub(p, c->bone[b].now)) > far * far) continue;
        v3 local = seen_from(c->bone + b, p);
        double box2 = box_distance2(c->bone + b, local);
        if (box2 > least * least || known(c, place, b, local, box2) > least) continue;
        snMeshHit hit;
        double d = look(c, place, b, local, &hit);
        least = d < least ? d : least;
    }
    return least;
}

/* Goes along the normal by what is certainly free until the offset is reached or a bone is met. */
static double free_way(snContact *c, int32_t place, v3 p, v3 n, double offset)
{
    double gone = 0, whole = fabs(offset), sign = offset < 0 ? -1 : 1, margin = (double)c->margin[place];
    double room = clear_at(c, place, p) - margin;
    for (int i = 0; i < MARCH && room > 1e-6; ++i) {
        gone += room;
        if (gone >= whole) return offset;
        room = clear_at(c, place, v3_mad(p, sign * gone, n)) - margin;
    }
    return sign * gone;
}

void sn_contact_limit(snContact *c, const double *vertex, const double *normal, double *offset)
{
    for (int32_t k = 0; c->nbone && k < c->ncluster; ++k)
        for (int32_t i = c->start[k]; i < c->start[k] + c->count[k]; ++i) {
            int32_t v = c->member[i];
            if (c->margin[i] >= 0 && fabs(offset[v]) > (double)(c->clear[i] - c->margin[i]))
                offset[v] = free_way(c, i, v3_load(vertex + 3 * v), v3_load(normal + 3 * v), offset[v]);
        }
}

/* ---- all together ------------------------------------------------------------------------------ */

/* Margins are what there is at rest; the looks that this takes serve the first frame. */
static void set_margins(const snTriMesh *skin, snContact *c)
{
    for (int32_t k = 0; k < c->ncluster; ++k) {
        int32_t nnear = bones_near(c, k, skin->vertex);
        for (int32_t i = c->start[k]; i < c->start[k + 1]; ++i) {
            double margin = MARGIN;
            snMeshHit hit;
            for (int32_t j = 0; j < nnear; ++j) {
                v3 local = seen_from(c->bone + c->near[j], sn_trimesh_point(skin, c->member[i]));
                margin = fmin(margin, look(c, i, c->near[j], local, &hit));
            }
            c->margin[i] = (float)margin;
        }
    }
}

static void take_margins(const snTriMesh *skin, snContact *c, snMemo *memo)
{
    size_t looks = SN_CONTACT_LOOKS * (size_t)c->nrow, seen = looks * sizeof *c->seen;
    size_t triangle = SN_LANES * looks * sizeof *c->triangle, margin = SN_LANES * (size_t)c->nrow * sizeof *c->margin;
    bool taken = sn_memo_take(memo, c->seen, seen) && sn_memo_take(memo, c->triangle, triangle) &&
                 sn_memo_take(memo, c->margin, margin);
    if (taken) return;
    forget_looks(c);
    set_margins(skin, c);
    sn_memo_keep(memo, c->seen, seen);
    sn_memo_keep(memo, c->triangle, triangle);
    sn_memo_keep(memo, c->margin, margin);
}

snStatus sn_contact_create(const snTriMesh *skin, int32_t nbone, const snSkinBone *bone, snMemo *memo, snContact *c,
                           snError *error)
{
    *c = (snContact){.chords = sn_chords_best()};
    if (!allocate(skin, nbone, c) || !make_clusters(skin, c) || !allocate_rows(c)) return sn_fail_no_memory(error);
    for (int32_t b = 0; b < nbone; ++b) {
        snStatus status = add_bone(c, bone + b, memo, error);
        if (status != SN_OK) return status;
    }
    take_margins(skin, c, memo);
    return SN_OK;
}
