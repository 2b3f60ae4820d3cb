/* Grey values of tissues: what belongs to the muscle, in spite of noise and of a sensitivity that varies over the
 * stack. */
#ifndef SN_IMAGE_LEVELS_H
#define SN_IMAGE_LEVELS_H

#include "image/own/image.h"
#include "image/stack.h"

enum { SN_SHADING_TERMS = 10 };

typedef struct snLevels {
    double low, high;                 /* of the muscle; infinite: no tissue on that side */
    double level;                     /* the muscle's own */
    double scale;                     /* distance from the level to the nearer bound */
    double shading[SN_SHADING_TERMS]; /* log of the sensitivity: quadratic over the stack, 0 at first */
} snLevels;

/* Means over 3 x 3 pixels, into room for the whole stack. */
void sn_levels_smooth(const snStack *stack, float *smooth);
/* Bounds half-way between the level of the seeds and the tissues around it: three classes of grey by Otsu's method,
 * those closer than the noise taken together. Bounds that are given (not NaN) are kept. */
snStatus sn_levels_find(const snStackPlace *place, const float *smooth, int32_t nseed, const double *seed, double low,
                        double high, snLevels *levels, snError *error);
/* Fits the shading to the pixels of a mask of the whole stack, by least squares, and sets the level to theirs; bounds
 * that are not given (NaN) stay half-way to the other tissues. Left as it is where there are too few. */
void sn_levels_fit(const snStackPlace *place, const float *smooth, const uint8_t *region, double low, double high,
                   snLevels *levels);
/* How sensitive the stack is at a pixel. */
double sn_levels_gain(const snLevels *levels, const snStackPlace *place, double x, double y, double slice);
/* Positive inside the bounds, 1 at the muscle's level, -1 at the far side of the other tissue. */
double sn_levels_inside(const snLevels *levels, double value);
/* Standard deviation of the noise, from how far the pixels of a region are from the means around them. */
double sn_levels_noise(const snStack *stack, const float *smooth, const uint8_t *region);

#endif
