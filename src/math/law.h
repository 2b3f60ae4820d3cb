/* Force-length laws: normalised force over normalised stretch, as formula or as table.
 * Passive: 0 at stretch 1, multiplied by E A, so that a slope of 1 means the modulus E. Active: multiplied by
 * activation and maximal force; its stretch is the fibre length over the optimal one.
 * Every law is continuous and, but for the ends of the parabolas, the ramp and a table, and the start of the
 * exponential, smooth. */
#ifndef SN_MATH_LAW_H
#define SN_MATH_LAW_H

#include <stdint.h>

typedef enum snLawKind {
    SN_LAW_LINEAR,   /* passive: f = stretch - 1. The default */
    SN_LAW_CONSTANT, /* active: f = 1 at every length. A muscle stronger than its load then shortens without end */
    SN_LAW_SHIFT, /* active: 1 down to the rest length, then falling in a line to 0 at half of it: activation lifts the
                     curve and moves its zero to a shorter length, as in [Sueda 2008]. The default */
    SN_LAW_HILL_PASSIVE,        /* exponential toe up to a stretch of 1.6, then linear with slope 1 */
    SN_LAW_HILL_ACTIVE,         /* Gaussian around stretch 1: exp(-(stretch - 1)^2 / 0.45) */
    SN_LAW_QUADRATIC_ACTIVE,    /* parabola: 1 - ((stretch - 1) / 0.5)^2, not below 0 */
    SN_LAW_BLIX_ACTIVE,         /* parabola around stretch 1.1: 1 - 4 (stretch - 1.1)^2, not below 0 */
    SN_LAW_BLIX_PASSIVE,        /* 2.77 (stretch - 1)^2 above stretch 1 */
    SN_LAW_RAMP_ACTIVE,         /* line from 0 at stretch 0.3 through 1 at stretch 1 and on, not below 0 */
    SN_LAW_EXPONENTIAL_PASSIVE, /* 0.8 (exp(6 (stretch - 1)) - 1) above stretch 1, a line above stretch 2 */
    SN_LAW_ARCH_ACTIVE, /* 1 at stretch 1, 0 at 0.5 and below and at 1.6 and above, half a cosine on each side: a
                           muscle has nothing left where it is shortest and longest */
    SN_LAW_TABLE        /* piecewise cubic through data, monotone between points, linear outside */
} snLawKind;

typedef struct snLaw {
    snLawKind kind;
    int32_t n;                   /* table: points, at least 1 */
    const double *x, *y, *slope; /* table: stretch (increasing), force, slope at each point */
} snLaw;

/* Force and its derivative by the stretch. */
double sn_law_eval(const snLaw *law, double stretch, double *slope);
/* The same; *near is where in a table to look first, and where it was found: any number
 * that fits an int32_t will do. */
double sn_law_eval_near(const snLaw *law, double stretch, double *slope, int32_t *near);
/* Integral of the force from `from` to `to`: the energy of the stretch, per unit force and rest length. */
double sn_law_integral(const snLaw *law, double from, double to);
/* Slopes (n) of the monotone cubic through x, y. */
void sn_law_slopes(int32_t n, const double *x, const double *y, double *slope);
/* Built-in law by name ("linear", "constant", "shift", "hill-passive", "hill-active", "quadratic-active",
 * "blix-active", "blix-passive", "ramp-active", "exponential-passive", "arch-active"); 0 if unknown. */
int sn_law_by_name(const char *name, snLawKind *kind);
/* "table" for a table, which sn_law_by_name does not know. */
const char *sn_law_name(snLawKind kind);

/* Force-velocity: what is left of the active force at a speed, over the largest speed of shortening; shortening is
 * negative. [Hill 1938] with a/F0 = 0.25 when shortening, 0 at -1 and beyond; when lengthening it rises with the same
 * slope towards 1.4. */
double sn_force_velocity(double speed, double *slope);

#endif
