/* See amd.h. */
#include "amd.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

enum { BITS = 32 };

static int count_bits(const uint32_t *row, int words)
{
    int sum = 0;
    for (int i = 0; i < words; ++i) sum += __builtin_popcount(row[i]);
    return sum;
}

static int least_degree(int n, const int *degree)
{
    int best = -1;
    for (int i = 0; i < n; ++i)
        if (degree[i] >= 0 && (best < 0 || degree[i] < degree[best])) best = i;
    return best;
}

/* Joins the neighbours of a node with each other and takes the node out. */
static void eliminate(uint32_t *graph, int words, int node, int *degree)
{
    const uint32_t *own = graph + (size_t)node * (size_t)words;
    for (int w = 0; w < words; ++w)
        for (uint32_t left = own[w]; left; left &= left - 1) {
            int i = w * BITS + __builtin_ctz(left);
            uint32_t *row = graph + (size_t)i * (size_t)words;
            for (int k = 0; k < words; ++k) row[k] |= own[k];
            row[i / BITS] &= ~(UINT32_C(1) << i % BITS);
            row[node / BITS] &= ~(UINT32_C(1) << node % BITS);
            degree[i] = count_bits(row, words);
        }
    degree[node] = -1;
}

void amd_2(int n, int *start, int *list, int *length, int list_size, int list_used, int *nv, int *next, int *last,
           int *head, int *elements, int *degree, int *w, double *control, double *info)
{
    (void)list_size, (void)list_used, (void)nv, (void)next, (void)head, (void)elements, (void)w, (void)control;
    (void)info;
    int words = (n + BITS - 1) / BITS;
    uint32_t *graph = SN_NEW_ARRAY(uint32_t, (size_t)n * (size_t)words);
    for (int i = 0; i < n; ++i) last[i] = i; /* without memory: as they come, slower and as right */
    if (!graph) return;
    for (int i = 0; i < n; ++i) {
        for (int k = start[i]; k < start[i] + length[i]; ++k)
            graph[(size_t)i * (size_t)words + (size_t)(list[k] / BITS)] |= UINT32_C(1) << list[k] % BITS;
        degree[i] = length[i];
    }
    for (int k = 0; k < n; ++k) {
        last[k] = least_degree(n, degree);
        eliminate(graph, words, last[k], degree);
    }
    sn_free(graph);
}
