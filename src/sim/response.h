/* The inside of a response, for the parts that fill it, and the answers of the system.
 *
 * velocity is a matrix: six rows for each free body, a column for each actuator (what a unit of its force, over the
 * time of a step, does to the body's velocities), one for each stop that is left out (what a unit of its push does) and
 * one more for the velocities without any activation. A part fills the rows of its bodies; columns of actuators and
 * stops that do not reach them are zero. */
#ifndef SN_SIM_RESPONSE_H
#define SN_SIM_RESPONSE_H

#include "sim/plant.h"

struct snResponse {
    const snModel *m;
    snState *s;
    int32_t ld; /* from one row of velocity to the next */
    double *velocity;
    double *force;   /* 6 nfree for each actuator that pulls at the bodies themselves, and for each stop */
    int32_t *row;    /* nbody: first of a free body's rows, -1; those of the system come first, as it has them */
    double *scale;   /* nactuator: what activation 1 counts, step and strength included */
    bool one_each;   /* actuator j is all of muscle j */
    int32_t nstrand; /* actuators that pull through strands: the first ones */
    int32_t *strand; /* nstrand */
    int32_t nreleased;
    int32_t *released; /* ncoord: whose stops are left out */
    uint8_t *was_on;   /* ncoord: of each of them */
    uint8_t *clean;    /* nstrand of the model, all 0: no strand has changed since the last factorisation */
};

/* Of the system of bodies and strands. */
void sn_system_respond(const snModel *m, snState *s, snResponse *r);
void sn_system_effort(const snModel *m, snState *s, snEffort *e, double unit, double *torque, double *need);

#endif
