/* Up-looking LDL': row k of L is the solution of a sparse triangular system with the k-th column of the matrix, and its
 * pattern is what the elimination tree reaches from there [Liu 1990]. Rows come out in increasing order, so each column
 * of L is filled from the front and needs no sorting.
 *
 * Invariant: between calls work[] is all zero. */
#include "sparse/ldl.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

bool sn_ldl_create(snLdl *l, int32_t n, int64_t capacity)
{
    *l = (snLdl){.n = n, .capacity = capacity};
    l->parent = SN_NEW_ARRAY(int32_t, n);
    l->count = SN_NEW_ARRAY(int32_t, n);
    l->mark = SN_NEW_ARRAY(int32_t, n);
    l->stack = SN_NEW_ARRAY(int32_t, n);
    l->start = SN_NEW_ARRAY(int64_t, n + 1);
    l->row = SN_NEW_ARRAY(int32_t, capacity);
    l->value = SN_NEW_ARRAY(double, capacity);
    l->diag = SN_NEW_ARRAY(double, n);
    l->work = SN_NEW_ARRAY(double, n);
    if (l->parent && l->count && l->mark && l->stack && l->start && l->row && l->value && l->diag && l->work)
        return true;
    sn_ldl_destroy(l);
    return false;
}

void sn_ldl_destroy(snLdl *l)
{
    void *block[] = {l->parent, l->count, l->mark, l->stack, l->start, l->row, l->value, l->diag, l->work};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    *l = (snLdl){0};
}

int64_t sn_ldl_symbolic(snLdl *l, const snUpper *a)
{
    for (int32_t k = 0; k < l->n; ++k) {
        l->parent[k] = -1;
        l->mark[k] = k;
        l->count[k] = 0;
        for (int32_t p = a->start[k]; p < a->start[k + 1]; ++p)
            for (int32_t i = a->row[p]; l->mark[i] != k; i = l->parent[i]) {
                if (l->parent[i] < 0) l->parent[i] = k;
                ++l->count[i];
                l->mark[i] = k;
            }
    }
    l->start[0] = 0;
    for (int32_t k = 0; k < l->n; ++k) l->start[k + 1] = l->start[k] + l->count[k];
    return l->start[l->n];
}

/* Scatters column k of the matrix into work and puts the pattern of row k of L, in an order in which it can be
 * eliminated, at the end of stack. Returns where it begins. */
static int32_t reach(snLdl *l, const snUpper *a, int32_t k)
{
    int32_t top = l->n;
    l->mark[k] = k;
    for (int32_t p = a->start[k]; p < a->start[k + 1]; ++p) {
        int32_t i = a->row[p], depth = 0;
        l->work[i] += a->value[p];
        for (; l->mark[i] != k; i = l->parent[i]) {
            l->stack[depth++] = i;
            l->mark[i] = k;
        }
        while (depth > 0) l->stack[--top] = l->stack[--depth];
    }
    return top;
}

static double eliminate_row(snLdl *l, int32_t k, int32_t top)
{
    double *work = l->work, pivot = work[k];
    work[k] = 0;
    for (; top < l->n; ++top) {
        int32_t i = l->stack[top];
        double y = work[i], entry = y / l->diag[i];
        int64_t begin = l->start[i], end = begin + l->count[i];
        work[i] = 0;
        for (int64_t p = begin; p < end; ++p) work[l->row[p]] -= l->value[p] * y;
        pivot -= entry * y;
        l->row[end] = k;
        l->value[end] = entry;
        ++l->count[i];
    }
    return pivot;
}

int32_t sn_ldl_factor(snLdl *l, const snUpper *a, const int8_t *sign)
{
    for (int32_t k = 0; k < l->n; ++k) l->mark[k] = -1, l->count[k] = 0;
    for (int32_t k = 0; k < l->n; ++k) {
        double pivot = eliminate_row(l, k, reach(l, a, k));
        l->diag[k] = pivot;
        if (pivot * sign[k] > 0 && isfinite(pivot)) continue;
        memset(l->work, 0, (size_t)l->n * sizeof *l->work);
        return k;
    }
    return -1;
}

void sn_ldl_solve(const snLdl *l, double *x)
{
    for (int32_t k = 0; k < l->n; ++k) {
        double xk = x[k];
        for (int64_t p = l->start[k]; p < l->start[k + 1]; ++p) x[l->row[p]] -= l->value[p] * xk;
    }
    for (int32_t k = l->n - 1; k >= 0; --k) {
        double xk = x[k] / l->diag[k];
        for (int64_t p = l->start[k]; p < l->start[k + 1]; ++p) xk -= l->value[p] * x[l->row[p]];
        x[k] = xk;
    }
}
