#include "skin/even.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

enum { ROUNDS = 2 };

/* A smaller difference between neighbours is no jump, m. Authored. */
static const double STEP = 1.5e-4;

/* In a closed mesh each neighbour is the head of one edge of a triangle around the vertex. */
snStatus sn_even_create(const snTriMesh *skin, snEven *e, snError *error)
{
    int32_t n = skin->nvertex, nedge = 3 * skin->ntriangle;
    *e = (snEven){.nvertex = n};
    e->start = SN_NEW_ARRAY(int32_t, n + 2), e->to = SN_NEW_ARRAY(int32_t, nedge), e->list = SN_NEW_ARRAY(int32_t, n);
    e->later = SN_NEW_ARRAY(int32_t, n), e->marked = SN_NEW_ARRAY(bool, n), e->mean = SN_NEW_ARRAY(double, n);
    if (!e->start || !e->to || !e->later || !e->list || !e->marked || !e->mean) return sn_fail_no_memory(error);
    for (int32_t i = 0; i < nedge; ++i) ++e->start[skin->triangle[i] + 2];
    for (int32_t v = 0; v < n; ++v) e->start[v + 2] += e->start[v + 1];
    for (int later = 0; later < 2; ++later) {
        for (int32_t i = 0; i < nedge; ++i) {
            int32_t v = skin->triangle[i], head = skin->triangle[i % 3 == 2 ? i - 2 : i + 1];
            if ((head > v) == later) e->to[e->start[v + 1]++] = head;
        }
        if (!later) memcpy(e->later, e->start + 1, sizeof *e->later * (size_t)n);
    }
    return SN_OK;
}

void sn_even_free(snEven *e)
{
    sn_free(e->start), sn_free(e->to), sn_free(e->later), sn_free(e->list), sn_free(e->marked), sn_free(e->mean);
    *e = (snEven){0};
}

static int32_t mark(snEven *e, int32_t v, int32_t n)
{
    if (e->marked[v]) return n;
    e->marked[v] = true, e->list[n] = v;
    return n + 1;
}

/* Both ends of each jump, and their neighbours. Each edge is looked at once; of an open rim, about every second. */
static int32_t find_jumps(snEven *e, const int32_t *owner, const double *height)
{
    int32_t n = 0;
    for (int32_t v = 0; v < e->nvertex; ++v) {
        if (owner[v] < 0) continue;
        for (int32_t k = e->later[v]; k < e->start[v + 1]; ++k) {
            int32_t to = e->to[k], other = owner[to];
            if (other != owner[v] && other >= 0 && fabs(height[to] - height[v]) > STEP) n = mark(e, v, mark(e, to, n));
        }
    }
    for (int32_t i = 0, jumps = n; i < jumps; ++i)
        for (int32_t k = e->start[e->list[i]]; k < e->start[e->list[i] + 1]; ++k) n = mark(e, e->to[k], n);
    return n;
}

void sn_even_out(snEven *e, const int32_t *owner, double *height)
{
    int32_t n = find_jumps(e, owner, height);
    for (int round = 0; round < ROUNDS; ++round) {
        for (int32_t i = 0; i < n; ++i) {
            int32_t v = e->list[i], first = e->start[v], end = e->start[v + 1];
            double sum = 0;
            for (int32_t k = first; k < end; ++k) sum += height[e->to[k]];
            e->mean[i] = 0.5 * height[v] + 0.5 * sum / (end - first);
        }
        for (int32_t i = 0; i < n; ++i) height[e->list[i]] = e->mean[i];
    }
    for (int32_t i = 0; i < n; ++i) e->marked[e->list[i]] = false;
}
