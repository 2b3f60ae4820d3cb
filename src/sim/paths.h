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

/* paths_mass.c: adds the inertia and the weight of the material of one cord to the system. */
void sn_cord_add_mass(const snModel *m, snState *s, int32_t cord);

/* paths_knot.c: the cords of a knot at poses and velocities of all bodies: nodes, lengths, junctions; pulls into
 * `pull`. */
void sn_paths_solve_knot(const snModel *m, snState *s, int32_t knot, const rigid *body, snCordPull *pull);
/* Adds the row of a junction's velocity along n. */
void sn_junction_add_row(const snModel *m, const snState *s, const snPathCord *k, int32_t junction, v3 n, double *row);

/* part_paths.c */
/* Adds weight row row' to the blocks of the cord's free bodies, and weight times the part of row . v0 that is theirs,
 * along row, to the impulses: a row that meets v - v0. `scale` is what of the weight goes to the impulses. row has 6
 * numbers for each slot; slots from..to-1 count. */
void sn_cord_add_row(const snModel *m, snState *s, const snPathCord *k, const double *row, double weight, double scale);
void sn_cord_add_impulse(const snModel *m, snState *s, const snPathCord *k, const double *row, double impulse);
/* Adds the row of a node along n. */
void sn_cord_node_row(const snState *s, const snPathCord *k, const snCordNode *node, v3 n, double *row);
/* Force of activation 1 of a path strand on the free bodies, 6 numbers each, added; strength not included. */
void sn_path_active_force(const snModel *m, const snState *s, int32_t strand, double *force);

#endif
