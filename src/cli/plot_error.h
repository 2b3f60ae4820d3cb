/* The tracking error of a replay over time. */
#ifndef SN_CLI_PLOT_ERROR_H
#define SN_CLI_PLOT_ERROR_H

#include "cli.h"

/* A track with the scalars error/worst and error/mean, m, over the vertices of all bones that both tracks have and that
 * are not pinned, at the frames of the replay. */
snStatus cli_tracking_error(const snTrack *replay, const snTrack *motion, const snSpec *spec, snTrack **result,
                            snError *error);

#endif
