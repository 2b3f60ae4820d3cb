/* One muscle in the flesh of sinew flesh, for the comparison of fidelities. */
#ifndef SN_AUTHOR_COMPARE_FLESH_H
#define SN_AUTHOR_COMPARE_FLESH_H

#include "author/library.h"
#include "author/own/library.h"
#include "base/array.h"
#include "flesh/tissue.h"

typedef struct snFleshedMuscle {
    const snSoftMuscle *muscle; /* mesh, fibres and attachments are this one's */
    snSamples samples;
    SN_ARRAY(snMuscleSample) fiber;
    SN_ARRAY(snBoneSample) hold;
    double *along; /* of each sample in fiber: fraction of its strand */
    double *rest;  /* 7 per bone, as drawn */
    double start, end, rest_section, rest_volume;
    snTissue tissue;
} snFleshedMuscle; /* zeroed memory is an empty one */

/* start, end: of the belly, fractions. tetrahedra: about as many as there are. */
snStatus sn_fleshed_create(const snSoftMuscle *muscle, double start, double end, int32_t tetrahedra, snFleshedMuscle *f,
                           snError *error);
void sn_fleshed_free(snFleshedMuscle *f);
/* Rest with the muscle's bones at `bone`, from where it is now. */
void sn_fleshed_solve(snFleshedMuscle *f, const rigid *bone, double activation, snFidelity *out);

#endif
