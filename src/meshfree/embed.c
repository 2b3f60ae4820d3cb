/* Surface vertices follow the points by moving least squares with a linear basis: exact for affine motions. */
#include "meshfree/neighbours.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum { LEAST = 10, MOST = 40 };
static const double WIDEST = 4;  /* sum of |phi| beyond which more points are taken */
static const double REACH = 1.3; /* support of the kernel over the distance of the last point */

/* Shape functions of `count` points at a place; the sum of their absolute values, INFINITY where they span no space. */
static double shape(const snSoftPoints *p, int32_t metric, v3 at, int32_t count, const snSoftNear *near, double *phi)
{
    double moment[16] = {0}, one[4] = {1, 0, 0, 0}, support = REACH * REACH * near[count - 1].key, sum = 0, all = 0;
    double unit = sqrt(near[count - 1].key);
    double basis[MOST][4], weight[MOST];
    if (!(unit > 0)) return INFINITY;
    for (int32_t k = 0; k < count; ++k) {
        double q = 1 - near[k].key / support;
        v3 y = sn_soft_metric(p, metric, v3_sub(v3_load(p->x + 3 * near[k].index), at));
        weight[k] = q * q * q;
        basis[k][0] = 1, basis[k][1] = y.x / unit, basis[k][2] = y.y / unit, basis[k][3] = y.z / unit;
        for (int r = 0; r < 16; ++r) moment[r] += weight[k] * basis[k][r / 4] * basis[k][r % 4];
    }
    if (!sn_small_cholesky_solve(moment, one, 4, 1)) return INFINITY;
    for (int32_t k = 0; k < count; ++k) {
        phi[k] =
            weight[k] * (basis[k][0] * one[0] + basis[k][1] * one[1] + basis[k][2] * one[2] + basis[k][3] * one[3]);
        all += phi[k];
        sum += fabs(phi[k]);
    }
    for (int32_t k = 0; k < count; ++k) phi[k] /= all;
    return sum / all;
}

/* The point next to a vertex. */
static int32_t nearest(const snSoftPoints *p, v3 vertex)
{
    double best = INFINITY;
    int32_t to = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        v3 x = v3_load(p->x + 3 * i);
        double d = v3_len2(sn_soft_squeeze(p->axis, p->squeeze, v3_sub(x, vertex)));
        if (d < best) best = d, to = i;
    }
    return to;
}

static double choose(const snSoftPoints *p, const snBvh *tree, v3 vertex, snSoftNear *near, double *phi, int32_t *count)
{
    int32_t metric = nearest(p, vertex);
    /* a vertex sees points from a little inside, since the wall itself passes through it */
    v3 from = tree ? v3_lerp(vertex, v3_load(p->x + 3 * metric), 0.2) : vertex;
    int32_t found = sn_soft_around(p, tree, from, metric, -1, near, MOST);
    for (int32_t k = 0; k < found; ++k)
        near[k].key = v3_len2(sn_soft_metric(p, metric, v3_sub(v3_load(p->x + 3 * near[k].index), vertex)));
    for (int32_t k = 1; k < found; ++k) /* nearly sorted already */
        for (int32_t j = k; j > 0 && near[j - 1].key > near[j].key; --j) {
            snSoftNear swap = near[j];
            near[j] = near[j - 1], near[j - 1] = swap;
        }
    double size = INFINITY, best = INFINITY;
    int32_t at = found;
    for (int32_t k = LEAST; k <= found && best > WIDEST; k += 2)
        if ((size = shape(p, metric, vertex, k, near, phi)) < best) best = size, at = k;
    *count = at;
    return found < 4 ? INFINITY : shape(p, metric, vertex, at, near, phi);
}

snStatus sn_soft_embed(const snSoftPoints *points, const snBvh *tree, int32_t nvertex, const double *vertex,
                       snSoftEmbedding *e, snError *error)
{
    *e = (snSoftEmbedding){.n = nvertex};
    snSoftNear *near = SN_NEW_ARRAY(snSoftNear, points->n);
    e->first = SN_NEW_ARRAY(int32_t, nvertex + 1);
    e->node = SN_NEW_ARRAY(int32_t, (size_t)nvertex * MOST);
    e->phi = SN_NEW_ARRAY(double, (size_t)nvertex *MOST);
    snStatus status = near && e->first && e->node && e->phi ? SN_OK : sn_fail_no_memory(error);
    int32_t total = 0;
    for (int32_t v = 0; v < nvertex && status == SN_OK; ++v) {
        v3 at = v3_load(vertex + 3 * v);
        int32_t count;
        double size = choose(points, tree, at, near, e->phi + total, &count);
        if (!isfinite(size)) size = choose(points, NULL, at, near, e->phi + total, &count);
        if (!isfinite(size)) {
            status =
                sn_fail(error, SN_BAD_INPUT, "no points of the muscle surround its vertex %d at (%.4g, %.4g, %.4g) m",
                        v, at.x, at.y, at.z);
            sn_error_remedy(error, "use more points");
            break;
        }
        e->largest = fmax(e->largest, size);
        for (int32_t k = 0; k < count; ++k) e->node[total + k] = near[k].index;
        total += count;
        e->first[v + 1] = total;
    }
    sn_free(near);
    if (status != SN_OK) sn_soft_embedding_free(e);
    return status;
}

void sn_soft_embedding_free(snSoftEmbedding *e)
{
    sn_free(e->first), sn_free(e->node), sn_free(e->phi);
    *e = (snSoftEmbedding){0};
}

void sn_soft_embedding_apply(const snSoftEmbedding *e, const double *x, double *vertex)
{
    for (int32_t v = 0; v < e->n; ++v) {
        v3 sum = {0, 0, 0};
        for (int32_t k = e->first[v]; k < e->first[v + 1]; ++k)
            sum = v3_mad(sum, e->phi[k], v3_load(x + 3 * e->node[k]));
        v3_store(vertex + 3 * v, sum);
    }
}
