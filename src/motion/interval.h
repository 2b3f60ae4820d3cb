/* Which two keys a time lies between. */
#ifndef SN_MOTION_INTERVAL_H
#define SN_MOTION_INTERVAL_H

#include <stdint.h>

/* The last i <= count - 2 with time[i] <= at, 0 if there is none; times rise. */
static inline int32_t sn_find_interval(const double *time, int32_t count, double at)
{
    int32_t low = 0, high = count - 1;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (time[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

#endif
