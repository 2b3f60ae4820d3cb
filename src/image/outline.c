#include "image/outline.h"

#include "base/alloc.h"
#include "base/array.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sn_slice_state_name(snSliceState state)
{
    static const char *const name[] = {
#define X(id, text, meaning) text,
        SN_SLICE_STATE_TABLE(X)
#undef X
    };
    return (size_t)state < sizeof name / sizeof *name ? name[state] : "";
}

/* ---- memory ----------------------------------------------------------------------------------- */

void sn_slice_free(snSlice *slice)
{
    for (int32_t i = 0; i < slice->nloop; ++i) sn_free(slice->loop[i].point);
    sn_free(slice->loop);
    *slice = (snSlice){0};
}

void sn_outline_free(snOutline *muscle)
{
    if (!muscle) return;
    for (int32_t i = 0; muscle->slice && i < muscle->nslice; ++i) sn_slice_free(muscle->slice + i);
    sn_free(muscle->slice), sn_free(muscle->seed), sn_free(muscle->wall);
    *muscle = (snOutline){0};
}

void sn_contours_free(snContours *contours)
{
    if (!contours) return;
    for (int32_t i = 0; i < contours->nmuscle; ++i) sn_outline_free(contours->muscle + i);
    sn_free(contours->muscle);
    *contours = (snContours){0};
}

bool sn_outline_create(snOutline *muscle, const char *name, int32_t nslice)
{
    *muscle = (snOutline){.nslice = nslice, .low = NAN, .high = NAN};
    snprintf(muscle->name, sizeof muscle->name, "%s", name && name[0] ? name : "muscle");
    muscle->slice = SN_NEW_ARRAY(snSlice, nslice);
    return muscle->slice != NULL;
}

bool sn_outline_copy_slice(snSlice *to, const snSlice *from)
{
    snSlice copy = {.state = from->state, .loop = SN_NEW_ARRAY(snLoop, from->nloop)};
    bool ok = copy.loop != NULL;
    for (int32_t i = 0; ok && i < from->nloop; ++i) {
        const snLoop *loop = from->loop + i;
        double *point = SN_NEW_ARRAY(double, 2 * (size_t)loop->npoint);
        ok = point != NULL;
        if (ok) memcpy(point, loop->point, 2 * (size_t)loop->npoint * sizeof *point);
        if (ok) copy.loop[copy.nloop++] = (snLoop){loop->npoint, point};
    }
    if (!ok) {
        sn_slice_free(&copy);
        return false;
    }
    sn_slice_free(to);
    *to = copy;
    return true;
}

const snOutline *sn_contours_find(const snContours *contours, const char *muscle)
{
    if (!contours) return NULL;
    for (int32_t i = 0; i < contours->nmuscle; ++i)
        if (!muscle || strcmp(contours->muscle[i].name, muscle) == 0) return contours->muscle + i;
    return NULL;
}

snStatus sn_contours_put(snContours *contours, snOutline *muscle, snError *error)
{
    if (!contours || !muscle) return sn_fail_argument(error, "sn_contours_put without contours or muscle");
    snOutline *old = NULL;
    for (int32_t i = 0; i < contours->nmuscle; ++i)
        if (strcmp(contours->muscle[i].name, muscle->name) == 0) old = contours->muscle + i;
    if (old) {
        sn_outline_free(old);
    } else {
        size_t n = (size_t)contours->nmuscle;
        snOutline *more = sn_realloc(contours->muscle, n, n + 1, sizeof *more);
        if (!more) return sn_fail_no_memory(error);
        contours->muscle = more;
        old = more + contours->nmuscle++;
    }
    *old = *muscle;
    *muscle = (snOutline){0};
    return SN_OK;
}

/* ---- questions -------------------------------------------------------------------------------- */

/* Gauss's formula: positive where the loop runs against the clock. Holes run with it and count against the rest. */
double sn_loop_area(const snLoop *loop)
{
    double twice = 0;
    const double *a = loop->point + 2 * (size_t)(loop->npoint > 0 ? loop->npoint - 1 : 0);
    for (int32_t i = 0; i < loop->npoint; ++i) {
        const double *b = loop->point + 2 * i;
        twice += a[0] * b[1] - a[1] * b[0];
        a = b;
    }
    return 0.5 * twice;
}

double sn_slice_area(const snSlice *slice)
{
    if (!slice) return 0;
    double area = 0;
    for (int32_t i = 0; i < slice->nloop; ++i) area += sn_loop_area(slice->loop + i);
    return area;
}

int32_t sn_outline_count(const snOutline *muscle, snSliceState state)
{
    if (!muscle) return 0;
    int32_t count = 0;
    for (int32_t i = 0; i < muscle->nslice; ++i) count += muscle->slice[i].state == state;
    return count;
}

/* A corner that lies on the line belongs to the side below: of the two edges that meet there both cross or one does, as
 * the boundary does, and a line never enters without leaving. Level edges never cross. */
static bool ray_crosses(const double *a, const double *b, double y)
{
    return (a[1] > y) != (b[1] > y);
}

static double ray_place(const double *a, const double *b, double y)
{
    return a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]);
}

bool sn_slice_inside(const snSlice *slice, double x, double y)
{
    bool inside = false;
    for (int32_t l = 0; l < slice->nloop; ++l) {
        const snLoop *loop = slice->loop + l;
        for (int32_t i = 0; i < loop->npoint; ++i) {
            const double *a = loop->point + 2 * i, *b = loop->point + 2 * ((i + 1) % loop->npoint);
            if (ray_crosses(a, b, y) && ray_place(a, b, y) > x) inside = !inside;
        }
    }
    return inside;
}

/* ---- lines across a slice --------------------------------------------------------------------- */

typedef SN_ARRAY(double) Crossings;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Where the line at height y enters and leaves, in order. */
static bool cross_line(const snSlice *slice, double y, Crossings *out)
{
    out->count = 0;
    for (int32_t l = 0; l < slice->nloop; ++l) {
        const snLoop *loop = slice->loop + l;
        for (int32_t i = 0; i < loop->npoint; ++i) {
            const double *a = loop->point + 2 * i, *b = loop->point + 2 * ((i + 1) % loop->npoint);
            if (ray_crosses(a, b, y) && !sn_array_push(out, ray_place(a, b, y))) return false;
        }
    }
    if (out->count > 1) qsort(out->at, (size_t)out->count, sizeof *out->at, by_value);
    return true;
}

/* Every edge turns over all pixels to its right; what was turned an odd number of times lies inside. */
void sn_slice_fill(const snSlice *slice, int32_t columns, int32_t rows, uint8_t *mask)
{
    for (int32_t y = 0; y < rows; ++y) {
        uint8_t *row = mask + (size_t)y * (size_t)columns;
        memset(row, 0, (size_t)columns);
        for (int32_t l = 0; l < slice->nloop; ++l) {
            const snLoop *loop = slice->loop + l;
            for (int32_t i = 0; i < loop->npoint; ++i) {
                const double *a = loop->point + 2 * i, *b = loop->point + 2 * ((i + 1) % loop->npoint);
                if (!ray_crosses(a, b, y)) continue;
                double from = ceil(ray_place(a, b, y));
                for (int32_t x = (int32_t)fmax(0, fmin(columns, from)); x < columns; ++x) row[x] ^= 1;
            }
        }
    }
}

static double length_of(const Crossings *c)
{
    double sum = 0;
    for (int32_t i = 0; i + 1 < c->count; i += 2) sum += c->at[i + 1] - c->at[i];
    return sum;
}

static double common_length(const Crossings *a, const Crossings *b)
{
    double sum = 0;
    for (int32_t i = 0, j = 0; i + 1 < a->count && j + 1 < b->count;) {
        sum += fmax(0, fmin(a->at[i + 1], b->at[j + 1]) - fmax(a->at[i], b->at[j]));
        if (a->at[i + 1] < b->at[j + 1])
            i += 2;
        else
            j += 2;
    }
    return sum;
}

static void extent_y(const snSlice *slice, double *low, double *high)
{
    for (int32_t l = 0; l < slice->nloop; ++l)
        for (int32_t i = 0; i < slice->loop[l].npoint; ++i) {
            *low = fmin(*low, slice->loop[l].point[2 * i + 1]);
            *high = fmax(*high, slice->loop[l].point[2 * i + 1]);
        }
}

/* Areas of a, b and both, by lines an eighth of a pixel apart. False: out of memory. */
static bool overlap(const snSlice *a, const snSlice *b, double area[3])
{
    enum { LINES = 8 };
    double low = INFINITY, high = -INFINITY;
    Crossings ca = {0}, cb = {0};
    bool ok = true;
    extent_y(a, &low, &high);
    extent_y(b, &low, &high);
    int64_t first = low <= high ? (int64_t)floor(low * LINES) : 0, last = low <= high ? (int64_t)ceil(high * LINES) : 0;
    for (int64_t k = first; ok && k < last; ++k) {
        double y = ((double)k + 0.5) / LINES; /* between whole pixels, where corners of traced loops seldom lie */
        ok = cross_line(a, y, &ca) && cross_line(b, y, &cb);
        if (!ok) break;
        area[0] += length_of(&ca) / LINES, area[1] += length_of(&cb) / LINES;
        area[2] += common_length(&ca, &cb) / LINES;
    }
    sn_array_free(&ca);
    sn_array_free(&cb);
    return ok;
}

static double dice_of(const double area[3])
{
    return area[0] + area[1] > 0 ? 2 * area[2] / (area[0] + area[1]) : 1;
}

double sn_slice_dice(const snSlice *a, const snSlice *b)
{
    if (!a || !b) return 0;
    double area[3] = {0};
    return overlap(a, b, area) ? dice_of(area) : NAN;
}

double sn_outline_dice(const snOutline *a, const snOutline *b)
{
    if (!a || !b) return 0;
    double area[3] = {0};
    if (a->nslice != b->nslice) return NAN;
    for (int32_t i = 0; i < a->nslice; ++i)
        if (!overlap(a->slice + i, b->slice + i, area)) return NAN;
    return dice_of(area);
}
