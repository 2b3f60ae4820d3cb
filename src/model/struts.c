/* The tree is grown strand by strand (Prim); the distance of two strands is the mean over points at equal fractions. */
#include "model/struts.h"

#include "model/check.h"

#include <math.h>

enum { SAMPLES = 9 };

typedef struct {
    int32_t n;
    snId *strand;
    v3 *point;    /* SAMPLES each */
    double *near; /* distance to the tree */
    int32_t *via; /* the nearest strand of the tree, -1: the strand is in it */
} Tree;

static int32_t list_strands(const snSpec *spec, const char *names, snId *strand)
{
    char name[SN_NAME_MAX + 1];
    int32_t n = 0;
    for (const char *at = names; sn_next_name(&at, name);) {
        snId id = sn_spec_find(spec, SN_KIND_STRAND, name);
        if (!id || !sn_spec_strand(spec, id)->enabled) continue;
        if (strand) strand[n] = id;
        ++n;
    }
    return n;
}

static double distance(const Tree *t, int32_t a, int32_t b)
{
    double sum = 0;
    for (int k = 0; k < SAMPLES; ++k) sum += v3_dist(t->point[a * SAMPLES + k], t->point[b * SAMPLES + k]) / SAMPLES;
    return sum;
}

static bool make_tree(const snSpec *spec, const snGroupDef *group, snArena *memory, Tree *t)
{
    t->n = list_strands(spec, group->strands, NULL);
    size_t n = (size_t)t->n;
    t->strand = sn_arena_alloc(memory, n, sizeof *t->strand);
    t->point = sn_arena_alloc(memory, SAMPLES * n, sizeof *t->point);
    t->near = sn_arena_alloc(memory, n, sizeof *t->near);
    t->via = sn_arena_alloc(memory, n, sizeof *t->via);
    if (!t->strand || !t->point || !t->near || !t->via) return false;
    list_strands(spec, group->strands, t->strand);
    for (int32_t i = 0; i < t->n; ++i)
        for (int k = 0; k < SAMPLES; ++k)
            t->point[i * SAMPLES + k] = sn_strand_drawn_point(
                spec, t->strand[i], group->start + (group->end - group->start) * k / (SAMPLES - 1));
    for (int32_t i = 0; i < t->n; ++i) t->near[i] = INFINITY;
    return true;
}

/* Takes a strand into the tree; the others may be nearer to it than to what was there. */
static void take(Tree *t, int32_t strand)
{
    t->via[strand] = -1;
    for (int32_t i = 0; i < t->n; ++i) {
        double d = t->via[i] < 0 ? INFINITY : distance(t, strand, i);
        if (d < t->near[i]) t->near[i] = d, t->via[i] = strand;
    }
}

static int32_t nearest(const Tree *t)
{
    int32_t best = -1;
    for (int32_t i = 0; i < t->n; ++i)
        if (t->via[i] >= 0 && (best < 0 || t->near[i] < t->near[best])) best = i;
    return best;
}

bool sn_place_struts(const snSpec *spec, const snGroupDef *group, int32_t count, snArena *memory, snStrutPlace **place,
                     int32_t *nplace)
{
    Tree t = {0};
    *nplace = 0;
    if (!make_tree(spec, group, memory, &t)) return false;
    if (t.n < 2 || count < 1) return true;
    *place = sn_arena_alloc(memory, (size_t)(t.n - 1) * (size_t)count, sizeof **place);
    if (!*place) return false;
    take(&t, 0);
    for (int32_t pair = 0, i; (i = nearest(&t)) >= 0; ++pair) {
        for (int32_t k = 0; k < count; ++k) {
            double at = count > 1 ? (double)k / (count - 1) : 0.5;
            (*place)[(*nplace)++] = (snStrutPlace){.strand = t.strand[t.via[i]],
                                                   .other = t.strand[i],
                                                   .position = group->start + at * (group->end - group->start),
                                                   .pair = pair,
                                                   .index = k};
        }
        take(&t, i);
    }
    return true;
}
