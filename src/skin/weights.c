/* The weight of body b is the equilibrium temperature of the skin when b is hot, all others are cold, and each vertex
 * is coupled to its nearest body with strength 1 / distance^2:
 *
 *     (K + M H) w_b = M H p_b,   H = 1 / distance^2,   p_b = 1 where b is the source, else 0,
 *
 * K the cotangent Laplacian, M the vertex areas. The matrix is diagonally dominant, its length scale is the depth of
 * the bone (a few edges), so Gauss-Seidel sweeps converge quickly. Where a body may not act its weight is held at zero,
 * so the others fade towards that border instead of ending in a step. Bodies that hang on the same parent (fingers)
 * share the web between them half and half and fade within WEB of the line where they meet. Where one bone turns along
 * another, the skin over both goes from the one to the other along the way (twist.h). */
#include "skin/weights.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/bvh.h"
#include "skin/twist.h"

#include <string.h>

enum { SWEEPS = 400 };

/* How far from the line where two fingers meet one acts on the other's skin, m: half the width of a finger. Authored.
 */
static const double WEB = 0.009;

/* ---- sources ---------------------------------------------------------------------------------- */

/* The triangles of one body in one mesh; a piece of polyline is a triangle without area. */
typedef struct {
    snTriMesh mesh;
    snBvh *tree;
} Bone;

static void add_bone(const snSkinBone *from, snTriMesh *to)
{
    memcpy(to->vertex + 3 * to->nvertex, from->vertex, sizeof(double) * 3 * (size_t)from->nvertex);
    int32_t *put = to->triangle + 3 * to->ntriangle, base = to->nvertex;
    for (int32_t t = 0; t < from->ntriangle; ++t)
        for (int c = 0; c < 3; ++c) *put++ = base + from->triangle[3 * t + c];
    for (int32_t i = 0; !from->ntriangle && i < from->nvertex; ++i) {
        int32_t next = i + 1 < from->nvertex ? i + 1 : i;
        *put++ = base + i, *put++ = base + next, *put++ = base + next;
    }
    to->nvertex += from->nvertex;
    to->ntriangle += from->ntriangle ? from->ntriangle : from->nvertex;
}

static bool make_bone(int32_t body, int32_t nbone, const snSkinBone *bone, Bone *to)
{
    int32_t nvertex = 0, ntriangle = 0;
    for (int32_t i = 0; i < nbone; ++i)
        if (bone[i].body == body) {
            nvertex += bone[i].nvertex;
            ntriangle += bone[i].ntriangle ? bone[i].ntriangle : bone[i].nvertex;
        }
    if (!ntriangle) return true;
    if (!sn_trimesh_alloc(&to->mesh, nvertex, ntriangle)) return false;
    to->mesh.nvertex = to->mesh.ntriangle = 0;
    for (int32_t i = 0; i < nbone; ++i)
        if (bone[i].body == body) add_bone(&bone[i], &to->mesh);
    to->tree = sn_bvh_create(&to->mesh);
    return to->tree != NULL;
}

/* The nearest body that is seen from just under the vertex; failing that, the nearest. */
static void find_source(const snBvh *skin, const Bone *bone, int32_t nbody, v3 p, v3 inward, int32_t *source,
                        double *distance)
{
    double tried = -1, nearest = INFINITY; /* bodies up to this distance were looked at */
    *source = 0, *distance = INFINITY;
    for (int attempt = 0; attempt < 6; ++attempt) {
        snMeshHit best = {.distance = INFINITY, .triangle = -1};
        int32_t body = -1;
        for (int32_t b = 0; b < nbody; ++b) {
            if (!bone[b].tree) continue;
            snMeshHit hit = sn_bvh_closest(bone[b].tree, p, best.distance);
            if (hit.triangle >= 0 && hit.distance > tried) best = hit, body = b;
        }
        if (body < 0 || best.distance > 3 * nearest) return;
        if (attempt == 0) nearest = best.distance, *source = body, *distance = best.distance;
        if (!sn_bvh_segment_crosses(skin, v3_mad(p, 1e-4, inward), best.point)) {
            *source = body, *distance = best.distance;
            return;
        }
        tried = best.distance;
    }
}

snStatus sn_weights_sources(const snTriMesh *skin, int32_t nbody, int32_t nbone, const snSkinBone *bone,
                            int32_t *source, double *distance, snError *error)
{
    Bone *bones = SN_NEW_ARRAY(Bone, nbody);
    snBvh *tree = sn_bvh_create(skin);
    double *normal = SN_NEW_ARRAY(double, 3 * (size_t)skin->nvertex);
    bool fine = bones && tree && normal, any = false;
    for (int32_t b = 0; fine && b < nbody; ++b) {
        fine = make_bone(b, nbone, bone, &bones[b]);
        any = any || (fine && bones[b].tree);
    }
    snStatus status = !fine ? sn_fail_no_memory(error) : SN_OK;
    if (fine && !any)
        status = sn_fail(error, SN_BAD_INPUT, "no body has a bone to compute the weights of the skin from");
    if (status == SN_OK) {
        sn_trimesh_normals(skin, normal);
        for (int32_t v = 0; v < skin->nvertex; ++v)
            find_source(tree, bones, nbody, sn_trimesh_point(skin, v), v3_neg(v3_load(normal + 3 * v)), &source[v],
                        &distance[v]);
    }
    for (int32_t b = 0; bones && b < nbody; ++b) {
        sn_bvh_destroy(bones[b].tree);
        sn_trimesh_free(&bones[b].mesh);
    }
    sn_free(bones), sn_free(normal);
    sn_bvh_destroy(tree);
    return status;
}

/* ---- heat ------------------------------------------------------------------------------------- */

typedef struct {
    int32_t nvertex, nbody;
    int32_t *start, *to; /* neighbours by vertex */
    double *conduct;     /* per neighbour */
    double *area;        /* per vertex */
    double *heat, *next; /* nvertex * nbody */
    bool *allowed;       /* nbody * nbody: [source][body] */
} Heat;

/* Cotangent of the angle at a, halved: what edge b c gets from this triangle. Never below a hundredth, so that an
 * obtuse pair of triangles cannot make heat flow uphill. */
static double half_cotangent(v3 a, v3 b, v3 c)
{
    v3 u = v3_sub(b, a), v = v3_sub(c, a);
    return fmax(0.01, 0.5 * v3_dot(u, v) / v3_len(v3_cross(u, v)));
}

static void add_conduct(Heat *h, int32_t a, int32_t b, double value)
{
    int32_t i = h->start[a];
    while (h->to[i] != b && h->to[i] >= 0) ++i;
    h->to[i] = b, h->conduct[i] += value;
}

static bool heat_alloc(Heat *h, const snTriMesh *skin)
{
    int32_t n = skin->nvertex;
    h->start = SN_NEW_ARRAY(int32_t, n + 1), h->to = SN_NEW_ARRAY(int32_t, 6 * (size_t)skin->ntriangle);
    h->conduct = SN_NEW_ARRAY(double, 6 * (size_t)skin->ntriangle), h->area = SN_NEW_ARRAY(double, n);
    h->heat = SN_NEW_ARRAY(double, (size_t)n *(size_t)h->nbody), h->allowed = SN_NEW_ARRAY(bool, h->nbody * h->nbody);
    h->next = SN_NEW_ARRAY(double, (size_t)n *(size_t)h->nbody);
    return h->next && h->start && h->to && h->conduct && h->area && h->heat && h->allowed;
}

/* Room for twice the triangles of a vertex: enough also at a rim. */
static void assemble(Heat *h, const snTriMesh *skin)
{
    for (int32_t i = 0; i < 3 * skin->ntriangle; ++i) h->start[skin->triangle[i] + 1] += 2;
    for (int32_t v = 0; v < skin->nvertex; ++v) h->start[v + 1] += h->start[v];
    for (int32_t i = 0; i < 6 * skin->ntriangle; ++i) h->to[i] = -1;
    for (int32_t t = 0; t < skin->ntriangle; ++t) {
        const int32_t *k = skin->triangle + 3 * t;
        v3 p[3] = {sn_trimesh_corner(skin, t, 0), sn_trimesh_corner(skin, t, 1), sn_trimesh_corner(skin, t, 2)};
        double third = v3_len(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]))) / 6;
        for (int c = 0; c < 3; ++c) {
            int i = (c + 1) % 3, j = (c + 2) % 3;
            double value = half_cotangent(p[c], p[i], p[j]);
            add_conduct(h, k[i], k[j], value), add_conduct(h, k[j], k[i], value);
            h->area[k[c]] += third;
        }
    }
}

/* Whether b is an ancestor of a, two steps away at most. */
static bool above(const int32_t *parent, int32_t a, int32_t b)
{
    for (int step = 0; step < 2 && a >= 0; ++step) {
        a = parent[a];
        if (a == b) return true;
    }
    return false;
}

static bool siblings(const int32_t *parent, int32_t a, int32_t b)
{
    return a != b && parent[a] >= 0 && parent[a] == parent[b];
}

static void allow(Heat *h, const int32_t *parent)
{
    for (int32_t a = 0; a < h->nbody; ++a)
        for (int32_t b = 0; b < h->nbody; ++b)
            h->allowed[a * h->nbody + b] =
                !parent || a == b || above(parent, a, b) || above(parent, b, a) || siblings(parent, a, b);
}

/* One vertex of a sweep; returns the largest change. sum: room for nbody. */
static double relax(const Heat *h, int32_t v, int32_t source, double coupling, double *sum)
{
    double total = coupling, change = 0;
    for (int32_t b = 0; b < h->nbody; ++b) sum[b] = 0;
    sum[source] = coupling;
    for (int32_t i = h->start[v]; i < h->start[v + 1] && h->to[i] >= 0; ++i) {
        const double *from = h->heat + (size_t)h->to[i] * (size_t)h->nbody;
        double k = h->conduct[i];
        for (int32_t b = 0; b < h->nbody; ++b) sum[b] += k * from[b];
        total += k;
    }
    double *heat = h->heat + (size_t)v * (size_t)h->nbody;
    const bool *allowed = h->allowed + source * h->nbody;
    for (int32_t b = 0; b < h->nbody; ++b) {
        double value = allowed[b] ? sum[b] / total : 0;
        change = fmax(change, fabs(value - heat[b]));
        heat[b] = value;
    }
    return change;
}

static void sweep_until_still(const Heat *h, const int32_t *source, const double *distance, double *sum)
{
    for (int32_t v = 0; v < h->nvertex; ++v) h->heat[(size_t)v * (size_t)h->nbody + (size_t)source[v]] = 1;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double change = 0;
        for (int32_t i = 0; i < h->nvertex; ++i) {
            int32_t v = sweep % 2 ? h->nvertex - 1 - i : i;
            double d = fmax(distance[v], 1e-4);
            change = fmax(change, relax(h, v, source[v], h->area[v] / (d * d), sum));
        }
        if (change < 1e-6) return;
    }
}

/* A vertex whose neighbours mostly have another source takes theirs: what a vertex in a fold sees first is chance, and
 * a single vertex of another body would stand out as a spike. */
static void settle_sources(const Heat *h, int32_t *source)
{
    for (int pass = 0; pass < 4; ++pass)
        for (int32_t v = 0; v < h->nvertex; ++v) {
            int32_t degree = 0, best = source[v], most = 0;
            for (int32_t i = h->start[v]; i < h->start[v + 1] && h->to[i] >= 0; ++i) {
                int32_t same = 0;
                ++degree;
                for (int32_t k = h->start[v]; k < h->start[v + 1] && h->to[k] >= 0; ++k)
                    same += source[h->to[k]] == source[h->to[i]];
                if (same > most) most = same, best = source[h->to[i]];
            }
            if (3 * most >= 2 * degree) source[v] = best;
        }
}

/* Three rounds of averaging over neighbours take the last corners out of the weights; they reach three edges far, so
 * that a finger gets nothing of the next one beyond the web. */
static void soften(Heat *h)
{
    for (int pass = 0; pass < 3; ++pass) {
        for (int32_t v = 0; v < h->nvertex; ++v) {
            const double *heat = h->heat + (size_t)v * (size_t)h->nbody;
            double *to = h->next + (size_t)v * (size_t)h->nbody;
            int32_t first = h->start[v], end = first;
            while (end < h->start[v + 1] && h->to[end] >= 0) ++end;
            double share = end > first ? 0.5 / (end - first) : 0;
            for (int32_t b = 0; b < h->nbody; ++b) to[b] = (share > 0 ? 0.5 : 1) * heat[b];
            for (int32_t k = first; k < end; ++k) {
                const double *other = h->heat + (size_t)h->to[k] * (size_t)h->nbody;
                for (int32_t b = 0; b < h->nbody; ++b) to[b] += share * other[b];
            }
        }
        double *swap = h->heat;
        h->heat = h->next, h->next = swap;
    }
}

/* Way along edges to the nearest vertex with a sibling as its source, WEB at most. */
static void ways_to_siblings(const Heat *h, const snTriMesh *skin, const int32_t *parent, const int32_t *source,
                             double *way)
{
    for (int32_t v = 0; v < h->nvertex; ++v) way[v] = WEB;
    bool changed = true;
    for (int pass = 0; changed; ++pass) {
        changed = false;
        for (int32_t i = 0; i < h->nvertex; ++i) {
            int32_t v = pass % 2 ? h->nvertex - 1 - i : i;
            for (int32_t k = h->start[v]; k < h->start[v + 1] && h->to[k] >= 0; ++k) {
                int32_t w = h->to[k];
                double edge = v3_dist(sn_trimesh_point(skin, v), sn_trimesh_point(skin, w));
                double through = siblings(parent, source[v], source[w]) ? 0.5 * edge
                                 : source[v] == source[w]               ? way[w] + edge
                                                                        : WEB;
                if (through < way[v] - 1e-9) way[v] = through, changed = true;
            }
        }
    }
}

/* Takes the siblings of the source out where they have no part in the web, and shares what is missing from one. */
static void fade_siblings(Heat *h, const int32_t *parent, const int32_t *source, const double *way)
{
    for (int32_t v = 0; parent && v < h->nvertex; ++v) {
        double *heat = h->heat + (size_t)v * (size_t)h->nbody, sum = 0, t = way[v] / WEB;
        double part = 1 - t * t * (3 - 2 * t);
        for (int32_t b = 0; b < h->nbody; ++b) {
            if (siblings(parent, source[v], b)) heat[b] *= part;
            sum += heat[b];
        }
        for (int32_t b = 0; b < h->nbody; ++b) heat[b] /= sum;
    }
}

/* What the two bodies of a twist have at a vertex is shared by how far along the twist it lies. */
static void share_twists(Heat *h, const snTriMesh *skin, int32_t ntwist, const snSkinTwist *twist)
{
    for (int32_t v = 0; v < h->nvertex; ++v)
        for (int32_t i = 0; i < ntwist; ++i) {
            double *heat = h->heat + (size_t)v * (size_t)h->nbody, *a = heat + twist[i].parent,
                   *b = heat + twist[i].child;
            double both = *a + *b, part = sn_twist_part(twist + i, sn_trimesh_point(skin, v));
            *a = (1 - part) * both, *b = part * both;
        }
}

/* The largest few, those of less than half a percent left out, scaled to sum one. */
static void keep_largest(const double *heat, int32_t nbody, int32_t *body, double *weight)
{
    for (int k = 0; k < SN_SKIN_BONES; ++k) body[k] = 0, weight[k] = 0;
    for (int32_t b = 0; b < nbody; ++b) {
        double w = heat[b];
        if (w < 0.005 || w <= weight[SN_SKIN_BONES - 1]) continue;
        int at = SN_SKIN_BONES - 1;
        for (; at > 0 && w > weight[at - 1]; --at) weight[at] = weight[at - 1], body[at] = body[at - 1];
        weight[at] = w, body[at] = b;
    }
    double sum = 0;
    for (int k = 0; k < SN_SKIN_BONES; ++k) sum += weight[k];
    for (int k = 0; k < SN_SKIN_BONES; ++k) weight[k] /= sum;
}

snStatus sn_weights_heat(const snTriMesh *skin, int32_t nbody, const int32_t *parent, int32_t ntwist,
                         const snSkinTwist *twist, const int32_t *source, const double *distance, int32_t *body,
                         double *weight, snError *error)
{
    Heat h = {.nvertex = skin->nvertex, .nbody = nbody};
    double *sum = SN_NEW_ARRAY(double, nbody), *way = SN_NEW_ARRAY(double, skin->nvertex);
    int32_t *settled = SN_NEW_ARRAY(int32_t, skin->nvertex);
    bool fine = sum && way && settled && heat_alloc(&h, skin);
    if (fine) {
        assemble(&h, skin);
        allow(&h, parent);
        memcpy(settled, source, sizeof *settled * (size_t)skin->nvertex);
        settle_sources(&h, settled);
        sweep_until_still(&h, settled, distance, sum);
        if (parent) ways_to_siblings(&h, skin, parent, settled, way);
        fade_siblings(&h, parent, settled, way);
        soften(&h);
        share_twists(&h, skin, ntwist, twist);
        for (int32_t v = 0; v < skin->nvertex; ++v)
            keep_largest(h.heat + (size_t)v * (size_t)nbody, nbody, body + SN_SKIN_BONES * v,
                         weight + SN_SKIN_BONES * v);
    }
    sn_free(h.start), sn_free(h.to), sn_free(h.conduct), sn_free(h.area), sn_free(h.heat), sn_free(h.next),
        sn_free(h.allowed);
    sn_free(sum), sn_free(way), sn_free(settled);
    return fine ? SN_OK : sn_fail_no_memory(error);
}
