/* Loads: forces from outside that a run has to carry, over time. A weight in the hand, a push at a bone, the object in
 * a gripping fist. They act on free bodies; the controllers see them, so that activations balance them. */
#ifndef SINEW_LOAD_H
#define SINEW_LOAD_H

#include "sinew/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snLoads snLoads;

typedef struct snLoadDef {
    size_t size; /* of this struct: set by its default function */
    int32_t body;
    bool at_point;   /* false: at the centre of mass */
    double point[3]; /* at_point: where, in the scene as drawn, m; it moves with the body */
    bool world;      /* the force keeps its direction; false: it is given as drawn and turns with the body */
    int32_t count;
    const double *time;  /* count, rising, s; linear in between, held before the first and after the last */
    const double *force; /* count x 3, N */
} snLoadDef;
static inline snLoadDef sn_default_load_def(void)
{
    SN_DEF(snLoadDef, def);
    return def;
}

/* The model must outlive the loads and is one of strands; models on a tree take theirs from a case (clinical.h). */
SN_API snStatus sn_loads_create(const snModel *model, snLoads **loads, snError *error);
SN_API void sn_loads_destroy(snLoads *loads); /* NULL is fine */
/* Loads on the same body add up. SN_BAD_INPUT, loads untouched: a body that nothing moves, times that do not rise, a
 * force that is not a number or above 10 kN. */
SN_API snStatus sn_loads_add(snLoads *loads, const snLoadDef *def, snError *error);
/* What a gripped object does: it presses every digit with the same force (count numbers, N), spread evenly along its
 * bones, square to each and against its flexion. The palm feels the opposite, so that the object is in balance and the
 * wrist carries nothing of it. A digit is a chain of hinges that ends freely, with the bone that they begin on; the
 * palm is what that bone hangs on. SN_BAD_INPUT: there are fewer than two. */
SN_API snStatus sn_loads_add_grip(snLoads *loads, int32_t count, const double *time, const double *force,
                                  snError *error);
/* The same from text, WHERE=FORCE:
 *   dp2=0,0,5                    N along the axes of the scene as drawn, turning with the bone, at its centre of mass
 *   dp2@tip=0,0,5                at the point of the bone that is farthest from its joint
 *   dp2@0.03,-0.17,0.004=0,0,5   at this point of the scene as drawn, m
 *   hand:world=0,-20,0           a force that keeps its direction
 *   hand=2kg                     a weight: its force along gravity, not its inertia
 *   dp2=0:0,0,0/1.5:0,0,5        over time, s
 *   grip=10                      N on every digit, as sn_loads_add_grip; over time grip=0:0/1:10
 * Patterns such as dp[2-5]@tip mean every free body that they match. */
SN_API snStatus sn_loads_read(snLoads *loads, const char *text, snError *error);

/* Writes body.force and body.torque of those bodies at their present poses; allocates nothing. Before each step. */
SN_API void sn_loads_apply(const snLoads *loads, snState *state, double time);

#ifdef __cplusplus
}
#endif
#endif
