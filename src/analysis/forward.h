/* Forward dynamics of a patient: one implicit step. */
#ifndef SN_ANALYSIS_FORWARD_H
#define SN_ANALYSIS_FORWARD_H

#include "analysis/patient.h"

typedef struct snForward {
    snPatient *p;
    int32_t ld;
    double *q, *v;                  /* the state, nq */
    double *A, *base, *K, *scratch; /* nq rows of ld: factor; what it was made of; slopes without stops */
    double *x, *tau, *least, *rhs;
    double *stop; /* nq: stiffness of the stop that pushes, 0: none does */
    double *edge; /* nq: where that stop begins */
    bool full;    /* whether the last step used the full stiffness */
    void *block;
} snForward;

bool sn_forward_create(snPatient *p, snForward *f); /* free also after a failure */
void sn_forward_free(snForward *f);
/* Fills base = M + h D + h^2 K without stops, with the full stiffness while that is definite; K is left behind. */
bool sn_forward_matrix(snForward *f, const double *activation, double h);
/* Factors base and the stops that push. */
bool sn_forward_factor(snForward *f, double h);
/* Lets the stops push that the joints lie beyond now. */
void sn_forward_stops(snForward *f);
/* Torque of a stop now, as sn_tree_passive counts it. */
double sn_forward_stop_torque(const snForward *f, int32_t k);
/* One step; false when it diverged, the state then being as before. */
bool sn_forward_step(snForward *f, const double *activation, double h);
/* Kinetic energy, weight, tissue and passive muscles, J: what can only fall without activation. */
double sn_forward_energy(snForward *f);

#endif
