/* What benchmarks and the studio ask of a state. */
#ifndef SN_SIM_OWN_STATE_H
#define SN_SIM_OWN_STATE_H

#include "sinew/sim.h"

/* Multiplies gravity from the next step on. */
void sn_set_gravity_scale(snState *state, double scale);
const char *sn_stage_name(int32_t stage); /* NULL past the last */
int64_t sn_state_bytes(const snState *state);

#endif
