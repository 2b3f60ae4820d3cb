/* Shared by the files of steering. */
#ifndef SN_CONTROL_STEER_H
#define SN_CONTROL_STEER_H

#include "control/ik.h"
#include "control/tree_control.h"
#include "control/trust.h"
#include "motion/poses.h"
#include "sim/plant.h"
#include "sinew/steer.h"

/* What is summed up over a run and goes on with it. */
typedef struct snSteerTally {
    int64_t step, choices;
    int32_t frames;
    double change2, rounds, worst_rounds;
    double missed[SN_STEER_MOST_AIMS]; /* by the simulated body */
} snSteerTally;

/* Targets of bodies, and the motion of coordinates that meets them. */
typedef struct snSteerReach {
    snIk *ik;             /* NULL: none */
    const snPoses *asked; /* the motion as given */
    snPoses *found;       /* the motion with coordinates instead of targets */
    snIkTarget target[SN_STEER_MOST_AIMS];
    int32_t body[SN_STEER_MOST_AIMS], column[3 * SN_STEER_MOST_AIMS], ntarget; /* -1: no column */
    double goal[3 * SN_STEER_MOST_AIMS], *row;                                 /* at one time; of the motion as given */
} snSteerReach;

/* What to do at one time: by sn_steer_aim. */
typedef struct snSteerTarget {
    double *q, *v, *a;           /* ncoord: now, and rates: differences over what a choice is made for */
    double *before, *after;      /* ncoord: so much before and after */
    double *here, *then, *moved; /* ncoord: of the body now and when a choice is reached; the target moved as far */
    double *row, *breath_row;    /* of the key poses */
    double *base;                /* nmuscle: activations to stay near that the drive gives */
    int32_t *column;             /* ncoord: column of the motion, -1: none */
    int32_t *breath_column;      /* ncoord */
    int32_t nload, *load_column; /* of loads in the motion: their columns, loads first of the sim's */
    int32_t nactivation, *activation_column, *activation_unit;
    double breath_scale, breath_stretch, breath_length;
    void *block, *index;
} snSteerTarget;

struct snSteer {
    const snModel *m;
    const snPoses *poses;
    const snSteerDef *def;
    snSteerReport *report;
    snState *s;
    snTreeSim *sim;
    snTreeControl *control;
    snSteerTarget target;
    snSteerReach reach;
    snSteerTally at;
    snTrustRun trust;
    double h, begin, end;
    int32_t per_frame, every; /* steps per frame; steps per choice */
    int32_t ahead;            /* steps that a choice is made for, at most `every` */
    bool at_once;             /* the last choice was the first: there was none to come from */
    int64_t total, timed;     /* steps in all; steps of this call */
    double *scratch;
    snStatus status; /* of the last choice */
};

/* Replaces targets of bodies in run->poses by coordinates. */
snStatus sn_steer_open_reach(snSteer *run, snError *error);
void sn_steer_close_reach(snSteer *run);
/* Keeps by how much the simulated body misses them. */
void sn_steer_note_reach(snSteer *run, double time);
/* The start of a column that names a target of a body. */
bool sn_steer_is_reach(const char *column);
snStatus sn_steer_unknown(const snModel *m, snItem item, const char *what, const char *name, snError *error);

snStatus sn_steer_open_targets(snSteer *run, snError *error);
void sn_steer_close_targets(snSteer *run);
/* Targets, loads and activations to stay near at a time. */
void sn_steer_aim(snSteer *run, double time);
/* A load at the centre of mass of a body: of a column of the motion, or -1. */
snStatus sn_steer_take_load(snSteer *run, int32_t column, const char *body, snError *error);
/* Sets `every` and `ahead` for a step: activations are chosen so many times a second, 0: as is usual. */
void sn_steer_pace(snSteer *run, double step, double rate);
/* Chooses activations for the target. Within sn_step, once the system is there. */
snStatus sn_steer_choose(snSteer *run);
/* In every step, also in that of a choice: brings activations (nunit) nearer to those chosen last, and there within
 * `ahead` steps. step: that of the run. */
void sn_steer_approach(const snSteer *run, int64_t step, double *activation);
/* Makes the controller of run->s as run->def says. */
snStatus sn_steer_take_state(snSteer *run, snError *error);
/* The pose alone, as given; and within the ranges. */
void sn_steer_given(snSteer *run, double time, double *q);
void sn_steer_pose(snSteer *run, double time, double *q);

#endif
