/* What a model is made of, and what a step asks of it.
 *
 * A kind of part is one const table of functions. sn_step goes through the list of parts stage by stage and knows none
 * of them by name; a part that has nothing to do in a stage leaves the entry NULL, and one that the model does not use
 * finds its counts at zero. Parts keep their arrays in the state's table and meet in the linear system.
 *
 * Invariants
 * 1. Within a stage parts run in the order of the list: the system first, since it opens the right-hand side that
 * others add to; bodies before the tree, which carries them, and before
 * strands, so that strands find the velocities of moved bodies.
 * 2. Up to `check` no function changes what a failed step has to leave alone: poses, points and their velocities.
 * 3. No function allocates.
 *
 * To add a kind of part: a file with its table, its name in the list of parts.c, its arrays in state_table.h. */
#ifndef SN_SIM_PARTS_H
#define SN_SIM_PARTS_H

#include "sim/measure.h"
#include "sim/plant.h"

typedef struct snPart {
    const char *name;
    /* Once, when a state is made: what is constant, and everything as drawn and at rest. */
    void (*start)(const snModel *m, snState *s);

    /* The stages of a step, in their order */
    void (*prepare)(const snModel *m, snState *s);              /* where things are: closest points, rows, gaps */
    void (*evaluate)(const snModel *m, snState *s);             /* forces and their derivatives */
    void (*assemble)(const snModel *m, snState *s);             /* what else belongs to the system */
    snStatus (*factor)(const snModel *m, snState *s, bool all); /* all: nothing is left of an earlier round */
    int32_t (*stiffen)(const snModel *m, snState *s); /* evaluates again what new activations made too stiff for
                                                         the factors; how many */
    void (*activate)(const snModel *m, snState *s);   /* adds the forces of the activations */
    void (*solve)(const snModel *m, snState *s);      /* new velocities and multipliers */
    int32_t (*repair)(const snModel *m, snState *s);  /* switches contacts on and off; how many changed */
    snStatus (*check)(const snModel *m, snState *s);  /* SN_DIVERGED, with a culprit */
    void (*advance)(const snModel *m, snState *s);    /* new poses */
    void (*measure)(const snModel *m, snState *s);    /* what fields show */

    void (*energy)(const snModel *m, const snState *s, snEnergy *sum);

    /* What controllers ask for, see plant.h. A part answers for the actuators (m->actuator) that pull through it
     * and for its own bodies and coordinates. */
    void (*respond)(const snModel *m, snState *s, snResponse *response);
    void (*effort)(const snModel *m, snState *s, snEffort *effort, double unit, double *torque,
                   double *need); /* adds */
} snPart;

/* Ends with NULL. */
extern const snPart *const sn_parts[];

extern const snPart sn_part_bodies, sn_part_tree, sn_part_paths, sn_part_strands, sn_part_groups, sn_part_system;

#endif
