/* Loads that change while a model is watched. */
#ifndef SN_CONTROL_OWN_LOAD_H
#define SN_CONTROL_OWN_LOAD_H

#include "sinew/load.h"

void sn_loads_clear(snLoads *loads);

#endif
