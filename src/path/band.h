/* Linear equations along a row of points with two unknowns each: blocks of 2 x 2 that couple neighbours. */
#ifndef SN_PATH_BAND_H
#define SN_PATH_BAND_H

#include <stdbool.h>

enum { PATH_BAND = 16 }; /* the last point of the row */

typedef struct pathBlock { /* 2 x 2, by rows */
    double m[4];
} pathBlock;

typedef struct pathBand { /* lower[i] x_(i-1) + middle[i] x_i + upper[i] x_(i+1) = r[i] */
    pathBlock lower[PATH_BAND + 1], middle[PATH_BAND + 1], upper[PATH_BAND + 1];
    double r[PATH_BAND + 1][2];
} pathBand;

/* r becomes the solution, the blocks are used up. *sign is that of the determinant. */
bool path_band_solve(pathBand *band, int *sign);
/* The blocks of the transposed matrix; r is zero. */
void path_band_transpose(const pathBand *band, pathBand *to);

#endif
