/* A path of 3 mm with the stiffness of a tendon and no belly, under the given tension (N) as drawn. */
#ifndef SN_TESTS_SIM_ROPE_H
#define SN_TESTS_SIM_ROPE_H

#include "math/vec.h"
#include "sinew/model.h"

static inline snStrandDef rope_def(double tension)
{
    snStrandDef def = sn_default_strand_def();
    def.name = "rope", def.kind = SN_STRAND_PATH;
    def.radius = 0.0015, def.tendon_stiffness = 1.8e8, def.density = 1000;
    def.belly_start = def.belly_end = 0;
    def.rest_scale = 1 / (1 + tension / (def.tendon_stiffness * SN_PI * def.radius * def.radius));
    return def;
}

#endif
