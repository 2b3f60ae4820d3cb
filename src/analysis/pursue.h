/* What the ways to follow a motion share. */
#ifndef SN_ANALYSIS_PURSUE_H
#define SN_ANALYSIS_PURSUE_H

#include "analysis/fatigue.h"
#include "analysis/patient.h"
#include "control/trust.h"
#include "sim/tree_sim.h"

struct snPursue {
    snPatient *p;
    const snPoses *poses;
    const snPursueDef *def;
    snPursueReport *report;
    snTreeSim *sim;    /* the limb, with the case applied */
    bool full;         /* the last step used the full stiffness */
    bool repeating;    /* a frame at half the step, which is not reported */
    int32_t *column;   /* per coordinate, -1: none */
    int32_t turned;    /* column of the fixed joint that turns gravity, -1: none */
    int32_t *compared; /* per coordinate: in how many frames */
    double *key;       /* keys x units: activations that hold the keys; NULL: chosen on the way */
    double h, begin, end, frame_rate, total;
    int32_t every, ahead; /* steps from one control to the next; steps that torques are found for */
    int32_t room;         /* steps stored at most */
    double *target, *rate, *acceleration, *before, *after, *free, *B, *pose, *point, *scalar, *strength, *row;
    snFatigue *fatigue;
    void *block;
    snTrack *columns;          /* without frames: what a frame consists of; NULL: nobody wants frames */
    int32_t repetition, first; /* the one going on; the step that it begins with */
    bool again;                /* the first frame has been handed over by the run that this one continues */
    struct {
        double *at;
        size_t count;
    } own[3]; /* what the published method carries from frame to frame */
    char *checkpoint;
    snTrustRun trust;
};

/* The motion as given at a time; the target then, clamped; v and a may be NULL. What nobody saw then is marked as ignored in the patient. */
void sn_pursue_given(snPursue *u, double time, double *q);
void sn_pursue_reference(snPursue *u, double time, double *q, double *v, double *a);
/* u->target at a time, u->rate and u->acceleration as differences over h: those of the step's own arithmetic, so that a
 * limb that is on the target and lacks no torque stays on it. Where the motion ends there is nothing to take a
 * difference with. */
void sn_pursue_rates(snPursue *u, double time, double h);
/* Compares u->f.q with the target and records a frame; replay may be NULL. */
snStatus sn_pursue_record(snPursue *u, double time, snTrack *replay);
/* Puts a frame aside to repeat it at half the step, and takes it up again; as a checkpoint, but of what is known only. */
size_t sn_pursue_keep(snPursue *u, void *bytes); /* NULL: asks for the size */
void sn_pursue_give(snPursue *u, void *bytes);
/* Checkpoints: pursue_resume.c. At the top of a frame, before anything of it is found: keeps what the rest of the run
 * depends on. */
void sn_pursue_mark(snPursue *u, int32_t step);
/* Room for it; continues where def->checkpoint says so. Once the arrays of the run are there. */
snStatus sn_pursue_begin(snPursue *u, snError *error);
/* The published method: paper.c. */
snStatus sn_pursue_paper(snPursue *u, snTrack *replay, snError *error);

/* Inverse at the keys only, as animators of keys expect: holds every key and fills u->key. */
snStatus sn_pursue_keys(snPursue *u);
/* The activations at a time, in straight lines from key to key. */
void sn_pursue_between_keys(snPursue *u, double time);

/* One frame of it from rest: what activation moves every coordinate by, rad. newtons:
 * forces in N instead of percent. */
snStatus sn_paper_frame(snPatient *p, const double *activation, bool newtons, double *moved);

/* One frame from rest at q towards a target, all joints at once, by L-BFGS-B and by the quadratic program that it is:
 * above: what the program's value lies above that of L-BFGS-B; apart: rms distance of the
 * poses that both reach, rad. */
snStatus sn_paper_compare(snPatient *p, const double *q, const double *target, double *above, double *apart);

#endif
