/* The inner loops of the skin: the search for closest points and the distances to bones. One source, compiled for the
 * plain machine and for AVX2 and chosen at run time. What bounds is in single precision and may differ in the last bit,
 * which the slacks allow for; closest points are in double precision, to the bit those of sn_arc_closest. */
#ifndef SN_SKIN_CHORDS_H
#define SN_SKIN_CHORDS_H

#include <stdint.h>

enum { SN_LANES = 8 };

typedef struct snChord {
    float ax, ay, az, cx, cy, cz, inverse, slack; /* start, way to the end, 1 / length^2; slack in m */
    float cover, give; /* shows when not deeper under the skin than cover + give times its looseness, m */
} snChord;

/* Vertices of a patch, filled up with its last one. */
typedef struct snPoints {
    float x[SN_LANES], y[SN_LANES], z[SN_LANES], nx[SN_LANES], ny[SN_LANES], nz[SN_LANES], loose[SN_LANES];
} snPoints;

/* Balls around the patches of a region. */
typedef struct snBalls {
    float x[SN_LANES], y[SN_LANES], z[SN_LANES], radius[SN_LANES];
} snBalls;

/* The last looks of SN_LANES vertices at bones: where they were, from the middle of the bone's box, and how far from it
 * at least, m; which bone, -1: none yet. */
typedef struct snSeen {
    float x[SN_LANES], y[SN_LANES], z[SN_LANES], distance[SN_LANES];
    int32_t bone[SN_LANES];
} snSeen;

/* A bone as seen from a cluster of vertices: how a place there comes to the middle of the bone's box, half the sides of
 * that, what rounding can do to a distance. */
typedef struct snSeenBone {
    float turn[9], shift[3], half[3], rounding;
} snSeenBone;

struct snPack;
struct snArc;

typedef struct snChords {
    /* Distances of one point to the chords of a pack; which of them are no further than limit plus their slack. */
    uint32_t (*pack)(const struct snPack *pack, float x, float y, float z, float limit, float *distance);
    /* The SN_LANES vertices of a patch (position, normal: 3 per vertex) as seen from an origin. */
    void (*load)(const int32_t *vertex, const double *position, const double *normal, const double *loose,
                 const double *origin, snPoints *to);
    /* Balls around SN_LANES patches, about the middles of their boxes. */
    void (*balls)(const snPoints *patch, snBalls *ball);
    /* Which of the n chords that are listed may hold the closest point of a vertex of a patch: of the j-th, patch i bit
     * j % 32 of open[SN_LANES * (j / 32) + i]. acts: bit i for patch i. distance2: room for SN_LANES per chord. */
    void (*patches)(int32_t n, const int32_t *list, const uint32_t *acts, const snChord *chord, const snBalls *ball,
                    float reach, float *distance2, uint32_t *open);
    /* The same for the vertices of one patch: bit i of open[j] for point i and the j-th chord. Returns for which points
     * one of these chords may show. */
    uint32_t (*points)(int32_t n, const int32_t *list, const snChord *chord, const snPoints *point, float reach,
                       float *distance2, uint8_t *open);
    /* Closest points of n pairs of arc and vertex (position: 3 per vertex): squared distances and places, 3 each. */
    void (*closest)(int32_t n, const struct snArc *arc, const int32_t *which, const double *position,
                    const int32_t *vertex, double *distance2, double *at);
    /* Lowers clear (per vertex) to what a bone is away at least, if that is less than range; which vertices are not
     * known to keep their margin. */
    uint32_t (*clear)(const snPoints *point, const snSeenBone *bone, int32_t index, const snSeen *seen, float range,
                      const float *margin, float *clear);
} snChords;

extern const snChords sn_chords_portable, sn_chords_avx2;
const snChords *sn_chords_best(void);

#endif
