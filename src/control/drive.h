/* What readers of activation files need besides sinew/drive.h: to take back what they have added. */
#ifndef SN_CONTROL_DRIVE_H
#define SN_CONTROL_DRIVE_H

#include "sinew/drive.h"

/* How many courses have been added; and back to that number. */
int32_t sn_drive_mark(const snDrive *drive);
void sn_drive_take_back(snDrive *drive, int32_t mark);

#endif
