/* One spline strand as a kernel over arrays: mass, elastic force, stiffness. Knows no model.
 *
 * Cubic B-spline of n control points. At a Gauss point with rest arc length w the stretch vector is
 * u = sum d_k q_k (d_k: derivative of the basis by rest arc length), strain = |u| - 1, and
 *     T(strain, a) = passive P(1 + strain) + a active L(fiber (1 + strain))
 * with passive = passive_scale E A and active = active_scale max_force. The rest curve is the drawn one scaled by
 * rest_scale (tendon) or belly_rest_scale (belly). The passive part is zero below strain zero where tension_only says
 * so; the active part pulls at any length.
 * Invariants: gauss points are sorted along the strand, two per span with a length (one collapses in
 * an hourglass mode, three or four lock); mass uses four per span, which is exact for uniform speed. */
#ifndef SN_STRAND_STRAND_H
#define SN_STRAND_STRAND_H

#include "math/law.h"
#include "math/vec.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct snGauss {
    double d[4];    /* derivative of the basis by rest arc length */
    double weight;  /* rest arc length, m */
    double s;       /* parameter */
    double passive; /* EA times passive scale, N */
    double active;  /* maximal force here, N: zero in the tendon */
    double fiber;   /* normalised fibre length at strain zero */
    double slack;   /* stiffness under compression of a strand that is tension_only, N: see setup.c */
    double share;   /* 1: the passive law of the belly, 0: tendon, linear; between them both, in these shares */
    int32_t span;
} snGauss;

typedef struct snStrand {
    int32_t n, ngauss;
    const double *knot;   /* n + 4 */
    const snGauss *gauss; /* ngauss */
    const double *mass;   /* n * 4: consistent mass, entry (i, i + k) at 4 i + k, kg */
    snLaw passive_law, active_law;
    double alpha, beta; /* Rayleigh damping by mass, 1/s, and by stiffness, s */
    double rest_length; /* m */
    double hold; /* N: the geometric stiffness counts at least activation times this tension. A tendon that was slack
                    is about to carry what its belly pulls, and a step that does not know lets it swing out
                    sideways. 0: the tension as it is */
    bool tension_only; /* carries no load when shorter than at rest */
} snStrand;

/* What snStrand is made of; lengths m, moduli Pa. */
typedef struct snStrandParams {
    double density, radius;
    double stiffness, tendon_stiffness; /* Young's moduli of belly and tendon */
    double belly_start, belly_end;      /* fractions of the parameter range; equal: no belly */
    double max_force;                   /* N */
    double passive_scale, active_scale;
    double rest_scale;       /* rest length over drawn length of the tendon */
    double belly_rest_scale; /* the same of the belly */
    double fiber_rest;       /* normalised fibre length of the belly at strain zero */
} snStrandParams;

/* Number of Gauss points of n control points over these knots. */
int32_t sn_strand_gauss_count(const double *knot, int32_t n);
/* Fills gauss (sn_strand_gauss_count of them) and mass (4 n) from the drawn points (3 n). log(EA), log of the
 * rest scale and the active force are blended over four spans (fewer in a shorter belly) where belly meets tendon.
 * Returns the rest length. A span whose drawn tangent vanishes gives NaN: check first. */
double sn_strand_setup(const double *knot, int32_t n, const double *point, const snStrandParams *params, snGauss *gauss,
                       double *mass);

/* Adds to force (3 n) the passive elastic force at points q. force_active (3 n, may be NULL) is set to the force of
 * activation 1, so that the whole is force + a force_active. Adds h^2 K + h beta K_tt to point_A (see sparse/kkt.h; may
 * be NULL), the stiffness taken at activation a: K_tt = (dT/dstrain) t t', not below 0, and the geometric part
 * (T / |u|) (I - t t') only in tension, so that what is added is never indefinite.
 * Damping acts on the tangential part alone (on the geometric part it would damp rigid rotation). The unknown of the
 * step is the new velocity, so the damping is whole once h beta K_tt is in point_A: force then holds none of it. Only
 * without point_A (an explicit evaluation) -beta K_tt qdot is added to force; qdot may be NULL. */
void sn_strand_force(const snStrand *strand, const double *q, const double *qdot, double a, double h, double *force,
                     double *force_active, double *point_A);
/* Adds M qdot + h M gravity to impulse (3 n) and (1 + h alpha) M to point_A (may be NULL): the step solves
 * (M + h alpha M + ...) qdot_new = M qdot + h (M gravity + force + a force_active), with the damping by mass taken at
 * the new velocity. M is the consistent mass; each of its blocks is a number times the identity. */
void sn_strand_inertia(const snStrand *strand, const double *qdot, v3 gravity, double h, double *impulse,
                       double *point_A);

/* Both at once for the step, and several times as fast: sets impulse to M qdot + h M gravity + h force, force_active
 * (may be NULL) as above, and point_A to (1 + h alpha) M + h^2 K + h beta K_tt, blocks past the end of the strand to
 * zero. The arrays may be followed by other strands': nothing past the end is read or written. */
void sn_strand_assemble(const snStrand *strand, const double *q, const double *qdot, double a, double h, v3 gravity,
                        double *impulse, double *force_active, double *point_A);

/* Elastic energy at activation a (the potential whose negative gradient sn_strand_force gives), J. */
double sn_strand_energy(const snStrand *strand, const double *q, double a);
double sn_strand_kinetic_energy(const snStrand *strand, const double *qdot);
/* By the same quadrature as strain and rest length: length / rest_length is the mean stretch. */
double sn_strand_length(const snStrand *strand, const double *q);
/* Tension averaged over three spans around s (never read one Gauss point near a kink). */
double sn_strand_tension(const snStrand *strand, const double *q, double a, double s);

/* Point at s, unit tangent (may be NULL). span_hint (may be NULL): a span to try first, then the one of s. */
v3 sn_strand_point(const snStrand *strand, const double *q, double s, v3 *tangent, int32_t *span_hint);
/* Parameter of the point nearest to x in the valley around s (not on another branch of the strand), by safeguarded
 * Newton, with at most max_change of change (fraction of the parameter range). Stays within the range. */
double sn_strand_closest(const snStrand *strand, const double *q, v3 x, double s, double max_change,
                         int32_t *span_hint);

#endif
