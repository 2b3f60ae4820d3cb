/* Path strands inside this module: what part_paths.c and its neighbours share. */
#ifndef SN_SIM_PATHS_H
#define SN_SIM_PATHS_H

#include "sim/state.h"

/* paths_place.c: the cords at the bodies as they are: nodes, control points of the strands, what fields show. */
void sn_paths_place(const snModel *m, snState *s);
void sn_paths_measure(const snModel *m, snState *s);
void sn_paths_energy(const snModel *m, const snState *s, snEnergy *sum);
/* Poses of a cord's bodies out of those of all. */
void sn_cord_poses(const snPathCord *k, const rigid *body, rigid *pose);
/* The belly that has been pulled furthest into a point that it cannot pass: by how much (m),
 * and which cord and point. */
double sn_paths_jam(const snModel *m, const snState *s, int32_t *cord, int32_t *point);

/* Elastic energy of a path strand, J; power of the force of one of its constraints on its body, W, at a velocity of the
 * body. */
double sn_paths_strand_energy(const snModel *m, const snState *s, int32_t strand);
double sn_paths_power(const snModel *m, const snState *s, int32_t constraint, const double velocity[6]);

/* paths_sheet.c: what a cord adds to the system, as rows over the velocities of its free bodies. */
typedef struct snCordSheet {
    const snModel *m;
    snState *s;
    const snPathCord *k;
    int32_t count, slot[SN_CORD_BODIES]; /* of the free bodies */
    int32_t n, ld;                       /* numbers in a row, and from one row to the next */
    int32_t nrow;
    double *row, *Q;          /* rows, and the product of all */
    double *v0, *impulse, *g; /* n: velocities that poses ahead are made with, what is added to the impulses, dl/dv */
    double *before_step;      /* n: velocities that mass has before the step: v0 but for driven bodies */
    double *before, *flow;    /* for paths_mass.c: n; n for each node */
    double *rest;             /* nnode: the same */
} snCordSheet;
int32_t sn_sheet_size(const snModel *m); /* doubles of memory that the largest needs */
snCordSheet sn_sheet_begin(const snModel *m, snState *s, int32_t cord);
double *sn_sheet_row(snCordSheet *t); /* the next row, all zero */
/* Adds the velocity of a node along n to a row. */
void sn_sheet_node(const snCordSheet *t, const snCordNode *node, v3 n, double *row);
/* Once for each row, when it is whole: its weight (not below 0), and what of it meets v - v0 rather than v. */
void sn_sheet_weigh(const snCordSheet *t, double *row, const double *v0, double weight, double scale);
/* Adds everything to the system; sign -1: takes it out again. */
void sn_sheet_close(const snCordSheet *t, double sign);

/* paths_mass.c: the inertia and the weight of the material of one cord. */
void sn_cord_add_mass(snCordSheet *t, int32_t cord);

/* paths_knot.c: the cords of a knot at poses and velocities of all bodies: nodes, lengths, junctions; pulls into
 * `pull`. */
void sn_paths_solve_knot(const snModel *m, snState *s, int32_t knot, const rigid *body, snCordPull *pull);
/* Adds the row of a junction's velocity along n. */
void sn_junction_add_row(const snModel *m, const snState *s, const snPathCord *k, int32_t junction, v3 n, double *row);

/* Power of what a branch pulls across its trunk, by the constraint that fixes it there, at velocities of all bodies. */
double sn_paths_across_power(const snModel *m, const snState *s, int32_t constraint, const double *velocity);

/* part_paths.c */
/* Force of activation 1 of a path strand on the free bodies, 6 numbers each, added; strength not included. */
void sn_path_active_force(const snModel *m, const snState *s, int32_t strand, double *force);

#endif
