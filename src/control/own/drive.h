/* Channels of a drive one by one, and what was asked of muscles. */
#ifndef SN_CONTROL_OWN_DRIVE_H
#define SN_CONTROL_OWN_DRIVE_H

#include "sinew/drive.h"

int32_t sn_drive_muscles(const snDrive *drive);   /* channels 0 to this */
int32_t sn_drive_functions(const snDrive *drive); /* the channels behind them */
const char *sn_drive_name(const snDrive *drive, int32_t channel);
double sn_drive_level(const snDrive *drive, int32_t channel); /* what sn_drive_set has set */
/* The most that a muscle was asked for in all calls of sn_drive_at, and when; above 1 it was limited to 1. */
typedef struct snDemand {
    double most, time;
} snDemand;
snDemand sn_drive_demand(const snDrive *drive, int32_t muscle);

#endif
