/* neighbours.h. */
#include "meshfree/neighbours.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static const double WORST = 10;      /* condition of a moment matrix that is still accepted */
static const double STEEPEST = 40;   /* how much more a length across a thin part may count... */
static const double FLATTEST = 0.2;  /* ... and how much less one along a thin tip */
static const double SAME_WALL = 0.5; /* cosine between the normals of a wall that bends away and back */
static const double NEAREST = 0.25;  /* of its distance to a free point that an attached one keeps... */
static const double SHORTER = 0.8;   /* ... by going so much less far */
enum { ROUNDS = 4, WALLS = 8, SHORTENINGS = 12 };
static const double REACH = 1.15; /* support of the kernel over the distance of the last neighbour */

static int by_key(const void *a, const void *b)
{
    const snSoftNear *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    return (p->index > q->index) - (p->index < q->index);
}

/* The direction of the largest spread. */
static v3 long_side(const snSoftPoints *p)
{
    v3 mean = {0, 0, 0};
    m3 spread = {{0}}, vectors;
    double value[3];
    for (int32_t i = 0; i < p->n; ++i) mean = v3_mad(mean, 1.0 / p->n, v3_load(p->x + 3 * i));
    for (int32_t i = 0; i < p->n; ++i) {
        v3 d = v3_sub(v3_load(p->x + 3 * i), mean);
        double c[3] = {d.x, d.y, d.z};
        for (int r = 0; r < 9; ++r) spread.m[r] += c[r / 3] * c[r % 3];
    }
    m3_eigen_symmetric(&spread, value, &vectors);
    return v3_of(vectors.m[2], vectors.m[5], vectors.m[8]);
}

bool sn_soft_sort(snSoftPoints *p)
{
    snSoftNear *order = SN_NEW_ARRAY(snSoftNear, p->n);
    double *copy = SN_NEW_ARRAY(double, 4 * p->n);
    int32_t *bone = SN_NEW_ARRAY(int32_t, p->n);
    bool ok = order && copy && bone;
    if (ok) {
        v3 side = long_side(p);
        for (int32_t i = 0; i < p->n; ++i) order[i] = (snSoftNear){v3_dot(v3_load(p->x + 3 * i), side), i};
        qsort(order, (size_t)p->n, sizeof *order, by_key);
        memcpy(copy, p->x, 3 * (size_t)p->n * sizeof *copy);
        memcpy(copy + 3 * p->n, p->volume, (size_t)p->n * sizeof *copy);
        if (p->attached) memcpy(bone, p->attached, (size_t)p->n * sizeof *bone);
        for (int32_t i = 0; i < p->n; ++i) {
            memcpy(p->x + 3 * i, copy + 3 * order[i].index, 3 * sizeof *copy);
            p->volume[i] = copy[3 * p->n + order[i].index];
            if (p->attached) p->attached[i] = bone[order[i].index];
        }
    }
    sn_free(order);
    sn_free(copy);
    sn_free(bone);
    return ok;
}

static int32_t most_neighbours(const snSoftPointsDef *def)
{
    return 2 * def->neighbours + 4;
}

static double moment_condition(const snSoftPoints *p, int32_t i, int32_t count, const snSoftNear *near, double *weight)
{
    m3 moment = {{0}}, vectors;
    double value[3], support = REACH * REACH * near[count - 1].key;
    v3 at = v3_load(p->x + 3 * i);
    for (int32_t k = 0; k < count; ++k) {
        double q = 1 - near[k].key / support, w = q * q * q;
        v3 y = sn_soft_metric(p, i, v3_sub(v3_load(p->x + 3 * near[k].index), at));
        double c[3] = {y.x, y.y, y.z};
        for (int r = 0; r < 9; ++r) moment.m[r] += w * c[r / 3] * c[r % 3];
        weight[k] = w;
    }
    m3_eigen_symmetric(&moment, value, &vectors);
    return value[0] > 0 ? value[2] / value[0] : INFINITY;
}

/* Whether a gap lies between two places inside the mesh: the line between them leaves it through one wall and comes
 * back through one that faces it. Through the same wall, as in a curved sheet, is no gap. */
static bool apart(const snBvh *tree, v3 a, v3 b)
{
    const snTriMesh *mesh = sn_bvh_mesh(tree);
    int32_t hit[WALLS], count = sn_bvh_segment_hits(tree, a, b, hit, WALLS);
    v3 normal[WALLS];
    if (count == WALLS || count % 2) return true;
    for (int32_t k = 0; k < count; ++k) {
        v3 p = sn_trimesh_corner(mesh, hit[k], 0);
        normal[k] = v3_unit(
            v3_cross(v3_sub(sn_trimesh_corner(mesh, hit[k], 1), p), v3_sub(sn_trimesh_corner(mesh, hit[k], 2), p)));
        for (int32_t j = 0; j < k; ++j)
            if (v3_dot(normal[j], normal[k]) < SAME_WALL) return true;
    }
    return false;
}

/* Lets one of a heap sink to its place: none is behind its two children. */
static void sink_from(snSoftNear *heap, int32_t at, int32_t count)
{
    for (int32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && by_key(heap + child + 1, heap + child) < 0) ++child;
        if (by_key(heap + at, heap + child) < 0) return;
        snSoftNear swap = heap[at];
        heap[at] = heap[child], heap[child] = swap;
    }
}

int32_t sn_soft_around(const snSoftPoints *p, const snBvh *tree, v3 at, int32_t metric, int32_t self, snSoftNear *near,
                       int32_t most)
{
    int32_t count = 0;
    for (int32_t j = 0; j < p->n; ++j) {
        v3 y = sn_soft_metric(p, metric, v3_sub(v3_load(p->x + 3 * j), at));
        if (j != self) near[count++] = (snSoftNear){v3_len2(y), j};
    }
    /* a heap, as only the first few of many are asked for; what is kept goes to the end, the last one first */
    int32_t kept = 0, left = count;
    for (int32_t k = count / 2 - 1; k >= 0; --k) sink_from(near, k, count);
    while (left > 0 && kept < most) {
        snSoftNear next = near[0];
        near[0] = near[--left];
        sink_from(near, 0, left);
        if (!tree || !apart(tree, at, v3_load(p->x + 3 * next.index))) near[count - ++kept] = next;
    }
    for (int32_t k = 0; k < kept / 2; ++k) {
        snSoftNear *low = near + count - kept + k, *high = near + count - 1 - k, swap = *low;
        *low = *high, *high = swap;
    }
    memmove(near, near + count - kept, (size_t)kept * sizeof *near);
    return kept;
}

/* The metric of a point in a thin part from those around it: lengths across count as much as along, be it a sheet or a
 * needle. */
static void fit_metric(snSoftPoints *p, int32_t i, int32_t count, const snSoftNear *near)
{
    m3 moment = {{0}}, vectors;
    double value[3], *metric = p->metric + 9 * i;
    v3 at = v3_load(p->x + 3 * i);
    for (int32_t k = 0; k < count; ++k) {
        v3 d = v3_sub(v3_load(p->x + 3 * near[k].index), at);
        double c[3] = {d.x, d.y, d.z};
        for (int r = 0; r < 9; ++r) moment.m[r] += c[r / 3] * c[r % 3];
    }
    m3_eigen_symmetric(&moment, value, &vectors);
    memset(metric, 0, 9 * sizeof *metric);
    for (int e = 0; e < 3; ++e) {
        double s = value[e] > 0 ? fmin(fmax(sqrt(value[1] / value[e]), FLATTEST), STEEPEST) : STEEPEST;
        for (int r = 0; r < 9; ++r) metric[r] += s * vectors.m[3 * (r / 3) + e] * vectors.m[3 * (r % 3) + e];
    }
}

/* Enough neighbours of a point that its moment matrix is well conditioned; 0: there are not. */
static int32_t enough(const snSoftPointsDef *def, const snBvh *tree, snSoftPoints *p, int32_t i, snSoftNear *near,
                      double *weight, double *condition)
{
    v3 at = v3_load(p->x + 3 * i);
    for (int round = 0;; ++round) {
        int32_t found = sn_soft_around(p, tree, at, i, i, near, most_neighbours(def));
        for (int32_t count = found < def->neighbours ? found : def->neighbours; count >= 4 && count <= found; ++count)
            if ((*condition = moment_condition(p, i, count, near, weight)) <= WORST) return count;
        if (!p->metric || round == ROUNDS || found < 4) return 0;
        fit_metric(p, i, found, near);
    }
}

snStatus sn_soft_neighbours(const snSoftPointsDef *def, const snBvh *tree, snSoftPoints *p, snError *error)
{
    int32_t most = most_neighbours(def), total = 0;
    snSoftNear *near = SN_NEW_ARRAY(snSoftNear, p->n);
    p->neighbour = SN_NEW_ARRAY(int32_t, (size_t)p->n * (size_t)most);
    p->weight = SN_NEW_ARRAY(double, (size_t)p->n *(size_t)most);
    snStatus status = near && p->neighbour && p->weight ? SN_OK : sn_fail_no_memory(error);
    for (int32_t i = 0; i < p->n && status == SN_OK; ++i) {
        v3 at = v3_load(p->x + 3 * i);
        double condition = INFINITY;
        int32_t count = enough(def, tree, p, i, near, p->weight + total, &condition);
        p->condition = fmax(p->condition, condition);
        if (count == 0) {
            status = sn_fail(error, SN_BAD_INPUT,
                             "the muscle is too thin near (%.4g, %.4g, %.4g) m: the points around "
                             "do not span three directions (condition %.3g, at most %g)",
                             at.x, at.y, at.z, condition, WORST);
            sn_error_remedy(error, "use more points, or thicken the mesh there");
            break;
        }
        for (int32_t k = 0; k < count; ++k) p->neighbour[total++] = near[k].index;
        p->first[i + 1] = total;
    }
    sn_free(near);
    return status;
}

bool sn_soft_at_border(const snSoftPoints *p, int32_t i)
{
    for (int32_t k = p->first[i]; k < p->first[i + 1]; ++k)
        if (p->attached[i] >= 0 && p->attached[p->neighbour[k]] < 0) return true;
    return false;
}

/* How far an attached point goes to the border of its bone. */
static v3 held_at(const snSoftPoints *p, const snBvh *tree, int32_t i, v3 from, v3 move)
{
    for (int32_t k = p->first[i]; k < p->first[i + 1]; ++k) {
        if (p->attached[p->neighbour[k]] >= 0) continue;
        v3 to = v3_sub(v3_load(p->x + 3 * p->neighbour[k]), from);
        double least = NEAREST * v3_len(sn_soft_metric(p, i, to));
        while (v3_len(sn_soft_metric(p, i, v3_sub(to, move))) < least) move = v3_scale(move, SHORTER);
    }
    for (int k = 0; tree && k < SHORTENINGS && !sn_bvh_inside(tree, v3_add(from, move)); ++k)
        move = v3_scale(move, SHORTER);
    return tree && !sn_bvh_inside(tree, v3_add(from, move)) ? from : v3_add(from, move);
}

/* The kernels of a point after its neighbours have moved, nearest first; the condition of its moment matrix. */
static double weigh_again(snSoftPoints *p, int32_t i, snSoftNear *near)
{
    int32_t from = p->first[i], count = p->first[i + 1] - from;
    v3 at = v3_load(p->x + 3 * i);
    for (int32_t k = 0; k < count; ++k) {
        int32_t j = p->neighbour[from + k];
        near[k] = (snSoftNear){v3_len2(sn_soft_metric(p, i, v3_sub(v3_load(p->x + 3 * j), at))), j};
    }
    qsort(near, (size_t)count, sizeof *near, by_key);
    for (int32_t k = 0; k < count; ++k) p->neighbour[from + k] = near[k].index;
    return moment_condition(p, i, count, near, p->weight + from);
}

snStatus sn_soft_hold(const snSoftPointsDef *def, const snBvh *tree, snSoftPoints *p, snError *error)
{
    snSoftNear *near = SN_NEW_ARRAY(snSoftNear, p->n);
    double *old = SN_NEW_ARRAY(double, 3 * p->n), worst = INFINITY;
    snStatus status = near && old ? SN_OK : sn_fail_no_memory(error);
    if (status == SN_OK) memcpy(old, p->x, 3 * (size_t)p->n * sizeof *old);
    for (int round = 0; round <= ROUNDS && worst > WORST && status == SN_OK; ++round) {
        double part = round < ROUNDS ? ldexp(1, -round) : 0;
        for (int32_t i = 0; i < p->n; ++i) {
            v3 from = v3_load(old + 3 * i), border = from;
            if (!sn_soft_at_border(p, i)) continue;
            (void)def->bone(def->context, from, &border);
            v3_store(p->x + 3 * i, held_at(p, tree, i, from, v3_scale(v3_sub(border, from), part)));
        }
        worst = 0;
        for (int32_t i = 0; i < p->n; ++i)
            if (p->attached[i] < 0) worst = fmax(worst, weigh_again(p, i, near));
    }
    if (status == SN_OK) p->condition = worst;
    sn_free(near);
    sn_free(old);
    return status;
}
