/* Forces from outside that the page sets while a simulation runs: one on each body, and a grip. */
#ifndef SN_STUDIO_LOADING_H
#define SN_STUDIO_LOADING_H

#include "sinew/sinew.h"

typedef struct snLoading {
    const snModel *model;
    snLoads *loads;
    snView force, torque; /* of the state */
    double grip;          /* N on every digit */
    double *push;         /* nbody x 3, N: as drawn, turning with the body */
    bool can_grip;
} snLoading;

snStatus sn_loading_create(const snModel *model, snState *state, snLoading *loading, snError *error);
void sn_loading_destroy(snLoading *loading);
void sn_loading_grip(snLoading *loading, double force);
void sn_loading_push(snLoading *loading, int32_t body, const double force[3]);
void sn_loading_clear(snLoading *loading);
/* Before each step. */
void sn_loading_apply(const snLoading *loading, snState *state);

#endif
