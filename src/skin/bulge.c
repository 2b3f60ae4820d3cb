/* Setting up the bulge. Invariants: every vertex within reach of a strand is in one patch, painted or not, so that what
 * strands do next to the border of the paint does not depend on the paint; every patch is in one region; the patches'
 * masks are made once, in the rest pose, from what a vertex sees through the flesh: a strand of another finger is near
 * but not under this skin. */
#include "skin/bulge.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geom/bvh.h"
#include "skin/clusters.h"

#include <string.h>

/* ---- set-up: influence and patches ------------------------------------------------------------- */

/* How far from a vertex a strand may lie in the rest pose, and how much deeper than shows, and still act on it later:
 * tendons slide, lift off and bow by some millimetres, and the bulge falls off within a few b. */
static const double ACTING_DISTANCE = 0.020, ACTING_DEPTH = 0.006;

typedef struct {
    const snTriMesh *skin;
    const double *normal;
    const snArcs *arcs;
    const snBulgeShape *shape;
    snBvh *tree;
    snFans fans;
    int32_t *patch;        /* per vertex, -1: none yet */
    double *nearest;       /* per vertex: distance of the nearest strand that it sees */
    uint64_t *sees;        /* nword per vertex */
    int32_t *start, *list; /* vertices of patch i: list[start[i]] .. */
} Setup;

/* Nearest point of each strand within the distance; strands that the vertex sees get their bit. */
static void look_from(Setup *s, int32_t nword, int32_t v)
{
    v3 p = sn_trimesh_point(s->skin, v), inside = v3_mad(p, -2e-4, v3_load(s->normal + 3 * v));
    for (int32_t k = 0; k < s->arcs->nstrand; ++k) {
        double least = ACTING_DISTANCE * ACTING_DISTANCE, t;
        v3 at, best = {0};
        bool found = false;
        for (int32_t i = s->arcs->strand_arc[k]; i < s->arcs->strand_arc[k + 1]; ++i) {
            const snArc *arc = s->arcs->arc + i;
            if (sn_arc_chord_distance(arc, p) - arc->slack > ACTING_DISTANCE) continue;
            double d = sn_arc_closest(arc, p, &t, &at);
            if (d < least) least = d, best = at, found = true;
        }
        double depth = v3_dot(v3_sub(p, best), v3_load(s->normal + 3 * v));
        if (!found || depth > s->shape[k].depth + ACTING_DEPTH) continue;
        /* a strand that lies on the skin or sticks out of it a little is this skin's own */
        if (least > 0.003 * 0.003 && sn_bvh_segment_crosses(s->tree, inside, best)) continue;
        s->sees[(size_t)v * (size_t)nword + (size_t)(k / 64)] |= (uint64_t)1 << (k % 64);
        s->nearest[v] = fmin(s->nearest[v], sqrt(least));
    }
}

static double fade(double distance)
{
    double t = fmax(0, fmin(1, (distance / ACTING_DISTANCE - 0.6) / 0.4));
    return 1 - t * t * (3 - 2 * t);
}

enum { UNASSIGNED = -1, OUT_OF_REACH = -2, REGION_VERTICES = 8 * SN_LANES };

/* Cuts the vertices of a region at the middle of their longest side until a patch is left. All patches but one of a
 * region are full, so there are SN_LANES of them at most. */
static void make_patches(const Setup *s, snBulge *b, int32_t *member, int32_t n)
{
    if (n <= SN_LANES) {
        int32_t first = s->start[b->npatch];
        memcpy(s->list + first, member, sizeof *member * (size_t)n);
        s->start[++b->npatch] = first + n;
        return;
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            low[c] = fmin(low[c], s->skin->vertex[3 * member[i] + c]);
            high[c] = fmax(high[c], s->skin->vertex[3 * member[i] + c]);
        }
    double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    const double *at = s->skin->vertex + axis;
    for (int32_t i = 1; i < n; ++i) /* a few dozen: sorted by insertion */
        for (int32_t k = i; k > 0 && at[3 * member[k]] < at[3 * member[k - 1]]; --k) {
            int32_t swap = member[k];
            member[k] = member[k - 1], member[k - 1] = swap;
        }
    int32_t half = (n / SN_LANES + 1) / 2 * SN_LANES; /* whole patches on the left */
    if (half >= n) half = n / 2;
    make_patches(s, b, member, half);
    make_patches(s, b, member + half, n - half);
}

static bool make_regions(Setup *s, snBulge *b)
{
    int32_t n = s->skin->nvertex, member[REGION_VERTICES];
    s->start = SN_NEW_ARRAY(int32_t, n + 1), s->list = SN_NEW_ARRAY(int32_t, n);
    b->region = SN_NEW_ARRAY(int32_t, n + 1), b->last = SN_NEW_ARRAY(int32_t, n);
    if (!s->start || !s->list || !b->region || !b->last) return false;
    for (int32_t v = 0; v < n; ++v) s->patch[v] = b->reached[v] ? UNASSIGNED : OUT_OF_REACH;
    for (int32_t v = 0; v < n; ++v) {
        if (s->patch[v] != UNASSIGNED) continue;
        int32_t count =
            sn_cluster_grow(s->skin, &s->fans, s->patch, UNASSIGNED, b->nregion, v, REGION_VERTICES, INFINITY, member);
        make_patches(s, b, member, count);
        b->last[b->nregion++] = -1;
        b->region[b->nregion] = b->npatch;
    }
    return true;
}

static bool fill_patches(const Setup *s, snBulge *b)
{
    b->count = SN_NEW_ARRAY(int32_t, b->npatch), b->vertex = SN_NEW_ARRAY(int32_t, SN_LANES * b->npatch);
    b->mask = SN_NEW_ARRAY(uint64_t, (size_t)b->npatch * (size_t)b->nword);
    if (!b->count || !b->vertex || !b->mask) return false;
    for (int32_t i = 0; i < b->npatch; ++i) {
        b->count[i] = s->start[i + 1] - s->start[i];
        for (int32_t k = 0; k < SN_LANES; ++k) {
            int32_t v = s->list[s->start[i] + (k < b->count[i] ? k : b->count[i] - 1)];
            b->vertex[SN_LANES * i + k] = v;
            for (int32_t w = 0; w < b->nword; ++w) b->mask[i * b->nword + w] |= s->sees[v * b->nword + w];
        }
    }
    return true;
}

static uint32_t acts_on(const snBulge *b, int32_t region, int32_t strand)
{
    uint32_t acts = 0;
    for (int32_t i = b->region[region]; i < b->region[region + 1]; ++i)
        if (sn_bulge_acts(b->mask + i * b->nword, strand)) acts |= 1u << (i - b->region[region]);
    return acts;
}

/* Lists the packs near a region, or only counts them. */
static int32_t list_near(const snBulge *b, const snArcs *arcs, int32_t region, snBulgeNear *to)
{
    uint32_t all = (1u << (b->region[region + 1] - b->region[region])) - 1;
    int32_t count = 0;
    for (int common = 1; common >= 0; --common)
        for (int32_t i = 0; i < arcs->npack; ++i) {
            uint32_t acts = acts_on(b, region, arcs->pack[i].strand);
            if (!acts || (acts == all) != common) continue;
            if (to) to[count] = (snBulgeNear){i, acts};
            ++count;
        }
    return count;
}

static bool make_near(snBulge *b, const snArcs *arcs)
{
    b->near_start = SN_NEW_ARRAY(int32_t, b->nregion + 1);
    if (!b->near_start) return false;
    for (int32_t r = 0; r < b->nregion; ++r) b->near_start[r + 1] = b->near_start[r] + list_near(b, arcs, r, NULL);
    b->near = SN_NEW_ARRAY(snBulgeNear, b->near_start[b->nregion]);
    for (int32_t r = 0; b->near && r < b->nregion; ++r) (void)list_near(b, arcs, r, b->near + b->near_start[r]);
    return b->near != NULL;
}

/* What every vertex sees: most of the work. */
static bool look_around(Setup *s, int32_t nword, snMemo *memo)
{
    size_t n = (size_t)s->skin->nvertex, sees = n * (size_t)nword * sizeof *s->sees, nearest = n * sizeof *s->nearest;
    if (sn_memo_take(memo, s->sees, sees) && sn_memo_take(memo, s->nearest, nearest)) return true;
    s->tree = sn_bvh_create(s->skin);
    if (!s->tree) return false;
    memset(s->sees, 0, sees);
    for (int32_t v = 0; v < s->skin->nvertex; ++v) {
        s->nearest[v] = INFINITY;
        look_from(s, nword, v);
    }
    sn_memo_keep(memo, s->sees, sees);
    sn_memo_keep(memo, s->nearest, nearest);
    return true;
}

static bool set_up(Setup *s, snBulge *b, const double *influence, snMemo *memo)
{
    int32_t n = s->skin->nvertex;
    s->patch = SN_NEW_ARRAY(int32_t, n), s->nearest = SN_NEW_ARRAY(double, n);
    s->sees = SN_NEW_ARRAY(uint64_t, (size_t)n * (size_t)b->nword + 1);
    b->influence = SN_NEW_ARRAY(double, n), b->owner = SN_NEW_ARRAY(int32_t, n), b->reached = SN_NEW_ARRAY(bool, n);
    if (!s->patch || !s->nearest || !s->sees || !b->influence || !b->owner || !b->reached ||
        !sn_fans_create(s->skin, &s->fans) || !look_around(s, b->nword, memo))
        return false;
    for (int32_t v = 0; v < n; ++v) {
        b->reached[v] = s->nearest[v] < ACTING_DISTANCE;
        if (b->reached[v]) b->influence[v] = influence ? influence[v] : fade(s->nearest[v]);
    }
    return make_regions(s, b) && fill_patches(s, b) && make_near(b, s->arcs);
}

/* A strand lifts the skin only if it lies between its depth and SN_BULGE_AWAY along the normal, and by less than a
 * nanometre if it is further away sideways than this. */
static double reach_of(const snBulgeShape *shape, int32_t n)
{
    double reach = 0;
    for (int32_t i = 0; i < n; ++i) {
        double highest = fabs(shape[i].height) * SN_BULGE_HIGHEST, along = fmax(SN_BULGE_AWAY, shape[i].depth);
        if (!(highest > 1e-9) || shape[i].depth <= -SN_BULGE_AWAY) continue;
        double sideways = shape[i].lateral * sqrt(2 * log(highest / 1e-9));
        reach = fmax(reach, sqrt(sideways * sideways + along * along));
    }
    return reach;
}

static bool make_scratch(snBulgeScratch *s, int32_t narc)
{
    size_t n = (size_t)narc + 4 * SN_LANES;
    s->arc = SN_NEW_ARRAY(int32_t, n), s->acts = SN_NEW_ARRAY(uint32_t, n), s->nearest = SN_NEW_ARRAY(float, n);
    s->distance2 = SN_NEW_ARRAY(float, SN_LANES *n), s->open = SN_NEW_ARRAY(uint32_t, n);
    s->part = SN_NEW_ARRAY(int32_t, n), s->part_open = SN_NEW_ARRAY(uint8_t, n);
    return s->arc && s->acts && s->nearest && s->distance2 && s->open && s->part && s->part_open;
}

snStatus sn_bulge_create(const snTriMesh *skin, const double *normal, const snArcs *arcs, const snBulgeShape *shape,
                         const double *influence, snMemo *memo, snBulge *bulge, snError *error)
{
    Setup s = {.skin = skin, .normal = normal, .arcs = arcs, .shape = shape};
    *bulge = (snBulge){.nvertex = skin->nvertex, .nword = (arcs->nstrand + 63) / 64, .chords = sn_chords_best()};
    bulge->shape = SN_NEW_ARRAY(snBulgeShape, arcs->nstrand);
    bulge->chord = SN_NEW_ARRAY(snChord, arcs->narc);
    bool fine =
        bulge->shape && bulge->chord && make_scratch(&bulge->scratch, arcs->narc) && set_up(&s, bulge, influence, memo);
    if (fine) {
        memcpy(bulge->shape, shape, sizeof *shape * (size_t)arcs->nstrand);
        bulge->reach = reach_of(shape, arcs->nstrand);
    }
    sn_bvh_destroy(s.tree);
    sn_fans_free(&s.fans);
    sn_free(s.patch), sn_free(s.nearest), sn_free(s.sees), sn_free(s.start), sn_free(s.list);
    return fine ? SN_OK : sn_fail_no_memory(error);
}

void sn_bulge_free(snBulge *b)
{
    snBulgeScratch *s = &b->scratch;
    sn_free(b->region), sn_free(b->count), sn_free(b->vertex), sn_free(b->mask);
    sn_free(b->near_start), sn_free(b->near), sn_free(b->last), sn_free(b->shape), sn_free(b->influence);
    sn_free(b->owner), sn_free(b->reached);
    sn_free(b->chord);
    sn_free(s->arc), sn_free(s->acts), sn_free(s->nearest), sn_free(s->distance2), sn_free(s->open);
    sn_free(s->part), sn_free(s->part_open);
    *b = (snBulge){0};
}
