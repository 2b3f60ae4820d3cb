/* Limbs of a skin, and parting those that blending has driven into each other. */
#include "skin/touch.h"

#include "base/alloc.h"
#include "base/error.h"
#include "skin/blend.h"
#include "skin/clusters.h"

#include <string.h>

enum { CLUSTER = 32 }; /* vertices at most */
enum { PASSES = 6, LAST = 2, SPREAD = 4 };
/* Skin this deep inside another limb is not pushed out: it may have come in from the other side, m. */
static const double DEEPEST = 7e-3;
/* Siblings grow together at the web: that much of each side of it stays as it is, m. */
static const double WEB = 1.2e-3;
/* A limb folds where it leaves its parent: pairs with less way than this between them along the skin, m. */
static const double FOLD = 22e-3;
/* Reach is not followed further than this, m. */
static const double FURTHEST = 25e-3;
/* What is further out than this from a limb in the first pass does not come into it in the later ones, m. */
static const double NEAR = 1.6e-3;
/* Clusters are not wider than this, m. */
static const double WIDEST = 4e-3;
/* Less than this is not worth another pass, m. */
static const double ENOUGH = 1.5e-4;
/* Sides that meet face each other: the cosine between their normals is below this. */
static const double FACING = 0.75;

/* ---- set-up ------------------------------------------------------------------------------------ */

/* A limb for each child of a body that has several; parents may come in any order. */
static int32_t find_limbs(int32_t nbody, const int32_t *parent, int32_t *limb, int32_t *from)
{
    int32_t nlimb = 0, left = nbody;
    for (int32_t b = 0; b < nbody; ++b) limb[b] = -1;
    for (int32_t round = 0; left > 0 && round < nbody; ++round)
        for (int32_t b = 0; b < nbody; ++b) {
            int32_t p = parent[b], children = 0;
            if (limb[b] >= 0 || (p >= 0 && limb[p] < 0)) continue;
            for (int32_t c = 0; p >= 0 && c < nbody; ++c) children += parent[c] == p;
            if (p < 0 || children > 1)
                from[nlimb] = p < 0 ? -1 : limb[p], limb[b] = nlimb++;
            else
                limb[b] = limb[p];
            --left;
        }
    return nlimb;
}

/* Way along the edges to the nearest vertex of another limb, by sweeps over all edges until nothing gets shorter. */
static void find_reach(const snTriMesh *skin, const snEven *near, const int32_t *limb, double *reach)
{
    for (int32_t v = 0; v < skin->nvertex; ++v) reach[v] = INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t v = 0; v < skin->nvertex; ++v)
            for (int32_t k = near->start[v]; k < near->start[v + 1]; ++k) {
                int32_t w = near->to[k];
                double edge = v3_dist(sn_trimesh_point(skin, v), sn_trimesh_point(skin, w));
                double way = limb[v] == limb[w] ? reach[w] + edge : 0.5 * edge;
                if (way < reach[v] && way < FURTHEST) reach[v] = way, changed = true;
            }
    }
}

static bool of_limb(const snTriMesh *skin, int32_t triangle, const int32_t *limb, int32_t i)
{
    const int32_t *corner = skin->triangle + 3 * triangle;
    return limb[corner[0]] == i && limb[corner[1]] == i && limb[corner[2]] == i;
}

/* Numbers the vertices of limb i body by body; index (per vertex of the skin): -1 where it is of another limb. */
static int32_t number_vertices(const snTriMesh *skin, int32_t nbody, const int32_t *body, const int32_t *limb_of,
                               int32_t i, int32_t *index, snLimb *out)
{
    int32_t n = 0;
    for (int32_t v = 0; v < skin->nvertex; ++v)
        if (limb_of[v] == i) ++out->part[body[SN_SKIN_BONES * v]].end; /* counts */
    for (int32_t b = 0; b < nbody; ++b) {
        snLimbPart *part = out->part + b;
        part->first = n, n += part->end;
        part->end = part->first; /* where the next one goes */
    }
    for (int32_t v = 0; v < skin->nvertex; ++v)
        index[v] = limb_of[v] == i ? out->part[body[SN_SKIN_BONES * v]].end++ : -1;
    for (int32_t b = 0; b < nbody; ++b)
        if (out->part[b].end > out->part[b].first) out->part[out->npart++] = out->part[b];
    return n;
}

static snStatus make_clusters(snLimb *limb, snError *error)
{
    int32_t n = limb->mesh.nvertex, *of = SN_NEW_ARRAY(int32_t, n), count = 0;
    snFans fans = {0};
    limb->cluster = SN_NEW_ARRAY(snLimbCluster, n), limb->member = SN_NEW_ARRAY(int32_t, n);
    bool fine = of && limb->cluster && limb->member && sn_fans_create(&limb->mesh, &fans);
    for (int32_t v = 0; fine && v < n; ++v) {
        if (of[v]) continue;
        snLimbCluster *c = limb->cluster + limb->ncluster++;
        c->first = count;
        count += sn_cluster_grow(&limb->mesh, &fans, of, 0, 1, v, CLUSTER, WIDEST, limb->member + count);
        c->end = count;
    }
    sn_fans_free(&fans);
    sn_free(of);
    return fine ? SN_OK : sn_fail_no_memory(error);
}

/* index: scratch per vertex of the skin. */
static snStatus make_limb(const snTriMesh *skin, int32_t nbody, const int32_t *body, const int32_t *limb,
                          const double *reach, int32_t i, int32_t *index, snLimb *out, snError *error)
{
    int32_t ntriangle = 0;
    out->part = SN_NEW_ARRAY(snLimbPart, nbody);
    if (!out->part) return sn_fail_no_memory(error);
    int32_t nvertex = number_vertices(skin, nbody, body, limb, i, index, out);
    for (int32_t t = 0; t < skin->ntriangle; ++t) ntriangle += of_limb(skin, t, limb, i);
    if (nvertex == 0 || ntriangle == 0) return SN_OK;
    out->vertex = SN_NEW_ARRAY(int32_t, nvertex), out->reach = SN_NEW_ARRAY(double, nvertex);
    out->normal = SN_NEW_ARRAY(double, 3 * nvertex);
    if (!out->vertex || !out->reach || !out->normal || !sn_trimesh_alloc(&out->mesh, nvertex, ntriangle))
        return sn_fail_no_memory(error);
    for (int32_t v = 0; v < skin->nvertex; ++v) {
        if (index[v] < 0) continue;
        out->vertex[index[v]] = v, out->reach[index[v]] = reach[v];
        v3_store(out->mesh.vertex + 3 * index[v], sn_trimesh_point(skin, v));
    }
    for (int32_t t = 0, n = 0; t < skin->ntriangle; ++t)
        if (of_limb(skin, t, limb, i)) {
            for (int c = 0; c < 3; ++c) out->mesh.triangle[3 * n + c] = index[skin->triangle[3 * t + c]];
            ++n;
        }
    out->tree = sn_bvh_create(&out->mesh);
    return out->tree ? make_clusters(out, error) : sn_fail_no_memory(error);
}

static snStatus make_limbs(const snTriMesh *skin, int32_t nbody, const int32_t *parent, const int32_t *body,
                           const snEven *near, snMemo *memo, snTouch *touch, snError *error)
{
    int32_t *limb = SN_NEW_ARRAY(int32_t, nbody), *from = SN_NEW_ARRAY(int32_t, nbody);
    int32_t *index = SN_NEW_ARRAY(int32_t, skin->nvertex);
    double *reach = SN_NEW_ARRAY(double, skin->nvertex);
    snStatus status = limb && from && index && reach ? SN_OK : sn_fail_no_memory(error);
    int32_t nlimb = status == SN_OK ? find_limbs(nbody, parent, limb, from) : 0;
    if (nlimb > 1) {
        touch->limb = SN_NEW_ARRAY(snLimb, nlimb);
        if (!touch->limb) status = sn_fail_no_memory(error);
        if (status == SN_OK) touch->nlimb = nlimb;
        for (int32_t v = 0; v < skin->nvertex; ++v) touch->limb_of[v] = limb[body[SN_SKIN_BONES * v]];
        if (!sn_memo_take(memo, reach, sizeof *reach * (size_t)skin->nvertex)) {
            find_reach(skin, near, touch->limb_of, reach);
            sn_memo_keep(memo, reach, sizeof *reach * (size_t)skin->nvertex);
        }
        for (int32_t i = 0; status == SN_OK && i < nlimb; ++i) {
            touch->limb[i].parent = from[i];
            status = make_limb(skin, nbody, body, touch->limb_of, reach, i, index, touch->limb + i, error);
        }
    }
    sn_free(limb), sn_free(from), sn_free(index), sn_free(reach);
    return status;
}

snStatus sn_touch_create(const snTriMesh *skin, int32_t nbody, const int32_t *parent, const int32_t *body,
                         const snEven *neighbours, snMemo *memo, snTouch *touch, snError *error)
{
    touch->nvertex = skin->nvertex;
    touch->limb_of = SN_NEW_ARRAY(int32_t, skin->nvertex), touch->list = SN_NEW_ARRAY(int32_t, skin->nvertex);
    touch->move = SN_NEW_ARRAY(double, 3 * skin->nvertex), touch->mean = SN_NEW_ARRAY(double, 3 * skin->nvertex);
    touch->state = SN_NEW_ARRAY(uint8_t, skin->nvertex), touch->near = SN_NEW_ARRAY(uint64_t, skin->nvertex);
    touch->last = SN_NEW_ARRAY(int32_t, skin->nvertex), touch->last_in = SN_NEW_ARRAY(int32_t, skin->nvertex);
    if (!touch->limb_of || !touch->list || !touch->move || !touch->mean || !touch->state || !touch->near ||
        !touch->last || !touch->last_in)
        return sn_fail_no_memory(error);
    return make_limbs(skin, nbody, parent, body, neighbours, memo, touch, error);
}

void sn_touch_free(snTouch *touch)
{
    for (int32_t i = 0; i < touch->nlimb; ++i) {
        snLimb *limb = touch->limb + i;
        sn_bvh_destroy(limb->tree);
        sn_trimesh_free(&limb->mesh);
        sn_free(limb->vertex), sn_free(limb->normal), sn_free(limb->reach), sn_free(limb->part);
        sn_free(limb->cluster), sn_free(limb->member);
    }
    sn_free(touch->limb), sn_free(touch->limb_of), sn_free(touch->list);
    sn_free(touch->move), sn_free(touch->mean), sn_free(touch->state), sn_free(touch->near);
    sn_free(touch->last), sn_free(touch->last_in);
    memset(touch, 0, sizeof *touch);
}

/* ---- a frame ----------------------------------------------------------------------------------- */

static v3 least(v3 a, v3 b)
{
    return v3_of(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static v3 most(v3 a, v3 b)
{
    return v3_of(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

/* Takes over the vertices of this frame. */
static void take_limb(snLimb *limb, const double *vertex)
{
    for (int32_t k = 0; k < limb->npart; ++k) {
        snLimbPart *part = limb->part + k;
        part->low = v3_of(INFINITY, INFINITY, INFINITY), part->high = v3_neg(part->low);
        for (int32_t i = part->first; limb->tree && i < part->end; ++i) {
            v3 p = v3_load(vertex + 3 * limb->vertex[i]);
            v3_store(limb->mesh.vertex + 3 * i, p);
            part->low = least(part->low, p), part->high = most(part->high, p);
        }
    }
}

static void take_clusters(snLimb *limb)
{
    for (int32_t k = 0; k < limb->ncluster; ++k) {
        snLimbCluster *c = limb->cluster + k;
        v3 sum = {0};
        double far = 0;
        for (int32_t m = c->first; m < c->end; ++m) sum = v3_add(sum, v3_load(limb->mesh.vertex + 3 * limb->member[m]));
        c->middle = v3_scale(sum, 1.0 / (c->end - c->first));
        for (int32_t m = c->first; m < c->end; ++m) {
            double d = v3_len2(v3_sub(v3_load(limb->mesh.vertex + 3 * limb->member[m]), c->middle));
            far = d > far ? d : far;
        }
        c->radius = sqrt(far);
    }
}

static bool boxes_meet(const snLimbPart *a, const snLimbPart *b)
{
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
           a->low.z < b->high.z && b->low.z < a->high.z;
}

static bool limbs_meet(const snLimb *a, const snLimb *b)
{
    for (int32_t i = 0; i < a->npart; ++i)
        for (int32_t j = 0; j < b->npart; ++j)
            if (boxes_meet(a->part + i, b->part + j)) return true;
    return false;
}

static bool near_box(const snLimb *limb, v3 p, double r)
{
    for (int32_t k = 0; k < limb->npart; ++k) {
        const snLimbPart *part = limb->part + k;
        if (p.x > part->low.x - r && p.y > part->low.y - r && p.z > part->low.z - r && p.x < part->high.x + r &&
            p.y < part->high.y + r && p.z < part->high.z + r)
            return true;
    }
    return false;
}

static uint64_t limb_bit(const snTouch *touch, const snLimb *limb)
{
    return 1ull << (limb - touch->limb) % 64;
}

static v3 normal_at(const snLimb *limb, const snMeshHit *hit)
{
    v3 normal = {0};
    for (int c = 0; c < 3; ++c)
        normal = v3_mad(normal, hit->weight[c], v3_load(limb->normal + 3 * limb->mesh.triangle[3 * hit->triangle + c]));
    return normal;
}

/* No closest point is further than the triangle of the last pass. */
static double search_limit(const snTouch *touch, int32_t v, const snLimb *b, v3 p)
{
    if (touch->last_in[v] != b - touch->limb) return DEEPEST;
    v3 c[3];
    double weight[3];
    for (int k = 0; k < 3; ++k) c[k] = sn_trimesh_corner(&b->mesh, touch->last[v], k);
    double d = v3_dist(p, sn_triangle_closest(p, c[0], c[1], c[2], weight)) * (1 + 1e-9) + 1e-12;
    return d < DEEPEST ? d : DEEPEST;
}

/* How far the i-th vertex of a is inside b, and the way out; 0: outside, too deep, or where the two grow together.
 * Marks it as near where it is inside or not far out. */
static double depth_in(snTouch *touch, const snLimb *a, int32_t i, const snLimb *b, v3 *way)
{
    v3 p = v3_load(a->mesh.vertex + 3 * i);
    int32_t v_skin = a->vertex[i];
    snMeshHit hit = sn_bvh_closest(b->tree, p, search_limit(touch, v_skin, b, p));
    if (hit.triangle < 0) return 0;
    touch->last[v_skin] = hit.triangle, touch->last_in[v_skin] = (int32_t)(b - touch->limb);
    double reach = 0;
    for (int c = 0; c < 3; ++c) reach += hit.weight[c] * b->reach[b->mesh.triangle[3 * hit.triangle + c]];
    v3 normal = normal_at(b, &hit);
    *way = v3_sub(hit.point, p);
    bool outside = v3_dot(*way, normal) <= 0;
    if (!outside || hit.distance < NEAR) touch->near[v_skin] |= limb_bit(touch, b);
    if (outside) return 0;
    bool related = a->parent == b - touch->limb || b->parent == a - touch->limb;
    if (related ? a->reach[i] + reach < FOLD : fmin(a->reach[i], reach) < WEB) return 0;
    if (v3_dot(normal, v3_load(a->normal + 3 * i)) > FACING * v3_len(normal)) return 0;
    return hit.distance;
}

/* Whether a vertex of a cluster can be inside b, or as near to it as NEAR: not where the middle is further out. */
static bool cluster_near(const snLimbCluster *c, const snLimb *b)
{
    if (!near_box(b, c->middle, c->radius)) return false;
    snMeshHit hit = sn_bvh_closest(b->tree, c->middle, DEEPEST + c->radius);
    if (hit.triangle < 0) return false;
    return hit.distance <= c->radius + NEAR || v3_dot(v3_sub(hit.point, c->middle), normal_at(b, &hit)) > 0;
}

/* Looks at a vertex of a: where it is inside b, marks it and adds its way out. */
static void meet_vertex(snTouch *touch, const snLimb *a, int32_t i, const snLimb *b, double share)
{
    v3 way;
    int32_t v = a->vertex[i];
    double depth = depth_in(touch, a, i, b, &way);
    if (!(depth > 0)) return;
    if (!touch->state[v]) touch->state[v] = 2, touch->list[touch->nlist++] = v;
    v3_store(touch->move + 3 * v, v3_mad(v3_load(touch->move + 3 * v), share, way));
    if (depth > touch->deepest) touch->deepest = depth;
}

/* All vertices of a against b: in the first pass cluster by cluster, later those that were near. */
static void meet(snTouch *touch, const snLimb *a, const snLimb *b, double share, bool first)
{
    for (int32_t k = 0; first && k < a->ncluster; ++k) {
        const snLimbCluster *c = a->cluster + k;
        if (!cluster_near(c, b)) continue;
        for (int32_t m = c->first; m < c->end; ++m) meet_vertex(touch, a, a->member[m], b, share);
    }
    for (int32_t i = 0; !first && i < a->mesh.nvertex; ++i)
        if (touch->near[a->vertex[i]] & limb_bit(touch, b)) meet_vertex(touch, a, i, b, share);
}

/* Skin around what is pushed goes with it, less and less: SPREAD times the mean of the neighbours. */
static void carry_along(snTouch *touch, const snEven *near)
{
    int32_t first = 0;
    for (int round = 0; round < SPREAD; ++round) {
        int32_t end = touch->nlist;
        for (int32_t l = first; l < end; ++l)
            for (int32_t k = near->start[touch->list[l]]; k < near->start[touch->list[l] + 1]; ++k) {
                int32_t w = near->to[k];
                if (!touch->state[w]) touch->state[w] = 1, touch->list[touch->nlist++] = w;
            }
        first = end;
    }
    for (int round = 0; round < SPREAD; ++round) {
        for (int32_t l = 0; l < touch->nlist; ++l) {
            int32_t v = touch->list[l], n = near->start[v + 1] - near->start[v];
            v3 sum = {0};
            for (int32_t k = near->start[v]; k < near->start[v + 1]; ++k)
                sum = v3_add(sum, v3_load(touch->move + 3 * near->to[k]));
            v3_store(touch->mean + 3 * v, v3_scale(sum, n ? 1.0 / n : 0));
        }
        for (int32_t l = 0; l < touch->nlist; ++l) {
            int32_t v = touch->list[l];
            if (touch->state[v] == 1) memcpy(touch->move + 3 * v, touch->mean + 3 * v, 3 * sizeof *touch->move);
        }
    }
}

static void apply_moves(snTouch *touch, double *vertex)
{
    for (int32_t l = 0; l < touch->nlist; ++l) {
        int32_t v = touch->list[l];
        for (int c = 0; c < 3; ++c) vertex[3 * v + c] += touch->move[3 * v + c], touch->move[3 * v + c] = 0;
        touch->state[v] = 0;
    }
    touch->nlist = 0;
}

/* One pass over all pairs of limbs; the number of vertices that were inside another. */
static int32_t part_once(snTouch *touch, const double *vertex, double share, bool first)
{
    uint64_t fresh = 0; /* limbs whose tree is of this pass; normals and clusters are those of the first one */
    for (int32_t i = 0; i < touch->nlimb; ++i) take_limb(touch->limb + i, vertex);
    for (int32_t i = 0; i < touch->nlimb; ++i)
        for (int32_t j = 0; j < i; ++j) {
            snLimb *pair[2] = {touch->limb + i, touch->limb + j};
            if (!pair[0]->tree || !pair[1]->tree || !limbs_meet(pair[0], pair[1])) continue;
            for (int k = 0; k < 2; ++k) {
                if (touch->nlimb <= 64 && fresh & limb_bit(touch, pair[k])) continue;
                sn_bvh_refit(pair[k]->tree);
                if (first) sn_trimesh_normals(&pair[k]->mesh, pair[k]->normal), take_clusters(pair[k]);
                fresh |= limb_bit(touch, pair[k]);
            }
            meet(touch, pair[0], pair[1], share, first);
            meet(touch, pair[1], pair[0], share, first);
        }
    return touch->nlist;
}

void sn_touch_part(snTouch *touch, const snEven *neighbours, double *vertex)
{
    double deepest = 0;
    touch->touching = 0;
    for (int32_t v = 0; touch->nlimb > 1 && v < touch->nvertex; ++v) touch->near[v] = 0, touch->last_in[v] = -1;
    for (int pass = 0; pass < PASSES && touch->nlimb > 1; ++pass) {
        touch->deepest = 0;
        int32_t count = part_once(touch, vertex, pass < PASSES - LAST ? 0.5 : 1, pass == 0);
        if (pass == 0) touch->touching = count, deepest = touch->deepest;
        if (count == 0) break;
        bool last = touch->deepest < ENOUGH; /* this pass settles what is left */
        if (pass < PASSES - LAST) carry_along(touch, neighbours);
        apply_moves(touch, vertex);
        if (last) break;
    }
    touch->deepest = deepest;
}
