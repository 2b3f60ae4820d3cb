/* quads.h for points: gradients by moving least squares, and the stabilisation. */
#include "meshfree/quads.h"

#include "meshfree/consistent.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void sn_soft_quads_free(snSoftQuads *q)
{
    sn_free(q->rest), sn_free(q->volume), sn_free(q->centre), sn_free(q->part), sn_free(q->first), sn_free(q->node),
        sn_free(q->gradient);
    sn_free(q->hold_first), sn_free(q->hold_column), sn_free(q->hold);
    *q = (snSoftQuads){0};
}

void sn_soft_quads_gradient(const snSoftQuads *quads, int32_t q, const double *x, double F[9])
{
    bool rigid_one = quads->first[q] == quads->first[q + 1];
    for (int r = 0; r < 9; ++r) F[r] = rigid_one && r % 4 == 0;
    for (int32_t k = quads->first[q]; k < quads->first[q + 1]; ++k) {
        const double *p = x + 3 * quads->node[k], *g = quads->gradient + 3 * k;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) F[3 * i + j] += p[i] * g[j];
    }
}

/* Gradients of the neighbours' and, first, the point's own shape function: g = w A^-1 X, in the metric of the point,
 * where A is well conditioned. */
static bool point_gradients(const snSoftPoints *p, int32_t i, double *gradient)
{
    int32_t from = p->first[i], count = p->first[i + 1] - from;
    double A[9] = {0}, right[3 * SN_SOFT_MAX_STENCIL];
    v3 at = v3_load(p->x + 3 * i), own = {0, 0, 0};
    for (int32_t k = 0; k < count; ++k) {
        v3 y = sn_soft_metric(p, i, v3_sub(v3_load(p->x + 3 * p->neighbour[from + k]), at));
        double c[3] = {y.x, y.y, y.z}, w = p->weight[from + k];
        for (int r = 0; r < 9; ++r) A[r] += w * c[r / 3] * c[r % 3];
        for (int r = 0; r < 3; ++r) right[r * count + k] = w * c[r];
    }
    if (!sn_small_cholesky_solve(A, right, 3, count)) return false;
    for (int32_t k = 0; k < count; ++k) {
        v3 g = sn_soft_metric_transposed(p, i, v3_of(right[k], right[count + k], right[2 * count + k]));
        v3_store(gradient + 3 * (k + 1), g);
        own = v3_sub(own, g);
    }
    v3_store(gradient, own);
    return true;
}

/* Adds the penalty of point i on the residual of its affine fit to a full matrix over its stencil. */
static void local_hold(const snSoftPoints *p, int32_t i, const double *gradient, double *local)
{
    int32_t from = p->first[i], count = p->first[i + 1] - from, size = count + 1;
    double weights = 0, row[SN_SOFT_MAX_STENCIL];
    v3 at = v3_load(p->x + 3 * i);
    memset(local, 0, (size_t)(size * size) * sizeof *local);
    for (int32_t k = 0; k < count; ++k) weights += p->weight[from + k];
    for (int32_t k = 0; k < count; ++k) {
        v3 X = v3_sub(v3_load(p->x + 3 * p->neighbour[from + k]), at);
        for (int32_t b = 0; b < size; ++b) row[b] = -v3_dot(v3_load(gradient + 3 * b), X);
        row[0] -= 1, row[k + 1] += 1;
        double scale = p->volume[i] * p->weight[from + k] / (weights * v3_len2(X));
        for (int32_t a = 0; a < size; ++a)
            for (int32_t b = 0; b < size; ++b) local[a * size + b] += scale * row[a] * row[b];
    }
}

typedef struct entry {
    int32_t row, column;
    double value;
} entry;

static int by_place(const void *a, const void *b)
{
    const entry *p = a, *q = b;
    return p->row != q->row ? (p->row > q->row) - (p->row < q->row) : (p->column > q->column) - (p->column < q->column);
}

/* Sorted entries to rows; equal places are summed. */
static bool compress(int32_t nentry, entry *list, snSoftQuads *q)
{
    qsort(list, (size_t)nentry, sizeof *list, by_place);
    int32_t n = 0;
    for (int32_t k = 0; k < nentry; ++k) {
        if (n > 0 && list[n - 1].row == list[k].row && list[n - 1].column == list[k].column)
            list[n - 1].value += list[k].value;
        else
            list[n++] = list[k];
    }
    q->hold_column = SN_NEW_ARRAY(int32_t, n), q->hold = SN_NEW_ARRAY(double, n);
    if (!q->hold_column || !q->hold) return false;
    for (int32_t k = 0; k < n; ++k) {
        q->hold_column[k] = list[k].column, q->hold[k] = list[k].value;
        q->hold_first[list[k].row + 1] = k + 1;
    }
    for (int32_t i = 0; i < q->nnode; ++i)
        if (q->hold_first[i + 1] < q->hold_first[i]) q->hold_first[i + 1] = q->hold_first[i];
    return true;
}

static bool hold_all(const snSoftPoints *p, snSoftQuads *q)
{
    enum { S = SN_SOFT_MAX_STENCIL };
    size_t room = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < p->n; ++i) {
        size_t size = (size_t)(q->first[i + 1] - q->first[i]);
        room += size * (size + 1) / 2;
    }
    entry *list = SN_NEW_ARRAY(entry, room);
    double *local = SN_NEW_ARRAY(double, S *S);
    bool ok = list && local;
    for (int32_t i = 0; i < p->n && ok; ++i) {
        int32_t size = q->first[i + 1] - q->first[i];
        const int32_t *node = q->node + q->first[i];
        if (size == 0) continue;
        local_hold(p, i, q->gradient + 3 * q->first[i], local);
        for (int32_t a = 0; a < size; ++a)
            for (int32_t b = 0; b < size; ++b)
                if (node[a] >= node[b]) list[n++] = (entry){node[a], node[b], local[a * size + b]};
    }
    ok = ok && compress(n, list, q);
    sn_free(list);
    sn_free(local);
    return ok;
}

snStatus sn_soft_quads_from_points(const snSoftPoints *p, bool stabilise, snSoftQuads *q, snError *error)
{
    int32_t n = p->n, total = p->first[n] + n;
    *q = (snSoftQuads){.n = n, .nnode = n};
    q->rest = SN_NEW_ARRAY(double, 3 * n), q->volume = SN_NEW_ARRAY(double, n), q->centre = SN_NEW_ARRAY(double, 3 * n);
    q->first = SN_NEW_ARRAY(int32_t, n + 1), q->node = SN_NEW_ARRAY(int32_t, total);
    q->gradient = SN_NEW_ARRAY(double, 3 * total), q->hold_first = SN_NEW_ARRAY(int32_t, n + 1);
    q->part = SN_NEW_ARRAY(uint8_t, n);
    bool ok = q->rest && q->volume && q->centre && q->first && q->node && q->gradient && q->hold_first && q->part;
    for (int32_t i = 0; i < n && ok; ++i) {
        int32_t at = q->first[i], count = p->first[i + 1] - p->first[i];
        q->first[i + 1] = at;
        q->volume[i] = p->volume[i];
        if (p->attached && p->attached[i] >= 0) continue;
        q->first[i + 1] = at + count + 1;
        q->node[at] = i;
        memcpy(q->node + at + 1, p->neighbour + p->first[i], (size_t)count * sizeof *q->node);
        ok = count + 1 <= SN_SOFT_MAX_STENCIL && point_gradients(p, i, q->gradient + 3 * at);
    }
    if (ok) {
        memcpy(q->rest, p->x, 3 * (size_t)n * sizeof *p->x);
        memcpy(q->centre, p->x, 3 * (size_t)n * sizeof *p->x);
        if (p->wall) ok = sn_soft_make_consistent(p, q);
        ok = ok && (!stabilise || hold_all(p, q));
    }
    if (ok) return SN_OK;
    sn_soft_quads_free(q);
    return sn_fail_no_memory(error);
}
