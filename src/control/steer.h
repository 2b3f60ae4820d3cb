/* Shared by the files of steering. */
#ifndef SN_CONTROL_STEER_H
#define SN_CONTROL_STEER_H

#include "control/tree_control.h"
#include "motion/poses.h"
#include "sim/plant.h"
#include "sinew/steer.h"

/* What is summed up over a run and goes on with it. */
typedef struct snSteerTally {
    int64_t step, choices;
    int32_t frames, worst_coordinate;
    double error, errors, worst, worst_time, max_activation, change2, rounds, worst_rounds;
} snSteerTally;

/* What to do at one time: by sn_steer_aim. */
typedef struct snSteerTarget {
    double *q, *v, *a;        /* ncoord: now, and rates of the step's own arithmetic */
    double *before, *after;   /* ncoord: a step before and after */
    double *row, *breath_row; /* of the key poses */
    double *base;             /* nmuscle: activations to stay near that the drive gives */
    int32_t *column;          /* ncoord: column of the motion, -1: none */
    int32_t *breath_column;   /* ncoord */
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
    snSteerTally at;
    double h, begin, end;
    int32_t per_frame, every; /* steps per frame; steps per choice */
    int64_t total, timed;     /* steps in all; steps of this call */
    double *scratch;
    snStatus status; /* of the last choice */
};

snStatus sn_steer_open_targets(snSteer *run, snError *error);
void sn_steer_close_targets(snSteer *run);
/* Targets, loads and activations to stay near at a time. */
void sn_steer_aim(snSteer *run, double time);
/* The pose alone. */
void sn_steer_pose(snSteer *run, double time, double *q);

#endif
