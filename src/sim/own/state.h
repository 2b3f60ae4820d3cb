/* What benchmarks and the studio ask of a state. */
#ifndef SN_SIM_OWN_STATE_H
#define SN_SIM_OWN_STATE_H

#include "sinew/sim.h"

/* Multiplies gravity from the next step on. */
void sn_set_gravity_scale(snState *state, double scale);
/* Steps that nobody looks at need not fill what fields and recordings show of path strands (control points, forces of
 * constraints, lengths, tensions where strands branch) and of line muscles (their corners). Nothing else depends on
 * them. Off before the step that counts: it gives control points the mean velocity since they were last placed. */
void sn_set_quiet(snState *state, bool on);
const char *sn_stage_name(int32_t stage); /* NULL past the last */
int64_t sn_state_bytes(const snState *state);

#endif
