/* A belly of volume V = pi r^2 L keeps V, so its radius grows as sqrt(L0 / L). The thickening is largest in the middle
 * of the belly and none at its ends; a vertex gets the part that faces it, fading with the depth of flesh between. */
#include "skin/belly.h"

#include "base/alloc.h"
#include "base/error.h"

/* Flesh between belly and skin through which nothing shows any more, m. Authored. */
static const double FADE = 0.012;

static double belly_length(const snBelly *b, const snArcs *arcs, int32_t strand)
{
    double sum = 0;
    for (int32_t i = b->first[strand]; i < b->end[strand]; ++i) sum += v3_len(arcs->arc[i].chord);
    return sum;
}

static void find_belly(snBelly *b, const snArcs *arcs, const snSkinStrand *strand, int32_t k)
{
    int32_t first = arcs->strand_arc[k], end = arcs->strand_arc[k + 1];
    while (first < end && 0.5 * (arcs->s0[first] + arcs->s1[first]) < strand[k].belly_start) ++first;
    while (end > first && 0.5 * (arcs->s0[end - 1] + arcs->s1[end - 1]) > strand[k].belly_end) --end;
    if (!(strand[k].belly_radius > 0) || !(strand[k].belly_end > strand[k].belly_start)) end = first;
    b->first[k] = first, b->end[k] = end, b->radius[k] = end > first ? strand[k].belly_radius : 0;
    b->rest_length[k] = belly_length(b, arcs, k);
}

/* How much of the thickening of strand k reaches a vertex. */
static double share_of(const snBelly *b, const snArcs *arcs, int32_t k, v3 p, v3 n)
{
    double least = INFINITY, t = 0, along = 0, limit = b->radius[k] + FADE;
    v3 at = {0}, best = {0};
    for (int32_t i = b->first[k]; i < b->end[k]; ++i) {
        const snArc *arc = arcs->arc + i;
        if (sn_arc_chord_distance(arc, p) - arc->slack > limit) continue;
        double d = sn_arc_closest(arc, p, &t, &at);
        if (d < least) least = d, best = at, along = (i - b->first[k] + t) / (b->end[k] - b->first[k]);
    }
    double distance = sqrt(least), between = fmax(0, distance - b->radius[k]) / FADE;
    if (!(distance < limit)) return 0;
    double facing = distance > 1e-9 ? v3_dot(v3_sub(p, best), n) / distance : 1;
    double fade = 1 - between * between;
    return facing > 0 ? facing * sin(SN_PI * along) * fade * fade : 0;
}

/* What reaches one vertex, the largest first. */
typedef struct {
    int32_t strand[SN_BELLIES];
    double share[SN_BELLIES];
} Shares;

static void keep(Shares *s, int32_t strand, double share)
{
    int at = SN_BELLIES - 1;
    if (!(share > 0.02 && share > s->share[at])) return;
    for (; at > 0 && share > s->share[at - 1]; --at) s->share[at] = s->share[at - 1], s->strand[at] = s->strand[at - 1];
    s->share[at] = share, s->strand[at] = strand;
}

/* Bellies side by side push the skin together no more than one alone does. */
static void bind_vertex(snBelly *b, const snArcs *arcs, int32_t v, v3 p, v3 n, double influence)
{
    Shares s = {0};
    double sum = 0;
    for (int32_t k = 0; k < b->nstrand; ++k)
        if (b->radius[k] > 0) keep(&s, k, share_of(b, arcs, k, p, n));
    for (int i = 0; i < SN_BELLIES; ++i) sum += s.share[i];
    for (int i = 0; i < SN_BELLIES; ++i) {
        double share = s.share[i] * (influence / fmax(1, sum));
        if (share == 0) break;
        b->vertex[b->nshare] = v, b->strand[b->nshare] = s.strand[i], b->share[b->nshare++] = share;
    }
}

static bool take_shares(snBelly *b, int32_t nvertex, snMemo *memo)
{
    int32_t n = 0;
    if (!sn_memo_take(memo, &n, sizeof n) || n < 0 || n > SN_BELLIES * nvertex) return false;
    size_t count = (size_t)n;
    bool taken = sn_memo_take(memo, b->vertex, count * sizeof *b->vertex) &&
                 sn_memo_take(memo, b->strand, count * sizeof *b->strand) &&
                 sn_memo_take(memo, b->share, count * sizeof *b->share);
    if (taken) b->nshare = n;
    return taken;
}

static void keep_shares(const snBelly *b, snMemo *memo)
{
    size_t count = (size_t)b->nshare;
    sn_memo_keep(memo, &b->nshare, sizeof b->nshare);
    sn_memo_keep(memo, b->vertex, count * sizeof *b->vertex);
    sn_memo_keep(memo, b->strand, count * sizeof *b->strand);
    sn_memo_keep(memo, b->share, count * sizeof *b->share);
}

snStatus sn_belly_create(const snTriMesh *skin, const double *normal, const snArcs *arcs, const snSkinStrand *strand,
                         const double *influence, snMemo *memo, snBelly *b, snError *error)
{
    int32_t n = skin->nvertex, ns = arcs->nstrand;
    *b = (snBelly){.nstrand = ns};
    b->vertex = SN_NEW_ARRAY(int32_t, SN_BELLIES * n), b->strand = SN_NEW_ARRAY(int32_t, SN_BELLIES * n);
    b->share = SN_NEW_ARRAY(double, SN_BELLIES *n);
    b->first = SN_NEW_ARRAY(int32_t, ns), b->end = SN_NEW_ARRAY(int32_t, ns), b->radius = SN_NEW_ARRAY(double, ns);
    b->rest_length = SN_NEW_ARRAY(double, ns), b->thickening = SN_NEW_ARRAY(double, ns);
    if (!b->vertex || !b->strand || !b->share || !b->first || !b->end || !b->radius || !b->rest_length ||
        !b->thickening)
        return sn_fail_no_memory(error);
    for (int32_t k = 0; k < ns; ++k) find_belly(b, arcs, strand, k);
    if (take_shares(b, n, memo)) return SN_OK;
    for (int32_t v = 0; v < n; ++v)
        bind_vertex(b, arcs, v, sn_trimesh_point(skin, v), v3_load(normal + 3 * v), influence ? influence[v] : 1);
    keep_shares(b, memo);
    return SN_OK;
}

void sn_belly_free(snBelly *b)
{
    sn_free(b->vertex), sn_free(b->strand), sn_free(b->share), sn_free(b->first), sn_free(b->end);
    sn_free(b->radius), sn_free(b->rest_length), sn_free(b->thickening);
    *b = (snBelly){0};
}

void sn_belly_add(snBelly *b, const snArcs *arcs, double factor, double *offset)
{
    for (int32_t k = 0; k < b->nstrand; ++k) {
        double length = b->radius[k] > 0 ? belly_length(b, arcs, k) : 0;
        if (!(length > 0)) continue;
        double stretch = fmax(0.4, fmin(2.5, length / b->rest_length[k]));
        b->thickening[k] = factor * b->radius[k] * (1 / sqrt(stretch) - 1);
    }
    for (int32_t i = 0; i < b->nshare; ++i) offset[b->vertex[i]] += b->share[i] * b->thickening[b->strand[i]];
}
