#include "image/mask.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

static const double FAR = 1e12;

bool sn_mask_room_create(snMaskRoom *room, int32_t columns, int32_t rows)
{
    size_t longest = (size_t)(columns > rows ? columns : rows) + 1, all = (size_t)columns * (size_t)rows;
    *room = (snMaskRoom){.n = {columns, rows},
                         .square = SN_NEW_ARRAY(float, all),
                         .line = SN_NEW_ARRAY(double, longest),
                         .cut = SN_NEW_ARRAY(double, longest + 1),
                         .at = SN_NEW_ARRAY(int32_t, longest),
                         .stack = SN_NEW_ARRAY(int32_t, all)};
    if (room->square && room->line && room->cut && room->at && room->stack) return true;
    sn_mask_room_free(room);
    return false;
}

void sn_mask_room_free(snMaskRoom *room)
{
    sn_free(room->square), sn_free(room->line), sn_free(room->cut), sn_free(room->at), sn_free(room->stack);
    *room = (snMaskRoom){0};
}

/* The lower envelope of parabolas over room->line, written to every step-th float. */
static void envelope(snMaskRoom *room, int32_t n, float *out, size_t step)
{
    const double *f = room->line;
    double *cut = room->cut;
    int32_t *at = room->at, k = 0;
    at[0] = 0, cut[0] = -INFINITY, cut[1] = INFINITY;
    for (int32_t q = 1; q < n; ++q) {
        double s;
        for (;; --k) { /* ends at 0, where the cut is -infinity */
            double p = at[k];
            s = ((f[q] + (double)q * q) - (f[at[k]] + p * p)) / (2 * (q - p));
            if (s > cut[k]) break;
        }
        at[++k] = q, cut[k] = s, cut[k + 1] = INFINITY;
    }
    for (int32_t q = 0, i = 0; q < n; ++q) {
        while (cut[i + 1] < q) ++i;
        double d = q - at[i];
        out[(size_t)q * step] = (float)fmin(FAR, d * d + f[at[i]]);
    }
}

void sn_mask_distance(snMaskRoom *room, const uint8_t *mask, uint8_t of)
{
    int32_t columns = room->n[0], rows = room->n[1];
    for (int32_t x = 0; x < columns; ++x) {
        for (int32_t y = 0; y < rows; ++y)
            room->line[y] = mask[(size_t)y * (size_t)columns + (size_t)x] == of ? 0 : FAR;
        envelope(room, rows, room->square + x, (size_t)columns);
    }
    for (int32_t y = 0; y < rows; ++y) {
        float *row = room->square + (size_t)y * (size_t)columns;
        for (int32_t x = 0; x < columns; ++x) room->line[x] = row[x];
        envelope(room, columns, row, 1);
    }
}

static size_t pixels(const snMaskRoom *room)
{
    return (size_t)room->n[0] * (size_t)room->n[1];
}

void sn_mask_shrink(snMaskRoom *room, const uint8_t *mask, double r, uint8_t *out)
{
    sn_mask_distance(room, mask, 0);
    for (size_t i = 0; i < pixels(room); ++i) out[i] = mask[i] && room->square[i] > r * r;
}

void sn_mask_expand(snMaskRoom *room, const uint8_t *mask, double r, uint8_t *out)
{
    sn_mask_distance(room, mask, 1);
    for (size_t i = 0; i < pixels(room); ++i) out[i] = room->square[i] <= r * r;
}

/* The pixels beside pixel i, -1 where there is none. */
static void beside(const snMaskRoom *room, int32_t i, int32_t next[4])
{
    int32_t columns = room->n[0], x = i % columns, all = (int32_t)pixels(room);
    next[0] = x > 0 ? i - 1 : -1, next[1] = x + 1 < columns ? i + 1 : -1;
    next[2] = i - columns, next[3] = i + columns < all ? i + columns : -1;
}

int32_t sn_mask_flood(snMaskRoom *room, const uint8_t *mask, const uint8_t *seed, uint8_t *out)
{
    int32_t all = (int32_t)pixels(room), top = 0, count = 0, next[4];
    for (int32_t i = 0; i < all; ++i) {
        bool start = seed[i] && mask[i];
        out[i] = start;
        if (start) room->stack[top++] = i;
    }
    while (top > 0) {
        beside(room, room->stack[--top], next);
        ++count;
        for (int k = 0; k < 4; ++k) {
            int32_t j = next[k];
            if (j < 0 || out[j] || !mask[j]) continue;
            out[j] = 1;
            room->stack[top++] = j;
        }
    }
    return count;
}

int32_t sn_mask_take(snMaskRoom *room, uint8_t *mask, int32_t pixel)
{
    int32_t count = 0, next[4];
    if (!mask[pixel]) return 0;
    mask[pixel] = 0;
    room->stack[count++] = pixel;
    for (int32_t done = 0; done < count; ++done) {
        beside(room, room->stack[done], next);
        for (int k = 0; k < 4; ++k) {
            int32_t j = next[k];
            if (j < 0 || !mask[j]) continue;
            mask[j] = 0;
            room->stack[count++] = j;
        }
    }
    return count;
}

int32_t sn_mask_count(const snMaskRoom *room, const uint8_t *mask)
{
    int32_t count = 0;
    for (size_t i = 0; i < pixels(room); ++i) count += mask[i] != 0;
    return count;
}
