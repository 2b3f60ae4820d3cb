/* The parts of a tree's stiffness that may be negative. */
#ifndef SN_SIM_TREE_SLOPE_H
#define SN_SIM_TREE_SLOPE_H

#include "sim/tree_sim.h"

/* Fills sim->K: the turning of levers under the present tensions; with sim->full also weight, compression and loads.
 * Uses U as scratch. Needs prepare. */
void sn_treesim_slopes(snTreeSim *sim);

#endif
