/* What the ways to follow a motion share. */
#ifndef SN_ANALYSIS_PURSUE_H
#define SN_ANALYSIS_PURSUE_H

#include "analysis/fatigue.h"
#include "analysis/patient.h"
#include "sim/tree_sim.h"

typedef struct snPursue {
    snPatient *p;
    const snPoses *poses;
    const snPursueDef *def;
    snPursueReport *report;
    snTreeSim *sim; /* the limb, with the case applied */
    bool full;      /* the last step used the full stiffness */
    int32_t *column; /* per coordinate, -1: none */
    double h, begin, end, frame_rate, total;
    int32_t every, compared, room; /* steps from one control to the next; frames compared; steps stored at most */
    double *target, *rate, *acceleration, *free, *B, *pose, *point, *scalar, *strength, *row;
    snFatigue *fatigue;
    void *block;
} snPursue;

/* Target at a time, clamped; v and a may be NULL. */
void sn_pursue_reference(snPursue *u, double time, double *q, double *v, double *a);
/* Compares u->f.q with the target and records a frame; replay may be NULL. */
snStatus sn_pursue_record(snPursue *u, double time, snTrack *replay);
/* The published method: paper.c. */
snStatus sn_pursue_paper(snPursue *u, snTrack *replay, snError *error);

/* One frame of it from rest: what activation moves every coordinate by, rad. newtons: forces in N instead of percent.
 */
snStatus sn_paper_frame(snPatient *p, const double *activation, bool newtons, double *moved);

#endif
