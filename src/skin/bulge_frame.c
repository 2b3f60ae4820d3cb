/* A frame of the bulge: from regions to patches to vertices, and the brute-force reference.
 * Single-precision bounds carry some slack for rounding; what they leave open is decided in double precision.
 * A vertex that is not a number, or a strand that is not, neither bulges nor touches what is found for others. */
#include "skin/bulge.h"

#include <string.h>

/* ---- the height of one vertex ------------------------------------------------------------------ */

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

/* Equation 19: d = at - p, h = max(d n + c, 0), f = a exp(-|d - (d n) n|^2 / 2 b^2), height h f. Where the skin is
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

static void forget(snBulge *b, double *height)
{
    for (int32_t v = 0; v < b->nvertex; ++v) b->owner[v] = -1, height[v] = 0;
}

void sn_bulge_heights_brute_force(snBulge *b, const snArcs *arcs, const double *vertex, const double *normal,
                                  const double *loose, double *height)
{
    forget(b, height);
    for (int32_t patch = 0; patch < b->npatch; ++patch)
        for (int32_t k = 0; k < b->count[patch]; ++k) {
            int32_t v = b->vertex[SN_LANES * patch + k];
            v3 p = v3_load(vertex + 3 * v);
            Best best = {.distance2 = INFINITY, .arc = -1};
            for (int32_t i = 0; i < arcs->narc; ++i)
                if (sn_bulge_acts(b->mask + patch * b->nword, arcs->arc[i].strand)) look_at(arcs, i, p, &best);
            if (best.arc < 0 || best.distance2 > b->reach * b->reach) continue;
            int32_t strand = arcs->arc[best.arc].strand;
            height[v] = equation_19(b->shape + strand, p, v3_load(normal + 3 * v), best.at, loose[v]);
            if (height[v] > 0) b->owner[v] = strand;
        }
}

/* ---- regions: candidates from the packs --------------------------------------------------------- */

typedef struct {
    const double *vertex, *normal, *loose;
    double *height;
} Frame;

enum { PAIRS = 256 };

/* A region at work. */
typedef struct {
    int32_t index, first, npatch; /* its patches */
    snPoints point[SN_LANES];     /* of each patch */
    snBalls ball;                 /* around each patch */
    v3 middle;                    /* from the frame's origin */
    double radius;                /* no vertex is further from the middle */
    Best best[SN_LANES * SN_LANES];
    int32_t npair, arc[PAIRS], slot[PAIRS], vertex[PAIRS]; /* closest points to be found */
} Region;

/* What rounding can do to a radius about a place. */
static float rounding(float x, float y, float z)
{
    return 1e-6f + 1e-6f * (fabsf(x) + fabsf(y) + fabsf(z));
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

static void load_region(const snBulge *b, const double *origin, const Frame *f, int32_t index, Region *r)
{
    r->index = index, r->first = b->region[index], r->npatch = b->region[index + 1] - r->first, r->npair = 0;
    for (int32_t i = 0; i < r->npatch; ++i)
        b->chords->load(b->vertex + SN_LANES * (r->first + i), f->vertex, f->normal, f->loose, origin, r->point + i);
    for (int32_t i = r->npatch; i < SN_LANES; ++i) r->point[i] = r->point[0];
    b->chords->balls(r->point, &r->ball);
    for (int32_t i = 0; i < r->npatch; ++i) r->ball.radius[i] += rounding(r->ball.x[i], r->ball.y[i], r->ball.z[i]);
    load_ball(r);
    for (int32_t i = 0; i < SN_LANES * r->npatch; ++i) r->best[i].distance2 = INFINITY, r->best[i].arc = -1;
}

/* The packs' chords one by one. */
static void load_chords(snBulge *b, const snArcs *arcs)
{
    for (int32_t k = 0; k < arcs->npack; ++k) {
        const snPack *p = arcs->pack + k;
        const snBulgeShape *shape = b->shape + p->strand;
        double cover = depth_at(shape, 0), give = depth_at(shape, 1) - cover;
        int32_t end = arcs->strand_arc[p->strand + 1];
        for (int32_t i = 0; i < SN_LANES && p->arc + i < end; ++i)
            b->chord[p->arc + i] = (snChord){p->ax[i],      p->ay[i],    p->az[i],
                                             p->cx[i],      p->cy[i],    p->cz[i],
                                             p->inverse[i], p->slack[i], (float)(cover + 1e-6),
                                             (float)give};
    }
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

/* Adds the arcs of a pack that are not surely further than the bound; one that acts on all patches may tighten it. */
static int32_t unpack(snBulge *b, const snArcs *arcs, const snBulgeNear *near, const Region *r, float radius,
                      float *bound, int32_t count)
{
    const snBulgeScratch *s = &b->scratch;
    const snPack *pack = arcs->pack + near->pack;
    float x = (float)r->middle.x, y = (float)r->middle.y, z = (float)r->middle.z, distance[SN_LANES];
    float dx = pack->x - x, dy = pack->y - y, dz = pack->z - z, limit = *bound + radius + pack->radius;
    if (dx * dx + dy * dy + dz * dz > limit * limit) return count;
    bool tighten = near->acts == (1u << r->npatch) - 1;
    for (uint32_t left = b->chords->pack(pack, x, y, z, *bound + radius, distance); left; left &= left - 1) {
        int32_t i = (int32_t)__builtin_ctz(left);
        float upper = distance[i] + pack->slack[i] + radius;
        if (tighten && upper < *bound) *bound = upper, b->last[r->index] = pack->arc + i;
        s->nearest[count] = distance[i] - pack->slack[i] - radius;
        s->arc[count] = pack->arc + i, s->acts[count++] = near->acts;
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
        if (!(s->nearest[i] > bound)) s->arc[kept] = s->arc[i], s->acts[kept++] = s->acts[i];
    return kept;
}

/* ---- patches and vertices ------------------------------------------------------------------------ */

/* The candidates of the region that are open to a patch. */
static int32_t take_part(const snBulgeScratch *s, int32_t ncandidate, int32_t patch)
{
    int32_t count = 0;
    for (int32_t first = 0; first < ncandidate; first += 32)
        for (uint32_t open = s->open[SN_LANES * (first / 32) + patch]; open; open &= open - 1)
            s->part[count++] = s->arc[first + (int32_t)__builtin_ctz(open)];
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
    uint32_t lanes = (1u << b->count[r->first + patch]) - 1;
    lanes &= b->chords->points(n, s->part, b->chord, r->point + patch, reach, s->distance2, s->part_open);
    for (int32_t k = 0; lanes && k < n; ++k)
        for (uint32_t open = s->part_open[k] & lanes; open; open &= open - 1) {
            int32_t slot = SN_LANES * patch + (int32_t)__builtin_ctz(open);
            if (r->npair == PAIRS) decide(b, arcs, f, r);
            r->arc[r->npair] = s->part[k], r->slot[r->npair] = slot;
            r->vertex[r->npair++] = b->vertex[SN_LANES * r->first + slot];
        }
}

static void add_region(snBulge *b, const snArcs *arcs, const Frame *f, Region *r)
{
    const snBulgeScratch *s = &b->scratch;
    int32_t n = collect(b, arcs, r);
    b->chords->patches(n, s->arc, s->acts, b->chord, &r->ball, (float)(b->reach + 1e-6), s->distance2, s->open);
    for (int32_t i = 0; i < r->npatch; ++i) pair(b, arcs, f, take_part(s, n, i), i, r);
    decide(b, arcs, f, r);
    for (int32_t i = 0; i < SN_LANES * r->npatch; ++i) {
        const Best *best = r->best + i;
        if (best->arc < 0 || best->distance2 > b->reach * b->reach) continue;
        int32_t v = b->vertex[SN_LANES * r->first + i], strand = arcs->arc[best->arc].strand;
        f->height[v] = equation_19(b->shape + strand, v3_load(f->vertex + 3 * v), v3_load(f->normal + 3 * v), best->at,
                                   f->loose[v]);
        if (f->height[v] > 0) b->owner[v] = strand;
    }
}

void sn_bulge_heights(snBulge *b, const snArcs *arcs, const double *vertex, const double *normal, const double *loose,
                      double *height)
{
    Frame f = {vertex, normal, loose, height};
    double origin[3] = {arcs->origin.x, arcs->origin.y, arcs->origin.z};
    Region region;
    forget(b, height);
    if (!arcs->narc || !(b->reach > 0)) return;
    load_chords(b, arcs);
    for (int32_t r = 0; r < b->nregion; ++r) {
        load_region(b, origin, &f, r, &region);
        add_region(b, arcs, &f, &region);
    }
}
