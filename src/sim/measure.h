/* Energy, momentum and identity of a state: what tests and benchmarks ask for. */
#ifndef SN_SIM_MEASURE_H
#define SN_SIM_MEASURE_H

#include "sinew/sim.h"

typedef struct snEnergy {
    double kinetic, elastic, potential; /* J */
    double momentum[3], angular_momentum[3];
} snEnergy;
snEnergy sn_energy(const snModel *model, const snState *state);
/* A hash of all positions and velocities, equal only for bit-equal states. */
uint64_t sn_state_hash(const snState *state);

#endif
