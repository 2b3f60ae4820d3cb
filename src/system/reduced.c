/* The symbolic side of the reduced system: which panels there are, how high, and where updates of one go in another.
 * The numbers are in reduced_impl.h. */
#include "system/reduced.h"

#include "base/alloc.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

typedef SN_ARRAY(int32_t) IntList;

typedef struct Builder {
    int32_t nnode;
    int32_t *place;           /* of each thing in the order */
    int32_t *adr, *neighbour; /* later neighbours of each place */
    int32_t *mark;
    int32_t *child, *sibling; /* trees as linked lists; -1 ends */
    IntList below;
} Builder;

static int compare(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* For each place its neighbours of higher place, with repetitions. */
static void list_neighbours(Builder *b, int32_t nedge, const int32_t *i, const int32_t *j)
{
    for (int32_t e = 0; e < nedge; ++e) {
        int32_t p = b->place[i[e]], q = b->place[j[e]];
        if (p != q) ++b->adr[(p < q ? p : q) + 1];
    }
    for (int32_t k = 0; k < b->nnode; ++k) b->adr[k + 1] += b->adr[k], b->mark[k] = b->adr[k];
    for (int32_t e = 0; e < nedge; ++e) {
        int32_t p = b->place[i[e]], q = b->place[j[e]];
        if (p != q) b->neighbour[b->mark[p < q ? p : q]++] = p < q ? q : p;
    }
    for (int32_t k = 0; k < b->nnode; ++k) b->mark[k] = b->child[k] = b->sibling[k] = -1;
}

static bool add_below(Builder *b, int32_t k, int32_t other)
{
    if (other == k || b->mark[other] == k) return true;
    b->mark[other] = k;
    return sn_array_push(&b->below, other);
}

/* Below a node are its own later neighbours and what is below its children in the elimination tree. */
static bool find_below(Builder *b, snReduced *r)
{
    for (int32_t k = 0; k < b->nnode; ++k) {
        int32_t first = b->below.count;
        r->belowadr[k] = first;
        for (int32_t p = b->adr[k]; p < b->adr[k + 1]; ++p)
            if (!add_below(b, k, b->neighbour[p])) return false;
        for (int32_t c = b->child[k]; c >= 0; c = b->sibling[c])
            for (int32_t p = r->belowadr[c]; p < r->belowadr[c + 1]; ++p)
                if (!add_below(b, k, b->below.at[p])) return false;
        r->belowadr[k + 1] = b->below.count;
        if (b->below.count == first) continue;
        qsort(b->below.at + first, (size_t)(b->below.count - first), sizeof(int32_t), compare);
        int32_t parent = b->below.at[first];
        b->sibling[k] = b->child[parent];
        b->child[parent] = k;
    }
    return true;
}

static void size_panels(snReduced *r)
{
    for (int32_t k = 0; k < r->nnode; ++k) {
        int32_t width = r->start[k + 1] - r->start[k], height = width;
        for (int32_t p = r->belowadr[k]; p < r->belowadr[k + 1]; ++p) height += r->exposed[r->below[p]];
        r->height[k] = height;
        r->ld[k] = (height + 3) / 4 * 4;
        r->paneladr[k + 1] = r->paneladr[k] + (int64_t)r->ld[k] * width;
    }
}

/* The row of a node in the panel of an earlier one that meets it. */
static int32_t row_in_panel(const snReduced *r, int32_t panel, int32_t node)
{
    if (panel == node) return 0;
    int32_t row = r->start[panel + 1] - r->start[panel];
    for (int32_t p = r->belowadr[panel]; r->below[p] != node; ++p) row += r->exposed[r->below[p]];
    return row;
}

/* Below a node's first later node t is, by the elimination tree, everything else below the node; and so on down the
 * list: hence the one merge per target. */
static void fill_map(snReduced *r)
{
    int32_t *map = r->map;
    for (int32_t k = 0; k < r->nnode; ++k) {
        r->mapadr[k] = (int32_t)(map - r->map);
        for (int32_t p = r->belowadr[k]; p < r->belowadr[k + 1]; ++p) {
            int32_t t = r->below[p], row = r->start[t + 1] - r->start[t], at = r->belowadr[t];
            *map++ = 0;
            for (int32_t q = p + 1; q < r->belowadr[k + 1]; ++q) {
                for (; r->below[at] != r->below[q]; ++at) row += r->exposed[r->below[at]];
                *map++ = row;
            }
        }
    }
}

static int32_t map_size(const snReduced *r)
{
    int32_t total = 0;
    for (int32_t k = 0; k < r->nnode; ++k) {
        int32_t count = r->belowadr[k + 1] - r->belowadr[k];
        total += count * (count + 1) / 2;
    }
    return total;
}

static bool make_panels(snReduced *r)
{
    int32_t highest = 0, widest = 0;
    size_panels(r);
    for (int32_t k = 0; k < r->nnode; ++k) {
        int32_t width = r->start[k + 1] - r->start[k];
        highest = r->ld[k] > highest ? r->ld[k] : highest;
        widest = width > widest ? width : widest;
    }
    r->map = SN_NEW_ARRAY(int32_t, map_size(r));
    r->panel = SN_NEW_ARRAY(double, r->paneladr[r->nnode] + 4); /* rows are read eight at a time */
    r->inverse = SN_NEW_ARRAY(double, r->n);
    r->aside[0] = SN_NEW_ARRAY(double, r->paneladr[r->nnode] + 4);
    r->aside[1] = SN_NEW_ARRAY(double, r->n);
    r->sign = SN_NEW_ARRAY(int8_t, r->n);
    r->work = SN_NEW_ARRAY(double, 4 * highest + 4 * widest);
    if (!r->map || !r->panel || !r->inverse || !r->sign || !r->work || !r->aside[0] || !r->aside[1]) return false;
    fill_map(r);
    return true;
}

static bool begin(snReduced *r, Builder *b, int32_t nnode, int32_t nedge)
{
    *r = (snReduced){.nnode = nnode};
    *b = (Builder){.nnode = nnode};
    return (r->start = SN_NEW_ARRAY(int32_t, nnode + 1)) && (r->belowadr = SN_NEW_ARRAY(int32_t, nnode + 1)) &&
           (r->exposed = SN_NEW_ARRAY(int32_t, nnode)) && (r->height = SN_NEW_ARRAY(int32_t, nnode)) &&
           (r->ld = SN_NEW_ARRAY(int32_t, nnode)) && (r->paneladr = SN_NEW_ARRAY(int64_t, nnode + 1)) &&
           (r->mapadr = SN_NEW_ARRAY(int32_t, nnode)) && (b->place = SN_NEW_ARRAY(int32_t, nnode)) &&
           (b->adr = SN_NEW_ARRAY(int32_t, nnode + 1)) && (b->neighbour = SN_NEW_ARRAY(int32_t, nedge)) &&
           (b->mark = SN_NEW_ARRAY(int32_t, nnode)) && (b->child = SN_NEW_ARRAY(int32_t, nnode)) &&
           (b->sibling = SN_NEW_ARRAY(int32_t, nnode));
}

bool sn_reduced_create(snReduced *r, int32_t nnode, const int32_t *perm, const int32_t *width, const int32_t *exposed,
                       int32_t nedge, const int32_t *edge_i, const int32_t *edge_j)
{
    Builder b;
    bool ok = begin(r, &b, nnode, nedge);
    if (ok) {
        for (int32_t k = 0; k < nnode; ++k) {
            b.place[perm[k]] = k;
            r->exposed[k] = exposed[perm[k]];
            r->start[k + 1] = r->start[k] + width[perm[k]];
        }
        r->n = r->start[nnode];
        list_neighbours(&b, nedge, edge_i, edge_j);
        ok = find_below(&b, r);
        r->below = b.below.at;
        ok = ok && make_panels(r);
    }
    sn_free(b.place), sn_free(b.adr), sn_free(b.neighbour), sn_free(b.mark), sn_free(b.child), sn_free(b.sibling);
    if (!ok) sn_reduced_destroy(r);
    return ok;
}

void sn_reduced_destroy(snReduced *r)
{
    void *block[] = {r->start, r->exposed, r->belowadr, r->below,   r->height, r->ld,       r->paneladr, r->mapadr,
                     r->map,   r->panel,   r->sign,     r->inverse, r->work,   r->aside[0], r->aside[1]};
    for (size_t i = 0; i < sizeof block / sizeof *block; ++i) sn_free(block[i]);
    *r = (snReduced){0};
}

void sn_reduced_swap(snReduced *r)
{
    double *panel = r->panel, *inverse = r->inverse;
    r->panel = r->aside[0], r->inverse = r->aside[1];
    r->aside[0] = panel, r->aside[1] = inverse;
}

int32_t sn_reduced_node_of(const snReduced *r, int32_t unknown)
{
    int32_t low = 0, high = r->nnode;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (r->start[middle] <= unknown)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t sn_reduced_index(const snReduced *r, int32_t row, int32_t column)
{
    int32_t s = sn_reduced_node_of(r, column), t = sn_reduced_node_of(r, row);
    int64_t base = r->paneladr[s] + (int64_t)r->ld[s] * (column - r->start[s]);
    return base + row_in_panel(r, s, t) + (row - r->start[t]);
}
