/* Published strengths of joints, to compare those of a model with (analysis/own/strength.h). */
#ifndef SN_AUTHOR_OWN_STRENGTH_TABLE_H
#define SN_AUTHOR_OWN_STRENGTH_TABLE_H

#include "sinew/model.h"

typedef struct snStrengthRow {
    const char *joint, *action, *posture, *band, *seen, *source;
    double published, lower, upper; /* N m */
    const double *q, *direction;    /* per coordinate: pose; shares of the torque, 1 the largest */
    const bool *balanced;           /* per coordinate: no torque there */
} snStrengthRow;

typedef struct snStrengthTable {
    int32_t count;
    snStrengthRow *row;
} snStrengthTable;

/* Reads a tab-separated table; # begins a comment, the first other line names the columns joint, action, posture, torque,
 * balanced, pose, published, lower, upper, band, seen and source. torque: COORDINATE=SHARE with blanks between; pose:
 * COORDINATE=DEGREES, or -; balanced: coordinates, with * for any letters at the end, or -. SN_BAD_INPUT: what is wrong,
 * with its line. */
snStatus sn_load_strengths(const char *path, const snModel *model, snStrengthTable **table, snError *error);
void sn_strengths_free(snStrengthTable *table); /* NULL is fine */

#endif
