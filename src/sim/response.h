/* The inside of a response, for the parts that fill it. */
#ifndef SN_SIM_RESPONSE_H
#define SN_SIM_RESPONSE_H

#include "sim/plant.h"

struct snResponse {
    const snModel *m;
    snState *s;
    bool one_each;   /* actuator j is all of muscle j */
    int32_t nstrand; /* actuators that pull through strands: the first ones */
    int32_t *strand; /* nstrand */
    int32_t ld;
    double *
        velocity; /* 6 nfree rows: what a unit of each actuator's force does, in column nstrand what is there without */
    double *scale; /* nactuator: impulse of the step at full activation, as part of the actuator's force */
    int32_t nreleased;
    int32_t *released; /* ncoord: whose stops are left out */
    uint8_t *clean;    /* nstrand of the model, all 0: no strand has changed since the last factorisation */
};

/* Of the system of bodies and strands. */
void sn_system_respond(const snModel *m, snState *s, snResponse *r);

#endif
