/* Many channels as few: the mean of those that are parts of one muscle. */
#ifndef SN_CLI_PLOT_GROUPS_H
#define SN_CLI_PLOT_GROUPS_H

#include "cli.h"

/* A track with one scalar PREFIXgroup for the scalars PREFIXname of each group, their mean. The group of a name is what
 * comes before the first word with a digit, words being joined by _, and its side: multifidus_L1_S1_R is of
 * multifidus_R. */
snStatus cli_group_scalars(const snTrack *track, const char *prefix, snTrack **grouped);

#endif
