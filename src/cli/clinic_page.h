/* Poses and cases of the clinical page: those that ship with a model, and those that somebody asks for. */
#ifndef SN_CLI_CLINIC_PAGE_H
#define SN_CLI_CLINIC_PAGE_H

#include "cli.h"

enum { CLINIC_CASES = 8, CLINIC_NAME = 80, CLINIC_RATE = 12 }; /* rate: frames a second of a motion on the page */

/* Zeroed memory is an empty list. */
typedef struct snPoseList {
    int32_t count, room, ncoordinate;
    char (*text)[CLINIC_NAME];
    const char **name; /* by clinic_poses_names */
    double *q, *time;
} snPoseList;

/* The pose as drawn, and of every motion beside the model the one farthest from rest. What this model cannot do is
 * left out. */
snStatus clinic_poses_shipped(snCli *cli, const char *model_name, const snModel *model, snPoseList *list);
/* All of a motion, so many frames a second. */
snStatus clinic_poses_motion(snCli *cli, const char *model_name, const snModel *model, const char *motion, double rate,
                             snPoseList *list);
/* All frames of the motions whose poses clinic_poses_shipped has put into the list. */
snStatus clinic_motions_shipped(snCli *cli, const char *model_name, const snModel *model, double rate,
                                snPoseList *list);
void clinic_poses_free(snPoseList *list);
/* Puts the poses into a def; the list must outlive it. */
snStatus clinic_poses_into(snCli *cli, snPoseList *list, snClinicDef *def);

#endif
