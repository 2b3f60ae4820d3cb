/* Gradients that integrate a uniform stress exactly.
 *
 * The force of a uniform stress P on a node is P times the sum over q of V_q g_qa. It should be P times the area of the
 * wall that belongs to the node, W_a: nothing for a node inside. Moving least squares misses that by some percent,
 * which pushes nodes about and loses force. So the gradients are changed as little as possible,
 *
 *   least sum of V_q dg_qa^2 / w_qa   with   sum_q V_q (g_qa + dg_qa) = W_a,   sum_a dg_qa = 0,   sum_a dg_qa X_a' = 0,
 *
 * which keeps them exact for affine motions. With the multipliers m of the first condition, dg_q = P_q m, P_q = w - w Y
 * (Y' w Y)^-1 Y' w, Y = (1, X), and sum_q V_q P_q m = W - sum_q V_q g_q is solved by conjugate gradients. */
#ifndef SN_MESHFREE_CONSISTENT_H
#define SN_MESHFREE_CONSISTENT_H

#include "meshfree/quads.h"

/* Fills points->wall: each piece of the mesh goes to the nearest point; then as little is moved between points on the
 * wall as makes sum W_a = 0 and sum W_a X_a' = V I hold. Where bones hold the points it is the wall of what is free,
 * and V its volume: the pieces that belong to a bone close up with the face between the two, so that their sum is the
 * area of that face, which the attached points at it share. False: out of memory. */
bool sn_soft_wall(const snSoftPointsDef *def, snSoftPoints *points);
/* Corrects the gradients of quadrature points that stand on the points, one each. Attached
 * points bear any force. False: out of memory. */
bool sn_soft_make_consistent(const snSoftPoints *points, snSoftQuads *quads);

#endif
