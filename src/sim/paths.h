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
/* Six products: sums in pairs, which do not wait for each other. */
static inline double sn_dot_six(const double *a, const double *b)
{
    return ((a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3])) + (a[4] * b[4] + a[5] * b[5]);
}
/* g . v over the bodies of a cord. */
static inline double sn_cord_rate(const snPathCord *k, const double *g, const double *velocity)
{
    double sum = 0;
    for (int32_t i = 0; i < k->cord.nslot; ++i) sum += sn_dot_six(g + 6 * i, velocity + 6 * k->body[i]);
    return sum;
}
/* The belly that has been pulled furthest into a point that it cannot pass: by how much (m),
 * and which cord and point. */
double sn_paths_jam(const snModel *m, const snState *s, int32_t *cord, int32_t *point);

/* Elastic energy of a path strand, J; power of the force of one of its constraints on its body, W, at a velocity of the
 * body. */
double sn_paths_strand_energy(const snModel *m, const snState *s, int32_t strand);
double sn_paths_power(const snModel *m, const snState *s, int32_t constraint, const double velocity[6]);

/* paths_sheet.c: what a cord adds to the system. */
typedef struct snSheetNode {
    int32_t place;     /* of its body among the free ones; -1: a body that is moved, or a junction */
    const double *row; /* of a junction: its velocity over the free bodies, three rows; else NULL */
    v3 by[3];          /* its velocity by the angular one of its body */
    v3 v;              /* velocity that poses ahead are made with, that of free bodies only */
    v3 was;            /* velocity that its mass has before the step: v but for driven bodies */
    v3 push;           /* impulse on it */
    double along;      /* for paths_mass.c: impulse along the speed of the material behind it */
    double S[6];       /* what resists its velocity: xx, xy, xz, yy, yz, zz */
} snSheetNode;
typedef struct snCordSheet {
    const snModel *m;
    snState *s;
    const snPathCord *k;
    int32_t count, slot[SN_CORD_BODIES]; /* of the free bodies */
    int32_t n, ld;                       /* numbers in a row, and from one row to the next */
    int32_t nrow, nnode;
    double *row, *Q;          /* rows with the roots of their weights, and the product of all */
    double *v0, *impulse, *g; /* n: velocities of poses ahead, what is added to the impulses, dl/dv; then zeros */
    double *was;              /* n: velocities that mass has before the step */
    double *b;                /* n: for paths_mass.c */
    double rate, moved;       /* g . v of the free bodies, and of those that are moved */
    double was_rate;          /* g . was */
    double weight_g, along_g; /* weight of the row g, and impulse along it */
    snSheetNode *node;        /* those of the cord */
} snCordSheet;
int32_t sn_sheet_size(const snModel *m); /* doubles of memory that the largest needs */
snCordSheet sn_sheet_begin(const snModel *m, snState *s, int32_t cord);
double *sn_sheet_row(snCordSheet *t); /* the next row: set all of its ld numbers */
/* Adds the velocity of a node along n to a row. */
void sn_sheet_add_row(const snCordSheet *t, const snSheetNode *node, v3 n, double *row);
/* Two rows: the velocity of a node, less that of another (NULL: none), at right angles to a unit vector. */
void sn_sheet_rows_across(snCordSheet *t, const snSheetNode *node, const snSheetNode *from, v3 along, double weight);
/* The same for a node on a body by itself: without rows. */
void sn_sheet_add_across(snSheetNode *node, v3 along, double weight);
/* Couples two nodes on different bodies by -S. */
void sn_sheet_couple(const snCordSheet *t, const snSheetNode *a, const snSheetNode *b, const double S[6], double sign);
/* Adds everything to the system; sign -1: takes it out again. */
void sn_sheet_close(snCordSheet *t, double sign);

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
