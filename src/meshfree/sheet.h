/* Muscles with parts thinner than the points would be apart. Lengths across such a part count more, so that two or
 * three layers of points lie in it, and the points around each span three directions. */
#ifndef SN_MESHFREE_SHEET_H
#define SN_MESHFREE_SHEET_H

#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct snSoftSheet {
    int32_t n;        /* places that were looked at; 0: no sheet */
    double *at;       /* n x 3 */
    double *mean;     /* n x 3: middle of the matter around */
    double *normal;   /* n x 3, unit */
    double *stretch;  /* n: how much more a length across counts, at least 1 */
    double thickness; /* m, median */
} snSoftSheet;        /* zeroed memory is none */

/* Looks at the matter (n places, 3 each, each the same share of the volume) for so many points. False: out of memory.
 */
bool sn_soft_sheet_create(int32_t n, const double *x, double volume, int32_t count, double squeeze, snSoftSheet *sheet);
void sn_soft_sheet_free(snSoftSheet *sheet);
int32_t sn_soft_sheet_nearest(const snSoftSheet *sheet, v3 place);
/* A place with its distance from the middle of the sheet stretched; the place itself where there is no sheet. */
v3 sn_soft_sheet_unfold(const snSoftSheet *sheet, v3 place);

#endif
