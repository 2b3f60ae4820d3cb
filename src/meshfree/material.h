/* The energy of muscle per volume: stable neo-Hookean matter and a fibre.
 *
 *   W = mu/2 (tr F'F - 3) - mu (J - 1) + lambda/2 (J - 1)^2 + W_f(l, a),   l = |F m|
 *   T = dW_f/dl = passive f_p(p l) + a active f_a(p l / l_opt)
 *
 * A slack fibre does not push: f_p counts above p l = 1 only.
 * Small strains see the Lame constants mu and lambda - mu. F is row-major; entry (i, j) has index 3 i + j. */
#ifndef SN_MESHFREE_MATERIAL_H
#define SN_MESHFREE_MATERIAL_H

#include "math/law.h"
#include "math/vec.h"

#include <stdbool.h>

typedef struct snSoftLaw {
    snLaw passive, active;
    double prestretch; /* p: stretch of the fibres in the rest shape */
    double optimal;    /* l_opt: stretch at which they pull best, of the same zero as p l */
    bool plateau;      /* beyond l_opt the active force stays as it is there. Where it falls, a muscle is in no stable
                          equilibrium: some of it shortens and stretches the rest */
} snSoftLaw;

typedef struct snSoftMaterial {
    double mu, lambda;      /* Pa */
    double passive, active; /* Pa: modulus of the fibres, and stress at full activation; tendon: active 0 */
    v3 fibre;               /* unit, rest shape */
} snSoftMaterial;

/* Energy per volume; stress P = dW/dF unless NULL. */
double sn_soft_energy(const snSoftMaterial *m, const snSoftLaw *law, double activation, const double F[9], double P[9]);
/* Tension T of the fibre at stretch l, its slope, and its energy up to a constant (either may be NULL). */
double sn_soft_tension(const snSoftMaterial *m, const snSoftLaw *law, double activation, double l, double *slope,
                       double *energy);
/* lambda (J - 1), and what it becomes to first order if F changes by D (may be NULL). */
double sn_soft_pressure(const snSoftMaterial *m, const double F[9], const double D[9]);
/* dP/dF, 9 x 9 symmetric, with the pressure of F or what a solve expects of it. share: of the way to its nearest form
 * without negative eigenvalues, part by part; 0: as it is. */
void sn_soft_stiffness(const snSoftMaterial *m, const snSoftLaw *law, double activation, const double F[9],
                       double pressure, double share, double C[81]);
/* F = U diag(y) V' with rotations U, V; the last of y has the sign of det F. */
void sn_soft_svd(const double F[9], m3 *U, double y[3], m3 *V);

#endif
