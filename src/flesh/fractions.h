/* What the tetrahedra of a lattice hold: material and muscle fibres, by the samples in them. */
#ifndef SN_FLESH_FRACTIONS_H
#define SN_FLESH_FRACTIONS_H

#include "flesh/tissue.h"

/* Tetrahedra by size, axis and number: samples that a whole one holds, and one of them counted from its cube. The grid
 * repeats itself from cube to cube. */
typedef struct snWholeTets {
    int32_t count[SN_LATTICE_SIZES][3][4];
    int32_t sample[SN_LATTICE_SIZES][3][4][3];
} snWholeTets;

/* Of the tetrahedra, 4 per octahedron. */
typedef struct snFractions {
    float *fill;
    float *share;     /* SN_OCT_FIBERS per tetrahedron */
    float *direction; /* 3 per share, world */
    int32_t *muscle;  /* per share, -1 */
    snWholeTets whole;
} snFractions; /* zeroed memory is an empty one */

/* The lattice must still have its samples. SN_NO_MEMORY is all that fails. */
snStatus sn_fractions_create(const snTissueDef *def, const snLattice *lattice, snFractions *fractions);
void sn_fractions_free(snFractions *fractions);

#endif
