/* Scales with round numbers: where the ticks of an axis stand, and where a scale ends that holds a value. */
#ifndef SN_MATH_TICKS_H
#define SN_MATH_TICKS_H

#include <stdbool.h>
#include <stdint.h>

/* An axis from low to high with ticks at round numbers inside it. */
typedef struct snAxisTicks {
    double low, high, step;
    int32_t first, last; /* ticks at first * step ... last * step */
    int decimals;
} snAxisTicks;

enum { SN_SCALE_TICKS = 7 }; /* of a scale, at most */

/* grow: low and high move out to the next tick. at_most: ticks. */
snAxisTicks sn_axis_ticks(double low, double high, int at_most, bool grow);

#endif
