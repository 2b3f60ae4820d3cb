/* Blending of bones: linear and by dual quaternions. */
#ifndef SN_SKIN_BLEND_H
#define SN_SKIN_BLEND_H

#include "math/vec.h"

#include <stdint.h>

enum { SN_SKIN_BONES = 4 }; /* bodies per vertex */

/* motion[b]: of body b from the rest pose to now. 12 doubles per body: the 3x4 matrix by rows. */
void sn_blend_matrices(int32_t nbody, const double *rest, const double *pose, double *matrix);
void sn_blend_linear(int32_t nvertex, const double *vertex, const int32_t *body, const double *weight,
                     const double *matrix, double *out);
/* The motion a part of the way from that of body a to that of body b, rigid, as a 3x4 matrix. */
void sn_blend_between(const double *rest, const double *pose, int32_t a, int32_t b, double part, double matrix[12]);
/* dual: 8 per body, filled by this function from the poses. */
void sn_blend_dual(int32_t nbody, const double *rest, const double *pose, double *dual);
void sn_blend_dual_quaternion(int32_t nvertex, const double *vertex, const int32_t *body, const double *weight,
                              const double *dual, double *out);

#endif
