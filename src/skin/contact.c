/* Invariants: vertices are in one cluster each; `clear` is a lower bound of the distance to every bone; a vertex that
 * keeps its margin at rest is not moved at rest. */
#include "skin/contact.h"

#include "base/alloc.h"
#include "base/error.h"
#include "skin/clusters.h"

#include <string.h>

enum { CLUSTER = 32, ROUNDS = 4, MARCH = 8 };

/* Skin that lies on a bone keeps this distance, m: less than any soft tissue is thin. */
static const double MARGIN = 5e-4;
/* Bones further from a vertex are not looked at, m: beyond the highest bulge. */
static const double RANGE = 7e-3;
/* A look reaches further, m: half the thickness of a bone, so that depth in it is seen too. */
static const double LOOK = 0.02;

/* ---- set-up ------------------------------------------------------------------------------------ */

static snStatus add_bone(snContact *c, const snSkinBone *from, snError *error)
{
    snTriMesh given = {from->nvertex, from->ntriangle, (double *)(uintptr_t)from->vertex,
                       (int32_t *)(uintptr_t)from->triangle};
    snMeshPlace place;
    if (from->ntriangle < 4) return SN_OK;
    snStatus status = sn_trimesh_check(&given, true, &place);
    if (status != SN_OK) return sn_fail_no_memory(error);
    if (place.defect != SN_MESH_SOUND) return SN_OK;
    snContactBone *to = c->bone + c->nbone++;
    to->body = from->body;
    if (!sn_trimesh_alloc(&to->mesh, given.nvertex, given.ntriangle)) return sn_fail_no_memory(error);
    memcpy(to->mesh.vertex, given.vertex, sizeof(double) * 3 * (size_t)given.nvertex);
    memcpy(to->mesh.triangle, given.triangle, sizeof(int32_t) * 3 * (size_t)given.ntriangle);
    to->low = to->high = sn_trimesh_point(&given, 0);
    for (int32_t v = 1; v < given.nvertex; ++v) {
        v3 p = sn_trimesh_point(&given, v);
        to->low = v3_of(fmin(to->low.x, p.x), fmin(to->low.y, p.y), fmin(to->low.z, p.z));
        to->high = v3_of(fmax(to->high.x, p.x), fmax(to->high.y, p.y), fmax(to->high.z, p.z));
    }
    to->back = rigid_identity();
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
        n += sn_cluster_grow(skin, &fans, of, 0, 1, v, CLUSTER, INFINITY, c->member + n);
        c->start[++c->ncluster] = n;
    }
    sn_fans_free(&fans);
    sn_free(of);
    return fine;
}

static bool allocate(const snTriMesh *skin, int32_t nbone, snContact *c)
{
    size_t n = (size_t)skin->nvertex;
    c->nvertex = skin->nvertex;
    c->bone = SN_NEW_ARRAY(snContactBone, nbone), c->near = SN_NEW_ARRAY(int32_t, nbone);
    c->start = SN_NEW_ARRAY(int32_t, n + 1), c->member = SN_NEW_ARRAY(int32_t, n);
    c->look = SN_NEW_ARRAY(snContactLook, SN_CONTACT_LOOKS * n);
    c->margin = SN_NEW_ARRAY(double, n), c->clear = SN_NEW_ARRAY(double, n);
    if (!c->bone || !c->near || !c->start || !c->member || !c->look || !c->margin || !c->clear) return false;
    for (size_t i = 0; i < SN_CONTACT_LOOKS * n; ++i) c->look[i].bone = -1;
    return true;
}

void sn_contact_free(snContact *c)
{
    for (int32_t b = 0; b < c->nbone; ++b) {
        sn_bvh_destroy(c->bone[b].tree);
        sn_mesh_side_free(&c->bone[b].side);
        sn_trimesh_free(&c->bone[b].mesh);
    }
    sn_free(c->bone), sn_free(c->near), sn_free(c->start), sn_free(c->member), sn_free(c->look);
    sn_free(c->margin), sn_free(c->clear);
    *c = (snContact){0};
}

/* ---- looking ----------------------------------------------------------------------------------- */

static double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0;
}
static double box_distance2(const snContactBone *b, v3 p)
{
    double x = outside(b->low.x, b->high.x, p.x), y = outside(b->low.y, b->high.y, p.y),
           z = outside(b->low.z, b->high.z, p.z);
    return x * x + y * y + z * z;
}

/* Distance of a point in the bone's frame, at most LOOK, remembered for the vertex. The triangle that was nearest last
 * time bounds the search. */
static double look(snContact *c, int32_t v, int32_t bone, v3 p, snMeshHit *hit)
{
    const snContactBone *b = c->bone + bone;
    snContactLook *l = c->look + SN_CONTACT_LOOKS * v + bone % SN_CONTACT_LOOKS;
    double limit = LOOK, weight[3];
    if (l->bone == bone && l->triangle >= 0) {
        const snTriMesh *m = &b->mesh;
        v3 q = sn_triangle_closest(p, sn_trimesh_corner(m, l->triangle, 0), sn_trimesh_corner(m, l->triangle, 1),
                                   sn_trimesh_corner(m, l->triangle, 2), weight);
        limit = fmin(limit, v3_dist(p, q) * (1 + 1e-9) + 1e-12);
    }
    double d = sn_bvh_signed_distance(b->tree, &b->side, p, limit, hit);
    v3_store(l->at, p), l->distance = d, l->bone = bone, l->triangle = hit->triangle;
    ++c->looks;
    return d;
}

/* A lower bound of the distance: that to the bone's box, or what is left of what was seen last. */
static double known(const snContact *c, int32_t v, int32_t bone, v3 p, double box2)
{
    const snContactLook *l = c->look + SN_CONTACT_LOOKS * v + bone % SN_CONTACT_LOOKS;
    double seen = 0;
    if (l->bone == bone && l->distance > 0) {
        double way2 = v3_len2(v3_sub(p, v3_load(l->at)));
        if (way2 < l->distance * l->distance) seen = l->distance - sqrt(way2);
    }
    return box2 > seen * seen ? sqrt(box2) : seen;
}

static int32_t bones_near(snContact *c, int32_t cluster, const double *vertex)
{
    const int32_t *list = c->member + c->start[cluster];
    int32_t n = c->start[cluster + 1] - c->start[cluster], count = 0;
    v3 low = v3_load(vertex + 3 * list[0]), high = low;
    for (int32_t i = 1; i < n; ++i) {
        v3 p = v3_load(vertex + 3 * list[i]);
        low = v3_of(p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z);
        high = v3_of(p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y, p.z > high.z ? p.z : high.z);
    }
    v3 middle = v3_lerp(low, high, 0.5);
    double reach = 0.5 * v3_dist(low, high) + RANGE;
    for (int32_t b = 0; b < c->nbone; ++b)
        if (box_distance2(c->bone + b, rigid_apply(c->bone[b].back, middle)) < reach * reach) c->near[count++] = b;
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
static void push_vertex(snContact *c, int32_t v, int32_t nnear, double *vertex)
{
    v3 p = v3_load(vertex);
    double margin = c->margin[v];
    for (int round = 0; round < ROUNDS; ++round) {
        bool moved = false;
        c->clear[v] = RANGE;
        for (int32_t i = 0; i < nnear; ++i) {
            const snContactBone *b = c->bone + c->near[i];
            v3 local = rigid_apply(b->back, p);
            double box2 = box_distance2(b, local);
            if (box2 > RANGE * RANGE) continue;
            double d = known(c, v, c->near[i], local, box2);
            snMeshHit hit;
            if (d <= margin) d = look(c, v, c->near[i], local, &hit);
            if (d < margin - 1e-9) {
                p = rigid_unapply(b->back, surfaced(b, local, d, margin, &hit));
                moved = true, d = margin;
            }
            c->clear[v] = d < c->clear[v] ? d : c->clear[v];
        }
        if (!moved) break;
    }
    v3_store(vertex, p);
}

void sn_contact_push(snContact *c, const double *rest, const double *pose, double *vertex)
{
    for (int32_t b = 0; b < c->nbone; ++b) {
        const double *r = rest + 7 * c->bone[b].body, *q = pose + 7 * c->bone[b].body;
        rigid was = {q_unit(q_load(r + 3)), v3_load(r)}, is = {q_unit(q_load(q + 3)), v3_load(q)};
        c->bone[b].back = rigid_mul(was, rigid_inverse(is));
    }
    for (int32_t k = 0; k < c->ncluster; ++k) {
        int32_t nnear = bones_near(c, k, vertex);
        for (int32_t i = c->start[k]; i < c->start[k + 1]; ++i) {
            int32_t v = c->member[i];
            c->clear[v] = RANGE;
            if (nnear && c->margin[v] >= 0) push_vertex(c, v, nnear, vertex + 3 * v);
        }
    }
}

/* ---- limiting ---------------------------------------------------------------------------------- */

/* The distance to the nearest bone, at most RANGE. Exact: a frame may not depend on what was seen in others. */
static double clear_at(snContact *c, int32_t v, v3 p)
{
    double least = RANGE;
    for (int32_t b = 0; b < c->nbone; ++b) {
        v3 local = rigid_apply(c->bone[b].back, p);
        double box2 = box_distance2(c->bone + b, local);
        if (box2 > least * least) continue;
        snMeshHit hit;
        double d = look(c, v, b, local, &hit);
        least = d < least ? d : least;
    }
    return least;
}

/* Goes along the normal by what is certainly free until the offset is reached or a bone is met. */
static double free_way(snContact *c, int32_t v, v3 p, v3 n, double offset)
{
    double gone = 0, whole = fabs(offset), sign = offset < 0 ? -1 : 1, room = clear_at(c, v, p) - c->margin[v];
    for (int i = 0; i < MARCH && room > 1e-6; ++i) {
        gone += room;
        if (gone >= whole) return offset;
        room = clear_at(c, v, v3_mad(p, sign * gone, n)) - c->margin[v];
    }
    return sign * gone;
}

void sn_contact_limit(snContact *c, const double *vertex, const double *normal, double *offset)
{
    for (int32_t v = 0; c->nbone && v < c->nvertex; ++v)
        if (c->margin[v] >= 0 && fabs(offset[v]) > c->clear[v] - c->margin[v])
            offset[v] = free_way(c, v, v3_load(vertex + 3 * v), v3_load(normal + 3 * v), offset[v]);
}

/* ---- all together ------------------------------------------------------------------------------ */

/* Margins are what there is at rest; the looks that this takes serve the first frame. */
static void set_margins(const snTriMesh *skin, snContact *c)
{
    for (int32_t k = 0; k < c->ncluster; ++k) {
        int32_t nnear = bones_near(c, k, skin->vertex);
        for (int32_t i = c->start[k]; i < c->start[k + 1]; ++i) {
            int32_t v = c->member[i];
            double margin = MARGIN;
            snMeshHit hit;
            for (int32_t j = 0; j < nnear; ++j)
                margin = fmin(margin, look(c, v, c->near[j], sn_trimesh_point(skin, v), &hit));
            c->margin[v] = margin;
        }
    }
}

snStatus sn_contact_create(const snTriMesh *skin, int32_t nbone, const snSkinBone *bone, snContact *c, snError *error)
{
    *c = (snContact){0};
    if (!allocate(skin, nbone, c) || !make_clusters(skin, c)) return sn_fail_no_memory(error);
    for (int32_t b = 0; b < nbone; ++b) {
        snStatus status = add_bone(c, bone + b, error);
        if (status != SN_OK) return status;
    }
    set_margins(skin, c);
    return SN_OK;
}
