/* Whether muscles can make a whole motion: inverse dynamics with the bones on it, the largest torque left unmet, and
 * what that means: how far the bones sag (sag.h). */
#ifndef SN_ANALYSIS_FEASIBLE_H
#define SN_ANALYSIS_FEASIBLE_H

#include "model/model.h"
#include "sinew/motion.h"
#include "sinew/sim.h"

typedef struct snFeasibleDef {
    snSimDef sim;
    double lead;   /* s from the rest pose to the first frame, not judged */
    double enough; /* N m, N: stop when more is unmet */
    int32_t every; /* steps from one choice of activations to the next */
    double sag;    /* m: where something is unmet, though not more than enough, find out how far the bones sag, up to
                      this; 0: do not ask */
} snFeasibleDef;

typedef struct snFeasible {
    double unmet;       /* N m or N: the largest over all coordinates and steps */
    int32_t coordinate; /* where and when that is */
    double time;
    double activation; /* the largest */
    double sag;        /* m: mean over the motion of how far the bones are from where they come to rest */
} snFeasible;

snFeasibleDef sn_default_feasible_def(void);
/* The motion names all free bodies. */
snStatus sn_feasible(const snModel *model, const snTrack *motion, const snFeasibleDef *def, snFeasible *demand,
                     snError *error);

#endif
