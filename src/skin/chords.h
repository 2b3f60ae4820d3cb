/* The inner loops of the search for closest points, in single precision because they only bound. One source, compiled
 * for the plain machine and for AVX2 and chosen at run time; results may differ in the last bit, which the bounds allow
 * for. */
#ifndef SN_SKIN_CHORDS_H
#define SN_SKIN_CHORDS_H

#include <stdint.h>

enum { SN_LANES = 8 };

typedef struct snChord {
    float ax, ay, az, cx, cy, cz, inverse, slack; /* start, way to the end, 1 / length^2; slack in m */
} snChord;

struct snPack;

typedef struct snChords {
    /* Squared distances of SN_LANES points to each of n chords, SN_LANES per chord, and the least of them per point. */
    void (*points)(int32_t n, const snChord *chord, const float *x, const float *y, const float *z, float *distance2,
                   float *least);
    /* Which chords are no further from a point than limit (per point) plus the chord's slack: of chord j, point i bit
     * j % 32 of open[SN_LANES * (j / 32) + i]. */
    void (*within)(int32_t n, const snChord *chord, const float *distance2, const float *limit, uint32_t *open);
    /* Squared distances of one point to the SN_LANES chords of a pack. */
    void (*pack)(const struct snPack *pack, float x, float y, float z, float *distance2);
} snChords;

extern const snChords sn_chords_portable, sn_chords_avx2;
const snChords *sn_chords_best(void);

#endif
