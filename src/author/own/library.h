/* How long a library took to make, and a muscle of it in other fidelities. */
#ifndef SN_AUTHOR_OWN_LIBRARY_H
#define SN_AUTHOR_OWN_LIBRARY_H

#include "sinew/meshfree.h"

/* How long a library took to make; all 0 when it was read from a file. */
typedef struct snLibraryTimes {
    int32_t solves;     /* of the samples that are kept */
    double mean, worst; /* s of one core for each of these solves */
    double seconds;     /* s by the clock, with filling the muscle, true solves at middles and the check of jumps */
    double samples;     /* of these for the samples alone */
} snLibraryTimes;
snLibraryTimes sn_library_times(const snLibrary *library);
/* Muscles that could not be made among several, a line for each with the reason; empty: none. */
const char *sn_library_left_out(const snLibrary *library);

/* One muscle in four fidelities: its group of strands, points, hexahedral elements, flesh. */
enum { SN_FIDELITIES = 4 };
typedef struct snFidelity {
    bool converged;
    double force;   /* N: on the insertion */
    double section; /* m^2: mean section of the belly, its volume over its length; NaN: no group of strands has one */
    double bulge;   /* section over that in the drawn pose, at rest */
    double volume;  /* over that in the drawn pose */
    double seconds; /* of one core */
} snFidelity;
typedef struct snFidelities {
    double coordinate, activation; /* coordinate: rad or m, of the axis */
    snFidelity of[SN_FIDELITIES];  /* strands, points, elements, flesh */
} snFidelities;
/* Equilibria of a muscle in all of them, over one joint coordinate and the activation as the def gives them (jump,
 * midpoint and most_samples are not used; bones are held). row: room for samples x activations, at most 17 x 17. axis:
 * 64 characters for the coordinate's name. SN_BAD_INPUT: no such muscle or coordinate, or a model without strands. */
snStatus sn_compare_muscle(const snSpec *spec, const snLibraryDef *def, snFidelities *row, int32_t *rows, char *axis,
                           bool *angle, snError *error);

#endif
