/* What the files that set up the strand-structured solver share. */
#ifndef SN_SYSTEM_STRAND_SETUP_H
#define SN_SYSTEM_STRAND_SETUP_H

#include "system/strand_solver.h"

/* What is needed while setting up only. */
typedef struct snSetup {
    const snKkt *k;
    const snKktPattern *p;
    snStrandSolver *s;
    int32_t *slotadr, *slot_body; /* by strand: bodies of the border */
    int32_t *linkadr, *link;      /* by strand: link rows of the border, each once */
    int32_t *node;                /* nlink: the group of each link row */
    int32_t *head, *next;         /* groups by their lowest strand; -1 ends */
    int32_t *first_link;          /* by group */
    int32_t *width, *perm, *place, *mark, *filled;
    int32_t *edge_i, *edge_j, nedge, nnode, ngroup;
    struct snSetupSize *size; /* by strand */
} snSetup;

typedef struct snSetupSize {
    int32_t npoint, nown, nslot, nlink, strand;
} snSetupSize;

static inline int32_t larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Batches of four strands of like size, with their memory. Needs the borders. False: out of memory. */
bool sn_setup_batches(snSetup *u);

#endif
