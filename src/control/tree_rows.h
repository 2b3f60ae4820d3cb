/* The rows of the program that chooses activations: what torques a step needs, what each muscle gives, and how dear it
 * is to miss a row. Part of tree_control.h, which has the equations. Rows of driven coordinates come first, then those
 * of passive ones where they are steadied. */
#ifndef SN_CONTROL_TREE_ROWS_H
#define SN_CONTROL_TREE_ROWS_H

#include "control/tree_control.h"

typedef struct treeControlWork {
    int32_t nm, np; /* driven, passive */
    bool joined;    /* the program has rows of passive coordinates too, and Bt is by entries */
    int32_t nrow;   /* of the program: nm + np, or nm */
    int32_t *place; /* ndof: row among the driven, or -1 - row among the passive */
    int32_t *driven, *passive;
    int32_t ldm, ldp;
    double *App; /* np rows of ldp: factored */
    double *G;   /* np rows of ldm: transposed, A_pp^-1 A_pm; A_pm itself and U^-T A_pm on the way there */
    double *M;   /* nrow rows of ldm: metric of what is missing */
    double *Bt;  /* entries, or nunit rows of ldm where passive rows are eliminated */
    int32_t *adr, *col, *entry; /* Bt by entries: of each muscle; their rows; npath entries of P: where they go */
    double *bp, *tau, *y, *y_other, *dv, *least, *load; /* vectors of max(ldm, ldp, ndof) */
    double *q, *passive_tau;                            /* the same; of the paper's inverse */
    double *active;                                     /* npath */
    double *a, *other, *bias;                           /* nunit */
    snDualQp *qp;
    void *block, *index;
} treeControlWork;

/* NULL: out of memory. */
treeControlWork *sn_treerows_create(const snTreeSim *sim, int32_t nunit, const int32_t *unit);
void sn_treerows_destroy(treeControlWork *work); /* NULL is fine */

/* Which rows there are, and M; false where A_pp is not definite. */
bool sn_treerows_metric(const snTreeControl *control, const snTreeSim *sim);
/* tau for the dv of driven coordinates; change (ndof): to be added to b. Needs the metric. */
void sn_treerows_torques(const snTreeControl *control, const snTreeSim *sim, const double *change);
/* Bt: what each muscle gives at activation 1, with the contractile forces in `active`. Needs the metric. */
void sn_treerows_B(const snTreeControl *control, const snTreeSim *sim);

/* The muscle of a path. */
static inline int32_t sn_treerows_unit(const int32_t *unit, int32_t path)
{
    return unit ? unit[path] : path;
}

#endif
