/* A frame of the bulge: from regions to patches to vertices, and the brute-force reference.
 * Single-precision bounds carry some slack for rounding; what they leave open is decided in double precision.
 * A vertex that is not a number, or a strand that is not, neither bulges nor touches what is found for others. */
#include "skin/bulge.h"

#include <string.h>

/* ---- the offset of one vertex ------------------------------------------------------------------ */

/* Skin is held down by what is beneath it: a strand that stands off further than TAUT drags it along less and less, and
 * never by more than HIGHEST. Below TAUT equation 19 holds as it is. */
static const double TAUT = 3e-3, HIGHEST = SN_BULGE_HIGHEST; /* m */

static double held(double h)
{
    return h <= TAUT ? h : TAUT + (HIGHEST - TAUT) * tanh((h - TAUT) / (HIGHEST - TAUT));
}

/* Tight skin still lies over a strand, m: the radius of a tendon. */
static const double COVER = 1e-3;

/* A strand as far outside as this is not under this skin at all: in a fold the normal points anywhere. From NEAR on its
 * lift fades. */
static const double NEAR = 2.5e-3, AWAY = SN_BULGE_AWAY; /* m */

static double under(double along)
{
    double t = (along - NEAR) / (AWAY - NEAR);
    return t <= 0 ? 1 : t >= 1 ? 0 : 1 - t * t * (3 - 2 * t);
}

/* c where the skin is as loose as this. */
static double depth_at(const snBulgeShape *s, double loose)
{
    return s->depth > COVER ? COVER + loose * (s->depth - COVER) : s->depth;
}

/* Equation 19: d = at - p, h = max(d n + c, 0), f = a exp(-|d - (d n) n|^2 / 2 b^2), offset w h f. Where the skin is
 * tight (loose below one) c is less: a tendon in its bed is held down there, one that would come through is not. */
static double equation_19(const snBulgeShape *s, v3 p, v3 n, v3 at, double loose)
{
    v3 d = v3_sub(at, p);
    double along = v3_dot(d, n), h = along + depth_at(s, loose);
    if (!(h > 0) || along >= AWAY) return 0;
    double sideways = v3_len2(v3_mad(d, -along, n));
    return under(along) * held(h) * s->height * exp(-sideways / (2 * s->lateral * s->lateral));
}

typedef struct {
    double distance2;
    v3 at;
    int32_t arc;
} Best;

/* Ties go to the arc that comes first, so that the order of looking does not matter. */
static void look_at(const snArcs *arcs, int32_t i, v3 p, Best *best)
{
    double t;
    v3 at;
    double d = sn_arc_closest(arcs->arc + i, p, &t, &at);
    if (d < best->distance2 || (d == best->distance2 && i < best->arc)) *best = (Best){d, at, i};
}

void sn_bulge_add_brute_force(snBulge *b, const snArcs *arcs, const double *vertex, const double *normal,
                              const double *loose, double prominence, double *offset)
{
    for (int32_t patch = 0; patch < b->npatch; ++patch)
        for (int32_t k = b->start[patch]; k < b->start[patch + 1]; ++k) {
            int32_t v = b->vertex[k];
            v3 p = v3_load(vertex + 3 * v);
            Best best = {.distance2 = INFINITY, .arc = -1};
            for (int32_t i = 0; i < arcs->narc; ++i)
                if (sn_bulge_acts(b->mask + patch * b->nword, arcs->arc[i].strand)) look_at(arcs, i, p, &best);
            if (best.arc < 0 || best.distance2 > b->reach * b->reach) continue;
            const snBulgeShape *shape = b->shape + arcs->arc[best.arc].strand;
            offset[v] +=
                prominence * b->influence[v] * equation_19(shape, p, v3_load(normal + 3 * v), best.at, loose[v]);
        }
}

/* ---- regions: candidates from the packs --------------------------------------------------------- */

typedef struct {
    const double *vertex, *normal, *loose;
    double prominence, *offset;
} Frame;

enum { MOST = SN_LANES * SN_LANES, PAIRS = 256 };

/* A region at work. */
typedef struct {
    int32_t index, npatch;
    const int32_t *list;      /* its vertices, patch after patch */
    int32_t start[SN_LANES];  /* first vertex of each patch in the list */
    uint32_t lanes[SN_LANES]; /* of each patch: bit i for its i-th vertex */
    snPoints point[SN_LANES]; /* of each patch */
    snBalls ball;
    v3 middle;     /* of the box around it, from the frame's origin */
    double radius; /* no vertex is further from the middle */
    Best best[MOST];
    int32_t npair, arc[PAIRS], slot[PAIRS], vertex[PAIRS]; /* closest points to be found */
} Region;

/* Vertices that far from the others are as good as not there; what lies in one region with them need not suffer. */
static float single(double x)
{
    return fabs(x) < 1e6 ? (float)x : NAN;
}

static void load_vertex(const Frame *f, v3 origin, int32_t v, snPoints *to, int32_t i)
{
    const double *p = f->vertex + 3 * v, *n = f->normal + 3 * v;
    to->x[i] = single(p[0] - origin.x), to->y[i] = single(p[1] - origin.y), to->z[i] = single(p[2] - origin.z);
    to->nx[i] = (float)n[0], to->ny[i] = (float)n[1], to->nz[i] = (float)n[2], to->loose[i] = (float)f->loose[v];
}

/* What rounding can do to a radius about a place. */
static float rounding(float x, float y, float z)
{
    return 1e-6f + 1e-6f * (fabsf(x) + fabsf(y) + fabsf(z));
}

static void load_balls(const snBulge *b, Region *r)
{
    float x[MOST], y[MOST], z[MOST];
    for (int32_t i = 0; i < SN_LANES; ++i) {
        const snPoints *from = r->point + (i < r->npatch ? i : 0);
        for (int32_t k = 0; k < SN_LANES; ++k)
            x[SN_LANES * k + i] = from->x[k], y[SN_LANES * k + i] = from->y[k], z[SN_LANES * k + i] = from->z[k];
    }
    b->chords->balls(x, y, z, &r->ball);
    for (int32_t i = 0; i < SN_LANES; ++i) r->ball.radius[i] += rounding(r->ball.x[i], r->ball.y[i], r->ball.z[i]);
}

/* The ball around all patches' balls, about the middle of their middles. */
static void load_ball(Region *r)
{
    const snBalls *b = &r->ball;
    v3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < r->npatch; ++i) {
        double x = (double)b->x[i], y = (double)b->y[i], z = (double)b->z[i];
        low = v3_of(x < low.x ? x : low.x, y < low.y ? y : low.y, z < low.z ? z : low.z);
        high = v3_of(x > high.x ? x : high.x, y > high.y ? y : high.y, z > high.z ? z : high.z);
    }
    r->middle = v3_lerp(low, high, 0.5), r->radius = 0;
    for (int32_t i = 0; i < r->npatch; ++i) {
        double d = v3_dist(v3_of((double)b->x[i], (double)b->y[i], (double)b->z[i]), r->middle) + (double)b->radius[i];
        r->radius = d > r->radius ? d : r->radius;
    }
}

static void load_region(const snBulge *b, v3 origin, const Frame *f, int32_t index, Region *r)
{
    int32_t first = b->region[index];
    r->index = index, r->npatch = b->region[index + 1] - first, r->npair = 0;
    r->list = b->vertex + b->start[first];
    for (int32_t i = 0; i < r->npatch; ++i) {
        int32_t start = b->start[first + i], n = b->start[first + i + 1] - start;
        r->start[i] = start - b->start[first], r->lanes[i] = (1u << n) - 1;
        for (int32_t k = 0; k < SN_LANES; ++k)
            load_vertex(f, origin, b->vertex[start + (k < n ? k : n - 1)], r->point + i, k);
        for (int32_t k = 0; k < n; ++k) r->best[r->start[i] + k] = (Best){.distance2 = INFINITY, .arc = -1};
    }
    load_balls(b, r);
    load_ball(r);
}

/* What the vertices of the region are from the nearest arc of the last frame at most; that arc acts on all of them. */
static float first_bound(const snBulge *b, const snArcs *arcs, const Region *r)
{
    int32_t last = b->last[r->index];
    double bound = b->reach;
    if (last >= 0) {
        v3 p = v3_add(r->middle, arcs->origin);
        double known = sn_arc_chord_distance(arcs->arc + last, p) + arcs->arc[last].slack + r->radius;
        bound = known < bound ? known : bound;
    }
    return (float)(bound + 1e-6);
}

static snChord chord_of(const snPack *pack, int32_t i, const snBulgeShape *shape, uint32_t acts)
{
    double cover = depth_at(shape, 0), give = depth_at(shape, 1) - cover;
    return (snChord){pack->ax[i],      pack->ay[i],    pack->az[i],           pack->cx[i], pack->cy[i],   pack->cz[i],
                     pack->inverse[i], pack->slack[i], (float)(cover + 1e-6), (float)give, pack->arc + i, acts};
}

/* Adds the arcs of a pack that are not surely further than the bound; one that acts on all patches may tighten it. */
static int32_t unpack(snBulge *b, const snArcs *arcs, const snBulgeNear *near, const Region *r, float radius,
                      float *bound, int32_t count)
{
    const snPack *pack = arcs->pack + near->pack;
    float x = (float)r->middle.x, y = (float)r->middle.y, z = (float)r->middle.z, distance[SN_LANES];
    float dx = pack->x - x, dy = pack->y - y, dz = pack->z - z, limit = *bound + radius + pack->radius;
    if (dx * dx + dy * dy + dz * dz > limit * limit) return count;
    bool tighten = near->acts == (1u << r->npatch) - 1;
    for (uint32_t left = b->chords->pack(pack, x, y, z, *bound + radius, distance); left; left &= left - 1) {
        int32_t i = (int32_t)__builtin_ctz(left);
        float upper = distance[i] + pack->slack[i] + radius;
        if (tighten && upper < *bound) *bound = upper, b->last[r->index] = pack->arc + i;
        b->scratch.nearest[count] = distance[i] - pack->slack[i] - radius;
        b->scratch.chord[count++] = chord_of(pack, i, b->shape + pack->strand, near->acts);
    }
    return count;
}

/* Arcs that may hold the closest point of a vertex of the region. An arc at distance d from the middle is at least
 * d - radius - slack from every vertex; some arc is at most bound = min(d + radius + slack) from every vertex. */
static int32_t collect(snBulge *b, const snArcs *arcs, const Region *r)
{
    const snBulgeScratch *s = &b->scratch;
    int32_t count = 0, kept = 0;
    float bound = first_bound(b, arcs, r), radius = (float)r->radius;
    radius += rounding((float)r->middle.x, (float)r->middle.y, (float)r->middle.z);
    for (int32_t i = b->near_start[r->index]; i < b->near_start[r->index + 1]; ++i)
        count = unpack(b, arcs, b->near + i, r, radius, &bound, count);
    for (int32_t i = 0; i < count; ++i)
        if (!(s->nearest[i] > bound)) s->chord[kept++] = s->chord[i];
    return kept;
}

/* ---- patches and vertices ------------------------------------------------------------------------ */

/* The candidates of the region that are open to a patch. */
static int32_t take_part(const snBulgeScratch *s, int32_t ncandidate, int32_t patch)
{
    int32_t count = 0;
    for (int32_t first = 0; first < ncandidate; first += 32)
        for (uint32_t open = s->open[SN_LANES * (first / 32) + patch]; open; open &= open - 1)
            s->part[count++] = first + (int32_t)__builtin_ctz(open);
    return count;
}

/* Finds the closest points of the pairs that wait. Ties go to the arc that comes first, so that the order of looking
 * does not matter. */
static void decide(snBulge *b, const snArcs *arcs, const Frame *f, Region *r)
{
    double distance2[PAIRS], at[3 * PAIRS];
    b->chords->closest(r->npair, arcs->arc, r->arc, f->vertex, r->vertex, distance2, at);
    for (int32_t i = 0; i < r->npair; ++i) {
        Best *best = r->best + r->slot[i];
        double d = distance2[i];
        if (d < best->distance2 || (d == best->distance2 && r->arc[i] < best->arc))
            *best = (Best){d, v3_load(at + 3 * i), r->arc[i]};
    }
    b->evaluations += r->npair, r->npair = 0;
}

/* Pairs each vertex of the patch under which something may show with the arcs that are open to it. */
static void pair(snBulge *b, const snArcs *arcs, const Frame *f, int32_t n, int32_t patch, Region *r)
{
    const snBulgeScratch *s = &b->scratch;
    float reach = (float)(b->reach + 1e-6);
    uint32_t lanes =
        r->lanes[patch] & b->chords->points(n, s->part, s->chord, r->point + patch, reach, s->distance2, s->part_open);
    for (int32_t k = 0; lanes && k < n; ++k)
        for (uint32_t open = s->part_open[k] & lanes; open; open &= open - 1) {
            int32_t slot = r->start[patch] + (int32_t)__builtin_ctz(open);
            if (r->npair == PAIRS) decide(b, arcs, f, r);
            r->arc[r->npair] = s->chord[s->part[k]].arc, r->slot[r->npair] = slot;
            r->vertex[r->npair++] = r->list[slot];
        }
}

static void add_region(snBulge *b, const snArcs *arcs, const Frame *f, Region *r)
{
    const snBulgeScratch *s = &b->scratch;
    int32_t ncandidate = collect(b, arcs, r),
            nvertex = b->start[b->region[r->index + 1]] - b->start[b->region[r->index]];
    b->chords->patches(ncandidate, s->chord, &r->ball, (float)(b->reach + 1e-6), s->distance2, s->open);
    for (int32_t i = 0; i < r->npatch; ++i) pair(b, arcs, f, take_part(s, ncandidate, i), i, r);
    decide(b, arcs, f, r);
    for (int32_t i = 0; i < nvertex; ++i) {
        const Best *best = r->best + i;
        int32_t v = r->list[i];
        if (best->arc < 0 || best->distance2 > b->reach * b->reach) continue;
        f->offset[v] += f->prominence * b->influence[v] *
                        equation_19(b->shape + arcs->arc[best->arc].strand, v3_load(f->vertex + 3 * v),
                                    v3_load(f->normal + 3 * v), best->at, f->loose[v]);
    }
}

void sn_bulge_add(snBulge *b, const snArcs *arcs, const double *vertex, const double *normal, const double *loose,
                  double prominence, double *offset)
{
    Frame f = {vertex, normal, loose, prominence, offset};
    Region region;
    if (!arcs->narc || !(b->reach > 0)) return;
    for (int32_t r = 0; r < b->nregion; ++r) {
        load_region(b, arcs->origin, &f, r, &region);
        add_region(b, arcs, &f, &region);
    }
}
