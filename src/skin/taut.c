/* The shared stretch u of cluster i solves u_i - own_i = sum_j (2/3) (LENGTH / d_ij)^2 (u_j - u_i), on a triangular net
 * of clusters d apart the equation u - LENGTH^2 laplace(u) = own; a fixed number of sweeps comes close enough. */
#include "skin/taut.h"

#include "base/alloc.h"
#include "base/error.h"
#include "skin/clusters.h"

#include <string.h>

enum { CLUSTER = 256, SWEEPS = 24, MAX_NEAR = 24 };

/* How far skin of the hand passes a stretch on, m. Authored. */
static const double LENGTH = 0.022;
/* Size of a cluster, m, so that the outcome hardly depends on the mesh. */
static const double RADIUS = 0.006;
/* Strands further from the skin do not tell its direction, m. */
static const double NEAR_STRAND = 0.020;
/* Stretch up to which skin is slack, and from which it holds a tendon down altogether: the toe of its
 * stress-strain curve. Authored. */
static const double SLACK = 0.015, TIGHT = 0.045;
/* A fold gives its surroundings this much at most, however much is squeezed together in it. Authored. */
static const double SQUEEZE = 0.03;

typedef struct {
    int32_t *of;    /* cluster of each vertex, from 1 */
    double *centre; /* 3 per cluster */
    snFans fans;
} Setup;

static void make_clusters(const snTriMesh *skin, Setup *s, snTaut *t)
{
    int32_t list[CLUSTER];
    for (int32_t v = 0; v < skin->nvertex; ++v) {
        if (s->of[v]) continue;
        int32_t n = sn_cluster_grow(skin, &s->fans, s->of, 0, t->ncluster + 1, v, CLUSTER, RADIUS, list);
        v3 sum = {0};
        for (int32_t i = 0; i < n; ++i) sum = v3_add(sum, sn_trimesh_point(skin, list[i]));
        v3_store(s->centre + 3 * t->ncluster, v3_scale(sum, 1.0 / n));
        ++t->ncluster;
    }
}

/* The direction of the nearest strand in the plane of a triangle, as a sum of its edges. */
static void direct(const snTriMesh *m, const snArcs *arcs, int32_t t, float along[2])
{
    v3 a = sn_trimesh_corner(m, t, 0), u = v3_sub(sn_trimesh_corner(m, t, 1), a),
       v = v3_sub(sn_trimesh_corner(m, t, 2), a), p = v3_mad(v3_mad(a, 1.0 / 3, u), 1.0 / 3, v), way = {0};
    double least = NEAR_STRAND;
    for (int32_t i = 0; i < arcs->narc; ++i) {
        double d = sn_arc_chord_distance(arcs->arc + i, p);
        if (d < least) least = d, way = arcs->arc[i].chord;
    }
    double uu = v3_len2(u), uv = v3_dot(u, v), vv = v3_len2(v), wu = v3_dot(way, u), wv = v3_dot(way, v);
    double x = wu * vv - wv * uv, y = wv * uu - wu * uv, length = v3_len(v3_add(v3_scale(u, x), v3_scale(v, y)));
    along[0] = length > 0 ? (float)(x / length) : 0, along[1] = length > 0 ? (float)(y / length) : 0;
}

/* Every second triangle is measured; it belongs to the cluster of its first corner. */
static void share_triangles(const snTriMesh *skin, const snArcs *arcs, const Setup *s, snTaut *t)
{
    for (int32_t i = 0; i < skin->ntriangle; i += 2) ++t->first[s->of[skin->triangle[3 * i]]];
    for (int32_t c = 0; c < t->ncluster; ++c) t->first[c + 1] += t->first[c];
    for (int32_t i = 0; i < skin->ntriangle; i += 2) {
        int32_t c = s->of[skin->triangle[3 * i]] - 1;
        direct(skin, arcs, i, t->along + 2 * t->first[c]);
        memcpy(t->corner + 3 * t->first[c]++, skin->triangle + 3 * i, 3 * sizeof *t->corner);
    }
    memmove(t->first + 1, t->first, sizeof *t->first * (size_t)t->ncluster);
    t->first[0] = 0;
    int32_t kept = 0;
    for (int32_t c = 0, i = 0; c < t->ncluster; ++c) {
        for (; i < t->first[c + 1]; ++i) {
            if (t->along[2 * i] == 0 && t->along[2 * i + 1] == 0) continue; /* no strand is near */
            t->along[2 * kept] = t->along[2 * i], t->along[2 * kept + 1] = t->along[2 * i + 1];
            memmove(t->corner + 3 * kept++, t->corner + 3 * i, 3 * sizeof *t->corner);
        }
        t->first[c + 1] = kept;
    }
}

static void take_triangles(const snTriMesh *skin, const snArcs *arcs, const Setup *s, snTaut *t, snMemo *memo)
{
    size_t n = (size_t)skin->ntriangle, corner = 3 * n * sizeof *t->corner, along = 2 * n * sizeof *t->along;
    size_t first = ((size_t)skin->nvertex + 2) * sizeof *t->first;
    if (sn_memo_take(memo, t->corner, corner) && sn_memo_take(memo, t->along, along) &&
        sn_memo_take(memo, t->first, first))
        return;
    memset(t->first, 0, first);
    share_triangles(skin, arcs, s, t);
    sn_memo_keep(memo, t->corner, corner);
    sn_memo_keep(memo, t->along, along);
    sn_memo_keep(memo, t->first, first);
}

static bool has(const int32_t *list, int32_t n, int32_t what)
{
    for (int32_t i = 0; i < n; ++i)
        if (list[i] == what) return true;
    return false;
}

/* Clusters that share an edge; MAX_NEAR at most, far more than a net of clusters has. */
static bool find_neighbours(const snTriMesh *skin, const Setup *s, snTaut *t)
{
    int32_t *all = SN_NEW_ARRAY(int32_t, (size_t)MAX_NEAR * (size_t)t->ncluster),
            *n = SN_NEW_ARRAY(int32_t, t->ncluster);
    bool fine = all && n;
    for (int32_t i = 0; fine && i < 3 * skin->ntriangle; ++i) {
        int32_t a = s->of[skin->triangle[i]] - 1, b = s->of[skin->triangle[i % 3 == 2 ? i - 2 : i + 1]] - 1;
        if (a != b && n[a] < MAX_NEAR && !has(all + MAX_NEAR * a, n[a], b)) all[MAX_NEAR * a + n[a]++] = b;
    }
    for (int32_t c = 0; fine && c < t->ncluster; ++c) {
        int32_t room = (n[c] + 3) / 4 * 4;
        t->start[c + 1] = t->start[c] + (room > SN_TAUT_LEAST ? room : SN_TAUT_LEAST);
    }
    t->to = fine ? SN_NEW_ARRAY(int32_t, t->start[t->ncluster]) : NULL;
    t->share = fine ? SN_NEW_ARRAY(double, t->start[t->ncluster]) : NULL;
    fine = t->to && t->share;
    for (int32_t c = 0; fine && c < t->ncluster; ++c) {
        for (int32_t k = t->start[c] + n[c]; k < t->start[c + 1]; ++k) t->to[k] = c;
        for (int32_t k = 0; k < n[c]; ++k) {
            int32_t other = all[MAX_NEAR * c + k];
            double d = v3_dist(v3_load(s->centre + 3 * c), v3_load(s->centre + 3 * other));
            t->to[t->start[c] + k] = other;
            t->share[t->start[c] + k] = 2.0 / 3 * (LENGTH / d) * (LENGTH / d);
        }
        double total = 1;
        for (int32_t k = t->start[c]; k < t->start[c + 1]; ++k) total += t->share[k];
        for (int32_t k = t->start[c]; k < t->start[c + 1]; ++k) t->share[k] /= total;
        t->own_share[c] = 1 / total;
    }
    sn_free(all), sn_free(n);
    return fine;
}

/* Sweeps wait at each cluster for its neighbours before it. Numbered level by level, those that wait for none, for the
 * first level, for the second ..., neighbours keep their order and so the outcome is the same, but few that follow each
 * other wait. */
static bool renumber(int32_t nvertex, Setup *s, snTaut *t)
{
    int32_t *level = SN_NEW_ARRAY(int32_t, t->ncluster), *now = SN_NEW_ARRAY(int32_t, t->ncluster), n = 0;
    double *centre = SN_NEW_ARRAY(double, 3 * t->ncluster);
    bool fine = level && now && centre;
    for (int32_t c = 0; fine && c < t->ncluster; ++c)
        for (int32_t k = t->start[c]; k < t->start[c + 1]; ++k)
            if (t->to[k] < c && level[t->to[k]] >= level[c]) level[c] = level[t->to[k]] + 1;
    for (int32_t at = 0; fine && n < t->ncluster; ++at)
        for (int32_t c = 0; c < t->ncluster; ++c) {
            if (level[c] != at) continue;
            memcpy(centre + 3 * n, s->centre + 3 * c, 3 * sizeof *centre);
            now[c] = n++;
        }
    for (int32_t v = 0; fine && v < nvertex; ++v) s->of[v] = now[s->of[v] - 1] + 1;
    if (fine) memcpy(s->centre, centre, sizeof *centre * 3 * (size_t)t->ncluster);
    sn_free(level), sn_free(now), sn_free(centre);
    sn_free(t->to), sn_free(t->share);
    t->to = NULL, t->share = NULL;
    return fine;
}

static void take_near(snTaut *t, int32_t i, int32_t cluster, double weight)
{
    int32_t at = SN_TAUT_NEAR - 1, *near = t->near + SN_TAUT_NEAR * i;
    float *list = t->weight + SN_TAUT_NEAR * i;
    if (!((float)weight > list[at])) return;
    for (; at > 0 && (float)weight > list[at - 1]; --at) list[at] = list[at - 1], near[at] = near[at - 1];
    list[at] = (float)weight, near[at] = cluster;
}

/* A vertex sees its own cluster and that one's neighbours, the nearest most. */
static void weigh(const snTriMesh *skin, const bool *reached, const Setup *s, snTaut *t)
{
    for (int32_t v = 0; v < skin->nvertex; ++v)
        if (reached[v]) t->vertex[t->nvertex++] = v;
    for (int32_t at = 0; at < t->nvertex; ++at) {
        int32_t v = t->vertex[at];
        int32_t own = s->of[v] - 1;
        double size = 0, sum = 0;
        for (int32_t k = t->start[own]; k < t->start[own + 1]; ++k)
            size = fmax(size, v3_dist(v3_load(s->centre + 3 * own), v3_load(s->centre + 3 * t->to[k])));
        for (int i = 0; i < SN_TAUT_NEAR; ++i) t->near[SN_TAUT_NEAR * at + i] = own;
        for (int32_t k = t->start[own] - 1; k < t->start[own + 1]; ++k) {
            int32_t c = k < t->start[own] ? own : t->to[k];
            if (c == own && k >= t->start[own]) continue;
            double d = v3_dist(sn_trimesh_point(skin, v), v3_load(s->centre + 3 * c)) / fmax(size, 1e-6);
            take_near(t, at, c, exp(-3 * d * d));
        }
        for (int i = 0; i < SN_TAUT_NEAR; ++i) sum += (double)t->weight[SN_TAUT_NEAR * at + i];
        for (int i = 0; i < SN_TAUT_NEAR; ++i) t->weight[SN_TAUT_NEAR * at + i] /= (float)sum;
    }
}

static bool allocate(const snTriMesh *skin, Setup *s, snTaut *t)
{
    size_t n = (size_t)skin->nvertex;
    t->vertex = SN_NEW_ARRAY(int32_t, n);
    s->of = SN_NEW_ARRAY(int32_t, n), s->centre = SN_NEW_ARRAY(double, 3 * n);
    t->corner = SN_NEW_ARRAY(int32_t, 3 * (size_t)skin->ntriangle), t->first = SN_NEW_ARRAY(int32_t, n + 2);
    t->along = SN_NEW_ARRAY(float, 2 * (size_t)skin->ntriangle), t->start = SN_NEW_ARRAY(int32_t, n + 1);
    t->own = SN_NEW_ARRAY(double, n), t->spread = SN_NEW_ARRAY(double, n), t->slack = SN_NEW_ARRAY(double, n);
    t->own_share = SN_NEW_ARRAY(double, n);
    t->near = SN_NEW_ARRAY(int32_t, SN_TAUT_NEAR * n), t->weight = SN_NEW_ARRAY(float, SN_TAUT_NEAR *n);
    return t->vertex && s->of && s->centre && t->corner && t->first && t->along && t->start && t->own && t->spread &&
           t->slack && t->own_share && t->near && t->weight && sn_fans_create(skin, &s->fans);
}

snStatus sn_taut_create(const snTriMesh *skin, const snArcs *arcs, const bool *reached, snMemo *memo, snTaut *t,
                        snError *error)
{
    Setup s = {0};
    *t = (snTaut){0};
    bool fine = allocate(skin, &s, t);
    if (fine) {
        make_clusters(skin, &s, t);
        fine = find_neighbours(skin, &s, t) && renumber(skin->nvertex, &s, t) && find_neighbours(skin, &s, t);
    }
    if (fine) {
        take_triangles(skin, arcs, &s, t, memo);
        weigh(skin, reached, &s, t);
    }
    sn_free(s.of), sn_free(s.centre);
    sn_fans_free(&s.fans);
    return fine ? SN_OK : sn_fail_no_memory(error);
}

void sn_taut_free(snTaut *t)
{
    sn_free(t->vertex), sn_free(t->corner), sn_free(t->first), sn_free(t->along), sn_free(t->start), sn_free(t->to);
    sn_free(t->share), sn_free(t->own_share), sn_free(t->own), sn_free(t->spread), sn_free(t->slack), sn_free(t->near),
        sn_free(t->weight);
    *t = (snTaut){0};
}

/* ---- a frame ----------------------------------------------------------------------------------- */

/* Length now of what was one along the strand at rest. */
static double length_along(const snTaut *t, const snTriMesh *m, int32_t i)
{
    const int32_t *corner = t->corner + 3 * i;
    double x = (double)t->along[2 * i], y = (double)t->along[2 * i + 1];
    v3 a = sn_trimesh_point(m, corner[0]), b = sn_trimesh_point(m, corner[1]), c = sn_trimesh_point(m, corner[2]);
    return v3_len(v3_add(v3_scale(v3_sub(b, a), x), v3_scale(v3_sub(c, a), y)));
}

/* Returns the largest stretch. */
static double measure(snTaut *t, const snTriMesh *skin)
{
    double most = 0;
    for (int32_t c = 0; c < t->ncluster; ++c) {
        double sum = 0;
        int32_t n = t->first[c + 1] - t->first[c];
        for (int32_t i = t->first[c]; i < t->first[c + 1]; ++i) sum += length_along(t, skin, i);
        double stretch = n ? sum / n - 1 : 0;
        t->spread[c] = stretch > -SQUEEZE ? stretch : -SQUEEZE;
        t->own[c] = t->own_share[c] * t->spread[c];
        most = stretch > most ? stretch : most;
    }
    return most;
}

/* Four sums at a time: the clusters wait for each other, their neighbours need not. Nearly all have no more neighbours
 * than SN_TAUT_LEAST, so that the processor guesses right where a list ends. */
static void spread(snTaut *t)
{
    double *u = t->spread;
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
        for (int32_t i = 0; i < t->ncluster; ++i) {
            int32_t c = sweep % 2 ? t->ncluster - 1 - i : i, n = t->start[c + 1] - t->start[c];
            const int32_t *to = t->to + t->start[c];
            const double *share = t->share + t->start[c];
            double s0 = t->own[c], s1 = 0, s2 = 0, s3 = 0;
            for (int32_t k = 0; k < SN_TAUT_LEAST; k += 4) {
                s0 += share[k] * u[to[k]], s1 += share[k + 1] * u[to[k + 1]];
                s2 += share[k + 2] * u[to[k + 2]], s3 += share[k + 3] * u[to[k + 3]];
            }
            for (int32_t k = SN_TAUT_LEAST; k < n; k += 4) {
                s0 += share[k] * u[to[k]], s1 += share[k + 1] * u[to[k + 1]];
                s2 += share[k + 2] * u[to[k + 2]], s3 += share[k + 3] * u[to[k + 3]];
            }
            u[c] = (s0 + s1) + (s2 + s3);
        }
}

void sn_taut_measure(snTaut *t, const snTriMesh *skin, double *loose)
{
    if (measure(t, skin) > SLACK) spread(t); /* sharing never makes more than the most */
    for (int32_t c = 0; c < t->ncluster; ++c) {
        double x = (t->spread[c] - SLACK) / (TIGHT - SLACK);
        x = x < 0 ? 0 : x > 1 ? 1 : x;
        t->slack[c] = 1 - x * x * (3 - 2 * x);
    }
    for (int32_t v = 0; v < t->nvertex; ++v) {
        double sum = 0;
        for (int i = 0; i < SN_TAUT_NEAR; ++i)
            sum += (double)t->weight[SN_TAUT_NEAR * v + i] * t->slack[t->near[SN_TAUT_NEAR * v + i]];
        loose[t->vertex[v]] = sum;
    }
}
