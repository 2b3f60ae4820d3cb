/* Joint coordinates that go farther than the pose of a body can tell. */
#ifndef SN_IO_MOTION_LIMIT_H
#define SN_IO_MOTION_LIMIT_H

#include "model/model.h"
#include "sinew/io.h"

/* Holds count rows of all coordinates within what poses can tell, half a turn either way. source, if not NULL: what was
 * held. */
void sn_limit_coordinates(const snModel *model, int32_t count, double *value, snMotionSource *source);

#endif
