/* Quadrature points: all that the elastic body sees of its discretisation.
 *
 * The deformation gradient at point q is F = sum over its nodes a of x_a g_qa', and its energy counts V_q times. Points
 * by moving least squares and hexahedra fill the same arrays. What moving least squares cannot see (the part of the
 * neighbours' motion that no affine map explains) is held by a stabilisation: a constant symmetric matrix over the
 * nodes, the same for x, y and z. */
#ifndef SN_MESHFREE_QUADS_H
#define SN_MESHFREE_QUADS_H

#include "meshfree/points.h"

enum { SN_SOFT_MAX_STENCIL = 36 };

/* Cubes take the resistance to a change of volume at their middle only: at all eight points it would lock them. */
typedef enum snSoftPart { SN_SOFT_ALL, SN_SOFT_SHAPE, SN_SOFT_VOLUME } snSoftPart;

typedef struct snSoftQuads {
    int32_t n, nnode;
    double *rest;     /* nnode x 3 */
    double *volume;   /* n, m^3 */
    double *centre;   /* n x 3: where the point lies */
    uint8_t *part;    /* n: which part of the energy it integrates, snSoftPart */
    int32_t *first;   /* n + 1; a quadrature point without nodes is rigid */
    int32_t *node;    /* first[n] */
    double *gradient; /* first[n] x 3 */
    /* stabilisation times 1 / (s mu): lower half by rows, columns ascending, the diagonal last */
    int32_t *hold_first, *hold_column;
    double *hold;
} snSoftQuads; /* zeroed memory is an empty set */

/* One quadrature point for each point. What belongs to an attached point is rigid: it has no nodes. If it had, its
 * neighbours among the attached ones, which cannot move closer, would leave it to a few free ones to keep its volume,
 * and these do so by turning about the fibres: a gradient fitted over points that are turned against each other sees a
 * smaller section. The belly rolled by up to 80 degrees. stabilise false: hold is empty (hold_first all zero). */
snStatus sn_soft_quads_from_points(const snSoftPoints *points, bool stabilise, snSoftQuads *quads, snError *error);

/* Cubes of the given size that fill a box of cells, eight quadrature points and one for the volume each. inside (may be
 * NULL) says how much of a quadrature point's eighth of a cube counts, 0 to 1; cubes without any are left out. */
typedef double (*snSoftInsideFn)(const void *context, v3 centre, double size);
snStatus sn_soft_quads_from_cubes(v3 low, const int32_t cells[3], v3 size, snSoftInsideFn inside, const void *context,
                                  snSoftQuads *quads, snError *error);
void sn_soft_quads_free(snSoftQuads *quads);

/* Deformation gradient (row-major) at a quadrature point; I where it has no nodes. */
void sn_soft_quads_gradient(const snSoftQuads *quads, int32_t q, const double *x, double F[9]);

#endif
