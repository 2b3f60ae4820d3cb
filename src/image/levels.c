#include "image/levels.h"

#include "base/alloc.h"
#include "base/error.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { BINS = 256, CLASSES = 3 };

void sn_levels_smooth(const snStack *stack, float *smooth)
{
    const int32_t *n = stack->place.n;
    for (int32_t k = 0; k < n[2]; ++k) {
        const float *from = sn_stack_slice(stack, k);
        float *to = smooth + (size_t)k * sn_stack_slice_pixels(&stack->place);
        for (int32_t y = 0; y < n[1]; ++y)
            for (int32_t x = 0; x < n[0]; ++x) {
                double sum = 0;
                int count = 0;
                for (int32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < n[1]; ++j)
                    for (int32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < n[0]; ++i, ++count)
                        sum += from[(size_t)j * (size_t)n[0] + (size_t)i];
                to[(size_t)y * (size_t)n[0] + (size_t)x] = (float)(sum / count);
            }
    }
}

double sn_levels_noise(const snStack *stack, const float *smooth, const uint8_t *region)
{
    size_t total = sn_stack_slice_pixels(&stack->place) * (size_t)stack->place.n[2];
    double sum = 0, count = 0;
    for (size_t i = 0; i < total; ++i) {
        double off = (double)stack->value[i] - (double)smooth[i];
        if (region[i]) sum += off * off, count += 1;
    }
    return count > 0 ? sqrt(9.0 / 8 * sum / count) : 0; /* a mean of nine holds a ninth of the pixel itself */
}

double sn_levels_inside(const snLevels *levels, double value)
{
    return fmin(value - levels->low, levels->high - value) / levels->scale;
}

/* ---- classes of grey -------------------------------------------------------------------------- */

typedef struct {
    double first, width;
    double count[BINS + 1], sum[BINS + 1], square[BINS + 1]; /* up to a bin */
} Histogram;

static void count_values(Histogram *h, const float *value, size_t count)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; ++i) low = fmin(low, value[i]), high = fmax(high, value[i]);
    memset(h, 0, sizeof *h);
    h->first = low, h->width = fmax((high - low) / BINS, 1e-30);
    for (size_t i = 0; i < count; ++i) {
        int bin = (int)fmin(BINS - 1, fmax(0, (value[i] - low) / h->width));
        h->count[bin + 1] += 1, h->sum[bin + 1] += value[i], h->square[bin + 1] += (double)value[i] * value[i];
    }
    for (int b = 0; b < BINS; ++b)
        h->count[b + 1] += h->count[b], h->sum[b + 1] += h->sum[b], h->square[b + 1] += h->square[b];
}

/* Scatter of the bins from a up to b. */
static double scatter(const Histogram *h, int a, int b)
{
    double n = h->count[b] - h->count[a], s = h->sum[b] - h->sum[a];
    return n > 0 ? h->square[b] - h->square[a] - s * s / n : 0;
}

static double mean_of(const Histogram *h, int a, int b)
{
    double n = h->count[b] - h->count[a];
    return n > 0 ? (h->sum[b] - h->sum[a]) / n : h->first + h->width * 0.5 * (a + b);
}

/* Two cuts with the least scatter within the three classes. */
static void best_cuts(const Histogram *h, int cut[CLASSES + 1])
{
    double best = INFINITY;
    cut[0] = 0, cut[1] = 1, cut[2] = 2, cut[CLASSES] = BINS;
    for (int a = 1; a < BINS - 1; ++a)
        for (int b = a + 1; b < BINS; ++b) {
            double s = scatter(h, 0, a) + scatter(h, a, b) + scatter(h, b, BINS);
            if (s < best) best = s, cut[1] = a, cut[2] = b;
        }
}

/* ---- around the seeds ------------------------------------------------------------------------- */

/* Mean and deviation over discs around the seeds. */
static void seed_level(const snStackPlace *place, const float *smooth, int32_t nseed, const double *seed, double *level,
                       double *noise)
{
    enum { REACH = 3 };
    double n = 0, sum = 0, square = 0;
    for (int32_t s = 0; s < nseed; ++s) {
        int32_t at[3] = {(int32_t)lround(seed[3 * s]), (int32_t)lround(seed[3 * s + 1]),
                         (int32_t)lround(seed[3 * s + 2])};
        const float *slice = smooth + (size_t)at[2] * sn_stack_slice_pixels(place);
        for (int32_t y = at[1] - REACH; y <= at[1] + REACH; ++y)
            for (int32_t x = at[0] - REACH; x <= at[0] + REACH; ++x) {
                if (x < 0 || y < 0 || x >= place->n[0] || y >= place->n[1]) continue;
                double v = slice[(size_t)y * (size_t)place->n[0] + (size_t)x];
                n += 1, sum += v, square += v * v;
            }
    }
    *level = sum / n;
    *noise = sqrt(fmax(0, square / n - *level * *level));
}

snStatus sn_levels_find(const snStackPlace *place, const float *smooth, int32_t nseed, const double *seed, double low,
                        double high, snLevels *levels, snError *error)
{
    double level, noise;
    int cut[CLASSES + 1];
    Histogram *h = SN_NEW(Histogram);
    if (!h) return sn_fail_no_memory(error);
    seed_level(place, smooth, nseed, seed, &level, &noise);
    count_values(h, smooth, sn_stack_slice_pixels(place) * (size_t)place->n[2]);
    best_cuts(h, cut);
    *levels = (snLevels){.low = -INFINITY, .high = INFINITY, .level = level};
    /* tissues closer than this cannot be told apart, from noise or from uneven brightness */
    double range = mean_of(h, cut[CLASSES - 1], BINS) - mean_of(h, 0, cut[1]);
    double apart = fmax(5 * noise, fmax(4 * h->width, 0.1 * range));
    for (int c = 0; c < CLASSES; ++c) {
        double mean = mean_of(h, cut[c], cut[c + 1]);
        if (mean < level - apart) levels->low = fmax(levels->low, 0.5 * (mean + level));
        if (mean > level + apart) levels->high = fmin(levels->high, 0.5 * (mean + level));
    }
    sn_free(h);
    if (!isnan(low)) levels->low = low;
    if (!isnan(high)) levels->high = high;
    levels->scale = fmin(level - levels->low, levels->high - level);
    if (!isfinite(levels->scale)) {
        sn_fail(error, SN_BAD_INPUT, "the grey value %g at the seed cannot be told from the rest of the stack", level);
        sn_error_remedy(error, "give the muscle's grey values with --low and --high");
        return SN_BAD_INPUT;
    }
    if (!(levels->scale > 0)) {
        sn_fail(error, SN_BAD_INPUT, "the seed is off the tissue: grey value %g is outside %g to %g", level,
                levels->low, levels->high);
        sn_error_remedy(error, "put the seed into the muscle, or change --low and --high");
        return SN_BAD_INPUT;
    }
    return SN_OK;
}

/* ---- shading ---------------------------------------------------------------------------------- */

static void terms(const snStackPlace *place, double x, double y, double slice, double t[SN_SHADING_TERMS])
{
    double u = 2 * x / place->n[0] - 1, v = 2 * y / place->n[1] - 1, w = 2 * slice / place->n[2] - 1;
    double all[SN_SHADING_TERMS] = {1, u, v, w, u * u, v * v, w * w, u * v, v * w, w * u};
    memcpy(t, all, sizeof all);
}

double sn_levels_gain(const snLevels *levels, const snStackPlace *place, double x, double y, double slice)
{
    double t[SN_SHADING_TERMS], sum = 0;
    terms(place, x, y, slice, t);
    for (int i = 0; i < SN_SHADING_TERMS; ++i) sum += levels->shading[i] * t[i];
    return exp(fmax(-0.7, fmin(0.7, sum)));
}

/* The muscle's grey from all of it instead of the few pixels around the seed, whose noise is left in their mean; limits
 * that were half-way to another tissue stay so. `by`: the mean of log(grey / level). */
static void settle_level(snLevels *levels, double low, double high, double by)
{
    double level = levels->level * exp(fmax(-0.3, fmin(0.3, by))), half = 0.5 * (level - levels->level);
    double new_low = isnan(low) ? levels->low + half : low, new_high = isnan(high) ? levels->high + half : high;
    double scale = fmin(level - new_low, new_high - level);
    if (!(scale > 0)) return;
    levels->shading[0] -= log(level / levels->level);
    levels->level = level, levels->low = new_low, levels->high = new_high, levels->scale = scale;
}

void sn_levels_fit(const snStackPlace *place, const float *smooth, const uint8_t *region, double low, double high,
                   snLevels *levels)
{
    enum { N = SN_SHADING_TERMS, STEP = 3, LEAST = 200 };
    double a[N * N] = {0}, b[N] = {0}, t[N];
    size_t count = 0, plane = sn_stack_slice_pixels(place);
    for (int32_t k = 0; k < place->n[2]; ++k)
        for (int32_t y = 0; y < place->n[1]; y += STEP)
            for (int32_t x = 0; x < place->n[0]; x += STEP) {
                size_t i = (size_t)k * plane + (size_t)y * (size_t)place->n[0] + (size_t)x;
                if (!region[i] || !(smooth[i] > 0)) continue;
                double value = log(smooth[i] / levels->level);
                terms(place, x, y, k, t);
                for (int r = 0; r < N; ++r) {
                    b[r] += t[r] * value;
                    for (int c = 0; c < N; ++c) a[r * N + c] += t[r] * t[c];
                }
                ++count;
            }
    if (count < LEAST || !(levels->level > 0)) return;
    double mean = b[0] / (double)count;
    /* damped: far from the muscle nothing is known, and nothing should be made up */
    for (int r = 1; r < N; ++r) a[r * N + r] += 1e-2 * (double)count;
    if (!sn_small_cholesky_solve(a, b, N, 1)) return;
    memcpy(levels->shading, b, sizeof b);
    settle_level(levels, low, high, mean);
}
