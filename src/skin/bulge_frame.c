/* A frame of the bulge: from regions to patches to vertices, and the brute-force reference.
 * Single-precision bounds carry a micrometre of slack; what they leave open is decided in double precision. */
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
    v3 middle;
    double radius; /* no vertex is further from the middle */
} Ball;

static Ball ball_around(const int32_t *list, int32_t n, const double *vertex)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, far = 0;
    for (int32_t i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            double x = vertex[3 * list[i] + c];
            low[c] = x < low[c] ? x : low[c], high[c] = x > high[c] ? x : high[c];
        }
    v3 middle = v3_of(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
    for (int32_t i = 0; i < n; ++i) {
        double d = v3_len2(v3_sub(v3_load(vertex + 3 * list[i]), middle));
        far = d > far ? d : far;
    }
    return (Ball){middle, sqrt(far)};
}

typedef struct {
    Ball ball;
    v3 normal;    /* mean of the vertices' normals */
    double turn;  /* no normal differs from the mean by more */
    double sink;  /* no vertex lies deeper under its own tangent plane, seen from the middle */
    double loose; /* no vertex is looser */
} Patch;

/* Bounds for depths: (x - p) n <= (x - middle) normal + |x - middle| turn + sink for each vertex p with normal n. */
static void bound_normals(const int32_t *list, int32_t n, const double *vertex, const double *normal, Patch *to)
{
    v3 sum = {0};
    double turn = 0, sink = -INFINITY;
    for (int32_t i = 0; i < n; ++i) sum = v3_add(sum, v3_load(normal + 3 * list[i]));
    to->normal = v3_scale(sum, 1.0 / n);
    for (int32_t i = 0; i < n; ++i) {
        v3 k = v3_load(normal + 3 * list[i]);
        double t = v3_len2(v3_sub(k, to->normal)),
               s = v3_dot(v3_sub(to->ball.middle, v3_load(vertex + 3 * list[i])), k);
        turn = t > turn ? t : turn, sink = s > sink ? s : sink;
    }
    to->turn = sqrt(turn), to->sink = sink;
}

/* Whether an arc lies too deep under every vertex of the patch to show. */
static bool hidden(const snArc *arc, double depth, const Patch *at)
{
    v3 from = v3_sub(arc->c[0], at->ball.middle), to = v3_add(from, arc->chord);
    double start = v3_dot(from, at->normal), end = v3_dot(to, at->normal), near = v3_len2(from), far = v3_len2(to);
    return (start > end ? start : end) + sqrt(near > far ? near : far) * at->turn + 2 * arc->slack + at->sink <= -depth;
}

/* What some vertices of the patch can be from the nearest arc of the last frame at most; only an arc that acts on every
 * patch of the region may bound. */
static float first_bound(const snBulge *b, const snArcs *arcs, int32_t region, const Ball *at)
{
    int32_t last = b->last[region];
    double bound = b->reach;
    if (last >= 0) {
        double known = sn_arc_chord_distance(arcs->arc + last, at->middle) + arcs->arc[last].slack + at->radius;
        bound = known < bound ? known : bound;
    }
    return (float)(bound + 1e-6);
}

/* Adds the arcs of a pack that are not surely further than the bound; tightens the bound when it may. */
static int32_t unpack(snBulge *b, const snPack *pack, const float d2[SN_LANES], float radius, bool tighten,
                      float *bound, int32_t *nearest, int32_t count)
{
    snBulgeScratch *s = &b->scratch;
    for (int i = 0; i < SN_LANES; ++i) {
        float limit = *bound + radius + pack->slack[i];
        if (!(d2[i] <= limit * limit)) continue;
        float d = sqrtf(d2[i]), upper = d + pack->slack[i] + radius;
        if (tighten && upper < *bound) *bound = upper, *nearest = pack->arc + i;
        s->arc[count] = pack->arc + i, s->strand[count] = pack->strand, s->nearest[count] = d - pack->slack[i] - radius;
        s->chord[count++] = (snChord){pack->ax[i], pack->ay[i], pack->az[i],      pack->cx[i],
                                      pack->cy[i], pack->cz[i], pack->inverse[i], pack->slack[i]};
    }
    return count;
}

/* Drops what is further than the bound; strands that act on every patch come first, `common` of them. */
static int32_t keep_nearer(snBulgeScratch *s, int32_t count, float bound, const uint64_t *all, int32_t *common)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (s->nearest[i] > bound) continue;
        s->arc[kept] = s->arc[i], s->strand[kept] = s->strand[i], s->chord[kept++] = s->chord[i];
    }
    *common = 0;
    for (int32_t i = 0; i < kept; ++i) {
        if (!sn_bulge_acts(all, s->strand[i])) continue;
        int32_t k = (*common)++, arc = s->arc[i], strand = s->strand[i];
        snChord chord = s->chord[i];
        s->arc[i] = s->arc[k], s->strand[i] = s->strand[k], s->chord[i] = s->chord[k];
        s->arc[k] = arc, s->strand[k] = strand, s->chord[k] = chord;
    }
    return kept;
}

/* Arcs that may hold the closest point of a vertex of the region. An arc at distance d from the middle is at least
 * d - radius - slack from every vertex; some arc is at most bound = min(d + radius + slack) from every vertex. */
static int32_t collect(snBulge *b, const snArcs *arcs, int32_t region, const Ball *at, int32_t *common)
{
    snBulgeScratch *s = &b->scratch;
    const uint64_t *any = b->region_any + region * b->nword, *all = b->region_all + region * b->nword;
    int32_t count = 0;
    float bound = first_bound(b, arcs, region, at), radius = (float)(at->radius + 1e-6), d2[SN_LANES];
    v3 p = v3_sub(at->middle, arcs->origin);
    float x = (float)p.x, y = (float)p.y, z = (float)p.z;
    for (int32_t i = 0; i < arcs->npack; ++i) {
        const snPack *pack = arcs->pack + i;
        float dx = pack->x - x, dy = pack->y - y, dz = pack->z - z, limit = bound + radius + pack->radius;
        if (dx * dx + dy * dy + dz * dz > limit * limit || !sn_bulge_acts(any, pack->strand)) continue;
        b->chords->pack(pack, x, y, z, d2);
        count = unpack(b, pack, d2, radius, sn_bulge_acts(all, pack->strand), &bound, &b->last[region], count);
    }
    return keep_nearer(s, count, bound, all, common);
}

/* Which candidates are not too deep under all of the region. */
static int32_t note_shown(const snBulge *b, const snArcs *arcs, int32_t ncandidate, const Patch *at)
{
    const snBulgeScratch *s = &b->scratch;
    int32_t count = 0;
    for (int32_t j = 0; j < ncandidate; ++j)
        if (!hidden(arcs->arc + s->arc[j], depth_at(b->shape + s->strand[j], at->loose), at)) s->shown[count++] = j;
    return count;
}

/* ---- patches: their part of the candidates ------------------------------------------------------- */

static int32_t lowest_bit(uint32_t bits)
{
    return (int32_t)__builtin_ctz(bits);
}

/* Whether an arc that is open to the patch in lane `lane` may show. */
static bool any_shows(const snBulge *b, const snArcs *arcs, int32_t nshown, const Patch *at, int lane)
{
    const snBulgeScratch *s = &b->scratch;
    for (int32_t k = 0; k < nshown; ++k) {
        int32_t j = s->shown[k];
        if (s->open[SN_LANES * (j / 32) + lane] >> (j % 32) & 1 &&
            !hidden(arcs->arc + s->arc[j], depth_at(b->shape + s->strand[j], at->loose), at))
            return true;
    }
    return false;
}

/* The candidates of the region that are open to a patch. */
static int32_t take_part(const snBulge *b, int32_t ncandidate, int32_t common, int32_t patch, int lane)
{
    const snBulgeScratch *s = &b->scratch;
    const uint64_t *mask = b->mask + patch * b->nword;
    int32_t count = 0;
    for (int32_t first = 0; first < ncandidate; first += 32)
        for (uint32_t open = s->open[SN_LANES * (first / 32) + lane]; open; open &= open - 1) {
            int32_t j = first + lowest_bit(open);
            if (j >= common && !sn_bulge_acts(mask, s->strand[j])) continue;
            s->part[count] = s->arc[j], s->part_chord[count++] = s->chord[j];
        }
    return count;
}

/* ---- vertices ------------------------------------------------------------------------------------ */

/* Whether all of the arc lies deeper under the tangent plane than shows. */
static bool too_deep(const snArc *arc, double depth, v3 p, v3 n)
{
    double start = v3_dot(v3_sub(arc->c[0], p), n), end = start + v3_dot(arc->chord, n);
    return (start > end ? start : end) + arc->slack <= -depth;
}

/* Of the candidates that the chords leave open for point i the one with the nearest chord; -1 if all are too deep. */
static int32_t nearest_open(const snBulge *b, const snArcs *arcs, int32_t n, int i, v3 p, v3 normal, double loose)
{
    const snBulgeScratch *s = &b->scratch;
    bool shows = false;
    int32_t nearest = -1;
    float least = INFINITY;
    for (int32_t first = 0; first < n; first += 32)
        for (uint32_t open = s->part_open[SN_LANES * (first / 32) + i]; open; open &= open - 1) {
            int32_t j = first + lowest_bit(open);
            const snArc *arc = arcs->arc + s->part[j];
            shows = shows || !too_deep(arc, depth_at(b->shape + arc->strand, loose), p, normal);
            float d = s->part_distance2[SN_LANES * j + i];
            if (d < least) least = d, nearest = j;
        }
    return shows ? nearest : -1;
}

/* Exact closest point among the open candidates; false if it cannot show. */
static bool closest_of(snBulge *b, const snArcs *arcs, int32_t n, int i, v3 p, int32_t nearest, Best *best)
{
    const snBulgeScratch *s = &b->scratch;
    *best = (Best){.distance2 = INFINITY, .arc = -1};
    look_at(arcs, s->part[nearest], p, best);
    ++b->evaluations;
    float known = (float)sqrt(best->distance2) + 1e-6f;
    for (int32_t first = 0; first < n; first += 32)
        for (uint32_t open = s->part_open[SN_LANES * (first / 32) + i]; open; open &= open - 1) {
            int32_t j = first + lowest_bit(open);
            float limit = known + s->part_chord[j].slack;
            if (j == nearest || s->part_distance2[SN_LANES * j + i] > limit * limit) continue;
            look_at(arcs, s->part[j], p, best);
            ++b->evaluations;
        }
    return best->distance2 <= b->reach * b->reach;
}

static float largest_slack(const snChord *chord, int32_t n)
{
    float slack = 0;
    for (int32_t j = 0; j < n; ++j) slack = chord[j].slack > slack ? chord[j].slack : slack;
    return slack;
}

typedef struct {
    const double *vertex, *normal, *loose;
    double prominence, *offset;
} Frame;

static void add_patch(snBulge *b, const snArcs *arcs, int32_t n, int32_t patch, const Frame *f)
{
    const int32_t *list = b->vertex + b->start[patch];
    int32_t count = b->start[patch + 1] - b->start[patch];
    const snBulgeScratch *s = &b->scratch;
    float x[SN_LANES] = {0}, y[SN_LANES] = {0}, z[SN_LANES] = {0}, limit[SN_LANES];
    for (int32_t i = 0; i < count; ++i) {
        v3 p = v3_sub(v3_load(f->vertex + 3 * list[i]), arcs->origin);
        x[i] = (float)p.x, y[i] = (float)p.y, z[i] = (float)p.z;
    }
    b->chords->points(n, s->part_chord, x, y, z, s->part_distance2, limit);
    float slack = largest_slack(s->part_chord, n), reach = (float)(b->reach + 1e-6);
    for (int i = 0; i < SN_LANES; ++i) {
        float bound = sqrtf(limit[i]) + slack;
        limit[i] = bound < reach ? bound : reach;
    }
    b->chords->within(n, s->part_chord, s->part_distance2, limit, s->part_open);
    for (int32_t i = 0; i < count; ++i) {
        v3 p = v3_load(f->vertex + 3 * list[i]), normal = v3_load(f->normal + 3 * list[i]);
        Best best;
        int32_t nearest = nearest_open(b, arcs, n, i, p, normal, f->loose[list[i]]);
        if (nearest < 0 || !closest_of(b, arcs, n, i, p, nearest, &best)) continue;
        const snBulgeShape *shape = b->shape + arcs->arc[best.arc].strand;
        f->offset[list[i]] +=
            f->prominence * b->influence[list[i]] * equation_19(shape, p, normal, best.at, f->loose[list[i]]);
    }
}

static void load_patch(const snBulge *b, int32_t first, int32_t end, const Frame *f, Patch *to)
{
    const int32_t *list = b->vertex + b->start[first];
    int32_t n = b->start[end] - b->start[first];
    to->ball = ball_around(list, n, f->vertex);
    bound_normals(list, n, f->vertex, f->normal, to);
    to->loose = 0;
    for (int32_t i = 0; i < n; ++i) to->loose = f->loose[list[i]] > to->loose ? f->loose[list[i]] : to->loose;
}

/* Up to SN_LANES patches of a region at a time. */
static void add_patches(snBulge *b, const snArcs *arcs, int32_t ncandidate, int32_t common, int32_t nshown,
                        int32_t first, int32_t end, const Frame *f)
{
    const snBulgeScratch *s = &b->scratch;
    Patch patch[SN_LANES];
    float x[SN_LANES] = {0}, y[SN_LANES] = {0}, z[SN_LANES] = {0}, least[SN_LANES], limit[SN_LANES] = {0};
    for (int32_t i = first; i < end; ++i) {
        Patch *at = patch + (i - first);
        load_patch(b, i, i + 1, f, at);
        v3 p = v3_sub(at->ball.middle, arcs->origin);
        x[i - first] = (float)p.x, y[i - first] = (float)p.y, z[i - first] = (float)p.z;
    }
    b->chords->points(ncandidate - common, s->chord + common, x, y, z, s->distance2 + SN_LANES * common, least);
    b->chords->points(common, s->chord, x, y, z, s->distance2, least); /* these bound every patch */
    float slack = largest_slack(s->chord, ncandidate), reach = (float)(b->reach + 1e-6);
    for (int32_t k = 0; k < end - first; ++k) {
        float radius = (float)(patch[k].ball.radius + 1e-6), bound = sqrtf(least[k]) + slack + radius;
        limit[k] = (bound < reach ? bound : reach) + radius;
    }
    b->chords->within(ncandidate, s->chord, s->distance2, limit, s->open);
    for (int32_t i = first; i < end; ++i)
        if (any_shows(b, arcs, nshown, &patch[i - first], i - first))
            add_patch(b, arcs, take_part(b, ncandidate, common, i, i - first), i, f);
}

void sn_bulge_add(snBulge *b, const snArcs *arcs, const double *vertex, const double *normal, const double *loose,
                  double prominence, double *offset)
{
    Frame f = {vertex, normal, loose, prominence, offset};
    if (!arcs->narc || !(b->reach > 0)) return;
    for (int32_t r = 0; r < b->nregion; ++r) {
        int32_t first = b->region[r], end = b->region[r + 1];
        Patch region;
        load_patch(b, first, end, &f, &region);
        int32_t common, n = collect(b, arcs, r, &region.ball, &common), nshown = note_shown(b, arcs, n, &region);
        for (int32_t i = first; nshown && i < end; i += SN_LANES)
            add_patches(b, arcs, n, common, nshown, i, i + SN_LANES < end ? i + SN_LANES : end, &f);
    }
}
