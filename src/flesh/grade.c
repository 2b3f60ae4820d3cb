/* Which cells may be large: those far enough from the surface, by distances in steps to neighbouring samples (the
 * largest of the three coordinates). Distances change by one from sample to sample, so that the limits of the sizes
 * keep them apart without looking at neighbours. */
#include "flesh/lattice.h"

#include "base/alloc.h"

#include <string.h>

/* The surface is here. A link says that the neighbour is inside too. */
static bool is_rim(const snSamples *s, int32_t x, int32_t y, int32_t z)
{
    int32_t at = (x * s->n[1] + y) * s->n[2] + z, back[3] = {s->n[1] * s->n[2], s->n[2], 1}, c[3] = {x, y, z};
    if (!(s->flag[at] & SN_SAMPLE_INSIDE)) return true;
    for (int d = 0; d < 3; ++d)
        if (c[d] == 0 || !(s->flag[at] & (1 << d)) || !(s->flag[at - back[d]] & (1 << d))) return true;
    return false;
}

/* Half of the neighbours: those that come before a sample in the order of the array, or after it. */
static uint8_t nearest(const snSamples *s, const uint8_t *distance, int32_t at, int32_t way)
{
    int32_t sx = s->n[1] * s->n[2], sy = s->n[2];
    uint8_t least = 254;
    for (int32_t x = -1; x <= 1; ++x)
        for (int32_t y = -1; y <= 1; ++y)
            for (int32_t z = -1; z <= 1; ++z) {
                int32_t by = x * sx + y * sy + z;
                if (by * way >= 0) continue;
                uint8_t there = distance[at + by];
                least = there < least ? there : least;
            }
    return least;
}

/* The rim has 0, what is kept has no more than `kept`. The rim of the grid is one too, so that all others have 26
 * neighbours. */
static void measure(const snSamples *s, const uint8_t *keep, uint8_t kept, uint8_t *distance)
{
    int32_t n = s->n[0] * s->n[1] * s->n[2], at = 0;
    for (int32_t x = 0; x < s->n[0]; ++x)
        for (int32_t y = 0; y < s->n[1]; ++y)
            for (int32_t z = 0; z < s->n[2]; ++z, ++at)
                distance[at] = is_rim(s, x, y, z) ? 0 : keep && keep[at] ? kept : 255;
    for (int32_t way = 1; way >= -1; way -= 2)
        for (int32_t i = 0; i < n; ++i) {
            at = way > 0 ? i : n - 1 - i;
            if (!distance[at]) continue;
            uint8_t other = (uint8_t)(nearest(s, distance, at, way) + 1);
            distance[at] = other < distance[at] ? other : distance[at];
        }
}

/* Cells of one size: the least distance of the samples in each; those that reach the limit take their samples. */
static snStatus enlarge(snSamples *s, const uint8_t *distance, int32_t size, int32_t limit)
{
    int32_t per = SN_LATTICE_FINE << size, face[4], n[3];
    snLattice l = {.low = s->low, .spacing = s->spacing * SN_LATTICE_FINE};
    for (int d = 0; d < 3; ++d) n[d] = s->n[d] / per + 2;
    uint8_t *least = SN_NEW_ARRAY(uint8_t, 3 * (size_t)n[0] * (size_t)n[1] * (size_t)n[2]);
    if (!least) return SN_NO_MEMORY;
    memset(least, 255, 3 * (size_t)n[0] * (size_t)n[1] * (size_t)n[2]);
    for (int pass = 0; pass < 2; ++pass) {
        int32_t at = 0;
        for (int32_t x = 0; x < s->n[0]; ++x)
            for (int32_t y = 0; y < s->n[1]; ++y)
                for (int32_t z = 0; z < s->n[2]; ++z, ++at) {
                    /* a cell that reaches from the surface to the limit has samples between, too */
                    if (pass == 0 && (distance[at] == 0 || distance[at] >= limit)) continue;
                    if (pass == 1 && (distance[at] < limit || s->size[at] > 0)) continue;
                    (void)sn_lattice_locate(&l, size, sn_sample_point(s, x, y, z), face);
                    uint8_t *cell = &least[3 * ((face[1] * n[1] + face[2]) * n[2] + face[3]) + sn_face_axis(face)];
                    if (pass == 1)
                        s->size[at] = (uint8_t)(*cell >= limit ? size : 0);
                    else
                        *cell = distance[at] < *cell ? distance[at] : *cell;
                }
    }
    sn_free(least);
    return SN_OK;
}

snStatus sn_samples_grade(snSamples *s, int32_t sizes, int32_t deep, const uint8_t *keep)
{
    size_t n = (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2];
    uint8_t *distance = SN_NEW_ARRAY(uint8_t, n);
    snStatus status = SN_OK;
    sn_free(s->size);
    s->size = SN_NEW_ARRAY(uint8_t, n);
    if (!distance || !s->size) status = SN_NO_MEMORY;
    if (status == SN_OK) measure(s, keep, (uint8_t)(deep / 2), distance);
    for (int32_t size = sizes - 1; status == SN_OK && size > 0; --size) {
        int32_t limit = deep;
        /* two cells of the smaller size between: then no node hangs on one that hangs */
        for (int32_t k = 1; k < size; ++k) limit += 2 + 2 * (SN_LATTICE_FINE << k);
        status = enlarge(s, distance, size, limit);
    }
    sn_free(distance);
    if (status != SN_OK) sn_free(s->size), s->size = NULL;
    return status;
}
