/* Seed growing through the slices.
 *
 * In a slice the pixels whose grey is the muscle's are a mask. It is shrunk by a few pixels, which cuts the necks
 * through which the muscle is joined to others; of what is left, the parts that lie under the neighbouring slice's
 * muscle are kept and widened again inside the mask. If the muscle then still reaches far from where it is in the
 * neighbouring slice, shrinking by more is tried; at last it is cut there and the slice is reported as leaking.
 *
 * Slices are gone through upwards and downwards until nothing is added, so that heads and tails are found that join the
 * seed's part from another side. After a first round the shading of the stack is fitted to the muscle found, and all is
 * done once more. */
#include "base/alloc.h"
#include "base/def.h"
#include "base/error.h"
#include "image/levels.h"
#include "image/mask.h"
#include "image/outline.h"

#include <math.h>
#include <string.h>

enum { LEAST_PIXELS = 6, TRIES = 4, ROUNDS = 4, HOLE_PIXELS = 4 };

typedef struct {
    const snGrowDef *def;
    const snStackPlace *place;
    const snStack *stack;
    int32_t n[3];
    size_t plane;
    float *smooth;    /* the stack's slices, means over 3 x 3 */
    uint8_t *region;  /* the muscle, per slice */
    uint8_t *state;   /* snSliceState per slice */
    int32_t *version; /* per slice: how often its muscle has changed */
    int32_t *seen;    /* per slice and direction: neighbour and its version when it was last grown from; 2 each */
    snLevels levels;
    double noise;  /* of a pixel, as sn_levels_inside */
    double margin; /* of the contrast of a fascia, above what noise does; as sn_levels_inside */
    snMaskRoom room;
    uint8_t *mask, *core, *marker, *part, *best, *allowed; /* one slice each */
    float *field;
} Grow;

static const double SURE = 2.2; /* standard deviations of the noise by which a fascia stands out */
/* Pixels along a contour over which noise is averaged out: more the more noise there is, within limits. */
static const double TREMOR = 24, LEAST_TREMOR = 9, MOST_TREMOR = 18;

static uint8_t *region_of(const Grow *g, int32_t k)
{
    return g->region + (size_t)k * g->plane;
}

/* ---- the mask of a slice ---------------------------------------------------------------------- */

/* How much brighter the slice is than the shading says: from the pixels under the neighbour's muscle. */
static double slice_gain(const Grow *g, int32_t k, const uint8_t *guide)
{
    static const double LEAST = 0.85, MOST = 1.18;
    const float *v = g->smooth + (size_t)k * g->plane;
    double sum = 0, n = 0;
    for (size_t i = 0; guide && i < g->plane; ++i) {
        if (!guide[i]) continue;
        double value = v[i] / sn_levels_gain(&g->levels, g->place, (double)(i % (size_t)g->n[0]),
                                             (double)(i / (size_t)g->n[0]), k);
        if (sn_levels_inside(&g->levels, value) > 0.3) sum += value, n += 1;
    }
    double gain = n >= 20 ? sum / n / g->levels.level : 1;
    return gain > LEAST && gain < MOST ? gain : 1;
}

/* Pixels under a wall. */
static bool walled(const double *wall, double x, double y)
{
    double dx = wall[2] - wall[0], dy = wall[3] - wall[1], px = x - wall[0], py = y - wall[1];
    double t = fmax(0, fmin(1, (px * dx + py * dy) / fmax(dx * dx + dy * dy, 1e-12)));
    return hypot(px - t * dx, py - t * dy) < 0.8;
}

static void build_walls(Grow *g, int32_t k)
{
    for (int32_t w = 0; w < g->def->nwall; ++w) {
        const double *wall = g->def->wall + 5 * w;
        if ((int32_t)lround(wall[4]) != k) continue;
        for (size_t i = 0; i < g->plane; ++i)
            if (walled(wall, (double)(i % (size_t)g->n[0]), (double)(i / (size_t)g->n[0])))
                g->mask[i] = 0, g->field[i] = -0.5f;
    }
}

/* Specks of noise within the mask would grow to discs when it is shrunk. */
static void fill_holes(Grow *g)
{
    for (size_t i = 0; i < g->plane; ++i) g->core[i] = !g->mask[i];
    for (int32_t i = 0; i < (int32_t)g->plane; ++i) {
        int32_t count = sn_mask_take(&g->room, g->core, i);
        for (int32_t j = 0; count <= HOLE_PIXELS && j < count; ++j) g->mask[g->room.stack[j]] = 1;
    }
}

/* Mean of five pixels of a slice along a direction. */
static double line_mean(const Grow *g, const float *value, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
    double sum = 0;
    for (int32_t i = -2; i <= 2; ++i) {
        int32_t u = x + i * dx, v = y + i * dy;
        u = u < 0 ? 0 : u >= g->n[0] ? g->n[0] - 1 : u, v = v < 0 ? 0 : v >= g->n[1] ? g->n[1] - 1 : v;
        sum += value[(size_t)v * (size_t)g->n[0] + (size_t)u];
    }
    return sum / 5;
}

/* A fascia between two muscles may be thinner than the 3 x 3 pixels of the means, which wipe it out. Along it there is
 * enough to average: a pixel is on it if its line is of another grey and the lines two pixels to either side are of the
 * muscle's. Returns how far it is from the muscle's grey, as sn_levels_inside does, or 1. */
static double fascia_at(const Grow *g, const float *value, int32_t x, int32_t y, double gain)
{
    static const int32_t step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};
    double least = 1;
    for (int d = 0; d < 4; ++d) {
        int32_t dx = step[d][0], dy = step[d][1];
        double here = sn_levels_inside(&g->levels, line_mean(g, value, x, y, dx, dy) / gain);
        if (here >= 0 || here >= least) continue;
        double left = sn_levels_inside(&g->levels, line_mean(g, value, x - 2 * dy, y + 2 * dx, dx, dy) / gain);
        double right = sn_levels_inside(&g->levels, line_mean(g, value, x + 2 * dy, y - 2 * dx, dx, dy) / gain);
        if (left > 0 && right > 0 && fmin(left, right) - here > g->margin) least = here;
    }
    return least;
}

static void make_mask(Grow *g, int32_t k, const uint8_t *guide)
{
    const float *raw = sn_stack_slice(g->stack, k);
    const float *v = g->smooth + (size_t)k * g->plane;
    double gain = slice_gain(g, k, guide);
    for (int32_t y = 0; y < g->n[1]; ++y)
        for (int32_t x = 0; x < g->n[0]; ++x) {
            size_t i = (size_t)y * (size_t)g->n[0] + (size_t)x;
            double here = gain * sn_levels_gain(&g->levels, g->place, x, y, k);
            g->field[i] = (float)sn_levels_inside(&g->levels, v[i] / here);
            if (g->field[i] > 0) g->field[i] = (float)fmin(g->field[i], fascia_at(g, raw, x, y, here));
            g->mask[i] = g->field[i] > 0;
        }
    fill_holes(g);
    build_walls(g, k);
}

/* ---- one slice from its neighbour ------------------------------------------------------------- */

/* What of the mask belongs to the markers when necks of 2 r are cut, into out. Returns the pixels. */
static int32_t open_from(Grow *g, const uint8_t *marker, double r, uint8_t *out)
{
    static const double BACK = 1.5; /* noise at the rim is cut off with the necks */
    sn_mask_shrink(&g->room, g->mask, r, g->core);
    if (sn_mask_flood(&g->room, g->core, marker, g->part) == 0) {
        memset(out, 0, g->plane);
        return 0;
    }
    sn_mask_expand(&g->room, g->part, r > 0 ? r + BACK : 0, out);
    for (size_t i = 0; i < g->plane; ++i) g->core[i] = out[i] && g->mask[i];
    return sn_mask_flood(&g->room, g->core, g->part, out);
}

static bool touches_border(const Grow *g, const uint8_t *mask)
{
    for (int32_t x = 0; x < g->n[0]; ++x)
        if (mask[x] || mask[g->plane - 1 - (size_t)x]) return true;
    for (int32_t y = 0; y < g->n[1]; ++y)
        if (mask[(size_t)y * (size_t)g->n[0]] || mask[(size_t)(y + 1) * (size_t)g->n[0] - 1]) return true;
    return false;
}

static double inscribed_radius(Grow *g, const uint8_t *mask)
{
    double most = 0;
    sn_mask_distance(&g->room, mask, 0);
    for (size_t i = 0; i < g->plane; ++i)
        if (mask[i]) most = fmax(most, g->room.square[i]);
    return sqrt(fmin(most, 1e8));
}

static int32_t excess_of(const Grow *g, const uint8_t *mask)
{
    int32_t count = 0;
    for (size_t i = 0; i < g->plane; ++i) count += mask[i] && !g->allowed[i];
    return count;
}

/* How much of the muscle's border has tissue of the same grey on the other side. */
static double open_share(const Grow *g, const uint8_t *muscle)
{
    double border = 0, open = 0;
    for (int32_t y = 1; y + 1 < g->n[1]; ++y)
        for (int32_t x = 1; x + 1 < g->n[0]; ++x) {
            size_t i = (size_t)y * (size_t)g->n[0] + (size_t)x,
                   next[4] = {i - 1, i + 1, i - (size_t)g->n[0], i + (size_t)g->n[0]};
            for (int k = 0; muscle[i] && k < 4; ++k)
                if (!muscle[next[k]]) border += 1, open += g->mask[next[k]];
        }
    return border > 0 ? open / border : 0;
}

/* The muscle of slice k as its neighbour `guide` suggests it, into g->best; returns the state. */
static snSliceState grow_slice(Grow *g, int32_t k, const uint8_t *guide, uint8_t *found)
{
    const double *h = g->place->spacing;
    double pixel = sqrt(h[0] * h[1]), radius = inscribed_radius(g, guide), reach = 2 + 0.8 * h[2] / pixel;
    int32_t size = sn_mask_count(&g->room, guide), least = INT32_MAX, count = 0;
    double first = fmin(g->def->opening, floor(0.4 * radius)), limit = fmax(8, g->def->jump * size);
    make_mask(g, k, guide);
    uint8_t *marker = g->marker;
    sn_mask_shrink(&g->room, guide, fmin(3, 0.3 * radius), marker);
    sn_mask_expand(&g->room, guide, reach, g->allowed);
    memset(g->best, 0, g->plane);
    for (int32_t t = 0; t < TRIES; ++t) {
        double r = first + t;
        int32_t pixels = open_from(g, marker, r, found);
        if (t > 0 && (pixels == 0 || pixels < 0.6 * size)) break; /* the muscle itself is cut */
        int32_t excess = excess_of(g, found) + (touches_border(g, found) ? (int32_t)limit + 1 : 0);
        if (excess < least) least = excess, count = pixels, memcpy(g->best, found, g->plane);
        if (least <= limit) break;
    }
    if (count < LEAST_PIXELS) return SN_SLICE_EMPTY;
    if (least <= limit) return SN_SLICE_GROWN;
    sn_mask_expand(&g->room, guide, 2, g->allowed);
    for (size_t i = 0; i < g->plane; ++i) g->best[i] = g->best[i] && g->allowed[i];
    /* without a border of its own the muscle is over, and something else begins */
    return radius < 2.5 || open_share(g, g->best) > 0.5 ? SN_SLICE_EMPTY : SN_SLICE_LEAKING;
}

static snStatus grow_seed(Grow *g, const double *seed, snError *error)
{
    int32_t x = (int32_t)lround(seed[0]), y = (int32_t)lround(seed[1]), k = (int32_t)lround(seed[2]), count = 0;
    if (g->state[k] == SN_SLICE_HAND) return SN_OK;
    make_mask(g, k, NULL);
    memset(g->marker, 0, g->plane);
    for (int32_t j = y - 2; j <= y + 2; ++j)
        for (int32_t i = x - 2; i <= x + 2; ++i)
            if (i >= 0 && j >= 0 && i < g->n[0] && j < g->n[1]) g->marker[(size_t)j * (size_t)g->n[0] + (size_t)i] = 1;
    for (int32_t r = g->def->opening; r >= 0 && count < LEAST_PIXELS; --r) count = open_from(g, g->marker, r, g->best);
    if (count < LEAST_PIXELS) {
        sn_fail(error, SN_BAD_INPUT, "the seed %g,%g in slice %d is off the tissue", seed[0], seed[1], (int)k);
        sn_error_remedy(error, "put it into the muscle, at least three pixels from its border");
        return SN_BAD_INPUT;
    }
    if (touches_border(g, g->best)) {
        sn_fail(error, SN_BAD_INPUT, "growing from the seed %g,%g in slice %d reaches the border of the image", seed[0],
                seed[1], (int)k);
        sn_error_remedy(error, "put the seed into the muscle, give --low and --high, or draw a --wall");
        return SN_BAD_INPUT;
    }
    for (size_t i = 0; i < g->plane; ++i) region_of(g, k)[i] |= g->best[i];
    g->state[k] = SN_SLICE_GROWN;
    return SN_OK;
}

/* ---- through the slices ----------------------------------------------------------------------- */

/* Parts of g->best that do not touch the muscle found before are another head or tail, if most of them lies under the
 * neighbour's muscle. Returns whether there were any. */
static bool add_branches(Grow *g, int32_t k, const uint8_t *guide)
{
    uint8_t *region = region_of(g, k);
    bool added = false;
    sn_mask_expand(&g->room, region, 2, g->core);
    sn_mask_flood(&g->room, g->best, g->core, g->part); /* what touches */
    for (size_t i = 0; i < g->plane; ++i) g->best[i] = g->best[i] && !g->part[i];
    for (int32_t i = 0; i < (int32_t)g->plane; ++i) {
        int32_t count = sn_mask_take(&g->room, g->best, i), under = 0;
        for (int32_t j = 0; j < count; ++j) under += guide[g->room.stack[j]];
        if (count < 2 * LEAST_PIXELS || under < 0.4 * count) continue;
        for (int32_t j = 0; j < count; ++j) region[g->room.stack[j]] = 1;
        added = true;
    }
    return added;
}

/* Whether slice k could be filled from the muscle `from` away; bridges what is between. */
static bool visit(Grow *g, int32_t k, int32_t from, uint8_t *found)
{
    const uint8_t *guide = region_of(g, from);
    int32_t before = sn_mask_count(&g->room, guide);
    snSliceState state = grow_slice(g, k, guide, found);
    int32_t count = state == SN_SLICE_EMPTY ? 0 : sn_mask_count(&g->room, g->best);
    if (g->state[k] != SN_SLICE_EMPTY) {
        bool added = count > 0 && add_branches(g, k, guide);
        g->version[k] += added;
        return added;
    }
    bool lost = before > 30 * LEAST_PIXELS && count < before / 4;
    int32_t gap = k > from ? k - from : from - k;
    if (count == 0 || (lost && gap <= g->def->bridge)) return false;
    memcpy(region_of(g, k), g->best, g->plane);
    g->state[k] = (uint8_t)state;
    ++g->version[k];
    for (int32_t j = k > from ? from + 1 : k + 1; j < (k > from ? k : from); ++j) g->state[j] = SN_SLICE_BRIDGED;
    return true;
}

static snStatus go_through(Grow *g, int32_t direction, uint8_t *found, bool *added, double done, snError *error)
{
    int32_t from = -1; /* the last slice that shows the muscle */
    for (int32_t i = 0; i < g->n[2]; ++i) {
        int32_t k = direction > 0 ? i : g->n[2] - 1 - i;
        if (g->def->progress.call && g->def->progress.call(g->def->progress.user, "slices", done + i, 4 * g->n[2]))
            return sn_fail(error, SN_CANCELLED, "stopped");
        int32_t gap = from < 0 ? INT32_MAX : direction * (k - from);
        int32_t *seen = g->seen + 4 * k + (direction > 0 ? 0 : 2);
        bool near = g->state[k] != SN_SLICE_HAND && g->state[k] != SN_SLICE_BRIDGED && gap <= g->def->bridge + 1;
        if (near && (seen[0] != from || seen[1] != g->version[from])) {
            seen[0] = from, seen[1] = g->version[from];
            *added = visit(g, k, from, found) || *added;
        }
        if (g->state[k] != SN_SLICE_EMPTY && g->state[k] != SN_SLICE_BRIDGED) from = k;
    }
    return SN_OK;
}

static snStatus grow_all(Grow *g, double done, snError *error)
{
    uint8_t *found = SN_NEW_ARRAY(uint8_t, g->plane);
    snStatus status = found ? SN_OK : sn_fail_no_memory(error);
    bool added = true;
    for (int32_t i = 0; i < 4 * g->n[2]; ++i) g->seen[i] = -1;
    for (int32_t k = 0; k < g->n[2]; ++k)
        if (g->state[k] != SN_SLICE_HAND) g->state[k] = SN_SLICE_EMPTY, memset(region_of(g, k), 0, g->plane);
    for (int32_t s = 0; status == SN_OK && s < g->def->nseed; ++s) status = grow_seed(g, g->def->seed + 3 * s, error);
    for (int round = 0; status == SN_OK && added && round < ROUNDS; ++round) {
        added = false;
        status = go_through(g, 1, found, &added, done, error);
        if (status == SN_OK) status = go_through(g, -1, found, &added, done + g->n[2], error);
    }
    sn_free(found);
    return status;
}

/* ---- contours --------------------------------------------------------------------------------- */

/* The field that the contour is the zero line of: grey where the muscle ends at other grey, half a pixel where it was
 * cut. */
static bool trace_grown(Grow *g, int32_t k, snSlice *slice)
{
    const uint8_t *region = region_of(g, k);
    make_mask(g, k, region);
    for (size_t i = 0; i < g->plane; ++i) {
        double f = fmax(-1, fmin(1, g->field[i]));
        g->field[i] = (float)(region[i] ? fmax(f, 0.02) : g->mask[i] ? -0.5 : fmin(f, -0.02));
    }
    return sn_slice_trace(slice, g->field, g->n[0], g->n[1], LEAST_PIXELS);
}

/* Adds the signed distance to the muscle of slice k, positive inside, times weight. */
static void add_distance(Grow *g, int32_t k, double weight)
{
    const uint8_t *region = region_of(g, k);
    for (int side = 0; side < 2; ++side) {
        sn_mask_distance(&g->room, region, (uint8_t)side);
        for (size_t i = 0; i < g->plane; ++i)
            if (region[i] != side)
                g->field[i] += (float)(weight * (side ? -1 : 1) * (sqrt(fmin(g->room.square[i], 1e6)) - 0.5));
    }
}

static bool trace_bridged(Grow *g, int32_t k, snSlice *slice)
{
    int32_t below = k, above = k;
    while (g->state[below] == SN_SLICE_BRIDGED) --below; /* a bridge has two ends */
    while (g->state[above] == SN_SLICE_BRIDGED) ++above;
    memset(g->field, 0, g->plane * sizeof *g->field);
    add_distance(g, below, (double)(above - k) / (above - below));
    add_distance(g, above, (double)(k - below) / (above - below));
    return sn_slice_trace(slice, g->field, g->n[0], g->n[1], LEAST_PIXELS);
}

static bool trace_all(Grow *g, snOutline *muscle)
{
    double reach = fmin(fmax(TREMOR * g->noise, LEAST_TREMOR), MOST_TREMOR);
    bool ok = true;
    for (int32_t k = 0; ok && k < g->n[2]; ++k) {
        snSlice *slice = muscle->slice + k;
        if (g->state[k] == SN_SLICE_HAND)
            ok = sn_outline_copy_slice(slice, g->def->kept->slice + k);
        else if (g->state[k] == SN_SLICE_BRIDGED)
            ok = trace_bridged(g, k, slice);
        else if (g->state[k] != SN_SLICE_EMPTY)
            ok = trace_grown(g, k, slice) && sn_slice_smooth(slice, reach, g->n[0], g->n[1]);
        slice->state = slice->nloop > 0 || g->state[k] == SN_SLICE_HAND ? (snSliceState)g->state[k] : SN_SLICE_EMPTY;
    }
    return ok;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static snStatus check_def(const snStackPlace *place, const snGrowDef *def, snError *error)
{
    const int32_t *n = place->n;
    if (n[2] < 2) {
        sn_fail(error, SN_BAD_INPUT, "the stack has a single slice");
        sn_error_remedy(error, "give all slices of the muscle");
        return SN_BAD_INPUT;
    }
    if (def->kept && def->kept->nslice != n[2])
        return sn_fail(error, SN_BAD_INPUT, "the contours have %d slices and the stack %d", (int)def->kept->nslice,
                       (int)n[2]);
    if (def->nseed < 1) return sn_fail(error, SN_BAD_INPUT, "there is no seed to grow from");
    for (int32_t s = 0; s < def->nseed; ++s)
        for (int c = 0; c < 3; ++c)
            if (!(def->seed[3 * s + c] >= 0 && def->seed[3 * s + c] <= n[c] - 1)) {
                sn_fail(error, SN_BAD_INPUT, "the seed %g,%g,%g is outside the stack", def->seed[3 * s],
                        def->seed[3 * s + 1], def->seed[3 * s + 2]);
                sn_error_remedy(error, "columns are 0 to %d, rows 0 to %d, slices 0 to %d", (int)n[0] - 1,
                                (int)n[1] - 1, (int)n[2] - 1);
                return SN_BAD_INPUT;
            }
    for (int32_t w = 0; w < def->nwall; ++w)
        if (!(def->wall[5 * w + 4] >= 0 && def->wall[5 * w + 4] <= n[2] - 1))
            return sn_fail(error, SN_BAD_INPUT, "a wall is in slice %g; slices are 0 to %d", def->wall[5 * w + 4],
                           (int)n[2] - 1);
    return SN_OK;
}

static bool grow_room(Grow *g)
{
    size_t all = g->plane * (size_t)g->n[2];
    g->smooth = SN_NEW_ARRAY(float, all), g->region = SN_NEW_ARRAY(uint8_t, all),
    g->state = SN_NEW_ARRAY(uint8_t, g->n[2]);
    g->version = SN_NEW_ARRAY(int32_t, g->n[2]), g->seen = SN_NEW_ARRAY(int32_t, 4 * (size_t)g->n[2]);
    g->mask = SN_NEW_ARRAY(uint8_t, 6 * g->plane), g->field = SN_NEW_ARRAY(float, g->plane);
    if (!g->smooth || !g->region || !g->state || !g->version || !g->seen || !g->mask || !g->field) return false;
    g->core = g->mask + g->plane, g->marker = g->core + g->plane, g->part = g->marker + g->plane;
    g->best = g->part + g->plane, g->allowed = g->best + g->plane;
    return sn_mask_room_create(&g->room, g->n[0], g->n[1]);
}

static void free_grow(Grow *g)
{
    sn_free(g->smooth), sn_free(g->region), sn_free(g->state), sn_free(g->version), sn_free(g->seen), sn_free(g->mask),
        sn_free(g->field);
    sn_mask_room_free(&g->room);
}

static void keep_hand(Grow *g)
{
    for (int32_t k = 0; g->def->kept && k < g->n[2]; ++k) {
        if (g->def->kept->slice[k].state != SN_SLICE_HAND) continue;
        g->state[k] = SN_SLICE_HAND;
        sn_slice_fill(g->def->kept->slice + k, g->n[0], g->n[1], region_of(g, k));
    }
}

static snStatus grow_twice(Grow *g, const snStack *stack, snError *error)
{
    const snGrowDef *def = g->def;
    sn_levels_smooth(stack, g->smooth);
    keep_hand(g);
    snStatus status =
        sn_levels_find(g->place, g->smooth, def->nseed, def->seed, def->low, def->high, &g->levels, error);
    if (status == SN_OK) status = grow_all(g, 0, error);
    if (status != SN_OK) return status;
    sn_levels_fit(g->place, g->smooth, g->region, def->low, def->high, &g->levels);
    /* a line of five pixels has a fifth of the noise's variance, the difference of two lines twice that */
    g->noise = sn_levels_noise(stack, g->smooth, g->region) / g->levels.scale;
    g->margin = SURE * sqrt(2.0 / 5) * g->noise;
    return grow_all(g, 2 * g->n[2], error);
}

static bool remember(const snGrowDef *def, const snLevels *levels, snOutline *muscle)
{
    muscle->low = levels->low, muscle->high = levels->high;
    muscle->seed = SN_NEW_ARRAY(double, 3 * (size_t)def->nseed),
    muscle->wall = SN_NEW_ARRAY(double, 5 * (size_t)def->nwall);
    if (!muscle->seed || !muscle->wall) return false;
    memcpy(muscle->seed, def->seed, 3 * (size_t)def->nseed * sizeof(double));
    if (def->nwall) memcpy(muscle->wall, def->wall, 5 * (size_t)def->nwall * sizeof(double));
    muscle->nseed = def->nseed, muscle->nwall = def->nwall;
    return true;
}

snStatus sn_grow_contours(const snStack *stack, const snGrowDef *def, snOutline *muscle, snError *error)
{
    if (!stack) return sn_fail_argument(error, "sn_grow_contours without stack");
    snGrowDef taken = sn_default_grow_def();
    if (SN_TAKE_DEF(def, snGrowDef, taken, error)) return SN_BAD_ARGUMENT;
    Grow g = {.def = def, .place = &stack->place, .stack = stack, .plane = sn_stack_slice_pixels(&stack->place)};
    snOutline made = {0};
    memcpy(g.n, stack->place.n, sizeof g.n);
    snStatus status = check_def(&stack->place, def, error);
    if (status != SN_OK) return status;
    status = grow_room(&g) ? grow_twice(&g, stack, error) : sn_fail_no_memory(error);
    if (status == SN_OK &&
        !(sn_outline_create(&made, def->name, g.n[2]) && remember(def, &g.levels, &made) && trace_all(&g, &made)))
        status = sn_fail_no_memory(error);
    free_grow(&g);
    if (status == SN_OK)
        *muscle = made;
    else
        sn_outline_free(&made);
    return status;
}
