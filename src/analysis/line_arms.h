/* Lengths and moment arms of the line muscles of a model on a tree, pose by pose, by two ways. */
#ifndef SN_ANALYSIS_LINE_ARMS_H
#define SN_ANALYSIS_LINE_ARMS_H

#include "model/model.h"
#include "sinew/control.h"

typedef struct snLineArms {
    const snModel *m;
    snTreeWork *tree;
    snPathWork *path;
    double *q;                 /* ncoord: set it, then place */
    int32_t *crossadr, *cross; /* ncoord + 1; paths that cross each coordinate */
    /* by sn_line_measure, of the paths that cross the coordinate: */
    double *length;                /* npath */
    double *derivative, *quotient; /* npath: arms by the derivative and by differences of the length */
} snLineArms;

/* At the pose as drawn, within the ranges. False: out of memory; to be freed all the same. */
bool sn_line_arms_create(const snModel *m, snLineArms *arms);
void sn_line_arms_free(snLineArms *arms);
/* Length of one path at q, and dl/dq by a coordinate; 0 where it does not cross. */
double sn_line_at(snLineArms *arms, int32_t path, int32_t coordinate, double *slope);
/* Lengths and arms about a coordinate at q, of the paths that cross it. */
void sn_line_measure(snLineArms *arms, int32_t coordinate);

/* A coordinate that follows another has no arms of its own. */
bool sn_line_moves_itself(const snModel *m, int32_t coordinate);
/* sn_moment_arms of a model on a tree. */
snStatus sn_line_moment_arms(const snModel *m, const snArmDef *def, snArms **arms, snError *error);

/* Which coordinates were asked for. */
bool sn_arms_want(const snArmDef *def, int32_t coordinate);
/* Poses of a coordinate: a step apart, with one at rest (or at the limit next to it), which is number *at. NULL: out of
 * memory. */
double *sn_arms_grid(const snModel *m, const snArmDef *def, int32_t coordinate, bool angle, double rest, int32_t *count,
                     int32_t *at);

#endif
