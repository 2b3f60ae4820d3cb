/* The bodies of the loops, in the compilers' vector extension: plain loops with a clamp are not vectorised as long as
 * comparisons may trap. Included by chords.c and chords_avx2.c only. */
#ifndef SN_SKIN_CHORDS_LOOP_H
#define SN_SKIN_CHORDS_LOOP_H

#include "skin/arcs.h"

#include <string.h>

typedef float snLane __attribute__((vector_size(4 * SN_LANES)));
typedef int32_t snLaneBits __attribute__((vector_size(4 * SN_LANES)));

#define LANE_CLAMP(t)                                                                                                  \
    do {                                                                                                               \
        const snLane one_ = {1, 1, 1, 1, 1, 1, 1, 1};                                                                  \
        (t) = (snLane)((snLaneBits)(t) & (snLaneBits)((t) > 0));                                                       \
        snLaneBits above_ = (snLaneBits)((t) > one_);                                                                  \
        (t) = (snLane)(((snLaneBits)(t) & ~above_) | ((snLaneBits)one_ & above_));                                     \
    } while (0)
#define LANE_LOAD(lane, from) memcpy(&(lane), (from), sizeof(lane))

static void points_loop(int32_t n, const snChord *chord, const float *x, const float *y, const float *z,
                        float *distance2, float *least)
{
    snLane vx, vy, vz, least_lane = {1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f};
    LANE_LOAD(vx, x), LANE_LOAD(vy, y), LANE_LOAD(vz, z);
    for (int32_t j = 0; j < n; ++j) {
        const snChord *c = chord + j;
        snLane px = vx - c->ax, py = vy - c->ay, pz = vz - c->az;
        snLane t = (px * c->cx + py * c->cy + pz * c->cz) * c->inverse;
        LANE_CLAMP(t);
        px -= t * c->cx, py -= t * c->cy, pz -= t * c->cz;
        snLane d = px * px + py * py + pz * pz;
        memcpy(distance2 + SN_LANES * j, &d, sizeof d);
        snLaneBits less = (snLaneBits)(d < least_lane);
        least_lane = (snLane)(((snLaneBits)d & less) | ((snLaneBits)least_lane & ~less));
    }
    memcpy(least, &least_lane, sizeof least_lane);
}

/* A comparison gives all ones or none per lane, of which each chord keeps its bit. */
static void within_loop(int32_t n, const snChord *chord, const float *distance2, const float *limit, uint32_t *open)
{
    snLane limit_lane;
    LANE_LOAD(limit_lane, limit);
    for (int32_t first = 0; first < n; first += 32) {
        snLaneBits found = {0};
        for (int32_t j = first; j < n && j < first + 32; ++j) {
            snLane d, reach = limit_lane + chord[j].slack;
            LANE_LOAD(d, distance2 + SN_LANES * j);
            found |= (snLaneBits)(d <= reach * reach) & (int32_t)(1u << (j - first));
        }
        memcpy(open + first / 32 * SN_LANES, &found, sizeof found);
    }
}

static void pack_loop(const snPack *pack, float x, float y, float z, float *distance2)
{
    snLane px, py, pz, cx, cy, cz, t;
    LANE_LOAD(px, pack->ax), LANE_LOAD(py, pack->ay), LANE_LOAD(pz, pack->az), LANE_LOAD(t, pack->inverse);
    LANE_LOAD(cx, pack->cx), LANE_LOAD(cy, pack->cy), LANE_LOAD(cz, pack->cz);
    px = x - px, py = y - py, pz = z - pz;
    t = (px * cx + py * cy + pz * cz) * t;
    LANE_CLAMP(t);
    px -= t * cx, py -= t * cy, pz -= t * cz;
    snLane d = px * px + py * py + pz * pz;
    memcpy(distance2, &d, sizeof d);
}

#endif
