#include "math/ticks.h"

#include <math.h>

static const double LARGEST = 1e300, SMALLEST = 1e-290; /* so that no difference or quotient leaves the numbers */
static const double NARROWEST = 1e-8;                   /* of the size of the values: ticks are counted in 32 bits */

static double within(double value)
{
    return value < -LARGEST ? -LARGEST : value > LARGEST ? LARGEST : value == value ? value : 0;
}

/* A range that has ticks: of any two values, also huge, equal or nearly so. */
static void make_range(double *low, double *high)
{
    *low = within(*low), *high = within(*high);
    if (!(*high > *low)) {
        double pad = fmax(fabs(*low) * 0.05, 1e-3);
        *low -= pad, *high += pad;
    }
    double least = fmax(SMALLEST, NARROWEST * fmax(fabs(*low), fabs(*high)));
    if (*high - *low < least) {
        double middle = 0.5 * *low + 0.5 * *high;
        *low = middle - 0.5 * least, *high = middle + 0.5 * least;
    }
}

snAxisTicks sn_axis_ticks(double low, double high, int at_most, bool grow)
{
    make_range(&low, &high);
    double rough = (high - low) / (at_most > 1 ? at_most - 1 : 1), power = pow(10, floor(log10(rough)));
    double share = rough / power, step = power * (share <= 1 + 1e-9   ? 1
                                                  : share <= 2 + 1e-9 ? 2
                                                  : share <= 5 + 1e-9 ? 5
                                                                      : 10);
    snAxisTicks axis = {low, high, step, 0, 0, 0};
    if (grow) {
        axis.low = step * floor(low / step + 1e-9);
        axis.high = step * ceil(high / step - 1e-9);
    }
    axis.first = (int32_t)ceil(axis.low / step - 1e-9);
    axis.last = (int32_t)floor(axis.high / step + 1e-9);
    double decimals = -floor(log10(step) + 1e-9);
    axis.decimals = decimals > 0 ? (int)fmin(decimals, 12) : 0;
    return axis;
}
