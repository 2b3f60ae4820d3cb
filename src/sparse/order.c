/* The fill-reducing order: our lists into the form that AMD works on in place, so that ordering again later needs no
 * memory. */
#include "sparse/ldl.h"

#include "base/alloc.h"

#include <amd.h>
#include <string.h>

/* AMD runs with n spare places in its list, and without compressing it now and then with a fifth more. */
static size_t list_size(int32_t n, int32_t nentry)
{
    return (size_t)nentry + (size_t)nentry / 5 + (size_t)n + 1;
}

bool sn_order_create(snOrder *o, int32_t n, int32_t nentry)
{
    *o = (snOrder){.n = n, .capacity = 2 * nentry};
    size_t row = (size_t)n + 1, list = list_size(n, o->capacity);
    o->memory = SN_NEW_ARRAY(int32_t, 9 * row + list);
    if (!o->memory) return false;
    o->start = o->memory;
    o->length = o->start + row;
    o->scratch = o->length + row; /* seven arrays of n */
    o->list = o->scratch + 7 * row;
    return true;
}

void sn_order_destroy(snOrder *o)
{
    sn_free(o->memory);
    *o = (snOrder){0};
}

/* Both triangles without the diagonal; mark[] takes out repeated pairs. Returns the entries kept. */
static int32_t build_lists(snOrder *o, int32_t nentry, const int32_t *i, const int32_t *j)
{
    int32_t n = o->n, *next = o->scratch, *mark = o->scratch + n + 1, kept = 0;
    memset(o->start, 0, (size_t)(n + 1) * sizeof *o->start);
    for (int32_t e = 0; e < nentry; ++e)
        if (i[e] != j[e]) ++o->start[i[e] + 1], ++o->start[j[e] + 1];
    for (int32_t k = 0; k < n; ++k) o->start[k + 1] += o->start[k];
    for (int32_t k = 0; k < n; ++k) next[k] = o->start[k], mark[k] = -1;
    for (int32_t e = 0; e < nentry; ++e)
        if (i[e] != j[e]) o->list[next[i[e]]++] = j[e], o->list[next[j[e]]++] = i[e];
    for (int32_t k = 0; k < n; ++k) {
        int32_t begin = o->start[k], end = next[k];
        o->start[k] = kept;
        for (int32_t p = begin; p < end; ++p) {
            int32_t other = o->list[p];
            if (mark[other] == k) continue;
            mark[other] = k;
            o->list[kept++] = other;
        }
        o->length[k] = kept - o->start[k];
    }
    return kept;
}

void sn_order_amd(snOrder *o, int32_t nentry, const int32_t *i, const int32_t *j, int32_t *perm)
{
    if (o->n == 0) return;
    int32_t kept = build_lists(o, nentry, i, j), row = o->n + 1, *s = o->scratch;
    amd_2(o->n, o->start, o->list, o->length, (int)list_size(o->n, o->capacity), kept, s, s + row, s + 2 * row,
          s + 3 * row, s + 4 * row, s + 5 * row, s + 6 * row, NULL, (double[AMD_INFO]){0});
    memcpy(perm, s + 2 * row, (size_t)o->n * sizeof *perm);
}
