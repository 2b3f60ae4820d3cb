/* By how much each of many unknowns can change while what they make stays the same: R x = R a, 0 <= x <= 1. For each of
 * a sample of unknowns two programs pull it to 1 and to 0 while the others yield at little cost; rows count relative to
 * their size. The ranges are those that the programs reach: the true ones are as wide or wider. */
#ifndef SN_OPT_SPREAD_H
#define SN_OPT_SPREAD_H

#include <stdint.h>

typedef struct snSpread snSpread;

snSpread *sn_spread_create(int32_t nrow, int32_t n); /* rows at most, unknowns. NULL: out of memory */
void sn_spread_destroy(snSpread *s);                 /* NULL is fine */
/* Mean range (high - low) of up to `most` unknowns, evenly chosen. R: nrow rows, ld apart. NaN where nothing is made or
 * there is no unknown. */
double sn_spread_find(snSpread *s, int32_t nrow, const double *R, int32_t ld, const double *a, int32_t most);

#endif
