/* Fibres over a replay, and whether muscles can hold a pose. */
#ifndef SN_ANALYSIS_OWN_MUSCLES_H
#define SN_ANALYSIS_OWN_MUSCLES_H

#include "sinew/control.h"

/* Length of the fibres of every strand that has a belly, and its rate, over the frames of a replay: a track with the
 * scalars fibre_length/STRAND (m: of the belly, along the path) and fibre_velocity/STRAND (m/s, negative while it
 * shortens). The model is the one compiled from the spec. SN_BAD_INPUT: the replay lacks strands of the model, or none
 * has a belly. */
snStatus sn_fibre_course(const snSpec *spec, const snModel *model, const snTrack *replay, snTrack **result,
                         snError *error);

/* What the muscles must do to hold a torque about one coordinate and none about the others, by the least activation
 * that does it (minimum norm, 0 to 1). Where moment arms are nearly collinear it takes much more than the same torque
 * would if the other coordinates held themselves: muscles then work against each other. */
typedef struct snHold {
    int32_t coordinate; /* -1: the weight of all bodies in the rest pose */
    double torque;      /* N m or N asked for; of weight: the largest */
    double largest;     /* activation */
    double norm, alone; /* |a|; |a| if only this coordinate counted (0 for weight) */
    double unmet;       /* part of the torque that is out of reach */
} snHold;

typedef struct snTwins {
    int32_t a, b;  /* muscles */
    double cosine; /* between their columns of torques */
} snTwins;

typedef struct snStatics {
    int32_t nhold, ntwins;
    snHold *hold;   /* each coordinate up and down, then weight */
    snTwins *twins; /* pairs that pull nearly the same way, most similar first */
} snStatics;

/* arm: nstrand x ncoordinate, as snArms.neutral. share: of the torque that each coordinate's muscles could give. */
snStatus sn_static_check(const snModel *model, const double *arm, double share, snStatics *statics, snError *error);
void sn_statics_free(snStatics *statics);

#endif
